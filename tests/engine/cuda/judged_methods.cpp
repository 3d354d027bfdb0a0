#include <memory>

#include "engine/cuda/device_method.h"
#include "engine/cuda/methods.h"
#include "tests/engine/cpu/harness.h"
#include "tests/engine/cuda/device_double.h"

namespace flcc::test {

const std::vector<const method::Method*>& judgedMethods() {
    static cuda::Engine engine(&doubleTable());
    static const auto direct = cuda::directMethod(engine, 0);
    static const auto tiled = cuda::tiledMethod(engine, 0);
    static const auto fourier = cuda::fourierMethod(engine, 0);
    static const std::vector<const method::Method*> methods{direct.get(), tiled.get(),
                                                            fourier.get()};
    return methods;
}

} // namespace flcc::test
