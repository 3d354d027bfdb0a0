#pragma once

#include <algorithm>
#include <cstdint>
#include <memory>
#include <utility>
#include <vector>

#include "engine/base/extents.h"
#include "engine/base/image.h"
#include "engine/cpu/fft_plan.h"
#include "engine/cpu/simd/kernels.h"

namespace flcc::cpu {

/// Lines across rows that are gathered together: one cache line of complex values.
inline constexpr std::int64_t kLinesTogether = 8;

/// Complex buffers of one tile; rows are `rowStride()` complex values apart.
struct TransformBuffers {
    base::Image<float> tile;   ///< voxels in, correlation out: (re, im) pairs
    base::Image<float> rows;   ///< between the passes
    base::Image<float> lines;  ///< lines across rows, gathered
    base::Image<float> images; ///< their transforms
};

/// Circular correlation of complex tiles of one shape with a real template: rows forward, columns
/// forward, product, columns inverse a block at a time while it is in cache, rows inverse. Columns
/// are gathered into contiguous memory, where FFTW is up to three times as fast as across rows.
///
/// A tile carries two real tiles as real and imaginary part: the template is real, so they stay
/// apart, and FFTW's complex kernels are about twice as fast as its real ones. Plans come from
/// wisdom where there is some, else from FFTW_ESTIMATE: the same plan, and so the same bits, every
/// time.
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

    /// Floats of a tile, of a spectrum and of a buffer of lines.
    [[nodiscard]] static std::int64_t tileValues(const base::Extents& points) {
        return 2 * rowStride(points.x) * points.y * points.z + simd::kSlack;
    }
    [[nodiscard]] static std::int64_t spectrumValues(const base::Extents& points) {
        return 2 * wholeGroups(points.x) * points.y * points.z;
    }
    [[nodiscard]] static std::int64_t lineValues(const base::Extents& points) {
        return 2 * kLinesTogether * rowStride(std::max(points.y, points.z));
    }

    virtual ~TileTransform() = default;

    /// The least effort behind the plans that tiles pass through.
    [[nodiscard]] virtual FftEffort effort() const = 0;

    /// Complex values between the starts of two rows of `length`, or of two lines: whole groups of
    /// lines, and no large power of two, so that the values of a column do not share a cache set.
    [[nodiscard]] static std::int64_t rowStride(std::int64_t length) {
        const std::int64_t values = wholeGroups(length);
        return values % 64 == 0 ? values + kLinesTogether : values;
    }

    [[nodiscard]] virtual TransformBuffers makeBuffers() const = 0;

    /// conj(F(templ)) / M in the order correlate() reads it: computed in double, rounded once.
    [[nodiscard]] virtual base::Image<float>
    templateSpectrum(const base::Image<double>& templ) const = 0;

    /// buffers.tile = circular correlation of buffers.tile with the template.
    virtual void correlate(const base::Image<float>& spectrum, TransformBuffers& buffers) const = 0;

    /// correlate() in two, for several templates: the spectrum of buffers.tile, as large as that of
    /// a template and in the same order; and buffers.tile = its correlation with a template, to the
    /// bit as correlate(). Takes a tenth longer, as columns leave the cache between them.
    virtual void forward(TransformBuffers& buffers, base::Image<float>& spectrum) const = 0;
    virtual void inverse(const base::Image<float>& spectrum, const base::Image<float>& templ,
                         TransformBuffers& buffers) const = 0;

  private:
    static std::int64_t wholeGroups(std::int64_t length) {
        return (length + kLinesTogether - 1) / kLinesTogether * kLinesTogether;
    }
};

} // namespace flcc::cpu
