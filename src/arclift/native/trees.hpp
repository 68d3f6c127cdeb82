// What the loops over heads that may be anything share: the sentences of a batch, and TreeError.
#pragma once

#include "core.hpp"

#include <string>

namespace arclift {

using Index = std::size_t;

[[noreturn]] inline void throw_tree_error(const std::string& message) {
    const nb::object type = nb::module_::import_("arclift.errors").attr("TreeError");
    PyErr_SetString(type.ptr(), message.c_str());
    throw nb::python_error();
}

// Calls use(first head, number of words, index of the sentence, index of its first word) for each sentence.
template <typename Use>
void for_each_span(const Ints& heads, const Offsets& offsets, Use use) {
    const auto total = static_cast<std::int64_t>(heads.shape(0));
    const Index bounds = offsets.shape(0);
    if (bounds == 0 || offsets(0) != 0 || offsets(bounds - 1) != total)
        throw nb::value_error("offsets must begin at 0 and end at the number of words");
    for (Index s = 0; s + 1 < bounds; ++s) {
        const std::int64_t begin = offsets(s), end = offsets(s + 1);
        if (begin > end || end > total) throw nb::value_error("offsets must not decrease");
        if (end - begin > 2'000'000'000) throw nb::value_error("a sentence has too many words");
        use(heads.data() + begin, static_cast<std::int32_t>(end - begin), s, static_cast<Index>(begin));
    }
}

}  // namespace arclift
