// Training a feed-forward network over embedded columns. Twin: arclift.learners.mlp_net
//
// Loops are written once, as plain C++ over contiguous floats, and compiled for each instruction set.
#include "cpu.hpp"
#include "scorer.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>

#ifdef _MSC_VER
#define ARCLIFT_INLINE __forceinline
#else
#define ARCLIFT_INLINE inline __attribute__((always_inline))
#endif

namespace arclift {
namespace {

using Size = std::size_t;

struct AdamStep {
    float beta1, beta2, step, root, epsilon, clip;  // clip scales the gradient
};

// --- loops -------------------------------------------------------------------------------------------------

// Four rows of Y += four terms each.
ARCLIFT_INLINE void tile(const float* a, Size a_row, Size a_term, const float* __restrict b, Size b_row, Size n,
                         float* __restrict y0, float* __restrict y1, float* __restrict y2, float* __restrict y3) {
    const auto c = [&](Size r, Size t) { return a[r * a_row + t * a_term]; };
    const float c00 = c(0, 0), c01 = c(0, 1), c02 = c(0, 2), c03 = c(0, 3);
    const float c10 = c(1, 0), c11 = c(1, 1), c12 = c(1, 2), c13 = c(1, 3);
    const float c20 = c(2, 0), c21 = c(2, 1), c22 = c(2, 2), c23 = c(2, 3);
    const float c30 = c(3, 0), c31 = c(3, 1), c32 = c(3, 2), c33 = c(3, 3);
    for (Size j = 0; j < n; ++j) {
        const float v0 = b[j], v1 = b[b_row + j], v2 = b[2 * b_row + j], v3 = b[3 * b_row + j];
        y0[j] += c00 * v0 + c01 * v1 + c02 * v2 + c03 * v3;
        y1[j] += c10 * v0 + c11 * v1 + c12 * v2 + c13 * v3;
        y2[j] += c20 * v0 + c21 * v1 + c22 * v2 + c23 * v3;
        y3[j] += c30 * v0 + c31 * v1 + c32 * v2 + c33 * v3;
    }
}

// Y[m][n] += A[m][k] B[k][n]. Four rows by four terms at once: 16 multiply-adds for 8 loads and 4 stores; B is
// taken in slices that stay in the second-level cache while all rows pass.
ARCLIFT_INLINE void multiply_loops(Size m, Size n, Size k, const float* a, Size a_row, Size a_term, const float* b,
                                   Size b_row, float* y, Size y_row) {
    constexpr Size kSlice = 64;
    for (Size begin = 0; begin < k; begin += kSlice) {
        const Size end = std::min(k, begin + kSlice);
        Size i = 0;
        for (; i + 4 <= m; i += 4) {
            float *y0 = y + i * y_row, *y1 = y0 + y_row, *y2 = y1 + y_row, *y3 = y2 + y_row;
            Size p = begin;
            for (; p + 4 <= end; p += 4)
                tile(a + i * a_row + p * a_term, a_row, a_term, b + p * b_row, b_row, n, y0, y1, y2, y3);
            for (; p < end; ++p) {
                const float* __restrict v = b + p * b_row;
                const float* at = a + i * a_row + p * a_term;
                const float c0 = at[0], c1 = at[a_row], c2 = at[2 * a_row], c3 = at[3 * a_row];
                for (Size j = 0; j < n; ++j) {
                    const float x = v[j];
                    y0[j] += c0 * x;
                    y1[j] += c1 * x;
                    y2[j] += c2 * x;
                    y3[j] += c3 * x;
                }
            }
        }
        for (; i < m; ++i) {
            float* __restrict to = y + i * y_row;
            for (Size p = begin; p < end; ++p) {
                const float* __restrict v = b + p * b_row;
                const float c = a[i * a_row + p * a_term];
                for (Size j = 0; j < n; ++j) to[j] += c * v[j];
            }
        }
    }
}

// y = start + the sum of rows
ARCLIFT_INLINE void sum_loops(const float* __restrict start, const float* const* rows, Size count, Size n,
                              float* __restrict y) {
    for (Size j = 0; j < n; ++j) y[j] = start[j];
    Size r = 0;
    for (; r + 4 <= count; r += 4) {
        const float *__restrict a = rows[r], *__restrict b = rows[r + 1], *__restrict c = rows[r + 2],
                    *__restrict d = rows[r + 3];
        for (Size j = 0; j < n; ++j) y[j] += (a[j] + b[j]) + (c[j] + d[j]);
    }
    for (; r < count; ++r) {
        const float* __restrict a = rows[r];
        for (Size j = 0; j < n; ++j) y[j] += a[j];
    }
}

ARCLIFT_INLINE void add_loops(const float* __restrict x, Size n, float* __restrict y) {
    for (Size j = 0; j < n; ++j) y[j] += x[j];
}

// Rectified, and each unit kept (and made up for by `scale`) if its random number reaches the threshold.
ARCLIFT_INLINE void rectify_loops(float* __restrict y, Size n, std::uint32_t stream, std::uint32_t position,
                                  std::uint32_t threshold, float scale) {
    for (Size j = 0; j < n; ++j) {
        const bool kept = mix((position + static_cast<std::uint32_t>(j)) ^ stream) >= threshold;
        const float up = y[j] > 0.0f ? y[j] * scale : 0.0f;
        y[j] = kept ? up : 0.0f;
    }
}

// The gradient before rectification and dropout, from the one after them and from what came out.
ARCLIFT_INLINE void unrectify_loops(const float* __restrict out, Size n, float scale, float* __restrict gradient) {
    for (Size j = 0; j < n; ++j) gradient[j] = out[j] > 0.0f ? gradient[j] * scale : 0.0f;
}

ARCLIFT_INLINE double squares_loops(const float* x, Size n) {
    float part[16] = {};
    Size j = 0;
    for (; j + 16 <= n; j += 16)
        for (Size l = 0; l < 16; ++l) part[l] += x[j + l] * x[j + l];
    double sum = 0;
    for (const float p : part) sum += p;
    for (; j < n; ++j) sum += x[j] * x[j];
    return sum;
}

// Newton's method on 1/sqrt(x), from x >= 0: std::sqrt sets errno, which keeps compilers from vectorising it.
ARCLIFT_INLINE float root_of(float x) {
    float y = std::bit_cast<float>(0x5f3759dfu - (std::bit_cast<std::uint32_t>(x) >> 1));
    y *= 1.5f - 0.5f * x * y * y;
    y *= 1.5f - 0.5f * x * y * y;
    y *= 1.5f - 0.5f * x * y * y;
    return x * y;
}

ARCLIFT_INLINE void adam_loops(const float* __restrict gradient, Size n, const AdamStep& s, float* __restrict weights,
                               float* __restrict first, float* __restrict second) {
    const float beta1 = s.beta1, beta2 = s.beta2, step = s.step, root = s.root, epsilon = s.epsilon, clip = s.clip;
    for (Size j = 0; j < n; ++j) {
        const float g = gradient[j] * clip;
        first[j] = beta1 * first[j] + (1.0f - beta1) * g;
        second[j] = beta2 * second[j] + (1.0f - beta2) * g * g;
        weights[j] -= step * first[j] / (root_of(second[j]) * root + epsilon);
    }
}

struct Loops {
    void (*multiply)(Size, Size, Size, const float*, Size, Size, const float*, Size, float*, Size);
    void (*sum)(const float*, const float* const*, Size, Size, float*);
    void (*add)(const float*, Size, float*);
    void (*rectify)(float*, Size, std::uint32_t, std::uint32_t, std::uint32_t, float);
    void (*unrectify)(const float*, Size, float, float*);
    double (*squares)(const float*, Size);
    void (*adam)(const float*, Size, const AdamStep&, float*, float*, float*);
};

#define LOOPS(isa, target)                                                                                         \
    target void multiply_##isa(Size m, Size n, Size k, const float* a, Size ar, Size at, const float* b, Size br,  \
                               float* y, Size yr) {                                                                \
        multiply_loops(m, n, k, a, ar, at, b, br, y, yr);                                                          \
    }                                                                                                              \
    target void sum_##isa(const float* s, const float* const* rows, Size count, Size n, float* y) {                \
        sum_loops(s, rows, count, n, y);                                                                           \
    }                                                                                                              \
    target void add_##isa(const float* x, Size n, float* y) { add_loops(x, n, y); }                                \
    target void rectify_##isa(float* y, Size n, std::uint32_t s, std::uint32_t p, std::uint32_t t, float scale) {  \
        rectify_loops(y, n, s, p, t, scale);                                                                       \
    }                                                                                                              \
    target void unrectify_##isa(const float* o, Size n, float s, float* g) { unrectify_loops(o, n, s, g); }        \
    target double squares_##isa(const float* x, Size n) { return squares_loops(x, n); }                            \
    target void adam_##isa(const float* g, Size n, const AdamStep& s, float* w, float* a, float* b) {              \
        adam_loops(g, n, s, w, a, b);                                                                              \
    }                                                                                                              \
    constexpr Loops loops_##isa{multiply_##isa,  sum_##isa,     add_##isa, rectify_##isa,                          \
                                unrectify_##isa, squares_##isa, adam_##isa};

LOOPS(baseline, )
#if ARCLIFT_X86 && !defined(_MSC_VER)
LOOPS(avx2, ARCLIFT_TARGET("avx2,fma"))
LOOPS(avx512, ARCLIFT_TARGET("avx512f,avx512bw"))
#endif

const Loops& loops() {
#if ARCLIFT_X86 && !defined(_MSC_VER)
    if (cpu() >= Cpu::avx512) return loops_avx512;
    if (cpu() >= Cpu::avx2) return loops_avx2;
#endif
    return loops_baseline;
}

// Room for floats that begins at a cache line.
class Floats {
public:
    float* room(Size n) {
        if (kept_.size() < n + 16) kept_.resize(n + 16);
        const auto address = reinterpret_cast<std::uintptr_t>(kept_.data());
        return kept_.data() + (64 - address % 64) % 64 / sizeof(float);
    }
    float* zeros(Size n) {
        float* begin = room(n);
        std::fill(begin, begin + n, 0.0f);
        return begin;
    }

private:
    std::vector<float> kept_;
};

constexpr Size padded(Size n) { return (n + 15) / 16 * 16; }

// --- the network -------------------------------------------------------------------------------------------

// Where each part stands in the one array of weights: see Layout of the twin.
struct Dense {
    Size inputs, outputs, width, weights, bias;
};

struct Layout {
    std::vector<std::int32_t> sizes, groups, dims;
    std::vector<Size> values, tables, inputs;  // of each group, of each group, of each column
    std::vector<Dense> dense;                  // the first has no weights here: its inputs are the columns
    Size shared = 0, total = 0;                // weights from `shared` on are used by every row

    Layout(const Ints& s, const Ints& g, const Ints& d, const Ints& layers)
        : sizes(s.data(), s.data() + s.size()), groups(g.data(), g.data() + g.size()),
          dims(d.data(), d.data() + d.size()) {
        if (groups.size() != sizes.size()) throw nb::value_error("a group for each column");
        if (layers.size() < 2) throw nb::value_error("a hidden layer and the classes");
        values.assign(dims.size(), 0);
        for (Size c = 0; c < sizes.size(); ++c) {
            if (groups[c] < 0 || static_cast<Size>(groups[c]) >= dims.size()) throw nb::value_error("no such group");
            if (sizes[c] <= kUnknown) throw nb::value_error("a column has no id for unknown");
            values[groups[c]] = std::max<Size>(values[groups[c]], sizes[c]);
        }
        for (const std::int32_t dim : dims)
            if (dim < 1 || dim > 4096) throw nb::value_error("a dimension is out of range");
        for (Size l = 0; l < layers.size(); ++l)
            if (layers(l) < 1 || layers(l) > 65536) throw nb::value_error("a layer's size is out of range");
        for (Size g_ = 0; g_ < dims.size(); ++g_) tables.push_back(place(values[g_] * dims[g_]));
        shared = total;
        const Size hidden = padded(layers(0));
        for (const std::int32_t group : groups) inputs.push_back(place(dims[group] * hidden));
        dense.push_back({0, static_cast<Size>(layers(0)), hidden, 0, place(hidden)});
        for (Size l = 1; l < layers.size(); ++l) {
            const Size before = dense.back().width, outputs = layers(l), width = padded(outputs);
            const Size weights = place(before * width);
            dense.push_back({before, outputs, width, weights, place(width)});
        }
    }

private:
    Size place(Size n) {
        const Size begin = total;
        total += padded(n);
        return begin;
    }
};

struct Training {
    float learning_rate, beta1, beta2, epsilon, clip, dropout, word_dropout;
};

// Not for several threads at once: it works in its own room, with Python's lock held.
class MlpNet {
public:
    MlpNet(const Ints& sizes, const Ints& groups, const Ints& dims, const Ints& layers)
        : layout_(sizes, groups, dims, layers), columns_(layout_.sizes.size()) {
        for (Size g = 0; g < layout_.dims.size(); ++g) seen_.emplace_back(layout_.values[g], -1);
        touched_.resize(layout_.dims.size());
    }

    double step(const Mutable<float>& weights, const Mutable<float>& first, const Mutable<float>& second,
                const Matrix<std::int32_t>& rows, const Matrix<std::uint8_t>& right,
                const Matrix<std::uint8_t>& permitted, const Array<std::uint8_t>& droppable, std::int64_t update,
                std::int64_t seed, const Array<double>& t) {
        const Size n = rows.shape(0), classes = layout_.dense.back().outputs;
        check(weights.size(), rows);
        if (first.size() != layout_.total || second.size() != layout_.total)
            throw nb::value_error("the moments have another size than the weights");
        if (right.shape(0) != n || permitted.shape(0) != n || right.shape(1) != classes ||
            permitted.shape(1) != classes)
            throw nb::value_error("the sets have another shape");
        if (droppable.size() != columns_ || t.size() != 7) throw nb::value_error("settings of another size");
        const Training s{static_cast<float>(t(0)), static_cast<float>(t(1)), static_cast<float>(t(2)),
                         static_cast<float>(t(3)), static_cast<float>(t(4)), static_cast<float>(t(5)),
                         static_cast<float>(t(6))};
        update_ = static_cast<std::uint32_t>(update);
        seed_ = static_cast<std::uint32_t>(seed);
        read(rows.data(), n);
        drop_words(droppable.data(), n, threshold(t(6)));
        find_pairs(n);
        forward(weights.data(), n, threshold(t(5)), 1.0f / (1.0f - s.dropout));
        const double loss = lose(right.data(), permitted.data(), n);
        backward(weights.data(), n, 1.0f / (1.0f - s.dropout));
        descend(weights.data(), first.data(), second.data(), s, update);
        return loss;
    }

    auto scores(const Mutable<float>& weights, const Matrix<std::int32_t>& rows) {
        constexpr Size kChunk = 512;
        check(weights.size(), rows);
        const Size all = rows.shape(0), classes = layout_.dense.back().outputs;
        std::vector<float> result(all * classes);
        for (Size begin = 0; begin < all; begin += kChunk) {
            const Size n = std::min(kChunk, all - begin);
            read(rows.data() + begin * columns_, n);
            find_pairs(n);
            forward(weights.data(), n, 0, 1.0f);
            for (Size i = 0; i < n; ++i)
                std::copy_n(out_.back() + i * layout_.dense.back().width, classes,
                            result.data() + (begin + i) * classes);
        }
        return to_numpy(std::move(result), all, classes);
    }

private:
    void check(Size weights, const Matrix<std::int32_t>& rows) const {
        if (weights != layout_.total) throw nb::value_error("the weights have another size");
        if (rows.shape(1) != columns_) throw nb::value_error("the rows have another number of columns");
    }

    static std::uint32_t threshold(double share) {
        return static_cast<std::uint32_t>(std::min(share * 4294967296.0, 4294967295.0));
    }

    // Random numbers of purpose `use`: number k of them is mix(k ^ stream).
    std::uint32_t stream(std::uint32_t use) const { return mix(mix(mix(use + 1) ^ update_) ^ seed_); }

    // Ids by column, the unknown ones as such.
    void read(const std::int32_t* rows, Size n) {
        ids_.resize(n * columns_);
        for (Size i = 0; i < n; ++i)
            for (Size c = 0; c < columns_; ++c) ids_[c * n + i] = within(rows[i * columns_ + c], layout_.sizes[c]);
    }

    void drop_words(const std::uint8_t* droppable, Size n, std::uint32_t limit) {
        const std::uint32_t numbers = stream(0);
        for (Size c = 0; c < columns_; ++c) {
            if (!droppable[c]) continue;
            for (Size i = 0; i < n; ++i) {
                std::int32_t& id = ids_[c * n + i];
                if (id > kUnknown && mix(static_cast<std::uint32_t>(i * columns_ + c) ^ numbers) < limit) id = kUnknown;
            }
        }
    }

    // Each distinct value of each column is computed once: rows then only name their pairs of column and value.
    void find_pairs(Size n) {
        values_.clear();
        begins_.assign(1, 0);
        pairs_.resize(n * columns_);
        for (Size c = 0; c < columns_; ++c) {
            std::vector<std::int32_t>& seen = seen_[layout_.groups[c]];
            const Size begin = values_.size();
            for (Size i = 0; i < n; ++i) {
                const std::int32_t id = ids_[c * n + i];
                if (seen[id] < 0) {
                    seen[id] = static_cast<std::int32_t>(values_.size());
                    values_.push_back(id);
                }
                pairs_[i * columns_ + c] = seen[id];
            }
            for (Size k = begin; k < values_.size(); ++k) seen[values_[k]] = -1;
            begins_.push_back(values_.size());
        }
    }

    void forward(const float* weights, Size n, std::uint32_t limit, float scale) {
        const Dense& input = layout_.dense[0];
        out_.resize(layout_.dense.size());
        room_.resize(layout_.dense.size());
        float* parts = parts_.zeros(values_.size() * input.width);
        for (Size c = 0; c < columns_; ++c) {
            const Size g = layout_.groups[c], dim = layout_.dims[g], count = begins_[c + 1] - begins_[c];
            const float* packed = pack(weights + layout_.tables[g], dim, begins_[c], count);
            l_.multiply(count, input.width, dim, packed, dim, 1, weights + layout_.inputs[c], input.width,
                        parts + begins_[c] * input.width, input.width);
        }
        out_[0] = room_[0].room(n * input.width);
        std::vector<const float*> rows(columns_);
        for (Size i = 0; i < n; ++i) {
            for (Size c = 0; c < columns_; ++c) rows[c] = parts + pairs_[i * columns_ + c] * input.width;
            l_.sum(weights + input.bias, rows.data(), columns_, input.width, out_[0] + i * input.width);
        }
        for (Size l = 1; l < layout_.dense.size(); ++l) {
            const Dense& from = layout_.dense[l - 1];
            const Dense& to = layout_.dense[l];
            for (Size i = 0; i < n; ++i)
                l_.rectify(out_[l - 1] + i * from.width, from.width, stream(static_cast<std::uint32_t>(l)),
                           static_cast<std::uint32_t>(i * from.width), limit, scale);
            out_[l] = room_[l].room(n * to.width);
            for (Size i = 0; i < n; ++i) std::copy_n(weights + to.bias, to.width, out_[l] + i * to.width);
            l_.multiply(n, to.width, to.inputs, out_[l - 1], from.width, 1, weights + to.weights, to.width, out_[l],
                        to.width);
        }
    }

    const float* pack(const float* table, Size dim, Size begin, Size count) {
        float* packed = packed_.room(count * dim);
        for (Size k = 0; k < count; ++k)
            std::copy_n(table + static_cast<Size>(values_[begin + k]) * dim, dim, packed + k * dim);
        return packed;
    }

    // -log of the share of the right classes among the permitted, and its gradient in place of the scores.
    double lose(const std::uint8_t* right, const std::uint8_t* permitted, Size n) {
        const Dense& last = layout_.dense.back();
        double loss = 0;
        for (Size i = 0; i < n; ++i) {
            float* y = out_.back() + i * last.width;
            const std::uint8_t *may = permitted + i * last.outputs, *good = right + i * last.outputs;
            constexpr float kNever = -std::numeric_limits<float>::infinity();
            float top = kNever, best_top = kNever, all = 0, best = 0;
            for (Size c = 0; c < last.outputs; ++c)
                if (may[c]) {
                    top = std::max(top, y[c]);
                    if (good[c]) best_top = std::max(best_top, y[c]);
                }
            const bool told = best_top > kNever;
            for (Size c = 0; c < last.outputs; ++c)
                if (told && may[c]) {
                    all += std::exp(y[c] - top);
                    if (good[c]) best += std::exp(y[c] - best_top);
                }
            if (told) loss += std::log(all) + top - std::log(best) - best_top;
            const float share = 1.0f / static_cast<float>(n);
            for (Size c = 0; c < last.outputs; ++c) {
                const float among_all = told && may[c] ? std::exp(y[c] - top) / all : 0.0f;
                const float among_best = told && may[c] && good[c] ? std::exp(y[c] - best_top) / best : 0.0f;
                y[c] = (among_all - among_best) * share;
            }
            std::fill(y + last.outputs, y + last.width, 0.0f);
        }
        return loss / static_cast<double>(n);
    }

    void backward(const float* weights, Size n, float scale) {
        gradient_ = shared_.zeros(layout_.total - layout_.shared);
        float* to = out_.back();  // the gradient of what layer l puts out
        for (Size l = layout_.dense.size(); --l > 0;) {
            const Dense &layer = layout_.dense[l], &before = layout_.dense[l - 1];
            l_.multiply(layer.inputs, layer.width, n, out_[l - 1], 1, before.width, to, layer.width,
                        gradient_ + (layer.weights - layout_.shared), layer.width);
            add_up(to, n, layer);
            const float* turned = transpose(weights + layer.weights, layer.inputs, layer.width, layer.inputs);
            float* from = (l % 2 ? down_ : up_).zeros(n * before.width);
            l_.multiply(n, layer.inputs, layer.width, to, layer.width, 1, turned, layer.inputs, from, before.width);
            for (Size i = 0; i < n; ++i)
                l_.unrectify(out_[l - 1] + i * before.width, before.width, scale, from + i * before.width);
            to = from;
        }
        add_up(to, n, layout_.dense[0]);
        backward_columns(weights, to, n);
    }

    void add_up(const float* gradient, Size n, const Dense& layer) {
        for (Size i = 0; i < n; ++i)
            l_.add(gradient + i * layer.width, layer.width, gradient_ + (layer.bias - layout_.shared));
    }

    void backward_columns(const float* weights, const float* hidden, Size n) {
        const Size width = layout_.dense[0].width;
        float* parts = parts_.zeros(values_.size() * width);
        for (Size i = 0; i < n; ++i)
            for (Size c = 0; c < columns_; ++c)
                l_.add(hidden + i * width, width, parts + pairs_[i * columns_ + c] * width);
        touch();
        for (Size c = 0; c < columns_; ++c) {
            const Size g = layout_.groups[c], dim = layout_.dims[g], count = begins_[c + 1] - begins_[c];
            const float *part = parts + begins_[c] * width, *input = weights + layout_.inputs[c];
            const float* packed = pack(weights + layout_.tables[g], dim, begins_[c], count);
            l_.multiply(dim, width, count, packed, 1, dim, part, width,
                        gradient_ + (layout_.inputs[c] - layout_.shared), width);
            const Size wide = padded(dim);
            const float* turned = transpose(input, dim, width, wide);
            float* back = packed_.zeros(count * wide);
            l_.multiply(count, wide, width, part, width, 1, turned, wide, back, wide);
            for (Size k = 0; k < count; ++k) {
                float* row = touched_gradient_ + rows_at_[begins_[c] + k];
                for (Size d = 0; d < dim; ++d) row[d] += back[k * wide + d];
            }
        }
    }

    // Gives each embedding that occurs in the batch a place for its gradient.
    void touch() {
        Size room = 0;
        for (auto& list : touched_) list.clear();
        rows_at_.resize(values_.size());
        for (Size c = 0; c < columns_; ++c) {
            const Size g = layout_.groups[c];
            for (Size k = begins_[c]; k < begins_[c + 1]; ++k) {
                std::int32_t& place = seen_[g][values_[k]];
                if (place < 0) {
                    place = static_cast<std::int32_t>(touched_[g].size());
                    touched_[g].push_back({values_[k], room});
                    room += layout_.dims[g];
                }
                rows_at_[k] = touched_[g][place].at;
            }
        }
        for (Size g = 0; g < touched_.size(); ++g)
            for (const Touched& row : touched_[g]) seen_[g][row.value] = -1;
        touched_size_ = room;
        touched_gradient_ = embedded_.zeros(room);
    }

    const float* transpose(const float* x, Size height, Size width, Size row) {
        float* turned = turned_.zeros(width * row);
        constexpr Size kTile = 16;
        for (Size r = 0; r < height; r += kTile)
            for (Size c = 0; c < width; c += kTile)
                for (Size j = c; j < std::min(c + kTile, width); ++j)
                    for (Size i = r; i < std::min(r + kTile, height); ++i) turned[j * row + i] = x[i * width + j];
        return turned;
    }

    void descend(float* weights, float* first, float* second, const Training& t, std::int64_t update) {
        const Size count = layout_.total - layout_.shared;
        const double norm = std::sqrt(l_.squares(gradient_, count) + l_.squares(touched_gradient_, touched_size_));
        const double clip = t.clip > 0 && norm > t.clip ? t.clip / norm : 1.0;
        const auto past = static_cast<double>(update);
        const AdamStep step{t.beta1, t.beta2,
                            static_cast<float>(t.learning_rate / (1.0 - std::pow(double{t.beta1}, past))),
                            static_cast<float>(1.0 / std::sqrt(1.0 - std::pow(double{t.beta2}, past))),
                            t.epsilon, static_cast<float>(clip)};
        const Size s = layout_.shared;
        l_.adam(gradient_, count, step, weights + s, first + s, second + s);
        for (Size g = 0; g < touched_.size(); ++g)
            for (const Touched& row : touched_[g]) {
                const Size at = layout_.tables[g] + static_cast<Size>(row.value) * layout_.dims[g];
                l_.adam(touched_gradient_ + row.at, layout_.dims[g], step, weights + at, first + at, second + at);
            }
    }

    struct Touched {
        std::int32_t value;
        Size at;
    };

    Layout layout_;
    Size columns_;
    const Loops& l_ = loops();
    std::uint32_t update_ = 0, seed_ = 0;
    std::vector<std::int32_t> ids_, values_;
    std::vector<Size> begins_, pairs_, rows_at_;
    std::vector<std::vector<std::int32_t>> seen_;  // by group and value: a place, -1 between uses
    std::vector<std::vector<Touched>> touched_;
    std::vector<float*> out_;
    std::vector<Floats> room_;
    Floats parts_, packed_, turned_, shared_, embedded_, down_, up_;
    float *gradient_ = nullptr, *touched_gradient_ = nullptr;
    Size touched_size_ = 0;
};

}  // namespace

void bind_mlp(nb::module_& m) {
    nb::class_<MlpNet>(m, "MlpNet")
        .def(nb::init<const Ints&, const Ints&, const Ints&, const Ints&>())
        .def("step", &MlpNet::step)
        .def("scores", &MlpNet::scores);
}

}  // namespace arclift
