// Maximum projective trees. Twin: arclift.trees.eisner.eisner_heads
#include "trees.hpp"

#include <algorithm>
#include <limits>
#include <utility>

namespace arclift {
namespace {

constexpr double kNone = -std::numeric_limits<double>::infinity();

// The greatest a[k] + b[k]. Four lanes, which the compiler turns into vector maxima: a single running maximum
// would wait for itself at every step.
double greatest_sum(const double* a, const double* b, Index count) {
    double best[4] = {kNone, kNone, kNone, kNone};
    Index k = 0;
    for (; k + 4 <= count; k += 4)
        for (Index lane = 0; lane < 4; ++lane) {
            const double sum = a[k + lane] + b[k + lane];
            best[lane] = sum > best[lane] ? sum : best[lane];
        }
    for (; k < count; ++k) best[0] = std::max(best[0], a[k] + b[k]);
    return std::max(std::max(best[0], best[1]), std::max(best[2], best[3]));
}

// The first k that gives it.
Index first_greatest(const double* a, const double* b, Index count) {
    Index best = 0;
    for (Index k = 1; k < count; ++k)
        if (a[k] + b[k] > a[best] + b[best]) best = k;
    return best;
}

class Eisner {
public:
    Eisner(const double* scores, Index width)
        : scores_(scores), width_(width), complete_(width * width, kNone), mirrored_(width * width, kNone),
          incomplete_(width * width, kNone) {
        for (Index word = 0; word < width_; ++word) set_complete(word, word, 0.0);
        for (Index j = 2; j < width_; ++j)
            for (Index i = j - 1; i > 0; --i) fill(i, j);
    }

    bool run(bool single_root, std::vector<std::int32_t>& heads) {
        std::vector<double> forest(width_, kNone), topped(width_, kNone);
        forest[0] = 0.0;
        for (Index r = 1; r < width_; ++r) {
            topped[r] = scores_[r] + greatest_sum(&forest[0], complete(r) + 1, r);
            if (!single_root) forest[r] = greatest_sum(&topped[1], mirrored(r) + 1, r);
        }
        for (Index last = width_ - 1; last > 0;) {
            const Index r = 1 + first_greatest(&topped[1], mirrored(last) + 1, last);
            if (!(topped[r] + mirrored(last)[r] > kNone)) return false;
            const Index q = first_greatest(&forest[0], complete(r) + 1, r);
            read_off(r, last, heads);
            read_off(r, q + 1, heads);
            last = q;
        }
        return true;
    }

private:
    const double* complete(Index top) const { return complete_.data() + top * width_; }
    const double* mirrored(Index end) const { return mirrored_.data() + end * width_; }
    const double* incomplete(Index head) const { return incomplete_.data() + head * width_; }
    void set_complete(Index top, Index end, double score) {
        complete_[top * width_ + end] = score;
        mirrored_[end * width_ + top] = score;
    }

    void fill(Index i, Index j) {
        const Index width = j - i;
        const double inner = greatest_sum(complete(i) + i, complete(j) + i + 1, width);
        incomplete_[i * width_ + j] = inner + scores_[i * width_ + j];
        incomplete_[j * width_ + i] = inner + scores_[j * width_ + i];
        set_complete(i, j, greatest_sum(incomplete(i) + i + 1, mirrored(j) + i + 1, width));
        set_complete(j, i, greatest_sum(incomplete(j) + i, mirrored(i) + i, width));
    }

    void read_off(Index top, Index end, std::vector<std::int32_t>& heads) {
        spans_.assign(1, {top, end});
        while (!spans_.empty()) {
            const auto [h, m] = spans_.back();
            spans_.pop_back();
            if (h == m) continue;
            const Index first = h < m ? h + 1 : m, width = h < m ? m - h : h - m;
            const Index d = first + first_greatest(incomplete(h) + first, mirrored(m) + first, width);
            heads[d - 1] = static_cast<std::int32_t>(h);
            const Index i = std::min(h, d), j = std::max(h, d);
            const Index q = i + first_greatest(complete(i) + i, complete(j) + i + 1, j - i);
            spans_.insert(spans_.end(), {{d, m}, {i, q}, {j, q + 1}});
        }
    }

    const double* scores_;
    Index width_;
    std::vector<double> complete_;    // C[top, end]
    std::vector<double> mirrored_;    // the same as [end, top], so that every maximum runs along rows
    std::vector<double> incomplete_;  // I[head, dependent]
    std::vector<std::pair<Index, Index>> spans_;
};

nb::object eisner_heads(const Matrix<double>& scores, bool single_root) {
    const Index width = scores.shape(0);
    if (width == 0 || width != scores.shape(1)) throw nb::value_error("scores must be a square matrix");
    if (width > 1'000'000) throw nb::value_error("too many words for a full matrix of scores");
    std::vector<std::int32_t> heads(width - 1);
    if (!Eisner(scores.data(), width).run(single_root, heads)) return nb::none();
    return nb::cast(to_numpy(std::move(heads)));
}

}  // namespace

void bind_eisner(nb::module_& m) { m.def("eisner_heads", &eisner_heads, nb::arg("scores"), nb::arg("single_root")); }

}  // namespace arclift
