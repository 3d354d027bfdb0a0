#include "engine/match/overlap.h"

#include <algorithm>
#include <cmath>

namespace flcc::match {

namespace {

constexpr std::array kAlong{&base::Index::x, &base::Index::y, &base::Index::z};
constexpr std::array kLengths{&base::Extents::x, &base::Extents::y, &base::Extents::z};

base::Index plus(const base::Index& a, const base::Index& b) {
    return {a.x + b.x, a.y + b.y, a.z + b.z};
}

base::Index minus(const base::Index& a, const base::Index& b) {
    return {a.x - b.x, a.y - b.y, a.z - b.z};
}

bool boxesMeet(const base::Box& a, const base::Box& b) {
    for (std::size_t axis = 0; axis < 3; ++axis) {
        const std::int64_t way = b.corner.*kAlong[axis] - a.corner.*kAlong[axis];
        if (way >= a.extents.*kLengths[axis] || -way >= b.extents.*kLengths[axis]) {
            return false;
        }
    }
    return true;
}

/// `moved`: as PoseBank::footprint().
Lying::Placed placedIn(const rotation::PoseBank& bank, std::size_t templ,
                       const rotation::Pose& pose, const base::Index& corner,
                       const base::Point& moved = {0, 0, 0}) {
    const rotation::PoseBank::Footprint made = bank.footprint(templ, pose, moved);
    return {std::make_shared<const Support>(made.support.extents(), made.support.view()),
            plus(corner, made.shift)};
}

/// Edges of a box about the middle of the members' box that holds a template in any pose, its
/// centre up to a voxel away.
base::Extents zoneAbout(const rotation::PoseBank& bank) {
    const base::Extents n = bank.largestTurned();
    const base::Extents& box = bank.box();
    const auto edge = [](std::int64_t turned, std::int64_t members) {
        const std::int64_t more = std::max(turned + 2, members) - members;
        return members + more + more % 2; // as many on both sides
    };
    return {edge(n.x, box.x), edge(n.y, box.y), box.z == 1 ? 1 : edge(n.z, box.z)};
}

} // namespace

Support::Support(const base::Extents& extents, const base::View<const std::uint8_t>& mask)
    : m_extents(extents) {
    const auto end = [&](const std::uint8_t* row, std::int64_t from, bool counts) {
        while (from < extents.x && (row[from] != 0) == counts) {
            ++from;
        }
        return from;
    };
    for (std::int64_t z = 0; z < extents.z; ++z) {
        for (std::int64_t y = 0; y < extents.y; ++y) {
            m_first.push_back(m_runs.size());
            if (mask.data() == nullptr) {
                m_runs.emplace_back(0, extents.x);
                m_count += extents.x;
                continue;
            }
            const std::uint8_t* const row = mask.row(y, z);
            for (std::int64_t x = end(row, 0, false); x < extents.x;) {
                const std::int64_t after = end(row, x, true);
                m_runs.emplace_back(x, after);
                m_count += after - x;
                x = end(row, after, false);
            }
        }
    }
    m_first.push_back(m_runs.size());
}

std::int64_t Support::bytes() const {
    return static_cast<std::int64_t>(m_first.size() * sizeof(std::size_t) +
                                     m_runs.size() * sizeof(Run));
}

std::int64_t Support::common(const Support& other, const base::Index& by) const {
    const base::Extents& n = other.m_extents;
    std::int64_t count = 0;
    for (std::int64_t z = std::max<std::int64_t>(0, by.z); z < std::min(m_extents.z, by.z + n.z);
         ++z) {
        for (std::int64_t y = std::max<std::int64_t>(0, by.y);
             y < std::min(m_extents.y, by.y + n.y); ++y) {
            const auto own = static_cast<std::size_t>(z * m_extents.y + y);
            const auto its = static_cast<std::size_t>((z - by.z) * n.y + y - by.y);
            std::size_t i = m_first[own];
            std::size_t j = other.m_first[its];
            while (i < m_first[own + 1] && j < other.m_first[its + 1]) {
                const Run& a = m_runs[i];
                const Run b{other.m_runs[j].first + by.x, other.m_runs[j].second + by.x};
                count += std::max<std::int64_t>(0, std::min(a.second, b.second) -
                                                       std::max(a.first, b.first));
                ++(a.second < b.second ? i : j);
            }
        }
    }
    return count;
}

Lying searchedAt(const rotation::PoseBank& bank, std::int64_t member, const base::Index& corner) {
    const base::Box& own = bank.ownBox(member);
    return {{plus(corner, own.corner), own.extents}, [&bank, member, corner] {
                return placedIn(bank, bank.templ(member), bank.pose(member), corner);
            }};
}

Lying searchedAt(const SearchedMap& map, std::int64_t own, const base::Index& corner) {
    if (map.poses) {
        return searchedAt(*map.poses, own, corner);
    }
    const method::MaskedView& templ = map.templates[static_cast<std::size_t>(own)];
    return {{corner, templ.extents()}, [templ, corner]() -> Lying::Placed {
                return {std::make_shared<const Support>(templ.extents(), templ.mask), corner};
            }};
}

Lying lyingAbout(const rotation::PoseBank& bank, std::size_t templ, const rotation::Pose& pose,
                 const base::Point& centre) {
    const base::Point own = bank.centreOf(templ, pose);
    base::Index corner;
    base::Point moved{0, 0, 0};
    for (std::size_t axis = 0; axis < 3; ++axis) {
        const double way = centre[axis] - own[axis];
        corner.*kAlong[axis] = std::llround(way);
        moved[axis] = way - std::round(way);
    }
    const base::Extents zone = zoneAbout(bank);
    const base::Extents& box = bank.box();
    const base::Index before{(zone.x - box.x) / 2, (zone.y - box.y) / 2, (zone.z - box.z) / 2};
    return {{minus(corner, before), zone}, [&bank, templ, pose, corner, moved] {
                return placedIn(bank, templ, pose, corner, moved);
            }};
}

Lying lyingAt(const SearchedMap& map, const Peak& peak) {
    const auto own =
        static_cast<std::size_t>(std::ranges::find(map.numbers, peak.templ) - map.numbers.begin()) +
        (peak.dark.value_or(false) ? map.darkFrom.value_or(0) : 0);
    if (!map.poses || !peak.pose) {
        return searchedAt(map, static_cast<std::int64_t>(own), peak.corner);
    }
    const rotation::PoseBank& bank = *map.poses;
    const base::Point searched = bank.centreOf(own, *peak.pose);
    base::Point centre{0, 0, 0};
    for (std::size_t axis = 0; axis < 3; ++axis) {
        const double middle = static_cast<double>(bank.box().*kLengths[axis] - 1) / 2;
        centre[axis] = static_cast<double>(peak.corner.*kAlong[axis]) +
                       (peak.refinement ? middle + peak.shift[axis] : searched[axis]);
    }
    return lyingAbout(bank, own, *peak.pose, centre);
}

base::Extents largestLying(const std::vector<SearchedMap>& maps) {
    base::Extents largest{1, 1, 1};
    for (const SearchedMap& map : maps) {
        const base::Extents n = map.poses ? zoneAbout(*map.poses) : map.templates.front().extents();
        largest = {std::max(largest.x, n.x), std::max(largest.y, n.y), std::max(largest.z, n.z)};
    }
    return largest;
}

Overlaps::Overlaps(const base::Extents& largest) : m_largest(largest) {}

Overlaps::Cell Overlaps::cellOf(const base::Index& corner) const {
    const auto floored = [](std::int64_t value, std::int64_t by) {
        return value >= 0 ? value / by : -((by - 1 - value) / by);
    };
    return {floored(corner.x, m_largest.x), floored(corner.y, m_largest.y),
            floored(corner.z, m_largest.z)};
}

Overlaps::Most Overlaps::most(Lying& lying) {
    Most most;
    const Cell cell = cellOf(lying.box.corner);
    for (std::int64_t z = cell[2] - 1; z <= cell[2] + 1; ++z) {
        for (std::int64_t y = cell[1] - 1; y <= cell[1] + 1; ++y) {
            for (std::int64_t x = cell[0] - 1; x <= cell[0] + 1; ++x) {
                const auto found = m_cells.find({x, y, z});
                if (found == m_cells.end()) {
                    continue;
                }
                for (const std::size_t i : found->second) {
                    Lying& other = m_all[i];
                    if (!boxesMeet(other.box, lying.box)) {
                        continue;
                    }
                    if (!lying.placed.support) {
                        lying.placed = lying.make();
                    }
                    place(other);
                    const Support& a = *other.placed.support;
                    const Support& b = *lying.placed.support;
                    const std::int64_t common =
                        a.common(b, minus(lying.placed.corner, other.placed.corner));
                    const double share =
                        common > 0 ? static_cast<double>(common) /
                                         static_cast<double>(std::min(a.count(), b.count()))
                                   : 0;
                    if (share > most.share || (share == most.share && share > 0 && i < most.of)) {
                        most = {share, i};
                    }
                }
            }
        }
    }
    return most;
}

void Overlaps::add(Lying lying) {
    m_cells[cellOf(lying.box.corner)].push_back(m_all.size());
    m_bytes += lying.placed.support ? lying.placed.support->bytes() : 0;
    m_all.push_back(std::move(lying));
}

/// Makes the support of one of m_all. All are dropped once they take too much memory.
void Overlaps::place(Lying& one) {
    constexpr std::int64_t kMostBytes = 256'000'000;
    if (one.placed.support) {
        return;
    }
    if (m_bytes > kMostBytes) {
        for (Lying& each : m_all) {
            each.placed = {};
        }
        m_bytes = 0;
    }
    one.placed = one.make();
    m_bytes += one.placed.support->bytes();
}

void setOverlaps(std::vector<Peak>& peaks, const std::vector<SearchedMap>& maps) {
    Overlaps overlaps(largestLying(maps));
    for (std::size_t i = 0; i < peaks.size(); ++i) {
        Peak& peak = peaks[i];
        const auto map = std::ranges::find_if(maps, [&peak](const SearchedMap& each) {
            return std::ranges::find(each.numbers, peak.templ) != each.numbers.end();
        });
        if (map == maps.end()) {
            return;
        }
        Lying lying = lyingAt(*map, peak);
        peak.overlap.reset();
        if (const Overlaps::Most most = overlaps.most(lying); most.share > 0) {
            peak.overlap = {most.share, peaks[most.of].corner, peaks[most.of].templ};
        }
        overlaps.add(std::move(lying));
    }
}

} // namespace flcc::match
