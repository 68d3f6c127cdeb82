// Greedy parsing and beam search: rules, feature programs and a learner's scores in one loop.
// Twin: arclift.parsing.engine.Machine
#include "configuration.hpp"
#include "scorer.hpp"

#include <nanobind/stl/tuple.h>
#include <nanobind/stl/vector.h>

#include <cmath>
#include <limits>
#include <tuple>

namespace arclift {
namespace {

constexpr std::int32_t kNothing = 0, kRootValue = 1, kFirst = 3, kNoNode = -1;
constexpr std::int32_t kGreatestLabel = 1 << 30;

// The numbers of arclift.features.program.Find and Read.
enum Find : std::int32_t { kStack, kInput, kSecond, kLookahead, kReturned, kHead, kLeftChild, kRightChild, kNext, kPrevious };
enum Read : std::int32_t { kWord, kLabel, kHistory, kDistance, kValency, kArcBetween };

class Features {
public:
    Features(const Matrix<std::int32_t>& nodes, const Matrix<std::int32_t>& cells, const std::vector<std::int32_t>& distances,
             std::int32_t greatest_valency)
        : nodes_(nodes.data(), nodes.data() + nodes.size()), cells_(cells.data(), cells.data() + cells.size()),
          distances_(distances), greatest_valency_(greatest_valency), found_(nodes.shape(0)) {
        if ((nodes.size() && nodes.shape(1) != 3) || cells.shape(1) != 4) throw nb::value_error("no feature program");
        const auto rows = static_cast<std::int32_t>(found_.size());
        for (std::size_t i = 0; i < found_.size(); ++i)
            if (nodes_[3 * i + 2] >= static_cast<std::int32_t>(i)) throw nb::value_error("a step from a later node");
        for (std::size_t i = 0; i < cells_.size(); i += 4)
            if (cells_[i + 2] >= rows || cells_[i + 3] >= rows || (cells_[i] != kHistory && cells_[i + 2] < 0) ||
                cells_[i + 1] < (cells_[i] == kHistory))
                throw nb::value_error("a cell reads what is not there");
    }

    std::size_t count() const { return cells_.size() / 4; }

    std::int32_t word_columns() const {
        std::int32_t highest = 0;
        for (std::size_t i = 0; i < cells_.size(); i += 4)
            if (cells_[i] == kWord) highest = std::max(highest, cells_[i + 1] + 1);
        return highest;
    }

    void row(const Configuration& state, const std::int32_t* words, std::size_t width, std::int32_t* out) {
        for (std::size_t i = 0; i < found_.size(); ++i) {
            const std::int32_t* find = &nodes_[3 * i];
            found_[i] = find[2] < 0 ? listed(state, find[0], find[1])
                                    : stepped(state, find[0], find[1], found_[static_cast<std::size_t>(find[2])]);
        }
        for (std::size_t i = 0; i < cells_.size(); i += 4) *out++ = value(state, words, width, &cells_[i]);
    }

private:
    // The item at a place counted from the front, which is the last, or from the far end.
    static std::int32_t from_front(const std::int32_t* items, std::size_t size, std::int32_t place) {
        const std::int64_t index = place >= 0 ? static_cast<std::int64_t>(size) - 1 - place : -1 - static_cast<std::int64_t>(place);
        return index >= 0 && index < static_cast<std::int64_t>(size) ? items[index] : kNoNode;
    }

    static std::int32_t listed(const Configuration& state, std::int32_t operation, std::int32_t place) {
        const auto& input = state.lists[1];
        switch (operation) {
            case kStack: return from_front(state.lists[0].data(), state.lists[0].size(), place);
            case kInput: return from_front(input.data(), input.size(), place);
            case kSecond: return from_front(state.lists[2].data(), state.lists[2].size(), place);
            case kLookahead: {
                const std::int64_t word = static_cast<std::int64_t>(state.lookahead) + place;
                return word >= 1 && word <= state.words ? static_cast<std::int32_t>(word) : kNoNode;
            }
            default: {  // kReturned
                const std::int32_t node = from_front(input.data(), input.size(), place);
                return node > 0 && node < state.lookahead ? node : kNoNode;
            }
        }
    }

    static std::int32_t stepped(const Configuration& state, std::int32_t operation, std::int32_t count, std::int32_t node) {
        if (node == kNoNode) return kNoNode;
        const auto at = static_cast<std::size_t>(node);
        if (operation == kHead) return state.head[at];
        if (operation == kLeftChild || operation == kRightChild) {
            std::int32_t child = (operation == kLeftChild ? state.left : state.right)[at];
            for (; child >= 0 && count > 1; --count) child = state.inward[static_cast<std::size_t>(child)];
            return child;
        }
        return sibling(state, node, operation == kNext);
    }

    static std::int32_t sibling(const Configuration& state, std::int32_t node, bool next) {
        const std::int32_t head = state.head[static_cast<std::size_t>(node)];
        if (head < 0) return kNoNode;
        const auto h = static_cast<std::size_t>(head);
        if (next == (node < head)) {  // towards the head, and across it
            const std::int32_t inner = state.inward[static_cast<std::size_t>(node)];
            return inner >= 0 ? inner : innermost(state, next ? state.right[h] : state.left[h]);
        }
        std::int32_t outer = kNoNode;
        for (std::int32_t word = next ? state.right[h] : state.left[h]; word != node; word = state.inward[static_cast<std::size_t>(word)])
            outer = word;
        return outer;
    }

    static std::int32_t innermost(const Configuration& state, std::int32_t word) {
        while (word >= 0 && state.inward[static_cast<std::size_t>(word)] >= 0) word = state.inward[static_cast<std::size_t>(word)];
        return word;
    }

    std::int32_t value(const Configuration& state, const std::int32_t* words, std::size_t width, const std::int32_t* cell) const {
        const std::int32_t operation = cell[0], argument = cell[1];
        if (operation == kHistory) {
            const auto back = static_cast<std::size_t>(argument);
            return back <= state.history.size() ? kFirst + state.history[state.history.size() - back] : kNothing;
        }
        const std::int32_t node = found_[static_cast<std::size_t>(cell[2])];
        const std::int32_t other = cell[3] >= 0 ? found_[static_cast<std::size_t>(cell[3])] : 1;
        if (node == kNoNode || other == kNoNode) return kNothing;
        if (node == 0 || other == 0) return kRootValue;
        const auto at = static_cast<std::size_t>(node);
        switch (operation) {
            case kWord: return words[(at - 1) * width + static_cast<std::size_t>(argument)];
            case kLabel: return state.label[at] < 0 ? kNothing : kFirst + state.label[at];
            case kValency: {
                const std::int32_t valency = (argument != 2 ? state.left_count[at] : 0) + (argument != 1 ? state.right_count[at] : 0);
                return kFirst + std::min(valency, greatest_valency_);
            }
            case kDistance: return kFirst + distance_class(other - node);
            default: return kFirst + (state.head[static_cast<std::size_t>(other)] == node ? 1 : state.head[at] == other ? 2 : 0);
        }
    }

    std::int32_t distance_class(std::int32_t distance) const {
        const auto middle = static_cast<std::int32_t>(distances_.size()) + 1;
        if (!distance) return middle;
        const auto upper = std::lower_bound(distances_.begin(), distances_.end(), std::abs(distance));
        const auto size = static_cast<std::int32_t>(upper - distances_.begin()) + 1;
        return distance > 0 ? middle + size : middle - size;
    }

    std::vector<std::int32_t> nodes_, cells_, distances_;
    std::int32_t greatest_valency_;
    std::vector<std::int32_t> found_;
};

struct System {
    Rules rules;
    Configuration::Root root;
    std::size_t final_sizes[3];

    bool is_final(const Configuration& state) const {
        for (int list = 0; list < 3; ++list)
            if (state.lists[list].size() > final_sizes[list]) return false;
        return true;
    }
};

System read_system(const Matrix<std::int32_t>& rows, const std::vector<std::int32_t>& bounds, std::int32_t root,
                   const std::vector<std::int64_t>& final_sizes) {
    if (rows.shape(1) != 3 || bounds.size() < 3 || bounds.size() % 2 == 0 || final_sizes.size() != 3 || root < 0 || root > 2)
        throw nb::value_error("no transition system");
    if (bounds.front() < 0 || bounds.back() > static_cast<std::int32_t>(rows.shape(0)) || !std::is_sorted(bounds.begin(), bounds.end()))
        throw nb::value_error("the rules do not lie within the program");
    for (std::size_t i = 0; i < rows.size(); i += 3) {
        const std::int32_t op = rows.data()[i], a = rows.data()[i + 1], b = rows.data()[i + 2];
        const bool of_list = op == kNeed || op == kLoad || (op >= kDrop && op <= kPush);
        const bool of_two = op == kPour || op == kExchange, counts = op == kNeed || op == kLoad || op == kDrop || op == kLastNot;
        if (op < kNeed || op > kArc || a < 0 || b < 0 || a >= (of_list ? 3 : Configuration::kRegisters) ||
            (!counts && b >= (of_two ? 3 : Configuration::kRegisters)))
            throw nb::value_error("no such operation");
    }
    System system{{{rows.data(), rows.data() + rows.size()}, bounds}, static_cast<Configuration::Root>(root), {}};
    for (int list = 0; list < 3; ++list)
        system.final_sizes[list] = final_sizes[static_cast<std::size_t>(list)] < 0 ? std::numeric_limits<std::size_t>::max()
                                                                                   : static_cast<std::size_t>(final_sizes[static_cast<std::size_t>(list)]);
    return system;
}

// Classes grouped by transition, in their own order, so that a transition that is not permitted is skipped whole.
struct Classes {
    std::vector<std::int32_t> transition, label;
    std::vector<std::vector<std::int32_t>> of;

    Classes(const Ints& transitions, const Ints& labels, std::size_t rules)
        : transition(transitions.data(), transitions.data() + transitions.size()), label(labels.data(), labels.data() + labels.size()), of(rules) {
        if (transition.size() != label.size()) throw nb::value_error("each class has a transition and a label");
        for (std::size_t c = 0; c < transition.size(); ++c) {
            if (transition[c] < 0 || static_cast<std::size_t>(transition[c]) >= rules) throw nb::value_error("no such transition");
            if (label[c] > kGreatestLabel) throw nb::value_error("a label is out of range");
            of[static_cast<std::size_t>(transition[c])].push_back(static_cast<std::int32_t>(c));
        }
    }
};

// Never changes after it is made; what a run needs besides is its own.
class Machine {
public:
    Machine(const Matrix<std::int32_t>& rows, const std::vector<std::int32_t>& bounds, std::int32_t root,
            const std::vector<std::int64_t>& final_sizes, const Matrix<std::int32_t>& nodes, const Matrix<std::int32_t>& cells,
            const std::vector<std::int32_t>& distances, std::int32_t greatest_valency, const Ints& transitions, const Ints& labels)
        : system_(read_system(rows, bounds, root, final_sizes)), features_(nodes, cells, distances, greatest_valency),
          classes_(transitions, labels, system_.rules.count()) {}

    auto decode(const Scorer& scorer, const Matrix<std::int32_t>& words, const Offsets& offsets, const Offsets& limits) const {
        check(scorer, words, offsets, limits);
        std::vector<std::int32_t> heads(words.shape(0)), labels(words.shape(0));
        {
            nb::gil_scoped_release release;
            Greedy work(*this);
            for (std::size_t s = 0; s < limits.size(); ++s) {
                greedy(scorer, words, offsets, limits, s, work, [](std::int32_t) {});
                store(work.state, heads.data() + offsets(s), labels.data() + offsets(s));
            }
        }
        return std::make_tuple(to_numpy(std::move(heads)), to_numpy(std::move(labels)));
    }

    auto walk(const Scorer& scorer, const Matrix<std::int32_t>& words, const Offsets& offsets, const Offsets& limits) const {
        check(scorer, words, offsets, limits);
        std::vector<std::int32_t> taken;
        std::vector<std::int64_t> begins{0};
        {
            nb::gil_scoped_release release;
            Greedy work(*this);
            for (std::size_t s = 0; s < limits.size(); ++s) {
                greedy(scorer, words, offsets, limits, s, work, [&](std::int32_t best) { taken.push_back(best); });
                begins.push_back(static_cast<std::int64_t>(taken.size()));
            }
        }
        return std::make_tuple(to_numpy(std::move(taken)), to_numpy(std::move(begins)));
    }

    auto beam(const Scorer& scorer, const Matrix<std::int32_t>& words, const Offsets& offsets, const Offsets& limits,
              std::int64_t width, std::int64_t best) const {
        check(scorer, words, offsets, limits);
        if (best < 1 || width < best) throw nb::value_error("a beam has a width of 1 or more, and not more trees come out");
        const std::size_t count = words.shape(0), sentences = limits.size(), trees = static_cast<std::size_t>(best);
        std::vector<std::int32_t> heads(trees * count, -1), labels(trees * count, -1);
        std::vector<double> totals(trees * sentences, -std::numeric_limits<double>::infinity());
        {
            nb::gil_scoped_release release;
            Beam beam(*this, static_cast<std::size_t>(width));
            for (std::size_t s = 0; s < sentences; ++s) {
                search(scorer, words, offsets, limits, s, beam);
                std::size_t found = 0;
                for (std::size_t h = 0; h < beam.size && found < trees; ++h) {
                    if (beam.has_before(h)) continue;
                    const std::size_t at = found * count + static_cast<std::size_t>(offsets(s));
                    store(beam.now[h].state, heads.data() + at, labels.data() + at);
                    totals[found++ * sentences + s] = beam.now[h].total;
                }
            }
        }
        return std::make_tuple(to_numpy(std::move(heads), trees, count), to_numpy(std::move(labels), trees, count),
                               to_numpy(std::move(totals), trees, sentences));
    }

    auto replay(const Ints& transitions, const Ints& labels, const Offsets& steps, const Matrix<std::int32_t>& words,
                const Offsets& offsets) const {
        check(words, offsets);
        const std::size_t sentences = offsets.size() - 1, rules = system_.rules.count();
        if (transitions.size() != labels.size() || steps.size() != offsets.size() || steps(0) != 0 ||
            steps(sentences) != static_cast<std::int64_t>(transitions.size()) || rules > 32)
            throw nb::value_error("transitions and steps must fit the words");
        std::vector<std::int32_t> table(transitions.size() * features_.count());
        std::vector<std::uint32_t> permitted(transitions.size());
        Configuration state;
        Features features = features_;
        for (std::size_t s = 0; s < sentences; ++s) {
            if (steps(s) < 0 || steps(s + 1) < steps(s)) throw nb::value_error("steps must not decrease");
            const std::int32_t* values = words.data() + static_cast<std::size_t>(offsets(s)) * words.shape(1);
            state.start(static_cast<std::int32_t>(offsets(s + 1) - offsets(s)), system_.root);
            for (std::int64_t step = steps(s); step < steps(s + 1); ++step) {
                const auto at = static_cast<std::size_t>(step);
                features.row(state, values, words.shape(1), &table[at * features.count()]);
                for (std::size_t rule = 0; rule < rules; ++rule)
                    if (state.permitted(system_.rules, rule)) permitted[at] |= 1u << rule;
                const std::int32_t taken = transitions(at);
                if (taken < 0 || taken >= 32 || !(permitted[at] >> taken & 1u)) throw nb::value_error("a transition that is not permitted");
                if (labels(at) > kGreatestLabel) throw nb::value_error("a label is out of range");
                state.apply(system_.rules, static_cast<std::size_t>(taken), labels(at));
            }
        }
        return std::make_tuple(to_numpy(std::move(table), transitions.size(), features_.count()), to_numpy(std::move(permitted)));
    }

private:
    // What a greedy run needs besides the machine.
    struct Greedy {
        explicit Greedy(const Machine& machine)
            : features(machine.features_), row(features.count()), scores(machine.classes_.label.size()) {}

        Configuration state;
        Features features;
        std::vector<std::int32_t> row;
        std::vector<float> scores;
    };

    struct Hypothesis {
        Configuration state;
        double total = 0;
        bool done = false;
    };

    // A way on from a hypothesis; class -1: it is done, and stays as it is.
    struct Candidate {
        double total;
        std::size_t parent;
        float score;
        std::int32_t taken;

        bool operator<(const Candidate& other) const {
            if (total != other.total) return total > other.total;
            if (parent != other.parent) return parent < other.parent;
            if (score != other.score) return score > other.score;
            return taken < other.taken;
        }
    };

    struct Beam {
        Beam(const Machine& machine, std::size_t width)
            : width(width), features(machine.features_), now(width), next(width), scores(machine.classes_.label.size()),
              row(features.count()) {}

        // Whether a better hypothesis has the same tree.
        bool has_before(std::size_t h) const {
            for (std::size_t other = 0; other < h; ++other)
                if (now[other].state.head == now[h].state.head && now[other].state.label == now[h].state.label) return true;
            return false;
        }

        std::size_t width, size = 0;
        Features features;
        std::vector<Hypothesis> now, next;  // the best first
        std::vector<Candidate> candidates;
        std::vector<std::size_t> children;
        std::vector<float> scores;
        std::vector<std::int32_t> row;
    };

    // Takes the best permitted class until the end, and says which.
    template <typename Took>
    void greedy(const Scorer& scorer, const Matrix<std::int32_t>& words, const Offsets& offsets, const Offsets& limits,
                std::size_t s, Greedy& work, Took took) const {
        const std::int32_t* values = words.data() + static_cast<std::size_t>(offsets(s)) * words.shape(1);
        auto& state = work.state;
        state.start(static_cast<std::int32_t>(offsets(s + 1) - offsets(s)), system_.root);
        for (std::int64_t step = 0; step < limits(s) && !system_.is_final(state); ++step) {
            work.features.row(state, values, words.shape(1), work.row.data());
            scorer.score(work.row.data(), 1, work.scores.data());
            const std::int32_t best = best_permitted(state, work.scores);
            if (best < 0) break;  // nothing the learner has seen is permitted: what is left stays headless
            took(best);
            take(state, best);
        }
    }

    // Leaves the hypotheses that are left of one sentence in the beam.
    void search(const Scorer& scorer, const Matrix<std::int32_t>& words, const Offsets& offsets, const Offsets& limits,
                std::size_t s, Beam& beam) const {
        const std::int32_t* values = words.data() + static_cast<std::size_t>(offsets(s)) * words.shape(1);
        beam.now[0].state.start(static_cast<std::int32_t>(offsets(s + 1) - offsets(s)), system_.root);
        beam.now[0].total = 0;
        beam.now[0].done = false;
        beam.size = 1;
        for (std::int64_t step = 0; step < limits(s); ++step) {
            beam.candidates.clear();
            bool all_done = true;
            for (std::size_t h = 0; h < beam.size; ++h) {
                auto& here = beam.now[h];
                const std::size_t before = beam.candidates.size();
                if (!here.done && !system_.is_final(here.state)) {
                    beam.features.row(here.state, values, words.shape(1), beam.row.data());
                    scorer.score(beam.row.data(), 1, beam.scores.data());
                    expand(here, h, beam);
                }
                here.done = beam.candidates.size() == before;
                all_done = all_done && here.done;
                if (here.done) beam.candidates.push_back({here.total, h, 0.0f, -1});
            }
            if (all_done) break;
            advance(beam);
        }
    }

    void expand(Hypothesis& here, std::size_t h, Beam& beam) const {
        const std::size_t first = beam.candidates.size();
        for (std::size_t rule = 0; rule < system_.rules.count(); ++rule) {
            if (classes_.of[rule].empty() || !here.state.permitted(system_.rules, rule)) continue;
            for (const std::int32_t c : classes_.of[rule]) beam.candidates.push_back({0, h, beam.scores[static_cast<std::size_t>(c)], c});
        }
        const auto begin = beam.candidates.begin() + static_cast<std::ptrdiff_t>(first), end = beam.candidates.end();
        if (begin == end) return;
        // The order of the classes: sums of the same numbers in the same order are the same.
        std::sort(begin, end, [](const Candidate& one, const Candidate& other) { return one.taken < other.taken; });
        double most = begin->score, sum = 0;
        for (auto each = begin; each != end; ++each) most = std::max(most, static_cast<double>(each->score));
        for (auto each = begin; each != end; ++each) sum += std::exp(static_cast<double>(each->score) - most);
        const double all = most + std::log(sum);
        for (auto each = begin; each != end; ++each) each->total = here.total + (static_cast<double>(each->score) - all);
    }

    // Makes the best candidates the new hypotheses; the last child of a hypothesis takes over its state.
    void advance(Beam& beam) const {
        const std::size_t kept = std::min(beam.width, beam.candidates.size());
        std::partial_sort(beam.candidates.begin(), beam.candidates.begin() + static_cast<std::ptrdiff_t>(kept), beam.candidates.end());
        beam.children.assign(beam.size, 0);
        for (std::size_t k = 0; k < kept; ++k) ++beam.children[beam.candidates[k].parent];
        for (std::size_t k = 0; k < kept; ++k) {
            const Candidate& chosen = beam.candidates[k];
            auto& parent = beam.now[chosen.parent];
            auto& child = beam.next[k];
            child.done = parent.done;
            if (--beam.children[chosen.parent]) child.state = parent.state;
            else std::swap(child.state, parent.state);
            child.total = chosen.total;
            if (chosen.taken >= 0) take(child.state, chosen.taken);
        }
        beam.size = kept;
        beam.now.swap(beam.next);
    }

    void take(Configuration& state, std::int32_t chosen) const {
        const auto c = static_cast<std::size_t>(chosen);
        state.apply(system_.rules, static_cast<std::size_t>(classes_.transition[c]), classes_.label[c]);
    }

    static void store(const Configuration& state, std::int32_t* heads, std::int32_t* labels) {
        std::copy(state.head.begin() + 1, state.head.end(), heads);
        std::copy(state.label.begin() + 1, state.label.end(), labels);
    }

    void check(const Scorer& scorer, const Matrix<std::int32_t>& words, const Offsets& offsets, const Offsets& limits) const {
        if (scorer.columns() != features_.count() || scorer.classes() != classes_.label.size())
            throw nb::value_error("the learner is made for other features or classes");
        check(words, offsets);
        if (limits.size() + 1 != offsets.size()) throw nb::value_error("each sentence has a limit");
    }

    void check(const Matrix<std::int32_t>& words, const Offsets& offsets) const {
        if (words.shape(1) < static_cast<std::size_t>(features_.word_columns())) throw nb::value_error("a column of word values is missing");
        if (!offsets.size() || offsets(0) != 0 || offsets(offsets.size() - 1) != static_cast<std::int64_t>(words.shape(0)))
            throw nb::value_error("offsets must begin at 0 and end at the number of words");
        for (std::size_t s = 1; s < offsets.size(); ++s)
            if (offsets(s) < offsets(s - 1)) throw nb::value_error("offsets must not decrease");
    }

    std::int32_t best_permitted(Configuration& state, const std::vector<float>& scores) const {
        std::int32_t best = -1;
        for (std::size_t rule = 0; rule < system_.rules.count(); ++rule) {
            if (classes_.of[rule].empty() || !state.permitted(system_.rules, rule)) continue;
            for (const std::int32_t c : classes_.of[rule]) {
                const float ahead = best < 0 ? 1.0f : scores[static_cast<std::size_t>(c)] - scores[static_cast<std::size_t>(best)];
                if (ahead > 0 || (ahead == 0 && c < best)) best = c;
            }
        }
        return best;
    }

    System system_;
    Features features_;
    Classes classes_;
};

}  // namespace

void bind_parsing(nb::module_& m) {
    bind_scorer(m);
    nb::class_<Machine>(m, "Machine")
        .def(nb::init<const Matrix<std::int32_t>&, const std::vector<std::int32_t>&, std::int32_t, const std::vector<std::int64_t>&,
                      const Matrix<std::int32_t>&, const Matrix<std::int32_t>&, const std::vector<std::int32_t>&, std::int32_t,
                      const Ints&, const Ints&>())
        .def("decode", &Machine::decode)
        .def("walk", &Machine::walk)
        .def("beam", &Machine::beam)
        .def("replay", &Machine::replay);
}

}  // namespace arclift
