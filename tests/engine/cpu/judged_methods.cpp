#include <cstdlib>
#include <memory>
#include <string_view>

#include "engine/cuda/device_method.h"
#include "engine/cuda/methods.h"
#include "engine/plan/planner.h"
#include "tests/engine/cpu/harness.h"
#include "tests/engine/cuda/device_double.h"

namespace flcc::test {

namespace {

const std::vector<const method::Method*>& deviceMethods() {
    static cuda::Engine engine(&doubleTable());
    static const auto direct = cuda::directMethod(engine, 0);
    static const auto tiled = cuda::tiledMethod(engine, 0);
    static const auto fourier = cuda::fourierMethod(engine, 0);
    static const std::vector<const method::Method*> methods{direct.get(), tiled.get(),
                                                            fourier.get()};
    return methods;
}

} // namespace

const std::vector<const method::Method*>& judgedMethods() {
    const char* asked = std::getenv("FLCC_TEST_METHODS");
    const bool device = asked != nullptr && std::string_view(asked) == "device";
    return device ? deviceMethods() : plan::methods();
}

} // namespace flcc::test
