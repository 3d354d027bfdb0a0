#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "engine/base/pixels.h"

namespace flcc::reference {

/// Numbers for the voxels `support` of an image; two are equal exactly if the stored values are
/// equal.
[[nodiscard]] inline std::vector<std::int64_t> ranksOf(const base::AnyView& pixels,
                                                       const std::vector<base::Index>& support) {
    return std::visit(
        [&](const auto& view) {
            using Voxel = std::remove_cvref_t<decltype(*view.data())>;
            std::vector<Voxel> values;
            for (const base::Index& at : support) {
                values.push_back(view.at(at));
            }
            std::vector<Voxel> sorted = values;
            std::sort(sorted.begin(), sorted.end());
            std::vector<std::int64_t> ranks;
            for (const Voxel value : values) {
                ranks.push_back(std::lower_bound(sorted.begin(), sorted.end(), value) -
                                sorted.begin());
            }
            return ranks;
        },
        pixels);
}

/// True if all `ranks` are equal.
[[nodiscard]] inline bool allEqual(const std::vector<std::int64_t>& ranks) {
    return std::all_of(ranks.begin(), ranks.end(),
                       [&](std::int64_t rank) { return rank == ranks.front(); });
}

} // namespace flcc::reference
