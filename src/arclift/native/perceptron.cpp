// The averaged perceptron over hashed conjunctions. Twins: arclift.learners.perceptron
#include "sparse.hpp"

#include <limits>

namespace arclift {
namespace {

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

}  // namespace

void bind_perceptron(nb::module_& m) {
    m.def("perceptron_update", &perceptron_update);
}

}  // namespace arclift
