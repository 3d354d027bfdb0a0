#pragma once

#include <cstdint>
#include <memory>

#include "engine/base/extents.h"

namespace flcc::cpu {

/// The complex values of the half spectrum of a real tile: (x/2 + 1) * y * z.
[[nodiscard]] inline std::int64_t spectrumCount(const base::Extents& extents) {
    return (extents.x / 2 + 1) * extents.y * extents.z;
}

/// A pair of real transforms of one shape, r2c and c2r, out of place, planned by FFTW with
/// FFTW_ESTIMATE: the same plan, and so the same bits, every time. Immutable and shared; executed
/// on any 64-byte aligned buffers.
class TransformPair {
  public:
    virtual ~TransformPair() = default;
    virtual void forward(float* real, float* spectrum) const = 0;
    /// Overwrites `spectrum`; not scaled.
    virtual void inverse(float* spectrum, float* real) const = 0;
};

/// The forward transform in double, for spectra of templates.
class DoubleTransform {
  public:
    virtual ~DoubleTransform() = default;
    virtual void forward(double* real, double* spectrum) const = 0;
};

/// The plan of a shape; made once a process, one thread at a time, kept until the process ends.
[[nodiscard]] std::shared_ptr<const TransformPair> transformPair(const base::Extents& extents);
[[nodiscard]] std::shared_ptr<const DoubleTransform> doubleTransform(const base::Extents& extents);

/// The next length >= `length` whose prime factors are 2, 3, 5 and 7; even when `even`.
[[nodiscard]] std::int64_t nextSmooth(std::int64_t length, bool even);

} // namespace flcc::cpu
