#pragma once

#include <cstdint>
#include <memory>

#include "engine/base/extents.h"
#include "engine/base/image.h"

namespace flcc::cpu {

/// The next length >= `length` whose prime factors are 2, 3, 5 and 7.
[[nodiscard]] std::int64_t nextSmooth(std::int64_t length);

/// Complex buffers of one tile; rows are `rowStride()` complex values apart.
struct TransformBuffers {
    base::Image<float> tile;   ///< voxels in, correlation out: (re, im) pairs
    base::Image<float> rows;   ///< between the passes
    base::Image<float> column; ///< one block of columns
};

/// Circular correlation of complex tiles of one shape with a real template: rows forward, columns
/// forward, product, columns inverse a block at a time while it is in cache, rows inverse.
///
/// A tile carries two real tiles as real and imaginary part: the template is real, so they stay
/// apart, and FFTW's complex kernels are about twice as fast as its real ones. Plans are made with
/// FFTW_ESTIMATE: the same plan, and so the same bits, every time.
///
/// **Threads**: immutable; each thread brings its own buffers.
class TileTransform {
  public:
    /// The transform of a shape; made once a process and kept.
    [[nodiscard]] static std::shared_ptr<const TileTransform> of(const base::Extents& points);

    virtual ~TileTransform() = default;

    /// Complex values between the starts of two rows.
    [[nodiscard]] virtual std::int64_t rowStride() const = 0;

    [[nodiscard]] virtual TransformBuffers makeBuffers() const = 0;

    /// conj(F(templ)) / M in the order correlate() reads it: computed in double, rounded once.
    [[nodiscard]] virtual base::Image<float>
    templateSpectrum(const base::Image<double>& templ) const = 0;

    /// buffers.tile = circular correlation of buffers.tile with the template.
    virtual void correlate(const base::Image<float>& spectrum, TransformBuffers& buffers) const = 0;
};

} // namespace flcc::cpu
