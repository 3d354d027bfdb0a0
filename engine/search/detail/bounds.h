#pragma once

#include <algorithm>
#include <cstdint>
#include <functional>
#include <optional>
#include <vector>

#include "engine/search/detail/member_cells.h"
#include "engine/search/detail/scene_cells.h"

/// Limits on scores from above; README.md has the formulas.
namespace flcc::search::detail {

/// Runs whose products are added in floats before they are added in double.
inline constexpr std::int64_t kRunsTogether = 8;

/// The sum of products of the sums of a template and the means of the scene, with the template's
/// box at cell (x, y).
[[nodiscard]] double dot(const CellSums& templ, const CellLevel& scene, std::int64_t x,
                         std::int64_t y);

/// The same with the box at all cells (x + i, y + j), i and j from 0 to kWide - 1, at
/// `to`[j * kWide + i]. **kWide**: 2 to 4.
template <std::size_t kWide>
void dots(const CellSums& templ, const CellLevel& scene, std::int64_t x, std::int64_t y,
          double* to);

/// Norms of the scene in the regions of a node at cell (x, y).
struct Energies {
    double seen = 0;     ///< of the means of cells about their mean, in the outer region
    double unseen = 0;   ///< of pixels about the means of their cells, there
    double whole = 0;    ///< of pixels less the level of the scene, there
    double low = 0;      ///< as `seen`, of cells of twice the edge
    double high = 0;     ///< of means of cells about those of cells of twice the edge
    double contrast = 0; ///< of pixels about their mean, in the inner region; a limit from below
    double mean = 0;     ///< of the pixels of the outer region
    bool flat = false;   ///< all pixels of the outer region are equal: no score
};
[[nodiscard]] Energies energiesOf(const Regions& regions, const CellLevel& scene, std::int64_t x,
                                  std::int64_t y);
/// The same from the sums over both regions. `slack`: CellLevel::slack.
[[nodiscard]] Energies energiesOf(const CellLevel::Sums& outer, double outerPixels,
                                  const CellLevel::Sums& inner, double innerPixels, double slack);
/// Whether all cells of the runs are constant and equal.
[[nodiscard]] bool isFlat(const Runs& runs, const CellLevel& scene, std::int64_t x, std::int64_t y);

/// The limit on a score whose coarse part is `product`, at least 0; above 1 where nothing is known.
/// `rest`: a limit on the products of remainders, of which `trust` counts: 1 for a limit that
/// holds.
[[nodiscard]] inline double limitOf(double product, const Energies& energies, double rest,
                                    double rounding, double trust) {
    constexpr double kUnknown = 2;
    return energies.contrast > 0
               ? std::max(0.0, product + trust * rest + rounding * energies.whole) /
                     energies.contrast
               : kUnknown;
}

/// What remainders may add to a product where cells are compared one by one.
struct LocalRest {
    double seen = 0;
    double unseen = 0;
};
/// `mean`: any value; near that of the scene under the template.
[[nodiscard]] LocalRest localRest(const CellRemainders& templ, const CellLevel& scene,
                                  std::int64_t x, std::int64_t y, double mean);

/// What remainders of a template may add to a product.
[[nodiscard]] inline double restOf(const Energies& energies, double seen, double unseen) {
    return energies.seen * seen + energies.unseen * unseen;
}
[[nodiscard]] inline double restOf(const Energies& energies, const Remainder& seen, double unseen) {
    const double parts = energies.low * static_cast<double>(seen.low) +
                         energies.high * static_cast<double>(seen.high);
    return std::min(energies.seen * static_cast<double>(seen.whole), parts) +
           energies.unseen * unseen;
}
[[nodiscard]] inline double restOf(const Energies& energies, const Remainder& seen, double unseen,
                                   const LocalRest& local) {
    const double parts = energies.low * static_cast<double>(seen.low) +
                         energies.high * static_cast<double>(seen.high);
    return std::min({energies.seen * static_cast<double>(seen.whole), parts, local.seen}) +
           std::min(energies.unseen * unseen, local.unseen);
}

/// Relative rounding of all sums and of a template whose sum is not quite 0.
inline constexpr double kSumRounding = 2e-6;

/// What the cluster of a member tells of a node: the largest product of its bases at the corners of
/// the node, the score that is asked for, and energies in regions that hold for all of its members.
struct Known {
    double product = 0;
    double least = 0;
    Energies energies{};
};

/// The energies of a node of `cells`, with those of the cells of `large`, of twice the edge, in
/// `around`, which holds the outer region of the node.
[[nodiscard]] Energies nodeEnergies(const Regions& node, const CellLevel& cells, const Runs& around,
                                    const CellLevel& large, std::int64_t x, std::int64_t y);

/// The limit on the scores of a member at all placements of a coarse node. With `known` it may be
/// any value below `known.least` if the limit is below that. `remainders`, if any: of the member;
/// asked for where all else does not leave the node out.
[[nodiscard]] double nodeLimit(const MemberCells& member, const std::vector<CellLevel>& levels,
                               std::int64_t x, std::int64_t y, double trust,
                               const std::optional<Known>& known = {},
                               const std::function<const CellRemainders&()>& remainders = {});

/// The cubic weights of a place in a fine cell, for cells moved by -1, 0, 1 and 2.
void placeWeights(std::int64_t place, std::int64_t edge, double* weights);

} // namespace flcc::search::detail
