#pragma once

#include <algorithm>
#include <cstdint>
#include <memory>

#include "engine/base/extents.h"
#include "engine/base/image.h"

namespace flcc::cpu {

/// Circular correlation of a real tile with a real template in double precision, one tile at a
/// time: for the tiles that single precision cannot keep the promise on.
///
/// **Threads**: immutable; each thread brings its own buffers.
class DoubleTransform {
  public:
    /// The transform of a shape; made once a process and kept.
    [[nodiscard]] static std::shared_ptr<const DoubleTransform> of(const base::Extents& points);

    virtual ~DoubleTransform() = default;

    /// (re, im) pairs in a half spectrum: (x / 2 + 1) * y * z.
    [[nodiscard]] static std::int64_t spectrumPairs(const base::Extents& points) {
        return (points.x / 2 + 1) * points.y * points.z;
    }

    /// What FFTW takes in a thread while it transforms, about.
    [[nodiscard]] static std::int64_t scratchBytes(const base::Extents& points) {
        constexpr std::int64_t kMost = std::int64_t{1} << 21;
        return std::min(kMost, 8 * base::voxelCount(points));
    }

    /// conj(F(templ)) / M as pairs.
    [[nodiscard]] base::Image<double> templateSpectrum(const base::Image<double>& templ) const;
    /// Likewise in `pairs`, of spectrumPairs(); `tile` is scratch of the shape's voxels.
    virtual void templateSpectrum(const base::Image<double>& templ, double* tile,
                                  double* pairs) const = 0;

    /// `to` = circular correlation of `tile` with the template; `pairs` is scratch of
    /// spectrumPairs(). **Shapes**: tile and to are `points`, contiguous; `tile` is kept.
    void correlate(const double* spectrum, const double* tile, double* pairs, double* to) const {
        forward(tile, pairs);
        inverse(spectrum, pairs, pairs, to);
    }

    /// The half spectrum of a tile, for several inverse(). **Shapes**: as correlate().
    virtual void forward(const double* tile, double* pairs) const = 0;

    /// `to` = the tile behind `pairs` correlated with a template. `product` is scratch of
    /// spectrumPairs(), `pairs` itself where that is no longer needed; `to` may be where the
    /// spectrum is.
    virtual void inverse(const double* spectrum, const double* pairs, double* product,
                         double* to) const = 0;

  protected:
    explicit DoubleTransform(const base::Extents& points) : m_points(points) {}
    [[nodiscard]] const base::Extents& points() const { return m_points; }

  private:
    base::Extents m_points;
};

} // namespace flcc::cpu
