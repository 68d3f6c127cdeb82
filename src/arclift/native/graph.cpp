// Parsing by the quantised network of a graph parser. Twin: arclift.graph.scorer, bit for bit
//
// Products of floats are rounded at once and nothing is added to them before, so that no compiler may fuse
// them (the build forbids it as well).
#include "bytes.hpp"
#include "spanning.hpp"

#include <nanobind/stl/string.h>
#include <nanobind/stl/tuple.h>

#include <array>
#include <cmath>
#include <string>
#include <tuple>

namespace arclift {
namespace {

using Int = std::int32_t;
using Short = std::int16_t;

constexpr Int kOne = 4096, kByte = 127, kFiner = 16;
constexpr double kNormal = 25.0;
constexpr Size kLongest = 1000, kRows = 32, kMostRows = 256;
constexpr Size kSentences = 32, kWords = 1024;  // of one batch, unless one sentence is longer
constexpr float kMostExact = 4194304.0f;    // 2^22
constexpr float kRounding = 12582912.0f;    // 2^23 + 2^22: adding it leaves no room for a fraction
constexpr std::array<Int, 12> kDistances{1, 2, 3, 4, 5, 7, 10, 14, 19, 29, 49, 79};
constexpr Size kDistanceClasses = 2 * (kDistances.size() + 1) + 1;

// The whole number nearest to sum * step, the even one of two, within `most`.
ARCLIFT_INLINE Int scaled(Int sum, float step, float most = kMostExact) {
    const float product = static_cast<float>(sum) * step;
    const float bounded = std::min(std::max(product, -most), most);
    return static_cast<Int>((bounded + kRounding) - kRounding);
}

ARCLIFT_INLINE Int within(Int value, Int least, Int most) { return std::min(std::max(value, least), most); }

// --- loops between the products, compiled for each instruction set -------------------------------------------

ARCLIFT_INLINE void scale_loops(const Int* __restrict sums, const float* __restrict step, Size n, Int* __restrict y) {
    for (Size j = 0; j < n; ++j) y[j] = scaled(sums[j], step[j]);
}

ARCLIFT_INLINE void rectify_loops(const Int* __restrict sums, const float* __restrict step, const Int* __restrict bias,
                                  Size n, UByte* __restrict y) {
    for (Size j = 0; j < n; ++j) y[j] = static_cast<UByte>(within(scaled(sums[j], step[j]) + bias[j], 0, 255));
}

ARCLIFT_INLINE void turn_loops(const Int* __restrict sums, const float* __restrict step, Size n, Byte* __restrict y) {
    for (Size j = 0; j < n; ++j) y[j] = static_cast<Byte>(scaled(sums[j], step[j], kByte));
}

// One step of n recurrent cells; the output is what the next step and layer read: 128 is added to it.
ARCLIFT_INLINE void cell_loops(const Int* __restrict sums, const float* __restrict step, Size n, Int* __restrict cell,
                               UByte* __restrict out) {
    constexpr float open_wide = 2.0f * kOne;
    for (Size j = 0; j < n; ++j) {
        const Int keep = (scaled(sums[j], step[j], open_wide) >> 2) + kOne / 2;
        const Int fresh = scaled(sums[n + j], step[n + j], kOne);
        const Int open = (scaled(sums[2 * n + j], step[2 * n + j], open_wide) >> 2) + kOne / 2;
        cell[j] = fresh + ((keep * (cell[j] - fresh) + kOne / 2) >> 12);
        const Int output = (open * cell[j] + kOne / 2) >> 12;
        out[j] = static_cast<UByte>(within((output + 16) >> 5, -kByte, kByte) + 128);
    }
}

#if ARCLIFT_X86 && !defined(_MSC_VER)
#define WIDE ARCLIFT_TARGET("avx512f,avx512bw,avx512dq,avx512vl,prefer-vector-width=512")

WIDE inline __m512i scaled_wide(const Int* sums, const float* step, float most) {
    const __m512 product = _mm512_mul_ps(_mm512_cvtepi32_ps(_mm512_loadu_si512(sums)), _mm512_loadu_ps(step));
    const __m512 bounded = _mm512_min_ps(_mm512_max_ps(product, _mm512_set1_ps(-most)), _mm512_set1_ps(most));
    return _mm512_cvt_roundps_epi32(bounded, _MM_FROUND_TO_NEAREST_INT | _MM_FROUND_NO_EXC);
}

// a * b / 2^12, rounded, for numbers within 16 bits of which a is not negative: the upper halves of a are 0.
WIDE inline __m512i product_wide(__m512i a, __m512i b) {
    return _mm512_srai_epi32(_mm512_add_epi32(_mm512_madd_epi16(a, b), _mm512_set1_epi32(kOne / 2)), 12);
}

WIDE void cell_wide(const Int* sums, const float* step, Size n, Int* cell, UByte* out) {
    constexpr float open_wide = 2.0f * kOne;
    const __m512i half = _mm512_set1_epi32(kOne / 2);
    for (Size j = 0; j < n; j += 16) {
        const __m512i keep = _mm512_add_epi32(_mm512_srai_epi32(scaled_wide(sums + j, step + j, open_wide), 2), half);
        const __m512i fresh = scaled_wide(sums + n + j, step + n + j, kOne);
        const __m512i open = _mm512_add_epi32(_mm512_srai_epi32(scaled_wide(sums + 2 * n + j, step + 2 * n + j, open_wide), 2), half);
        const __m512i before = _mm512_loadu_si512(cell + j);
        const __m512i now = _mm512_add_epi32(fresh, product_wide(keep, _mm512_sub_epi32(before, fresh)));
        _mm512_storeu_si512(cell + j, now);
        const __m512i output = _mm512_srai_epi32(_mm512_add_epi32(product_wide(open, now), _mm512_set1_epi32(16)), 5);
        const __m128i bytes = _mm_max_epi8(_mm512_cvtsepi32_epi8(output), _mm_set1_epi8(-kByte));
        _mm_storeu_si128(reinterpret_cast<__m128i*>(out + j), _mm_xor_si128(bytes, _mm_set1_epi8(-128)));
    }
}
#endif

// The first of the greatest of y[0, n) after the biases of distance are added.
ARCLIFT_INLINE Size best_loops(Int* __restrict y, const Int* __restrict bias, Size n) {
    for (Size j = 0; j < n; ++j) y[j] += bias[j];
    Int most = y[0];
    for (Size j = 1; j < n; ++j) most = std::max(most, y[j]);
    Size best = 0;
    while (y[best] != most) ++best;
    return best;
}

ARCLIFT_INLINE void label_loops(const Int* __restrict head, const Int* __restrict dependent, const Int* __restrict bias,
                                Size n, UByte* __restrict y) {
    for (Size j = 0; j < n; ++j) {
        const Int sum = std::max(head[j] + dependent[j] + bias[j], 0);
        y[j] = static_cast<UByte>(std::min((sum + kFiner / 2) / kFiner, 255));
    }
}

ARCLIFT_INLINE void add_loops(const Short* __restrict x, Size n, Int* __restrict y) {
    for (Size j = 0; j < n; ++j) y[j] += x[j];
}

ARCLIFT_INLINE void normal_loops(const Int* __restrict sums, Size n, double small, UByte* __restrict y) {
    const auto width = static_cast<Int>(n);
    Int total = 0;
    for (Size j = 0; j < n; ++j) total += sums[j];
    std::int64_t squares = 0;
    for (Size j = 0; j < n; ++j) squares += static_cast<std::int64_t>(sums[j]) * sums[j];
    const std::int64_t spread = width * squares - static_cast<std::int64_t>(total) * total;
    const auto factor = static_cast<float>(kNormal / std::sqrt(static_cast<double>(spread) + small));
    for (Size j = 0; j < n; ++j) y[j] = static_cast<UByte>(scaled(sums[j] * width - total, factor, kByte) + 128);
}

struct Loops {
    void (*scale)(const Int*, const float*, Size, Int*);
    void (*rectify)(const Int*, const float*, const Int*, Size, UByte*);
    void (*turn)(const Int*, const float*, Size, Byte*);
    void (*cell)(const Int*, const float*, Size, Int*, UByte*);
    Size (*best)(Int*, const Int*, Size);
    void (*label)(const Int*, const Int*, const Int*, Size, UByte*);
    void (*add)(const Short*, Size, Int*);
    void (*normal)(const Int*, Size, double, UByte*);
};

#define LOOPS(isa, target, cell)                                                                                      \
    target void scale_##isa(const Int* s, const float* t, Size n, Int* y) { scale_loops(s, t, n, y); }                \
    target void rectify_##isa(const Int* s, const float* t, const Int* b, Size n, UByte* y) { rectify_loops(s, t, b, n, y); } \
    target void turn_##isa(const Int* s, const float* t, Size n, Byte* y) { turn_loops(s, t, n, y); }                 \
    target Size best_##isa(Int* y, const Int* b, Size n) { return best_loops(y, b, n); }                              \
    target void label_##isa(const Int* h, const Int* d, const Int* b, Size n, UByte* y) { label_loops(h, d, b, n, y); } \
    target void add_##isa(const Short* x, Size n, Int* y) { add_loops(x, n, y); }                                     \
    target void normal_##isa(const Int* s, Size n, double e, UByte* y) { normal_loops(s, n, e, y); }                  \
    constexpr Loops loops_##isa{scale_##isa, rectify_##isa, turn_##isa, cell,                                         \
                                best_##isa,  label_##isa,   add_##isa,  normal_##isa};

void cell_baseline(const Int* s, const float* t, Size n, Int* c, UByte* o) { cell_loops(s, t, n, c, o); }
LOOPS(baseline, , cell_baseline)
#if ARCLIFT_X86 && !defined(_MSC_VER)
ARCLIFT_TARGET("avx2") void cell_avx2(const Int* s, const float* t, Size n, Int* c, UByte* o) { cell_loops(s, t, n, c, o); }
LOOPS(avx2, ARCLIFT_TARGET("avx2"), cell_avx2)
LOOPS(avx512, WIDE, cell_wide)
#endif

const Loops& loops() {
#if ARCLIFT_X86 && !defined(_MSC_VER)
    if (cpu() >= Cpu::avx512) return loops_avx512;
    if (cpu() >= Cpu::avx2) return loops_avx2;
#endif
    return loops_baseline;
}

// --- words -----------------------------------------------------------------------------------------------------

class GraphWords {
public:
    GraphWords(const Matrix<Byte>& embeddings, Size columns)
        : embeddings_(embeddings.data(), embeddings.data() + embeddings.size()), values_(embeddings.shape(0)),
          width_(embeddings.shape(1)), sums_(columns) {}

    Size width() const { return width_; }
    Size columns() const { return sums_.size(); }
    Size count(Size column) const { return sums_.at(column).size() / std::max<Size>(width_, 1); }
    const Short* sum(Size column, Int string) const { return &sums_[column][static_cast<Size>(string) * width_]; }

    // Sums of rare strings are far away: they are asked for before they are needed.
    void prefetch(Size column, Int string) const {
#if defined(__GNUC__)
        const auto* from = reinterpret_cast<const char*>(sum(column, string));
        for (Size byte = 0; byte < width_ * sizeof(Short); byte += 64) __builtin_prefetch(from + byte);
#else
        (void)column, (void)string;
#endif
    }

    void extend(Size column, const Matrix<Int>& rows) {
        if (column >= sums_.size()) throw nb::value_error("no such column");
        for (Size k = 0; k < rows.size(); ++k)
            if (rows.data()[k] >= static_cast<Int>(values_)) throw nb::value_error("no such row of the embeddings");
        if (rows.shape(1) > kMostRows) throw nb::value_error("a string has at most 256 embeddings");
        nb::gil_scoped_release release;
        auto& sums = sums_[column];
        for (Size s = 0; s < rows.shape(0); ++s) {
            sums.resize(sums.size() + width_);
            Short* to = sums.data() + sums.size() - width_;
            for (Size k = 0; k < rows.shape(1); ++k) {
                const Int row = rows(s, k);
                if (row < 0) continue;
                const Byte* from = &embeddings_[static_cast<Size>(row) * width_];
                for (Size j = 0; j < width_; ++j) to[j] = static_cast<Short>(to[j] + from[j]);
            }
        }
    }

private:
    std::vector<Byte> embeddings_;
    Size values_, width_;
    std::vector<std::vector<Short>> sums_;
};

// --- the network -----------------------------------------------------------------------------------------------

// Takes arrays out of a dictionary that the twin has checked.
class Source {
public:
    explicit Source(const nb::dict& arrays) : arrays_(arrays) {}

    template <typename T, int kDimensions>
    auto get(const std::string& name) const {
        return nb::cast<nb::ndarray<const T, nb::ndim<kDimensions>, nb::c_contig, nb::device::cpu>>(arrays_[name.c_str()]);
    }
    template <typename T>
    std::vector<T> list(const std::string& name) const {
        const auto array = get<T, 1>(name);
        return {array.data(), array.data() + array.size()};
    }
    bool has(const std::string& name) const { return arrays_.contains(name.c_str()); }

private:
    const nb::dict& arrays_;
};

struct Product {
    ByteMatrix matrix;
    std::vector<float> step;

    Product(const Source& source, const std::string& name, bool centred) : step(source.list<float>(name + "_step")) {
        const auto weights = source.get<Byte, 2>(name);
        matrix.set(weights.data(), weights.shape(0), weights.shape(1), weights.shape(1), centred);
    }
};

// One layer, [0] forwards and [1] backwards.
struct Layer {
    ByteMatrix inputs[2], states[2];
    std::vector<float> step[2];

    Layer(const Source& source, const std::string& number) {
        const auto weights = source.get<Byte, 2>("inputs" + number);
        const auto of_states = source.get<Byte, 3>("states" + number);
        const std::vector<Int> bias = source.list<Int>("bias" + number);
        const std::vector<float> steps = source.list<float>("gates" + number + "_step");
        const Size state = of_states.shape(1), gates = of_states.shape(2);
        for (Size way = 0; way < 2; ++way) {
            inputs[way].set(weights.data() + way * gates, weights.shape(0), gates, 2 * gates, true);
            states[way].set(of_states.data() + way * state * gates, state, gates, gates, true);
            for (Size j = 0; j < gates; ++j) inputs[way].start()[j] += states[way].start()[j] + bias[way * gates + j];
            const auto from = steps.begin() + static_cast<std::ptrdiff_t>(way * gates);
            step[way].assign(from, from + static_cast<std::ptrdiff_t>(gates));
        }
    }
};

// Sentences that take their steps together, longest first. Their words stand either sentence after sentence, or
// *packed*: the first words of all sentences, then the second ones, and so on (arclift.graph.packing).
struct Batch {
    struct Sentence {
        Size word, length, from;  // its first word in the call and in the batch
    };
    std::vector<Sentence> sentences;
    std::vector<Size> begins;  // of each step in the packed order, and the number of words
    Size words = 0;

    void clear() {
        sentences.clear();
        words = 0;
    }

    void add(Size word, Size length) {
        sentences.push_back({word, length, words});
        words += length;
    }

    void pack() {
        begins.assign(1, 0);
        Size going = sentences.size();
        for (Size step = 0; step < sentences[0].length; ++step) {
            while (sentences[going - 1].length <= step) --going;
            begins.push_back(begins.back() + going);
        }
    }

    Size steps() const { return begins.size() - 1; }
    Size going(Size step) const { return begins[step + 1] - begins[step]; }
};

// What one run needs besides; nothing in it outlives a call.
struct Room {
    Batch batch;
    Aligned<UByte> x, ways[2], out[2], heads, dependents, hidden;
    Aligned<Byte> turned;
    Aligned<Int> sums, label_heads, label_dependents, scores, cells;
    std::vector<Int> distance;  // of a sentence too long for the common table
    std::vector<double> table;
    std::vector<std::uint8_t> seen;
    ByteMatrix arcs;
    Tiles tiles;
};

class GraphScorer {
public:
    explicit GraphScorer(const nb::dict& arrays) {
        nb::module_::import_("arclift.graph.scorer").attr("check")(arrays);
        const Source source(arrays);
        for (Size n = 0; source.has("inputs" + std::to_string(n)); ++n) layers_.emplace_back(source, std::to_string(n));
        embedding_ = source.get<Byte, 2>("inputs0").shape(0);
        state_ = source.get<Byte, 3>("states0").shape(1);
        arc_ = source.get<Byte, 2>("head").shape(1);
        label_ = source.get<Byte, 2>("label").shape(0);
        labels_ = source.get<Byte, 2>("label").shape(1);
        small_ = source.get<double, 1>("small")(0);
        arc_unit_ = source.get<double, 1>("units")(0);
        label_unit_ = source.get<double, 1>("units")(1);
        for (const char* name : {"head", "dependent", "label_head", "label_dependent"})
            scorers_.emplace_back(source, name, true);
        scorers_.emplace_back(source, "bilinear", false);
        head_bias_ = source.list<Int>("head_bias");
        dependent_bias_ = source.list<Int>("dependent_bias");
        label_bias_ = source.list<Int>("label_bias");
        root_turned_ = source.list<Byte>("root_turned");
        root_label_ = source.list<Int>("root_label");
        distance_ = source.list<Int>("distance");
        label_out_ = source.list<Int>("label_out");
        distances_ = distances(kLongest);
        const auto label = source.get<Byte, 2>("label");
        label_matrix_.set(label.data(), label_, labels_, labels_, false);
    }

    auto parse(const GraphWords& words, const Matrix<Int>& ids, const Offsets& offsets, bool single_root) const {
        check(words, ids, offsets);
        std::vector<Int> heads(ids.shape(0)), labels(ids.shape(0));
        {
            nb::gil_scoped_release release;
            Room room;
            for_each_batch(offsets, room.batch, [&] {
                scored(words, ids, room);
                for (const Batch::Sentence& sentence : room.batch.sentences) {
                    attach(sentence, single_root, room, heads.data() + sentence.word);
                    hide(sentence, heads.data() + sentence.word, room);
                }
                name(room, labels.data());
            });
        }
        return std::make_tuple(to_numpy(std::move(heads)), to_numpy(std::move(labels)));
    }

    auto labels_of(const GraphWords& words, const Matrix<Int>& ids, const Offsets& offsets, const Array<Int>& heads) const {
        check(words, ids, offsets);
        check_values(heads, ids.shape(0), offsets);
        std::vector<Int> labels(ids.shape(0));
        {
            nb::gil_scoped_release release;
            Room room;
            for_each_batch(offsets, room.batch, [&] {
                scored(words, ids, room);
                for (const Batch::Sentence& sentence : room.batch.sentences) hide(sentence, heads.data() + sentence.word, room);
                name(room, labels.data());
            });
        }
        return to_numpy(std::move(labels));
    }

    auto log_probabilities(const GraphWords& words, const Matrix<Int>& ids, const Offsets& offsets, const Array<Int>& heads,
                           const Array<Int>& labels) const {
        check(words, ids, offsets);
        check_values(heads, ids.shape(0), offsets);
        if (labels.size() != ids.shape(0)) throw nb::value_error("one label a word");
        for (Size w = 0; w < labels.size(); ++w)
            if (labels(w) < 0 || labels(w) >= static_cast<Int>(labels_)) throw nb::value_error("no such label");
        std::vector<double> of_heads(ids.shape(0)), of_labels(ids.shape(0));
        {
            nb::gil_scoped_release release;
            Room room;
            for_each_batch(offsets, room.batch, [&] {
                scored(words, ids, room);
                for (const Batch::Sentence& sentence : room.batch.sentences) {
                    weigh_heads(sentence, room, heads.data() + sentence.word, of_heads.data() + sentence.word);
                    hide(sentence, heads.data() + sentence.word, room);
                }
                weigh_labels(room, labels.data(), of_labels.data());
            });
        }
        return std::make_tuple(to_numpy(std::move(of_heads)), to_numpy(std::move(of_labels)));
    }

    auto arc_scores(const GraphWords& words, const Matrix<Int>& ids) const {
        const Size n = ids.shape(0);
        check_ids(words, ids);
        std::vector<Int> table(n * (n + 1));
        if (n) {
            nb::gil_scoped_release release;
            Room room;
            room.batch.add(0, n);
            room.batch.pack();
            scored(words, ids, room);
            const Int* scores = score_arcs(room.batch.sentences[0], room);
            const Size width = room.arcs.outputs();
            for (Size d = 0; d < n; ++d) {
                const Int* bias = distances_from(d + 1, room);
                for (Size h = 1; h <= n; ++h) table[d * (n + 1) + h] = scores[d * width + h] + bias[h];
                table[d * (n + 1)] = scores[d * width] + distance_[0];
            }
        }
        return to_numpy(std::move(table), n, n + 1);
    }

private:
    enum { kHead, kDependent, kLabelHead, kLabelDependent, kBilinear };

    void check_ids(const GraphWords& words, const Matrix<Int>& ids) const {
        if (words.width() != embedding_ || words.columns() != ids.shape(1)) throw nb::value_error("words of another network");
        for (Size k = 0; k < ids.shape(1); ++k) {
            const auto most = static_cast<Int>(words.count(k));
            for (Size w = 0; w < ids.shape(0); ++w)
                if (ids(w, k) < 0 || ids(w, k) >= most) throw nb::value_error("no such string");
        }
    }

    void check(const GraphWords& words, const Matrix<Int>& ids, const Offsets& offsets) const {
        check_ids(words, ids);
        if (!offsets.size() || offsets(0) != 0 || offsets(offsets.size() - 1) != static_cast<std::int64_t>(ids.shape(0)))
            throw nb::value_error("offsets must begin at 0 and end at the number of words");
        for (Size s = 1; s < offsets.size(); ++s)
            if (offsets(s) < offsets(s - 1)) throw nb::value_error("offsets must not decrease");
    }

    static void check_values(const Array<Int>& heads, Size words, const Offsets& offsets) {
        if (heads.size() != words) throw nb::value_error("one head a word");
        for (Size s = 0; s + 1 < offsets.size(); ++s)
            for (auto w = offsets(s); w < offsets(s + 1); ++w) {
                const std::int64_t head = heads(static_cast<Size>(w));
                if (head < 0 || head > offsets(s + 1) - offsets(s) || head == w - offsets(s) + 1) throw nb::value_error("no such head");
            }
    }

    // Sentences of about the same length go together, longest first.
    template <typename Use>
    static void for_each_batch(const Offsets& offsets, Batch& batch, Use use) {
        const auto length = [&](Size s) { return static_cast<Size>(offsets(s + 1) - offsets(s)); };
        std::vector<Size> order;
        for (Size s = 0; s + 1 < offsets.size(); ++s)
            if (length(s)) order.push_back(s);
        std::stable_sort(order.begin(), order.end(), [&](Size a, Size b) { return length(a) > length(b); });
        for (Size s = 0; s < order.size();) {
            batch.clear();
            do {
                batch.add(static_cast<Size>(offsets(order[s])), length(order[s]));
                ++s;
            } while (s < order.size() && batch.sentences.size() < kSentences && batch.words + length(order[s]) <= kWords);
            batch.pack();
            use();
        }
    }

    // Everything but the arcs: vectors of the words and what the scorers make of each.
    void scored(const GraphWords& words, const Matrix<Int>& ids, Room& room) const {
        vectors(words, ids, room);
        scorers(room.batch.words, room);
        room.hidden.room(room.batch.words * label_);
    }

    // The vectors of the words of a batch as bytes with 128 added, sentence after sentence, in room.x.
    void vectors(const GraphWords& words, const Matrix<Int>& ids, Room& room) const {
        const Batch& batch = room.batch;
        const Size widest = std::max(embedding_, 2 * state_);
        for (auto& way : room.ways) way.room(batch.words * widest);
        embed(words, ids, room);
        for (Size number = 0; number < layers_.size(); ++number) {
            for (Size way = 0; way < 2; ++way) run(layers_[number], way, number ? 2 * state_ : embedding_, room);
            if (number + 1 < layers_.size()) join(batch, room);
        }
        UByte* x = room.x.room(batch.words * 2 * state_);
        each_word(batch, [&](const Batch::Sentence& sentence, Size place, Size forth, Size back) {
            UByte* to = x + (sentence.from + place) * 2 * state_;
            std::memcpy(to, room.out[0].begin() + forth * state_, state_);
            std::memcpy(to + state_, room.out[1].begin() + back * state_, state_);
        });
    }

    // use(sentence, place of the word in it, its packed place, its packed place counted from the end)
    template <typename Use>
    static void each_word(const Batch& batch, Use use) {
        for (Size s = 0; s < batch.sentences.size(); ++s) {
            const Batch::Sentence& sentence = batch.sentences[s];
            for (Size place = 0; place < sentence.length; ++place)
                use(sentence, place, batch.begins[place] + s, batch.begins[sentence.length - 1 - place] + s);
        }
    }

    void embed(const GraphWords& words, const Matrix<Int>& ids, Room& room) const {
        const Loops& loop = loops();
        Int* sum = room.cells.room(embedding_);
        each_word(room.batch, [&](const Batch::Sentence& sentence, Size place, Size forth, Size back) {
            const Size columns = ids.shape(1);
            const Int* strings = ids.data() + (sentence.word + place) * columns;
            if (place + 1 < sentence.length)
                for (Size k = 0; k < columns; ++k) words.prefetch(k, strings[columns + k]);
            std::fill_n(sum, embedding_, 0);
            for (Size k = 0; k < columns; ++k) loop.add(words.sum(k, strings[k]), embedding_, sum);
            UByte* to = room.ways[0].begin() + forth * embedding_;
            loop.normal(sum, embedding_, small_, to);
            std::memcpy(room.ways[1].begin() + back * embedding_, to, embedding_);
        });
    }

    // One direction of a layer: from room.ways to room.out, both packed.
    void run(const Layer& layer, Size way, Size width, Room& room) const {
        const Loops& loop = loops();
        const Batch& batch = room.batch;
        const Size gates = 3 * state_, sentences = batch.sentences.size();
        Int* sums = room.sums.room(batch.words * gates);
        layer.inputs[way].multiply(room.ways[way].begin(), width, batch.words, sums);
        UByte* out = room.out[way].room(batch.words * state_);
        Int* cells = room.cells.room(sentences * state_);
        std::fill_n(cells, sentences * state_, 0);
        UByte* nothing = room.hidden.room(state_);
        std::fill_n(nothing, state_, UByte(128));
        for (Size step = 0; step < batch.steps(); ++step) {
            const Size begin = batch.begins[step], going = batch.going(step);
            const UByte* before = step ? out + batch.begins[step - 1] * state_ : nothing;
            layer.states[way].add(before, step ? state_ : 0, going, sums + begin * gates);
            for (Size s = 0; s < going; ++s)
                loop.cell(sums + (begin + s) * gates, layer.step[way].data(), state_, cells + s * state_, out + (begin + s) * state_);
        }
    }

    // What the directions of one layer gave, side by side, as what comes into both of the next.
    void join(const Batch& batch, Room& room) const {
        each_word(batch, [&](const Batch::Sentence&, Size, Size forth, Size back) {
            UByte* to = room.ways[0].begin() + forth * 2 * state_;
            std::memcpy(to, room.out[0].begin() + forth * state_, state_);
            std::memcpy(to + state_, room.out[1].begin() + back * state_, state_);
            std::memcpy(room.ways[1].begin() + back * 2 * state_, to, 2 * state_);
        });
    }

    void scorers(Size n, Room& room) const {
        const Loops& loop = loops();
        const UByte* x = room.x.begin();
        const Size width = 2 * state_, most = kRows * std::max(arc_, label_);
        UByte *heads = room.heads.room(n * arc_), *dependents = room.dependents.room(n * arc_);
        Int *of_heads = room.label_heads.room(n * label_), *of_dependents = room.label_dependents.room(n * label_);
        Int* sums = room.sums.room(most);
        const auto product = [&](int which, const UByte* from, Size stride, Size rows, auto use) {
            const Product& by = scorers_[static_cast<Size>(which)];
            by.matrix.multiply(from, stride, rows, sums);
            for (Size r = 0; r < rows; ++r) use(r, sums + r * by.matrix.outputs(), by.step.data());
        };
        Byte* turned = room.turned.room(n * arc_);
        for (Size w = 0; w < n; w += kRows) {
            const Size rows = std::min(kRows, n - w);
            const UByte* from = x + w * width;
            product(kHead, from, width, rows, [&](Size r, const Int* s, const float* step) {
                loop.rectify(s, step, head_bias_.data(), arc_, heads + (w + r) * arc_);
            });
            product(kDependent, from, width, rows, [&](Size r, const Int* s, const float* step) {
                loop.rectify(s, step, dependent_bias_.data(), arc_, dependents + (w + r) * arc_);
            });
            product(kLabelHead, from, width, rows, [&](Size r, const Int* s, const float* step) {
                loop.scale(s, step, label_, of_heads + (w + r) * label_);
            });
            product(kLabelDependent, from, width, rows, [&](Size r, const Int* s, const float* step) {
                loop.scale(s, step, label_, of_dependents + (w + r) * label_);
            });
            product(kBilinear, heads + w * arc_, arc_, rows, [&](Size r, const Int* s, const float* step) {
                loop.turn(s, step, arc_, turned + (w + r) * arc_);
            });
        }
    }

    // The heads of one sentence, the root before them, as a matrix, and the biases of its distances.
    void prepare_arcs(const Batch::Sentence& sentence, Room& room) const {
        const Size n = sentence.length;
        room.distance = n > kLongest ? distances(n) : std::vector<Int>();
        room.arcs.open(arc_, n + 1);
        room.arcs.put(0, root_turned_.data());
        for (Size h = 0; h < n; ++h) room.arcs.put(h + 1, room.turned.begin() + (sentence.from + h) * arc_);
    }

    // The scores of all arcs in rows of room.arcs.outputs(), without the biases of distance.
    Int* score_arcs(const Batch::Sentence& sentence, Room& room) const {
        prepare_arcs(sentence, room);
        Int* scores = room.scores.room(sentence.length * room.arcs.outputs());
        room.arcs.multiply(room.dependents.begin() + sentence.from * arc_, arc_, sentence.length, scores);
        return scores;
    }

    // [h] is the bias of the arc from head h to this word; not for the root.
    const Int* distances_from(Size word, Room& room) const {
        return (room.distance.empty() ? distances_.data() + kLongest : &room.distance[room.distance.size() / 2]) - word;
    }

    // The bias of each distance from -reach to reach.
    std::vector<Int> distances(Size reach) const {
        std::vector<Int> biases;
        const auto most = static_cast<Int>(reach);
        for (Int difference = -most; difference <= most; ++difference) {
            const auto size = std::lower_bound(kDistances.begin(), kDistances.end(), std::abs(difference)) - kDistances.begin();
            const Size base = difference < 0 ? 1 : 2 + kDistances.size();
            biases.push_back(distance_[base + static_cast<Size>(size)]);
        }
        return biases;
    }

    // Adds the biases to the scores of the heads of a word, 0..n, and returns the best head but itself.
    Size best_head(Size word, Size n, Room& room, Int* row) const {
        const Int* bias = distances_from(word, room);
        const Int own = row[word];
        row[0] += distance_[0] - bias[0];
        row[word] = -kForbiddenScore;
        const Size best = loops().best(row, bias, n + 1);
        row[word] = own + bias[word];
        return best;
    }

    void attach(const Batch::Sentence& sentence, bool single_root, Room& room, Int* heads) const {
        const Size n = sentence.length;
        if (n > kLongest) return attach_row_by_row(sentence, room, heads);
        Int* scores = score_arcs(sentence, room);
        const Size width = room.arcs.outputs();
        for (Size d = 0; d < n; ++d) heads[d] = static_cast<Int>(best_head(d + 1, n, room, scores + d * width));
        if (is_tree(heads, n, single_root, room.seen)) return;
        room.table.assign((n + 1) * (n + 1), kForbidden);
        for (Size d = 1; d <= n; ++d)
            for (Size h = 0; h <= n; ++h)
                if (h != d) room.table[h * (n + 1) + d] = scores[(d - 1) * width + h];
        Contraction tree(room.table.data(), n + 1, single_root);
        tree.run();
        const std::vector<Int> found = tree.heads();
        std::copy(found.begin(), found.end(), heads);
    }

    // The best heads of a sentence whose table of scores might not fit into memory.
    void attach_row_by_row(const Batch::Sentence& sentence, Room& room, Int* heads) const {
        prepare_arcs(sentence, room);
        Int* row = room.scores.room(room.arcs.outputs());
        for (Size d = 0; d < sentence.length; ++d) {
            room.arcs.multiply(room.dependents.begin() + (sentence.from + d) * arc_, arc_, 1, row);
            heads[d] = static_cast<Int>(best_head(d + 1, sentence.length, room, row));
        }
    }

    static bool is_tree(const Int* heads, Size n, bool single_root, std::vector<std::uint8_t>& seen) {
        enum : std::uint8_t { kNew, kOnTheWay, kDone };
        seen.assign(n + 1, kNew);
        seen[0] = kDone;
        Size roots = 0;
        for (Size w = 1; w <= n; ++w) {
            roots += heads[w - 1] == 0;
            Size up = w;
            while (seen[up] == kNew) {
                seen[up] = kOnTheWay;
                up = static_cast<Size>(heads[up - 1]);
            }
            if (seen[up] == kOnTheWay) return false;
            for (up = w; seen[up] == kOnTheWay; up = static_cast<Size>(heads[up - 1])) seen[up] = kDone;
        }
        return roots == 1 || (roots && !single_root);
    }

    // The hidden layer of the labels of one sentence, for the arcs chosen.
    void hide(const Batch::Sentence& sentence, const Int* heads, Room& room) const {
        for (Size w = 0; w < sentence.length; ++w) {
            const auto head = static_cast<Size>(heads[w]);
            const Int* of_head = head ? room.label_heads.begin() + (sentence.from + head - 1) * label_ : root_label_.data();
            const Size word = (sentence.from + w) * label_;
            loops().label(of_head, room.label_dependents.begin() + word, label_bias_.data(), label_, room.hidden.begin() + word);
        }
    }

    void name(Room& room, Int* labels) const {
        const Size width = label_matrix_.outputs(), n = room.batch.words;
        Int* sums = room.sums.room(n * width);
        label_matrix_.multiply(room.hidden.begin(), label_, n, sums);
        for (const Batch::Sentence& sentence : room.batch.sentences)
            for (Size w = 0; w < sentence.length; ++w)
                labels[sentence.word + w] = static_cast<Int>(loops().best(sums + (sentence.from + w) * width, label_out_.data(), labels_));
    }

    // The logarithm of the share of one score in a softmax of many, the scores being in steps of `unit`.
    static double log_share(const Int* scores, Size n, Int one, double unit) {
        const Int most = *std::max_element(scores, scores + n);
        double sum = 0;
        for (Size j = 0; j < n; ++j) sum += std::exp(static_cast<double>(scores[j] - most) * unit);
        return static_cast<double>(one - most) * unit - std::log(sum);
    }

    // The log-probability of the head of each word; row by row, so that the table of a long sentence never stands in memory.
    void weigh_heads(const Batch::Sentence& sentence, Room& room, const Int* heads, double* out) const {
        prepare_arcs(sentence, room);
        const Size n = sentence.length;
        Int* row = room.scores.room(room.arcs.outputs());
        for (Size d = 0; d < n; ++d) {
            room.arcs.multiply(room.dependents.begin() + (sentence.from + d) * arc_, arc_, 1, row);
            const Int* bias = distances_from(d + 1, room);
            for (Size h = 1; h <= n; ++h) row[h] += bias[h];
            row[0] += distance_[0];
            const Int chosen = row[heads[d]];
            row[d + 1] = row[n];  // a word is no head of its own: the last one takes its place
            out[d] = log_share(row, n, chosen, arc_unit_);
        }
    }

    // The log-probabilities of the labels of a batch whose hidden layer is there.
    void weigh_labels(Room& room, const Int* labels, double* out) const {
        const Size width = label_matrix_.outputs(), n = room.batch.words;
        Int* sums = room.sums.room(n * width);
        label_matrix_.multiply(room.hidden.begin(), label_, n, sums);
        for (const Batch::Sentence& sentence : room.batch.sentences)
            for (Size w = 0; w < sentence.length; ++w) {
                Int* row = sums + (sentence.from + w) * width;
                for (Size j = 0; j < labels_; ++j) row[j] += label_out_[j];
                out[sentence.word + w] = log_share(row, labels_, row[labels[sentence.word + w]], label_unit_);
            }
    }

    static constexpr Int kForbiddenScore = 1 << 30;

    std::vector<Layer> layers_;
    std::vector<Product> scorers_;
    ByteMatrix label_matrix_;
    Size embedding_, state_, arc_, label_, labels_;
    double small_, arc_unit_, label_unit_;
    std::vector<Int> head_bias_, dependent_bias_, label_bias_, root_label_, distance_, distances_, label_out_;
    std::vector<Byte> root_turned_;
};

}  // namespace

void bind_graph(nb::module_& m) {
    nb::class_<GraphWords>(m, "GraphWords")
        .def(nb::init<const Matrix<Byte>&, Size>())
        .def("count", &GraphWords::count)
        .def("extend", &GraphWords::extend);
    nb::class_<GraphScorer>(m, "GraphScorer")
        .def(nb::init<const nb::dict&>())
        .def("parse", &GraphScorer::parse)
        .def("labels_of", &GraphScorer::labels_of)
        .def("log_probabilities", &GraphScorer::log_probabilities)
        .def("arc_scores", &GraphScorer::arc_scores);
}

}  // namespace arclift
