#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "engine/base/extents.h"
#include "engine/base/image.h"
#include "engine/cpu/common/for_items.h"
#include "engine/cpu/simd/kernels.h"
#include "engine/cpu/transform/fft_plan.h"
#include "engine/method/candidate.h"
#include "engine/method/problem.h"

namespace flcc::cpu {

/// Energies of a tile before its transform (`in`) and of the whole correlation (`out`), the part
/// that is not wanted included. The error bound is made of them (engine/method/NUMERICS.md, section
/// 5).
struct TileEnergies {
    method::shared::TileEnergy in;
    method::shared::TileEnergy out;
};

/// The threads that share one transform: `each` does the items on them, `workers` is their number.
struct Sharers {
    const ForItems& each;
    int workers;
};

/// The points of a transform, and whether FFTW makes it.
struct TransformShape : base::Extents {
    bool fftw = false;

    TransformShape() = default;
    /// By FFTW where `by` says so, and for points that halfBeamTransform() does not take.
    explicit TransformShape(const base::Extents& points,
                            method::Transforms by = method::Transforms::Auto);
    explicit TransformShape(const method::Candidate& candidate)
        : TransformShape(candidate.tile, candidate.transforms) {}

    /// True if our code takes the points too.
    [[nodiscard]] bool smooth() const;

    /// Other points, transformed by the same code if it takes them.
    [[nodiscard]] TransformShape with(const base::Extents& points) const {
        return TransformShape(points, fftw ? method::Transforms::Fftw : method::Transforms::Own);
    }

    friend bool operator==(const TransformShape&, const TransformShape&) = default;
};

/// The transforms of a candidate with these points under `limits`: those that `limits` name, else
/// ours where they take the points.
[[nodiscard]] method::Transforms transformsFor(const base::Extents& points,
                                               const method::Limits& limits);
/// All transforms that such candidates may use, ours first.
[[nodiscard]] std::vector<method::Transforms> allTransformsFor(const base::Extents& points,
                                                               const method::Limits& limits);

/// Why the candidate's transforms cannot transform its points; empty if they can. `whole`: they
/// transform a whole scene at once.
[[nodiscard]] std::string transformsRefusal(const method::Candidate& candidate, bool whole);

/// The predicted time of transforms of a shape over that of ours.
[[nodiscard]] double timeFactor(const TransformShape& shape);

/// Circular correlation of a real tile with a real template, in float or in double. Double serves
/// tiles for which single precision cannot keep the promise.
///
/// **Shapes**: a spectrum holds spectrumValues() values, aligned to a cache line; so does `work`,
/// which is scratch. A tile that is read is contiguous, with kZeros zeros behind its last value. Of
/// a correlation only the box `wanted` from the origin on is specified; the rest may hold anything.
///
/// **Threads**: immutable; each thread brings its own buffers.
template <class Real> class TileTransform {
  public:
    static constexpr std::int64_t kZeros = 16;

    /// Number of shapes whose transforms stay in the table while nobody uses them. The shape that
    /// was requested longest ago goes first.
    static constexpr std::size_t kKeptShapes = 64;

    /// The transform of a shape; made if the table has none. All transforms made for one shape give
    /// the same bits. An FFTW plan comes from FFTW's wisdom or, without wisdom for the shape, from
    /// an estimate.
    [[nodiscard]] static std::shared_ptr<const TileTransform> of(const TransformShape& points);
    /// Searches for a faster FFTW plan, which FFTW then keeps as wisdom. Does nothing for shapes
    /// that do not use FFTW.
    static void search(const TransformShape& points, const FftSearch& search);

    virtual ~TileTransform() = default;

    /// How the transform was planned: "own", or the effort behind FFTW's plan.
    [[nodiscard]] virtual std::string_view planning() const = 0;

    /// Values of the half spectrum that is stored: at least as many as the tile has.
    [[nodiscard]] static std::int64_t spectrumValues(const TransformShape& points);

    /// Values that a correlation may write if the box `wanted` is requested.
    [[nodiscard]] static std::int64_t writtenValues(const TransformShape& points,
                                                    const base::Extents& wanted);

    /// Bytes of scratch that a thread takes during a transform; with FFTW an estimate.
    [[nodiscard]] static std::int64_t scratchBytes(const TransformShape& points);

    /// Doubles of scratch that templateSpectrum() takes for a template of extents `m`.
    [[nodiscard]] static std::int64_t templateWorkValues(const TransformShape& points,
                                                         const base::Extents& m);

    /// conj(F(templ)) / M, M the number of points, in the order that correlate() reads. It is
    /// computed in double and rounded once. Empty if stopped.
    [[nodiscard]] base::Image<Real> templateSpectrum(const base::View<const double>& templ,
                                                     const ForItems& each) const;
    /// The same, written to `spectrum`. `work` holds templateWorkValues() doubles. False if
    /// stopped.
    virtual bool templateSpectrum(const base::View<const double>& templ, const ForItems& each,
                                  double* work, Real* spectrum) const = 0;

    /// Writes the circular correlation of `tile` with the template to `to`, on all threads of
    /// `sharers`. Empty if stopped. The number of threads changes no bit. `to` may be the memory of
    /// `templ`.
    [[nodiscard]] virtual std::optional<TileEnergies>
    correlate(const Sharers& sharers, const Real* templ, const Real* tile, Real* work, Real* to,
              const base::Extents& wanted) const = 0;
    /// The same in the calling thread.
    TileEnergies correlate(const Real* templ, const Real* tile, Real* work, Real* to,
                           const base::Extents& wanted) const {
        return correlate({oneAfterTheOther(), 1}, templ, tile, work, to, wanted).value();
    }

    /// First half of correlate(), done once for several templates: the spectrum of a tile.
    virtual method::shared::TileEnergy forward(const Real* tile, Real* work,
                                               Real* spectrum) const = 0;
    /// Second half of correlate(): writes the correlation of the tile behind `spectrum` with a
    /// template to `to`, with the bits of correlate(). `to` may be the memory of `templ`.
    virtual method::shared::TileEnergy inverse(const Real* templ, const Real* spectrum, Real* work,
                                               Real* to, const base::Extents& wanted) const = 0;

    /// The same for a sum of products of spectra that addProduct() made.
    virtual void inverse(const Real* sum, Real* work, Real* to,
                         const base::Extents& wanted) const = 0;

    /// Adds the products of the spectra `templ` and `spectrum` to `sum`, for `count` values. The
    /// index of the first one is a multiple of kTogether.
    virtual void addProduct(const Real* templ, const Real* spectrum, std::int64_t count,
                            Real* sum) const = 0;
    static constexpr std::int64_t kTogether = 32;

  protected:
    explicit TileTransform(const TransformShape& points) : m_points(points) {}
    [[nodiscard]] const base::Extents& points() const { return m_points; }

  private:
    TransformShape m_points;
};

/// How the transform of a shape is planned, for reports: "own", or the effort behind FFTW's plan,
/// "estimate" until there is one.
[[nodiscard]] std::string_view planningOf(const TransformShape& points, bool inDouble);

/// Predicted nanoseconds of one thread for each point of forward() or inverse() in double. The time
/// grows with the logarithm of the ratio of tile, spectrum and result to the caches of one core;
/// with FFTW, to the caches that cores share.
[[nodiscard]] double doubleHalfNs(const TransformShape& points);

} // namespace flcc::cpu
