#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <stop_token>
#include <tuple>
#include <unordered_map>
#include <vector>

#include "engine/match/exclusion.h"
#include "engine/match/overlap.h"
#include "engine/search/detail/coarse.h"
#include "engine/search/detail/full_member.h"
#include "engine/search/detail/work.h"
#include "engine/search/pruned_search.h"

namespace flcc::search::detail {

/// The best canonical score of a placement.
struct Best {
    double score = 0;
    double bound = 0;
    std::int64_t member = -1; ///< -1: the placement has no score
};

/// A bank in a framed scene.
struct Searched {
    const Part* part;
    const Prepared* prepared;
    const SceneCells* cells; ///< of half of the coarse edge, the coarse edge and twice of it
    std::vector<Node> nodes;
    std::vector<Corners> corners{}; ///< of each member
};

/// Takes the nodes, placements and scores of all banks in the order of their limits, the highest
/// first, until the peaks are certain: what has a lower limit than the score of a peak is looked at
/// after it only, and what a peak suppresses not at all.
class BestFirst {
  public:
    /// `scene`: with its border.
    BestFirst(const method::MaskedView& scene, const Frame& frame, std::vector<Searched> searched,
              const Options& options, base::TilePool& pool, std::stop_token stop);

    /// The peaks, best first, without positions in the world; empty if cancelled. Corners are
    /// counted from the first pixel of the scene. Calls `look` often.
    [[nodiscard]] std::vector<match::Peak> peaks(Facts& facts, const std::function<void()>& look);

    /// What the search so far should have taken on one thread.
    [[nodiscard]] double workMs() const;

  private:
    enum class Kind : std::uint8_t { Cluster, Node, Cell, Point, Limit, Score };
    struct Item {
        double limit = 0; ///< of a Score, itself
        Kind kind = Kind::Node;
        std::uint8_t part = 0;
        std::int32_t member = 0; ///< of a Cluster, as Node::member
        /// Of the coarse cell of a Cluster or Node, of the fine cell of a Cell, else of the
        /// placement.
        std::int32_t x = 0;
        std::int32_t y = 0;
        double bound = 0; ///< of a Score; of a Cluster, Node::product
    };
    using Place = std::tuple<std::size_t, std::int64_t, std::int64_t>; ///< part, y, x

    [[nodiscard]] static bool after(const Item& a, const Item& b);
    void push(const Item& item);
    [[nodiscard]] Item pop();
    void expand(const Item& item, std::vector<Item>& to, int worker);
    void expandCluster(const Item& item, std::vector<Item>& to, int worker);
    void expandNode(const Item& item, std::vector<Item>& to, int worker);
    void expandCell(const Item& item, std::vector<Item>& to, int worker);
    void expandPixels(const Item& item, const FineCells& member, std::vector<Item>& to) const;
    /// Counts what an item will cost.
    void count(std::size_t part, double Costs::*cost, std::int64_t times = 1);
    /// The same of what one thread does while the others wait.
    void countAlone(std::size_t part, double Costs::*cost, std::int64_t times = 1);
    [[nodiscard]] CellMaker& makerOf(std::size_t part, int worker);
    /// Both of a member, made when they are needed.
    [[nodiscard]] const CellRemainders& remaindersOf(std::size_t part, std::int64_t member,
                                                     int worker);
    [[nodiscard]] const FineCells& fineOf(std::size_t part, std::int64_t member, int worker);
    /// The limit at a placement of a member, from its fine cells.
    [[nodiscard]] double pointLimit(const Searched& in, const FineCells& member, std::int64_t x,
                                    std::int64_t y) const;
    [[nodiscard]] bool isCovered(const Item& item);
    void takeScores();
    [[nodiscard]] bool isMaximum(const Item& item);
    [[nodiscard]] Best bestAt(const Place& place, std::int64_t hint);
    /// The first member whose score is that of the item but for rounding.
    [[nodiscard]] std::int32_t firstMember(const Item& item);
    [[nodiscard]] Best computeBest(const Place& place, std::int64_t hint, int worker);
    /// The coarse cell of a place.
    [[nodiscard]] match::Peak peakOf(const Item& item);
    void fitPositions(std::vector<match::Peak>& peaks);
    [[nodiscard]] base::Extents mapOf(std::size_t part) const;
    /// Limits on scores below this are of no use: canonical scores may lie above them by a bound,
    /// and the list holds peaks whose score lies below the threshold by another.
    [[nodiscard]] double least() const { return m_least; }

    method::MaskedView m_scene;
    Frame m_frame;
    std::vector<Searched> m_searched;
    std::vector<std::unique_ptr<FullMembers>> m_members;
    std::vector<std::vector<std::unique_ptr<CellMaker>>> m_makers; ///< of each part and worker
    Options m_options;
    double m_least;
    base::TilePool& m_pool;
    std::stop_token m_stop;
    base::Extents m_largest{1, 1, 1};
    std::vector<Item> m_heap;
    std::map<Place, Best> m_known;            ///< scores that were taken
    std::map<Place, Best> m_asked;            ///< by bestAt()
    std::vector<match::Exclusion> m_excluded; ///< one for each peak
    /// Whether one of the first `peaks` of m_excluded suppresses all placements of a coarse cell.
    struct Cover {
        std::uint32_t peaks = 0;
        bool isCovered = false;
    };
    std::vector<std::vector<Cover>> m_covers; ///< of each part
    match::Overlaps m_overlaps{{1, 1, 1}};    ///< of the accepted peaks
    std::vector<Item> m_accepted;
    std::atomic<std::int64_t> m_fine = 0;
    std::vector<Costs> m_costs;             ///< of each part
    std::atomic<std::int64_t> m_workNs = 0; ///< expected, but for members that are turned
    std::atomic<std::int64_t> m_nodes = 0;
    std::atomic<std::int64_t> m_points = 0;
    std::atomic<std::int64_t> m_limits = 0;
    std::atomic<std::int64_t> m_scores = 0;
};

} // namespace flcc::search::detail
