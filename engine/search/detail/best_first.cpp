#include "engine/search/detail/best_first.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <set>
#include <utility>

#include "engine/match/place.h"
#include "engine/method/shared/posed_view.h"
#include "engine/search/detail/bounds.h"

namespace flcc::search::detail {

namespace {

/// Members that are kept in full.
constexpr std::int64_t kKeptVoxels = 100'000'000;
/// Voxels of a plateau that are followed, as match::findPeaks().
constexpr std::size_t kPlateauLimit = 10'000;

base::Extents zoneOf(const rotation::PoseBank& bank) {
    const base::Extents turned = bank.largestTurned();
    const base::Extents& box = bank.box();
    return {std::max(box.x, turned.x), std::max(box.y, turned.y), 1};
}

} // namespace

BestFirst::BestFirst(const method::MaskedView& scene, const Frame& frame,
                     std::vector<Searched> searched, const Options& options, base::TilePool& pool,
                     std::stop_token stop)
    : m_scene(scene), m_frame(frame), m_searched(std::move(searched)), m_options(options),
      m_least(options.minScore), m_pool(pool), m_stop(std::move(stop)) {
    for (std::size_t i = 0; i < m_searched.size(); ++i) {
        Searched& in = m_searched[i];
        const rotation::PoseBank& bank = *in.prepared->bank;
        const std::int64_t voxels = base::voxelCount(bank.box());
        m_least = std::min(m_least, options.minScore - 2 * method::canonicalBound(voxels));
        m_members.push_back(std::make_unique<FullMembers>(
            bank,
            static_cast<std::size_t>(std::clamp<std::int64_t>(kKeptVoxels / voxels, 4, 1'000))));
        m_covers.emplace_back();
        m_costs.push_back(costsOf(bank));
        m_makers.emplace_back(static_cast<std::size_t>(pool.threads()));
        for (const MemberCells& member : in.prepared->members) {
            in.corners.push_back(frame.cornersOf(member.reach));
        }
        const base::Extents zone = zoneOf(bank);
        m_largest = {std::max(m_largest.x, zone.x), std::max(m_largest.y, zone.y), 1};
        for (const Node& node : in.nodes) {
            m_heap.push_back({static_cast<double>(node.limit),
                              node.member < 0 ? Kind::Cluster : Kind::Node,
                              static_cast<std::uint8_t>(i), node.member, node.x, node.y,
                              static_cast<double>(node.product)});
            m_nodes += node.member < 0 ? 0 : 1;
        }
        in.nodes = {};
    }
    m_overlaps = match::Overlaps(m_largest);
    std::make_heap(m_heap.begin(), m_heap.end(), after);
}

/// Of equal limits what is not computed yet comes first; scores in the order of a list of peaks.
bool BestFirst::after(const Item& a, const Item& b) {
    if (a.limit != b.limit) {
        return a.limit < b.limit;
    }
    return std::tuple(a.kind, a.y, a.x, a.part, a.member) >
           std::tuple(b.kind, b.y, b.x, b.part, b.member);
}

void BestFirst::push(const Item& item) {
    m_heap.push_back(item);
    std::push_heap(m_heap.begin(), m_heap.end(), after);
}

BestFirst::Item BestFirst::pop() {
    std::pop_heap(m_heap.begin(), m_heap.end(), after);
    const Item item = m_heap.back();
    m_heap.pop_back();
    return item;
}

base::Extents BestFirst::mapOf(std::size_t part) const {
    const base::Extents& n = m_frame.extents;
    const base::Extents& box = m_searched[part].prepared->bank->box();
    return {n.x - box.x + 1, n.y - box.y + 1, 1};
}

/// Whether one peak suppresses all placements of an item; its zone is convex.
bool BestFirst::isCovered(const Item& item) {
    if (m_excluded.empty()) {
        return false;
    }
    const Prepared& prepared = *m_searched[item.part].prepared;
    const base::Extents& box = prepared.bank->box();
    if (item.kind > Kind::Cell) {
        countAlone(item.part, &Costs::covered, std::ssize(m_excluded));
        return std::ranges::any_of(m_excluded, [&](const match::Exclusion& each) {
            return each.covers({item.x, item.y, 0}, box);
        });
    }
    const base::Extents map = mapOf(item.part);
    std::vector<Cover>& cells = m_covers[item.part];
    const std::int64_t columns = (map.x + prepared.edge - 1) / prepared.edge;
    if (cells.empty()) {
        cells.resize(
            static_cast<std::size_t>(columns * ((map.y + prepared.edge - 1) / prepared.edge)));
    }
    const int parts = item.kind == Kind::Cell ? 2 : 1; // of a coarse cell
    Cover& cell = cells[static_cast<std::size_t>(item.y / parts * columns + item.x / parts)];
    const std::int64_t x = item.x / parts * prepared.edge;
    const std::int64_t y = item.y / parts * prepared.edge;
    const std::int64_t right = std::min(x + prepared.edge, map.x) - 1;
    const std::int64_t bottom = std::min(y + prepared.edge, map.y) - 1;
    if (!cell.isCovered) {
        countAlone(item.part, &Costs::covered, std::ssize(m_excluded) - cell.peaks);
    }
    for (; !cell.isCovered && cell.peaks < m_excluded.size(); ++cell.peaks) {
        const match::Exclusion& peak = m_excluded[cell.peaks];
        cell.isCovered = peak.covers({x, y, 0}, box) && peak.covers({right, y, 0}, box) &&
                         peak.covers({x, bottom, 0}, box) && peak.covers({right, bottom, 0}, box);
    }
    return cell.isCovered;
}

void BestFirst::count(std::size_t part, double Costs::*cost, std::int64_t times) {
    m_workNs += static_cast<std::int64_t>(m_costs[part].*cost * static_cast<double>(times));
}

void BestFirst::countAlone(std::size_t part, double Costs::*cost, std::int64_t times) {
    count(part, cost, times * m_pool.threads());
}

double BestFirst::workMs() const {
    double ns = static_cast<double>(m_workNs);
    for (std::size_t part = 0; part < m_members.size(); ++part) {
        ns += m_costs[part].turned * static_cast<double>(m_members[part]->made());
    }
    return ns / 1e6;
}

std::vector<match::Peak> BestFirst::peaks(Facts& facts, const std::function<void()>& look) {
    // So many that threads meet seldom, and so few that hardly any of them waits for a peak that
    // would suppress it.
    constexpr std::size_t kTogether = 4;
    const std::size_t most = 16 * kTogether * static_cast<std::size_t>(m_pool.threads());
    std::vector<Item> batch;
    std::vector<std::vector<Item>> made;
    while (!m_heap.empty() && std::ssize(m_accepted) < m_options.maxPeaks &&
           !m_stop.stop_requested()) {
        look();
        batch.clear();
        while (!m_heap.empty() && batch.size() < most && m_heap.front().kind != Kind::Score) {
            const Item item = pop();
            if (!isCovered(item)) {
                batch.push_back(item);
            }
        }
        if (batch.empty()) {
            takeScores();
            continue;
        }
        countAlone(0, &Costs::batch);
        made.assign(batch.size(), {});
        const std::size_t tiles = (batch.size() + kTogether - 1) / kTogether;
        (void)m_pool.run(static_cast<std::int64_t>(tiles), [&](std::int64_t tile, int worker) {
            // Neighbours in the order of limits take about as long, so that threads share them.
            for (auto i = static_cast<std::size_t>(tile); i < batch.size(); i += tiles) {
                expand(batch[i], made[i], worker);
            }
        });
        for (const std::vector<Item>& each : made) {
            for (const Item& item : each) {
                push(item);
            }
        }
    }
    std::vector<match::Peak> peaks;
    for (const Item& item : m_accepted) {
        peaks.push_back(peakOf(item));
    }
    fitPositions(peaks);
    for (match::Peak& peak : peaks) {
        const double other =
            &peak == &peaks.front() && peaks.size() > 1 ? peaks[1].score : peaks.front().score;
        if (peaks.size() > 1 && other > 0) {
            peak.rival = peak.score / other;
        }
    }
    facts.kept += m_nodes;
    facts.points += m_points;
    facts.limits += m_limits;
    facts.scores += m_scores;
    facts.refined += m_fine;
    for (const auto& members : m_members) {
        facts.turned += members->made();
    }
    return m_stop.stop_requested() ? std::vector<match::Peak>{} : peaks;
}

/// Takes all scores that are equal to the highest, so that plateaus are whole.
void BestFirst::takeScores() {
    if (m_heap.empty()) {
        return;
    }
    const double score = m_heap.front().limit;
    std::vector<Item> equal;
    while (!m_heap.empty() && m_heap.front().kind == Kind::Score && m_heap.front().limit == score) {
        const Item item = pop();
        const Place place{item.part, item.y, item.x};
        if (m_known.try_emplace(place, Best{score, item.bound, item.member}).second) {
            equal.push_back(item);
        }
    }
    std::ranges::sort(equal, [&](const Item& a, const Item& b) {
        const auto rank = [&](const Item& item) {
            const Searched& in = m_searched[item.part];
            return std::tuple(item.y, item.x,
                              in.part->numbers[in.prepared->bank->templ(item.member)]);
        };
        return rank(a) < rank(b);
    });
    for (Item& item : equal) {
        if (std::ssize(m_accepted) >= m_options.maxPeaks || isCovered(item) || !isMaximum(item)) {
            continue;
        }
        item.member = firstMember(item);
        const rotation::PoseBank& bank = *m_searched[item.part].prepared->bank;
        if (m_options.maxOverlap) {
            match::Lying lying = match::searchedAt(bank, item.member, {item.x, item.y, 0});
            if (m_overlaps.most(lying).share > *m_options.maxOverlap) {
                continue;
            }
            m_overlaps.add(std::move(lying));
        }
        match::Exclusion zone(m_largest, m_options.minDistance, m_options.edges);
        zone.add(
            {item.x, item.y, 0}, bank.box(),
            match::Exclusion::Turned{
                bank.ownExtents(), bank.matrixOf(bank.templ(item.member), bank.pose(item.member))});
        m_excluded.push_back(std::move(zone));
        m_accepted.push_back(item);
    }
}

/// As the search in match/peaks.cpp. Every placement whose best score is above that of the item was
/// taken before, unless a peak suppresses it.
bool BestFirst::isMaximum(const Item& item) {
    const base::Extents map = mapOf(item.part);
    const std::int64_t first = item.y * map.x + item.x;
    std::vector<std::pair<std::int64_t, std::int64_t>> plateau{{item.x, item.y}};
    std::set<std::int64_t> seen{first};
    for (std::size_t next = 0; next < plateau.size() && next < kPlateauLimit; ++next) {
        const auto [x, y] = plateau[next];
        for (std::int64_t part = 0; part < 9; ++part) {
            const std::int64_t column = x + part % 3 - 1;
            const std::int64_t row = y + part / 3 - 1;
            if (part == 4 || column < 0 || row < 0 || column >= map.x || row >= map.y) {
                continue;
            }
            const Place place{item.part, row, column};
            const auto known = m_known.find(place);
            Best best;
            if (known != m_known.end()) {
                best = known->second;
            } else if (isCovered({0, Kind::Point, item.part, 0, static_cast<std::int32_t>(column),
                                  static_cast<std::int32_t>(row)})) {
                best = bestAt(place, item.member);
            }
            if (best.member < 0 || best.score < item.limit) {
                continue;
            }
            const std::int64_t linear = row * map.x + column;
            if (best.score > item.limit || linear < first) {
                return false;
            }
            if (seen.insert(linear).second) {
                plateau.emplace_back(column, row);
            }
        }
    }
    return true;
}

Best BestFirst::bestAt(const Place& place, std::int64_t hint) {
    if (const auto known = m_known.find(place); known != m_known.end()) {
        return known->second;
    }
    const auto [at, isNew] = m_asked.try_emplace(place);
    if (isNew) {
        at->second = computeBest(place, hint, 0);
    }
    return at->second;
}

Best BestFirst::computeBest(const Place& place, std::int64_t hint, int worker) {
    const auto& [part, y, x] = place;
    const Searched& in = m_searched[part];
    const CellLevel& coarse = in.cells->levels[1];
    Best best;
    const auto take = [&](std::int64_t member) {
        ++m_scores;
        count(part, &Costs::score);
        const method::CanonicalValue value = m_members[part]->get(member)->score(m_scene, x, y);
        if (value.scored && (best.member < 0 || value.score > best.score ||
                             (value.score == best.score && member < best.member))) {
            best = {value.score, value.bound, member};
        }
    };
    const std::vector<Corners>& corners = in.corners;
    if (corners[static_cast<std::size_t>(hint)].holds(x, y)) {
        take(hint);
    }
    const auto reaches = [&](double limit) { return best.member < 0 || limit >= best.score; };
    std::vector<std::pair<double, std::int64_t>> open;
    for (std::int64_t i = 0; i < std::ssize(in.prepared->members); ++i) {
        const MemberCells& member = in.prepared->members[static_cast<std::size_t>(i)];
        const auto ofCell = [&] {
            return nodeLimit(member, in.cells->levels, x / coarse.edge, y / coarse.edge,
                             m_options.trust);
        };
        if (i == hint || !corners[static_cast<std::size_t>(i)].holds(x, y)) {
            continue;
        }
        count(part, &Costs::divided);
        if (!reaches(ofCell())) {
            continue;
        }
        count(part, &Costs::cell);
        if (const double limit = pointLimit(in, fineOf(part, i, worker), x, y);
            limit >= 0 && reaches(limit)) {
            open.emplace_back(limit, i);
        }
    }
    std::ranges::sort(open, [](const auto& a, const auto& b) { return a.first > b.first; });
    for (const auto& [limit, member] : open) {
        if (!reaches(limit) || m_stop.stop_requested()) {
            break;
        }
        ++m_limits;
        count(part, &Costs::limit);
        const auto full = m_members[part]->get(member);
        if (reaches(full->bound() + full->limit(m_scene.pixels, x, y, in.cells->level))) {
            take(member);
        }
    }
    return best;
}

std::int32_t BestFirst::firstMember(const Item& item) {
    const Searched& in = m_searched[item.part];
    const CellLevel& coarse = in.cells->levels[1];
    for (std::int32_t i = 0; i < item.member && !m_stop.stop_requested(); ++i) {
        const MemberCells& member = in.prepared->members[static_cast<std::size_t>(i)];
        const auto reaches = [&](double limit) { return limit >= item.limit - 2 * item.bound; };
        count(item.part, &Costs::divided);
        if (!in.corners[static_cast<std::size_t>(i)].holds(item.x, item.y) ||
            !reaches(nodeLimit(member, in.cells->levels, item.x / coarse.edge, item.y / coarse.edge,
                               m_options.trust)) ||
            !reaches(pointLimit(in, fineOf(item.part, i, 0), item.x, item.y))) {
            continue;
        }
        const auto full = m_members[item.part]->get(i);
        if (!reaches(full->bound() +
                     full->limit(m_scene.pixels, item.x, item.y, in.cells->level))) {
            continue;
        }
        ++m_scores;
        count(item.part, &Costs::score);
        const method::CanonicalValue value = full->score(m_scene, item.x, item.y);
        if (value.scored && value.score + value.bound >= item.limit - item.bound) {
            return i;
        }
    }
    return item.member;
}

match::Peak BestFirst::peakOf(const Item& item) {
    const Searched& in = m_searched[item.part];
    const rotation::PoseBank& bank = *in.prepared->bank;
    match::Peak peak;
    peak.score = item.limit;
    peak.bound = item.bound;
    peak.corner = {item.x - m_frame.before.x, item.y - m_frame.before.y, 0};
    peak.templ = in.part->numbers[bank.templ(item.member)];
    peak.pose = bank.pose(item.member);
    return peak;
}

/// By the member of each peak alone, as match::findPeaks().
void BestFirst::fitPositions(std::vector<match::Peak>& peaks) {
    (void)m_pool.run(std::ssize(peaks), [&](std::int64_t i, int) {
        if (m_stop.stop_requested()) {
            return;
        }
        match::Peak& peak = peaks[static_cast<std::size_t>(i)];
        const Item& item = m_accepted[static_cast<std::size_t>(i)];
        const rotation::PoseBank& bank = *m_searched[item.part].prepared->bank;
        const rotation::TurnedTemplate member = bank.member(item.member);
        const method::CanonicalTemplate templ(method::viewOf(member));
        const Corners& corners =
            m_searched[item.part].corners[static_cast<std::size_t>(item.member)];
        const match::Place place = match::placeOf(
            method::partOf(m_scene, {m_frame.before, m_frame.inner}), templ, peak.corner,
            peak.score,
            [&](const base::Index& by) -> std::optional<double> {
                const base::Index at{item.x + by.x, item.y + by.y, by.z};
                if (by.z != 0 || !corners.holds(at.x, at.y)) {
                    return std::nullopt;
                }
                const method::CanonicalValue value =
                    method::canonicalValue(m_scene, templ, at, method::Outside::Zero);
                return value.scored ? std::optional(value.score) : std::nullopt;
            },
            true);
        const base::Point own = bank.centreOf(bank.templ(item.member), bank.pose(item.member));
        const base::Extents& box = bank.box();
        const base::Point half{static_cast<double>(box.x - 1) / 2,
                               static_cast<double>(box.y - 1) / 2, 0};
        const base::Point corner{static_cast<double>(peak.corner.x),
                                 static_cast<double>(peak.corner.y), 0};
        peak.curvature = place.curvature;
        peak.error = place.error;
        peak.placedBy = place.by;
        for (std::size_t axis = 0; axis < 3; ++axis) {
            peak.shift[axis] = place.shift[axis] + (axis < 2 ? own[axis] - half[axis] : 0);
            peak.centre[axis] = corner[axis] + half[axis] + peak.shift[axis];
        }
    });
}

} // namespace flcc::search::detail
