#include "engine/search/detail/work.h"

#include <algorithm>
#include <cmath>

#include "engine/search/detail/coarse.h"

namespace flcc::search::detail {

namespace {

/// Of the smallest and the largest members, in the mean.
double pixelsOf(const rotation::PoseBank& bank) {
    const base::Extents n = bank.templExtents();
    double squares = 0;
    for (const double scale : bank.cover().scales) {
        squares += scale * scale;
    }
    return static_cast<double>(n.x) * static_cast<double>(n.y) * squares /
           static_cast<double>(bank.cover().scales.size());
}

double nodesIn(const rotation::PoseBank& bank, const base::Extents& scene) {
    const double edge = static_cast<double>(edgeOf(bank));
    return static_cast<double>(scene.x) * static_cast<double>(scene.y) / (edge * edge);
}

} // namespace

// Fitted to searches for templates of 13x17 to 200x150 in photographs and noise of 300x400 to
// 1628x1236, by 3 to 10 degrees, above scores of 0.5 to 0.8, on one thread: most within a factor of
// 1.5, all within 4. The machine took 4.5 times as long for searches of all scores as the built-in
// constants of method::CostModel say, so that the times are divided by it: both models are of one
// machine, and can be compared.
constexpr double kMachine = 1 / 4.5;

Costs costsOf(const rotation::PoseBank& bank) {
    const double pixels = pixelsOf(bank);
    const double edge = static_cast<double>(edgeOf(bank));
    const double rows = std::sqrt(pixels) / edge;
    const double cells = pixels / (edge * edge);
    return {.divided = kMachine * 285 * rows,
            .node = kMachine * (630 + 48 * rows),
            .cell = kMachine * 29 * cells,
            .limit = kMachine * (500 + 1.3 * pixels),
            .score = kMachine * (5000 + 2 * pixels),
            .turned = kMachine * 24 * pixels,
            .refined = kMachine * 280 * pixels,
            .batch = kMachine * 20e3,
            .covered = kMachine * 10};
}

double preparingMs(const rotation::PoseBank& bank, const std::vector<Prepared::Cluster>& clusters,
                   const base::Extents& scene) {
    double members = 0;
    for (const Prepared::Cluster& cluster : clusters) {
        members += static_cast<double>(std::max(cluster.end, cluster.next + 1) - cluster.first);
    }
    const double bases = static_cast<double>(clusters.size()) + 1;
    return kMachine * 1e-6 *
           (members * (80e3 + 35 * pixelsOf(bank)) + bases * 7 * nodesIn(bank, scene));
}

double coarseMs(const rotation::PoseBank& bank, const std::vector<Prepared::Cluster>& clusters,
                const base::Extents& scene) {
    return kMachine * 1e-6 * 40 * static_cast<double>(clusters.size()) * nodesIn(bank, scene);
}

double cellsMs(const base::Extents& scene) {
    return kMachine * 51e-6 * static_cast<double>(scene.x) * static_cast<double>(scene.y);
}

} // namespace flcc::search::detail
