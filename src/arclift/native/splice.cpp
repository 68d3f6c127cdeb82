// The same bytes with some columns replaced. Twin: arclift.treebank.splice.splice
#include "core.hpp"

#include <cstring>
#include <string_view>

namespace arclift {
namespace {

struct Edit {
    std::int64_t column;
    const std::int32_t* ids;
    std::vector<std::string_view> texts;
    std::vector<nb::bytes> kept;  // the texts stay while other threads run
};

std::vector<Edit> read_edits(const nb::list& edits, std::size_t words, std::int64_t columns,
                             std::vector<Ints>& kept) {
    std::vector<Edit> result;
    std::int64_t previous = -1;
    for (nb::handle item : edits) {
        const auto edit = nb::cast<nb::tuple>(item);
        const auto column = nb::cast<std::int64_t>(edit[0]);
        if (column <= previous || column >= columns) throw nb::value_error("edits must name columns in ascending order");
        previous = column;
        kept.push_back(nb::cast<Ints>(edit[1]));
        if (kept.back().shape(0) != words) throw nb::value_error("an edit must have one id for each word");
        Edit read{column, kept.back().data(), {}, {}};
        for (nb::handle text : nb::cast<nb::list>(edit[2])) {
            const auto& bytes = read.kept.emplace_back(nb::cast<nb::bytes>(text));
            read.texts.emplace_back(bytes.c_str(), bytes.size());
        }
        for (std::size_t i = 0; i < words; ++i)
            if (read.ids[i] >= static_cast<std::int64_t>(read.texts.size()))
                throw nb::value_error("an edit has an id without a text");
        result.push_back(std::move(read));
    }
    return result;
}

// Calls copy(text) for each piece of the result in order.
template <typename Copy>
void pieces(std::string_view data, std::size_t begin, std::size_t end, const Matrix<std::uint32_t>& fields,
            const std::vector<Edit>& edits, Copy copy) {
    std::size_t done = begin;
    const std::uint32_t* row = fields.data();
    for (std::size_t i = 0; i < fields.shape(0); ++i, row += fields.shape(1)) {
        for (const Edit& edit : edits) {
            if (edit.ids[i] < 0) continue;
            const std::size_t a = row[edit.column];
            if (row[edit.column + 1] <= a) throw nb::value_error("a word does not have the column that is to be replaced");
            const std::size_t b = row[edit.column + 1] - 1u;  // without the separator
            if (a < done || b > end) throw nb::value_error("the columns do not lie in order within the data");
            copy(data.substr(done, a - done));
            copy(edit.texts[static_cast<std::size_t>(edit.ids[i])]);
            done = b;
        }
    }
    copy(data.substr(done, end - done));
}

nb::bytes splice(const nb::bytes& bytes, std::size_t begin, std::size_t end, const Matrix<std::uint32_t>& fields,
                 const nb::list& edits) {
    const std::string_view data{bytes.c_str(), bytes.size()};
    if (begin > end || end > data.size()) throw nb::value_error("the range leaves the data");
    if (fields.shape(1) < 2) throw nb::value_error("fields needs a start and an end for each column");
    std::vector<Ints> kept;
    const auto read = read_edits(edits, fields.shape(0), static_cast<std::int64_t>(fields.shape(1)) - 1, kept);

    std::size_t size = 0;
    {
        nb::gil_scoped_release release;
        pieces(data, begin, end, fields, read, [&](std::string_view text) { size += text.size(); });
    }
    PyObject* result = PyBytes_FromStringAndSize(nullptr, static_cast<Py_ssize_t>(size));
    if (!result) throw nb::python_error();
    auto written = nb::steal<nb::bytes>(result);
    char* out = PyBytes_AsString(result);
    {
        nb::gil_scoped_release release;
        pieces(data, begin, end, fields, read, [&](std::string_view text) {
            std::memcpy(out, text.data(), text.size());
            out += text.size();
        });
    }
    return written;
}

}  // namespace

void bind_splice(nb::module_& m) { m.def("splice", &splice); }

}  // namespace arclift
