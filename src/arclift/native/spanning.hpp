// The maximum spanning tree of a matrix of scores. Twin: arclift.trees.spanning, operation by operation
#pragma once

#include "trees.hpp"

#include <algorithm>
#include <limits>

namespace arclift {

inline constexpr double kForbidden = -std::numeric_limits<double>::infinity();

class Contraction {
public:
    Contraction(const double* scores, Index width, bool single_root)
        : width_(width), first_head_(single_root ? 1 : 0), into_(width * width), enters_(width * width) {
        transpose(scores);
        for (Index node = 0; node < width_; ++node) {
            std::fill_n(enters_.begin() + static_cast<std::ptrdiff_t>(node * width_), width_, node_id(node));
            add_node(node);
            owner_.push_back(node_id(node));
        }
        done_[0] = true;
    }

    bool run() {
        for (Index word = 1; word < width_; ++word)
            if (!done_[owner_[word]] && !grow(owner_[word])) return false;
        return true;
    }

    // From the outermost nodes inwards: the arc into a node is also the one into all that hold its word.
    std::vector<std::int32_t> heads() const {
        std::vector<std::int32_t> heads(width_ - 1);
        std::vector<bool> settled(row_.size());
        for (Index node = row_.size(); --node > 0;) {
            if (settled[node]) continue;
            heads[static_cast<Index>(word_[node]) - 1] = head_[node];
            for (std::int32_t inner = word_[node]; inner && !settled[inner]; inner = outer_[inner])
                settled[inner] = true;
        }
        return heads;
    }

private:
    static std::int32_t node_id(Index node) { return static_cast<std::int32_t>(node); }
    double* into(std::int32_t node) { return into_.data() + row_[node] * width_; }
    std::int32_t* enters(std::int32_t node) { return enters_.data() + row_[node] * width_; }
    double chosen(std::int32_t node) { return into(node)[head_[node]]; }

    // In tiles, so that neither side is read or written far from where it just was.
    void transpose(const double* scores) {
        constexpr Index tile = 32;
        for (Index i = 0; i < width_; i += tile)
            for (Index j = 0; j < width_; j += tile)
                for (Index h = i; h < std::min(i + tile, width_); ++h)
                    for (Index d = j; d < std::min(j + tile, width_); ++d)
                        into_[d * width_ + h] = scores[h * width_ + d];
    }

    void add_node(Index row) {
        row_.push_back(row);
        outer_.push_back(0);
        head_.push_back(0);
        word_.push_back(0);
        done_.push_back(false);
        place_.push_back(-1);
    }

    // Lengthens a path backwards until it comes to a node that is done; false if it cannot.
    bool grow(std::int32_t start) {
        path_.assign(1, start);
        place_[start] = 0;
        while (true) {
            const std::int32_t end = path_.back(), h = best_head(into(end));
            if (h < 0) return false;
            head_[end] = h;
            word_[end] = enters(end)[h];
            const std::int32_t node = owner_[h];
            if (done_[node]) {
                for (const std::int32_t passed : path_) done_[passed] = true;
                return true;
            }
            if (place_[node] >= 0) contract(static_cast<Index>(place_[node]));
            else append(node);
        }
    }

    void append(std::int32_t node) {
        place_[node] = node_id(path_.size());
        path_.push_back(node);
    }

    std::int32_t best_head(const double* worth) {
        Index h = first_head_;
        for (Index k = h + 1; k < width_; ++k)
            if (worth[k] > worth[h]) h = k;
        if (worth[h] == kForbidden) {
            h = 0;
            ++roots_;
        }
        return worth[h] > kForbidden && roots_ <= 1 ? node_id(h) : -1;
    }

    // Joins the nodes of the path from `begin` on; the row of the first becomes that of the new node.
    void contract(Index begin) {
        const std::int32_t kept = path_[begin], joined = node_id(row_.size());
        double* best = into(kept);
        std::int32_t* entered = enters(kept);
        const double own = chosen(kept);
        for (Index h = 0; h < width_; ++h) best[h] -= own;
        for (Index k = begin + 1; k < path_.size(); ++k) {
            const double* worth = into(path_[k]);
            const std::int32_t* words = enters(path_[k]);
            const double lost = chosen(path_[k]);
            for (Index h = 0; h < width_; ++h) {
                const double gain = worth[h] - lost;
                if (gain > best[h]) {
                    best[h] = gain;
                    entered[h] = words[h];
                }
            }
        }
        add_node(row_[kept]);
        for (Index k = begin; k < path_.size(); ++k) outer_[path_[k]] = joined;
        for (Index word = 1; word < width_; ++word) {
            if (outer_[owner_[word]] != joined) continue;
            owner_[word] = joined;
            best[word] = kForbidden;
        }
        path_.resize(begin);
        append(joined);
    }

    Index width_, first_head_;
    std::int32_t roots_ = 0;
    std::vector<double> into_;          // into_[row of a node][h]: what the best arc from h into the node is worth
    std::vector<std::int32_t> enters_;  // ... and which word it enters
    std::vector<Index> row_;            // of each node: 0, the words, then each contracted cycle
    std::vector<std::int32_t> owner_;   // the outermost node that holds each word
    std::vector<std::int32_t> outer_;   // the cycle that holds each node, 0 if it is outermost
    std::vector<std::int32_t> head_, word_;  // the arc chosen into each node
    std::vector<bool> done_;
    std::vector<std::int32_t> place_, path_;  // where each node stands on the path, -1 if nowhere
};

}  // namespace arclift
