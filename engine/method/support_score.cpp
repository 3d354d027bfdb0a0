#include "engine/method/detail/support_score.h"

#include <algorithm>
#include <cmath>
#include <type_traits>
#include <vector>

#include "engine/base/finite.h"
#include "engine/base/widest.h"
#include "engine/method/detail/voxel.h"
#include "engine/method/shared/template_error.h"

namespace flcc::method::detail {

namespace {

using base::View;

/// A sum in the fixed order of canonicalScore(): one lane for each x modulo kLanes, then one fixed
/// tree of additions.
struct LaneSum {
    double lanes[kLanes] = {};

    void add(std::int64_t x, double value) { lanes[x % kLanes] += value; }
    [[nodiscard]] double total() const {
        return ((lanes[0] + lanes[4]) + (lanes[2] + lanes[6])) +
               ((lanes[1] + lanes[5]) + (lanes[3] + lanes[7]));
    }
};

template <class T> class Panel {
  public:
    Panel(const View<const T>& pixels, const View<const std::uint8_t>& mask,
          const CanonicalTemplate& templ, const base::Index& corner, Outside outside)
        : m_pixels(pixels), m_mask(mask), m_templ(templ), m_corner(corner), m_outside(outside) {}

    [[nodiscard]] bool isWhole() {
        (void)look();
        return m_count == static_cast<double>(m_templ.count());
    }

    [[nodiscard]] CanonicalValue value() {
        if (!look() || m_count == 0) {
            return {0, 0, false};
        }
        const bool overlap =
            m_outside == Outside::Overlap && m_count < static_cast<double>(m_templ.count());
        m_onlyInside = overlap;
        // Without weights the sum of the weights is a count, and each product with one is exact.
        const double count = overlap ? m_inside : m_templ.total();
        LaneSum sum;
        double largest = 0;
        forVoxels([&](const base::Index& at, bool inside) {
            const double v = valueOf(at, inside);
            sum.add(at.x, weightOf(at) * v);
            largest = std::max(largest, std::abs(v));
        });
        if (!(largest > 0)) {
            return {0, 0, false};
        }
        // As in canonicalScore(): differences far below the values of a double panel are scaled up,
        // so that their squares do not vanish.
        const double zoom =
            std::is_same_v<T, double> ? std::ldexp(1.0, std::min(1022, -std::ilogb(largest))) : 1.0;
        const double mean = sum.total() / count;
        const Level level = overlap ? levelOf() : Level{};
        if (level.constant) {
            // The template may be constant only because its values were rounded; a bound of 2 then
            // makes the voxel LOWCONF.
            return {0, 2, false};
        }
        LaneSum numerator;
        LaneSum squares;
        LaneSum rest;
        forVoxels([&](const base::Index& at, bool inside) {
            const double q = (valueOf(at, inside) - mean) * zoom;
            const double w = weightOf(at);
            rest.add(at.x, w * q);
            squares.add(at.x, w * (q * q));
            if (inside || m_outside == Outside::Zero) {
                numerator.add(at.x, overlap ? w * (q * (levelAt(at) - level.mean))
                                            : q * m_templ.values().view().at(at));
            }
        });
        const double remainder = rest.total();
        const double variance = (squares.total() - remainder * remainder / count) * level.variance;
        const double bound =
            canonicalBound(m_templ.count()) +
            (overlap ? shared::kTemplateError * std::sqrt(1 / level.variance) : 0.0);
        if (!(variance > 0)) {
            return {0, 2, false};
        }
        return {std::clamp(numerator.total() / std::sqrt(variance), -1.0, 1.0),
                std::min(bound, 2.0)};
    }

  private:
    /// Mean and variance of the template over an overlap. `variance` is the sum of (T - mean)^2, at
    /// most 1.
    struct Level {
        double mean = 0;
        double variance = 1;
        bool constant = false;
    };

    [[nodiscard]] bool isInside(const base::Index& at) const {
        const base::Index voxel{m_corner.x + at.x, m_corner.y + at.y, m_corner.z + at.z};
        const base::Extents& n = m_pixels.extents();
        return voxel.x >= 0 && voxel.x < n.x && voxel.y >= 0 && voxel.y < n.y && voxel.z >= 0 &&
               voxel.z < n.z && (m_mask.data() == nullptr || m_mask.at(voxel) != 0);
    }

    [[nodiscard]] T stored(const base::Index& at) const {
        return m_pixels.at(m_corner.x + at.x, m_corner.y + at.y, m_corner.z + at.z);
    }

    /// The difference of a panel voxel to m_first. Voxels outside count as 0.
    [[nodiscard]] double valueOf(const base::Index& at, bool inside) const {
        return difference(inside ? stored(at) : T{0}, m_first, m_scale);
    }

    /// The weight of a voxel of the support.
    [[nodiscard]] double weightOf(const base::Index& at) const {
        return m_templ.weights().empty() ? 1.0 : m_templ.weights().view().at(at);
    }
    /// (T - mean) / ||T - mean||, without its weight.
    [[nodiscard]] double levelAt(const base::Index& at) const {
        return m_templ.weights().empty() ? m_templ.values().view().at(at)
                                         : m_templ.levels().view().at(at);
    }

    /// Calls `visit(index in the template, inside)` for every voxel of the support; for an overlap
    /// only for those inside.
    template <class Visit> void forVoxels(Visit&& visit) const {
        const base::Extents& m = m_templ.extents();
        const View<const std::uint8_t> support = m_templ.support().view();
        for (std::int64_t z = 0; z < m.z; ++z) {
            for (std::int64_t y = 0; y < m.y; ++y) {
                for (std::int64_t x = 0; x < m.x; ++x) {
                    const base::Index at{x, y, z};
                    if (support.data() != nullptr && support.at(at) == 0) {
                        continue;
                    }
                    const bool inside = isInside(at);
                    if (inside || !m_onlyInside) {
                        visit(at, inside);
                    }
                }
            }
        }
    }

    /// Sets m_first, m_count and m_scale from the voxels inside; false if one of them is NaN or
    /// Inf.
    bool look() {
        bool good = true;
        double largest = 0;
        forVoxels([&](const base::Index& at, bool inside) {
            if (!inside) {
                return;
            }
            const T v = stored(at);
            const double weight = weightOf(at);
            m_first = weight > m_heaviest ? v : m_first;
            m_heaviest = std::max(m_heaviest, weight);
            m_count += 1;
            m_inside += weight;
            good = good && base::finite(v);
            if constexpr (std::is_same_v<T, double>) {
                largest = base::finite(v) ? std::max(largest, std::abs(v)) : largest;
            }
        });
        m_scale =
            largest > 0 ? std::ldexp(1.0, std::clamp(-std::ilogb(largest) - 1, -1022, 1022)) : 1.0;
        return good;
    }

    [[nodiscard]] Level levelOf() const {
        LaneSum sum;
        double least = HUGE_VAL;
        double most = -HUGE_VAL;
        forVoxels([&](const base::Index& at, bool) {
            const double v = levelAt(at);
            sum.add(at.x, weightOf(at) * v);
            least = std::min(least, v);
            most = std::max(most, v);
        });
        Level level;
        level.constant = least == most;
        level.mean = sum.total() / m_inside;
        LaneSum squares;
        forVoxels([&](const base::Index& at, bool) {
            const double v = levelAt(at) - level.mean;
            squares.add(at.x, weightOf(at) * (v * v));
        });
        level.variance = squares.total();
        return level;
    }

    View<const T> m_pixels;
    View<const std::uint8_t> m_mask;
    const CanonicalTemplate& m_templ;
    base::Index m_corner;
    Outside m_outside;
    T m_first{}; // of the largest weight: near the mean, as far as one voxel can tell
    double m_heaviest = 0;
    double m_count = 0;  // voxels of the support that lie inside
    double m_inside = 0; // the sum of their weights
    double m_scale = 1;  // power of two near 1 / largest magnitude, so that differences are finite
    bool m_onlyInside = false;
};

/// A support without weights that lies inside of a scene without mask, eight neighbours at a time.
/// The value has the bits of Panel::value(): where a voxel does not count, 0 is added.
template <class T> class WholePanel {
  public:
    WholePanel(const View<const T>& pixels, const CanonicalTemplate& templ,
               const base::Index& corner)
        : m_pixels(pixels), m_templ(templ), m_corner(corner),
          m_count(static_cast<double>(templ.count())) {
        const base::Extents& m = templ.extents();
        for (std::int64_t z = 0; z < m.z; ++z) {
            for (std::int64_t y = 0; y < m.y; ++y) {
                const std::uint8_t* const in = templ.support().view().row(y, z);
                const std::uint8_t* const end = in + m.x;
                const std::uint8_t* const from = std::find(in, end, 1);
                if (from == end) {
                    continue;
                }
                const std::uint8_t* to = end;
                while (to[-1] == 0) {
                    --to;
                }
                // Lanes are those of the places in the row.
                m_rows.push_back({y, z, (from - in) / kLanes * kLanes, to - in});
                m_first = m_rows.size() == 1 ? rowOf(m_rows[0])[from - in] : m_first;
            }
        }
    }

    [[nodiscard]] CanonicalValue value() {
        if constexpr (std::is_same_v<T, double>) {
            setScale();
        }
        LaneSum sum;
        LaneSum largest; // no sum
        forLanes([&](std::int64_t lane, double v, double) {
            sum.lanes[lane] += v;
            largest.lanes[lane] = std::max(largest.lanes[lane], std::abs(v));
        });
        const double most = *std::max_element(largest.lanes, largest.lanes + kLanes);
        // A NaN or Inf makes the sum one, since differences are finite otherwise.
        if (!std::isfinite(sum.total()) || !(most > 0)) {
            return {0, 0, false};
        }
        const double zoom =
            std::is_same_v<T, double> ? std::ldexp(1.0, std::min(1022, -std::ilogb(most))) : 1.0;
        const double mean = sum.total() / m_count;
        LaneSum numerator;
        LaneSum squares;
        LaneSum rest;
        forLanesAbout(mean, zoom, [&](std::int64_t lane, double q, double templ) {
            rest.lanes[lane] += q;
            squares.lanes[lane] += q * q;
            numerator.lanes[lane] += q * templ;
        });
        const double remainder = rest.total();
        const double variance = squares.total() - remainder * remainder / m_count;
        if (!(variance > 0)) {
            return {0, 2, false};
        }
        return {std::clamp(numerator.total() / std::sqrt(variance), -1.0, 1.0),
                std::min(canonicalBound(m_templ.count()), 2.0)};
    }

  private:
    struct Row {
        std::int64_t y;
        std::int64_t z;
        std::int64_t from;
        std::int64_t to;
    };

    [[nodiscard]] const T* rowOf(const Row& row) const {
        return m_pixels.row(m_corner.y + row.y, m_corner.z + row.z) + m_corner.x;
    }

    /// Calls `add(lane, difference to m_first, value of the template)` for all voxels from the
    /// first to the last one of each row, with a difference of 0 where a voxel does not count.
    template <class Add> void forLanes(const Add& add) const { forLanesAbout(0, 1, add); }
    /// The same less `mean`, times `zoom`.
    template <class Add> void forLanesAbout(double mean, double zoom, const Add& add) const {
        base::inWidest([&] {
            for (const Row& row : m_rows) {
                const T* const pixels = rowOf(row);
                const std::uint8_t* const in = m_templ.support().view().row(row.y, row.z);
                const double* const templ = m_templ.values().view().row(row.y, row.z);
                const auto one = [&](std::int64_t x, std::int64_t lane) {
                    const double v = (difference(pixels[x], m_first, m_scale) - mean) * zoom;
                    add(lane, in[x] != 0 ? v : 0.0, templ[x]);
                };
                std::int64_t x = row.from;
                for (; x + kLanes <= row.to; x += kLanes) {
                    for (std::int64_t lane = 0; lane < kLanes; ++lane) {
                        one(x + lane, lane);
                    }
                }
                for (; x < row.to; ++x) {
                    one(x, x % kLanes);
                }
            }
        });
    }

    void setScale() {
        double largest = 0;
        for (const Row& row : m_rows) {
            const T* const pixels = rowOf(row);
            const std::uint8_t* const in = m_templ.support().view().row(row.y, row.z);
            for (std::int64_t x = row.from; x < row.to; ++x) {
                if (in[x] != 0 && base::finite(pixels[x])) {
                    largest = std::max(largest, std::abs(static_cast<double>(pixels[x])));
                }
            }
        }
        m_scale =
            largest > 0 ? std::ldexp(1.0, std::clamp(-std::ilogb(largest) - 1, -1022, 1022)) : 1.0;
    }

    View<const T> m_pixels;
    const CanonicalTemplate& m_templ;
    base::Index m_corner;
    double m_count;
    std::vector<Row> m_rows;
    T m_first{};
    double m_scale = 1;
};

} // namespace

CanonicalValue supportValue(const MaskedView& scene, const CanonicalTemplate& templ,
                            const base::Index& corner, Outside outside) {
    return std::visit(
        [&](const auto& pixels) {
            using T = std::remove_cvref_t<decltype(pixels.at(0, 0, 0))>;
            const bool isWhole = !templ.support().empty() && templ.weights().empty() &&
                                 scene.mask.data() == nullptr &&
                                 base::contains(scene.extents(), {corner, templ.extents()});
            return isWhole ? WholePanel<T>(pixels, templ, corner).value()
                           : Panel(pixels, scene.mask, templ, corner, outside).value();
        },
        scene.pixels);
}

bool isWholeBox(const MaskedView& scene, const CanonicalTemplate& templ,
                const base::Index& corner) {
    const base::Box box{corner, templ.extents()};
    return templ.support().empty() && base::contains(scene.extents(), box) &&
           (scene.mask.data() == nullptr || supportCount(partOf(scene, box)) == templ.count());
}

} // namespace flcc::method::detail

namespace flcc::method {

bool isWhole(const MaskedView& scene, const CanonicalTemplate& templ, const base::Index& corner) {
    const bool inScene = base::contains(scene.extents(), {corner, templ.extents()});
    return (inScene && scene.mask.data() == nullptr) || detail::isWholeBox(scene, templ, corner) ||
           std::visit(
               [&](const auto& pixels) {
                   return detail::Panel(pixels, scene.mask, templ, corner, Outside::Zero).isWhole();
               },
               scene.pixels);
}

} // namespace flcc::method
