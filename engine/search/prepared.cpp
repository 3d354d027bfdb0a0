#include <algorithm>
#include <atomic>
#include <cmath>

#include "engine/base/error.h"
#include "engine/search/detail/coarse.h"
#include "engine/search/detail/prepared_bank.h"

namespace flcc::search {

namespace {

using rotation::PoseBank;

/// Coarse cells of a template: fewer see too little of it, more cost time. Measured on pictures of
/// machine parts with 500, 1000 and 3000.
constexpr double kFewestCells = 1000;
/// Cells of 16 pixels took twice the time of those of 8 for the largest of them.
constexpr std::int64_t kLargestEdge = 8;

/// Degrees by which a template of this size may be turned so that its pixels move by `pixels`, in
/// the mean of squares.
double degreesFor(const PoseBank& bank, double pixels) {
    const base::Extents n = bank.templExtents();
    const double scale = *std::ranges::max_element(bank.cover().scales);
    const double radius = scale * std::sqrt(static_cast<double>(n.x * n.x + n.y * n.y) / 12.0);
    return pixels / radius * 180 / 3.141592653589793;
}

/// Whether two members differ by a turn alone, of at most `degrees`.
bool areNear(const PoseBank& bank, std::int64_t a, std::int64_t b, double degrees) {
    const rotation::Pose one = bank.pose(a);
    const rotation::Pose other = bank.pose(b);
    return bank.templ(a) == bank.templ(b) && one.scale == other.scale &&
           one.mirrored == other.mirrored &&
           rotation::angleBetween(one.turn, other.turn) <= degrees + 1e-6;
}

std::vector<Prepared::Sector> sectorsOf(const Prepared& prepared) {
    constexpr double kMoved = 3; // cells
    const double degrees = degreesFor(*prepared.bank, kMoved * static_cast<double>(prepared.edge));
    std::vector<Prepared::Sector> sectors;
    const auto& clusters = prepared.clusters;
    for (std::size_t first = 0; first < clusters.size();) {
        Prepared::Sector sector{first, first, {}};
        bool begins = true;
        while (sector.end < clusters.size() &&
               (begins || areNear(*prepared.bank, clusters[first].first, clusters[sector.end].next,
                                  degrees))) {
            const Prepared::Cluster& cluster = clusters[sector.end];
            for (std::int64_t i = cluster.first; i < std::max(cluster.end, cluster.next + 1); ++i) {
                const detail::Regions& own = prepared.members[static_cast<std::size_t>(i)].sector;
                sector.regions.outer = detail::unionOf(sector.regions.outer, own.outer);
                sector.regions.inner =
                    begins ? own.inner : detail::commonOf(sector.regions.inner, own.inner);
                begins = false;
            }
            ++sector.end;
        }
        first = sector.end;
        sectors.push_back(std::move(sector));
    }
    return sectors;
}

detail::MemberCells memberCells(detail::CellMaker& maker, const PoseBank& bank,
                                std::int64_t number) {
    try {
        detail::MemberCells made = maker.take(detail::placedMember(bank, number));
        made.reach = bank.ownBox(bank.templ(number), bank.pose(number));
        return made;
    } catch (const base::Error& error) {
        throw error.within("the template turned by " +
                           std::to_string(rotation::inPlaneDegrees(bank.pose(number).turn)) +
                           " degrees: ");
    }
}

} // namespace

std::int64_t detail::edgeOf(const PoseBank& bank) {
    const base::Extents n = bank.templExtents();
    const double scale = *std::ranges::min_element(bank.cover().scales);
    const double pixels = static_cast<double>(n.x) * static_cast<double>(n.y) * scale * scale;
    std::int64_t edge = 2;
    while (edge < kLargestEdge && pixels / static_cast<double>(4 * edge * edge) >= kFewestCells) {
        edge *= 2;
    }
    return edge;
}

/// Bases are as far apart as their angles allow.
std::vector<Prepared::Cluster> detail::clustersOf(const PoseBank& bank) {
    constexpr double kMoved = 0.75; // of a cell; further apart they tell less of what lies between
    const double degrees = degreesFor(bank, kMoved * static_cast<double>(edgeOf(bank)));
    std::vector<Prepared::Cluster> clusters;
    for (std::int64_t first = 0; first < bank.count();) {
        Prepared::Cluster cluster{.first = first, .end = first + 1, .next = first};
        while (cluster.next + 1 < bank.count() && areNear(bank, first, cluster.next + 1, degrees)) {
            ++cluster.next;
        }
        const bool isLast =
            cluster.next + 1 == bank.count() || !areNear(bank, first, cluster.next + 1, 180);
        // The last base of a row of turns is in the cluster before it.
        cluster.end = std::max(first + 1, isLast ? cluster.next + 1 : cluster.next);
        first = cluster.end;
        clusters.push_back(cluster);
    }
    return clusters;
}

bool isOf(const Prepared& prepared, const PoseBank& bank) {
    return prepared.bank.get() == &bank || prepared.bank->hasMembersOf(bank);
}

std::int64_t preparedBytes(const PoseBank& bank, const base::Extents& scene) {
    const auto edge = static_cast<double>(detail::edgeOf(bank));
    const base::Extents n = bank.templExtents();
    const double scale = *std::ranges::max_element(bank.cover().scales);
    const double pixels = static_cast<double>(n.x) * static_cast<double>(n.y) * scale * scale;
    // Sums of both edges, and about a third more for runs.
    const double member = 4 * 1.4 * pixels * (1 + 4) / (edge * edge) + 8192;
    const double spectrum = 4.2 * static_cast<double>(scene.x) * static_cast<double>(scene.y) /
                            (edge * edge); // at most one for each member
    return static_cast<std::int64_t>(
        member * static_cast<double>(bank.count()) +
        std::min(0x1p28, spectrum * static_cast<double>(bank.count())));
}

std::shared_ptr<const Prepared> detail::prepareClusters(std::shared_ptr<const PoseBank> bank,
                                                        std::vector<Prepared::Cluster> clusters,
                                                        const base::Extents& scene,
                                                        base::TilePool& pool,
                                                        const std::stop_token& stop,
                                                        const std::function<void(double)>& share) {
    if (!bank->cover().flat || bank->box().z > 1) {
        throw base::Error(base::ErrorCode::Problem,
                          "the pruned search turns templates of one slice in the plane; use "
                          "--search exhaustive for volumes");
    }
    auto made = std::make_shared<Prepared>();
    made->bank = bank;
    made->edge = detail::edgeOf(*bank);
    made->clusters = std::move(clusters);
    made->members.resize(static_cast<std::size_t>(bank->count()));
    made->fine.resize(made->members.size());
    std::vector<std::unique_ptr<detail::CellMaker>> makers;
    for (int i = 0; i < pool.threads(); ++i) {
        makers.push_back(std::make_unique<detail::CellMaker>(bank->box(), made->edge));
    }
    // The bases first: members between them are compared with both.
    std::vector<std::int64_t> order;
    std::vector<std::int64_t> others;
    std::vector<bool> isBase(made->members.size(), false);
    for (const Prepared::Cluster& cluster : made->clusters) {
        for (const std::int64_t base : {cluster.first, cluster.next}) {
            if (!isBase[static_cast<std::size_t>(base)]) {
                isBase[static_cast<std::size_t>(base)] = true;
                order.push_back(base);
            }
        }
    }
    std::vector<std::size_t> clusterOf;
    for (std::size_t c = 0; c < made->clusters.size(); ++c) {
        const Prepared::Cluster& cluster = made->clusters[c];
        for (std::int64_t i = cluster.first; i < cluster.end; ++i) {
            if (!isBase[static_cast<std::size_t>(i)]) {
                others.push_back(i);
                clusterOf.push_back(c);
            }
        }
    }
    std::vector<detail::Field> fields(made->members.size());
    std::atomic<std::int64_t> done = 0;
    const std::int64_t all = std::ssize(order) + std::ssize(others);
    const auto tell = [&] {
        const std::int64_t now = ++done;
        if (share) {
            share(static_cast<double>(now) / static_cast<double>(all));
        }
    };
    const bool bases = pool.run(
        std::ssize(order),
        [&](std::int64_t i, int worker) {
            const auto number = static_cast<std::size_t>(order[static_cast<std::size_t>(i)]);
            detail::CellMaker& maker = *makers[static_cast<std::size_t>(worker)];
            made->members[number] = memberCells(maker, *bank, order[static_cast<std::size_t>(i)]);
            fields[number] = maker.field();
            tell();
        },
        stop);
    if (!bases) {
        return nullptr;
    }
    const bool rest = pool.run(
        std::ssize(others),
        [&](std::int64_t i, int worker) {
            const std::int64_t member = others[static_cast<std::size_t>(i)];
            const Prepared::Cluster& cluster =
                made->clusters[clusterOf[static_cast<std::size_t>(i)]];
            detail::CellMaker& maker = *makers[static_cast<std::size_t>(worker)];
            detail::MemberCells cells = memberCells(maker, *bank, member);
            const auto angle = [&](std::int64_t of) {
                return rotation::angleBetween(bank->pose(cluster.first).turn, bank->pose(of).turn);
            };
            cells.between =
                maker.between(fields[static_cast<std::size_t>(cluster.first)],
                              fields[static_cast<std::size_t>(cluster.next)],
                              std::clamp(angle(member) / angle(cluster.next), 0.0, 1.0));
            made->members[static_cast<std::size_t>(member)] = std::move(cells);
            tell();
        },
        stop);
    if (!rest) {
        return nullptr;
    }
    for (Prepared::Cluster& cluster : made->clusters) {
        for (std::int64_t i = cluster.first; i < cluster.end; ++i) {
            const detail::MemberCells& cells = made->members[static_cast<std::size_t>(i)];
            cluster.between = cluster.between.with(cells.between);
            cluster.unseen = std::max(cluster.unseen, cells.unseen);
            cluster.node.outer = detail::unionOf(cluster.node.outer, cells.node.outer);
            cluster.node.inner = i == cluster.first
                                     ? cells.node.inner
                                     : detail::commonOf(cluster.node.inner, cells.node.inner);
            cluster.sector = detail::unionOf(cluster.sector, cells.sector.outer);
        }
    }
    made->sectors = sectorsOf(*made);
    const base::Extents framed = detail::frameOf({made.get()}, scene).extents;
    return detail::makeSpectra(*made, framed, pool, stop) ? made : nullptr;
}

std::shared_ptr<const Prepared> prepare(std::shared_ptr<const PoseBank> bank,
                                        const base::Extents& scene, base::TilePool& pool,
                                        const std::stop_token& stop,
                                        const std::function<void(double)>& share) {
    std::vector<Prepared::Cluster> clusters = detail::clustersOf(*bank);
    return detail::prepareClusters(std::move(bank), std::move(clusters), scene, pool, stop, share);
}

} // namespace flcc::search
