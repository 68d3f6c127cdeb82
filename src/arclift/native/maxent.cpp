// Maximum entropy by FTRL-Proximal. Twin: arclift.learners.maxent
#include "sparse.hpp"

#include <nanobind/stl/tuple.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <tuple>

namespace arclift {
namespace {

constexpr float kNegligible = 1e-4f;

struct Move {
    std::size_t place;
    float gradient;
};

double maxent_update(const MutableMatrix<float>& weights, const MutableMatrix<float>& pulls, const MutableMatrix<float>& squares,
                     const Ints& sizes, const Ints& columns, const Ints& starts, const Matrix<std::int32_t>& rows,
                     const Matrix<std::uint8_t>& right, const Matrix<std::uint8_t>& permitted,
                     std::tuple<double, double, double> by) {
    const std::size_t classes = weights.shape(1), n = rows.shape(0);
    const Features features(sizes, columns, starts, weights.shape(0));
    for (const auto* each : {&pulls, &squares})
        if (each->shape(0) != weights.shape(0) || each->shape(1) != classes) throw nb::value_error("weights and their state differ in shape");
    if (rows.shape(1) != features.width()) throw nb::value_error("the rows have another number of columns");
    if (right.shape(0) != n || permitted.shape(0) != n || right.shape(1) != classes || permitted.shape(1) != classes)
        throw nb::value_error("the sets have another shape");
    const auto step = static_cast<float>(std::get<0>(by)), l1 = static_cast<float>(std::get<1>(by)), l2 = static_cast<float>(std::get<2>(by));
    nb::gil_scoped_release release;
    std::vector<std::uint32_t> slots(features.count());
    std::vector<float> scores(classes);
    std::vector<Move> moves;
    double loss = 0;
    for (std::size_t i = 0; i < n; ++i) {
        const std::uint8_t* may = permitted.data() + i * classes;
        const std::uint8_t* good = right.data() + i * classes;
        features.slots(rows.data() + i * features.width(), slots.data());
        std::fill(scores.begin(), scores.end(), 0.0f);
        for (const std::uint32_t slot : slots) {
            const float* row = weights.data() + std::size_t{slot} * classes;
            for (std::size_t c = 0; c < classes; ++c) scores[c] += row[c];
        }
        float most = -std::numeric_limits<float>::infinity();
        bool any = false;
        for (std::size_t c = 0; c < classes; ++c) {
            if (may[c]) most = std::max(most, scores[c]);
            any = any || (may[c] && good[c]);
        }
        if (!any) continue;
        float all = 0, of_good = 0;
        for (std::size_t c = 0; c < classes; ++c) {
            scores[c] = may[c] ? std::exp(scores[c] - most) : 0.0f;
            all += scores[c];
            if (good[c]) of_good += scores[c];
        }
        loss -= std::log(static_cast<double>(of_good) / static_cast<double>(all));
        moves.clear();
        for (std::size_t c = 0; c < classes; ++c) {
            const float gradient = scores[c] / all - (good[c] ? scores[c] / of_good : 0.0f);
            if (std::abs(gradient) > kNegligible) moves.push_back({c, gradient});
        }
        for (const std::uint32_t slot : slots) {
            const std::size_t row = std::size_t{slot} * classes;
            for (const auto& [c, g] : moves) {
                float &w = weights.data()[row + c], &z = pulls.data()[row + c], &squared = squares.data()[row + c];
                const float grown = squared + g * g, root = std::sqrt(grown);
                z += g - (root - std::sqrt(squared)) / step * w;
                squared = grown;
                const float beyond = std::max(std::abs(z) - l1, 0.0f);
                w = -std::copysign(beyond, z) / ((1 + root) / step + l2);
            }
        }
    }
    return loss;
}

}  // namespace

void bind_maxent(nb::module_& m) { m.def("maxent_update", &maxent_update); }

}  // namespace arclift
