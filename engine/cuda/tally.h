#pragma once

#include <cstdint>
#include <vector>

#include "engine/cuda/block_launch.h"
#include "engine/method/match_map.h"

namespace flcc::cuda {

/// What was replaced by canonical values of a block's LOWCONF voxels.
struct BlockRepair {
    std::int64_t ok = 0;
    std::int64_t partial = 0;
    double largestBound = 0;
};

/// What the blocks of a run told, as the facts of its map.
class Tally {
  public:
    /// What was not `repaired` stays LOWCONF.
    void add(const BlockTally& reported, const BlockRepair& repaired);
    [[nodiscard]] method::MapFacts facts() const;

  private:
    method::MapFacts m_facts;
    std::vector<float> m_samples;
};

} // namespace flcc::cuda
