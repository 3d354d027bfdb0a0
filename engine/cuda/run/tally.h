#pragma once

#include <cstdint>
#include <vector>

#include "engine/cuda/kernels/block_launch.h"
#include "engine/method/match_map.h"

namespace flcc::cuda {

/// The LOWCONF voxels of a block that were replaced by canonical values: counts by the new status,
/// and the largest new bound.
struct BlockRepair {
    std::int64_t ok = 0;
    std::int64_t partial = 0;
    double largestBound = 0;
};

/// Adds up the reports of the blocks of a run to the facts of its map.
class Tally {
  public:
    /// Adds a block. Its LOWCONF voxels that are not in `repaired` count as LOWCONF.
    void add(const BlockTally& reported, const BlockRepair& repaired);
    [[nodiscard]] method::MapFacts facts() const;

  private:
    method::MapFacts m_facts;
    std::vector<float> m_samples;
};

} // namespace flcc::cuda
