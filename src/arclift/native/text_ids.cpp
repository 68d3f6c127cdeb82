// Value ids of texts, for the attributes of one column. Twin: arclift.features.values._TextIds
//
// What Unicode says of characters is asked of Python, 256 code points at a time, when a text first has one of
// them (arclift.features.text.page_of), and so is what a table by character cannot tell. All else runs without
// the interpreter's lock.
#include "strings.hpp"

#include <nanobind/stl/pair.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <array>
#include <atomic>
#include <memory>
#include <utility>

namespace arclift {
namespace {

using Int = std::int32_t;
using Attribute = std::pair<std::string, std::string>;

constexpr Int kUnknown = 2, kFirst = 3;
constexpr Int kStemLength = 5;
constexpr char kMark = ' ', kJoiner = 'j', kOther = '\0';  // the other signs of a page are those of a shape
constexpr std::size_t kLongestRun = 2;

// --- Unicode -----------------------------------------------------------------------------------------------

struct Page {
    std::array<Int, 256> lower{};  // -1: not for itself to say
    std::array<char, 256> sign{};
};

// Pages stay until the process ends; they are made under the interpreter's lock, so that none is made twice.
const Page& page_of(Int code) {
    static std::array<std::atomic<const Page*>, 0x1100> pages;
    auto& slot = pages[static_cast<std::size_t>(code >> 8)];
    if (const Page* known = slot.load(std::memory_order_acquire)) return *known;
    nb::gil_scoped_acquire acquire;
    if (const Page* known = slot.load(std::memory_order_acquire)) return *known;
    const nb::object made = nb::module_::import_("arclift.features.text").attr("page_of")(code >> 8);
    const auto lower = nb::cast<std::vector<Int>>(made[0]);
    const auto signs = nb::cast<nb::bytes>(made[1]);
    if (lower.size() != 256 || signs.size() != 256) throw nb::value_error("a page has 256 characters");
    auto page = std::make_unique<Page>();
    std::copy(lower.begin(), lower.end(), page->lower.begin());
    std::copy_n(signs.c_str(), 256, page->sign.begin());
    slot.store(page.get(), std::memory_order_release);
    return *page.release();
}

// The code point that begins at `at`, which moves behind it; -1 where there is no UTF-8.
Int next_code(std::string_view text, std::size_t& at) {
    const auto byte = [&](std::size_t k) { return at + k < text.size() ? static_cast<unsigned char>(text[at + k]) : 0u; };
    const unsigned first = byte(0);
    if (first < 0x80) return ++at, static_cast<Int>(first);
    const std::size_t more = first >= 0xF0 ? 3 : first >= 0xE0 ? 2 : 1;
    if (first < 0xC2 || first > 0xF4) return -1;
    Int code = static_cast<Int>(first & (0x3Fu >> more));
    for (std::size_t k = 1; k <= more; ++k) {
        if ((byte(k) & 0xC0u) != 0x80u) return -1;
        code = code << 6 | static_cast<Int>(byte(k) & 0x3Fu);
    }
    constexpr std::array<Int, 4> least{0, 0x80, 0x800, 0x10000};
    if (code < least[more] || code > 0x10FFFF || (code >= 0xD800 && code < 0xE000)) return -1;
    at += more + 1;
    return code;
}

void append(std::string& text, Int code) {
    const auto put = [&](Int byte) { text.push_back(static_cast<char>(byte)); };
    if (code < 0x80) return put(code);
    if (code < 0x800) return put(0xC0 | code >> 6), put(0x80 | (code & 0x3F));
    if (code < 0x10000) return put(0xE0 | code >> 12), put(0x80 | (code >> 6 & 0x3F)), put(0x80 | (code & 0x3F));
    put(0xF0 | code >> 18), put(0x80 | (code >> 12 & 0x3F)), put(0x80 | (code >> 6 & 0x3F)), put(0x80 | (code & 0x3F));
}

bool is_text(std::string_view text) {
    for (std::size_t at = 0; at < text.size();)
        if (next_code(text, at) < 0) return false;
    return true;
}

std::string of_python(const nb::object& text) {
    const auto bytes = nb::cast<nb::bytes>(text.attr("encode")());
    return {bytes.c_str(), bytes.size()};
}

std::string decoded(std::string_view data) {
    nb::gil_scoped_acquire acquire;
    return of_python(nb::module_::import_("arclift.features.text").attr("decoded")(nb::bytes(data.data(), data.size())));
}

std::string lowered_by_python(std::string_view text) {
    nb::gil_scoped_acquire acquire;
    return of_python(nb::str(text.data(), text.size()).attr("lower")());
}

// --- one text at a time ------------------------------------------------------------------------------------------

// A text, and what several attributes need of it, worked out once.
class Text {
public:
    void read(std::string_view text) {
        has_lower_ = has_characters_ = has_features_ = false;
        text_ = text;
        if (is_text(text)) return;
        repaired_ = decoded(text);
        text_ = repaired_;
    }

    std::string_view text() const { return text_; }

    std::string_view lower() {
        if (!has_lower_) {
            lower_.clear();
            for (std::size_t at = 0; at < text_.size();) {
                const Int code = next_code(text_, at);
                const Int small = code < 0x80 ? (code >= 'A' && code <= 'Z' ? code + 32 : code) : page_of(code).lower[code & 0xFF];
                if (small < 0) {
                    lower_ = lowered_by_python(text_);
                    break;
                }
                append(lower_, small);
            }
            has_lower_ = true;
        }
        return lower_;
    }

    std::string_view prefix(std::size_t length) {
        find_characters();
        return length < begins_.size() ? lower().substr(0, begins_[length]) : lower();
    }

    std::string_view suffix(std::size_t length) {
        find_characters();
        return length < begins_.size() ? lower().substr(begins_[begins_.size() - length]) : lower();
    }

    void shape(std::string& out) const {
        out.clear();
        Int last = -1;
        std::size_t run = 0;
        for (std::size_t at = 0; at < text_.size();) {
            const Int code = next_code(text_, at);
            const char sign = page_of(code).sign[code & 0xFF];
            if (sign == kMark) continue;
            const Int shown = sign == kOther || sign == kJoiner ? code : sign;
            run = shown == last ? run + 1 : 1;
            last = shown;
            if (run <= kLongestRun) append(out, shown);
        }
    }

    // The values of the features that are named, joined as they are listed.
    void features(const std::vector<std::string>& names, std::string& out) {
        find_features();
        out.clear();
        for (std::size_t n = 0; n < names.size(); ++n) {
            if (n) out += '|';
            for (const auto& [name, value] : features_)
                if (name == names[n]) out += value;
        }
    }

private:
    void find_characters() {
        if (has_characters_) return;
        has_characters_ = true;
        begins_.clear();
        const std::string_view small = lower();
        char last = kOther;
        for (std::size_t at = 0; at < small.size();) {
            const std::size_t begin = at;
            const Int code = next_code(small, at);
            const char sign = code < 0x80 ? kOther : page_of(code).sign[code & 0xFF];
            const bool joined = sign == kMark || sign == kJoiner || last == kJoiner;
            if (begins_.empty() || !joined) begins_.push_back(begin);
            last = sign;
        }
    }

    void find_features() {
        if (has_features_) return;
        has_features_ = true;
        features_.clear();
        if (text_ == "_") return;
        for (std::size_t at = 0; at <= text_.size();) {
            const std::size_t end = std::min(text_.find('|', at), text_.size());
            const std::string_view atom = text_.substr(at, end - at);
            const std::size_t equals = atom.find('=');
            const bool named = equals != std::string_view::npos;
            const std::string_view name = atom.substr(0, equals), value = named ? atom.substr(equals + 1) : "yes";
            const auto known = std::find_if(features_.begin(), features_.end(), [&](const auto& each) { return each.first == name; });
            if (known == features_.end())
                features_.emplace_back(name, value);
            else
                (known->second += ',') += value;
            at = end + 1;
        }
    }

    std::string_view text_;
    std::string repaired_, lower_;
    std::vector<std::size_t> begins_;  // of the characters of lower_
    std::vector<std::pair<std::string_view, std::string>> features_;
    bool has_lower_ = false, has_characters_ = false, has_features_ = false;
};

// --- all attributes of a column ----------------------------------------------------------------------------------

class TextIds {
public:
    TextIds(const std::vector<Attribute>& attributes, const std::vector<std::vector<std::string>>& vocabularies) {
        if (attributes.size() != vocabularies.size()) throw nb::value_error("one vocabulary an attribute");
        for (std::size_t k = 0; k < attributes.size(); ++k) slots_.emplace_back(attributes[k], vocabularies[k]);
    }

    auto ids(const nb::bytes& data, const Offsets& ends) const {
        const std::string_view all(data.c_str(), data.size());
        std::vector<Int> table(ends.size() * slots_.size());
        {
            nb::gil_scoped_release release;
            Text text;
            std::string value;
            std::size_t begin = 0;
            for (std::size_t s = 0; s < ends.size(); ++s) {
                const auto end = static_cast<std::size_t>(ends(s));
                if (end < begin || end > all.size()) throw nb::value_error("a text leaves the data");
                text.read(all.substr(begin, end - begin));
                for (std::size_t k = 0; k < slots_.size(); ++k) table[s * slots_.size() + k] = slots_[k].id(text, value);
                begin = end;
            }
        }
        const std::size_t texts = ends.size();
        return to_numpy(std::move(table), texts, slots_.size());
    }

private:
    enum class Kind { text, lower, shape, prefix, suffix, features };

    struct Slot {
        Kind kind = Kind::text;
        std::size_t length = 0;
        std::vector<std::string> names;
        StringTable vocabulary;

        Slot(const Attribute& attribute, const std::vector<std::string>& values) {
            const auto& [name, argument] = attribute;
            if (name == "lower") kind = Kind::lower;
            if (name == "shape") kind = Kind::shape;
            if (name == "prefix" || name == "stem") kind = Kind::prefix;
            if (name == "suffix") kind = Kind::suffix;
            if (kind == Kind::prefix || kind == Kind::suffix)
                length = argument.empty() ? std::size_t{kStemLength} : std::stoul(argument);
            if (name == "feats" && !argument.empty()) {
                kind = Kind::features;
                for (std::size_t at = 0; at <= argument.size();) {
                    const std::size_t end = std::min(argument.find('|', at), argument.size());
                    names.push_back(argument.substr(at, end - at));
                    at = end + 1;
                }
            }
            for (const std::string& each : values) vocabulary.add(each);
        }

        Int id(Text& text, std::string& value) const {
            const Int found = vocabulary.find(seen(text, value));
            return found < 0 ? kUnknown : kFirst + found;
        }

        std::string_view seen(Text& text, std::string& value) const {
            switch (kind) {
                case Kind::text: return text.text();
                case Kind::lower: return text.lower();
                case Kind::prefix: return text.prefix(length);
                case Kind::suffix: return text.suffix(length);
                case Kind::shape: text.shape(value); return value;
                case Kind::features: text.features(names, value); return value;
            }
            return {};
        }
    };

    std::vector<Slot> slots_;
};

}  // namespace

void bind_text_ids(nb::module_& m) {
    nb::class_<TextIds>(m, "TextIds")
        .def(nb::init<const std::vector<Attribute>&, const std::vector<std::vector<std::string>>&>())
        .def("ids", &TextIds::ids);
}

}  // namespace arclift
