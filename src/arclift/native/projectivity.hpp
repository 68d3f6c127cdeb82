// Which arcs are projective, shared by the loops that test and lift them.
#pragma once

#include "trees.hpp"

#include <algorithm>

namespace arclift {

// Leaves it to Python to say what is wrong: TreeError.
[[noreturn]] inline void refuse(const std::int32_t* heads, std::int32_t n, Index sentence) {
    nb::list words;
    for (std::int32_t i = 0; i < n; ++i) words.append(heads[i]);
    nb::module_::import_("arclift.trees.projectivity").attr("refuse")(sentence, words);
    throw nb::value_error("the heads are not a tree");
}

inline void check_range(const std::int32_t* heads, std::int32_t n, Index sentence) {
    bool inside = true;  // no early exit, so that the loop is vectorized
    for (std::int32_t i = 0; i < n; ++i) inside &= heads[i] >= 0 && heads[i] <= n;
    if (!inside) refuse(heads, n, sentence);
}

// The tree of one sentence: head[1..n], and for every node the nearest words that it does not dominate.
// An arc from h to d is projective iff left[h] < d < right[h].
class Tree {
public:
    std::vector<std::int32_t> head, left, right;
    std::vector<std::int32_t> entry, size;  // d is at or below h iff entry[h] <= entry[d] < entry[h] + size[h]
    std::vector<std::int32_t> low, high;    // the first and the last word at or below each node

    // True iff the heads, which are in range, are a projective tree. One pass: a word leaves the stack when it has its
    // head and all its dependents; the heads are a projective tree iff everything can leave.
    bool is_projective(const std::int32_t* heads, std::int32_t n) {
        awaited_.assign(static_cast<std::size_t>(n) + 1, 0);
        for (std::int32_t i = 1; i <= n; ++i) awaited_[heads[i - 1]] += heads[i - 1] < i;
        stack_.resize(static_cast<std::size_t>(n) + 1);
        std::int32_t top = 0;  // stack_[0] is the root
        stack_[0] = 0;
        for (std::int32_t i = 1; i <= n; ++i) {
            const std::int32_t h = heads[i - 1];
            for (; top && !awaited_[stack_[top]]; --top) {
                const std::int32_t word = stack_[top];
                if (heads[word - 1] >= word && heads[word - 1] != i) break;
            }
            if (h < i) {
                if (stack_[top] != h) return false;
                --awaited_[h];
            }
            stack_[++top] = i;
        }
        while (top && !awaited_[stack_[top]] && heads[stack_[top] - 1] < stack_[top]) --top;
        return top == 0;
    }

    // Reads a tree; the heads are in range. Throws on a cycle.
    void read(const std::int32_t* heads, std::int32_t n, Index sentence) {
        const auto nodes = static_cast<std::size_t>(n) + 1;
        head.assign(1, -1);
        head.insert(head.end(), heads, heads + n);
        number(n, sentence);
        left.resize(nodes);
        right.resize(nodes);
        measure_reach(n);
    }

    // Throws unless the heads are a tree.
    void check(const std::int32_t* heads, std::int32_t n, Index sentence) {
        check_range(heads, n, sentence);
        if (is_projective(heads, n)) return;
        head.assign(1, -1);
        head.insert(head.end(), heads, heads + n);
        number(n, sentence);
    }

    bool was_below(std::int32_t d, std::int32_t h) const {
        return static_cast<std::uint32_t>(entry[d] - entry[h]) < static_cast<std::uint32_t>(size[h]);
    }
    bool is_projective_arc(std::int32_t h, std::int32_t d) const { return left[h] < d && d < right[h]; }

private:
    std::vector<std::int32_t> awaited_, stack_;

    // Sizes from the leaves up, then preorder numbers from the root down, without child lists.
    void number(std::int32_t n, Index sentence) {
        const auto nodes = static_cast<std::size_t>(n) + 1;
        size.assign(nodes, 1);
        low.resize(nodes);
        high.resize(nodes);
        for (std::int32_t i = 0; i <= n; ++i) low[i] = high[i] = i;
        awaited_.assign(nodes, 0);
        for (std::int32_t i = 1; i <= n; ++i) ++awaited_[head[i]];
        stack_.clear();
        for (std::int32_t i = 1; i <= n; ++i)
            if (!awaited_[i]) stack_.push_back(i);
        for (std::size_t k = 0; k < stack_.size(); ++k) {
            const std::int32_t i = stack_[k], h = head[i];
            size[h] += size[i];
            low[h] = std::min(low[h], low[i]);
            high[h] = std::max(high[h], high[i]);
            if (--awaited_[h] == 0 && h) stack_.push_back(h);
        }
        if (stack_.size() != static_cast<std::size_t>(n)) refuse(head.data() + 1, n, sentence);
        entry.resize(nodes);
        awaited_[0] = 1;  // from here on: the number of the next dependent
        entry[0] = 0;
        for (std::size_t k = stack_.size(); k-- > 0;) {
            const std::int32_t i = stack_[k];
            entry[i] = awaited_[head[i]];
            awaited_[head[i]] += size[i];
            awaited_[i] = entry[i] + 1;
        }
    }

    // right[h] is found by jumps: while p is below h, so is everything before right[p]. A position is jumped from
    // once only: afterwards it lies strictly inside what h reaches, and no later walk (from a smaller h) stops there,
    // because a walk that came over h would go on from h or from a node that reaches further. So this is linear.
    void measure_reach(std::int32_t n) {
        for (std::int32_t h = n; h >= 1; --h) {
            std::int32_t p = h + 1;
            while (p <= n && was_below(p, h)) p = right[p];
            right[h] = p;
        }
        for (std::int32_t h = 1; h <= n; ++h) {
            std::int32_t p = h - 1;
            while (p >= 1 && was_below(p, h)) p = left[p];
            left[h] = p;
        }
        left[0] = -1;
        right[0] = n + 1;
    }
};

}  // namespace arclift
