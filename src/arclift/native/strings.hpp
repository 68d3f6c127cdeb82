// Strings to small integers: the hash table behind string tables and vocabularies.
#pragma once

#include "core.hpp"

#include <algorithm>
#include <bit>
#include <cstring>
#include <deque>
#include <string>
#include <string_view>

namespace arclift {

// A slot knows its string's hash and first bytes: a short string, which most are, is compared without a look
// anywhere else.
class StringTable {
public:
    StringTable() : slots_(64) {}

    std::int32_t add(std::string_view text) { return add(text, text.size()); }

    // From the text's beginning on `readable` bytes may be looked at.
    std::int32_t add(std::string_view text, std::size_t readable) {
        const Key key(text, readable);
        Slot& slot = slots_[place_of(key, text)];
        if (slot.id != kEmpty) return slot.id;
        slot = {key, static_cast<std::int32_t>(strings_.size())};
        const std::int32_t id = slot.id;
        strings_.emplace_back(text);
        if (strings_.size() * 2 > slots_.size()) grow();
        return id;
    }

    std::int32_t find(std::string_view text) const { return slots_[place_of(Key(text, text.size()), text)].id; }

    const std::string& at(std::int64_t id) const {
        if (id < 0 || id >= static_cast<std::int64_t>(strings_.size())) throw nb::index_error("no such string");
        return strings_[static_cast<std::size_t>(id)];
    }
    std::size_t size() const { return strings_.size(); }

private:
    static constexpr std::int32_t kEmpty = -1;
    static constexpr std::size_t kShort = sizeof(std::uint64_t);

    struct Key {
        std::uint64_t hash = 0, first = 0;
        std::uint32_t length = 0;

        Key() = default;

        // Eight bytes at a time, multiply and fold: labels and tags are short, so set-up cost is what counts.
        // From p on `readable` bytes, the text's among them, may be looked at.
        Key(std::string_view text, std::size_t readable) : length(static_cast<std::uint32_t>(text.size())) {
            const char* p = text.data();
            std::size_t left = text.size();
            first = word_at(p, left, readable);
            std::uint64_t word = first;
            hash = left * kFactor;
            while (true) {
                hash = (hash ^ word) * kFactor;
                hash ^= hash >> 29;
                if (left <= 8) break;
                p += 8;
                left -= 8;
                readable -= 8;
                word = word_at(p, left, readable);
            }
            hash ^= hash >> 32;
        }

        static constexpr std::uint64_t kFactor = 0x9E3779B97F4A7C15ull;

        // Up to eight bytes, zeros behind them. (In the order of this machine: a hash never leaves it.)
        static std::uint64_t word_at(const char* p, std::size_t left, std::size_t readable) {
            std::uint64_t word = 0;
            if (readable < 8) {
                std::memcpy(&word, p, std::min<std::size_t>(left, readable));
                return word;
            }
            std::memcpy(&word, p, 8);
            if (left >= 8) return word;
            const std::uint64_t mask = (std::uint64_t(1) << 8 * left) - 1;
            return std::endian::native == std::endian::little ? word & mask : word & ~(~std::uint64_t(0) >> 8 * left);
        }

        bool operator==(const Key& other) const {
            return hash == other.hash && first == other.first && length == other.length;
        }
    };

    struct Slot {
        Key key;
        std::int32_t id = kEmpty;
    };

    // Where a string is, or where it would be put.
    std::size_t place_of(const Key& key, std::string_view text) const {
        std::size_t place = key.hash & (slots_.size() - 1);
        while (slots_[place].id != kEmpty) {
            const Slot& slot = slots_[place];
            if (slot.key == key && (text.size() <= kShort || strings_[static_cast<std::size_t>(slot.id)] == text)) break;
            place = (place + 1) & (slots_.size() - 1);
        }
        return place;
    }

    void grow() {
        std::vector<Slot> bigger(slots_.size() * 4);
        for (const Slot& slot : slots_) {
            if (slot.id == kEmpty) continue;
            std::size_t place = slot.key.hash & (bigger.size() - 1);
            while (bigger[place].id != kEmpty) place = (place + 1) & (bigger.size() - 1);
            bigger[place] = slot;
        }
        slots_ = std::move(bigger);
    }

    std::vector<Slot> slots_;
    std::deque<std::string> strings_;  // never moves what it holds
};

}  // namespace arclift
