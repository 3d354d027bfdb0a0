#pragma once

#include <memory>
#include <vector>

#include "engine/cuda/methods/methods.h"
#include "engine/cuda/run/device_method.h"
#include "tests/engine/cpu/harness.h"
#include "tests/engine/cuda/device_double.h"

namespace flcc::test {

/// An engine on the double with one of its methods.
class OnDouble {
  public:
    explicit OnDouble(cuda::MakeMethod make = cuda::directMethod) : method(make(engine, 0, {})) {}
    /// On several devices, which share the map.
    OnDouble(cuda::MakeMethod make, const std::vector<std::int32_t>& together)
        : method(cuda::jointMethod(engine, make, together)) {}

    cuda::Engine engine{&doubleTable()};
    std::unique_ptr<method::Method> method;

    /// The first way that is accepted; without a method when none is.
    [[nodiscard]] Way way(const method::MaskedView& scene, const method::MaskedView& templ,
                          const base::Extents& tile = {0, 0, 0}) const {
        const auto ways = acceptedWays({method.get()}, problemOf(scene, templ), 2, tile);
        return ways.empty() ? Way{} : ways.front();
    }
};

} // namespace flcc::test
