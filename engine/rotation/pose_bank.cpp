#include "engine/rotation/pose_bank.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <utility>

namespace flcc::rotation {

namespace {

/// The least extent about a centre in its middle, odd or even as `like`, that holds voxels of a
/// frame before and behind the frame's centre. That centre may lie half a voxel before the middle.
std::int64_t extentAbout(std::int64_t length, double centre, std::int64_t like) {
    const double behind = static_cast<double>(length - 1) - centre;
    const bool between = like % 2 == 0;
    const bool ownBetween = centre != std::floor(centre);
    const double before = centre + (between == ownBetween ? 0 : 0.5);
    const double rest = behind - (between == ownBetween ? 0 : 0.5);
    const double far = std::max({before, rest, between ? 0.5 : 0.0});
    return std::llround(2 * far) + 1;
}

/// A frame in a box in which its centre lies at `centre`.
base::Box boxOf(const Frame& frame, const base::Point& centre) {
    return {{std::llround(centre[0] - frame.centre[0]), std::llround(centre[1] - frame.centre[1]),
             std::llround(centre[2] - frame.centre[2])},
            frame.extents};
}

} // namespace

PoseBank::PoseBank(std::vector<Turner> turners, Cover cover)
    : m_turners(std::move(turners)), m_cover(std::move(cover)), m_box(templExtents()) {
    const base::Extents n = m_box;
    std::vector<Frame> frames;
    for (std::int64_t i = 0; i < count(); ++i) {
        const Frame& own = frames.emplace_back(m_turners[templ(i)].frameOf(pose(i)));
        m_box = {std::max(m_box.x, extentAbout(own.extents.x, own.centre[0], n.x)),
                 std::max(m_box.y, extentAbout(own.extents.y, own.centre[1], n.y)),
                 std::max(m_box.z, extentAbout(own.extents.z, own.centre[2], n.z))};
    }
    for (std::int64_t i = 0; i < count(); ++i) {
        m_own.push_back(boxOf(frames[static_cast<std::size_t>(i)], centreOf(templ(i), pose(i))));
    }
    for (std::int64_t i = 0; i < count() && m_masked < 0; ++i) {
        const Frame box{m_box, centreOf(templ(i), pose(i))};
        m_masked = m_turners[templ(i)].isWhole(pose(i), box) ? -1 : i;
    }
}

base::Extents PoseBank::largestTurned() const {
    const base::Extents& n = ownExtents();
    const VoxelEdges& edges = m_turners[0].edges();
    const double diagonal = std::hypot(static_cast<double>(n.x) * edges.templ[0],
                                       static_cast<double>(n.y) * edges.templ[1],
                                       static_cast<double>(n.z) * edges.templ[2]) *
                            *std::ranges::max_element(m_cover.scales);
    const auto edge = [&](std::size_t axis) {
        return static_cast<std::int64_t>(std::ceil(diagonal / edges.scene[axis])) + 1;
    };
    return {edge(0), edge(1), edge(2)};
}

base::Point PoseBank::centreOf(std::size_t templ, const Pose& pose) const {
    const std::array<bool, 3> between = m_turners[templ].isBetween(pose);
    const base::Extents n = templExtents();
    const auto at = [&](std::int64_t box, std::int64_t own, std::size_t axis) {
        return static_cast<double>(box - 1) / 2 - (between[axis] == (own % 2 == 0) ? 0 : 0.5);
    };
    return {at(m_box.x, n.x, 0), at(m_box.y, n.y, 1), at(m_box.z, n.z, 2)};
}

base::Box PoseBank::ownBox(std::size_t templ, const Pose& pose) const {
    return boxOf(m_turners[templ].frameOf(pose), centreOf(templ, pose));
}

TurnedTemplate PoseBank::member(std::int64_t i) const { return turned(templ(i), pose(i)); }

TurnedTemplate PoseBank::turned(std::size_t templ, const Pose& pose) const {
    TurnedTemplate made = m_turners[templ].turned(pose, {m_box, centreOf(templ, pose)});
    if (m_prepare) {
        m_prepare(made);
    }
    return made;
}

PoseBank::Turned PoseBank::turnedWhole(std::size_t templ, const Pose& pose,
                                       const base::Point& moved) const {
    base::Box own = ownBox(templ, pose);
    const base::Point centre = centreOf(templ, pose);
    base::Point inside{0, 0, 0};
    const std::array<std::int64_t*, 3> corner{&own.corner.x, &own.corner.y, &own.corner.z};
    const std::array<std::int64_t*, 3> length{&own.extents.x, &own.extents.y, &own.extents.z};
    for (std::size_t axis = 0; axis < 3; ++axis) {
        // A part of a voxel more is covered on the side that the template is moved to.
        const auto before = static_cast<std::int64_t>(std::floor(std::min(0.0, moved[axis])));
        const auto behind = static_cast<std::int64_t>(std::ceil(std::max(0.0, moved[axis])));
        *corner[axis] += before;
        *length[axis] += behind - before;
        inside[axis] = centre[axis] - static_cast<double>(*corner[axis]) + moved[axis];
    }
    TurnedTemplate made = m_turners[templ].turned(pose, {own.extents, inside});
    if (m_prepare) {
        m_prepare(made);
    }
    return {std::move(made), own.corner};
}

PoseBank::Footprint PoseBank::footprint(std::size_t templ, const Pose& pose,
                                        const base::Point& moved) const {
    base::Box own = ownBox(templ, pose);
    // Between voxels a slanted rim may reach a voxel further on any side.
    const std::int64_t more = moved == base::Point{0, 0, 0} ? 0 : 1;
    const std::int64_t deep = m_cover.flat ? 0 : more;
    own.corner = {own.corner.x - more, own.corner.y - more, own.corner.z - deep};
    own.extents = {own.extents.x + 2 * more, own.extents.y + 2 * more, own.extents.z + 2 * deep};
    const base::Point centre = centreOf(templ, pose);
    const base::Point inside{centre[0] + moved[0] - static_cast<double>(own.corner.x),
                             centre[1] + moved[1] - static_cast<double>(own.corner.y),
                             centre[2] + moved[2] - static_cast<double>(own.corner.z)};
    return {m_turners[templ].supportOf(pose, {own.extents, inside}), own.corner};
}

bool PoseBank::hasMembersOf(const PoseBank& other) const {
    const bool prepared = m_prepare || other.m_prepare; // by filters that cannot be compared
    return !prepared && m_box == other.m_box && m_cover.turns == other.m_cover.turns &&
           m_cover.scales == other.m_cover.scales && m_cover.mirror == other.m_cover.mirror &&
           std::ranges::equal(m_turners, other.m_turners,
                              [](const Turner& a, const Turner& b) { return a.isSameAs(b); });
}

bool PoseBank::isRound() const {
    return std::ranges::all_of(m_turners, [](const Turner& each) { return each.radius() >= 0; });
}

bool PoseBank::sharesSupport() const {
    const double radius = m_turners[0].radius();
    return !isMasked() || (m_cover.scales.size() == 1 && radius >= 0 &&
                           std::ranges::all_of(m_turners, [radius](const Turner& each) {
                               return each.radius() == radius && !each.isWeighted();
                           }));
}

base::Index PoseBank::shift() const {
    const base::Extents n = templExtents();
    return {(m_box.x - n.x) / 2, (m_box.y - n.y) / 2, (m_box.z - n.z) / 2};
}

} // namespace flcc::rotation
