#pragma once

#include <array>
#include <optional>
#include <string_view>
#include <vector>

#include "engine/match/null_template.h"
#include "engine/match/peaks.h"

namespace flcc::match {

/// How scores of a scene without the template are distributed.
enum class Law {
    Student, ///< of correlation coefficients of unstructured panels
    Gaussian ///< where Student's law differs from it by less than 1 % or does not exist
};
[[nodiscard]] std::string_view name(Law law); ///< "student", "gaussian"

/// The law of the scores of one map, from their mean and deviation:
/// p(r) = P(t > (r - mu) sqrt(nu / (1 - (r - mu)^2))), Student's t with nu = 1 / sigma^2 - 1.
/// Scores of neighbouring placements are alike, so that one accident gives several of them. Their
/// groups are counted by the expected Euler characteristic of a smooth field, where that is less
/// than the number of scores. **Source**: Adler, The Geometry of Random Fields (1981).
struct ScoreLaw {
    Law law = Law::Gaussian;
    double mean = 0;
    double deviation = 0; ///< 0 if the scores are all equal
    double freedom = 0;   ///< nu of Student's law
    double count = 0;     ///< scores of all templates
    /// Minus the second derivative of the correlation of neighbours along each axis, at 0, in
    /// 1/voxel^2; 0 where it was not measured. `axes` counts those that were; if any is missing,
    /// scores are counted, not groups.
    std::array<double, 3> roughness{0, 0, 0};
    int axes = 0;
    int dimensions = 2; ///< axes with more than one voxel

    /// Fewer scores than this tell no law.
    static constexpr double kLeastCount = 100;

    [[nodiscard]] bool exists() const { return deviation > 0 && count >= kLeastCount; }
    /// The number of groups of scores at or above `score` in the map of a scene without the
    /// template. **Cost**: some microseconds.
    [[nodiscard]] double falsePositives(double score) const;
};

/// The law of a map that is searched. **Cost**: one pass over at most 2^20 voxels of its map; none
/// for a reduced map, whose groups are not counted.
[[nodiscard]] ScoreLaw scoreLaw(const SearchedMap& map);

/// What a whole search finds in a scene without the template: by the laws of its maps or, if there
/// is one, by the peaks of a null template.
struct SearchLaw {
    std::vector<ScoreLaw> maps{};
    /// The peaks of the null templates in the same scene, best first. Their number is the law up to
    /// the best scores; beyond, the mean excess over one of them continues it as an exponential.
    std::vector<double> nullScores{};
    NullTemplate null = NullTemplate::None; ///< that gave nullScores
    /// The search takes so many maps like these, such as the frames of a stream.
    double searches = 1;

    [[nodiscard]] bool exists() const;
    /// Name of the law in force: that of the first map, or of the null template.
    [[nodiscard]] std::string_view name() const;
    /// The number of peaks at or above `score`; 0 if no law exists. Does not rise with the score.
    [[nodiscard]] double falsePositives(double score) const;
    /// The score at which `number` false positives are expected, rounded up to 1e-5, from -1 to
    /// 0.999, so that a copy of the template is always found; NaN if no law exists.
    [[nodiscard]] double thresholdFor(double number) const;
    /// The score that lies so many standard deviations above the mean of a map, the highest of all
    /// maps, at most 1; NaN if no law exists.
    [[nodiscard]] double atDeviations(double zscore) const;
};

/// P(z > x) of a Gaussian, and P(t > x) of Student's t for a correlation r = t / sqrt(nu + t^2).
[[nodiscard]] double gaussianTail(double x);
[[nodiscard]] double studentTail(double r, double freedom);

} // namespace flcc::match
