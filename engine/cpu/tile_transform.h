#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string_view>

#include "engine/base/extents.h"
#include "engine/base/image.h"
#include "engine/cpu/fft_plan.h"
#include "engine/cpu/for_items.h"
#include "engine/cpu/simd/kernels.h"

namespace flcc::cpu {

/// What goes into a transform and what comes out, as its error bound takes them (METHODS 2.2): of
/// lines whose errors stay within them.
struct TileEnergies {
    method::shared::TileEnergy in;
    method::shared::TileEnergy out;
};

/// The threads that share a transform: what they do items with, and how many there are.
struct Sharers {
    const ForItems& each;
    int workers;
};

/// Circular correlation of a real tile with a real template, in float or in double: the latter for
/// the tiles that single precision cannot keep the promise on. Most lengths that are products of 2,
/// 3, 5 and 7 go through halfBeamTransform(), others through FFTW.
///
/// **Shapes**: a spectrum, and `work`, which is scratch, have spectrumValues(), aligned to a cache
/// line. Tiles are contiguous, with kZeros zeros behind the last value of those that are read. Of
/// the correlation the box `wanted` from the origin on is promised; the rest may be anything.
///
/// **Threads**: immutable; each thread brings its own buffers.
template <class Real> class TileTransform {
  public:
    static constexpr std::int64_t kZeros = 16;

    /// Shapes whose transforms are kept while nobody uses them, those that were asked for last.
    static constexpr std::size_t kKeptShapes = 64;

    /// The transform of a shape, made where none is kept. All transforms made for one shape give
    /// the same bits. FFTW's comes from its wisdom or, without any for the shape, from an estimate.
    [[nodiscard]] static std::shared_ptr<const TileTransform> of(const base::Extents& points);
    /// Searches for a better transform of FFTW's, which FFTW then keeps as wisdom.
    static void search(const base::Extents& points, const FftSearch& search);

    virtual ~TileTransform() = default;

    /// "own", or the effort behind FFTW's plan.
    [[nodiscard]] virtual std::string_view planning() const = 0;

    /// Values of the half of a spectrum that is kept, no fewer than the tile has.
    [[nodiscard]] static std::int64_t spectrumValues(const base::Extents& points);

    /// Values of a correlation that may be written where `wanted` is promised.
    [[nodiscard]] static std::int64_t writtenValues(const base::Extents& points,
                                                    const base::Extents& wanted);

    /// What a thread takes while it transforms; of FFTW about.
    [[nodiscard]] static std::int64_t scratchBytes(const base::Extents& points);

    /// Values of the scratch that the spectrum of a template of extents `m` is made in.
    [[nodiscard]] static std::int64_t templateWorkValues(const base::Extents& points,
                                                         const base::Extents& m);

    /// conj(F(templ)) / M in the order that correlate() reads it: computed in double, rounded once.
    /// Empty when stopped.
    [[nodiscard]] base::Image<Real> templateSpectrum(const base::View<const double>& templ,
                                                     const ForItems& each) const;
    /// Likewise in `spectrum`; `work` of templateWorkValues(). False when stopped.
    virtual bool templateSpectrum(const base::View<const double>& templ, const ForItems& each,
                                  double* work, Real* spectrum) const = 0;

    /// `to` = circular correlation of `tile` with the template, by all of `sharers`; nothing when
    /// they were stopped. The same bits by any number of them. `to` may be where `templ` is.
    [[nodiscard]] virtual std::optional<TileEnergies>
    correlate(const Sharers& sharers, const Real* templ, const Real* tile, Real* work, Real* to,
              const base::Extents& wanted) const = 0;
    /// Likewise in this thread.
    TileEnergies correlate(const Real* templ, const Real* tile, Real* work, Real* to,
                           const base::Extents& wanted) const {
        return correlate({oneAfterTheOther(), 1}, templ, tile, work, to, wanted).value();
    }

    /// correlate() in two, for several templates: the spectrum of a tile,
    virtual method::shared::TileEnergy forward(const Real* tile, Real* work,
                                               Real* spectrum) const = 0;
    /// and `to` = the tile behind it correlated with a template, to the bit as correlate(). `to`
    /// may be where `templ` is.
    virtual method::shared::TileEnergy inverse(const Real* templ, const Real* spectrum, Real* work,
                                               Real* to, const base::Extents& wanted) const = 0;

    /// The same of a sum of products of spectra, as addProduct() makes it.
    virtual void inverse(const Real* sum, Real* work, Real* to,
                         const base::Extents& wanted) const = 0;

    /// `sum` += `templ` `spectrum`, of `count` values from one that is a multiple of kTogether.
    virtual void addProduct(const Real* templ, const Real* spectrum, std::int64_t count,
                            Real* sum) const = 0;
    static constexpr std::int64_t kTogether = 32;

  protected:
    explicit TileTransform(const base::Extents& points) : m_points(points) {}
    [[nodiscard]] const base::Extents& points() const { return m_points; }

  private:
    base::Extents m_points;
};

/// How the transform of a shape is planned, for reports: "own", or the effort behind FFTW's, an
/// estimate until it is made.
[[nodiscard]] std::string_view planningOf(const base::Extents& points, bool inDouble);

/// What a thread takes for a point of forward() or inverse() in double, about: longer the further
/// tile, spectrum and result are beyond the caches; with FFTW beyond those that cores share.
[[nodiscard]] double doubleHalfNs(const base::Extents& points);

} // namespace flcc::cpu
