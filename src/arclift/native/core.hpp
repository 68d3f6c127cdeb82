// What every loop shares: array types of the Python border, and the registration of each file.
#pragma once

#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>

#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

namespace nb = nanobind;

namespace arclift {

template <typename T>
using Array = nb::ndarray<const T, nb::ndim<1>, nb::c_contig, nb::device::cpu>;
template <typename T>
using Matrix = nb::ndarray<const T, nb::ndim<2>, nb::c_contig, nb::device::cpu>;

using Ints = Array<std::int32_t>;      // heads, label ids
using Offsets = Array<std::int64_t>;   // where each sentence begins, one more than there are sentences

// Hands a vector over to NumPy without copying it.
template <typename T, typename... Extents>
auto to_numpy(std::vector<T>&& values, Extents... extents) {
    auto* kept = new std::vector<T>(std::move(values));
    nb::capsule owner(kept, [](void* p) noexcept { delete static_cast<std::vector<T>*>(p); });
    return nb::ndarray<nb::numpy, T, nb::ndim<sizeof...(Extents)>, nb::c_contig>(
        kept->data(), {static_cast<std::size_t>(extents)...}, owner);
}

template <typename T>
auto to_numpy(std::vector<T>&& values) {
    const std::size_t size = values.size();
    return to_numpy<T>(std::move(values), size);
}

}  // namespace arclift
