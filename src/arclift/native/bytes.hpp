// Products of bytes: exact sums, the same on every machine; only the order of the weights in memory differs.
#pragma once

#include "cpu.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <vector>

#ifdef _MSC_VER
#define ARCLIFT_INLINE __forceinline
#else
#define ARCLIFT_INLINE inline __attribute__((always_inline))
#endif

// Loops over registers must be gone before registers are dealt out.
#if defined(__GNUC__) && !defined(__clang__)
#define ARCLIFT_UNROLL _Pragma("GCC unroll 16")
#else
#define ARCLIFT_UNROLL
#endif

namespace arclift {

using Size = std::size_t;
using Byte = std::int8_t;
using UByte = std::uint8_t;

constexpr Size padded(Size n) { return (n + 15) / 16 * 16; }

// Room that begins a cache line and keeps its size.
template <typename T>
class Aligned {
public:
    T* room(Size n) {
        if (kept_.size() < n + 64 / sizeof(T)) kept_.resize(n + n / 4 + 64 / sizeof(T));
        return begin();
    }
    T* begin() { return kept_.data() + (64 - reinterpret_cast<std::uintptr_t>(kept_.data()) % 64) % 64 / sizeof(T); }
    const T* begin() const { return const_cast<Aligned*>(this)->begin(); }

private:
    std::vector<T> kept_;
};

namespace bytes {

// y[r][j] = start[j] + the sum over i of x[r][i] w[i][j]. Rows of x are `stride` bytes apart, those of y
// `outputs`, a multiple of 16; those of `start` are `from` apart: 0, where all begin with the same sums, or
// `outputs`, where `start` may be `y`. Weights of four inputs (VNNI, AMX) or of two (as 16-bit integers) stand
// side by side.

#if ARCLIFT_X86
template <int R, int V>
ARCLIFT_TARGET("avx512f,avx512bw,avx512vnni")
inline void block_vnni(const UByte* x, Size stride, Size fours, const Byte* w, Size outputs, const std::int32_t* start,
                       Size from, std::int32_t* y) {
    __m512i sums[R][V];
    ARCLIFT_UNROLL
    for (int r = 0; r < R; ++r) {
        ARCLIFT_UNROLL
        for (int v = 0; v < V; ++v) sums[r][v] = _mm512_loadu_si512(start + static_cast<Size>(r) * from + 16 * v);
    }
    for (Size k = 0; k < fours; ++k, w += 4 * outputs) {
        __m512i some[R];
        ARCLIFT_UNROLL
        for (int r = 0; r < R; ++r) {
            std::int32_t four;
            std::memcpy(&four, x + static_cast<Size>(r) * stride + 4 * k, sizeof four);
            some[r] = _mm512_set1_epi32(four);
        }
        ARCLIFT_UNROLL
        for (int v = 0; v < V; ++v) {
            const __m512i weights = _mm512_loadu_si512(w + 64 * v);
            ARCLIFT_UNROLL
            for (int r = 0; r < R; ++r) sums[r][v] = _mm512_dpbusd_epi32(sums[r][v], some[r], weights);
        }
    }
    ARCLIFT_UNROLL
    for (int r = 0; r < R; ++r) {
        ARCLIFT_UNROLL
        for (int v = 0; v < V; ++v) _mm512_storeu_si512(y + static_cast<Size>(r) * outputs + 16 * v, sums[r][v]);
    }
}

// 16 * V outputs of all rows: their weights stay in the first-level cache meanwhile.
template <int V>
ARCLIFT_TARGET("avx512f,avx512bw,avx512vnni")
inline void slab_vnni(const UByte* x, Size stride, Size rows, Size fours, const Byte* w, Size outputs,
                      const std::int32_t* start, Size from, std::int32_t* y) {
    Size r = 0;
    for (; r + 4 <= rows; r += 4)
        block_vnni<4, V>(x + r * stride, stride, fours, w, outputs, start + r * from, from, y + r * outputs);
    for (; r < rows; ++r)
        block_vnni<1, V>(x + r * stride, stride, fours, w, outputs, start + r * from, from, y + r * outputs);
}

inline void multiply_vnni(const UByte* x, Size stride, Size rows, Size fours, const Byte* w, Size outputs,
                          const std::int32_t* start, Size from, std::int32_t* y) {
    constexpr decltype(&slab_vnni<1>) slabs[] = {slab_vnni<1>, slab_vnni<2>, slab_vnni<3>, slab_vnni<4>, slab_vnni<5>, slab_vnni<6>};
    Size j = 0;
    if (rows == 1)  // one row alone: as many sums at once as there are registers
        for (; j + 192 <= outputs; j += 192) block_vnni<1, 12>(x, stride, fours, w + 4 * j, outputs, start + j, from, y + j);
    while (j < outputs) {
        const Size vectors = std::min<Size>((outputs - j) / 16, 6);
        slabs[vectors - 1](x, stride, rows, fours, w + 4 * j, outputs, start + j, from, y + j);
        j += 16 * vectors;
    }
}

#if ARCLIFT_AMX
// Tiles: 0 to 3 hold sums of two times two tiles, 4 and 5 rows of x, 6 and 7 weights.
struct alignas(64) TileShape {
    UByte palette = 1, first_row = 0, reserved[14] = {};
    std::uint16_t row_bytes[16] = {64, 64, 64, 64, 64, 64, 64, 64};
    UByte rows[16] = {16, 16, 16, 16, 16, 16, 16, 16};
};

ARCLIFT_TARGET("amx-tile,amx-int8")
inline void shape_tiles(Size upper, Size lower) {
    TileShape shape;
    shape.rows[0] = shape.rows[1] = shape.rows[4] = static_cast<UByte>(upper);
    shape.rows[2] = shape.rows[3] = shape.rows[5] = static_cast<UByte>(std::max<Size>(lower, 1));
    __asm__ volatile("" : : "r"(&shape) : "memory");  // some compilers think that only its first bytes are read
    _tile_loadconfig(&shape);
}

ARCLIFT_TARGET("amx-tile,amx-int8")
inline void close_tiles() { _tile_release(); }

// Up to 16 rows (17 to 32, if `kLower`) by 16 outputs (32, if `kWide`); `inputs` is a multiple of 64.
template <bool kLower, bool kWide>
ARCLIFT_TARGET("amx-tile,amx-int8")
inline void block_amx(const UByte* x, Size stride, Size inputs, const Byte* w, Size outputs, const std::int32_t* start,
                      Size from, std::int32_t* y) {
    const Size start_row = 4 * from, row = 4 * outputs;
    _tile_loadd(0, start, start_row);
    if constexpr (kWide) _tile_loadd(1, start + 16, start_row);
    if constexpr (kLower) _tile_loadd(2, start + 16 * from, start_row);
    if constexpr (kLower && kWide) _tile_loadd(3, start + 16 * from + 16, start_row);
    for (Size i = 0; i < inputs; i += 64) {
        _tile_loadd(4, x + i, stride);
        _tile_loadd(6, w + i * outputs, row);
        _tile_dpbusd(0, 4, 6);
        if constexpr (kWide) {
            _tile_loadd(7, w + i * outputs + 64, row);
            _tile_dpbusd(1, 4, 7);
        }
        if constexpr (kLower) {
            _tile_loadd(5, x + 16 * stride + i, stride);
            _tile_dpbusd(2, 5, 6);
            if constexpr (kWide) _tile_dpbusd(3, 5, 7);
        }
    }
    _tile_stored(0, y, row);
    if constexpr (kWide) _tile_stored(1, y + 16, row);
    if constexpr (kLower) _tile_stored(2, y + 16 * outputs, row);
    if constexpr (kLower && kWide) _tile_stored(3, y + 16 * outputs + 16, row);
}

template <bool kLower>
ARCLIFT_TARGET("amx-tile,amx-int8")
inline void row_of_blocks_amx(const UByte* x, Size stride, Size inputs, const Byte* w, Size outputs,
                              const std::int32_t* start, Size from, std::int32_t* y) {
    Size j = 0;
    for (; j + 32 <= outputs; j += 32)
        block_amx<kLower, true>(x, stride, inputs, w + 4 * j, outputs, start + j, from, y + j);
    if (j < outputs) block_amx<kLower, false>(x, stride, inputs, w + 4 * j, outputs, start + j, from, y + j);
}

inline void multiply_amx(const UByte* x, Size stride, Size rows, Size inputs, const Byte* w, Size outputs,
                         const std::int32_t* start, Size from, std::int32_t* y) {
    shape_tiles(16, 16);
    Size r = 0;
    for (; r + 32 <= rows; r += 32)
        row_of_blocks_amx<true>(x + r * stride, stride, inputs, w, outputs, start + r * from, from, y + r * outputs);
    const Size left = rows - r;
    if (!left) return;
    shape_tiles(std::min<Size>(left, 16), left > 16 ? left - 16 : 0);
    const auto block = left > 16 ? row_of_blocks_amx<true> : row_of_blocks_amx<false>;
    block(x + r * stride, stride, inputs, w, outputs, start + r * from, from, y + r * outputs);
}
#endif
#endif

ARCLIFT_INLINE void multiply_loops(const UByte* x, Size stride, Size rows, Size pairs, const std::int16_t* w, Size outputs,
                                   const std::int32_t* start, Size from, std::int32_t* y) {
    for (Size r = 0; r < rows; ++r, x += stride, y += outputs, start += from) {
        if (start != y) std::copy(start, start + outputs, y);
        const std::int16_t* pair = w;
        for (Size p = 0; p < pairs; ++p, pair += 2 * outputs) {
            const std::int32_t a = x[2 * p], b = x[2 * p + 1];
            if (!(a | b)) continue;
            for (Size j = 0; j < outputs; ++j) y[j] += a * pair[2 * j] + b * pair[2 * j + 1];
        }
    }
}

inline void multiply_baseline(const UByte* x, Size stride, Size rows, Size pairs, const std::int16_t* w, Size outputs,
                              const std::int32_t* start, Size from, std::int32_t* y) {
    multiply_loops(x, stride, rows, pairs, w, outputs, start, from, y);
}

#if ARCLIFT_X86
template <int V>
ARCLIFT_TARGET("avx2")
inline void block_avx2(const UByte* x, Size pairs, const std::int16_t* w, Size outputs, const std::int32_t* start,
                       std::int32_t* y) {
    __m256i sums[V];
    for (int v = 0; v < V; ++v) sums[v] = _mm256_loadu_si256(reinterpret_cast<const __m256i*>(start + 8 * v));
    for (Size p = 0; p < pairs; ++p, w += 2 * outputs) {
        const __m256i both = _mm256_set1_epi32(x[2 * p] | x[2 * p + 1] << 16);
        for (int v = 0; v < V; ++v)
            sums[v] = _mm256_add_epi32(
                sums[v], _mm256_madd_epi16(_mm256_loadu_si256(reinterpret_cast<const __m256i*>(w + 16 * v)), both));
    }
    for (int v = 0; v < V; ++v) _mm256_storeu_si256(reinterpret_cast<__m256i*>(y + 8 * v), sums[v]);
}

inline void multiply_avx2(const UByte* x, Size stride, Size rows, Size pairs, const std::int16_t* w, Size outputs,
                          const std::int32_t* start, Size from, std::int32_t* y) {
    for (Size r = 0; r < rows; ++r, x += stride, y += outputs, start += from) {
        Size j = 0;
        for (; j + 64 <= outputs; j += 64) block_avx2<8>(x, pairs, w + 2 * j, outputs, start + j, y + j);
        for (; j < outputs; j += 16) block_avx2<2>(x, pairs, w + 2 * j, outputs, start + j, y + j);
    }
}
#endif

}  // namespace bytes

// At its end the tiles of the thread are free again.
struct Tiles {
    Tiles() = default;
    Tiles(const Tiles&) = delete;
    Tiles& operator=(const Tiles&) = delete;
    ~Tiles() {
#if ARCLIFT_AMX
        if (cpu() == Cpu::amx) bytes::close_tiles();
#endif
    }
};

// A matrix of bytes [inputs][outputs], ready to be multiplied. Inputs are unsigned bytes; signed ones come with
// 128 added, for which `centred` makes up in `start`. Inputs are a multiple of 4, outputs are padded to one of 16.
class ByteMatrix {
public:
    void set(const Byte* w, Size inputs, Size outputs, Size row, bool centred) {
        inputs_ = inputs;
        outputs_ = padded(outputs);
        std::int32_t* start = start_.room(outputs_);
        std::fill(start, start + outputs_, 0);
        if (centred)
            for (Size i = 0; i < inputs; ++i)
                for (Size j = 0; j < outputs; ++j) start[j] -= 128 * w[i * row + j];
        const auto at = [&](Size i, Size j) { return j < outputs ? w[i * row + j] : Byte(0); };
        if (cpu() >= Cpu::vnni) fill(fours_.room(inputs * outputs_), 4, at);
        else fill(pairs_.room(inputs * outputs_), 2, at);
    }

    // For weights that come output by output: room for them, then each with put().
    void open(Size inputs, Size outputs) {
        inputs_ = inputs;
        outputs_ = padded(outputs);
        std::fill_n(start_.room(outputs_), outputs_, 0);
        if (cpu() >= Cpu::vnni) std::fill_n(fours_.room(inputs * outputs_), inputs * outputs_, Byte(0));
        else std::fill_n(pairs_.room(inputs * outputs_), inputs * outputs_, std::int16_t(0));
    }

    void put(Size output, const Byte* weights) {
        if (cpu() >= Cpu::vnni)
            for (Size i = 0; i < inputs_; i += 4) std::memcpy(fours_.begin() + i * outputs_ + 4 * output, weights + i, 4);
        else
            for (Size i = 0; i < inputs_; ++i)
                pairs_.begin()[(i / 2) * 2 * outputs_ + 2 * output + i % 2] = weights[i];
    }

    Size inputs() const { return inputs_; }
    Size outputs() const { return outputs_; }
    std::int32_t* start() { return start_.begin(); }

    // y[rows][outputs()]
    void multiply(const UByte* x, Size stride, Size rows, std::int32_t* y) const {
        run(x, stride, rows, start_.begin(), 0, y);
    }

    // Adds the products to y.
    void add(const UByte* x, Size stride, Size rows, std::int32_t* y) const { run(x, stride, rows, y, outputs_, y); }

private:
    static constexpr Size kRowsForTiles = 6;  // fewer are quicker without

    void run(const UByte* x, Size stride, Size rows, const std::int32_t* start, Size from, std::int32_t* y) const {
#if ARCLIFT_AMX
        if (cpu() == Cpu::amx && rows >= kRowsForTiles && inputs_ % 64 == 0)
            return bytes::multiply_amx(x, stride, rows, inputs_, fours_.begin(), outputs_, start, from, y);
#endif
#if ARCLIFT_X86
        if (cpu() >= Cpu::vnni)
            return bytes::multiply_vnni(x, stride, rows, inputs_ / 4, fours_.begin(), outputs_, start, from, y);
        if (cpu() >= Cpu::avx2)
            return bytes::multiply_avx2(x, stride, rows, inputs_ / 2, pairs_.begin(), outputs_, start, from, y);
#endif
        bytes::multiply_baseline(x, stride, rows, inputs_ / 2, pairs_.begin(), outputs_, start, from, y);
    }

    template <typename T, typename At>
    void fill(T* to, Size together, At at) const {
        for (Size i = 0; i < inputs_; i += together)
            for (Size j = 0; j < outputs_; ++j)
                for (Size k = 0; k < together; ++k) *to++ = at(i + k, j);
    }

    Size inputs_ = 0, outputs_ = 0;
    Aligned<Byte> fours_;
    Aligned<std::int16_t> pairs_;
    Aligned<std::int32_t> start_;
};

}  // namespace arclift
