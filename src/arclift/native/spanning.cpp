// Maximum spanning trees for Python. Twin: arclift.trees.spanning.spanning_heads
#include "spanning.hpp"

namespace arclift {
namespace {

nb::object spanning_heads(const Matrix<double>& scores, bool single_root) {
    const Index width = scores.shape(0);
    if (width == 0 || width != scores.shape(1)) throw nb::value_error("scores must be a square matrix");
    if (width > 1'000'000) throw nb::value_error("too many words for a full matrix of scores");
    Contraction contraction(scores.data(), width, single_root);
    if (!contraction.run()) return nb::none();
    return nb::cast(to_numpy(contraction.heads()));
}

}  // namespace

void bind_spanning(nb::module_& m) {
    m.def("spanning_heads", &spanning_heads, nb::arg("scores"), nb::arg("single_root"));
}

}  // namespace arclift
