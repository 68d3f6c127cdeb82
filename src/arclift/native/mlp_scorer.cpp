// Scores of the quantised network, in whole numbers. Twin: arclift.learners.mlp_scorer
#include "cpu.hpp"
#include "scorer.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>

#ifdef _MSC_VER
#define ARCLIFT_INLINE __forceinline
#else
#define ARCLIFT_INLINE inline __attribute__((always_inline))
#endif

namespace arclift {
namespace {

using Size = std::size_t;
using Short = std::int16_t;

// --- loops -------------------------------------------------------------------------------------------------
// Weights of two inputs stand side by side: w[(pair * n + output) * 2 + which], as multiply-add of pairs wants
// them. The number of outputs n is a multiple of 16.

void multiply_baseline(const Short* x, const Short* w, Size pairs, Size n, std::int32_t* y) {
    std::fill(y, y + n, 0);
    for (Size p = 0; p < pairs; ++p, w += 2 * n) {
        const std::int32_t a = x[2 * p], b = x[2 * p + 1];
        for (Size j = 0; j < n; ++j) y[j] += a * w[2 * j] + b * w[2 * j + 1];
    }
}

#if ARCLIFT_X86
inline std::int32_t pair_at(const Short* x) {
    std::int32_t both;
    std::memcpy(&both, x, sizeof both);
    return both;
}

ARCLIFT_TARGET("avx2")
void multiply_avx2(const Short* x, const Short* w, Size pairs, Size n, std::int32_t* y) {
    for (Size j = 0; j < n; j += 16) {
        const Short* from = w + 2 * j;
        __m256i low = _mm256_setzero_si256(), high = low;
        for (Size p = 0; p < pairs; ++p, from += 2 * n) {
            const __m256i both = _mm256_set1_epi32(pair_at(x + 2 * p));
            const auto* at = reinterpret_cast<const __m256i*>(from);
            low = _mm256_add_epi32(low, _mm256_madd_epi16(_mm256_loadu_si256(at), both));
            high = _mm256_add_epi32(high, _mm256_madd_epi16(_mm256_loadu_si256(at + 1), both));
        }
        _mm256_storeu_si256(reinterpret_cast<__m256i*>(y + j), low);
        _mm256_storeu_si256(reinterpret_cast<__m256i*>(y + j + 8), high);
    }
}

// 16 * kVectors outputs at once, in registers. Many rectified units are zero: pairs of zeros are left out.
template <int kVectors>
ARCLIFT_TARGET("avx512f,avx512bw")
void multiply_block(const Short* x, const Short* w, Size pairs, Size n, std::int32_t* y) {
    __m512i sums[kVectors];
    for (int v = 0; v < kVectors; ++v) sums[v] = _mm512_setzero_si512();
    for (Size p = 0; p < pairs; p += 16) {
        const __mmask16 inside = pairs - p < 16 ? static_cast<__mmask16>((1u << (pairs - p)) - 1) : __mmask16(0xffff);
        const __m512i some = _mm512_maskz_loadu_epi32(inside, x + 2 * p);
        for (std::uint32_t left = _mm512_test_epi32_mask(some, some); left; left &= left - 1) {
            const Size at = p + static_cast<Size>(std::countr_zero(left));
            const __m512i both = _mm512_set1_epi32(pair_at(x + 2 * at));
            const Short* from = w + 2 * n * at;
            for (int v = 0; v < kVectors; ++v)
                sums[v] = _mm512_add_epi32(sums[v], _mm512_madd_epi16(_mm512_loadu_si512(from + 32 * v), both));
        }
    }
    for (int v = 0; v < kVectors; ++v) _mm512_storeu_si512(y + 16 * v, sums[v]);
}

void multiply_avx512(const Short* x, const Short* w, Size pairs, Size n, std::int32_t* y) {
    constexpr decltype(&multiply_avx512) blocks[] = {multiply_block<1>, multiply_block<2>, multiply_block<3>,
                                                     multiply_block<4>, multiply_block<5>, multiply_block<6>,
                                                     multiply_block<7>, multiply_block<8>};
    for (Size j = 0; j < n; j += 128) blocks[(std::min<Size>(n - j, 128) - 1) / 16](x, w + 2 * j, pairs, n, y + j);
}
#endif

// y = the sum of start and rows, rectified
ARCLIFT_INLINE void sum_loops(const Short* __restrict start, const Short* const* rows, Size count, Size n,
                              Short* __restrict y) {
    for (Size j = 0; j < n; ++j) y[j] = start[j];
    Size r = 0;
    for (; r + 4 <= count; r += 4) {
        const Short *__restrict a = rows[r], *__restrict b = rows[r + 1], *__restrict c = rows[r + 2],
                    *__restrict d = rows[r + 3];
        for (Size j = 0; j < n; ++j) y[j] = static_cast<Short>(y[j] + a[j] + b[j] + c[j] + d[j]);
    }
    for (; r < count; ++r) {
        const Short* __restrict a = rows[r];
        for (Size j = 0; j < n; ++j) y[j] = static_cast<Short>(y[j] + a[j]);
    }
    for (Size j = 0; j < n; ++j) y[j] = std::max<Short>(y[j], 0);
}

void sum_baseline(const Short* s, const Short* const* r, Size c, Size n, Short* y) { sum_loops(s, r, c, n, y); }
#if ARCLIFT_X86
ARCLIFT_TARGET("avx2")
void sum_avx2(const Short* s, const Short* const* r, Size c, Size n, Short* y) { sum_loops(s, r, c, n, y); }

template <int kVectors>
ARCLIFT_TARGET("avx512f,avx512bw")
void sum_block(const Short* start, const Short* const* rows, Size count, Size j, Short* y) {
    __m512i sums[kVectors];
    for (int v = 0; v < kVectors; ++v) sums[v] = _mm512_loadu_si512(start + j + 32 * v);
    for (Size r = 0; r < count; ++r)
        for (int v = 0; v < kVectors; ++v)
            sums[v] = _mm512_add_epi16(sums[v], _mm512_loadu_si512(rows[r] + j + 32 * v));
    for (int v = 0; v < kVectors; ++v)
        _mm512_storeu_si512(y + j + 32 * v, _mm512_max_epi16(sums[v], _mm512_setzero_si512()));
}

void sum_avx512(const Short* start, const Short* const* rows, Size count, Size n, Short* y) {
    constexpr decltype(&sum_block<1>) blocks[] = {sum_block<1>, sum_block<2>, sum_block<3>, sum_block<4>,
                                                  sum_block<5>, sum_block<6>, sum_block<7>, sum_block<8>};
    for (Size j = 0; j < n; j += 256) blocks[(std::min<Size>(n - j, 256) - 1) / 32](start, rows, count, j, y);
}
#endif

ARCLIFT_INLINE void scale_loops(const std::int32_t* __restrict sums, const std::int32_t* __restrict bias, float unit,
                                Size n, float* __restrict out) {
    for (Size c = 0; c < n; ++c) out[c] = static_cast<float>(sums[c] + bias[c]) * unit;
}

void scale_baseline(const std::int32_t* s, const std::int32_t* b, float u, Size n, float* o) {
    scale_loops(s, b, u, n, o);
}
#if ARCLIFT_X86
ARCLIFT_TARGET("avx2")
void scale_avx2(const std::int32_t* s, const std::int32_t* b, float u, Size n, float* o) { scale_loops(s, b, u, n, o); }
#endif

struct Loops {
    void (*multiply)(const Short*, const Short*, Size, Size, std::int32_t*);
    void (*sum)(const Short*, const Short* const*, Size, Size, Short*);
    void (*scale)(const std::int32_t*, const std::int32_t*, float, Size, float*);
};

Loops loops() {
#if ARCLIFT_X86
    if (cpu() >= Cpu::avx512) return {multiply_avx512, sum_avx512, scale_avx2};
    if (cpu() >= Cpu::avx2) return {multiply_avx2, sum_avx2, scale_avx2};
#endif
    return {multiply_baseline, sum_baseline, scale_baseline};
}

constexpr Size padded(Size n) { return (n + 15) / 16 * 16; }

std::int32_t shifted(std::int32_t sum, std::int32_t shift) { return (sum + ((1 << shift) >> 1)) >> shift; }

// Room whose first element begins a cache line.
template <typename T>
class Aligned {
public:
    explicit Aligned(Size n = 0) : kept_(n + 64 / sizeof(T)) {
        skip_ = (64 - reinterpret_cast<std::uintptr_t>(kept_.data()) % 64) % 64 / sizeof(T);
    }
    Aligned(Aligned&&) = default;
    Aligned& operator=(Aligned&&) = default;
    T* data() { return kept_.data() + skip_; }
    const T* data() const { return kept_.data() + skip_; }

private:
    std::vector<T> kept_;
    Size skip_;
};

// --- the scorer --------------------------------------------------------------------------------------------

class MlpScorer final : public Scorer {
public:
    MlpScorer(const Ints& sizes, const Ints& groups, const Ints& dims, const Ints& layers,
              const Array<Short>& embeddings, const Array<Short>& inputs, const Ints& shifts,
              const Array<Short>& dense, const Ints& biases, double unit, const Matrix<std::int32_t>& frequent)
        : unit_(static_cast<float>(unit)), embeddings_(embeddings.data(), embeddings.data() + embeddings.size()) {
        read_shape(sizes, groups, dims, layers, shifts);
        read_columns(groups, dims, inputs);
        read_layers(dense, biases);
        read_frequent(frequent);
    }

    Size columns() const override { return columns_.size(); }
    Size classes() const override { return classes_; }

    void score(const std::int32_t* rows, Size n, float* out) const override {
        thread_local Room room;
        room.fit(*this);
        for (Size i = 0; i < n; ++i) score_row(rows + i * columns(), room, out + i * classes_);
    }

private:
    struct Column {
        std::int32_t size, shift;
        Size dim, embeddings, inputs, places;
    };
    struct Seat {
        std::int32_t size, begin;  // of a column in places_
    };
    struct Layer {
        Size inputs, width, weights, bias;
        std::int32_t shift;
    };
    struct Room {
        Aligned<Short> met, hidden;
        Aligned<std::int32_t> sums;
        std::vector<const Short*> rows;
        Size has_met = 0, has_width = 0;

        void fit(const MlpScorer& s) {
            rows.resize(s.columns());
            if (has_met < s.columns() * s.stride_) met = Aligned<Short>(has_met = s.columns() * s.stride_);
            if (has_width < s.widest_) {
                has_width = s.widest_;
                hidden = Aligned<Short>(has_width);
                sums = Aligned<std::int32_t>(has_width);
            }
        }
    };

    void read_shape(const Ints& sizes, const Ints& groups, const Ints& dims, const Ints& layers, const Ints& shifts) {
        if (groups.size() != sizes.size()) throw nb::value_error("a group for each column");
        if (layers.size() < 2) throw nb::value_error("a hidden layer and the classes");
        if (shifts.size() != sizes.size() + layers.size() - 2) throw nb::value_error("not the shifts needed");
        for (Size k = 0; k < shifts.size(); ++k)
            if (shifts(k) < 0 || shifts(k) > 30) throw nb::value_error("a shift is out of range");
        for (Size g = 0; g < dims.size(); ++g)
            if (dims(g) < 1 || dims(g) > 4096) throw nb::value_error("a dimension is out of range");
        for (Size l = 0; l < layers.size(); ++l) {
            if (layers(l) < 1 || layers(l) > 65536) throw nb::value_error("a layer's size is out of range");
            widest_ = std::max(widest_, padded(layers(l)) + 16);  // the first one in whole cache lines
        }
        hidden_ = padded(layers(0));
        stride_ = (hidden_ + 31) / 32 * 32;
        classes_ = layers(layers.size() - 1);
        Size weights = 0, bias = hidden_;
        for (Size l = 1; l < layers.size(); ++l) {
            const Size before = padded(layers(l - 1)), width = padded(layers(l));
            const std::int32_t shift = l + 1 < layers.size() ? shifts(sizes.size() + l - 1) : 0;
            layers_.push_back({before, width, weights, bias, shift});
            weights += before * width;
            bias += width;
        }
        for (Size c = 0; c < sizes.size(); ++c) {
            if (groups(c) < 0 || static_cast<Size>(groups(c)) >= dims.size()) throw nb::value_error("no such group");
            if (sizes(c) <= kUnknown) throw nb::value_error("a column has no id for unknown");
            columns_.push_back({sizes(c), shifts(c), 0, 0, 0, 0});
        }
    }

    void read_columns(const Ints& groups, const Ints& dims, const Array<Short>& inputs) {
        std::vector<Size> values(dims.size(), 0), begins;
        for (Size c = 0; c < columns(); ++c)
            values[groups(c)] = std::max<Size>(values[groups(c)], columns_[c].size);
        Size end = 0, weights = 0, places = 0;
        for (Size g = 0; g < values.size(); ++g) {
            begins.push_back(end);
            end += values[g] * even(dims(g));
        }
        for (Size c = 0; c < columns(); ++c) {
            Column& column = columns_[c];
            column.dim = even(dims(groups(c)));
            column.embeddings = begins[groups(c)];
            column.inputs = weights;
            column.places = places;
            weights += column.dim * hidden_;
            places += column.size;
        }
        if (end != embeddings_.size() || weights != inputs.size())
            throw nb::value_error("an array has another size than the network");
        inputs_ = Aligned<Short>(weights);
        std::vector<std::int64_t> tops;
        for (Size g = 0; g < values.size(); ++g)
            tops.push_back(greatest(embeddings_.data() + begins[g], values[g] * even(dims(g))));
        for (Size k = 0; k < columns(); ++k) {
            const Column& c = columns_[k];
            pair_up(inputs.data() + c.inputs, c.dim, hidden_, inputs_.data() + c.inputs);
            const std::int64_t top = greatest(inputs.data() + c.inputs, c.dim * hidden_);
            if (top * tops[groups(k)] * static_cast<std::int64_t>(c.dim) >= std::int64_t{3} << 29)
                throw nb::value_error("the weights of a column are too great");
        }
        if (places > std::size_t{1} << 30) throw nb::value_error("too many values");
        places_.assign(places, -1);
        for (const Column& c : columns_) seats_.push_back({c.size, static_cast<std::int32_t>(c.places)});
    }

    void read_layers(const Array<Short>& dense, const Ints& biases) {
        const Layer& last = layers_.back();
        if (dense.size() != last.weights + last.inputs * last.width || biases.size() != last.bias + last.width)
            throw nb::value_error("an array has another size than the network");
        dense_ = Aligned<Short>(dense.size());
        biases_.assign(biases.data(), biases.data() + biases.size());
        start_ = Aligned<Short>(stride_);
        for (Size j = 0; j < hidden_; ++j) start_.data()[j] = static_cast<Short>(biases_[j]);
        for (const Layer& l : layers_) {
            const Short* w = dense.data() + l.weights;
            pair_up(w, l.inputs, l.width, dense_.data() + l.weights);
            for (Size j = 0; j < l.width; ++j) {
                std::int64_t sum = std::abs(std::int64_t{biases_[l.bias + j]});
                for (Size i = 0; i < l.inputs; ++i) sum += std::int64_t{32767} * std::abs(int{w[i * l.width + j]});
                if (sum + ((std::int64_t{1} << l.shift) >> 1) >= std::int64_t{1} << 31)
                    throw nb::value_error("the weights of a layer are too great");
            }
        }
    }

    void read_frequent(const Matrix<std::int32_t>& frequent) {
        if (frequent.shape(1) != 2) throw nb::value_error("pairs of column and value");
        const Size count = frequent.shape(0);
        cache_ = Aligned<Short>(count * stride_);
        Aligned<std::int32_t> sums(hidden_);
        for (Size k = 0; k < count; ++k) {
            const std::int32_t c = frequent(k, 0), value = frequent(k, 1);
            if (c < 0 || static_cast<Size>(c) >= columns()) throw nb::value_error("no such column");
            if (value < 0 || value >= columns_[c].size) throw nb::value_error("no such value");
            contribute(columns_[c], value, sums.data(), cache_.data() + k * stride_);
            places_[columns_[c].places + static_cast<Size>(value)] = static_cast<std::int32_t>(k);
        }
    }

    static Size even(std::int32_t n) { return static_cast<Size>(n + n % 2); }

    static std::int64_t greatest(const Short* x, Size n) {
        std::int32_t top = 0;
        for (Size k = 0; k < n; ++k) top = std::max(top, std::abs(std::int32_t{x[k]}));
        return top;
    }

    static void pair_up(const Short* w, Size inputs, Size width, Short* out) {
        for (Size i = 0; i < inputs; i += 2)
            for (Size j = 0; j < width; ++j) {
                *out++ = w[i * width + j];
                *out++ = w[(i + 1) * width + j];
            }
    }

    void contribute(const Column& c, std::int32_t value, std::int32_t* sums, Short* out) const {
        l_.multiply(embeddings_.data() + c.embeddings + static_cast<Size>(value) * c.dim, inputs_.data() + c.inputs,
                    c.dim / 2, hidden_, sums);
        for (Size j = 0; j < hidden_; ++j) out[j] = static_cast<Short>(shifted(sums[j], c.shift));
    }

    void score_row(const std::int32_t* row, Room& room, float* out) const {
        // Plain pointers in the loop: each access of something thread-local would be a call.
        Short *hidden = room.hidden.data(), *met = room.met.data();
        std::int32_t* sums = room.sums.data();
        const Short** rows = room.rows.data();
        const Short* cache = cache_.data();
        const std::int32_t* places = places_.data();
        const Seat* seats = seats_.data();
        const Size count = seats_.size(), stride = stride_;
        for (Size c = 0; c < count; ++c) {
            const std::int32_t value = within(row[c], seats[c].size);
            const std::int32_t place = places[static_cast<Size>(seats[c].begin + value)];
            if (place >= 0) {
                rows[c] = cache + static_cast<Size>(place) * stride;
            } else {
                contribute(columns_[c], value, sums, met + c * stride);
                rows[c] = met + c * stride;
            }
        }
        l_.sum(start_.data(), rows, count, hidden_, hidden);
        for (const Layer& l : layers_) {
            l_.multiply(hidden, dense_.data() + l.weights, l.inputs / 2, l.width, sums);
            const std::int32_t* bias = biases_.data() + l.bias;
            if (&l == &layers_.back()) {
                l_.scale(sums, bias, unit_, classes_, out);
            } else {
                for (Size j = 0; j < l.width; ++j)
                    hidden[j] = static_cast<Short>(std::clamp(shifted(sums[j] + bias[j], l.shift), 0, 32767));
            }
        }
    }

    Loops l_ = loops();
    float unit_;
    Size hidden_ = 0, stride_ = 0, widest_ = 0, classes_ = 0;
    std::vector<Column> columns_;
    std::vector<Seat> seats_;
    std::vector<Layer> layers_;
    std::vector<Short> embeddings_;
    std::vector<std::int32_t> biases_, places_;  // places_: by column and value, where in cache_, or -1
    Aligned<Short> inputs_, dense_, start_, cache_;
};

}  // namespace

void bind_mlp_scorer(nb::module_& m) {
    using namespace nb::literals;
    bind_scorer(m);
    nb::class_<MlpScorer, Scorer>(m, "MlpScorer")
        .def(nb::init<const Ints&, const Ints&, const Ints&, const Ints&, const Array<Short>&, const Array<Short>&,
                      const Ints&, const Array<Short>&, const Ints&, double, const Matrix<std::int32_t>&>(),
             "sizes"_a, "groups"_a, "dims"_a, "layers"_a, "embeddings"_a, "inputs"_a, "shifts"_a, "dense"_a, "biases"_a,
             "unit"_a, "frequent"_a)
        .def("scores", [](const MlpScorer& s, const Matrix<std::int32_t>& rows) { return score_rows(s, rows); });
}

}  // namespace arclift
