#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <utility>
#include <vector>

#include "engine/base/extents.h"
#include "engine/base/pixels.h"
#include "engine/match/peaks.h"
#include "engine/rotation/pose_bank.h"

namespace flcc::match {

/// The voxels of a template that count, as runs of voxels along the rows of a box.
class Support {
  public:
    /// `mask`: voxels that are not 0 count; without voxels all of `extents` count.
    Support(const base::Extents& extents, const base::View<const std::uint8_t>& mask);

    [[nodiscard]] const base::Extents& extents() const { return m_extents; }
    /// Voxels that count.
    [[nodiscard]] std::int64_t count() const { return m_count; }
    [[nodiscard]] std::int64_t bytes() const;
    /// Voxels that count in both where the box of `other` begins at `by` in this one. **Cost**: the
    /// runs of the common rows.
    [[nodiscard]] std::int64_t common(const Support& other, const base::Index& by) const;

  private:
    using Run = std::pair<std::int64_t, std::int64_t>; ///< x of the first voxel and after the last
    base::Extents m_extents;
    std::vector<std::size_t> m_first; ///< run of each row, and the number of all runs
    std::vector<Run> m_runs;
    std::int64_t m_count = 0;
};

/// A template in a pose and at a place of the scene.
struct Lying {
    base::Box box; ///< holds the support
    struct Placed {
        std::shared_ptr<const Support> support;
        base::Index corner; ///< of the support's box
    };
    std::function<Placed()> make; ///< may be called once it is needed
    Placed placed{};              ///< what `make` gave, or null
};

/// A member of a bank, its box at `corner`. `bank` must outlive the result.
[[nodiscard]] Lying searchedAt(const rotation::PoseBank& bank, std::int64_t member,
                               const base::Index& corner);
/// Of template or member `own` of a map, which must outlive the result.
[[nodiscard]] Lying searchedAt(const SearchedMap& map, std::int64_t own, const base::Index& corner);
/// A template of a bank in any pose with its centre at a place of the scene.
[[nodiscard]] Lying lyingAbout(const rotation::PoseBank& bank, std::size_t templ,
                               const rotation::Pose& pose, const base::Point& centre);
/// A peak of the map as findPeaks() or refinePeaks() gave it: in its pose and, refined, at its
/// place between voxels.
[[nodiscard]] Lying lyingAt(const SearchedMap& map, const Peak& peak);
/// Edges of a box that holds Lying::box of every peak.
[[nodiscard]] base::Extents largestLying(const std::vector<SearchedMap>& maps);

/// The supports of accepted peaks. The overlap of two is the number of voxels that count in both,
/// divided by that of the support with fewer voxels: 1 where one holds the other. Boxes that do not
/// meet are told apart without the supports.
class Overlaps {
  public:
    /// `largest`: no box is longer along any axis.
    explicit Overlaps(const base::Extents& largest);

    struct Most {
        double share = 0;
        std::size_t of = 0; ///< of those added, counted from 0; the first of equals
    };
    /// The largest overlap with those added. **Cost**: the support of each one whose box meets that
    /// of `lying`, once, and of `lying`.
    [[nodiscard]] Most most(Lying& lying);
    void add(Lying lying);

  private:
    using Cell = std::array<std::int64_t, 3>;
    [[nodiscard]] Cell cellOf(const base::Index& corner) const;
    void place(Lying& one);

    base::Extents m_largest;
    std::vector<Lying> m_all;
    std::map<Cell, std::vector<std::size_t>> m_cells; ///< by the corners of boxes
    std::int64_t m_bytes = 0;                         ///< of the supports in m_all
};

/// Sets Peak::overlap of a list as findPeaks() or refinePeaks() gave it, best first.
void setOverlaps(std::vector<Peak>& peaks, const std::vector<SearchedMap>& maps);

} // namespace flcc::match
