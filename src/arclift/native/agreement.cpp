// Whether two treebanks say the same, word by word. Twin: arclift.evaluate.agreement
#include "core.hpp"

#include <algorithm>
#include <cstring>
#include <string_view>

namespace arclift {
namespace {

// The cells of one column; where a row's line ends early the cell is empty, as in Block.spans.
class Cells {
public:
    Cells(const nb::bytes& data, const Matrix<std::uint32_t>& fields, std::int64_t column)
        : data_(data.c_str(), data.size()), rows_(fields.data()), width_(fields.shape(1)) {
        if (column < 0 || static_cast<std::size_t>(column) + 1 >= width_) throw nb::value_error("no such column");
        column_ = static_cast<std::size_t>(column);
    }

    std::string_view operator[](std::size_t i) const {
        const std::uint32_t* row = rows_ + i * width_ + column_;
        const std::size_t begin = std::min<std::size_t>(row[0], data_.size());
        const std::size_t end = std::max<std::size_t>(begin, row[1] ? row[1] - std::size_t{1} : 0);
        if (end > data_.size()) throw nb::value_error("a column leaves the data");
        return data_.substr(begin, end - begin);
    }

private:
    std::string_view data_;
    const std::uint32_t* rows_;
    std::size_t width_;
    std::size_t column_ = 0;
};

auto same_cells(const nb::bytes& gold, const Matrix<std::uint32_t>& gold_fields, std::int64_t gold_column,
                const nb::bytes& system, const Matrix<std::uint32_t>& system_fields, std::int64_t system_column) {
    if (gold_fields.shape(0) != system_fields.shape(0)) throw nb::value_error("not the same number of words");
    const Cells a(gold, gold_fields, gold_column), b(system, system_fields, system_column);
    std::vector<std::uint8_t> same(gold_fields.shape(0));
    for (std::size_t i = 0; i < same.size(); ++i) same[i] = a[i] == b[i];
    return to_numpy(std::move(same));
}

}  // namespace

void bind_agreement(nb::module_& m) { m.def("same_cells", &same_cells); }

}  // namespace arclift
