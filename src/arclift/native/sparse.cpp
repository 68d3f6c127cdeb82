// Scores by sparse linear models with whole numbers for weights. Twin: arclift.learners.sparse
#include "sparse.hpp"

namespace arclift {

namespace {

class SparseScorer final : public Scorer {
public:
    SparseScorer(const Matrix<std::int32_t>& weights, const Ints& sizes, const Ints& columns, const Ints& starts,
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

void bind_sparse(nb::module_& m) {
    bind_scorer(m);
    nb::class_<SparseScorer, Scorer>(m, "SparseScorer")
        .def(nb::init<const Matrix<std::int32_t>&, const Ints&, const Ints&, const Ints&, double>())
        .def("scores", [](const SparseScorer& s, const Matrix<std::int32_t>& rows) { return score_rows(s, rows); });
}

}  // namespace arclift
