#include <memory>

#include "engine/cuda/methods.h"
#include "tests/engine/cpu/harness.h"
#include "tests/engine/cuda/device_double.h"

namespace flcc::test {

const std::vector<const method::Method*>& judgedMethods() {
    static cuda::Engine engine(&doubleTable());
    static const auto direct = cuda::directMethod(engine, 0);
    static const std::vector<const method::Method*> methods{direct.get()};
    return methods;
}

} // namespace flcc::test
