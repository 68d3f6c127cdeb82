// Is it a tree, how deep is it, in which order is it projective. Twins: arclift.trees.structure
#include "trees.hpp"

namespace arclift {
namespace {

enum TreeFlaw : std::uint8_t { kNone, kSeveralRoots, kMissingHead, kOutOfRange, kSelfLoop, kNoRoot, kCycle };

class Validator {
public:
    // heads[0..n) are those of words 1..n.
    TreeFlaw flaw(const std::int32_t* heads, std::int32_t n) {
        std::int32_t roots = 0;
        for (std::int32_t word = 1; word <= n; ++word) {
            const std::int32_t h = heads[word - 1];
            if (h < 0 || h > n) return h == -1 ? kMissingHead : kOutOfRange;
            if (h == word) return kSelfLoop;
            roots += h == 0;
        }
        if (n && !roots) return kNoRoot;
        if (has_cycle(heads, n)) return kCycle;
        return roots > 1 ? kSeveralRoots : kNone;
    }

private:
    // Each word remembers from which start it was first reached: to meet one's own start again is a cycle.
    bool has_cycle(const std::int32_t* heads, std::int32_t n) {
        walk_.assign(static_cast<Index>(n) + 1, 0);
        walk_[0] = -1;
        for (std::int32_t start = 1; start <= n; ++start) {
            std::int32_t word = start;
            while (!walk_[word]) {
                walk_[word] = start;
                word = heads[word - 1];
            }
            if (walk_[word] == start) return true;
        }
        return false;
    }

    std::vector<std::int32_t> walk_;
};

// The nodes of a tree breadth first, from left to right.
class TopDown {
public:
    std::vector<std::int32_t> order;

    void read(const std::int32_t* heads, std::int32_t n, Index sentence) {
        const auto nodes = static_cast<Index>(n) + 1;
        starts_.assign(nodes + 1, 0);
        for (std::int32_t i = 0; i < n; ++i) {
            if (heads[i] < 0 || heads[i] > n) fail(sentence, "a head is out of range");
            ++starts_[heads[i]];
        }
        for (Index node = 1; node < nodes; ++node) starts_[node] += starts_[node - 1];
        starts_[nodes] = n;
        dependents_.resize(nodes);
        for (std::int32_t i = n; i-- > 0;) dependents_[--starts_[heads[i]]] = i + 1;  // each list from its end
        order.clear();
        order.push_back(0);
        for (Index k = 0; k < order.size(); ++k) {
            const std::int32_t node = order[k];
            for (std::int32_t d = starts_[node]; d < starts_[node + 1]; ++d) order.push_back(dependents_[d]);
        }
        if (order.size() != nodes) fail(sentence, "there is a cycle");
    }

private:
    [[noreturn]] static void fail(Index sentence, const char* why) {
        throw_tree_error("sentence " + std::to_string(sentence + 1) + " is not a tree: " + why);
    }

    std::vector<std::int32_t> starts_, dependents_;
};

auto tree_problems(const Ints& heads, const Offsets& offsets) {
    std::vector<std::uint8_t> flaws;
    flaws.reserve(offsets.shape(0));
    Validator validator;
    for_each_span(heads, offsets, [&](const std::int32_t* words, std::int32_t n, Index, Index) {
        flaws.push_back(validator.flaw(words, n));
    });
    return to_numpy(std::move(flaws));
}

auto depths_all(const Ints& heads, const Offsets& offsets) {
    std::vector<std::int32_t> depths(heads.shape(0));
    TopDown tree;
    for_each_span(heads, offsets, [&](const std::int32_t* words, std::int32_t n, Index sentence, Index begin) {
        tree.read(words, n, sentence);
        std::int32_t* depth = depths.data() + begin;
        for (Index k = 1; k < tree.order.size(); ++k) {
            const std::int32_t word = tree.order[k], h = words[word - 1];
            depth[word - 1] = h ? depth[h - 1] + 1 : 1;
        }
    });
    return to_numpy(std::move(depths));
}

auto projective_order_all(const Ints& heads, const Offsets& offsets) {
    std::vector<std::int32_t> places(heads.shape(0));
    std::vector<std::int32_t> size, left_of, left, right;
    TopDown tree;
    for_each_span(heads, offsets, [&](const std::int32_t* words, std::int32_t n, Index sentence, Index begin) {
        tree.read(words, n, sentence);
        const Index nodes = tree.order.size();
        size.assign(nodes, 1);
        left_of.assign(nodes, 0);
        for (Index k = nodes; --k > 0;) {
            const std::int32_t word = tree.order[k], h = words[word - 1];
            size[h] += size[word];
            if (word < h) left_of[h] += size[word];
        }
        left.assign(nodes, 0);
        right.assign(nodes, 1);
        for (Index k = 1; k < nodes; ++k) {
            const std::int32_t word = tree.order[k], h = words[word - 1];
            std::int32_t& next = word < h ? left[h] : right[h];
            const std::int32_t place = next + left_of[word];
            left[word] = next;
            right[word] = place + 1;
            next += size[word];
            places[begin + static_cast<Index>(word) - 1] = place;
        }
    });
    return to_numpy(std::move(places));
}

}  // namespace

void bind_structure(nb::module_& m) {
    m.def("tree_problems", &tree_problems);
    m.def("depths_all", &depths_all);
    m.def("projective_order_all", &projective_order_all);
}

}  // namespace arclift
