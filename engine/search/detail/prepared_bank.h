#pragma once

#include <cstdint>
#include <deque>
#include <functional>
#include <memory>
#include <mutex>
#include <stop_token>
#include <vector>

#include "engine/base/image.h"
#include "engine/base/tile_pool.h"
#include "engine/search/detail/member_cells.h"
#include "engine/search/pruned_search.h"

namespace flcc::search {

/// Members are consecutive in clusters that begin with a base. The coarse correlation is computed
/// for bases only; members of a cluster lie between its base and the base of the next one.
struct Prepared {
    /// Members `first` up to but not `end`, between the bases `first` and `next`.
    struct Cluster {
        std::int64_t first = 0;
        std::int64_t end = 1;
        std::int64_t next = 0;       ///< `first` itself where nothing lies between
        detail::Remainder between{}; ///< the largest ones of the members
        float unseen = 0;
        detail::Regions node{}; ///< common ones
        detail::Runs sector{};  ///< the outer region of nodes of twice the edge
    };
    /// Consecutive clusters with common regions.
    struct Sector {
        std::size_t first = 0;
        std::size_t end = 1;
        detail::Regions regions;
    };

    std::shared_ptr<const rotation::PoseBank> bank;
    std::int64_t edge = 8; ///< of coarse cells
    std::vector<detail::MemberCells> members;
    std::vector<Cluster> clusters;
    std::vector<Sector> sectors;

    /// Spectra of the coarse sums of all bases for transforms of some points, in the order of
    /// `members`; others are empty.
    struct Spectra {
        base::Extents points;
        std::vector<base::Image<float>> of;
    };
    mutable std::mutex lock;
    mutable std::shared_ptr<const Spectra> spectra; ///< that were made last

    /// What a search needed of some members only, for this and for further scenes.
    struct Fine {
        std::once_flag once;
        std::unique_ptr<const detail::FineCells> cells;
        std::once_flag onceRemainders;
        std::unique_ptr<const detail::CellRemainders> remainders; ///< of coarse cells
    };
    mutable std::deque<Fine> fine;
};

namespace detail {

/// Pixels of the edge of the coarse cells of a bank.
[[nodiscard]] std::int64_t edgeOf(const rotation::PoseBank& bank);

/// All clusters of a bank, which cost nothing before they are prepared.
[[nodiscard]] std::vector<Prepared::Cluster> clustersOf(const rotation::PoseBank& bank);

/// As prepare(), with some clusters only. Members of none of them keep an empty reach, and are
/// searched nowhere.
[[nodiscard]] std::shared_ptr<const Prepared>
prepareClusters(std::shared_ptr<const rotation::PoseBank> bank,
                std::vector<Prepared::Cluster> clusters, const base::Extents& scene,
                base::TilePool& pool, const std::stop_token& stop,
                const std::function<void(double)>& share);

} // namespace detail

} // namespace flcc::search
