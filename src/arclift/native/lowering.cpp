// Lowering lifted arcs. Twins: arclift.trees.lowering.lower_arcs, arclift.trees.exact.ordinals
#include "projectivity.hpp"

#include <nanobind/stl/string.h>

#include <algorithm>
#include <string_view>

namespace arclift {
namespace {

using Flags = Array<std::uint8_t>;

// The tree of one sentence while its lifted arcs are lowered one after the other.
class Lowering {
public:
    std::vector<std::int32_t> head;

    void read(const std::int32_t* heads, std::int32_t n, Index sentence) {
        check_range(heads, n, sentence);
        const auto nodes = static_cast<Index>(n) + 1;
        head.assign(1, -1);
        head.insert(head.end(), heads, heads + n);
        first_.assign(nodes, 0);
        next_.assign(nodes, 0);
        for (std::int32_t i = n; i >= 1; --i) {
            next_[i] = first_[head[i]];
            first_[head[i]] = i;
        }
        found_.assign(1, 0);
        for (Index k = 0; k < found_.size(); ++k)
            for (std::int32_t c = first_[found_[k]]; c; c = next_[c]) found_.push_back(c);
        if (found_.size() != nodes) refuse(heads, n, sentence);
        top_down_.assign(found_.begin() + 1, found_.end());
        low_.resize(nodes);
        high_.resize(nodes);
        for (std::int32_t i = 0; i <= n; ++i) low_[i] = high_[i] = i;
        for (Index k = found_.size(); --k > 0;) {
            const std::int32_t i = found_[k], h = head[i];
            low_[h] = std::min(low_[h], low_[i]);
            high_[h] = std::max(high_[h], high_[i]);
        }
    }

    // The words in the order in which their arcs are lowered: breadth first in the tree as it was read.
    const std::vector<std::int32_t>& top_down() const { return top_down_; }

    void move(std::int32_t d, std::int32_t to) {
        std::int32_t* link = &first_[head[d]];
        while (*link != d) link = &next_[*link];
        *link = next_[d];
        link = &first_[to];
        while (*link && *link < d) link = &next_[*link];
        next_[d] = *link;
        *link = d;
        head[d] = to;
    }

    // Calls visit(node) for what is below the head of d but not below d, as far as follow(node) holds, until visit
    // returns true: breadth first, what is apart from d before what is not.
    template <typename Follow, typename Visit>
    bool search(std::int32_t d, Follow follow, Visit visit) {
        for (const bool apart : {true, false}) {
            found_.clear();
            push_dependents(head[d], d, [&](std::int32_t c) { return is_apart(c, d) == apart && follow(c); });
            if (walk(d, follow, visit)) return true;
        }
        return false;
    }

    // The same for what is below a node, without regard to what is apart.
    template <typename Follow, typename Visit>
    bool search_below(std::int32_t node, std::int32_t d, Follow follow, Visit visit) {
        found_.clear();
        push_dependents(node, d, follow);
        return walk(d, follow, visit);
    }

    // Calls visit for every marked word that the scheme exact may mean, until it returns true; marks[i - 1] is that
    // of word i.
    template <typename Visit>
    bool search_marked(std::int32_t d, const std::uint8_t* marks, Visit visit) {
        const auto visit_marked = [&](std::int32_t word) { return marks[word - 1] && visit(word); };
        if (search(d, [](std::int32_t) { return true; }, visit_marked)) return true;
        const std::int32_t g = head[d];
        return g && search_below(0, d, [g](std::int32_t word) { return word != g; }, visit_marked);
    }

    bool has_marked_dependent(std::int32_t node, std::int32_t except, const std::uint8_t* marks) const {
        for (std::int32_t c = first_[node]; c; c = next_[c])
            if (c != except && marks[c - 1]) return true;
        return false;
    }

private:
    std::vector<std::int32_t> first_, next_;  // dependents from left to right, as linked lists that end in 0
    std::vector<std::int32_t> low_, high_, top_down_, found_;
    std::vector<std::int32_t> row_;  // the dependents on the left of a word, while they are merged with the others

    // Is there a word between what c and d dominated at first? Else d would not have been lifted past c.
    bool is_apart(std::int32_t c, std::int32_t d) const { return low_[d] > high_[c] + 1 || low_[c] > high_[d] + 1; }

    // The nearest to d first, of two as near the left one; those of the root from left to right.
    template <typename Follow>
    void push_dependents(std::int32_t node, std::int32_t d, Follow follow) {
        std::vector<std::int32_t>& ordered = node ? row_ : found_;
        row_.clear();
        std::int32_t c = first_[node];
        for (; c && (c < d || !node); c = next_[c])
            if (c != d && follow(c)) ordered.push_back(c);
        if (!node) return;
        for (; c; c = next_[c]) {
            if (c == d || !follow(c)) continue;
            for (; !row_.empty() && d - row_.back() <= c - d; row_.pop_back()) found_.push_back(row_.back());
            found_.push_back(c);
        }
        found_.insert(found_.end(), row_.rbegin(), row_.rend());
    }

    template <typename Follow, typename Visit>
    bool walk(std::int32_t d, Follow follow, Visit visit) {
        for (Index k = 0; k < found_.size(); ++k) {
            const std::int32_t node = found_[k];
            if (visit(node)) return true;
            push_dependents(node, d, follow);
        }
        return false;
    }
};

enum class Scheme { kHead, kHeadPath, kPath, kExact };

Scheme scheme_of(std::string_view name) {
    if (name == "head") return Scheme::kHead;
    if (name == "head+path") return Scheme::kHeadPath;
    if (name == "path") return Scheme::kPath;
    if (name == "exact") return Scheme::kExact;
    throw nb::value_error("no such scheme to lower");
}

// What the labels of one sentence say; word i is at [i - 1].
struct Said {
    const std::int32_t *label, *wanted;
    const std::uint8_t *lifted, *marks;
};

// The word to which d is lowered, or 0.
std::int32_t target(Lowering& tree, std::int32_t d, const Said& said, Scheme scheme) {
    std::int32_t found = 0;
    const auto marked = [&](std::int32_t word) { return said.marks[word - 1] != 0; };
    const auto is_wanted = [&](std::int32_t word) {
        return said.label[word - 1] == said.wanted[d - 1] && (found = word) > 0;
    };
    switch (scheme) {
        case Scheme::kExact: {
            std::int32_t left = std::max(said.wanted[d - 1], 1);
            tree.search_marked(d, said.marks, [&](std::int32_t word) {
                found = word;
                return --left == 0;
            });
            return found;
        }
        case Scheme::kPath:
            tree.search(d, marked, [&](std::int32_t word) {
                return !tree.has_marked_dependent(word, d, said.marks) && (found = word) > 0;
            });
            return found;
        case Scheme::kHeadPath:
            if (tree.search(d, marked, is_wanted)) {
                while (tree.search_below(found, d, marked, is_wanted)) {}
                return found;
            }
            break;
        case Scheme::kHead: break;
    }
    tree.search(d, [](std::int32_t) { return true; }, is_wanted);
    return found;
}

auto lower_arcs(const Ints& heads, const Offsets& offsets, const Ints& labels, const Flags& lifted, const Ints& wanted,
                const Flags& marks, const std::string& scheme_name) {
    const Index total = heads.shape(0);
    for (const Index length : {labels.shape(0), lifted.shape(0), wanted.shape(0), marks.shape(0)})
        if (length != total) throw nb::value_error("the arrays differ in length");
    const Scheme scheme = scheme_of(scheme_name);
    std::vector<std::int32_t> result(heads.data(), heads.data() + total);
    Lowering tree;
    Tree shape;
    for_each_span(heads, offsets, [&](const std::int32_t* words, std::int32_t n, Index sentence, Index begin) {
        const std::uint8_t* flags = lifted.data() + begin;
        if (std::find_if(flags, flags + n, [](std::uint8_t flag) { return flag != 0; }) == flags + n) {
            shape.check(words, n, sentence);
            return;
        }
        tree.read(words, n, sentence);
        const Said said{labels.data() + begin, wanted.data() + begin, flags, marks.data() + begin};
        for (const std::int32_t d : tree.top_down())
            if (said.lifted[d - 1])
                if (const std::int32_t to = target(tree, d, said, scheme)) tree.move(d, to);
        std::copy_n(tree.head.data() + 1, n, result.data() + begin);
    });
    return to_numpy(std::move(result));
}

auto ordinals(const Ints& lifted, const Offsets& offsets, const Ints& heads, const Flags& marks) {
    const Index total = lifted.shape(0);
    if (heads.shape(0) != total || marks.shape(0) != total) throw nb::value_error("the arrays differ in length");
    std::vector<std::int32_t> result(total, 0);
    Lowering tree;
    Tree shape;
    for_each_span(lifted, offsets, [&](const std::int32_t* words, std::int32_t n, Index sentence, Index begin) {
        const std::int32_t* original = heads.data() + begin;
        if (std::equal(words, words + n, original)) {
            shape.check(words, n, sentence);
            return;
        }
        tree.read(words, n, sentence);
        for (const std::int32_t d : tree.top_down()) {
            const std::int32_t to = original[d - 1];
            if (to == tree.head[d]) continue;
            std::int32_t k = 0;
            const bool found = tree.search_marked(d, marks.data() + begin, [&](std::int32_t word) {
                ++k;
                return word == to;
            });
            if (!found) throw nb::value_error("heads that cannot have been lifted to these");
            result[begin + static_cast<Index>(d - 1)] = k;
            tree.move(d, to);
        }
    });
    return to_numpy(std::move(result));
}

}  // namespace

void bind_lowering(nb::module_& m) {
    m.def("lower_arcs", &lower_arcs);
    m.def("ordinals", &ordinals);
}

}  // namespace arclift
