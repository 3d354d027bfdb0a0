#pragma once

#include <cstdint>
#include <vector>

#include "engine/base/tile_pool.h"
#include "engine/match/peaks.h"
#include "engine/method/bank.h"

namespace flcc::match {

/// The scores that all members of a search gave each voxel: their mean, their standard deviation,
/// and how far the best one stands out, z = (best - mean) / deviation. All three are 0 where fewer
/// than 2 members have a score; z is 0 too where rounding alone could make the deviation.
/// **Shapes**: those of the map.
struct SearchMaps {
    base::Image<float> mean;
    base::Image<float> deviation; ///< root of the mean squared difference from the mean
    base::Image<float> z;

    SearchMaps() = default;
    explicit SearchMaps(const base::Extents& map) : mean(map), deviation(map), z(map) {}
    [[nodiscard]] SearchViews view() const { return {mean.view(), deviation.view(), z.view()}; }
};

/// Makes the maps of a finished search. `best`: its map. Everything is computed in double and
/// rounded once. **Threads**: those of the pool.
[[nodiscard]] SearchMaps searchMaps(const method::MapView& best, const method::SearchSums& sums,
                                    base::TilePool& pool);

/// Overall figures of the voxels where at least 2 members have a score.
struct SearchFigures {
    std::int64_t voxels = 0;
    double mean = 0;      ///< of the means
    double deviation = 0; ///< mean of the deviations
    double largestZ = 0;
    base::Index at{}; ///< the first voxel that has it, in the map
};
[[nodiscard]] SearchFigures searchFigures(const SearchMaps& maps, const method::SearchSums& sums);

/// Sets Peak::search of the peaks that findPeaks() found in `maps`, from the voxel at their corner.
/// Empty where the maps have no statistics or fewer than 2 members a score.
void setSearchStatistics(std::vector<Peak>& peaks, const std::vector<SearchedMap>& maps);

/// How alike the members of a bank are: L = |mean over the members of u|^2, where u is a member
/// less its mean, divided by its norm, 0 outside of its support. L is the mean correlation of all
/// pairs of members, themselves included: 1 where every member is the same, as with a round
/// template, and near 0 where members have nothing in common. On a member that lies in the scene
/// the mean of all scores is about L. A voxel counts by its weight.
class Likeness {
  public:
    /// `box`: the extents of all members.
    explicit Likeness(const base::Extents& box) : m_sum(box, 0.0) {}
    /// Adds members in their order: neither batches nor threads change the result. A flat member
    /// adds nothing. **Cost**: 3 passes over their voxels.
    void add(const std::vector<method::MaskedView>& members, base::TilePool& pool);
    /// 0 before the first member.
    [[nodiscard]] double value() const;
    /// The sum of u over the members so far; to go on from another one with as many, write its
    /// voxels there and call resumeAfter().
    [[nodiscard]] base::View<double> sum() { return m_sum.view(); }
    void resumeAfter(std::int64_t members) { m_members = members; }

  private:
    base::Image<double> m_sum;
    std::int64_t m_members = 0;
};

} // namespace flcc::match
