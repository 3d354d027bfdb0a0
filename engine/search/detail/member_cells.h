#pragma once

#include <cstdint>
#include <vector>

#include "engine/rotation/turn.h"
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

/// What bounds on the scores of a member of a bank are made of; README.md has the formulas. All
/// norms are limits from above.
struct MemberCells {
    std::int64_t count = 0;       ///< pixels that count
    CellSums coarse;              ///< at the coarse edge
    CellSums fine;                ///< at half of it
    Regions node;                 ///< of coarse nodes
    Regions point;                ///< of fine nodes
    Regions sector;               ///< of nodes of twice the coarse edge
    float seen = 0;               ///< bilinear remainder that cells see, at the coarse edge
    float unseen = 0;             ///< remainder that they do not see
    float between = 0;            ///< as `seen`, interpolated also between two bases
    float fineSeen = 0;           ///< as `seen`, at the fine edge
    float fineUnseen = 0;         ///< as `unseen`, there
    std::vector<float> pointSeen; ///< cubic remainder of each place in a fine cell, y * edge + x
    std::vector<float> pointUnseen;
};

/// Sums over cells at every place of the coarse grid, with margins.
struct Field {
    std::int64_t columns = 0;
    std::int64_t rows = 0;
    std::vector<float> sums;
};

/// Makes MemberCells; keeps buffers from one member to the next. **Threads**: one.
class CellMaker {
  public:
    /// `edge`: 2, 4, 8 or 16, of coarse cells.
    CellMaker(const base::Extents& box, std::int64_t edge);

    /// Takes a member, whose field() is then that of a base. **Errors**: Problem for a member
    /// without contrast.
    [[nodiscard]] MemberCells take(const rotation::TurnedTemplate& member);
    /// Of the member that was taken last.
    [[nodiscard]] const Field& field() const { return m_field; }
    /// The remainder `between` of the member that was taken last, for `share` b + (1 - share) a.
    [[nodiscard]] float between(const Field& a, const Field& b, double share);

  private:
    /// False where the member has next to no contrast, or values that are not finite.
    [[nodiscard]] bool load(const rotation::TurnedTemplate& member);
    void addSteps(std::int64_t from, std::int64_t to);
    [[nodiscard]] CellSums sumsOf(const CellCounts& counts) const;
    [[nodiscard]] Field fieldOf(std::int64_t edge) const;

    base::Extents m_box;
    std::int64_t m_edge;
    std::int64_t m_stride = 0;
    std::int64_t m_height = 0;
    std::int64_t m_count = 0;  ///< pixels that count
    std::vector<float> m_sums; ///< over boxes of the edge reached, at all places
    Field m_field;
};

} // namespace flcc::search::detail
