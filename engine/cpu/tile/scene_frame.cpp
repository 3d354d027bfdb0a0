#include "engine/cpu/tile/scene_frame.h"

#include <algorithm>
#include <atomic>
#include <cmath>
#include <limits>
#include <type_traits>
#include <utility>

namespace flcc::cpu {

namespace {

using base::Extents;

/// Voxels that one item reads to find the frame.
constexpr std::int64_t kRowsVoxels = 1 << 15;

std::int64_t rowsTogether(const Extents& n) { return std::max<std::int64_t>(1, kRowsVoxels / n.x); }

} // namespace

bool SceneFrame::findGrid(const base::View<const float>& view, const Facts& facts,
                          const ForItems& each, double& quantum) {
    const GridSearch all(static_cast<double>(facts.minimum), static_cast<double>(facts.maximum));
    const Extents& n = view.extents();
    const std::int64_t rows = n.y * n.z;
    const std::int64_t together = rowsTogether(n);
    std::vector<GridSearch> items(static_cast<std::size_t>((rows + together - 1) / together), all);
    std::atomic<bool> found = true;
    const bool done = each(static_cast<std::int64_t>(items.size()), [&](std::int64_t item, int) {
        GridSearch& grid = items[static_cast<std::size_t>(item)];
        const std::int64_t end = std::min(rows, (item + 1) * together);
        for (std::int64_t row = item * together; found && row < end; ++row) {
            if (!grid.add({view.row(row % n.y, row / n.y), {n.x, 1, 1}})) {
                found = false;
            }
        }
    });
    for (std::size_t i = 1; i < items.size(); ++i) {
        items.front().join(items[i]);
    }
    quantum = found ? items.front().quantum() : 0;
    return done;
}

template <class T> SceneFrame::Facts SceneFrame::factsOf(const T* row, std::int64_t count) {
    Facts facts;
    facts.minimum = std::numeric_limits<long double>::infinity();
    facts.maximum = -facts.minimum;
    if constexpr (kHasKernel<T>) {
        const simd::VoxelFacts found = simd::voxelFacts({row, {count, 1, 1}});
        facts = {found.sum, found.minimum, found.maximum, count - found.nonFinite, found.nonFinite};
    } else {
        // A long double holds every voxel exactly in its 64-bit mantissa and every sum in its
        // exponent range.
        for (std::int64_t i = 0; i < count; ++i) {
            const auto value = static_cast<long double>(row[i]);
            if (std::isfinite(value)) {
                facts.sum += value;
                facts.minimum = std::min(facts.minimum, value);
                facts.maximum = std::max(facts.maximum, value);
                ++facts.finite;
            }
        }
        facts.nonFinite = count - facts.finite;
    }
    return facts;
}

std::optional<SceneFrame> SceneFrame::of(const base::AnyView& scene, std::int64_t templCount,
                                         bool inDouble, const ForItems& each) {
    SceneFrame frame;
    const Extents n = base::extentsOf(scene);
    frame.m_scene = n;
    const std::int64_t rows = n.y * n.z;
    const std::int64_t together = rowsTogether(n);
    frame.m_nonFinite.resize(static_cast<std::size_t>(rows));
    // Sums are joined in the order of the items, so that the number of threads changes no bit.
    std::vector<Facts> items(static_cast<std::size_t>((rows + together - 1) / together));
    const auto join = [](Facts& to, const Facts& from) {
        const bool first = to.finite == 0;
        if (from.finite > 0) {
            to.minimum = first ? from.minimum : std::min(to.minimum, from.minimum);
            to.maximum = first ? from.maximum : std::max(to.maximum, from.maximum);
        }
        to.sum += from.sum;
        to.finite += from.finite;
        to.nonFinite += from.nonFinite;
    };
    const bool done = each(static_cast<std::int64_t>(items.size()), [&](std::int64_t item, int) {
        for (std::int64_t row = item * together; row < std::min(rows, (item + 1) * together);
             ++row) {
            const Facts facts = std::visit(
                [&](const auto& view) { return factsOf(view.row(row % n.y, row / n.y), n.x); },
                scene);
            frame.m_nonFinite[static_cast<std::size_t>(row)] = facts.nonFinite;
            join(items[static_cast<std::size_t>(item)], facts);
        }
    });
    if (!done) {
        return std::nullopt;
    }
    Facts facts;
    for (const Facts& item : items) {
        join(facts, item);
    }
    const bool stayed = std::visit(
        [&](const auto& view) {
            using T = std::remove_cvref_t<decltype(view.at(0, 0, 0))>;
            constexpr bool kInteger = std::is_integral_v<T>;
            if (facts.finite == 0) {
                facts.minimum = facts.maximum = 0;
            }
            const long double range = std::max(std::abs(facts.maximum), std::abs(facts.minimum));
            const long double spread = facts.maximum - facts.minimum;
            frame.m_inFloat = kInteger || (range < 0x1p125L && (spread == 0 || spread > 0x1p-124L));
            double quantum = kInteger ? 1 : 0;
            if constexpr (std::is_same_v<T, float>) {
                if (frame.m_inFloat && !findGrid(view, facts, each, quantum)) {
                    return false;
                }
            }
            const long double mean =
                facts.finite > 0 ? facts.sum / static_cast<long double>(facts.finite) : 0;
            frame.m_centre =
                std::clamp(quantum > 0 ? quantum * std::nearbyint(mean / quantum)
                                       : static_cast<long double>(static_cast<T>(mean)),
                           facts.minimum, facts.maximum);
            const long double largest =
                std::max(facts.maximum - frame.m_centre, frame.m_centre - facts.minimum);
            frame.m_exponent = largest > 0 ? std::ilogb(largest) + 1 : 0;
            const int digits = inDouble ? 53 : 24;
            const bool exact =
                largest == 0 || (quantum > 0 && largest <= std::ldexp(quantum, digits));
            CentredTile& tile = frame.m_facts;
            tile.unit = std::ldexp(1.0, frame.m_exponent);
            tile.level = static_cast<double>(frame.m_centre);
            tile.exact = exact;
            // Half a unit in the last place of the largest difference.
            tile.largestRounding = exact ? 0.0 : std::ldexp(1.0, frame.m_exponent - digits - 1);
            if (quantum > 0 && exact) {
                tile.quantum = quantum;
                tile.steps = static_cast<double>(largest / quantum);
                tile.exactSums = static_cast<double>(templCount) * tile.steps * tile.steps < 0x1p53;
            }
            return true;
        },
        scene);
    return stayed ? std::optional(std::move(frame)) : std::nullopt;
}

template <class T, class Real>
void SceneFrame::placeRow(const T* row, std::int64_t count, Real* to) const {
    if constexpr (kHasKernel<T> && std::is_same_v<Real, float>) {
        if (m_inFloat) {
            simd::loadVoxels({row, {count, 1, 1}}, static_cast<double>(m_centre),
                             std::ldexp(1.0F, -m_exponent), simd::FloatBox{to, count, count});
            return;
        }
    }
    if constexpr (kHasKernel<T> && std::is_same_v<Real, double>) {
        const auto centre = static_cast<double>(m_centre);
        const double scale = std::ldexp(1.0, -m_exponent);
        for (std::int64_t i = 0; i < count; ++i) {
            const double value = (static_cast<double>(row[i]) - centre) * scale;
            // For a voxel that is not finite, value - value is NaN.
            to[i] = value - value == 0 ? value : 0.0;
        }
    } else {
        const long double scale = std::ldexp(1.0L, -m_exponent);
        for (std::int64_t i = 0; i < count; ++i) {
            const long double value = (static_cast<long double>(row[i]) - m_centre) * scale;
            to[i] = value - value == 0 ? static_cast<Real>(value) : Real{0};
        }
    }
}

void SceneFrame::place(const base::AnyView& scene, const base::Index& first, std::int64_t count,
                       float* to) const {
    std::visit([&](const auto& view) { placeRow(&view.at(first), count, to); }, scene);
}

void SceneFrame::place(const base::AnyView& scene, const base::Index& first, std::int64_t count,
                       double* to) const {
    std::visit([&](const auto& view) { placeRow(&view.at(first), count, to); }, scene);
}

CentredTile SceneFrame::tile(const base::Box& seen) const {
    CentredTile tile = m_facts;
    tile.nonFinite = 0;
    for (std::int64_t z = seen.corner.z; z < seen.corner.z + seen.extents.z; ++z) {
        for (std::int64_t y = seen.corner.y; y < seen.corner.y + seen.extents.y; ++y) {
            tile.nonFinite += m_nonFinite[static_cast<std::size_t>(z * m_scene.y + y)];
        }
    }
    return tile;
}

} // namespace flcc::cpu
