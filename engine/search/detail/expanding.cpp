// What the items of a search are divided into.

#include <algorithm>
#include <array>
#include <cmath>

#include "engine/search/detail/best_first.h"
#include "engine/search/detail/bounds.h"

namespace flcc::search::detail {

void BestFirst::expandCluster(const Item& item, std::vector<Item>& to, int worker) {
    const Searched& in = m_searched[item.part];
    const Prepared::Cluster& cluster =
        in.prepared->clusters[static_cast<std::size_t>(-1 - item.member)];
    count(item.part, &Costs::divided, cluster.end - cluster.first);
    std::vector<Node> nodes;
    appendMembers(*in.prepared, m_frame, in.cells->levels,
                  {0, static_cast<float>(item.bound), item.member, item.x, item.y}, least(),
                  m_options.trust, nodes, [&](std::int64_t member) -> const CellRemainders& {
                      return remaindersOf(item.part, member, worker);
                  });
    for (const Node& node : nodes) {
        to.push_back({std::min(item.limit, static_cast<double>(node.limit)), Kind::Node, item.part,
                      node.member, node.x, node.y});
    }
}

CellMaker& BestFirst::makerOf(std::size_t part, int worker) {
    auto& maker = m_makers[part][static_cast<std::size_t>(worker)];
    if (!maker) {
        const Prepared& prepared = *m_searched[part].prepared;
        maker = std::make_unique<CellMaker>(prepared.bank->box(), prepared.edge);
    }
    return *maker;
}

const CellRemainders& BestFirst::remaindersOf(std::size_t part, std::int64_t member, int worker) {
    Prepared::Fine& fine = m_searched[part].prepared->fine[static_cast<std::size_t>(member)];
    std::call_once(fine.onceRemainders, [&] {
        fine.remainders = std::make_unique<const CellRemainders>(
            makerOf(part, worker).takeRemainders(m_members[part]->get(member)->placed()));
    });
    return *fine.remainders;
}

const FineCells& BestFirst::fineOf(std::size_t part, std::int64_t member, int worker) {
    Prepared::Fine& fine = m_searched[part].prepared->fine[static_cast<std::size_t>(member)];
    std::call_once(fine.once, [&] {
        ++m_fine;
        count(part, &Costs::refined);
        fine.cells = std::make_unique<const FineCells>(
            makerOf(part, worker).takeFine(m_members[part]->get(member)->placed()));
    });
    return *fine.cells;
}

void BestFirst::expandNode(const Item& item, std::vector<Item>& to, int worker) {
    const Searched& in = m_searched[item.part];
    const FineCells& member = fineOf(item.part, item.member, worker);
    const CellLevel& cells = in.cells->levels[0];
    const Corners& corners = in.corners[static_cast<std::size_t>(item.member)];
    if (cells.edge == 1) {
        expandPixels(item, member, to);
        return;
    }
    constexpr std::size_t kCorners = 3;
    std::array<double, kCorners * kCorners> products{};
    const std::int32_t left = 2 * item.x;
    const std::int32_t top = 2 * item.y;
    dots<kCorners>(member.sums, cells, left, top, products.data());
    // Energies of the whole node are limits on those of its parts.
    const MemberCells& whole = in.prepared->members[static_cast<std::size_t>(item.member)];
    const Energies energies = energiesOf(whole.node, in.cells->levels[1], item.x, item.y);
    const LocalRest common{std::hypot(energies.seen, energies.unseen) *
                               static_cast<double>(member.seen.whole),
                           energies.unseen * static_cast<double>(member.unseen)};
    for (std::int32_t fine = 0; fine < 4; ++fine) {
        const std::int32_t x = left + fine % 2;
        const std::int32_t y = top + fine / 2;
        if (!corners.touchesCell(x, y, cells.edge)) {
            continue;
        }
        const double* const corner =
            products.data() + static_cast<std::size_t>(fine / 2) * kCorners + fine % 2;
        const double highest =
            std::max({corner[0], corner[1], corner[kCorners], corner[kCorners + 1]});
        const auto limitBy = [&](double rest) {
            return limitOf(highest, energies, rest, member.sums.rounding + kSumRounding,
                           m_options.trust);
        };
        if (limitBy(common.seen + common.unseen) < least()) {
            continue;
        }
        const LocalRest local = localRest(member.remainders, cells, x, y, energies.mean);
        const double limit = std::min(item.limit, limitBy(std::min(common.seen, local.seen) +
                                                          std::min(common.unseen, local.unseen)));
        if (limit >= least()) {
            to.push_back({limit, Kind::Cell, item.part, item.member, x, y});
        }
    }
}

void BestFirst::expandCell(const Item& item, std::vector<Item>& to, int worker) {
    const Searched& in = m_searched[item.part];
    const FineCells& member = fineOf(item.part, item.member, worker);
    const CellLevel& cells = in.cells->levels[0];
    const std::int64_t edge = cells.edge;
    const Corners& corners = in.corners[static_cast<std::size_t>(item.member)];
    const Energies energies =
        nodeEnergies(member.point, cells, member.large, in.cells->levels[1], item.x, item.y);
    if (energies.flat) {
        return;
    }
    constexpr std::size_t kCorners = 4; // moved by -1 .. 2 fine cells
    std::array<double, kCorners * kCorners> products{};
    dots<kCorners>(member.sums, cells, item.x - 1, item.y - 1, products.data());
    const double rounding = 4 * member.sums.rounding + kSumRounding; // weights add up to below 2
    for (std::int64_t place = 0; place < edge * edge; ++place) {
        const std::int64_t x = item.x * edge + place % edge;
        const std::int64_t y = item.y * edge + place / edge;
        if (!corners.holds(x, y)) {
            continue;
        }
        std::array<double, kCorners> across{};
        std::array<double, kCorners> down{};
        placeWeights(place % edge, edge, across.data());
        placeWeights(place / edge, edge, down.data());
        double product = 0;
        for (std::size_t j = 0; j < kCorners; ++j) {
            for (std::size_t i = 0; i < kCorners; ++i) {
                product += across[i] * down[j] * products[j * kCorners + i];
            }
        }
        const auto at = static_cast<std::size_t>(place);
        const double limit =
            std::min(item.limit, limitOf(product, energies,
                                         restOf(energies, static_cast<double>(member.pointSeen[at]),
                                                static_cast<double>(member.pointUnseen[at])),
                                         rounding, m_options.trust));
        if (limit >= least()) {
            to.push_back({limit, Kind::Point, item.part, item.member, static_cast<std::int32_t>(x),
                          static_cast<std::int32_t>(y)});
        }
    }
}

/// Where fine cells are pixels: four placements without any interpolation.
void BestFirst::expandPixels(const Item& item, const FineCells& member,
                             std::vector<Item>& to) const {
    const Searched& in = m_searched[item.part];
    for (std::int32_t place = 0; place < 4; ++place) {
        const std::int32_t x = 2 * item.x + place % 2;
        const std::int32_t y = 2 * item.y + place / 2;
        if (!in.corners[static_cast<std::size_t>(item.member)].holds(x, y)) {
            continue;
        }
        const double limit = std::min(item.limit, pointLimit(in, member, x, y));
        if (limit >= least()) {
            to.push_back({limit, Kind::Point, item.part, item.member, x, y});
        }
    }
}

double BestFirst::pointLimit(const Searched& in, const FineCells& member, std::int64_t x,
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
                           dot(member.sums, cells, x / edge + static_cast<std::int64_t>(i) - 1,
                               y / edge + static_cast<std::int64_t>(j) - 1);
            }
        }
    }
    const auto at = static_cast<std::size_t>(y % edge * edge + x % edge);
    return limitOf(product, energies,
                   restOf(energies, static_cast<double>(member.pointSeen[at]),
                          static_cast<double>(member.pointUnseen[at])),
                   4 * member.sums.rounding + kSumRounding, m_options.trust);
}

void BestFirst::expand(const Item& item, std::vector<Item>& to, int worker) {
    if (item.kind == Kind::Cluster) {
        expandCluster(item, to, worker);
        m_nodes += std::ssize(to);
        return;
    }
    if (item.kind == Kind::Node) {
        count(item.part, &Costs::node);
        expandNode(item, to, worker);
        m_points += m_searched[item.part].cells->levels[0].edge == 1 ? std::ssize(to) : 0;
        return;
    }
    if (item.kind == Kind::Cell) {
        expandCell(item, to, worker);
        count(item.part, &Costs::cell);
        m_points += std::ssize(to);
        return;
    }
    const auto member = m_members[item.part]->get(item.member);
    Item next = item;
    if (item.kind == Kind::Point) {
        ++m_limits;
        count(item.part, &Costs::limit);
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
    count(item.part, &Costs::score);
    const method::CanonicalValue value = member->score(m_scene, item.x, item.y);
    if (value.scored && value.score + value.bound >= m_options.minScore) {
        next.kind = Kind::Score;
        next.limit = value.score;
        next.bound = value.bound;
        to.push_back(next);
    }
}

} // namespace flcc::search::detail
