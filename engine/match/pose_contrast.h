#pragma once

#include <cstdint>
#include <optional>
#include <stop_token>
#include <vector>

#include "engine/base/tile_pool.h"
#include "engine/match/peaks.h"

namespace flcc::match {

/// What the members of a search over orientations score at one place.
struct PlaceScores {
    double best = 0;      ///< of all members
    double mean = 0;      ///< over the members
    double deviation = 0; ///< over the members
    /// (best - mean) / deviation; 0 where all members score alike.
    [[nodiscard]] double contrast() const { return deviation > 0 ? (best - mean) / deviation : 0; }
};

/// How far the best orientation stands out from the others at a place. A thing of the template's
/// size that is not the template fits it in no orientation much better than in others: its contrast
/// is that of the best of so many accidents.
struct PoseContrast {
    double other = 0;        ///< contrast where something else lies, median
    double spread = 0;       ///< standard deviation of it, within 0.2 to 0.25
    double own = 0;          ///< (best - mean) / best where the template lies, median
    double ownDeviation = 0; ///< deviation / best there, median
};

struct PoseScores {
    PoseContrast contrast;
    std::vector<PlaceScores> places; ///< of the peaks, in their order
};

/// Measures the contrast of a bank without a scene: on copies of the template in orientations
/// between those of the search, and on things that have its radial profile and, about that, details
/// of the same size and strength that are not its own, which are the sum of 4 copies of its
/// details in random orientations with random signs. All members score them, of more than 2048 some
/// 2048. At the peaks, whose corners are placements of `map`, some 256 members are scored. If
/// cancelled, the result is unspecified. **Cost**: making these members, 48 scores of each, and 256
/// of each peak.
[[nodiscard]] PoseScores poseScores(const SearchedMap& map, const method::MaskedView& scene,
                                    const std::vector<Peak>& peaks, const PeakOptions& options,
                                    base::TilePool& pool, const std::stop_token& stop);

/// Whether poseScores() tells of a search: of one template of one size and hand, in at least 50
/// orientations that are not all in a plane.
[[nodiscard]] bool hasContrast(const std::vector<SearchedMap>& maps);

/// Which places hold the template.
struct PlaceVerdicts {
    std::vector<bool> own;
    double share = 1; ///< of the template among the places, at least 1/2
    [[nodiscard]] std::int64_t others() const;
};

/// Judges places that stand out from noise. With e = best - mean - other * deviation of a place,
/// - something else has e of at most about 0, with s_0 = hypot(spread * deviation, noise / 2);
/// - the template has e of at least about e_1 = own * best - other * deviation, with s_1 =
///   hypot(spread * deviation, noise), and a deviation of at most about 1.2 times d_1 =
///   hypot(ownDeviation * best, noise), with 0.15 d_1.
/// All are Gaussian. Their shares among the places are those of the largest likelihood with the
/// weight of two more places of the template; below 1/2 the share of the template is 1/2. Where the
/// template is too round or too weak to tell (e_1 <= 0, deviation <= 1.2 d_1), a place counts as
/// the template's. Others do if the template is more probable there than something else, and either
/// at least four times as probable or, most probable ones first, while no more than `number` of all
/// are expected to be of something else. `noise`: the deviation of the scores of noise. **Source**:
/// mixtures by expectation and maximisation, Dempster, Laird, Rubin, J. R. Stat. Soc. B 39, 1977.
[[nodiscard]] PlaceVerdicts judgePlaces(const std::vector<PlaceScores>& places,
                                        const PoseContrast& contrast, double noise, double number);

/// The result for reports.
struct OtherThings {
    PoseContrast contrast;
    std::int64_t places = 0; ///< that were judged
    std::int64_t others = 0; ///< of them, left out of the list
};

} // namespace flcc::match
