// The compiled core: each file binds its own loops.
#include "core.hpp"

#define ARCLIFT_LOOPS(X) \
    X(agreement) \
    X(eisner) \
    X(graph) \
    X(lifting) \
    X(lowering) \
    X(maxent) \
    X(memory) \
    X(parsing) \
    X(mlp) \
    X(mlp_scorer) \
    X(perceptron) \
    X(projectivity) \
    X(recurrent) \
    X(repair) \
    X(scan) \
    X(spanning) \
    X(sparse) \
    X(splice) \
    X(strings) \
    X(structure) \
    X(text_ids)

#define DECLARE(name) void bind_##name(nb::module_& m);
namespace arclift { ARCLIFT_LOOPS(DECLARE) }

NB_MODULE(_core, m) {
    m.doc() = "arclift's compiled loops; each is documented at its plain Python twin.";
    nb::set_leak_warnings(false);  // what a program still holds when it ends is no news for its user
#ifdef __SANITIZE_ADDRESS__
    m.attr("_sanitizers") = "address, undefined behaviour";
#endif
#define BIND(name) arclift::bind_##name(m);
    ARCLIFT_LOOPS(BIND)
}
