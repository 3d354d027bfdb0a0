#pragma once

#include <algorithm>
#include <cstdint>
#include <memory>
#include <utility>
#include <vector>

#include "engine/base/extents.h"
#include "engine/base/image.h"
#include "engine/cpu/fft_plan.h"
#include "engine/cpu/for_items.h"
#include "engine/cpu/simd/beam.h"
#include "engine/cpu/simd/kernels.h"

namespace flcc::cpu {

/// Lines across rows that are gathered together: one cache line of complex values.
inline constexpr std::int64_t kLinesTogether = 8;

/// Buffers of one tile.
struct TransformBuffers {
    base::Image<float> tile;   ///< between the passes
    base::Image<float> rows;   ///< FFTW: as tile; free after a transform
    base::Image<float> lines;  ///< lines across rows, gathered
    base::Image<float> images; ///< FFTW: their transforms
};

/// Real tiles that share one complex transform: contiguous rows, slices one after the other, with
/// simd::kSlack values behind the last one.
using beam::Planes;

/// Circular correlation of pairs of real tiles of one shape with a real template. The pair is one
/// complex tile: the template is real, so its two parts stay apart. Lengths that are products of 2,
/// 3, 5 and 7 go through beamTransform(), others through FFTW: rows forward, columns forward,
/// product, columns inverse a block at a time while it is in cache, rows inverse; columns are
/// gathered into contiguous memory, where FFTW is up to three times as fast as across rows. Its
/// plans come from wisdom where there is some, else from FFTW_ESTIMATE: the same plan, and so the
/// same bits, every time.
///
/// **Threads**: immutable; each thread brings its own buffers.
class TileTransform {
  public:
    /// The transform of a shape; made once a process and kept.
    [[nodiscard]] static std::shared_ptr<const TileTransform> of(const base::Extents& points);

    /// Searches for better plans of a shape; from then on of() gives them. What was found is part
    /// of exportWisdom(). Returns the effort behind the plans, which is less than was asked for
    /// when time ran out. **Cost**: seconds with FftEffort::Patient.
    static FftEffort improve(const base::Extents& points, const FftSearch& search);

    /// The effort behind the plans of a shape, without making them.
    [[nodiscard]] static FftEffort effortOf(const base::Extents& points);

    /// Says what imported wisdom holds; transforms made before are made anew.
    static void setPlanned(const std::vector<std::pair<base::Extents, FftEffort>>& shapes);

    /// Floats of the buffers of a tile, without the one that takes the numerators afterwards, of
    /// that one, and of a spectrum.
    [[nodiscard]] static std::int64_t bufferValues(const base::Extents& points);
    [[nodiscard]] static std::int64_t rowsValues(const base::Extents& points);
    [[nodiscard]] static std::int64_t spectrumValues(const base::Extents& points);

    virtual ~TileTransform() = default;

    /// The least effort behind the plans that tiles pass through.
    [[nodiscard]] virtual FftEffort effort() const = 0;

    [[nodiscard]] virtual TransformBuffers makeBuffers() const = 0;
    /// To be called when something else has been in `tile`.
    virtual void clear(TransformBuffers& buffers) const = 0;

    /// conj(F(templ)) / M in the order correlate() reads it: computed in double, rounded once.
    /// FFTW's in this thread alone.
    [[nodiscard]] virtual base::Image<float> templateSpectrum(const base::Image<double>& templ,
                                                              const ForItems& each) const = 0;

    /// to = circular correlation of `from` with the template; `to` may be buffers.rows.
    virtual void correlate(const Planes<const float>& from, const base::Image<float>& spectrum,
                           TransformBuffers& buffers, const Planes<float>& to) const = 0;

    /// correlate() in two, for several templates: the spectrum of `from`, as large as that of a
    /// template and in the same order; and its correlation with a template, to the bit as
    /// correlate(). Takes a tenth longer, as what is between leaves the cache.
    virtual void forward(const Planes<const float>& from, TransformBuffers& buffers,
                         base::Image<float>& spectrum) const = 0;
    virtual void inverse(const base::Image<float>& spectrum, const base::Image<float>& templ,
                         TransformBuffers& buffers, const Planes<float>& to) const = 0;
};

} // namespace flcc::cpu
