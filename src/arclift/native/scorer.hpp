// What a decoding loop needs of any learner: scores of rows. Everything here is const and thread-safe.
#pragma once

#include "core.hpp"

namespace arclift {

constexpr std::int32_t kUnknown = 2;

// The same as `mix` of arclift.learners.contract.
inline std::uint32_t mix(std::uint32_t x) {
    x ^= x >> 16;
    x *= 0x7feb352du;
    x ^= x >> 15;
    x *= 0x846ca68bu;
    return x ^ (x >> 16);
}

inline std::int32_t within(std::int32_t id, std::int32_t size) {
    return static_cast<std::uint32_t>(id) < static_cast<std::uint32_t>(size) ? id : kUnknown;
}

class Scorer {
public:
    virtual ~Scorer() = default;
    virtual std::size_t columns() const = 0;
    virtual std::size_t classes() const = 0;
    // rows[n][columns] of any int32, out[n][classes]
    virtual void score(const std::int32_t* rows, std::size_t n, float* out) const = 0;
};

inline auto score_rows(const Scorer& scorer, const Matrix<std::int32_t>& rows) {
    if (rows.shape(1) != scorer.columns()) throw nb::value_error("the rows have another number of columns");
    const std::size_t n = rows.shape(0), classes = scorer.classes();
    std::vector<float> out(n * classes);
    {
        nb::gil_scoped_release release;
        scorer.score(rows.data(), n, out.data());
    }
    return to_numpy(std::move(out), n, classes);
}

// The base class stands behind the learners' own ones, so that a loop can take any of them.
inline void bind_scorer(nb::module_& m) {
    if (!nb::type<Scorer>().is_valid()) nb::class_<Scorer>(m, "_Scorer");
}

template <typename T>
using Mutable = nb::ndarray<T, nb::ndim<1>, nb::c_contig, nb::device::cpu>;
template <typename T>
using MutableMatrix = nb::ndarray<T, nb::ndim<2>, nb::c_contig, nb::device::cpu>;

}  // namespace arclift
