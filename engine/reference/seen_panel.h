#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <type_traits>
#include <vector>

#include "engine/base/status.h"
#include "engine/method/masked_view.h"
#include "engine/method/problem.h"

namespace flcc::reference {

/// Positions of the voxels of a template's support, x fastest.
[[nodiscard]] inline std::vector<base::Index> supportOf(const method::MaskedView& templ) {
    const base::Extents extents = templ.extents();
    std::vector<base::Index> voxels;
    for (std::int64_t z = 0; z < extents.z; ++z) {
        for (std::int64_t y = 0; y < extents.y; ++y) {
            for (std::int64_t x = 0; x < extents.x; ++x) {
                if (templ.mask.data() == nullptr || templ.mask.at(x, y, z) != 0) {
                    voxels.push_back({x, y, z});
                }
            }
        }
    }
    return voxels;
}

/// The scene voxels under a support: one value for each voxel of the support, 0 where it lies
/// outside.
template <class T> struct SeenPanel {
    std::vector<T> values;
    std::vector<std::uint8_t> inside; ///< 1 if the voxel lies in the scene and in its mask
    std::int64_t count = 0;           ///< number of voxels inside

    [[nodiscard]] base::View<const T> view() const {
        return {values.data(), {std::ssize(values), 1, 1}};
    }

    /// The entries of `all`, which has one entry for each voxel of the support, whose voxels lie
    /// inside.
    template <class U> [[nodiscard]] std::vector<U> insideOf(const std::vector<U>& all) const {
        if (count == std::ssize(all)) {
            return all;
        }
        std::vector<U> kept;
        kept.reserve(all.size());
        for (std::size_t i = 0; i < all.size(); ++i) {
            if (inside[i] != 0) {
                kept.push_back(all[i]);
            }
        }
        return kept;
    }
};

/// The voxels of `pixels` under `support` when the template's first voxel lies on `corner`. `mask`
/// is the mask of `pixels`; it may be empty.
template <class T>
[[nodiscard]] SeenPanel<T>
seenPanel(const base::View<const T>& pixels, const base::View<const std::uint8_t>& mask,
          const std::vector<base::Index>& support, const base::Index& corner) {
    const base::Extents& n = pixels.extents();
    SeenPanel<T> panel{std::vector<T>(support.size()), std::vector<std::uint8_t>(support.size()),
                       0};
    for (std::size_t i = 0; i < support.size(); ++i) {
        const base::Index at{corner.x + support[i].x, corner.y + support[i].y,
                             corner.z + support[i].z};
        const bool inScene =
            at.x >= 0 && at.x < n.x && at.y >= 0 && at.y < n.y && at.z >= 0 && at.z < n.z;
        if (inScene && (mask.data() == nullptr || mask.at(at) != 0)) {
            panel.values[i] = pixels.at(at);
            panel.inside[i] = 1;
            ++panel.count;
        }
    }
    return panel;
}

/// Status of a panel: FLAT, NONFINITE, NOT_COMPUTED, PARTIAL or OK (`engine/method/NUMERICS.md`,
/// sections 1 and 2). Decided on the stored voxels. Does not check whether the template is constant
/// on the overlap.
template <class T>
[[nodiscard]] base::Status statusOf(const SeenPanel<T>& panel, method::Outside outside,
                                    double minOverlap) {
    const auto support = std::ssize(panel.values);
    if (!method::isScored(static_cast<double>(panel.count), static_cast<double>(support), outside,
                          minOverlap)) {
        return base::Status::NotComputed;
    }
    const std::vector<T> inside = panel.insideOf(panel.values);
    if constexpr (std::is_floating_point_v<T>) {
        if (!std::all_of(inside.begin(), inside.end(), [](T v) { return std::isfinite(v); })) {
            return base::Status::NonFinite;
        }
    }
    const bool partial = panel.count < support;
    const T level = partial && outside != method::Outside::Overlap ? T{0} : inside.front();
    if (std::all_of(inside.begin(), inside.end(), [level](T v) { return v == level; })) {
        return base::Status::Flat;
    }
    return partial ? base::Status::Partial : base::Status::Ok;
}

} // namespace flcc::reference
