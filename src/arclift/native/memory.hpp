// What a memory holds: instances with their classes, and the kinds of values of each feature with their distances.
#pragma once

#include "core.hpp"

#include <algorithm>
#include <cmath>
#include <initializer_list>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

namespace arclift {

using Int = std::int32_t;
using Long = std::int64_t;
using Size = std::size_t;

constexpr Size kMostKept = 1u << 20;  // distances between the values of one feature that are kept
constexpr double kUnknownYet = -1;

enum class Metric { overlap, mvdm, jeffrey, jensen_shannon };

template <typename T>
std::vector<T> list(const nb::handle& array) {
    const auto values = nb::cast<Array<T>>(array);
    return {values.data(), values.data() + values.size()};
}

// Pairs of a row's number and a class with their counts: arclift.learners.memory_base.Table.
struct Table {
    std::vector<Long> begins;
    std::vector<Int> classes;
    std::vector<Long> counts;

    Table() = default;
    Table(const nb::handle& table, Size classes_there)
        : begins(list<Long>(table[0])), classes(list<Int>(table[1])), counts(list<Long>(table[2])) {
        if (begins.empty() || begins.front() != 0 || static_cast<Size>(begins.back()) != classes.size() ||
            classes.size() != counts.size() || !std::is_sorted(begins.begin(), begins.end()))
            throw nb::value_error("a table does not fit");
        for (const Int each : classes)
            if (each < 0 || static_cast<Size>(each) >= classes_there) throw nb::value_error("no such class");
    }

    Size size() const { return begins.size() - 1; }
};

// Different rows, sorted, and their classes.
struct Instances {
    Size width = 0;
    std::vector<Int> rows;
    Table table;

    Instances(const nb::handle& parts, Size columns, Size classes) : width(columns), table(parts[1], classes) {
        const auto matrix = nb::cast<Matrix<Int>>(parts[0]);
        if (matrix.shape(1) != columns || matrix.shape(0) != table.size()) throw nb::value_error("instances do not fit");
        rows.assign(matrix.data(), matrix.data() + matrix.size());
    }

    Size size() const { return table.size(); }
    const Int* row(Size i) const { return rows.data() + i * width; }
};

using Row = std::vector<double>;

// The kinds of values of one feature, and how far they are from each other.
class Kinds {
public:
    Kinds(const nb::handle& parts, Metric metric, double weight, Size classes)
        : of_(list<Int>(parts[0])), table_(parts[1], classes), metric_(metric), weight_(weight) {
        const std::vector<Long> totals = list<Long>(parts[2]);
        if (totals.size() != table_.size()) throw nb::value_error("kinds do not fit");
        for (Size kind = 0; kind < table_.size(); ++kind)
            for (Long p = table_.begins[kind]; p < table_.begins[kind + 1]; ++p)
                shares_.push_back(static_cast<double>(table_.counts[static_cast<Size>(p)]) / static_cast<double>(totals[kind]));
        for (const Int kind : of_)
            if (kind < -1 || kind >= static_cast<Int>(table_.size())) throw nb::value_error("no such kind");
        kept_.resize(table_.size());
        unseen_ = std::make_shared<Row>(table_.size(), weight_);
    }

    Size values() const { return of_.size(); }
    Size size() const { return table_.size(); }

    // The weighed distances of a value to all kinds, as far as they are known: see `weighed`.
    std::shared_ptr<Row> row(Int value) const {
        const Int kind = of_[static_cast<Size>(value)];
        if (kind < 0) return unseen_;
        const auto k = static_cast<Size>(kind);
        const std::lock_guard lock(mutex_);
        if (kept_[k]) return kept_[k];
        if ((held_ += size()) > kMostKept) {
            std::fill(kept_.begin(), kept_.end(), nullptr);
            held_ = size();
        }
        auto made = std::make_shared<Row>(size(), kUnknownYet);
        (*made)[k] = 0.0;
        return kept_[k] = std::move(made);
    }

    bool has(Int value) const { return of_[static_cast<Size>(value)] >= 0; }
    double weight() const { return weight_; }

    double weighed(Int value, Int other) const {
        return weight_ * between(static_cast<Size>(of_[static_cast<Size>(value)]), static_cast<Size>(other));
    }

private:
    double between(Size a, Size b) const {
        auto p = static_cast<Size>(table_.begins[a]), q = static_cast<Size>(table_.begins[b]);
        const auto p_end = static_cast<Size>(table_.begins[a + 1]), q_end = static_cast<Size>(table_.begins[b + 1]);
        if (metric_ == Metric::overlap || p == p_end || q == q_end) return 1.0;
        if (metric_ != Metric::mvdm) return (divergence(p, p_end, q, q_end) + divergence(q, q_end, p, p_end)) / 2;
        double total = 0;
        while (p < p_end || q < q_end) {
            if (q == q_end || (p < p_end && table_.classes[p] < table_.classes[q]))
                total += shares_[p++];
            else if (p == p_end || table_.classes[q] < table_.classes[p])
                total += shares_[q++];
            else
                total += std::abs(shares_[p++] - shares_[q++]);
        }
        return total / 2;
    }

    // How far p is from q, or from the mean of both; a class that q has not adds its share of p.
    double divergence(Size p, Size p_end, Size q, Size q_end) const {
        double total = 0;
        for (; p < p_end; ++p) {
            while (q < q_end && table_.classes[q] < table_.classes[p]) ++q;
            const double share = shares_[p];
            if (q == q_end || table_.classes[q] != table_.classes[p])
                total += share;
            else if (metric_ == Metric::jeffrey)
                total += share * std::log2(share / shares_[q]);
            else
                total += share * std::log2(2 * share / (share + shares_[q]));
        }
        return total;
    }

    std::vector<Int> of_;
    Table table_;
    Metric metric_;
    double weight_;
    std::vector<double> shares_;
    std::shared_ptr<Row> unseen_;
    mutable std::mutex mutex_;
    mutable std::vector<std::shared_ptr<Row>> kept_;
    mutable Size held_ = 0;
};

}  // namespace arclift
