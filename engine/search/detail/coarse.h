#pragma once

#include <cstdint>
#include <functional>
#include <stop_token>
#include <vector>

#include "engine/base/tile_pool.h"
#include "engine/search/detail/frame.h"
#include "engine/search/detail/prepared_bank.h"
#include "engine/search/detail/scene_cells.h"

namespace flcc::search::detail {

/// The placements of a member, or of all members of a cluster, whose first pixel lies in a coarse
/// cell.
struct Node {
    float limit = 0;         ///< on their scores
    float product = 0;       ///< of a cluster: Known::product
    std::int32_t member = 0; ///< of a cluster: -1 - its number
    std::int32_t x = 0;      ///< of the cell
    std::int32_t y = 0;
};

/// Nodes of a bank on each axis of a frame.
[[nodiscard]] base::Extents nodesOf(const Prepared& prepared, const base::Extents& frame);

/// Makes Prepared::spectra for a frame, unless they are there or would take too much memory. False
/// if cancelled.
[[nodiscard]] bool makeSpectra(const Prepared& prepared, const base::Extents& frame,
                               base::TilePool& pool, const std::stop_token& stop);

/// The limit on the scores of all members of a cluster at a node; below 0 where there are none.
[[nodiscard]] float clusterLimit(const Prepared::Cluster& cluster,
                                 const std::vector<CellLevel>& levels, const Node& node,
                                 double rounding, double trust);

/// Appends the nodes of those members of a cluster's node that may hold a score of `least` or more.
/// `remainders`, if any: of a member.
void appendMembers(const Prepared& prepared, const Frame& frame,
                   const std::vector<CellLevel>& levels, const Node& node, double least,
                   double trust, std::vector<Node>& to,
                   const std::function<const CellRemainders&(std::int64_t)>& remainders = {});

/// The nodes that may hold a score of `least` or more: those of clusters, with limits that are
/// computed at once for many, and once there are many of these those of members. `cells`: with
/// edges of half of the coarse edge, the coarse edge and twice of it. **Errors**: Problem for more
/// nodes than memory should hold. If cancelled, the list is unspecified.
[[nodiscard]] std::vector<Node> coarseNodes(const Prepared& prepared, const Frame& frame,
                                            const SceneCells& cells, double least, double trust,
                                            base::TilePool& pool, const std::stop_token& stop,
                                            const std::function<void(double)>& share);

} // namespace flcc::search::detail
