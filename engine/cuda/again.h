#pragma once

#include <cstdint>
#include <vector>

#include "engine/base/image.h"
#include "engine/base/status.h"
#include "engine/base/tile_pool.h"
#include "engine/cuda/block_launch.h"
#include "engine/method/candidate.h"
#include "engine/method/problem.h"

namespace flcc::cuda {

/// When and how LOWCONF voxels of a run in single precision are replaced by what a run in double
/// finds on the device, where their canonical values would cost more (METHODS 2.2).
struct AgainRule {
    /// Placements that are decided about together, from the first one of a part on; a part holds
    /// whole ones but for its end.
    base::Extents unit;
    std::int64_t most = 0;        ///< LOWCONF voxels of a unit that are left to canonical values
    method::Candidate candidate;  ///< of the run in double
    base::Extents part;           ///< its placements at once: of several units, or of one at most
    std::int64_t deviceBytes = 0; ///< that it needs with one part under way
    std::int64_t filling = 0;     ///< other units that cost no more than a further piece does
};

/// AgainRule::most where the kernels of a run in double take so long for a unit.
[[nodiscard]] std::int64_t mostByVoxels(const method::Problem& problem, const base::Extents& unit,
                                        double kernelNs);

/// Whether a part whose blocks `told` so may have units that are left to a run in double: whether
/// the blocks that a unit meets have as many LOWCONF voxels together. One told for each block of
/// method::shared::blockGrid(part).
[[nodiscard]] bool mayHoldUnits(const AgainRule& rule, const BlockTally* told,
                                const base::Extents& part);

/// The units of a part that are left to a run in double.
class AgainUnits {
  public:
    /// None.
    AgainUnits() = default;
    /// Those of a part with such statuses.
    AgainUnits(const AgainRule& rule, const base::View<base::Status>& part, base::TilePool& pool);

    [[nodiscard]] bool any() const { return m_count > 0; }
    /// Whether a voxel of the part lies in one.
    [[nodiscard]] bool hold(const base::Index& at) const;
    /// Boxes to be done in double that hold all of them and begin at one, of a part that begins at
    /// `corner` of the map; none larger than a part of the run in double. Where that holds several
    /// units, rows of units from the first one to the last, and rows together where those between
    /// are few (AgainRule::filling).
    [[nodiscard]] std::vector<base::Box> pieces(const AgainRule& rule,
                                                const base::Index& corner) const;

  private:
    [[nodiscard]] std::vector<base::Box> heldBoxes(const base::Box& all,
                                                   std::int64_t filling) const;

    base::Extents m_part;
    base::Extents m_unit;
    base::Extents m_grid;
    std::vector<std::uint8_t> m_held; ///< of each unit, x fastest
    std::int64_t m_count = 0;
};

} // namespace flcc::cuda
