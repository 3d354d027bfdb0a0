#pragma once

#include <optional>
#include <vector>

#include "engine/cuda/block_launch.h"
#include "engine/method/match_map.h"

namespace flcc::cuda {

/// What the blocks of a run told, as the facts of its map.
class Tally {
  public:
    /// `repaired`: the bound of the canonical values that its LOWCONF voxels now have; without,
    /// they stay LOWCONF.
    void add(const BlockTally& told, const std::optional<double>& repaired);
    [[nodiscard]] method::MapFacts facts() const;

  private:
    method::MapFacts m_facts;
    std::vector<float> m_samples;
};

} // namespace flcc::cuda
