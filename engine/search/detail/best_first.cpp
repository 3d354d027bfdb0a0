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

BestFirst::BestFirst(const method::MaskedView& scene, std::vector<Searched> searched,
                     const Options& options, base::TilePool& pool, std::stop_token stop)
    : m_scene(scene), m_searched(std::move(searched)), m_options(options),
      m_least(options.minScore), m_pool(pool), m_stop(std::move(stop)) {
    for (std::size_t i = 0; i < m_searched.size(); ++i) {
        Searched& in = m_searched[i];
        const rotation::PoseBank& bank = *in.prepared->bank;
        const std::int64_t voxels = base::voxelCount(bank.box());
        m_least = std::min(m_least, options.minScore - 2 * method::canonicalBound(voxels));
        m_members.push_back(std::make_unique<FullMembers>(
            bank,
            static_cast<std::size_t>(std::clamp<std::int64_t>(kKeptVoxels / voxels, 4, 1'000))));
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
    const base::Extents n = m_scene.extents();
    const base::Extents& box = m_searched[part].prepared->bank->box();
    return {n.x - box.x + 1, n.y - box.y + 1, 1};
}

/// Whether one peak suppresses all placements of an item; its zone is convex.
bool BestFirst::isCovered(const Item& item) const {
    if (m_excluded.empty()) {
        return false;
    }
    const Prepared& prepared = *m_searched[item.part].prepared;
    const base::Extents& box = prepared.bank->box();
    std::array<base::Index, 4> corners{};
    std::size_t count = 1;
    corners[0] = {item.x, item.y, 0};
    if (item.kind == Kind::Node || item.kind == Kind::Cluster) {
        const base::Extents map = mapOf(item.part);
        const std::int64_t x = item.x * prepared.edge;
        const std::int64_t y = item.y * prepared.edge;
        const std::int64_t right = std::min(x + prepared.edge, map.x) - 1;
        const std::int64_t bottom = std::min(y + prepared.edge, map.y) - 1;
        corners = {base::Index{x, y, 0}, {right, y, 0}, {x, bottom, 0}, {right, bottom, 0}};
        count = 4;
    }
    return std::ranges::any_of(m_excluded, [&](const match::Exclusion& each) {
        return std::all_of(corners.begin(), corners.begin() + static_cast<std::ptrdiff_t>(count),
                           [&](const base::Index& at) { return each.covers(at, box); });
    });
}

void BestFirst::expandCluster(const Item& item, std::vector<Item>& to) const {
    const Searched& in = m_searched[item.part];
    std::vector<Node> nodes;
    appendMembers(*in.prepared, in.cells->levels[1],
                  {0, static_cast<float>(item.bound), item.member, item.x, item.y}, least(),
                  m_options.trust, nodes);
    for (const Node& node : nodes) {
        to.push_back({std::min(item.limit, static_cast<double>(node.limit)), Kind::Node, item.part,
                      node.member, node.x, node.y});
    }
}

void BestFirst::expandNode(const Item& item, std::vector<Item>& to) const {
    const Searched& in = m_searched[item.part];
    const MemberCells& member = in.prepared->members[static_cast<std::size_t>(item.member)];
    const CellLevel& cells = in.cells->levels[0];
    const std::int64_t edge = cells.edge;
    const base::Extents map = mapOf(item.part);
    constexpr std::int64_t kCorners = 5; // moved by -1 .. 3 fine cells
    std::array<double, kCorners * kCorners> products{};
    const auto take = [&](bool inner) { // the corners of the cells first, then those about them
        for (std::int64_t i = 0; i < kCorners * kCorners; ++i) {
            const std::int64_t right = i % kCorners;
            const std::int64_t down = i / kCorners;
            if ((right >= 1 && right <= 3 && down >= 1 && down <= 3) == inner) {
                products[static_cast<std::size_t>(i)] =
                    dot(member.fine, cells, 2 * std::int64_t{item.x} + right - 1,
                        2 * std::int64_t{item.y} + down - 1);
            }
        }
    };
    take(true);
    bool isWhole = false;
    const double rounding = 4 * member.fine.rounding + kSumRounding; // weights add up to below 2
    for (std::int64_t fine = 0; fine < 4; ++fine) {
        const std::int64_t cellX = 2 * std::int64_t{item.x} + fine % 2;
        const std::int64_t cellY = 2 * std::int64_t{item.y} + fine / 2;
        if (cellX * edge >= map.x || cellY * edge >= map.y) {
            continue;
        }
        const Energies energies = energiesOf(member.point, cells, cellX, cellY);
        const auto corner = static_cast<std::size_t>((1 + fine / 2) * kCorners + 1 + fine % 2);
        const double highest =
            std::max({products[corner], products[corner + 1], products[corner + kCorners],
                      products[corner + kCorners + 1]});
        if (energies.flat ||
            limitOf(highest, energies, static_cast<double>(member.fineSeen),
                    static_cast<double>(member.fineUnseen), rounding, m_options.trust) < least()) {
            continue;
        }
        if (!isWhole) {
            take(false);
            isWhole = true;
        }
        for (std::int64_t place = 0; place < edge * edge; ++place) {
            const std::int64_t x = cellX * edge + place % edge;
            const std::int64_t y = cellY * edge + place / edge;
            if (x >= map.x || y >= map.y) {
                continue;
            }
            std::array<double, 4> across{};
            std::array<double, 4> down{};
            placeWeights(place % edge, edge, across.data());
            placeWeights(place / edge, edge, down.data());
            double product = 0;
            for (std::size_t j = 0; j < 4; ++j) {
                double row = 0;
                for (std::size_t i = 0; i < 4; ++i) {
                    row +=
                        across[i] * products[(j + static_cast<std::size_t>(fine / 2)) * kCorners +
                                             i + static_cast<std::size_t>(fine % 2)];
                }
                product += down[j] * row;
            }
            const auto at = static_cast<std::size_t>(place);
            const double limit = std::min(
                item.limit,
                limitOf(product, energies, static_cast<double>(member.pointSeen[at]),
                        static_cast<double>(member.pointUnseen[at]), rounding, m_options.trust));
            if (limit >= least()) {
                to.push_back({limit, Kind::Point, item.part, item.member,
                              static_cast<std::int32_t>(x), static_cast<std::int32_t>(y)});
            }
        }
    }
}

double BestFirst::pointLimit(const Searched& in, const MemberCells& member, std::int64_t x,
                             std::int64_t y) const {
    const CellLevel& cells = in.cells->levels[0];
    const std::int64_t edge = cells.edge;
    const Energies energies = energiesOf(member.point, cells, x / edge, y / edge);
    if (energies.flat) {
        return -1;
    }
    std::array<double, 4> across{};
    std::array<double, 4> down{};
    placeWeights(x % edge, edge, across.data());
    placeWeights(y % edge, edge, down.data());
    double product = 0;
    for (std::size_t j = 0; j < 4; ++j) {
        for (std::size_t i = 0; i < 4; ++i) {
            if (across[i] != 0 && down[j] != 0) {
                product += across[i] * down[j] *
                           dot(member.fine, cells, x / edge + static_cast<std::int64_t>(i) - 1,
                               y / edge + static_cast<std::int64_t>(j) - 1);
            }
        }
    }
    const auto at = static_cast<std::size_t>(y % edge * edge + x % edge);
    return limitOf(product, energies, static_cast<double>(member.pointSeen[at]),
                   static_cast<double>(member.pointUnseen[at]),
                   4 * member.fine.rounding + kSumRounding, m_options.trust);
}

void BestFirst::expand(const Item& item, std::vector<Item>& to) {
    if (item.kind == Kind::Cluster) {
        expandCluster(item, to);
        m_nodes += std::ssize(to);
        return;
    }
    if (item.kind == Kind::Node) {
        const std::size_t before = to.size();
        expandNode(item, to);
        m_points += std::ssize(to) - static_cast<std::int64_t>(before);
        return;
    }
    const auto member = m_members[item.part]->get(item.member);
    Item next = item;
    if (item.kind == Kind::Point) {
        ++m_limits;
        next.kind = Kind::Limit;
        const double bound = member->bound();
        next.limit =
            std::min(item.limit, bound + member->limit(m_scene.pixels, item.x, item.y,
                                                       m_searched[item.part].cells->level));
        if (next.limit >= least()) {
            to.push_back(next);
        }
        return;
    }
    ++m_scores;
    const method::CanonicalValue value = member->score(m_scene, item.x, item.y);
    if (value.scored && value.score + value.bound >= m_options.minScore) {
        next.kind = Kind::Score;
        next.limit = value.score;
        next.bound = value.bound;
        to.push_back(next);
    }
}

std::vector<match::Peak> BestFirst::peaks(Facts& facts, const std::function<void()>& look) {
    const auto most = static_cast<std::size_t>(4 * m_pool.threads());
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
        made.assign(batch.size(), {});
        (void)m_pool.run(std::ssize(batch), [&](std::int64_t i, int) {
            const auto at = static_cast<std::size_t>(i);
            expand(batch[at], made[at]);
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
    for (const Item& item : equal) {
        if (std::ssize(m_accepted) >= m_options.maxPeaks || isCovered(item) || !isMaximum(item)) {
            continue;
        }
        const rotation::PoseBank& bank = *m_searched[item.part].prepared->bank;
        match::Exclusion zone(m_largest, m_options.minDistance);
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
        at->second = computeBest(place, hint);
    }
    return at->second;
}

Best BestFirst::computeBest(const Place& place, std::int64_t hint) {
    const auto& [part, y, x] = place;
    const Searched& in = m_searched[part];
    const CellLevel& coarse = in.cells->levels[1];
    Best best;
    const auto take = [&](std::int64_t member) {
        ++m_scores;
        const method::CanonicalValue value = m_members[part]->get(member)->score(m_scene, x, y);
        if (value.scored && (best.member < 0 || value.score > best.score ||
                             (value.score == best.score && member < best.member))) {
            best = {value.score, value.bound, member};
        }
    };
    take(hint);
    const auto reaches = [&](double limit) { return best.member < 0 || limit >= best.score; };
    std::vector<std::pair<double, std::int64_t>> open;
    const auto known = m_cell_limits.find(cellOf(place));
    for (std::int64_t i = 0; i < std::ssize(in.prepared->members); ++i) {
        const MemberCells& member = in.prepared->members[static_cast<std::size_t>(i)];
        const auto ofCell = [&] {
            return known != m_cell_limits.end() ? known->second[static_cast<std::size_t>(i)]
                                                : nodeLimit(member, coarse, x / coarse.edge,
                                                            y / coarse.edge, m_options.trust);
        };
        if (i == hint || !reaches(ofCell())) {
            continue;
        }
        if (const double limit = pointLimit(in, member, x, y); limit >= 0 && reaches(limit)) {
            open.emplace_back(limit, i);
        }
    }
    std::ranges::sort(open, [](const auto& a, const auto& b) { return a.first > b.first; });
    for (const auto& [limit, member] : open) {
        if (!reaches(limit) || m_stop.stop_requested()) {
            break;
        }
        ++m_limits;
        const auto full = m_members[part]->get(member);
        if (reaches(full->bound() + full->limit(m_scene.pixels, x, y, in.cells->level))) {
            take(member);
        }
    }
    return best;
}

match::Peak BestFirst::peakOf(const Item& item) {
    const Searched& in = m_searched[item.part];
    const rotation::PoseBank& bank = *in.prepared->bank;
    match::Peak peak;
    peak.score = item.limit;
    peak.bound = item.bound;
    peak.corner = {item.x, item.y, 0};
    peak.templ = in.part->numbers[bank.templ(item.member)];
    peak.pose = bank.pose(item.member);
    return peak;
}

BestFirst::Place BestFirst::cellOf(const Place& place) const {
    const auto& [part, y, x] = place;
    const std::int64_t edge = m_searched[part].cells->levels[1].edge;
    return {part, y / edge, x / edge};
}

/// The limits of all members at the coarse cells of some places, each cell once.
void BestFirst::setCellLimits(const std::vector<Place>& places) {
    constexpr std::int64_t kTogether = 64; // members
    struct Work {
        std::vector<double>* limits;
        Place cell;
        std::int64_t first;
    };
    std::vector<Work> work;
    for (const Place& place : places) {
        const Place cell = cellOf(place);
        const auto [at, isNew] = m_cell_limits.try_emplace(cell);
        if (!isNew) {
            continue;
        }
        at->second.resize(m_searched[std::get<0>(cell)].prepared->members.size());
        for (std::int64_t i = 0; i < std::ssize(at->second); i += kTogether) {
            work.push_back({&at->second, cell, i});
        }
    }
    (void)m_pool.run(std::ssize(work), [&](std::int64_t item, int) {
        const Work& of = work[static_cast<std::size_t>(item)];
        const auto& [part, y, x] = of.cell;
        const Searched& in = m_searched[part];
        const std::int64_t last = std::min(std::ssize(*of.limits), of.first + kTogether);
        for (std::int64_t i = of.first; i < last && !m_stop.stop_requested(); ++i) {
            const auto at = static_cast<std::size_t>(i);
            (*of.limits)[at] =
                nodeLimit(in.prepared->members[at], in.cells->levels[1], x, y, m_options.trust);
        }
    });
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
        const base::Extents map = mapOf(item.part);
        const rotation::TurnedTemplate member = bank.member(item.member);
        const method::CanonicalTemplate templ(method::viewOf(member));
        const match::Place place = match::placeOf(
            m_scene, templ, peak.corner, peak.score,
            [&](const base::Index& by) -> std::optional<double> {
                const base::Index at{peak.corner.x + by.x, peak.corner.y + by.y, by.z};
                if (!base::contains(map, {at, {1, 1, 1}})) {
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
        const base::Point corner{static_cast<double>(item.x), static_cast<double>(item.y), 0};
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
