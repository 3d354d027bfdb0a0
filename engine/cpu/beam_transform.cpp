#include "engine/cpu/beam_transform.h"

#include <algorithm>
#include <utility>

#include "engine/cpu/half_transform.h"
#include "engine/cpu/simd/beam.h"
#include "engine/method/shared/smooth_length.h"

namespace flcc::cpu {

namespace {

using base::Extents;
using base::Image;
using beam::kElement;
using beam::kLines;

std::int64_t groupsOf(std::int64_t length) { return (length + kLines - 1) / kLines; }

/// Between the passes a tile is slices of beams of columns, side by side; rows are rounded up to
/// whole beams, too, and beams lie so that elements of one row do not share a cache set.
std::int64_t beamValues(const Extents& points) {
    return groupsOf(points.y) * kLines * kElement + 2 * kElement;
}
std::int64_t sliceValues(const Extents& points) {
    return groupsOf(points.x) * beamValues(points) + kElement;
}

class BeamTransform final : public TileTransform {
  public:
    explicit BeamTransform(const Extents& points)
        : m_points(points), m_x(points.x), m_y(points.y), m_z(points.z), m_templateX(points.x),
          m_templateY(points.y), m_templateZ(points.z) {}

    [[nodiscard]] FftEffort effort() const override { return FftEffort::Patient; }

    [[nodiscard]] TransformBuffers makeBuffers() const override {
        TransformBuffers buffers{largeBuffer<float>(beamTileValues(m_points)),
                                 {},
                                 largeBuffer<float>(beamLineValues(m_points)),
                                 {}};
        clear(buffers); // and so it stays
        return buffers;
    }

    void clear(TransformBuffers& buffers) const override {
        for (std::int64_t z = 0; z < m_points.z; ++z) {
            forColumns(z,
                       [&](std::int64_t, std::int64_t at) { clearRest(buffers.tile.data() + at); });
        }
    }

    [[nodiscard]] Image<float> templateSpectrum(const Image<double>& templ,
                                                const ForItems& each) const override {
        const Extents& m = templ.extents();
        const std::int64_t groups = groupsOf(m.x);
        const std::int64_t slice = groups * beamValues(m_points);
        auto tile = largeBuffer<double>(slice * m_points.z);
        std::fill_n(tile.data() + m.z * slice, (m_points.z - m.z) * slice, 0.0);
        bool done = each(m.z * groups, [&](std::int64_t item, int) {
            const std::int64_t z = item / groups;
            const std::int64_t x = item % groups * kLines;
            // Its voxels, with columns of zeros up to a whole beam and down to the last row.
            Image<double> voxels({kLines, m_points.y, 1}, 0.0);
            for (std::int64_t y = 0; y < m.y; ++y) {
                std::copy_n(templ.view().row(y, z) + x, std::min(kLines, m.x - x),
                            voxels.data() + y * kLines);
            }
            double* const beam = tile.data() + item * beamValues(m_points);
            beam::forwardColumns(m_templateY, {voxels.data(), voxels.data(), 0, kLines}, beam);
            clearRest(beam);
        });
        if (m_points.z > 1) {
            done = done && each(groups * m_points.y, [&](std::int64_t item, int) {
                       beam::forward(m_templateZ,
                                     tile.data() + item / m_points.y * beamValues(m_points) +
                                         item % m_points.y * kElement,
                                     slice);
                   });
        }
        auto spectrum = largeBuffer<float>(beamSpectrumValues(m_points));
        const double scale = 1.0 / static_cast<double>(base::voxelCount(m_points));
        const std::int64_t rowGroups = groupsOf(m_points.y);
        done = done && each(m_points.z * rowGroups, [&](std::int64_t item, int) {
                   Image<double> line({rowValues(), 1, 1}, 0.0);
                   beam::turn(tile.data() + item / rowGroups * slice +
                                  item % rowGroups * kLines * kElement,
                              beamValues(m_points), groups, line.data());
                   beam::forward(m_templateX, line.data(), kElement);
                   float* const to = spectrum.data() + item * rowValues();
                   for (std::int64_t i = 0; i < rowValues(); i += kElement) {
                       const double* const value = line.data() + i;
                       std::transform(value, value + kLines, to + i,
                                      [&](double re) { return static_cast<float>(re * scale); });
                       std::transform(value + kLines, value + kElement, to + i + kLines,
                                      [&](double im) { return static_cast<float>(-im * scale); });
                   }
               });
        return done ? std::move(spectrum) : Image<float>();
    }

    void correlate(const Planes<const float>& from, const Image<float>& spectrum,
                   TransformBuffers& buffers, const Planes<float>& to) const override {
        columnsForward(from, buffers);
        float* const line = buffers.lines.data();
        forRows([&](std::int64_t first, std::int64_t at) {
            float* const rows = buffers.tile.data() + first;
            beam::turn(rows, beamValues(m_points), groupsOf(m_points.x), line);
            beam::correlate(m_x, line, spectrum.data() + at);
            beam::turnBack(line, groupsOf(m_points.x), rows, beamValues(m_points));
        });
        columnsBack(buffers, to);
    }

    void forward(const Planes<const float>& from, TransformBuffers& buffers,
                 Image<float>& spectrum) const override {
        columnsForward(from, buffers);
        forRows([&](std::int64_t first, std::int64_t at) {
            float* const line = spectrum.data() + at;
            beam::turn(buffers.tile.data() + first, beamValues(m_points), groupsOf(m_points.x),
                       line);
            beam::forward(m_x, line, kElement);
        });
    }

    void inverse(const Image<float>& spectrum, const Image<float>& templ, TransformBuffers& buffers,
                 const Planes<float>& to) const override {
        forRows([&](std::int64_t first, std::int64_t at) {
            float* const line = buffers.lines.data();
            beam::backwardProduct(m_x, spectrum.data() + at, templ.data() + at, line);
            beam::turnBack(line, groupsOf(m_points.x), buffers.tile.data() + first,
                           beamValues(m_points));
        });
        columnsBack(buffers, to);
    }

  private:
    /// Of a beam along rows.
    [[nodiscard]] std::int64_t rowValues() const {
        return groupsOf(m_points.x) * kLines * kElement;
    }

    /// Zeros for the rows of a beam of columns beyond the last one of the tile.
    template <class Real> void clearRest(Real* beam) const {
        std::fill(beam + m_points.y * kElement, beam + beamValues(m_points), Real{0});
    }

    /// Calls `use(where kLines rows begin in a tile, and in a spectrum)`.
    template <class Use> void forRows(Use&& use) const {
        std::int64_t at = 0;
        for (std::int64_t z = 0; z < m_points.z; ++z) {
            for (std::int64_t y = 0; y < groupsOf(m_points.y); ++y, at += rowValues()) {
                use(z * sliceValues(m_points) + y * kLines * kElement, at);
            }
        }
    }

    /// Calls `use(first column, where its beam begins)` for every beam of columns of slice z.
    template <class Use> void forColumns(std::int64_t z, Use&& use) const {
        for (std::int64_t group = 0; group < groupsOf(m_points.x); ++group) {
            use(group * kLines, z * sliceValues(m_points) + group * beamValues(m_points));
        }
    }

    /// Calls `use(first element of a beam across the slices)`.
    template <class Use> void forDepths(Use&& use) const {
        for (std::int64_t group = 0; m_points.z > 1 && group < groupsOf(m_points.x); ++group) {
            for (std::int64_t y = 0; y < m_points.y; ++y) {
                use(group * beamValues(m_points) + y * kElement);
            }
        }
    }

    void columnsForward(const Planes<const float>& from, TransformBuffers& buffers) const {
        float* const tile = buffers.tile.data();
        for (std::int64_t z = 0; z < m_points.z; ++z) {
            forColumns(z, [&](std::int64_t x, std::int64_t at) {
                beam::forwardColumns(m_y, from.moved(z * m_points.y * from.rowStride + x),
                                     tile + at);
            });
        }
        forDepths([&](std::int64_t at) { beam::forward(m_z, tile + at, sliceValues(m_points)); });
    }

    void columnsBack(TransformBuffers& buffers, const Planes<float>& to) const {
        float* const tile = buffers.tile.data();
        forDepths([&](std::int64_t at) { beam::backward(m_z, tile + at, sliceValues(m_points)); });
        for (std::int64_t z = 0; z < m_points.z; ++z) {
            forColumns(z, [&](std::int64_t x, std::int64_t at) {
                const std::int64_t columns = std::min(kLines, m_points.x - x);
                beam::backwardColumns(m_y, tile + at, to.moved(z * m_points.y * to.rowStride + x),
                                      columns, columns);
            });
        }
    }

    Extents m_points;
    beam::Plan<float> m_x;
    beam::Plan<float> m_y;
    beam::Plan<float> m_z;
    beam::Plan<double> m_templateX;
    beam::Plan<double> m_templateY;
    beam::Plan<double> m_templateZ;
};

} // namespace

std::unique_ptr<const TileTransform> beamTransform(const Extents& points) {
    return std::make_unique<const BeamTransform>(points);
}

bool hasBeamTransform(const Extents& points) {
    return method::shared::isSmooth(points.x) && method::shared::isSmooth(points.y) &&
           method::shared::isSmooth(points.z);
}

std::int64_t beamTileValues(const Extents& points) { return sliceValues(points) * points.z; }

std::int64_t beamLineValues(const Extents& points) {
    return groupsOf(points.x) * kLines * kElement;
}

std::int64_t beamSpectrumValues(const Extents& points) {
    return groupsOf(points.x) * kLines * kElement * groupsOf(points.y) * points.z;
}

} // namespace flcc::cpu
