#pragma once

#include <memory>

#include "engine/cuda/kernels/tiled_launch.h"

namespace flcc::test {

/// What stands in for cuFFT: FFTW along one axis after the other, in the same precision and in the
/// same places.
class TransformDouble {
  public:
    [[nodiscard]] static std::unique_ptr<TransformDouble> of(const cuda::TransformShape& shape);
    virtual ~TransformDouble() = default;

    /// Of its work area, every byte of which it overwrites.
    [[nodiscard]] virtual std::int64_t workBytes() const = 0;
    virtual void run(void* data, void* work) const = 0;
};

} // namespace flcc::test
