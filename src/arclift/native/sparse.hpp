// The features of a row and their slots in a table of weights: what sparse linear models share.
#pragma once

#include "scorer.hpp"

namespace arclift {

// Maps a row to the slots of its features.
class Features {
public:
    Features(const Ints& sizes, const Ints& columns, const Ints& starts, std::size_t slots)
        : sizes_(sizes.data(), sizes.data() + sizes.size()),
          columns_(columns.data(), columns.data() + columns.size()),
          starts_(starts.data(), starts.data() + starts.size()),
          mask_(static_cast<std::uint32_t>(slots - 1)) {
        if (slots == 0 || (slots & (slots - 1)) || slots > (std::size_t{1} << 31))
            throw nb::value_error("the table's height is not a power of two");
        if (starts_.empty() || starts_.front() != 0 || static_cast<std::size_t>(starts_.back()) != columns_.size())
            throw nb::value_error("starts do not span the columns");
        for (std::size_t t = 0; t + 1 < starts_.size(); ++t)
            if (starts_[t] > starts_[t + 1]) throw nb::value_error("starts must not decrease");
        for (const std::int32_t c : columns_)
            if (c < 0 || static_cast<std::size_t>(c) >= sizes_.size()) throw nb::value_error("no such column");
    }

    std::size_t width() const { return sizes_.size(); }
    std::size_t count() const { return starts_.size() - 1; }

    void slots(const std::int32_t* row, std::uint32_t* out) const {
        for (std::size_t t = 0; t < count(); ++t) {
            std::uint32_t feature = mix(static_cast<std::uint32_t>(t + 1));
            for (std::int32_t k = starts_[t]; k < starts_[t + 1]; ++k) {
                const std::int32_t c = columns_[k];
                feature = mix(feature ^ static_cast<std::uint32_t>(within(row[c], sizes_[c])));
            }
            out[t] = feature & mask_;
        }
    }

private:
    std::vector<std::int32_t> sizes_, columns_, starts_;
    std::uint32_t mask_;
};

// Sums of weights that no training reaches, but a file may hold, wrap around as those of NumPy do.
inline void add_rows(const std::int32_t* weights, std::size_t classes, const std::vector<std::uint32_t>& slots,
              std::int32_t* sums) {
    for (std::size_t c = 0; c < classes; ++c) sums[c] = 0;
    for (const std::uint32_t slot : slots) {
        const std::int32_t* row = weights + std::size_t{slot} * classes;
        for (std::size_t c = 0; c < classes; ++c)
            sums[c] = static_cast<std::int32_t>(static_cast<std::uint32_t>(sums[c]) + static_cast<std::uint32_t>(row[c]));
    }
}

}  // namespace arclift
