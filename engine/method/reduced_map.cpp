#include "engine/method/reduced_map.h"

#include <algorithm>

#include "engine/method/shared/direct_block.h"

namespace flcc::method {

namespace {

/// The position of a voxel of the map relative to the corner of `box`.
base::Index within(const base::Box& box, const base::Index& at) {
    return {at.x - box.corner.x, at.y - box.corner.y, at.z - box.corner.z};
}

} // namespace

ReducedMap::ReducedMap(const base::Extents& map, const base::Extents& part)
    : m_extents(map),
      m_part(part), m_grid{shared::ceilDivide(map.x, part.x), shared::ceilDivide(map.y, part.y),
                           shared::ceilDivide(map.z, part.z)},
      m_parts(static_cast<std::size_t>(base::voxelCount(m_grid))) {}

std::size_t ReducedMap::numberOf(const base::Index& at) const {
    return static_cast<std::size_t>((at.z / m_part.z * m_grid.y + at.y / m_part.y) * m_grid.x +
                                    at.x / m_part.x);
}

ReducedMap::Voxel ReducedMap::at(const base::Index& at) const {
    const Part& part = m_parts[numberOf(at)];
    Voxel voxel{.part = &part};
    const base::Index own = within(part.box, at);
    if (part.whole) {
        voxel.known = true;
        voxel.value = part.exact.empty() ? static_cast<double>(part.value.view().at(own))
                                         : part.exact.view().at(own);
        voxel.status = part.status.view().at(own);
        voxel.templ = part.index.empty() ? 0 : part.index.view().at(own);
        return voxel;
    }
    const base::Extents& extents = part.box.extents;
    const base::Extents grid = shared::blockGrid(extents);
    const auto block = static_cast<std::size_t>(
        (own.z * grid.y + own.y / shared::kBlockHeight) * grid.x + own.x / shared::kBlockWidth);
    const auto linear = static_cast<std::uint32_t>((own.z * extents.y + own.y) * extents.x + own.x);
    const auto end = part.kept.begin() + part.firstOf[block + 1];
    const auto found = std::find_if(part.kept.begin() + part.firstOf[block], end,
                                    [&](const auto& kept) { return kept.at == linear; });
    if (found != end) {
        voxel.known = true;
        voxel.kept = &*found;
        voxel.value = found->value;
        voxel.status = statusOf(*found);
        voxel.templ = part.templ.empty()
                          ? 0
                          : part.templ[static_cast<std::size_t>(found - part.kept.begin())];
    }
    return voxel;
}

ReducedMap::Voxel ReducedMap::asked(const base::Index& at) const {
    Voxel voxel = this->at(at);
    if (!voxel.known) {
        const base::Index own = within(voxel.part->box, at);
        const auto& all = voxel.part->asked;
        const auto found =
            std::find_if(all.begin(), all.end(), [&](const Asked& one) { return one.at == own; });
        if (found != all.end()) {
            voxel.known = true;
            voxel.value = found->value;
            voxel.status = found->status;
            voxel.templ = found->templ;
        }
    }
    return voxel;
}

ScoreTally ReducedMap::tally() const {
    ScoreTally all;
    for (const Part& part : m_parts) {
        all.add(part.tally);
    }
    return all;
}

std::int64_t ReducedMap::count() const {
    std::int64_t count = 0;
    for (const Part& part : m_parts) {
        count += part.whole ? base::voxelCount(part.box.extents) : std::ssize(part.kept);
    }
    return count;
}

} // namespace flcc::method
