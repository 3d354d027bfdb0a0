#include <algorithm>

#include "engine/base/stopwatch.h"
#include "engine/cuda/map_run.h"
#include "engine/method/shared/direct_block.h"

// Parts with units of many LOWCONF voxels, which a run in double replaces piece by piece.

namespace flcc::cuda {

namespace {

using base::Box;
using base::Extents;
using base::Status;
namespace shared = method::shared;

/// Calls `each(x, y, z)` for every voxel of a block of a part.
template <class Each> void forBlock(const Extents& part, const base::Index& corner, Each&& each) {
    const std::int64_t right = std::min(part.x, corner.x + shared::kBlockWidth);
    const std::int64_t bottom = std::min(part.y, corner.y + shared::kBlockHeight);
    for (std::int64_t y = corner.y; y < bottom; ++y) {
        for (std::int64_t x = corner.x; x < right; ++x) {
            each(x, y, corner.z);
        }
    }
}

} // namespace

/// Whether a part of which the blocks have told may have such units, of any template.
bool MapRun::mayStayOpen(const PartSlot& slot) const {
    const AgainRule* const rule = m_input.again;
    const std::int64_t blocks = base::voxelCount(shared::blockGrid(slot.box.extents));
    for (std::size_t i = 0; i < m_templates.size() && rule != nullptr; ++i) {
        const BlockTally* const told = slot.told.data() + static_cast<std::int64_t>(i) * blocks;
        if (repairs(*m_templates[i]) && mayHoldUnits(*rule, told, slot.box.extents)) {
            return true;
        }
    }
    return false;
}

/// What is not left was repaired.
void MapRun::leaveOpen(const PartSlot& slot, const std::vector<BlockRepair>& repaired,
                       const AgainUnits& left) {
    double largest = 0;
    for (const BlockRepair& block : repaired) {
        largest = std::max(largest, block.largestBound);
    }
    const BlockTally* const told = slot.told.data();
    m_parts.leaveOpen(slot.box, {told, told + repaired.size()}, largest,
                      left.pieces(*m_input.again, slot.box.corner));
}

/// Takes what a piece in double brought into its part. False when stopped.
bool MapRun::finishPiece(const PartSlot& slot) {
    const base::Stopwatch watch;
    const base::Index& from = slot.of->box.corner;
    const base::Index& at = slot.box.corner;
    const method::MapView piece =
        method::partOf(viewOf(m_input, slot.of->box).map,
                       Box{{at.x - from.x, at.y - from.y, at.z - from.z}, slot.box.extents});
    std::vector<double> bounds(
        static_cast<std::size_t>(base::voxelCount(shared::blockGrid(slot.box.extents))));
    const bool done = m_execution.pool.run(
        std::ssize(bounds),
        [&](std::int64_t block, int) {
            bounds[static_cast<std::size_t>(block)] = takeBlock(slot, piece, block);
        },
        m_execution.stop);
    if (done &&
        m_parts.replaced({slot.box, slot.of}, *std::max_element(bounds.begin(), bounds.end()))) {
        close(slot);
    }
    m_repairMs += watch.ms();
    return done;
}

/// Replaces what is LOWCONF in a block of a piece by its score in double, or by its canonical value
/// where that keeps the promise no better. Returns the largest bound of what was replaced.
double MapRun::takeBlock(const PartSlot& slot, const method::MapView& piece,
                         std::int64_t block) const {
    const Extents& extents = slot.box.extents;
    const base::Index corner = shared::blockCorner(block, shared::blockGrid(extents));
    bool any = false;
    forBlock(extents, corner, [&](std::int64_t x, std::int64_t y, std::int64_t z) {
        const std::int64_t at = (z * extents.y + y) * extents.x + x;
        Status& status = piece.status.at(x, y, z);
        if (status == Status::LowConf && slot.statusStaged.data()[at] == Status::Ok) {
            piece.value.at(x, y, z) = slot.valueStaged.data()[at];
            status = Status::Ok;
            any = true;
        }
    });
    const double own = any ? slot.told.data()[block].largestBound : 0;
    return std::max(own, repair(slot.box, *m_templates.front(), piece, corner).largestBound);
}

/// Tells that a part is done whose last piece is in the map.
void MapRun::close(const PartSlot& slot) {
    const OpenPart& part = *slot.of;
    const method::MapView view = viewOf(m_input, part.box).map;
    const Extents grid = shared::blockGrid(part.box.extents);
    std::vector<BlockRepair> repaired(part.told.size());
    m_execution.pool.run(std::ssize(repaired), [&](std::int64_t block, int) {
        const auto i = static_cast<std::size_t>(block);
        std::int64_t left = 0;
        forBlock(part.box.extents, shared::blockCorner(block, grid),
                 [&](std::int64_t x, std::int64_t y, std::int64_t z) {
                     left += view.status.at(x, y, z) == Status::LowConf ? 1 : 0;
                 });
        repaired[i] = {part.told[i].lowConf - left, 0, part.largestBound};
    });
    if (m_input.reduced != nullptr) {
        Reducer::addUp(m_input.reduced->to.partAt(part.box.corner));
    }
    m_parts.finished({slot.box, slot.of}, {part.told.data(), repaired});
}

} // namespace flcc::cuda
