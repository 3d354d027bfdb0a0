#pragma once

#include <cstdint>
#include <memory>

#include "engine/base/extents.h"
#include "engine/base/image.h"
#include "engine/cpu/for_items.h"

namespace flcc::cpu {

/// Circular correlation of a real tile with a real template, one tile at a time, in float or in
/// double: the latter for the tiles that single precision cannot keep the promise on. Most lengths
/// that are products of 2, 3, 5 and 7 go through halfBeamTransform(), others through FFTW, whose
/// plans come from FFTW_ESTIMATE: the same passes, and so the same bits, every time.
///
/// **Shapes**: a spectrum, and `work`, which is scratch, have spectrumValues(), aligned to a cache
/// line. Tiles are contiguous, with kZeros zeros behind the last value of those that are read.
///
/// **Threads**: immutable; each thread brings its own buffers.
template <class Real> class TileTransform {
  public:
    static constexpr std::int64_t kZeros = 16;

    /// The transform of a shape; made once a process and kept.
    [[nodiscard]] static std::shared_ptr<const TileTransform> of(const base::Extents& points);

    virtual ~TileTransform() = default;

    /// Values of the half of a spectrum that is kept, no fewer than the tile has.
    [[nodiscard]] static std::int64_t spectrumValues(const base::Extents& points);

    /// What a thread takes while it transforms; of FFTW about.
    [[nodiscard]] static std::int64_t scratchBytes(const base::Extents& points);

    /// conj(F(templ)) / M in the order that correlate() reads it: computed in double, rounded once.
    [[nodiscard]] base::Image<Real> templateSpectrum(const base::Image<double>& templ,
                                                     const ForItems& each) const;
    /// Likewise in `spectrum`; `work` in double.
    virtual void templateSpectrum(const base::Image<double>& templ, const ForItems& each,
                                  double* work, Real* spectrum) const = 0;

    /// `to` = circular correlation of `tile` with the template; `to` may be where its spectrum is.
    virtual void correlate(const Real* templ, const Real* tile, Real* work, Real* to) const = 0;

    /// correlate() in two, for several templates: the spectrum of a tile,
    virtual void forward(const Real* tile, Real* work, Real* spectrum) const = 0;
    /// and `to` = the tile behind it correlated with a template, to the bit as correlate().
    virtual void inverse(const Real* templ, const Real* spectrum, Real* work, Real* to) const = 0;

  protected:
    explicit TileTransform(const base::Extents& points) : m_points(points) {}
    [[nodiscard]] const base::Extents& points() const { return m_points; }

  private:
    base::Extents m_points;
};

/// What a thread takes for a point of forward() or inverse() in double, about: longer the further
/// tile, spectrum and result are beyond the caches; with FFTW beyond those that cores share.
[[nodiscard]] double twofoldHalfNs(const base::Extents& points);

} // namespace flcc::cpu
