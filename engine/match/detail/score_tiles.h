#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "engine/match/peaks.h"

namespace flcc::match::detail {

/// The scores of one tile of a map.
struct ScoreTile {
    base::Box box;
    double count = 0;                    ///< scores that were read
    std::array<double, 4> powers{};      ///< sums of the first four powers of score - origin
    std::array<double, 3> pairs{};       ///< neighbours along each axis that were read
    std::array<double, 3> differences{}; ///< sums of their squared differences
    float median = 0;                    ///< only of the best scores of several templates
    double placements = 0;               ///< scores of the tile, read or not
};

/// The tiles of a map, and of all of them together.
struct ScoreTiles {
    std::vector<ScoreTile> tiles; ///< with at least kLeastInTile scores
    base::Extents edges{0, 0, 0}; ///< of a tile, about
    double share = 1;             ///< of the scores that were read
    std::vector<float> values;    ///< those scores, where medians are asked for
    static constexpr double kLeastInTile = 50;
};

/// True where a score counts: OK and LOWCONF, and PARTIAL if `partial`.
[[nodiscard]] inline bool countsIn(base::Status status, bool partial) {
    return base::hasValue(status) && (partial || status != base::Status::Partial);
}

/// Reads tiles of 48 pixels or 24 voxels an edge, or of 3 or 2 templates where that is more.
/// `origin`: subtracted from scores. **Cost**: one pass over at most 2^22 voxels, in whole rows.
[[nodiscard]] ScoreTiles scoreTiles(const SearchedMap& map, const base::Extents& templ,
                                    double origin, bool partial, bool medians);

/// Means of the scores of some templates at a sample of placements.
struct SampledKind {
    double members = 0;          ///< templates of this kind
    std::vector<double> squares; ///< for each tile, mean of (score - origin)^2
    std::vector<double> fourths; ///< and of its fourth power
};

/// The templates of a map, or its templates and scales of a search over poses, as kinds, of which
/// some members are scored at some placements in every tile. Empty if nothing can be scored.
struct ScoreSample {
    std::vector<SampledKind> kinds;
    double places = 0; ///< in a tile, at most
    int turns = 0;     ///< axes of rotation
};
[[nodiscard]] ScoreSample sampleScores(const SearchedMap& map, const method::MaskedView& scene,
                                       const ScoreTiles& tiles, double origin,
                                       const PeakOptions& options);

} // namespace flcc::match::detail
