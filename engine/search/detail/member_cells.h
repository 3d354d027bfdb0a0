#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "engine/rotation/pose_bank.h"
#include "engine/search/detail/member_runs.h"

namespace flcc::search::detail {

/// Sums of a normalised template over the cells of its box.
struct CellSums {
    static constexpr std::int64_t kLanes = 16;
    Runs runs;
    std::vector<float> sums; ///< of one run after the other, each filled with zeros to kLanes
    double rounding = 0;     ///< of dot(), relative to the norms of both
};

/// Regions of cells about a node, counted from its cell.
struct Regions {
    Runs outer; ///< all that a bound looks at
    Runs inner; ///< under the template at every placement of the node
};

/// A limit on the norm of what an interpolation leaves of cells: the whole, its means over cells of
/// twice the edge, and what these leave.
struct Remainder {
    float whole = 0;
    float low = 0;
    float high = 0;

    [[nodiscard]] Remainder with(const Remainder& other) const {
        return {std::max(whole, other.whole), std::max(low, other.low), std::max(high, other.high)};
    }
};

/// Limits, cell by cell, on what the bilinear interpolation leaves of a template at any place of a
/// node.
struct CellRemainders {
    Runs runs;                 ///< cells counted from that of the node
    std::vector<float> seen;   ///< of the sums; one run after the other, as CellSums::sums
    std::vector<float> unseen; ///< of the norms of pixels about the means of cells
};

/// What bounds on the scores of a member of a bank at coarse nodes are made of; README.md has the
/// formulas. All norms are limits from above.
struct MemberCells {
    base::Box reach; ///< holds all pixels that count, in the box of all members
    CellSums coarse;
    Regions node;      ///< of coarse nodes
    Regions sector;    ///< of nodes of twice the coarse edge
    Remainder seen;    ///< bilinear remainder that cells see
    Remainder between; ///< the same, interpolated also between two bases
    float unseen = 0;  ///< remainder that they do not see
};

/// The same at cells of half of the coarse edge, and at single placements.
struct FineCells {
    CellSums sums;
    Regions point;
    Runs large; ///< coarse cells about a coarse node that hold `point.outer` of its fine nodes
    Remainder seen;
    float unseen = 0;
    CellRemainders remainders;    ///< as those of coarse cells
    std::vector<float> pointSeen; ///< cubic remainder of each place in a fine cell, y * edge + x
    std::vector<float> pointUnseen;
};

/// Cells of a row, `from` up to but not `to`; none where from >= to.
struct Range {
    std::int64_t from = 0;
    std::int64_t to = 0;

    /// The least range that holds both.
    [[nodiscard]] Range with(const Range& other) const;
};

/// Sums over cells at every place of the grid, with margins.
struct Field {
    std::int64_t columns = 0;
    std::int64_t rows = 0;
    std::vector<float> sums;
    std::vector<Range> used; ///< of each row: sums outside are 0
};

/// A member and where its box lies in the box of all members.
struct Placed {
    rotation::TurnedTemplate templ;
    base::Index shift;
};
/// In the least box, unless a filter prepares it, whose result may depend on the box.
[[nodiscard]] Placed placedMember(const rotation::PoseBank& bank, std::int64_t number);

/// Makes cells of members; keeps buffers from one member to the next. **Threads**: one.
class CellMaker {
  public:
    /// `edge`: 2, 4, 8 or 16, of coarse cells.
    CellMaker(const base::Extents& box, std::int64_t edge);

    /// Takes a member, whose field() is then that of a base. **Errors**: Problem for a member
    /// without contrast.
    [[nodiscard]] MemberCells take(const Placed& member);
    /// Of the member that was taken last.
    [[nodiscard]] const Field& field() const { return m_field; }
    /// The remainder `between` of the member that was taken last, for `share` b + (1 - share) a.
    [[nodiscard]] Remainder between(const Field& a, const Field& b, double share);

    /// Of coarse cells. **Errors**: as take().
    [[nodiscard]] CellRemainders takeRemainders(const Placed& member);
    /// **Errors**: as take().
    [[nodiscard]] FineCells takeFine(const Placed& member);

  private:
    void load(const Placed& member);
    /// False where the member has next to no contrast, or values that are not finite.
    [[nodiscard]] bool loadValues(const Placed& member);
    void addSteps(std::int64_t edge);
    [[nodiscard]] CellSums sumsOf(const CellCounts& counts) const;
    [[nodiscard]] Field fieldOf(std::int64_t edge) const;
    void addSquares(std::int64_t edge);
    /// `seen`: of each cell of the field.
    [[nodiscard]] CellRemainders remaindersOf(const Runs& runs, const Field& field,
                                              std::int64_t edge,
                                              const std::vector<float>& seen) const;

    base::Extents m_box;
    std::int64_t m_edge;
    std::int64_t m_stride = 0;
    std::int64_t m_height = 0;
    std::vector<float> m_sums;    ///< over boxes of the edge reached, at all places
    std::vector<Range> m_used;    ///< of each row of m_sums: values outside are 0
    std::vector<float> m_squares; ///< as m_sums, of squares; only for remainders of cells
    Field m_field;
};

} // namespace flcc::search::detail
