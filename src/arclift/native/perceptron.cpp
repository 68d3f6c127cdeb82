// The averaged perceptron over hashed conjunctions. Twins: arclift.learners.perceptron
#include "scorer.hpp"

#include <limits>

namespace arclift {
namespace {

// Maps a row to the slots of its features.
class Features {
public:
    Features(const Ints& sizes, const Ints& columns, const Ints& starts, std::size_t slots)
        : sizes_(sizes.data(), sizes.data() + sizes.size()),
          columns_(columns.data(), columns.data() + columns.size()),
          starts_(starts.data(), starts.data() + starts.size()),
          mask_(static_cast<std::uint32_t>(slots - 1)) {
        if (slots == 0 || (slots & (slots - 1)) || slots > (std::size_t{1} << 31))
            throw nb::value_error("the table's height is not a power of two");
        if (starts_.empty() || starts_.front() != 0 || static_cast<std::size_t>(starts_.back()) != columns_.size())
            throw nb::value_error("starts do not span the columns");
        for (std::size_t t = 0; t + 1 < starts_.size(); ++t)
            if (starts_[t] > starts_[t + 1]) throw nb::value_error("starts must not decrease");
        for (const std::int32_t c : columns_)
            if (c < 0 || static_cast<std::size_t>(c) >= sizes_.size()) throw nb::value_error("no such column");
    }

    std::size_t width() const { return sizes_.size(); }
    std::size_t count() const { return starts_.size() - 1; }

    void slots(const std::int32_t* row, std::uint32_t* out) const {
        for (std::size_t t = 0; t < count(); ++t) {
            std::uint32_t feature = mix(static_cast<std::uint32_t>(t + 1));
            for (std::int32_t k = starts_[t]; k < starts_[t + 1]; ++k) {
                const std::int32_t c = columns_[k];
                feature = mix(feature ^ static_cast<std::uint32_t>(within(row[c], sizes_[c])));
            }
            out[t] = feature & mask_;
        }
    }

private:
    std::vector<std::int32_t> sizes_, columns_, starts_;
    std::uint32_t mask_;
};

// Sums of weights that no training reaches, but a file may hold, wrap around as those of NumPy do.
void add_rows(const std::int32_t* weights, std::size_t classes, const std::vector<std::uint32_t>& slots,
              std::int32_t* sums) {
    for (std::size_t c = 0; c < classes; ++c) sums[c] = 0;
    for (const std::uint32_t slot : slots) {
        const std::int32_t* row = weights + std::size_t{slot} * classes;
        for (std::size_t c = 0; c < classes; ++c)
            sums[c] = static_cast<std::int32_t>(static_cast<std::uint32_t>(sums[c]) + static_cast<std::uint32_t>(row[c]));
    }
}

// The best of the classes that `may` admits, the first among equals; -1 if there is none.
template <typename May>
std::int64_t best_class(const std::vector<std::int32_t>& sums, May may) {
    std::int64_t best = -1;
    for (std::size_t c = 0; c < sums.size(); ++c)
        if (may(c) && (best < 0 || sums[c] > sums[static_cast<std::size_t>(best)]))
            best = static_cast<std::int64_t>(c);
    return best;
}

std::int64_t perceptron_update(const MutableMatrix<std::int32_t>& weights, const MutableMatrix<std::int64_t>& totals,
                               const Ints& sizes, const Ints& columns, const Ints& starts,
                               const Matrix<std::int32_t>& rows, const Matrix<std::uint8_t>& right,
                               const Matrix<std::uint8_t>& permitted, std::int64_t clock) {
    const std::size_t classes = weights.shape(1), n = rows.shape(0);
    const Features features(sizes, columns, starts, weights.shape(0));
    if (totals.shape(0) != weights.shape(0) || totals.shape(1) != classes)
        throw nb::value_error("weights and totals differ in shape");
    if (rows.shape(1) != features.width()) throw nb::value_error("the rows have another number of columns");
    if (right.shape(0) != n || permitted.shape(0) != n || right.shape(1) != classes || permitted.shape(1) != classes)
        throw nb::value_error("the sets have another shape");
    std::vector<std::uint32_t> slots(features.count());
    std::vector<std::int32_t> sums(classes);
    std::int64_t mistakes = 0;
    for (std::size_t i = 0; i < n; ++i) {
        const std::uint8_t* may = permitted.data() + i * classes;
        const std::uint8_t* good = right.data() + i * classes;
        features.slots(rows.data() + i * features.width(), slots.data());
        add_rows(weights.data(), classes, slots, sums.data());
        const std::int64_t best = best_class(sums, [&](std::size_t c) { return may[c] && good[c]; });
        if (best < 0) continue;
        const std::int64_t guess = best_class(sums, [&](std::size_t c) { return may[c] != 0; });
        if (good[guess]) continue;
        ++mistakes;
        const std::int64_t now = clock + static_cast<std::int64_t>(i) + 1;
        for (const std::uint32_t slot : slots) {
            const std::size_t row = std::size_t{slot} * classes;
            weights.data()[row + static_cast<std::size_t>(best)] += 1;
            totals.data()[row + static_cast<std::size_t>(best)] += now;
            weights.data()[row + static_cast<std::size_t>(guess)] -= 1;
            totals.data()[row + static_cast<std::size_t>(guess)] -= now;
        }
    }
    return mistakes;
}

class PerceptronScorer final : public Scorer {
public:
    PerceptronScorer(const Matrix<std::int32_t>& weights, const Ints& sizes, const Ints& columns, const Ints& starts,
                     double scale)
        : weights_(weights), features_(sizes, columns, starts, weights.shape(0)), scale_(static_cast<float>(scale)) {}

    std::size_t columns() const override { return features_.width(); }
    std::size_t classes() const override { return weights_.shape(1); }

    void score(const std::int32_t* rows, std::size_t n, float* out) const override {
        std::vector<std::uint32_t> slots(features_.count());
        std::vector<std::int32_t> sums(classes());
        for (std::size_t i = 0; i < n; ++i) {
            features_.slots(rows + i * columns(), slots.data());
            add_rows(weights_.data(), classes(), slots, sums.data());
            for (std::size_t c = 0; c < sums.size(); ++c)
                out[i * sums.size() + c] = static_cast<float>(sums[c]) * scale_;
        }
    }

private:
    Matrix<std::int32_t> weights_;  // shared with Python, kept alive by this
    Features features_;
    float scale_;
};

}  // namespace

void bind_perceptron(nb::module_& m) {
    bind_scorer(m);
    m.def("perceptron_update", &perceptron_update);
    nb::class_<PerceptronScorer, Scorer>(m, "PerceptronScorer")
        .def(nb::init<const Matrix<std::int32_t>&, const Ints&, const Ints&, const Ints&, double>())
        .def("scores", [](const PerceptronScorer& s, const Matrix<std::int32_t>& rows) { return score_rows(s, rows); });
}

}  // namespace arclift
