// Non-projective arcs in linear time. Twin: arclift.trees.projectivity.nonprojective
#include "projectivity.hpp"

namespace arclift {
namespace {

auto nonprojective(const Ints& heads, const Offsets& offsets) {
    std::vector<std::uint8_t> found(heads.shape(0), 0);
    Tree tree;
    for_each_span(heads, offsets, [&](const std::int32_t* words, std::int32_t n, Index sentence, Index begin) {
        check_range(words, n, sentence);
        if (tree.is_projective(words, n)) return;
        tree.read(words, n, sentence);
        for (std::int32_t d = 1; d <= n; ++d)
            found[begin + static_cast<Index>(d - 1)] = !tree.is_projective_arc(tree.head[d], d);
    });
    return to_numpy(std::move(found));
}

}  // namespace

void bind_projectivity(nb::module_& m) { m.def("nonprojective", &nonprojective); }

}  // namespace arclift
