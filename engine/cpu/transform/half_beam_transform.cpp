#include "engine/cpu/transform/half_beam_transform.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <optional>
#include <vector>

#include "engine/cpu/simd/beam.h"
#include "engine/method/shared/smooth_length.h"

namespace flcc::cpu {

namespace {

using base::Extents;
using base::Image;
using beam::kElement;
using beam::kLines;
using method::shared::TileEnergy;

std::int64_t groupsOf(std::int64_t length) { return (length + kLines - 1) / kLines; }

/// Elements of a slice of kLines columns: half of the frequencies, plus an unused one if the
/// elements of a row would otherwise share a cache set.
std::int64_t sliceElements(const Extents& points) {
    const std::int64_t half = points.y / 2 + 1;
    return half + (points.z > 1 && half % 8 == 0 ? 1 : 0);
}

/// Number of beams of kLines rows. Rows are counted through all slices, so that few lanes are
/// unused.
std::int64_t rowGroups(const Extents& points) { return groupsOf(sliceElements(points) * points.z); }

static_assert(TileTransform<float>::kZeros >= kLines); // the last columns read that far
static_assert(TileTransform<float>::kTogether % kElement == 0);

template <class Real> class HalfBeamTransform final : public TileTransform<Real> {
  public:
    explicit HalfBeamTransform(const Extents& n)
        : TileTransform<Real>(TransformShape(n)), m_x(n.x), m_y(n.y), m_z(n.z), m_templateX(n.x),
          m_templateY(n.y), m_templateZ(n.z), m_groups(groupsOf(n.x)), m_rowGroups(rowGroups(n)),
          m_slice(sliceElements(n) * kElement), m_group(m_rowGroups * kLines * kElement),
          m_row(m_groups * kLines * kElement) {
        for (std::int64_t k = 0; k <= n.y / 2; ++k) {
            m_places.push_back({m_y.position(k), m_y.position((n.y - k) % n.y)});
        }
    }

    [[nodiscard]] std::string_view planning() const override { return "own"; }

    bool templateSpectrum(const base::View<const double>& templ, const ForItems& each, double* work,
                          Real* spectrum) const override {
        const Extents& m = templ.extents();
        const Groups groups{0, groupsOf(m.x), m.z};
        const auto clear = [&](const Columns& columns) {
            if (columns.z == 0) {
                double* const group = work + columns.half;
                clearIdle(group);
                std::fill_n(group + m.z * m_slice, (points().z - m.z) * m_slice, 0.0);
            }
        };
        bool done = each(pairsOf(groups), [&](std::int64_t pair, int) {
            const auto [first, second, two] = columnsOf(groups, pair);
            clear(first);
            clear(second);
            Image<double> line({points().y * kElement, 1, 1});
            const std::int64_t whole = m.x % kLines == 0 ? m.y : 0;
            std::fill(line.data() + whole * kElement, line.data() + line.count(), 0.0);
            for (std::int64_t y = 0; y < m.y; ++y) {
                const auto copy = [&](const Columns& from, double* to) {
                    const double* const row = templ.row(y, from.z) + from.x;
                    if (from.x + kLines <= m.x) {
                        std::copy_n(row, kLines, to); // a constant count
                    } else {
                        std::copy_n(row, m.x - from.x, to);
                    }
                };
                copy(first, line.data() + y * kElement);
                copy(second, line.data() + y * kElement + kLines);
            }
            beam::forward(m_templateY, line.data(), kElement);
            beam::takeApart(line.data(), m_places, work + first.half, work + second.half,
                            static_cast<double*>(nullptr));
        });
        if (points().z > 1) {
            const std::int64_t depths = points().y / 2 + 1;
            done = done && each(groups.count * depths, [&](std::int64_t item, int) {
                       beam::forward(m_templateZ,
                                     work + item / depths * m_group + item % depths * kElement,
                                     m_slice);
                   });
        }
        // takeApart() gives twice the spectrum, for the tile and for the template: a factor 4.
        const double scale = 0.25 / static_cast<double>(base::voxelCount(points()));
        return done && each(m_rowGroups, [&](std::int64_t row, int) {
                   Image<double> line({m_row, 1, 1});
                   beam::turn(work + row * kLines * kElement, m_group, groups.count, line.data());
                   std::fill(line.data() + groups.count * kLines * kElement, line.data() + m_row,
                             0.0);
                   Real* const to = spectrum + row * m_row;
                   beam::forwardConjugates(m_templateX, line.data(), scale, to);
                   std::fill(to + points().x * kElement, to + m_row, Real{0});
               });
    }

    using TileTransform<Real>::correlate;
    std::optional<TileEnergies> correlate(const Sharers& sharers, const Real* spectrum,
                                          const Real* tile, Real* work, Real* to,
                                          const Extents& wanted) const override {
        Image<Real> lines({sharers.workers * halfBeamScratchValues(points()), 1, 1});
        TileEnergies energies;
        const bool done =
            columnsForward(sharers.each, tile, lines, work, energies.in) &&
            sharers.each(m_rowGroups,
                         [&](std::int64_t row, int worker) {
                             Real* const line = scratchOf(lines, worker);
                             Real* const rows = work + row * kLines * kElement;
                             beam::turn(rows, m_group, m_groups, line);
                             beam::correlate(m_x, line, spectrum + row * m_row);
                             // Elements beyond the tile are cleared, since turnBack() makes them
                             // the other half of a column's beam.
                             std::fill(line + points().x * kElement, line + m_row, Real{0});
                             beam::turnBack(line, m_groups, rows, m_group);
                         }) &&
            columnsBack(sharers.each, work, lines, to, wanted, energies.out) &&
            countCrossing(sharers.each, to, wanted, lines, energies.out);
        return done ? std::optional(energies) : std::nullopt;
    }

    TileEnergy forward(const Real* tile, Real* work, Real* spectrum) const override {
        Image<Real> lines({halfBeamScratchValues(points()), 1, 1});
        TileEnergy energy;
        (void)columnsForward(oneAfterTheOther(), tile, lines, work, energy);
        for (std::int64_t row = 0; row < m_rowGroups; ++row) {
            Real* const to = spectrum + row * m_row;
            beam::turn(work + row * kLines * kElement, m_group, m_groups, to);
            beam::forward(m_x, to, kElement);
        }
        return energy;
    }

    TileEnergy inverse(const Real* templ, const Real* spectrum, Real* work, Real* to,
                       const Extents& wanted) const override {
        Image<Real> lines({halfBeamScratchValues(points()), 1, 1}, Real{0});
        for (std::int64_t row = 0; row < m_rowGroups; ++row) {
            beam::backwardProduct(m_x, spectrum + row * m_row, templ + row * m_row, lines.data());
            beam::turnBack(lines.data(), m_groups, work + row * kLines * kElement, m_group);
        }
        TileEnergy energy;
        (void)columnsBack(oneAfterTheOther(), work, lines, to, wanted, energy);
        (void)countCrossing(oneAfterTheOther(), to, wanted, lines, energy);
        return energy;
    }

    void inverse(const Real* sum, Real* work, Real* to, const Extents& wanted) const override {
        Image<Real> lines({halfBeamScratchValues(points()), 1, 1}, Real{0});
        for (std::int64_t row = 0; row < m_rowGroups; ++row) {
            std::copy_n(sum + row * m_row, points().x * kElement, lines.data());
            beam::backward(m_x, lines.data(), kElement);
            beam::turnBack(lines.data(), m_groups, work + row * kLines * kElement, m_group);
        }
        TileEnergy unused;
        (void)columnsBack(oneAfterTheOther(), work, lines, to, wanted, unused);
    }

    void addProduct(const Real* templ, const Real* spectrum, std::int64_t count,
                    Real* sum) const override {
        beam::addProduct(templ, spectrum, count, sum);
    }

  private:
    using TileTransform<Real>::points;

    /// Columns of a slice that form one half of a beam.
    struct Columns {
        std::int64_t x; ///< the first column
        std::int64_t z;
        std::int64_t half; ///< where their half spectra begin
    };
    /// Consecutive groups of kLines columns, in `slices` slices each.
    struct Groups {
        std::int64_t first;
        std::int64_t count;
        std::int64_t slices;
    };

    /// Two consecutive sets of columns of some groups, counted group by group. If their number is
    /// odd, the last set stands for both.
    struct TwoColumns {
        Columns first;
        Columns second;
        bool two;
    };
    [[nodiscard]] static std::int64_t pairsOf(const Groups& groups) {
        return (groups.count * groups.slices + 1) / 2;
    }
    [[nodiscard]] TwoColumns columnsOf(const Groups& groups, std::int64_t pair) const {
        const auto columns = [&](std::int64_t i) {
            const std::int64_t group = groups.first + i / groups.slices;
            const std::int64_t z = i % groups.slices;
            return Columns{group * kLines, z, group * m_group + z * m_slice};
        };
        const std::int64_t i = 2 * pair;
        const bool two = i + 1 < groups.count * groups.slices;
        return {columns(i), columns(two ? i + 1 : i), two};
    }
    template <class Use> void forPairs(const Groups& groups, Use&& use) const {
        for (std::int64_t pair = 0; pair < pairsOf(groups); ++pair) {
            use(columnsOf(groups, pair));
        }
    }

    /// Chunks of groups such that no pair of columns lies in two chunks.
    [[nodiscard]] std::int64_t together() const { return points().z % 2 == 0 ? 1 : 2; }
    [[nodiscard]] std::int64_t chunks() const { return (m_groups + together() - 1) / together(); }
    [[nodiscard]] Groups chunk(std::int64_t item) const {
        const std::int64_t first = item * together();
        return {first, std::min(together(), m_groups - first), points().z};
    }

    /// Calls `use(groups of a chunk, worker)` for every chunk and joins the energies it returns, in
    /// the order of the chunks.
    template <class Use>
    [[nodiscard]] bool forChunks(const ForItems& each, TileEnergy& energy, Use&& use) const {
        std::vector<TileEnergy> energies(static_cast<std::size_t>(chunks()));
        const bool done = each(chunks(), [&](std::int64_t item, int worker) {
            energies[static_cast<std::size_t>(item)] = use(chunk(item), worker);
        });
        for (const TileEnergy& of : energies) {
            energy.join(of);
        }
        return done;
    }

    [[nodiscard]] Real* scratchOf(Image<Real>& lines, int worker) const {
        return lines.data() + worker * halfBeamScratchValues(points());
    }

    /// Calls `use` with the first element of every beam across the slices; never for a single
    /// slice.
    template <class Use> void forDepths(std::int64_t group, Use&& use) const {
        for (std::int64_t k = 0; points().z > 1 && k <= points().y / 2; ++k) {
            use(group * m_group + k * kElement);
        }
    }

    /// Clears the elements of a group that hold no frequency.
    template <class Value> void clearIdle(Value* group) const {
        const std::int64_t used = (points().y / 2 + 1) * kElement;
        for (std::int64_t z = 0; z < points().z; ++z) {
            std::fill(group + z * m_slice + used, group + (z + 1) * m_slice, Value{0});
        }
        std::fill(group + points().z * m_slice, group + m_group, Value{0});
    }

    [[nodiscard]] std::int64_t voxelsAt(const Columns& columns) const {
        return columns.z * points().y * points().x + columns.x;
    }

    /// Energies of the lines in the two halves of a beam.
    using Sums = std::array<Real, 2 * kLines>;

    /// Energy of the first `columns` lines of one half and the first `others` of the other;
    /// `squares` scales their squares.
    [[nodiscard]] TileEnergy energyOf(const Sums& sums, std::int64_t columns, std::int64_t others,
                                      double squares) const {
        double brightest = 0;
        double total = 0;
        const auto count = [&](std::int64_t from, std::int64_t lines) {
            for (std::int64_t i = from; i < from + lines; ++i) {
                const auto sum = static_cast<double>(sums[static_cast<std::size_t>(i)]);
                brightest = std::max(brightest, sum);
                total += sum;
            }
        };
        count(0, columns);
        count(kLines, others);
        return TileEnergy::ofLines(points().y, squares * brightest, squares * total);
    }

    [[nodiscard]] std::int64_t columnsAt(const Columns& columns) const {
        return std::min(kLines, points().x - columns.x);
    }

    /// Adds the lines along x and z of a part of `box`, from its origin on, to `energy`.
    [[nodiscard]] bool countCrossing(const ForItems& each, const Real* box, const Extents& part,
                                     Image<Real>& lines, TileEnergy& energy) const {
        constexpr std::int64_t kRows = 32; // rows of an item
        const base::View<const Real> view = base::View<const Real>(box, points()).part({{}, part});
        std::vector<beam::Crossing<Real>> found(
            static_cast<std::size_t>((part.y + kRows - 1) / kRows));
        const bool done =
            each(static_cast<std::int64_t>(found.size()), [&](std::int64_t item, int worker) {
                const std::int64_t y = item * kRows;
                const Extents rows{part.x, std::min(kRows, part.y - y), part.z};
                found[static_cast<std::size_t>(item)] =
                    beam::crossing(view.part({{0, y, 0}, rows}), scratchOf(lines, worker));
            });
        beam::Crossing<Real> most;
        for (const beam::Crossing<Real>& of : found) {
            most.row = std::max(most.row, of.row);
            most.pillar = std::max(most.pillar, of.pillar);
        }
        energy.countCrossing(points().x, static_cast<double>(most.row));
        if (points().z > 1) {
            energy.countCrossing(points().z, static_cast<double>(most.pillar));
        }
        return done;
    }

    [[nodiscard]] bool columnsForward(const ForItems& each, const Real* tile, Image<Real>& lines,
                                      Real* work, TileEnergy& energy) const {
        // takeApart() gives twice the spectra.
        const double squares = 0.25 / static_cast<double>(points().y);
        const bool done = forChunks(each, energy, [&](const Groups& groups, int worker) {
            Real* const line = scratchOf(lines, worker);
            TileEnergy own;
            forPairs(groups, [&](const TwoColumns& columns) {
                const auto& [first, second, two] = columns;
                beam::forwardColumns(
                    m_y, {tile + voxelsAt(first), tile + voxelsAt(second), points().x}, line);
                Sums sums;
                beam::takeApart(line, m_places, work + first.half, work + second.half, sums.data());
                own.join(energyOf(sums, columnsAt(first), two ? columnsAt(second) : 0, squares));
            });
            for (std::int64_t group = groups.first; group < groups.first + groups.count; ++group) {
                clearIdle(work + group * m_group);
                forDepths(group, [&](std::int64_t at) { beam::forward(m_z, work + at, m_slice); });
            }
            return own;
        });
        return done && countCrossing(each, tile, points(), lines, energy);
    }

    /// A bound on the energies of columns that are still spectra across the slices: no column
    /// exceeds the sum of the magnitudes in these spectra.
    [[nodiscard]] TileEnergy untransformedOf(const Groups& groups, const Real* work,
                                             double squares) const {
        TileEnergy own;
        for (std::int64_t group = groups.first; group < groups.first + groups.count; ++group) {
            std::array<double, kLines> magnitudes{};
            for (std::int64_t z = 0; z < points().z; ++z) {
                std::array<Real, kLines> sums;
                beam::energies(work + group * m_group + z * m_slice, m_places, sums.data());
                for (std::size_t i = 0; i < kLines; ++i) {
                    const double sum = squares * static_cast<double>(sums[i]);
                    magnitudes[i] += std::sqrt(sum);
                    own.total += static_cast<double>(points().z) * sum;
                }
            }
            const double most = *std::max_element(magnitudes.begin(), magnitudes.end());
            own.join(TileEnergy::ofLines(points().y, most * most, 0));
        }
        return own;
    }

    /// Columns that are not wanted count too, since rounding errors along x go from any column to
    /// any other.
    [[nodiscard]] bool columnsBack(const ForItems& each, Real* work, Image<Real>& lines, Real* to,
                                   const Extents& wanted, TileEnergy& energy) const {
        const auto squares = static_cast<double>(points().y);
        const auto isWanted = [&](const Columns& columns) {
            return columns.x < wanted.x && columns.z < wanted.z;
        };
        const bool done = forChunks(each, energy, [&](const Groups& groups, int worker) {
            if (groups.first * kLines >= wanted.x) {
                return untransformedOf(groups, work, squares);
            }
            for (std::int64_t group = groups.first; group < groups.first + groups.count; ++group) {
                forDepths(group, [&](std::int64_t at) { beam::backward(m_z, work + at, m_slice); });
            }
            TileEnergy own;
            forPairs(groups, [&](const TwoColumns& columns) {
                const auto& [first, second, two] = columns;
                Sums sums;
                if (isWanted(first) || isWanted(second)) {
                    Real* const line = scratchOf(lines, worker);
                    beam::putTogether(work + first.half, work + second.half, m_places, line,
                                      sums.data());
                    beam::backwardColumns(m_y, line,
                                          {to + voxelsAt(first), to + voxelsAt(second), points().x},
                                          columnsAt(first), two ? columnsAt(second) : 0);
                } else {
                    beam::energies(work + first.half, m_places, sums.data());
                    beam::energies(work + second.half, m_places, sums.data() + kLines);
                }
                own.join(energyOf(sums, kLines, two ? kLines : 0, squares));
            });
            return own;
        });
        return done;
    }

    beam::Plan<Real> m_x;
    beam::Plan<Real> m_y;
    beam::Plan<Real> m_z;
    beam::Plan<double> m_templateX;
    beam::Plan<double> m_templateY;
    beam::Plan<double> m_templateZ;
    std::vector<beam::Conjugates> m_places; ///< places of the frequencies 0 .. y / 2
    std::int64_t m_groups;
    std::int64_t m_rowGroups;
    // Strides in values: between slices of a group of columns, between groups of columns, between
    // groups of rows.
    std::int64_t m_slice;
    std::int64_t m_group;
    std::int64_t m_row;
};

} // namespace

template <class Real>
std::unique_ptr<const TileTransform<Real>> halfBeamTransform(const Extents& points) {
    return std::make_unique<const HalfBeamTransform<Real>>(points);
}

bool hasHalfBeamTransform(const Extents& points) {
    using method::shared::isSmooth;
    return isSmooth(points.x) && isSmooth(points.y) && isSmooth(points.z) &&
           2 * points.x >= groupsOf(points.x) * kLines;
}

std::int64_t halfBeamSpectrumValues(const Extents& points) {
    return groupsOf(points.x) * kLines * rowGroups(points) * kElement;
}

std::int64_t halfBeamTemplateValues(const Extents& points, const Extents& m) {
    return groupsOf(m.x) * rowGroups(points) * kLines * kElement;
}

std::int64_t halfBeamScratchValues(const Extents& points) {
    return std::max(points.y, groupsOf(points.x) * kLines) * kElement;
}

template std::unique_ptr<const TileTransform<float>> halfBeamTransform(const Extents& points);
template std::unique_ptr<const TileTransform<double>> halfBeamTransform(const Extents& points);

} // namespace flcc::cpu
