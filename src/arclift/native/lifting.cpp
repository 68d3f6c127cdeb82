// PROJECTIVIZE. Twin: arclift.trees.lifting.projectivize
#include "projectivity.hpp"

#include <algorithm>
#include <functional>
#include <queue>

namespace arclift {
namespace {

// Two facts carry the algorithm. (1) Lifting d from h to the head of h takes d and what is below it from h and
// from no other node: only arcs out of h can become non-projective, and only the lifted arc can become projective.
// (2) An arc is tested by the reach of its head (Tree), and the reach of h shrinks to the nearest word below d.
class Lifter {
public:
    Tree tree;

    template <typename OnLift>
    void run(const std::int32_t* heads, std::int32_t n, Index sentence, OnLift on_lift) {
        tree.read(heads, n, sentence);
        above_.resize(static_cast<std::size_t>(n) + 1);
        known_.resize(static_cast<std::size_t>(n) + 1);
        for (std::int32_t d = 1; d <= n; ++d) above_[tree.entry[d]] = tree.entry[tree.head[d]];
        for (std::int32_t d = 1; d <= n; ++d)
            if (!tree.is_projective_arc(tree.head[d], d)) push(d);
        while (!queue_.empty()) {
            const auto d = static_cast<std::int32_t>(queue_.top() & 0xffffffffu);
            queue_.pop();
            ++turn_;
            do lift(d, on_lift);
            while (!tree.is_projective_arc(tree.head[d], d) && (queue_.empty() || key(d) < queue_.top()));
            if (!tree.is_projective_arc(tree.head[d], d)) push(d);
        }
    }

private:
    using Key = std::uint64_t;  // length of the arc, then its dependent: the smallest is lifted first
    std::priority_queue<Key, std::vector<Key>, std::greater<Key>> queue_;

    std::vector<std::int32_t> above_;  // the heads, with preorder numbers for nodes
    std::vector<std::int32_t> trail_;
    std::vector<std::uint64_t> known_;  // for each node: in which turn it was last asked for, and the answer
    std::uint64_t turn_ = 0;            // one turn of the queue

    Key key(std::int32_t d) const {
        return static_cast<Key>(std::abs(tree.head[d] - d)) << 32 | static_cast<std::uint32_t>(d);
    }
    void push(std::int32_t d) { queue_.push(key(d)); }

    template <typename OnLift>
    void lift(std::int32_t d, OnLift& on_lift) {
        const std::int32_t h = tree.head[d];
        on_lift(d, h);
        shrink_right(h, d);
        shrink_left(h, d);
        tree.head[d] = tree.head[h];
        above_[tree.entry[d]] = above_[tree.entry[h]];
    }

    // Is p, a word below h, below its dependent d? Nodes are named by their preorder numbers, which fall on the way
    // up: the climb is over when it reaches or passes d. It can pass d, because heads have moved upwards. While one
    // word is lifted again and again nothing changes below it, so that each answer is kept for all nodes on the way:
    // without that, deep trees would be climbed anew at each of their many lifts.
    bool is_below(std::int32_t p, std::int32_t d) {
        if (!tree.was_below(p, d)) return false;
        const std::int32_t target = tree.entry[d];
        std::int32_t node = tree.entry[p];
        trail_.clear();
        while (node > target && known_[node] >> 1 != turn_) {
            trail_.push_back(node);
            node = above_[node];
        }
        const bool below = node > target ? known_[node] & 1 : node == target;
        for (const std::int32_t passed : trail_) known_[passed] = turn_ << 1 | static_cast<std::uint64_t>(below);
        return below;
    }

    // Every word between h and right[h] is below h, and so is what is between p and right[p] below p: it suffices to
    // ask for one p after the other, among the words that d dominated at first. The dependents of h beyond the first
    // word below d can no longer be reached.
    void shrink_right(std::int32_t h, std::int32_t d) {
        const std::int32_t reach = tree.right[h], end = std::min(reach, tree.high[d] + 1);
        std::int32_t p = std::max(h + 1, tree.low[d]);
        while (p < end && !is_below(p, d)) p = tree.right[p];
        if (p >= end) return;
        tree.right[h] = p;
        for (std::int32_t c = p + 1; c < reach; ++c)
            if (tree.head[c] == h && c != d) push(c);
    }
    void shrink_left(std::int32_t h, std::int32_t d) {
        const std::int32_t reach = tree.left[h], end = std::max(reach, tree.low[d] - 1);
        std::int32_t p = std::min(h - 1, tree.high[d]);
        while (p > end && !is_below(p, d)) p = tree.left[p];
        if (p <= end) return;
        tree.left[h] = p;
        for (std::int32_t c = p - 1; c > reach; --c)
            if (tree.head[c] == h && c != d) push(c);
    }
};

auto projectivize(const Ints& heads, const Offsets& offsets) {
    const std::size_t total = heads.shape(0);
    std::vector<std::int32_t> lifted(heads.data(), heads.data() + total), lifts(total, 0);
    std::vector<std::uint8_t> path(total, 0);
    Lifter lifter;
    for_each_span(heads, offsets, [&](const std::int32_t* words, std::int32_t n, Index sentence, Index begin) {
        check_range(words, n, sentence);
        if (lifter.tree.is_projective(words, n)) return;
        std::int32_t* counts = lifts.data() + begin;
        std::uint8_t* marks = path.data() + begin;
        lifter.run(words, n, sentence, [&](std::int32_t d, std::int32_t h) {
            ++counts[d - 1];
            marks[h - 1] = 1;
        });
        std::copy_n(lifter.tree.head.data() + 1, n, lifted.data() + begin);
    });
    return nb::make_tuple(to_numpy(std::move(lifted)), to_numpy(std::move(lifts)), to_numpy(std::move(path)));
}

}  // namespace

void bind_lifting(nb::module_& m) { m.def("projectivize", &projectivize); }

}  // namespace arclift
