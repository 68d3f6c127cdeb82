// The state of parsing one sentence, and the op-codes that change it: see arclift.transitions.rules.
#pragma once

#include "core.hpp"

#include <algorithm>

namespace arclift {

enum Op : std::int32_t {
    kNeed, kLoad, kHeadless, kHeaded, kNotRoot, kBefore, kNoPath, kLastNot, kDrop, kClear, kPour, kExchange, kPush, kArc
};

// Rules as rows of (op, a, b): the guard of rule r is rows[bounds[2r], bounds[2r+1]), its effect goes on to bounds[2r+2].
struct Rules {
    std::vector<std::int32_t> rows;
    std::vector<std::int32_t> bounds;
    std::size_t count() const { return (bounds.size() - 1) / 2; }
};

class Configuration {
public:
    std::vector<std::int32_t> lists[3];  // S, I, T; the front is the last
    std::vector<std::int32_t> head, label, history;
    std::vector<std::int32_t> left, right;  // the outermost dependent on each side, -1 for none
    std::vector<std::int32_t> inward;       // from each dependent to the next one towards its head, -1 for none
    std::vector<std::int32_t> left_count, right_count;
    std::int32_t words = 0;
    std::int32_t lookahead = 1;  // the input ends with the words from here to n, in order

    enum class Root { none, first, last };
    static constexpr std::int32_t kRegisters = 8;

    void start(std::int32_t n, Root root) {
        words = n;
        lookahead = 1;
        for (auto& list : lists) list.clear();
        if (root == Root::first) lists[0].push_back(0);
        if (root == Root::last) lists[1].push_back(0);
        for (std::int32_t word = n; word >= 1; --word) lists[1].push_back(word);
        const auto nodes = static_cast<std::size_t>(n) + 1;
        for (auto* values : {&head, &label, &left, &right, &inward}) values->assign(nodes, -1);
        left_count.assign(nodes, 0);
        right_count.assign(nodes, 0);
        above_.resize(nodes);
        for (std::int32_t node = 0; node <= n; ++node) above_[static_cast<std::size_t>(node)] = node;
        history.clear();
    }

    // Fills the registers; false where the rule is not permitted.
    bool permitted(const Rules& rules, std::size_t rule) {
        std::size_t found = 0;
        for (std::int32_t at = rules.bounds[2 * rule]; at < rules.bounds[2 * rule + 1]; ++at) {
            const std::int32_t* row = &rules.rows[3 * static_cast<std::size_t>(at)];
            const std::int32_t a = row[1], b = row[2];
            switch (row[0]) {
                case kNeed: if (lists[a].size() < static_cast<std::size_t>(b)) return false; break;
                case kLoad:
                    if (lists[a].size() <= static_cast<std::size_t>(b) || found == kRegisters) return false;
                    registers_[found++] = lists[a][lists[a].size() - 1 - static_cast<std::size_t>(b)];
                    break;
                case kHeadless: if (head[node(a)] >= 0) return false; break;
                case kHeaded: if (head[node(a)] < 0) return false; break;
                case kNotRoot: if (registers_[a] == 0) return false; break;
                case kBefore: if (registers_[a] >= registers_[b]) return false; break;
                case kNoPath: if (top(registers_[b]) == registers_[a]) return false; break;
                case kLastNot: if (!history.empty() && history.back() == a) return false; break;
            }
        }
        return true;
    }

    // Takes a rule that is permitted.
    void apply(const Rules& rules, std::size_t rule, std::int32_t new_label) {
        permitted(rules, rule);
        for (std::int32_t at = rules.bounds[2 * rule + 1]; at < rules.bounds[2 * rule + 2]; ++at) {
            const std::int32_t* row = &rules.rows[3 * static_cast<std::size_t>(at)];
            const std::int32_t a = row[1], b = row[2];
            switch (row[0]) {
                case kDrop:
                    for (std::int32_t k = 0; k < b && !lists[a].empty(); ++k) {
                        if (a == 1 && lists[1].back() == lookahead) ++lookahead;
                        lists[a].pop_back();
                    }
                    break;
                case kClear: lists[a].clear(); break;
                case kPour:
                    lists[b].insert(lists[b].end(), lists[a].rbegin(), lists[a].rend());
                    lists[a].clear();
                    break;
                case kExchange: lists[a].swap(lists[b]); break;
                case kPush:
                    if (a == 1) put_back(registers_[b]);
                    lists[a].push_back(registers_[b]);
                    break;
                case kArc: attach(registers_[a], registers_[b], new_label); break;
            }
        }
        history.push_back(static_cast<std::int32_t>(rule));
    }

private:
    std::size_t node(std::int32_t a) const { return static_cast<std::size_t>(registers_[a]); }

    void put_back(std::int32_t word) {
        const auto& input = lists[1];
        const std::int32_t front = input.empty() || (input.size() == 1 && input.back() == 0) ? words + 1 : input.back();
        if (word > 0 && word == front - 1 && front == lookahead) lookahead = word;
    }

    std::int32_t top(std::int32_t node) {
        while (above_[static_cast<std::size_t>(node)] != node) {
            auto& up = above_[static_cast<std::size_t>(node)];
            up = above_[static_cast<std::size_t>(up)];
            node = up;
        }
        return node;
    }

    void attach(std::int32_t h, std::int32_t d, std::int32_t new_label) {
        const auto dependent = static_cast<std::size_t>(d), governor = static_cast<std::size_t>(h);
        head[dependent] = h;
        label[dependent] = new_label;
        above_[dependent] = h;
        const bool before = d < h;
        ++(before ? left_count : right_count)[governor];
        std::int32_t* link = &(before ? left : right)[governor];  // from the outermost inwards
        while (*link >= 0 && (before ? *link < d : *link > d)) link = &inward[static_cast<std::size_t>(*link)];
        inward[dependent] = *link;
        *link = d;
    }

    std::vector<std::int32_t> above_;  // some node at or above each: union-find
    std::int32_t registers_[kRegisters] = {};
};

}  // namespace arclift
