// What the items of a search are divided into.

#include <algorithm>
#include <array>

#include "engine/search/detail/best_first.h"
#include "engine/search/detail/bounds.h"

namespace flcc::search::detail {

void BestFirst::expandCluster(const Item& item, std::vector<Item>& to) const {
    const Searched& in = m_searched[item.part];
    std::vector<Node> nodes;
    appendMembers(*in.prepared, m_frame, in.cells->levels,
                  {0, static_cast<float>(item.bound), item.member, item.x, item.y}, least(),
                  m_options.trust, nodes);
    for (const Node& node : nodes) {
        to.push_back({std::min(item.limit, static_cast<double>(node.limit)), Kind::Node, item.part,
                      node.member, node.x, node.y});
    }
}

const FineCells& BestFirst::fineOf(std::size_t part, std::int64_t member, int worker) {
    const Prepared& prepared = *m_searched[part].prepared;
    Prepared::Fine& fine = prepared.fine[static_cast<std::size_t>(member)];
    std::call_once(fine.once, [&] {
        auto& maker = m_makers[part][static_cast<std::size_t>(worker)];
        if (!maker) {
            maker = std::make_unique<CellMaker>(prepared.bank->box(), prepared.edge);
        }
        ++m_fine;
        fine.cells = std::make_unique<const FineCells>(
            maker->takeFine(m_members[part]->get(member)->placed()));
    });
    return *fine.cells;
}

void BestFirst::expandNode(const Item& item, std::vector<Item>& to, int worker) {
    const Searched& in = m_searched[item.part];
    const FineCells& member = fineOf(item.part, item.member, worker);
    const CellLevel& cells = in.cells->levels[0];
    const std::int64_t edge = cells.edge;
    const Corners& corners = in.corners[static_cast<std::size_t>(item.member)];
    if (edge == 1) {
        expandPixels(item, member, to);
        return;
    }
    constexpr std::int64_t kCorners = 5; // moved by -1 .. 3 fine cells
    std::array<double, kCorners * kCorners> products{};
    const auto take = [&](bool inner) { // the corners of the cells first, then those about them
        for (std::int64_t i = 0; i < kCorners * kCorners; ++i) {
            const std::int64_t right = i % kCorners;
            const std::int64_t down = i / kCorners;
            if ((right >= 1 && right <= 3 && down >= 1 && down <= 3) == inner) {
                products[static_cast<std::size_t>(i)] =
                    dot(member.sums, cells, 2 * std::int64_t{item.x} + right - 1,
                        2 * std::int64_t{item.y} + down - 1);
            }
        }
    };
    take(true);
    bool isWhole = false;
    const double rounding = 4 * member.sums.rounding + kSumRounding; // weights add up to below 2
    for (std::int64_t fine = 0; fine < 4; ++fine) {
        const std::int64_t cellX = 2 * std::int64_t{item.x} + fine % 2;
        const std::int64_t cellY = 2 * std::int64_t{item.y} + fine / 2;
        if (!corners.touchesCell(cellX, cellY, edge)) {
            continue;
        }
        const Energies energies =
            nodeEnergies(member.point, cells, member.large, in.cells->levels[1], cellX, cellY);
        const auto corner = static_cast<std::size_t>((1 + fine / 2) * kCorners + 1 + fine % 2);
        const double highest =
            std::max({products[corner], products[corner + 1], products[corner + kCorners],
                      products[corner + kCorners + 1]});
        if (energies.flat ||
            limitOf(highest, energies,
                    restOf(energies, member.seen, static_cast<double>(member.unseen)), rounding,
                    m_options.trust) < least()) {
            continue;
        }
        if (!isWhole) {
            take(false);
            isWhole = true;
        }
        for (std::int64_t place = 0; place < edge * edge; ++place) {
            const std::int64_t x = cellX * edge + place % edge;
            const std::int64_t y = cellY * edge + place / edge;
            if (!corners.holds(x, y)) {
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
                item.limit, limitOf(product, energies,
                                    restOf(energies, static_cast<double>(member.pointSeen[at]),
                                           static_cast<double>(member.pointUnseen[at])),
                                    rounding, m_options.trust));
            if (limit >= least()) {
                to.push_back({limit, Kind::Point, item.part, item.member,
                              static_cast<std::int32_t>(x), static_cast<std::int32_t>(y)});
            }
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
        expandCluster(item, to);
        m_nodes += std::ssize(to);
        return;
    }
    if (item.kind == Kind::Node) {
        const std::size_t before = to.size();
        expandNode(item, to, worker);
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

} // namespace flcc::search::detail
