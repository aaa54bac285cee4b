#include "kernels/everywhere.h"

namespace zhuyi {
namespace {

TEST_CASE(
    "the probe counts what it does: twice the rounds are twice the operations, on every table") {
    Workspace workspace;
    CHECK(reference::kernels().fma_rounds(10, workspace) == 20);
    for (const Kernels* table : tables()) {
        CAPTURE(table->name);
        const double operations = table->fma_rounds(100, workspace);
        CHECK(operations >= 100.0 * 2 * 16);  // at least one chain of 16 lanes
        CHECK(table->fma_rounds(200, workspace) == 2 * operations);
    }
}

TEST_CASE("the probe's chains settle where x = 0.999 x + 0.001 does: none was left out") {
    Workspace workspace;
    const Real* settled = workspace.shared(1);
    reference::kernels().fma_rounds(10000, workspace);
    CHECK(close(*settled, 1, 1e-3));
    for (const Kernels* table : tables()) {
        CAPTURE(table->name);
        const ThreadCount one(1);
        const double chains = table->fma_rounds(10000, workspace) / (2.0 * 16 * 16 * 10000);
        CHECK(close(*workspace.shared(1) / chains, 1, 1e-3));
    }
}

}  // namespace
}  // namespace zhuyi
