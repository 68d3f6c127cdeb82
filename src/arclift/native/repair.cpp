// Any heads made a tree. Twin: arclift.trees.repair.repair_all
#include "trees.hpp"

#include <cstdlib>

namespace arclift {
namespace {

class Repairer {
public:
    void run(const std::int32_t* heads, std::int32_t n, bool single_root, std::int32_t* repaired) {
        read(heads, n);
        cut_cycles(n);
        const std::int32_t main = main_top(n);
        for (std::int32_t word = 1; word <= n; ++word) {
            const bool attach = head_[word] == kCut || (head_[word] == 0 && single_root);
            repaired[word - 1] = word == main ? 0 : attach ? main : head_[word];
        }
    }

private:
    static constexpr std::int32_t kCut = -1;
    static constexpr std::int32_t kOnWalk = -1;

    void read(const std::int32_t* heads, std::int32_t n) {
        const auto nodes = static_cast<Index>(n) + 1;
        head_.resize(nodes);
        for (std::int32_t word = 1; word <= n; ++word) {
            const std::int32_t h = heads[word - 1];
            head_[word] = h < 0 || h > n ? kCut : h;
        }
        top_.assign(nodes, 0);
        size_.assign(nodes, 0);
    }

    // Goes up from each word to a top or to where an earlier walk passed, and again to note the top it came to.
    void cut_cycles(std::int32_t n) {
        for (std::int32_t start = 1; start <= n; ++start) {
            std::int32_t word = start, length = 0;
            while (!top_[word]) {
                top_[word] = kOnWalk;
                ++length;
                if (head_[word] <= 0) break;
                word = head_[word];
            }
            std::int32_t top = top_[word];
            if (top == kOnWalk) top = head_[word] <= 0 ? word : longest_of_cycle(word);
            size_[top] += length;
            mark(start, length, top);
            if (head_[top] > 0) head_[top] = kCut;
        }
    }

    std::int32_t longest_of_cycle(std::int32_t word) const {
        std::int32_t best = word;
        for (std::int32_t d = head_[word]; d != word; d = head_[d]) {
            const std::int32_t gain = std::abs(head_[d] - d) - std::abs(head_[best] - best);
            if (gain > 0 || (gain == 0 && d < best)) best = d;
        }
        return best;
    }

    void mark(std::int32_t word, std::int32_t length, std::int32_t top) {
        for (; length > 0; --length, word = head_[word]) top_[word] = top;
    }

    std::int32_t main_top(std::int32_t n) const {
        std::int32_t root = 0, cut = 0;
        for (std::int32_t word = 1; word <= n; ++word) {
            if (head_[word] > 0) continue;
            std::int32_t& best = head_[word] == 0 ? root : cut;
            if (!best || size_[word] > size_[best]) best = word;
        }
        return root ? root : cut;
    }

    std::vector<std::int32_t> head_, top_, size_;
};

auto repair_all(const Ints& heads, const Offsets& offsets, bool single_root) {
    std::vector<std::int32_t> repaired(heads.shape(0));
    {
        nb::gil_scoped_release release;
        Repairer repairer;
        for_each_span(heads, offsets, [&](const std::int32_t* words, std::int32_t n, Index, Index begin) {
            repairer.run(words, n, single_root, repaired.data() + begin);
        });
    }
    return to_numpy(std::move(repaired));
}

}  // namespace

void bind_repair(nb::module_& m) {
    m.def("repair_all", &repair_all, nb::arg("heads"), nb::arg("offsets"), nb::kw_only(),
          nb::arg("single_root") = true);
}

}  // namespace arclift
