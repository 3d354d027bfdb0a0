#pragma once

#include <algorithm>
#include <cstdint>
#include <functional>
#include <memory>
#include <vector>

#include "engine/base/extents.h"
#include "engine/base/image.h"
#include "engine/cpu/fft_plan.h"
#include "engine/cpu/for_items.h"
#include "engine/cpu/simd/kernels.h"

namespace flcc::cpu {

/// Rows that are shared out as one item, so that a stop is looked for now and then.
[[nodiscard]] inline std::int64_t rowsAnItem(std::int64_t length) {
    constexpr std::int64_t kValues = 1 << 16;
    return std::max<std::int64_t>(1, kValues / length);
}

/// Calls `use(y, z, row)` for every row of `extents`, row = z * extents.y + y.
template <class Use>
bool forRows(const ForItems& each, const base::Extents& extents, std::int64_t length, Use&& use) {
    const std::int64_t together = rowsAnItem(length);
    const std::int64_t rows = extents.y * extents.z;
    return each((rows + together - 1) / together, [&](std::int64_t item, int) {
        const std::int64_t end = std::min(rows, (item + 1) * together);
        for (std::int64_t row = item * together; row < end; ++row) {
            use(row % extents.y, row / extents.y, row);
        }
    });
}

/// The 1D transforms of one length, out of place, contiguous; and of a real row, in place.
/// **Threads**: made under plannerLock() by of(), executed by any.
template <class Precision> class LineTransform {
  public:
    using Value = typename Precision::Value;

    /// Made once a process and kept; by FFTW_ESTIMATE unless wisdom holds something better.
    [[nodiscard]] static std::shared_ptr<const LineTransform> of(std::int64_t length);

    explicit LineTransform(std::int64_t length);

    /// Complex; both keep `from`.
    void forward(const Value* from, Value* to) const;
    void inverse(const Value* from, Value* to) const;
    /// `length` real values to length / 2 + 1 complex ones, and back without scaling.
    void realForward(Value* row) const { m_realForward(row); }
    void realInverse(Value* row) const { m_realInverse(row); }

  private:
    Plan<Precision> m_forward;
    Plan<Precision> m_inverse;
    RealPlan<Precision> m_realForward;
    RealPlan<Precision> m_realInverse;
};

/// Half transforms of a real box a pass at a time, so that the lines of a pass can be shared out
/// and a stop is answered between them: rows by r2c, then lines along y, then lines along z.
/// Lines across rows are gathered eight at a time into contiguous memory, where FFTW is several
/// times as fast as across long rows.
///
/// A box of `points` lies in a buffer of bufferValues() values, its rows rowStride() apart, the
/// half spectrum of a row in place of the row. A spectrum is kept in the order of the lines of the
/// last axis: line l of its lines() lines begins at l * lineStride().
///
/// **Threads**: immutable; each thread brings its own scratch.
template <class Precision> class HalfTransform {
  public:
    using Value = typename Precision::Value;

    /// Lines that are gathered together: one cache line of complex floats across rows.
    static constexpr std::int64_t kTogether = 8;

    /// Buffers of one worker, `kTogether` lines each.
    struct Scratch {
        base::Image<Value> lines;
        base::Image<Value> images;
    };

    /// **Errors**: Internal for an axis that FFTW cannot plan.
    explicit HalfTransform(const base::Extents& points);

    [[nodiscard]] const base::Extents& points() const { return m_points; }
    [[nodiscard]] std::int64_t rowStride() const { return 2 * strideOf(m_points); }
    [[nodiscard]] std::int64_t sliceStride() const { return rowStride() * m_points.y; }
    [[nodiscard]] std::int64_t lineStride() const { return 2 * whole(lastLength(m_points)); }

    /// Values of a buffer, of a spectrum and of a worker's scratch.
    [[nodiscard]] static std::int64_t bufferValues(const base::Extents& points) {
        return 2 * strideOf(points) * points.y * points.z + simd::kSlack;
    }
    [[nodiscard]] static std::int64_t spectrumValues(const base::Extents& points) {
        return 2 * whole(lastLength(points)) * half(points) * (points.z > 1 ? points.y : 1);
    }
    [[nodiscard]] static std::int64_t scratchValues(const base::Extents& points) {
        return 4 * kTogether * whole(std::max(points.y, points.z));
    }

    [[nodiscard]] Scratch makeScratch() const;

    /// Takes a line of a spectrum, lineStride() values of which the last ones are padding.
    using LineSink = std::function<void(std::int64_t line, const Value* values)>;

    /// Reads rows of `points().x` values, padding included, of the first `used` rows and slices;
    /// the other rows count as 0 and may hold anything. `data` is overwritten. `sink` is called on
    /// any thread, for each line once.
    [[nodiscard]] bool forward(const ForItems& each, Value* data, const base::Extents& used,
                               const LineSink& sink, std::vector<Scratch>& scratch) const;

    /// `data` = the box of a spectrum.
    [[nodiscard]] bool inverse(const ForItems& each, const Value* spectrum, Value* data,
                               std::vector<Scratch>& scratch) const;

    /// inverse(forward(data) * templ), without a spectrum in between.
    [[nodiscard]] bool correlate(const ForItems& each, Value* data, const base::Extents& used,
                                 const Value* templ, std::vector<Scratch>& scratch) const;

  private:
    /// Whole cache lines of complex floats.
    [[nodiscard]] static std::int64_t whole(std::int64_t length) { return (length + 7) / 8 * 8; }
    [[nodiscard]] static std::int64_t half(const base::Extents& points) { return points.x / 2 + 1; }
    /// Complex values between rows: no large power of two, so that the values of a column do not
    /// share one cache set.
    [[nodiscard]] static std::int64_t strideOf(const base::Extents& points) {
        const std::int64_t values = whole(half(points));
        return values % 64 == 0 ? values + 8 : values;
    }
    [[nodiscard]] static std::int64_t lastLength(const base::Extents& points) {
        return points.z > 1 ? points.z : points.y;
    }
    [[nodiscard]] bool volume() const { return m_points.z > 1; }
    /// Groups of kTogether lines that cross one row of half spectra.
    [[nodiscard]] std::int64_t groups() const {
        return (half(m_points) + kTogether - 1) / kTogether;
    }

    /// The lines of a group: where they begin, how far apart their values are, how many and how
    /// long they are, and the first of them in a spectrum.
    struct Group {
        std::int64_t offset;
        std::int64_t step;
        std::int64_t count;
        std::int64_t length;
        std::int64_t firstLine;
    };
    [[nodiscard]] Group middleGroup(std::int64_t item) const;
    [[nodiscard]] Group lastGroup(std::int64_t item) const;
    [[nodiscard]] std::int64_t lastGroups() const { return groups() * (volume() ? m_points.y : 1); }

    void gather(const Value* data, const Group& group, std::int64_t used, Value* lines) const;
    void scatter(const Value* lines, const Group& group, Value* data) const;

    [[nodiscard]] bool rowsForward(const ForItems& each, Value* data,
                                   const base::Extents& used) const;
    [[nodiscard]] bool rowsInverse(const ForItems& each, Value* data) const;
    [[nodiscard]] bool middle(const ForItems& each, Value* data, std::int64_t slices,
                              std::int64_t used, bool inverse, std::vector<Scratch>& scratch) const;

    base::Extents m_points;
    std::shared_ptr<const LineTransform<Precision>> m_x;
    std::shared_ptr<const LineTransform<Precision>> m_y;
    std::shared_ptr<const LineTransform<Precision>> m_z;
};

/// Sum of the squares of a row.
[[nodiscard]] double sumOfSquares(const float* row, std::int64_t count);
[[nodiscard]] double sumOfSquares(const double* row, std::int64_t count);

/// Sum of a row.
[[nodiscard]] double sumOf(const float* row, std::int64_t count);
[[nodiscard]] double sumOf(const double* row, std::int64_t count);

/// The largest mean square over all lines of a box parallel to y and z, and over its rows; and the
/// sum of all squares (rho and ||tile|| of METHODS 2.2). Voxels beyond `used` are 0 and count for
/// the length of a line, which `lengths` gives.
/// **Shapes**: `rows` apart within a slice, `slices` between them. False when stopped.
template <class Value>
[[nodiscard]] bool boxEnergy(const ForItems& each, const simd::VoxelBox<const Value>& box,
                             const base::Extents& used, const base::Extents& lengths,
                             simd::LineEnergy& energy);

} // namespace flcc::cpu
