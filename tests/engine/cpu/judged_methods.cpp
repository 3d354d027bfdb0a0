#include <cstdlib>
#include <memory>
#include <string_view>

#include "engine/cuda/kernels/device_pixels.h"
#include "engine/cuda/methods/methods.h"
#include "engine/cuda/run/device_method.h"
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

bool onDevice() {
    const char* asked = std::getenv("FLCC_TEST_METHODS");
    return asked != nullptr && std::string_view(asked) == "device";
}

} // namespace

const std::vector<const method::Method*>& judgedMethods() {
    return onDevice() ? deviceMethods() : plan::methods();
}

bool areJudged(base::PixelType scene, bool weighted) {
    method::Problem problem;
    problem.scenePixel = scene;
    return !onDevice() || (!weighted && cuda::pixelRefusal(problem).empty());
}

} // namespace flcc::test
