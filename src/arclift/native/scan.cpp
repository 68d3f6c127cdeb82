// Bytes to columns. Twin: arclift.treebank.scan.scan
#include "core.hpp"
#include "text.hpp"

#include <nanobind/stl/tuple.h>

#include <string_view>
#include <tuple>

namespace arclift {
namespace {

// The numbers of arclift.treebank.scan.Flaw and Extra.
enum Flaw : std::int64_t { kColumns = 1, kId, kOrder, kHead, kHeadRange, kRange, kEmptyNode, kUtf8, kNul, kNoWords };
enum Extra : std::int64_t { kComment = 0, kRangeRow = 1, kEmptyRow = 2 };

struct Layout {
    std::int64_t columns;
    bool open_ended, has_ids;
    std::int64_t head_column;
};

// Digits only, at most 9 of them; -1 otherwise.
std::int32_t number(std::string_view text) {
    if (text.empty() || text.size() > 9) return -1;
    std::int32_t value = 0;
    for (const char c : text) {
        if (c < '0' || c > '9') return -1;
        value = value * 10 + (c - '0');
    }
    return value;
}

class Scanner {
public:
    Scanner(std::string_view data, Layout layout) : data_(data), layout_(layout) {
        find_separators(data.data(), data.size(), separators_);
        clean_ = first_invalid_utf8(data.data(), data.size()) == data.size() &&
                 std::memchr(data.data(), 0, data.size()) == nullptr;
        const std::size_t width = static_cast<std::size_t>(layout.columns) + 1;
        fields.reserve(separators_.size() / static_cast<std::size_t>(layout.columns) * width);
        if (layout.head_column >= 0) heads.reserve(fields.capacity() / width);
        offsets.push_back(0);
    }

    void run(bool skip_bom) {
        std::size_t begin = skip_bom && data_.substr(0, 3) == "\xEF\xBB\xBF" ? 3 : 0;
        std::size_t k = 0;
        while (k < separators_.size()) {
            const std::size_t first = k;
            while (is_tab(separators_[k])) ++k;
            const std::size_t newline = separators_[k];
            const std::size_t end = newline > begin && data_[newline - 1] == '\r' ? newline - 1 : newline;
            line(begin, end, first, k);
            begin = newline + 1;
            ++k;
            if (end == line_begin_ && in_sentence_) end_sentence(begin < data_.size() ? begin : data_.size());
        }
        if (in_sentence_) end_sentence(data_.size());
        separators_ = {};
        extras.resize(extras_kept_);  // comments after the last sentence are bytes of it, no comments on it
        if (!starts.empty()) {
            starts.push_back(static_cast<std::uint32_t>(data_.size()));
        } else {
            starts.push_back(0);
        }
    }

    std::vector<std::uint32_t> fields, starts;
    std::vector<std::int32_t> heads;
    std::vector<std::int64_t> offsets, extras, flaws;

    std::size_t words() const { return fields.size() / (static_cast<std::size_t>(layout_.columns) + 1); }

private:
    bool is_tab(std::uint32_t position) const { return position < data_.size() && data_[position] == '\t'; }

    void line(std::size_t begin, std::size_t end, std::size_t first, std::size_t last) {
        line_begin_ = begin;
        if (begin == end) return;
        if (layout_.has_ids && data_[begin] == '#') {
            extra(kComment, begin, end);
            return;
        }
        in_sentence_ = true;
        if (flaw_) return;
        const auto tabs = static_cast<std::int64_t>(last - first);
        if (layout_.open_ended ? tabs < layout_.columns - 1 : tabs != layout_.columns - 1)
            return fail(kColumns, begin);
        if (layout_.has_ids) {
            const std::string_view id = data_.substr(begin, separators_[first] - begin);
            const std::int32_t value = number(id);
            if (value < 0) return odd_row(id, begin, end);
            if (value != word_ + 1) return fail(kOrder, begin);
        }
        ++word_;
        row(begin, end, first);
    }

    void row(std::size_t begin, std::size_t end, std::size_t first) {
        fields.push_back(static_cast<std::uint32_t>(begin));
        for (std::int64_t c = 0; c + 1 < layout_.columns; ++c)
            fields.push_back(separators_[first + static_cast<std::size_t>(c)] + 1);
        fields.push_back(static_cast<std::uint32_t>(end) + 1);
        if (layout_.head_column < 0) return;
        const std::uint32_t* start =
            &fields[fields.size() - static_cast<std::size_t>(layout_.columns + 1 - layout_.head_column)];
        const std::string_view text = data_.substr(start[0], start[1] - 1 - start[0]);
        const std::int32_t head = text == "_" ? -1 : number(text);
        if (head < 0 && text != "_") return fail(kHead, begin);
        if (head > highest_head_) {
            highest_head_ = head;
            highest_head_at_ = begin;
        }
        heads.push_back(head);
    }

    // A multiword range "3-4" or an empty node "5.1".
    void odd_row(std::string_view id, std::size_t begin, std::size_t end) {
        const std::size_t dash = id.find('-'), dot = id.find('.');
        if (dash != std::string_view::npos) {
            const std::int32_t from = number(id.substr(0, dash)), to = number(id.substr(dash + 1));
            if (from < 0 || to < 0) return fail(kId, begin);
            if (from != word_ + 1 || to < from || from <= range_end_) return fail(kRange, begin);
            range_end_ = to;
            range_at_ = begin;
            extra(kRangeRow, begin, end);
        } else if (dot != std::string_view::npos) {
            const std::int32_t after = number(id.substr(0, dot)), rank = number(id.substr(dot + 1));
            if (after < 0 || rank < 0) return fail(kId, begin);
            const std::int32_t expected = after == empty_after_ ? empty_rank_ + 1 : 1;
            if (after != word_ || rank != expected) return fail(kEmptyNode, begin);
            empty_after_ = after;
            empty_rank_ = rank;
            extra(kEmptyRow, begin, end);
        } else {
            fail(kId, begin);
        }
    }

    void extra(Extra kind, std::size_t begin, std::size_t end) {
        extras.insert(extras.end(), {kind, static_cast<std::int64_t>(begin), static_cast<std::int64_t>(end),
                                     static_cast<std::int64_t>(words())});
    }

    void fail(Flaw flaw, std::size_t at) {
        if (flaw_) return;
        flaw_ = flaw;
        flaw_at_ = at;
    }

    void end_sentence(std::size_t next) {
        const std::size_t start = starts.empty() ? 0 : sentence_start_;
        if (!clean_) check_text(start, next);
        if (!word_) fail(kNoWords, line_begin_);
        if (range_end_ > word_) fail(kRange, range_at_);
        if (highest_head_ > word_) fail(kHeadRange, highest_head_at_);
        if (flaw_) roll_back();
        starts.push_back(static_cast<std::uint32_t>(start));
        offsets.push_back(static_cast<std::int64_t>(words()));
        extras_kept_ = extras.size();
        sentence_start_ = next;
        in_sentence_ = false;
        word_ = range_end_ = empty_rank_ = 0;
        empty_after_ = highest_head_ = -1;
        flaw_ = Flaw{};
    }

    void check_text(std::size_t start, std::size_t next) {
        const std::size_t bad = first_invalid_utf8(data_.data() + start, next - start);
        if (bad < next - start) return fail(kUtf8, start + bad);
        const void* nul = std::memchr(data_.data() + start, 0, next - start);
        if (nul) fail(kNul, static_cast<std::size_t>(static_cast<const char*>(nul) - data_.data()));
    }

    // A sentence with a flaw keeps its place and its bytes, but has no words.
    void roll_back() {
        flaws.insert(flaws.end(), {flaw_, static_cast<std::int64_t>(flaw_at_),
                                   static_cast<std::int64_t>(starts.size())});
        const auto kept = static_cast<std::size_t>(offsets.back());
        fields.resize(kept * (static_cast<std::size_t>(layout_.columns) + 1));
        if (layout_.head_column >= 0) heads.resize(kept);
        extras.resize(extras_kept_);
    }

    std::string_view data_;
    Layout layout_;
    std::vector<std::uint32_t> separators_;
    bool clean_, in_sentence_ = false;
    std::size_t line_begin_ = 0, sentence_start_ = 0, extras_kept_ = 0, flaw_at_ = 0, range_at_ = 0,
                highest_head_at_ = 0;
    std::int32_t word_ = 0, range_end_ = 0, empty_rank_ = 0, empty_after_ = -1, highest_head_ = -1;
    Flaw flaw_{};
};

auto scan(const nb::bytes& bytes, std::int64_t columns, bool open_ended, bool has_ids, std::int64_t head_column,
          bool skip_bom) {
    if (columns < 1 || head_column >= columns) throw nb::value_error("no such layout");
    if (bytes.size() >= 0xFFFFFFFFull) throw nb::value_error("a block must be smaller than 4 GiB");
    const std::string_view data{bytes.c_str(), bytes.size()};
    Scanner scanner = [&] {
        nb::gil_scoped_release release;
        Scanner running(data, {columns, open_ended, has_ids, head_column});
        running.run(skip_bom);
        return running;
    }();
    const std::size_t words = scanner.words();
    const std::size_t width = static_cast<std::size_t>(columns) + 1;
    const std::size_t extras = scanner.extras.size() / 4, flaws = scanner.flaws.size() / 3;
    return std::make_tuple(to_numpy(std::move(scanner.fields), words, width), to_numpy(std::move(scanner.heads)),
                           to_numpy(std::move(scanner.offsets)), to_numpy(std::move(scanner.starts)),
                           to_numpy(std::move(scanner.extras), extras, std::size_t{4}),
                           to_numpy(std::move(scanner.flaws), flaws, std::size_t{3}));
}

}  // namespace

void bind_scan(nb::module_& m) {
    m.def("scan", &scan);
    m.def("cpu", &cpu_name);
}

}  // namespace arclift
