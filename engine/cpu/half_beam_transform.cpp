#include "engine/cpu/half_beam_transform.h"

#include <algorithm>
#include <vector>

#include "engine/cpu/beam_transform.h"
#include "engine/cpu/half_transform.h"
#include "engine/cpu/simd/beam.h"

namespace flcc::cpu {

namespace {

using base::Extents;
using base::Image;
using beam::kElement;
using beam::kLines;

std::int64_t groupsOf(std::int64_t length) { return (length + kLines - 1) / kLines; }

/// Elements of a slice of kLines columns: half of the frequencies, and an idle one where elements
/// of one row would share a cache set.
std::int64_t sliceElements(const Extents& points) {
    const std::int64_t half = points.y / 2 + 1;
    return half + (points.z > 1 && half % 8 == 0 ? 1 : 0);
}

/// Beams of kLines rows each; rows are counted through all slices, so that few lanes are idle.
std::int64_t rowGroups(const Extents& points) { return groupsOf(sliceElements(points) * points.z); }

static_assert(DoubleTransform::kZeros >= kLines); // what its last columns read

class HalfBeamTransform final : public DoubleTransform {
  public:
    explicit HalfBeamTransform(const Extents& points)
        : DoubleTransform(points), m_x(points.x), m_y(points.y), m_z(points.z),
          m_groups(groupsOf(points.x)), m_rowGroups(rowGroups(points)),
          m_slice(sliceElements(points) * kElement), m_group(m_rowGroups * kLines * kElement),
          m_row(m_groups * kLines * kElement) {
        for (std::int64_t k = 0; k <= points.y / 2; ++k) {
            m_places.push_back({m_y.position(k), m_y.position((points.y - k) % points.y)});
        }
    }

    void templateSpectrum(const Image<double>& templ, double* work,
                          double* spectrum) const override {
        const Extents& m = templ.extents();
        const std::int64_t groups = groupsOf(m.x);
        Image<double> lines({halfBeamScratchValues(points()), 1, 1});
        double* const line = lines.data();
        for (std::int64_t group = 0; group < groups; ++group) {
            clearIdle(work + group * m_group);
            std::fill_n(work + group * m_group + m.z * m_slice, (points().z - m.z) * m_slice, 0.0);
        }
        forPairs({0, groups, m.z}, [&](const Columns& first, const Columns& second, bool) {
            std::fill_n(line, points().y * kElement, 0.0);
            for (std::int64_t y = 0; y < m.y; ++y) {
                const auto copy = [&](const Columns& from, double* to) {
                    std::copy_n(templ.view().row(y, from.z) + from.x,
                                std::min(kLines, m.x - from.x), to);
                };
                copy(first, line + y * kElement);
                copy(second, line + y * kElement + kLines);
            }
            beam::forward(m_y, line, kElement);
            beam::takeApart(line, m_places, work + first.half, work + second.half);
        });
        for (std::int64_t group = 0; group < groups; ++group) {
            forDepths(group, [&](std::int64_t at) { beam::forward(m_z, work + at, m_slice); });
        }
        // Both spectra of a product are twice what they are.
        const double scale = 0.25 / static_cast<double>(base::voxelCount(points()));
        for (std::int64_t row = 0; row < m_rowGroups; ++row) {
            double* const to = spectrum + row * m_row;
            beam::turn(work + row * kLines * kElement, m_group, groups, to);
            std::fill(to + groups * kLines * kElement, to + m_row, 0.0);
            beam::forward(m_x, to, kElement);
            for (double* value = to; value < to + m_row; value += kElement) {
                std::transform(value, value + kLines, value, [&](double re) { return re * scale; });
                std::transform(value + kLines, value + kElement, value + kLines,
                               [&](double im) { return -im * scale; });
            }
        }
    }

    void correlate(const double* spectrum, const double* tile, double* work,
                   double* to) const override {
        Image<double> lines({halfBeamScratchValues(points()), 1, 1});
        columnsForward(tile, lines.data(), work);
        for (std::int64_t row = 0; row < m_rowGroups; ++row) {
            double* const rows = work + row * kLines * kElement;
            beam::turn(rows, m_group, m_groups, lines.data());
            beam::correlate(m_x, lines.data(), spectrum + row * m_row);
            // What lies beyond the tile is not to be the other half of any column's beam.
            std::fill(lines.data() + points().x * kElement, lines.data() + m_row, 0.0);
            beam::turnBack(lines.data(), m_groups, rows, m_group);
        }
        columnsBack(work, lines.data(), to);
    }

    void forward(const double* tile, double* work, double* spectrum) const override {
        Image<double> lines({halfBeamScratchValues(points()), 1, 1});
        columnsForward(tile, lines.data(), work);
        for (std::int64_t row = 0; row < m_rowGroups; ++row) {
            double* const to = spectrum + row * m_row;
            beam::turn(work + row * kLines * kElement, m_group, m_groups, to);
            beam::forward(m_x, to, kElement);
        }
    }

    void inverse(const double* templ, const double* spectrum, double* work,
                 double* to) const override {
        Image<double> lines({halfBeamScratchValues(points()), 1, 1}, 0.0);
        for (std::int64_t row = 0; row < m_rowGroups; ++row) {
            beam::backwardProduct(m_x, spectrum + row * m_row, templ + row * m_row, lines.data());
            beam::turnBack(lines.data(), m_groups, work + row * kLines * kElement, m_group);
        }
        columnsBack(work, lines.data(), to);
    }

  private:
    /// Columns of a slice that go through one half of a beam.
    struct Columns {
        std::int64_t x; ///< the first one
        std::int64_t z;
        std::int64_t half; ///< where the half of their spectra begins
    };
    /// Some groups of them in some slices.
    struct Groups {
        std::int64_t first;
        std::int64_t count;
        std::int64_t slices;
    };

    /// Calls `use(columns, columns, whether they are two)` for two after the other of all columns,
    /// group by group; the last ones may be left alone, and are then both.
    template <class Use> void forPairs(const Groups& groups, Use&& use) const {
        const auto columns = [&](std::int64_t i) {
            const std::int64_t group = groups.first + i / groups.slices;
            const std::int64_t z = i % groups.slices;
            return Columns{group * kLines, z, group * m_group + z * m_slice};
        };
        const std::int64_t count = groups.count * groups.slices;
        for (std::int64_t i = 0; i < count; i += 2) {
            const bool two = i + 1 < count;
            use(columns(i), columns(two ? i + 1 : i), two);
        }
    }

    /// Calls `use(first group, groups)` for as many groups as pairs do not lead out of.
    template <class Use> void forGroups(Use&& use) const {
        const std::int64_t together = points().z % 2 == 0 ? 1 : 2;
        for (std::int64_t group = 0; group < m_groups; group += together) {
            use(group, std::min(together, m_groups - group));
        }
    }

    /// Calls `use(first element of a beam across the slices)`.
    template <class Use> void forDepths(std::int64_t group, Use&& use) const {
        for (std::int64_t k = 0; points().z > 1 && k <= points().y / 2; ++k) {
            use(group * m_group + k * kElement);
        }
    }

    /// Zeros for the elements of a group that no frequency is kept in.
    void clearIdle(double* group) const {
        const std::int64_t used = (points().y / 2 + 1) * kElement;
        for (std::int64_t z = 0; z < points().z; ++z) {
            std::fill(group + z * m_slice + used, group + (z + 1) * m_slice, 0.0);
        }
        std::fill(group + points().z * m_slice, group + m_group, 0.0);
    }

    [[nodiscard]] std::int64_t voxelsAt(const Columns& columns) const {
        return columns.z * points().y * points().x + columns.x;
    }

    void columnsForward(const double* tile, double* line, double* work) const {
        forGroups([&](std::int64_t from, std::int64_t count) {
            forPairs({from, count, points().z}, [&](const Columns& first, const Columns& second,
                                                    bool) {
                beam::forwardColumns(
                    m_y, {tile + voxelsAt(first), tile + voxelsAt(second), 1, points().x}, line);
                beam::takeApart(line, m_places, work + first.half, work + second.half);
            });
            for (std::int64_t group = from; group < from + count; ++group) {
                clearIdle(work + group * m_group);
                forDepths(group, [&](std::int64_t at) { beam::forward(m_z, work + at, m_slice); });
            }
        });
    }

    void columnsBack(double* work, double* line, double* to) const {
        forGroups([&](std::int64_t from, std::int64_t count) {
            for (std::int64_t group = from; group < from + count; ++group) {
                forDepths(group, [&](std::int64_t at) { beam::backward(m_z, work + at, m_slice); });
            }
            forPairs({from, count, points().z}, [&](const Columns& first, const Columns& second,
                                                    bool two) {
                const auto columns = [&](const Columns& of) {
                    return std::min(kLines, points().x - of.x);
                };
                beam::putTogether(work + first.half, work + second.half, m_places, line);
                beam::backwardColumns(m_y, line,
                                      {to + voxelsAt(first), to + voxelsAt(second), 1, points().x},
                                      columns(first), two ? columns(second) : 0);
            });
        });
    }

    beam::Plan<double> m_x;
    beam::Plan<double> m_y;
    beam::Plan<double> m_z;
    std::vector<beam::Conjugates> m_places; ///< of the frequencies 0 .. y / 2
    std::int64_t m_groups;
    std::int64_t m_rowGroups;
    // Values from one slice of a group of columns, one group, one group of rows to the next.
    std::int64_t m_slice;
    std::int64_t m_group;
    std::int64_t m_row;
};

} // namespace

std::unique_ptr<const DoubleTransform> halfBeamTransform(const Extents& points) {
    return std::make_unique<const HalfBeamTransform>(points);
}

bool hasHalfBeamTransform(const Extents& points) {
    return hasBeamTransform(points) && 2 * points.x >= groupsOf(points.x) * kLines;
}

std::int64_t halfBeamSpectrumValues(const Extents& points) {
    return groupsOf(points.x) * kLines * rowGroups(points) * kElement;
}

std::int64_t halfBeamScratchValues(const Extents& points) {
    return std::max(points.y, groupsOf(points.x) * kLines) * kElement;
}

} // namespace flcc::cpu
