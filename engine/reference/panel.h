#pragma once

#include <cmath>
#include <type_traits>
#include <vector>

#include "engine/base/image.h"
#include "engine/base/status.h"

namespace flcc::reference {

__extension__ using Int128 = __int128;

/// Calls `visit` with every voxel of `panel`, x fastest.
template <class T, class Visit> void forEachVoxel(const base::View<const T>& panel, Visit&& visit) {
    const base::Extents& extents = panel.extents();
    for (std::int64_t z = 0; z < extents.z; ++z) {
        for (std::int64_t y = 0; y < extents.y; ++y) {
            const T* row = panel.row(y, z);
            for (std::int64_t x = 0; x < extents.x; ++x) {
                visit(row[x]);
            }
        }
    }
}

/// Status of a panel: NONFINITE, FLAT or OK (`engine/method/NUMERICS.md`, section 2). Decided on
/// the stored voxels.
template <class T> [[nodiscard]] base::Status panelStatus(const base::View<const T>& panel) {
    const T first = *panel.data();
    bool finite = true;
    bool constant = true;
    forEachVoxel(panel, [&](T voxel) {
        if constexpr (std::is_floating_point_v<T>) {
            finite = finite && std::isfinite(voxel);
        }
        constant = constant && voxel == first;
    });
    if (!finite) {
        return base::Status::NonFinite;
    }
    return constant ? base::Status::Flat : base::Status::Ok;
}

/// The differences of `panel` from its first voxel, in double, scaled by one power of two for the
/// whole panel. 64-bit integers are subtracted before they are rounded; floats are scaled so that
/// neither a difference nor a square exceeds the range of double.
template <class T>
[[nodiscard]] std::vector<double> differencesFromFirst(const base::View<const T>& panel) {
    std::vector<double> differences;
    differences.reserve(static_cast<std::size_t>(base::voxelCount(panel.extents())));
    if constexpr (std::is_integral_v<T>) {
        const auto first = static_cast<Int128>(*panel.data());
        forEachVoxel(panel, [&](T voxel) {
            differences.push_back(static_cast<double>(static_cast<Int128>(voxel) - first));
        });
    } else {
        double largest = 0;
        forEachVoxel(panel, [&](T voxel) {
            largest = std::fmax(largest, std::fabs(static_cast<double>(voxel)));
        });
        const int down = largest > 0 ? -std::ilogb(largest) - 1 : 0; // |scaled| < 1
        const auto scaled = [down](T voxel) {
            return std::scalbn(static_cast<double>(voxel), down);
        };
        const double first = scaled(*panel.data());
        forEachVoxel(panel, [&](T voxel) { differences.push_back(scaled(voxel) - first); });
    }
    return differences;
}

} // namespace flcc::reference
