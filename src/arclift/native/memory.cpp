// Answers by the nearest instances. Twin: arclift.learners.memory_search._MemoryScorer
//
// Instances are sorted, heaviest feature first, so that those that share the values of the first features stand
// next to each other: a run of them is passed over as soon as the distance they share is beyond what can still
// matter. Nearer runs come first, so that what can matter soon is little. The distances of two kinds of values are
// worked out when they are first asked for.
#include "memory.hpp"
#include "scorer.hpp"

#include <nanobind/stl/string.h>
#include <nanobind/stl/tuple.h>

#include <atomic>
#include <limits>
#include <numeric>
#include <tuple>

namespace arclift {
namespace {

constexpr double kEpsilon = std::numeric_limits<double>::epsilon();
constexpr double kInfinity = std::numeric_limits<double>::infinity();
constexpr double kSlack = 1e-9;  // more than sums in another order can differ by
constexpr double kSmoothing = 1e-6;

enum class Votes { majority, inverse_distance, inverse_linear, exponential_decay };

template <typename Kind>
Kind named(const std::string& name, std::initializer_list<const char*> names) {
    const auto found = std::find(names.begin(), names.end(), name);
    if (found == names.end()) throw nb::value_error("no such metric or votes");
    return static_cast<Kind>(found - names.begin());
}

struct Candidate {
    double distance;
    Int instance;
    bool operator<(const Candidate& other) const {
        return distance != other.distance ? distance < other.distance : instance < other.instance;
    }
};

class MemoryScorer final : public Scorer {
public:
    MemoryScorer(const nb::tuple& setting, const Ints& sizes, const nb::list& kinds, const Array<double>& weights,
                 const Ints& order, const Ints& features, const nb::tuple& instances, const nb::tuple& exact,
                 const nb::tuple& prior)
        : metric_(named<Metric>(nb::cast<std::string>(setting[0]), {"overlap", "mvdm", "jeffrey", "jensen_shannon"})),
          k_(nb::cast<Size>(setting[1])),
          votes_(named<Votes>(nb::cast<std::string>(setting[2]),
                              {"majority", "inverse_distance", "inverse_linear", "exponential_decay"})),
          decay_(nb::cast<double>(setting[3])),
          sizes_(sizes.data(), sizes.data() + sizes.size()),
          order_(order.data(), order.data() + order.size()),
          features_(features.data(), features.data() + features.size()),
          counts_(list<Long>(prior[0])),
          met_(list<Long>(prior[1])),
          instances_(instances, sizes.size(), counts_.size()),
          exact_(exact, sizes.size(), counts_.size()) {
        const Size width = sizes_.size();
        if (!k_ || kinds.size() != width || weights.size() != width || met_.size() != counts_.size() || counts_.empty())
            throw nb::value_error("the parts of a memory do not fit");
        for (const auto* each : {&order_, &features_}) {
            std::vector<Int> sorted = *each;
            std::sort(sorted.begin(), sorted.end());
            if (sorted.size() != width) throw nb::value_error("an order of the features misses some");
            for (Size f = 0; f < width; ++f)
                if (sorted[f] != static_cast<Int>(f)) throw nb::value_error("an order of the features misses some");
        }
        for (Size f = 0; f < width; ++f) {
            kinds_.push_back(std::make_unique<Kinds>(kinds[f], metric_, weights(f), counts_.size()));
            if (kinds_[f]->values() != static_cast<Size>(sizes_[f])) throw nb::value_error("the kinds of other values");
        }
        place_.resize(width);
        for (Size depth = 0; depth < width; ++depth) place_[static_cast<Size>(features_[depth])] = depth;
        find_runs();
        in_order_.resize(counts_.size());
        std::iota(in_order_.begin(), in_order_.end(), Size{0});
        std::stable_sort(in_order_.begin(), in_order_.end(), [&](Size a, Size b) { return met_[a] < met_[b]; });
        double total = 0;
        for (const Long count : counts_) total += static_cast<double>(count);
        for (const Long count : counts_)
            smooth_.push_back((static_cast<double>(count) + 0.5) / (total + 0.5 * static_cast<double>(counts_.size())));
    }

    MemoryScorer(const MemoryScorer&) = delete;

    std::size_t columns() const override { return sizes_.size(); }
    std::size_t classes() const override { return counts_.size(); }

    void score(const Int* rows, std::size_t n, float* out) const override {
        Work work;
        for (Size r = 0; r < n; ++r, rows += columns(), out += classes()) {
            const Answer answer = this->answer(rows, work);
            double total = 0;
            for (const double votes : work.votes) total += votes;
            float most = -std::numeric_limits<float>::infinity();
            for (Size c = 0; c < classes(); ++c) {
                const double share = total > 0 ? work.votes[c] / total : 0.0;
                out[c] = static_cast<float>(std::log(share * (1 - kSmoothing) + smooth_[c] * kSmoothing));
                most = std::max(most, out[c]);
            }
            if (total > 0) out[answer.chosen] = std::nextafter(most, std::numeric_limits<float>::infinity());
        }
    }

    auto answers(const Matrix<Int>& rows) const {
        if (rows.shape(1) != columns()) throw nb::value_error("the rows have another number of columns");
        const Size n = rows.shape(0);
        std::vector<Int> chosen(n);
        std::vector<double> votes(n * classes()), nearest(n);
        {
            nb::gil_scoped_release release;
            Work work;
            for (Size r = 0; r < n; ++r) {
                const Answer answer = this->answer(rows.data() + r * columns(), work);
                chosen[r] = static_cast<Int>(answer.chosen);
                nearest[r] = answer.nearest;
                std::copy(work.votes.begin(), work.votes.end(), votes.begin() + static_cast<std::ptrdiff_t>(r * classes()));
            }
        }
        return std::make_tuple(to_numpy(std::move(chosen)), to_numpy(std::move(votes), n, classes()), to_numpy(std::move(nearest)));
    }

private:
    struct Answer {
        Size chosen;
        double nearest;
    };

    // Instances that share the first features, and how far those are.
    struct Run {
        double so_far;
        Size begin, end;
        bool operator<(const Run& other) const { return so_far < other.so_far; }
    };

    // One row on its way.
    struct Work {
        std::vector<Int> row;
        std::vector<std::shared_ptr<Row>> rows;            // distances to all kinds, by feature
        std::vector<double*> distances;                    // the same
        std::vector<double> least;                         // what the features from a depth on add at least
        std::vector<std::vector<Run>> runs;                // those to be visited, by depth
        std::vector<Candidate> near;
        std::vector<double> best;                          // the smallest distances so far, at most `wanted`
        Size wanted = 0;
        double bound = 0;
        std::vector<double> votes, more, counted;
    };

    // The kind of an instance at some depth, and where the run ends that shares the kinds up to there.
    struct Step {
        Int kind, end;
    };

    void find_runs() {
        const Size n = instances_.size(), width = columns();
        steps_.assign(width, std::vector<Step>(n));
        for (Size i = 0; i < n; ++i)
            for (Size depth = 0; depth < width; ++depth) {
                const Int kind = instances_.row(i)[depth];
                if (kind < 0 || static_cast<Size>(kind) >= kinds_[static_cast<Size>(features_[depth])]->size())
                    throw nb::value_error("an instance has a kind that is not there");
                steps_[depth][i].kind = kind;
            }
        for (Size i = n; i-- > 0;) {
            bool same = i + 1 < n;
            for (Size depth = 0; depth < width; ++depth) {
                same = same && steps_[depth][i].kind == steps_[depth][i + 1].kind;
                steps_[depth][i].end = same ? steps_[depth][i + 1].end : static_cast<Int>(i + 1);
            }
        }
    }

    Answer answer(const Int* row, Work& work) const {
        work.votes.assign(classes(), 0.0);
        if (!instances_.size()) return {0, 0.0};
        work.row.resize(columns());
        for (Size f = 0; f < columns(); ++f) work.row[f] = within(row[f], sizes_[f]);
        double nearest = 0;
        const Size same = find_exact(work.row.data());
        const bool alone = same < exact_.size();
        if (alone) {
            count(exact_.table, same, work.votes);
        } else {
            nearest = search(k_, work);
            vote(k_, nullptr, work, work.votes);
        }
        const Best best = best_of(work.votes);
        if (!best.tied) return {best.chosen, nearest};
        search(k_ + 1, work);
        vote(k_ + 1, alone ? &work.votes : nullptr, work, work.more);
        const Best more = best_of(work.more);
        if (more.tied) return {best.chosen, nearest};
        work.votes = work.more;
        return {more.chosen, nearest};
    }

    struct Best {
        Size chosen = 0;
        bool tied = false;
    };

    // The class with the most votes, and whether another has as many; in the order they were met.
    Best best_of(const std::vector<double>& votes) const {
        Best best;
        double most = 0;
        for (const Size c : in_order_) {
            if (votes[c] <= 0) continue;
            if (votes[c] > most) {
                best = {c, false};
                most = votes[c];
            } else if (most - votes[c] < kEpsilon) {
                best.tied = true;
                if (counts_[c] > counts_[best.chosen]) best.chosen = c;
            }
        }
        return best;
    }

    // The instance that is the row itself, the number of them if there is none.
    Size find_exact(const Int* row) const {
        Size low = 0, high = exact_.size();
        const auto compare = [&](Size i) {
            const Int* other = exact_.row(i);
            const auto [a, b] = std::mismatch(other, other + columns(), row);
            return a == other + columns() ? 0 : *a < *b ? -1 : 1;
        };
        while (low < high) {
            const Size middle = (low + high) / 2;
            const int way = compare(middle);
            if (way == 0) return middle;
            (way < 0 ? low : high) = way < 0 ? middle + 1 : middle;
        }
        return exact_.size();
    }

    // Finds all instances at the `wanted` smallest distances, sorted; returns the smallest.
    double search(Size wanted, Work& work) const {
        work.rows.resize(columns());
        work.runs.resize(columns());
        work.distances.resize(columns());
        for (Size f = 0; f < columns(); ++f) {
            work.rows[f] = kinds_[f]->row(work.row[f]);
            work.distances[f] = work.rows[f]->data();
        }
        work.wanted = wanted;
        // A value that is in no instance is as far from all of them: that much is known before.
        work.least.assign(columns() + 1, 0.0);
        for (Size depth = columns(); depth-- > 0;) {
            const auto f = static_cast<Size>(features_[depth]);
            work.least[depth] = work.least[depth + 1] + (kinds_[f]->has(work.row[f]) ? 0.0 : kinds_[f]->weight());
        }
        work.near.clear();
        work.best.clear();
        work.bound = kInfinity;
        visit(0, {0.0, 0, instances_.size()}, work);
        std::sort(work.near.begin(), work.near.end());
        return work.near.front().distance;
    }

    // The weighed distance between the row's value of a feature and a kind. Several threads may work it out: to the same.
    double distance_to(Size feature, Int kind, const Work& work) const {
        const std::atomic_ref<double> known(work.distances[feature][kind]);
        const double distance = known.load(std::memory_order_relaxed);
        return distance < 0 ? found(known, feature, kind, work) : distance;
    }

    double found(std::atomic_ref<double> known, Size feature, Int kind, const Work& work) const {
        const double distance = kinds_[feature]->weighed(work.row[feature], kind);
        known.store(distance, std::memory_order_relaxed);
        return distance;
    }

    void visit(Size depth, const Run& run, Work& work) const {
        const Step* steps = steps_[depth].data();
        const double least = work.least[depth + 1] - kSlack;
        const auto feature = static_cast<Size>(features_[depth]);
        std::vector<Run>& within = work.runs[depth];
        within.clear();
        for (Size i = run.begin; i < run.end;) {
            const Step step = steps[i];
            const double here = run.so_far + distance_to(feature, step.kind, work);
            if (here + least <= work.bound) within.push_back({here, i, static_cast<Size>(step.end)});
            i = static_cast<Size>(step.end);
        }
        std::sort(within.begin(), within.end());
        for (const Run& each : within) {
            if (each.so_far + least > work.bound) break;
            if (each.end - each.begin == 1)
                weigh(depth, each, work);
            else
                visit(depth + 1, each, work);
        }
    }

    // A run of one: its distance to the end, and if it can matter, once more in the order that counts.
    void weigh(Size depth, const Run& run, Work& work) const {
        const Int* row = instances_.row(run.begin);
        double rest = run.so_far;
        while (++depth < columns()) {
            rest += distance_to(static_cast<Size>(features_[depth]), row[depth], work);
            if (rest + work.least[depth + 1] > work.bound + kSlack) return;
        }
        double distance = 0;
        for (const Int f : order_) distance += distance_to(static_cast<Size>(f), row[place_[static_cast<Size>(f)]], work);
        if (distance > work.bound + kEpsilon) return;
        work.near.push_back({distance, static_cast<Int>(run.begin)});
        auto& best = work.best;
        const auto above = std::lower_bound(best.begin(), best.end(), distance);
        if ((above != best.end() && *above - distance < kEpsilon) || (above != best.begin() && distance - *(above - 1) < kEpsilon)) return;
        best.insert(above, distance);
        if (best.size() > work.wanted) best.pop_back();
        if (best.size() == work.wanted) work.bound = std::min(work.bound, best.back() + kEpsilon);
    }

    static void count(const Table& table, Size row, std::vector<double>& counted) {
        for (auto p = static_cast<Size>(table.begins[row]); p < static_cast<Size>(table.begins[row + 1]); ++p)
            counted[static_cast<Size>(table.classes[p])] += static_cast<double>(table.counts[p]);
    }

    // The votes of the instances at the `wanted` smallest distances of those found; `alone` are those of the row
    // itself, all that counts of the first.
    void vote(Size wanted, const std::vector<double>* alone, Work& work, std::vector<double>& votes) const {
        std::vector<std::pair<double, Size>> groups;  // distance, and where it begins
        Size end = 0;
        for (; end < work.near.size(); ++end) {
            const double distance = work.near[end].distance;
            if (!groups.empty() && distance - groups.back().first < kEpsilon) continue;
            if (groups.size() == wanted) break;
            groups.emplace_back(distance, end);
        }
        const double first = groups.front().first, last = groups.back().first;
        votes.assign(classes(), 0.0);
        for (Size g = 0; g < groups.size(); ++g) {
            const auto [distance, begin] = groups[g];
            const Size stop = g + 1 < groups.size() ? groups[g + 1].second : end;
            work.counted.assign(classes(), 0.0);
            if (alone && !g)
                work.counted = *alone;
            else
                for (Size n = begin; n < stop; ++n) count(instances_.table, static_cast<Size>(work.near[n].instance), work.counted);
            const double weight = weight_of(distance, first, last);
            for (Size c = 0; c < classes(); ++c) votes[c] += weight * work.counted[c];
        }
    }

    double weight_of(double distance, double first, double last) const {
        switch (votes_) {
            case Votes::inverse_distance: return 1.0 / (distance + kEpsilon);
            case Votes::inverse_linear: return last > first ? (last - distance) / (last - first) : 1.0;
            case Votes::exponential_decay: return std::exp(-decay_ * distance);
            case Votes::majority: break;
        }
        return 1.0;
    }

    Metric metric_;
    Size k_;
    Votes votes_;
    double decay_;
    std::vector<Int> sizes_, order_, features_;
    std::vector<Long> counts_, met_;
    Instances instances_, exact_;
    std::vector<std::unique_ptr<Kinds>> kinds_;
    std::vector<Size> place_;                        // the depth of each feature
    std::vector<std::vector<Step>> steps_;           // by depth, then instance
    std::vector<Size> in_order_;                     // the classes as they were met
    std::vector<double> smooth_;
};

}  // namespace

void bind_memory(nb::module_& m) {
    bind_scorer(m);
    nb::class_<MemoryScorer, Scorer>(m, "MemoryScorer")
        .def(nb::init<const nb::tuple&, const Ints&, const nb::list&, const Array<double>&, const Ints&, const Ints&,
                      const nb::tuple&, const nb::tuple&, const nb::tuple&>())
        .def("answers", &MemoryScorer::answers)
        .def("scores", [](const MemoryScorer& scorer, const Matrix<Int>& rows) { return score_rows(scorer, rows); });
}

}  // namespace arclift
