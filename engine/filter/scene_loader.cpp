#include "engine/filter/detail/scene_loader.h"

#include <algorithm>
#include <cmath>
#include <type_traits>
#include <variant>

#include "engine/filter/detail/copy_row.h"

namespace flcc::filter::detail {

namespace {

using base::View;
namespace simd = cpu::simd;

/// Pixel types for which room cpu has vector code.
template <class Voxel>
constexpr bool kHasVectors =
    std::is_same_v<Voxel, float> || std::is_same_v<Voxel, std::uint8_t> ||
    std::is_same_v<Voxel, std::uint16_t> || std::is_same_v<Voxel, std::int16_t>;

template <class Real, class Voxel> Real valueOf(Voxel voxel, double scale, Loaded& loaded) {
    const auto value = static_cast<double>(voxel);
    if (!std::isfinite(value)) {
        ++loaded.nonFinite;
        return 0;
    }
    loaded.largest = std::max(loaded.largest, std::abs(value));
    return static_cast<Real>(value * scale);
}

/// A run of voxels of one row.
template <class Real, class Voxel>
void loadRun(const Voxel* from, std::int64_t count, double scale, Real* to, Loaded& loaded) {
    if constexpr (std::is_same_v<Voxel, float>) {
        if (scale == 1) {
            const RowFacts facts = copyRow(from, count, to);
            if (facts.finite) {
                loaded.largest = std::max(loaded.largest, facts.largest);
                return;
            }
        }
    }
    if constexpr (kHasVectors<Voxel>) {
        const View<const Voxel> row(from, {count, 1, 1});
        const simd::VoxelFacts facts = simd::voxelFacts(row);
        if (facts.nonFinite < count) {
            loaded.largest =
                std::max({loaded.largest, std::abs(facts.minimum), std::abs(facts.maximum)});
        }
        loaded.nonFinite += facts.nonFinite;
        simd::loadVoxels(row, 0, static_cast<Real>(scale), {to, count, count});
    } else {
        for (std::int64_t i = 0; i < count; ++i) {
            to[i] = valueOf<Real>(from[i], scale, loaded);
        }
    }
}

template <class Real, class Voxel>
void loadRow(const Voxel* row, std::int64_t n, Border border, std::int64_t first,
             std::int64_t count, double scale, Real* to, Loaded& loaded) {
    const std::int64_t from = std::clamp<std::int64_t>(first, 0, n);
    const std::int64_t end = std::clamp<std::int64_t>(first + count, from, n);
    if (end > from) {
        loadRun(row + from, end - from, scale, to + (from - first), loaded);
    }
    const auto outside = [&](std::int64_t low, std::int64_t high) {
        for (std::int64_t i = low; i < high; ++i) {
            const std::int64_t at = borderIndex(border, i, n);
            to[i - first] = at < 0 ? Real{0} : valueOf<Real>(row[at], scale, loaded);
        }
    };
    // After the inner part: vectors may have been stored behind its end.
    outside(first, std::min(from, first + count));
    outside(std::max(end, first), first + count);
}

} // namespace

template <class Real>
Loaded SceneLoader<Real>::load(const base::Box& box, double scale,
                               const simd::VoxelBox<Real>& to) const {
    Loaded loaded;
    const base::Extents& count = box.extents;
    std::visit(
        [&](const auto& scene) {
            for (std::int64_t z = 0; z < count.z; ++z) {
                const std::int64_t fromZ = borderIndex(m_border, box.corner.z + z, m_n.z);
                for (std::int64_t y = 0; y < count.y; ++y) {
                    const std::int64_t fromY = borderIndex(m_border, box.corner.y + y, m_n.y);
                    Real* const row = to.data + z * to.sliceStride + y * to.rowStride;
                    if (fromY < 0 || fromZ < 0) {
                        std::fill_n(row, count.x, Real{0});
                    } else {
                        loadRow(scene.row(fromY, fromZ), m_n.x, m_border, box.corner.x, count.x,
                                scale, row, loaded);
                    }
                }
            }
        },
        m_scene);
    return loaded;
}

template class SceneLoader<float>;
template class SceneLoader<double>;

} // namespace flcc::filter::detail
