// Strings to small integers. Twin: arclift.treebank.strings.StringTable
#include "strings.hpp"

#include <nanobind/stl/tuple.h>

#include <mutex>
#include <tuple>

namespace arclift {
namespace {

// Other Python threads run while spans are added, so that a table needs a lock of its own.
struct SharedTable {
    StringTable strings;
    std::mutex mutex;

    template <typename Use>
    decltype(auto) locked(Use use) {
        const std::lock_guard lock(mutex);
        return use(strings);
    }
};

std::string_view view(const nb::bytes& text) { return {text.c_str(), text.size()}; }

// starts[i] .. ends[i] is the i-th text within data.
auto add_spans(SharedTable& table, const nb::bytes& data, const Array<std::uint32_t>& starts,
               const Array<std::uint32_t>& ends) {
    if (starts.shape(0) != ends.shape(0)) throw nb::value_error("starts and ends differ in length");
    const std::string_view all = view(data);
    std::vector<std::int32_t> ids(starts.shape(0));
    {
        nb::gil_scoped_release release;
        const std::lock_guard lock(table.mutex);
        for (std::size_t i = 0; i < ids.size(); ++i) {
            const std::uint32_t a = starts(i), b = ends(i);
            if (a > b || b > all.size()) throw nb::value_error("a span leaves the data");
            ids[i] = table.strings.add(all.substr(a, b - a), all.size() - a);
        }
    }
    return to_numpy(std::move(ids));
}

// The strings from `first` on as one, and where each ends in it.
auto joined(SharedTable& table, std::int64_t first) {
    std::string text;
    std::vector<std::int64_t> ends;
    {
        nb::gil_scoped_release release;
        const std::lock_guard lock(table.mutex);
        for (auto id = first; id < static_cast<std::int64_t>(table.strings.size()); ++id) {
            text += table.strings.at(id);
            ends.push_back(static_cast<std::int64_t>(text.size()));
        }
    }
    return std::make_tuple(nb::bytes(text.data(), text.size()), to_numpy(std::move(ends)));
}

}  // namespace

void bind_strings(nb::module_& m) {
    nb::class_<SharedTable>(m, "StringTable")
        .def(nb::init<>())
        .def("add", [](SharedTable& t, const nb::bytes& s) { return t.locked([&](auto& all) { return all.add(view(s)); }); })
        .def("find", [](SharedTable& t, const nb::bytes& s) { return t.locked([&](auto& all) { return all.find(view(s)); }); })
        .def("add_spans", &add_spans)
        .def("joined", &joined)
        .def("__len__", [](SharedTable& t) { return t.locked([](auto& all) { return all.size(); }); })
        .def("__getitem__", [](SharedTable& t, std::int64_t id) {
            const std::string& s = t.locked([&](auto& all) -> const std::string& { return all.at(id); });  // never moves
            return nb::bytes(s.data(), s.size());
        });
}

}  // namespace arclift
