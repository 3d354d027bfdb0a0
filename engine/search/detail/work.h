#pragma once

#include <vector>

#include "engine/rotation/pose_bank.h"
#include "engine/search/detail/prepared_bank.h"

/// What a search takes on one thread, by what it looks at, on the machine of the built-in constants
/// of method::CostModel: a prediction that can be compared with those of methods.
namespace flcc::search::detail {

/// Nanoseconds of one thread for a part of a search in a bank.
struct Costs {
    double divided = 0; ///< a node of a cluster, for each member
    double node = 0;    ///< of a member
    double cell = 0;    ///< fine one
    double limit = 0;   ///< of a placement, from its pixels
    double score = 0;   ///< canonical
    double turned = 0;  ///< a member made pixel by pixel
    double refined = 0; ///< a member whose fine cells are made
    double batch = 0;   ///< some items that the threads of a pool begin together
    double covered = 0; ///< asking whether a peak suppresses an item
};
[[nodiscard]] Costs costsOf(const rotation::PoseBank& bank);

/// Milliseconds for preparing some clusters of a bank for a scene of these extents.
[[nodiscard]] double preparingMs(const rotation::PoseBank& bank,
                                 const std::vector<Prepared::Cluster>& clusters,
                                 const base::Extents& scene);

/// Milliseconds for their limits at all nodes.
[[nodiscard]] double coarseMs(const rotation::PoseBank& bank,
                              const std::vector<Prepared::Cluster>& clusters,
                              const base::Extents& scene);

/// Milliseconds for the cells of a scene.
[[nodiscard]] double cellsMs(const base::Extents& scene);

} // namespace flcc::search::detail
