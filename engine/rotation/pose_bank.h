#pragma once

#include <cstdint>
#include <functional>
#include <utility>
#include <vector>

#include "engine/rotation/cover.h"
#include "engine/rotation/turn.h"

namespace flcc::rotation {

/// Templates of one extent in all poses of a cover, made one by one when they are needed. All
/// members have the same box. **Threads**: const functions may be called at once.
class PoseBank {
  public:
    /// `turners`: at least one, all of the same extents. **Cost**: the outline of every member.
    PoseBank(std::vector<Turner> turners, Cover cover);

    /// Members are counted template by template, the poses of each in the order of the cover.
    [[nodiscard]] std::int64_t count() const { return std::ssize(m_turners) * m_cover.count(); }
    [[nodiscard]] TurnedTemplate member(std::int64_t i) const;
    [[nodiscard]] Pose pose(std::int64_t i) const { return m_cover.pose(i % m_cover.count()); }
    /// The template of a member, counted from 0 in this bank.
    [[nodiscard]] std::size_t templ(std::int64_t i) const {
        return static_cast<std::size_t>(i / m_cover.count());
    }

    /// Whether all members are the same for certain: not where they are prepared (prepareBy).
    [[nodiscard]] bool hasMembersOf(const PoseBank& other) const;

    [[nodiscard]] const Cover& cover() const { return m_cover; }
    /// Extents of all members; not below those of the templates, and odd or even as they are.
    [[nodiscard]] const base::Extents& box() const { return m_box; }
    /// Of the templates before they are turned, in voxels of the scene.
    [[nodiscard]] base::Extents templExtents() const { return m_turners[0].unturned(); }
    /// The same in their own voxels.
    [[nodiscard]] const base::Extents& ownExtents() const { return m_turners[0].extents(); }
    /// Edges of a box that holds a template in all turns, at the largest scale.
    [[nodiscard]] base::Extents largestTurned() const;
    /// From the first voxel of a member's box to the first voxel of the template that lies in it
    /// unturned.
    [[nodiscard]] base::Index shift() const;
    /// Where the template's centre lies in the box of the members, from its first voxel: in the
    /// middle, or half a voxel before it where Turner::isBetween() is another in this pose.
    [[nodiscard]] base::Point centreOf(std::size_t templ, const Pose& pose) const;
    /// The least part of the box of the members that holds what counts in a pose. A pose that is
    /// not one of the cover may leave the box.
    [[nodiscard]] base::Box ownBox(std::size_t templ, const Pose& pose) const;
    /// The same of a member, which was found before.
    [[nodiscard]] const base::Box& ownBox(std::int64_t i) const {
        return m_own[static_cast<std::size_t>(i)];
    }
    /// Offsets of a template in scene voxels, in a pose, from those of the template in its voxels.
    [[nodiscard]] Matrix matrixOf(std::size_t templ, const Pose& pose) const {
        return m_turners[templ].matrixOf(pose);
    }
    /// At least one member has voxels that do not count.
    [[nodiscard]] bool isMasked() const { return m_masked >= 0; }
    /// Whether the supports of all templates are round.
    [[nodiscard]] bool isRound() const;
    /// Whether all members have one support, without weights: a round one that does not grow, or
    /// all voxels.
    [[nodiscard]] bool sharesSupport() const;
    /// A member as most of them are: with voxels that do not count, if any has such.
    [[nodiscard]] std::int64_t typical() const { return m_masked >= 0 ? m_masked : 0; }
    /// A template in a pose that need not be one of the cover, in the box of the members.
    [[nodiscard]] TurnedTemplate turned(std::size_t templ, const Pose& pose) const;

    /// Every member is passed through this when it is made, on any thread. It changes values alone,
    /// where they count, in boxes of any extents. Call it before the bank is shared.
    void prepareBy(std::function<void(TurnedTemplate&)> prepare) { m_prepare = std::move(prepare); }
    [[nodiscard]] bool isPrepared() const { return m_prepare != nullptr; }

    /// The same in ownBox(). `moved`: the centre of the template from centreOf(), in scene voxels.
    struct Turned {
        TurnedTemplate templ;
        base::Index shift; ///< from the first voxel of the members' box to that of this one
    };
    [[nodiscard]] Turned turnedWhole(std::size_t templ, const Pose& pose,
                                     const base::Point& moved = {0, 0, 0}) const;

    /// The support alone of a template in a pose, its centre moved as in turnedWhole() by a voxel
    /// at most along any axis.
    struct Footprint {
        base::Image<std::uint8_t> support; ///< 1 where the voxel counts
        base::Index shift;                 ///< as Turned::shift
    };
    [[nodiscard]] Footprint footprint(std::size_t templ, const Pose& pose,
                                      const base::Point& moved = {0, 0, 0}) const;

  private:
    std::vector<Turner> m_turners;
    Cover m_cover;
    base::Extents m_box;
    std::vector<base::Box> m_own; ///< of each member
    std::int64_t m_masked = -1;
    std::function<void(TurnedTemplate&)> m_prepare;
};

} // namespace flcc::rotation
