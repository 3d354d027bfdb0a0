#include "engine/rotation/pose_bank.h"

#include <algorithm>
#include <utility>

namespace flcc::rotation {

PoseBank::PoseBank(std::vector<Turner> turners, Cover cover)
    : m_turners(std::move(turners)), m_cover(std::move(cover)), m_box(m_turners[0].extents()) {
    for (std::int64_t i = 0; i < count(); ++i) {
        const base::Extents own = m_turners[templ(i)].extentsOf(pose(i));
        m_box = {std::max(m_box.x, own.x), std::max(m_box.y, own.y), std::max(m_box.z, own.z)};
    }
    for (std::int64_t i = 0; i < count() && m_masked < 0; ++i) {
        m_masked = m_turners[templ(i)].isWhole(pose(i), m_box) ? -1 : i;
    }
}

TurnedTemplate PoseBank::member(std::int64_t i) const { return turned(templ(i), pose(i)); }

TurnedTemplate PoseBank::turned(std::size_t templ, const Pose& pose) const {
    TurnedTemplate made = m_turners[templ].turned(pose, m_box);
    if (m_prepare) {
        m_prepare(made);
    }
    return made;
}

PoseBank::Turned PoseBank::turnedWhole(std::size_t templ, const Pose& pose) const {
    if (m_prepare) { // made for the members' box
        return {turned(templ, pose), {0, 0, 0}};
    }
    const base::Extents own = m_turners[templ].extentsOf(pose);
    return {m_turners[templ].turned(pose, own),
            {(m_box.x - own.x) / 2, (m_box.y - own.y) / 2, (m_box.z - own.z) / 2}};
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
    const base::Extents& n = templExtents();
    return {(m_box.x - n.x) / 2, (m_box.y - n.y) / 2, (m_box.z - n.z) / 2};
}

} // namespace flcc::rotation
