// Training the network of a graph parser: what is done word by word. Twins: arclift.graph.recurrent.steps and
// steps_back, arclift.graph.network.sums_of_rows, sums_by_row and adam; they agree up to the rounding of sums.
#include "core.hpp"
#include "cpu.hpp"

#include <nanobind/stl/tuple.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <tuple>

#ifdef _MSC_VER
#define ARCLIFT_INLINE __forceinline
#else
#define ARCLIFT_INLINE inline __attribute__((always_inline))
#endif

namespace arclift {
namespace {

using Size = std::size_t;
template <int kDimensions>
using Floats = nb::ndarray<float, nb::ndim<kDimensions>, nb::c_contig, nb::device::cpu>;

// --- loops, compiled for each instruction set --------------------------------------------------------------

// y[rows][n] += a[rows][k] b[k][n]
ARCLIFT_INLINE void multiply_loops(Size rows, Size n, Size k, const float* a, const float* b, float* y) {
    constexpr Size kTogether = 4;
    Size r = 0;
    for (; r + kTogether <= rows; r += kTogether, a += kTogether * k, y += kTogether * n) {
        float* __restrict y0 = y;
        float* __restrict y1 = y + n;
        float* __restrict y2 = y + 2 * n;
        float* __restrict y3 = y + 3 * n;
        for (Size i = 0; i < k; ++i) {
            const float a0 = a[i], a1 = a[k + i], a2 = a[2 * k + i], a3 = a[3 * k + i];
            const float* __restrict from = b + i * n;
            for (Size j = 0; j < n; ++j) {
                const float x = from[j];
                y0[j] += a0 * x;
                y1[j] += a1 * x;
                y2[j] += a2 * x;
                y3[j] += a3 * x;
            }
        }
    }
    for (; r < rows; ++r, a += k, y += n)
        for (Size i = 0; i < k; ++i)
            for (Size j = 0; j < n; ++j) y[j] += a[i] * b[i * n + j];
}

// The gates of one word become what they let through; `before` is the cell a word earlier.
ARCLIFT_INLINE void cell_loops(Size h, float* __restrict gates, const float* __restrict before, float* __restrict cell,
                               float* __restrict out) {
    for (Size j = 0; j < h; ++j) {
        const float keep = std::min(std::max(gates[j] * 0.25f + 0.5f, 0.0f), 1.0f);
        const float fresh = std::min(std::max(gates[h + j], -1.0f), 1.0f);
        const float open = std::min(std::max(gates[2 * h + j] * 0.25f + 0.5f, 0.0f), 1.0f);
        const float now = fresh - keep * fresh + keep * before[j];
        gates[j] = keep;
        gates[h + j] = fresh;
        gates[2 * h + j] = open;
        cell[j] = now;
        out[j] = open * now;
    }
}

// The gradients by the sums of one word's gates; `carried` goes from a word to the one before.
ARCLIFT_INLINE void cell_back_loops(Size h, const float* __restrict gates, const float* __restrict before,
                                    const float* __restrict cell, const float* __restrict change,
                                    float* __restrict carried, float* __restrict inner) {
    for (Size j = 0; j < h; ++j) {
        const float keep = gates[j], fresh = gates[h + j], open = gates[2 * h + j];
        const float by_cell = change[j] * open + carried[j];
        inner[j] = keep > 0.0f && keep < 1.0f ? by_cell * (before[j] - fresh) * 0.25f : 0.0f;
        inner[h + j] = fresh > -1.0f && fresh < 1.0f ? by_cell * (1.0f - keep) : 0.0f;
        inner[2 * h + j] = open > 0.0f && open < 1.0f ? change[j] * cell[j] * 0.25f : 0.0f;
        carried[j] = by_cell * keep;
    }
}

ARCLIFT_INLINE void add_loops(Size n, const float* __restrict x, float* __restrict y) {
    for (Size j = 0; j < n; ++j) y[j] += x[j];
}

struct AdamStep {
    float beta1, beta2, rate, root, tiny, scale;
};

ARCLIFT_INLINE void adam_loops(Size n, const AdamStep& by, const float* __restrict gradient, float* __restrict w,
                               float* __restrict first, float* __restrict second) {
    for (Size j = 0; j < n; ++j) {
        const float g = gradient[j] * by.scale;
        first[j] = by.beta1 * first[j] + (1.0f - by.beta1) * g;
        second[j] = by.beta2 * second[j] + (1.0f - by.beta2) * g * g;
        w[j] -= by.rate * first[j] / (std::sqrt(second[j]) * by.root + by.tiny);
    }
}

struct Loops {
    void (*multiply)(Size, Size, Size, const float*, const float*, float*);
    void (*cell)(Size, float*, const float*, float*, float*);
    void (*cell_back)(Size, const float*, const float*, const float*, const float*, float*, float*);
    void (*add)(Size, const float*, float*);
    void (*adam)(Size, const AdamStep&, const float*, float*, float*, float*);
};

#define LOOPS(isa, target, multiply)                                                                               \
    target void cell_##isa(Size h, float* g, const float* b, float* c, float* o) { cell_loops(h, g, b, c, o); }    \
    target void cell_back_##isa(Size h, const float* g, const float* b, const float* c, const float* d, float* k,  \
                                float* i) {                                                                        \
        cell_back_loops(h, g, b, c, d, k, i);                                                                      \
    }                                                                                                              \
    target void add_##isa(Size n, const float* x, float* y) { add_loops(n, x, y); }                                \
    target void adam_##isa(Size n, const AdamStep& s, const float* g, float* w, float* a, float* b) {              \
        adam_loops(n, s, g, w, a, b);                                                                              \
    }                                                                                                              \
    constexpr Loops loops_##isa{multiply, cell_##isa, cell_back_##isa, add_##isa, adam_##isa};

void multiply_baseline(Size rows, Size n, Size k, const float* a, const float* b, float* y) {
    multiply_loops(rows, n, k, a, b, y);
}
LOOPS(baseline, , multiply_baseline)

#if ARCLIFT_X86 && !defined(_MSC_VER)
ARCLIFT_TARGET("avx2,fma")
void multiply_avx2(Size rows, Size n, Size k, const float* a, const float* b, float* y) {
    multiply_loops(rows, n, k, a, b, y);
}
LOOPS(avx2, ARCLIFT_TARGET("avx2,fma"), multiply_avx2)

#define WIDE ARCLIFT_TARGET("avx512f,avx512bw,avx512dq,avx512vl,prefer-vector-width=512")

// Sums of R rows by 64 columns stay in registers.
template <int R>
WIDE inline void block_wide(Size n, Size k, const float* a, const float* b, float* y) {
    __m512 sums[R][4];
#pragma GCC unroll 8
    for (int r = 0; r < R; ++r)
#pragma GCC unroll 4
        for (int v = 0; v < 4; ++v) sums[r][v] = _mm512_loadu_ps(y + static_cast<Size>(r) * n + 16 * v);
    for (Size i = 0; i < k; ++i, b += n) {
        __m512 some[4];
#pragma GCC unroll 4
        for (int v = 0; v < 4; ++v) some[v] = _mm512_loadu_ps(b + 16 * v);
#pragma GCC unroll 8
        for (int r = 0; r < R; ++r) {
            const __m512 one = _mm512_set1_ps(a[static_cast<Size>(r) * k + i]);
#pragma GCC unroll 4
            for (int v = 0; v < 4; ++v) sums[r][v] = _mm512_fmadd_ps(one, some[v], sums[r][v]);
        }
    }
#pragma GCC unroll 8
    for (int r = 0; r < R; ++r)
#pragma GCC unroll 4
        for (int v = 0; v < 4; ++v) _mm512_storeu_ps(y + static_cast<Size>(r) * n + 16 * v, sums[r][v]);
}

WIDE void multiply_wide(Size rows, Size n, Size k, const float* a, const float* b, float* y) {
    if (n % 64) return multiply_loops(rows, n, k, a, b, y);
    for (Size j = 0; j < n; j += 64) {
        Size r = 0;
        for (; r + 6 <= rows; r += 6) block_wide<6>(n, k, a + r * k, b + j, y + r * n + j);
        for (; r + 2 <= rows; r += 2) block_wide<2>(n, k, a + r * k, b + j, y + r * n + j);
        if (r < rows) block_wide<1>(n, k, a + r * k, b + j, y + r * n + j);
    }
}
LOOPS(wide, WIDE, multiply_wide)
#endif

const Loops& loops() {
#if ARCLIFT_X86 && !defined(_MSC_VER)
    if (cpu() >= Cpu::avx512) return loops_wide;
    if (cpu() >= Cpu::avx2) return loops_avx2;
#endif
    return loops_baseline;
}

// --- both directions of a layer, step by step ---------------------------------------------------------------

struct Run {
    Size words, width;
    std::vector<Size> begins;

    Run(const Floats<3>& gates, const Floats<3>& states, const Offsets& sizes)
        : words(gates.shape(1)), width(states.shape(1)), begins{0} {
        for (Size step = 0; step < sizes.size(); ++step) {
            if (sizes(step) < 1 || (step && sizes(step) > sizes(step - 1))) throw nb::value_error("the words are not packed");
            begins.push_back(begins.back() + static_cast<Size>(sizes(step)));
        }
        if (gates.shape(0) != 2 || states.shape(0) != 2 || gates.shape(2) != 3 * width || states.shape(2) != 3 * width ||
            begins.back() != words)
            throw nb::value_error("the arrays do not fit each other");
    }

    Size steps() const { return begins.size() - 1; }
    Size going(Size step) const { return begins[step + 1] - begins[step]; }
};

auto steps(Floats<3> gates, Floats<3> states, const Offsets& sizes) {
    const Run run(gates, states, sizes);
    const Size h = run.width, all = run.words * h;
    std::vector<float> cells(2 * all), outputs(2 * all);
    {
        nb::gil_scoped_release release;
        const Loops& loop = loops();
        const std::vector<float> nothing(h);
        for (Size way = 0; way < 2; ++way) {
            float *gate = gates.data() + 3 * way * all, *cell = cells.data() + way * all, *out = outputs.data() + way * all;
            const float* weights = states.data() + way * 3 * h * h;
            for (Size step = 0; step < run.steps(); ++step) {
                const Size begin = run.begins[step], before = step ? run.begins[step - 1] : 0;
                if (step) loop.multiply(run.going(step), 3 * h, h, out + before * h, weights, gate + begin * 3 * h);
                for (Size s = 0; s < run.going(step); ++s)
                    loop.cell(h, gate + (begin + s) * 3 * h, step ? cell + (before + s) * h : nothing.data(),
                              cell + (begin + s) * h, out + (begin + s) * h);
            }
        }
    }
    return std::make_tuple(to_numpy(std::move(cells), Size(2), run.words, h), to_numpy(std::move(outputs), Size(2), run.words, h));
}

auto steps_back(Floats<3> change, Floats<3> gates, Floats<3> cells, Floats<3> states, const Offsets& sizes) {
    const Run run(gates, states, sizes);
    const Size h = run.width, all = run.words * h;
    for (const Floats<3>* each : {&change, &cells})
        if (each->shape(0) != 2 || each->shape(1) != run.words || each->shape(2) != h)
            throw nb::value_error("the arrays do not fit each other");
    std::vector<float> inner(6 * all);
    {
        nb::gil_scoped_release release;
        const Loops& loop = loops();
        std::vector<float> turned(3 * h * h), carried;
        const std::vector<float> nothing(h);
        for (Size way = 0; way < 2; ++way) {
            const float *gate = gates.data() + 3 * way * all, *cell = cells.data() + way * all;
            const float* weights = states.data() + way * 3 * h * h;
            float *outer = change.data() + way * all, *by_gates = inner.data() + 3 * way * all;
            for (Size i = 0; i < h; ++i)
                for (Size j = 0; j < 3 * h; ++j) turned[j * h + i] = weights[i * 3 * h + j];
            carried.assign(run.steps() ? run.going(0) * h : 0, 0.0f);
            for (Size step = run.steps(); step-- > 0;) {
                const Size begin = run.begins[step], before = step ? run.begins[step - 1] : 0;
                if (step + 1 < run.steps())
                    loop.multiply(run.going(step + 1), h, 3 * h, by_gates + run.begins[step + 1] * 3 * h, turned.data(), outer + begin * h);
                for (Size s = 0; s < run.going(step); ++s) {
                    const Size word = begin + s;
                    loop.cell_back(h, gate + word * 3 * h, step ? cell + (before + s) * h : nothing.data(), cell + word * h,
                                   outer + word * h, carried.data() + s * h, by_gates + word * 3 * h);
                }
            }
        }
    }
    return to_numpy(std::move(inner), Size(2), run.words, 3 * h);
}

// --- embeddings and the optimiser --------------------------------------------------------------------------

void check_rows(const Ints& ids, const Offsets& begins, Size rows) {
    for (Size k = 0; k < ids.size(); ++k)
        if (ids(k) < 0 || static_cast<Size>(ids(k)) >= rows) throw nb::value_error("no such row");
    for (Size w = 0; w < begins.size(); ++w)
        if (begins(w) < (w ? begins(w - 1) : 0) || begins(w) > static_cast<std::int64_t>(ids.size()))
            throw nb::value_error("the rows of the words do not lie behind each other");
    if (begins.size() ? begins(0) != 0 : ids.size() != 0) throw nb::value_error("rows before the first word");
}

Size end_of(const Offsets& begins, const Ints& ids, Size word) {
    return word + 1 < begins.size() ? static_cast<Size>(begins(word + 1)) : ids.size();
}

auto sums_of_rows(const Floats<2>& table, const Ints& ids, const Offsets& begins) {
    const Size width = table.shape(1);
    check_rows(ids, begins, table.shape(0));
    std::vector<float> sums(begins.size() * width);
    const Loops& loop = loops();
    for (Size w = 0; w < begins.size(); ++w)
        for (Size k = static_cast<Size>(begins(w)); k < end_of(begins, ids, w); ++k)
            loop.add(width, table.data() + static_cast<Size>(ids(k)) * width, &sums[w * width]);
    return to_numpy(std::move(sums), begins.size(), width);
}

auto sums_by_row(const Ints& ids, const Offsets& begins, const Floats<2>& of_words) {
    const Size width = of_words.shape(1);
    std::vector<std::int32_t> met(ids.data(), ids.data() + ids.size());
    std::sort(met.begin(), met.end());
    met.erase(std::unique(met.begin(), met.end()), met.end());
    const Size most = met.empty() ? 0 : static_cast<Size>(met.back()) + 1;
    check_rows(ids, begins, most);
    if (of_words.shape(0) != begins.size()) throw nb::value_error("each word has one row");
    std::vector<std::int32_t> place(most);
    for (Size m = 0; m < met.size(); ++m) place[static_cast<Size>(met[m])] = static_cast<std::int32_t>(m);
    std::vector<float> sums(met.size() * width);
    const Loops& loop = loops();
    for (Size w = 0; w < begins.size(); ++w)
        for (Size k = static_cast<Size>(begins(w)); k < end_of(begins, ids, w); ++k)
            loop.add(width, of_words.data() + w * width, &sums[static_cast<Size>(place[static_cast<Size>(ids(k))]) * width]);
    const Size count = met.size();
    return std::make_tuple(to_numpy(std::move(met)), to_numpy(std::move(sums), count, width));
}

// A step for rows of a table, each given once.
void adam(Floats<2> w, Floats<2> first, Floats<2> second, const Ints& rows, const Floats<2>& gradient,
          const std::tuple<float, float, float, float, float, float>& by) {
    const Size width = w.shape(1);
    for (const Floats<2>* each : {&first, &second})
        if (each->shape(0) != w.shape(0) || each->shape(1) != width) throw nb::value_error("the arrays do not fit each other");
    if (gradient.shape(0) != rows.size() || gradient.shape(1) != width) throw nb::value_error("each row has one gradient");
    const auto [beta1, beta2, rate, root, tiny, scale] = by;
    const AdamStep step{beta1, beta2, rate, root, tiny, scale};
    for (Size r = 0; r < rows.size(); ++r) {
        if (rows(r) < 0 || static_cast<Size>(rows(r)) >= w.shape(0)) throw nb::value_error("no such row");
        const Size at = static_cast<Size>(rows(r)) * width;
        loops().adam(width, step, gradient.data() + r * width, w.data() + at, first.data() + at, second.data() + at);
    }
}

}  // namespace

void bind_recurrent(nb::module_& m) {
    m.def("steps", &steps);
    m.def("steps_back", &steps_back);
    m.def("sums_of_rows", &sums_of_rows);
    m.def("sums_by_row", &sums_by_row);
    m.def("adam", &adam);
}

}  // namespace arclift
