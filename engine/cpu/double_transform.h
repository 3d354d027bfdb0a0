#pragma once

#include <cstdint>
#include <memory>

#include "engine/base/extents.h"
#include "engine/base/image.h"

namespace flcc::cpu {

/// Circular correlation of a real tile with a real template in double precision, one tile at a
/// time: for the tiles that single precision cannot keep the promise on. Most lengths that are
/// products of 2, 3, 5 and 7 go through halfBeamTransform(), others through FFTW.
///
/// **Shapes**: a spectrum, and `work`, which is scratch, have spectrumValues(), aligned to a cache
/// line. Tiles are contiguous, with kZeros zeros behind the last value of those that are read.
///
/// **Threads**: immutable; each thread brings its own buffers.
class DoubleTransform {
  public:
    static constexpr std::int64_t kZeros = 16;

    /// The transform of a shape; made once a process and kept.
    [[nodiscard]] static std::shared_ptr<const DoubleTransform> of(const base::Extents& points);

    virtual ~DoubleTransform() = default;

    /// Values of the half of a spectrum that is kept, no fewer than the tile has.
    [[nodiscard]] static std::int64_t spectrumValues(const base::Extents& points);

    /// What a thread takes while it transforms; of FFTW about.
    [[nodiscard]] static std::int64_t scratchBytes(const base::Extents& points);

    /// What a thread takes for a point of forward() or inverse(), about: longer the further tile,
    /// spectrum and result are beyond the caches; with FFTW beyond those that cores share.
    [[nodiscard]] static double halfNs(const base::Extents& points);

    /// conj(F(templ)) / M in the order that correlate() reads it.
    [[nodiscard]] base::Image<double> templateSpectrum(const base::Image<double>& templ) const;
    /// Likewise in `spectrum`.
    virtual void templateSpectrum(const base::Image<double>& templ, double* work,
                                  double* spectrum) const = 0;

    /// `to` = circular correlation of `tile` with the template; `to` may be where its spectrum is.
    virtual void correlate(const double* templ, const double* tile, double* work,
                           double* to) const = 0;

    /// correlate() in two, for several templates: the spectrum of a tile,
    virtual void forward(const double* tile, double* work, double* spectrum) const = 0;
    /// and `to` = the tile behind it correlated with a template.
    virtual void inverse(const double* templ, const double* spectrum, double* work,
                         double* to) const = 0;

  protected:
    explicit DoubleTransform(const base::Extents& points) : m_points(points) {}
    [[nodiscard]] const base::Extents& points() const { return m_points; }

  private:
    base::Extents m_points;
};

} // namespace flcc::cpu
