#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
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

/// Placements whose scores have one law: those of the tiles of a map where the scores of a template
/// spread alike.
struct LawPart {
    double count = 0;     ///< placements
    double deviation = 0; ///< of the scores of one template
    double members = 1;   ///< templates of this deviation
    double freedom = 0;   ///< nu of Student's law with this deviation; 0: r is Gaussian
    /// Scores of smooth scenes have lighter tails than Student's law: r / limit is distributed by
    /// it with the freedom `light`, so that its variance and kurtosis are those of the scores.
    double limit = 1;
    double light = 0;
    /// Square root of the product of the roughness along the axes; 0: scores are counted.
    double volume = 0;
    /// At `level` standard deviations the best of the members is as high as that of so many
    /// independent ones. Beyond, their number grows with each axis of turns, up to all members.
    double independent = 1;
    double level = 0;

    /// P(score - mean >= r) of one template.
    [[nodiscard]] double tail(double r) const;
};

/// The law of the scores of one map, from their mean and deviation:
/// p(r) = P(t > (r - mu) sqrt(nu / (1 - (r - mu)^2))), Student's t with nu = 1 / sigma^2 - 1.
/// Scores of neighbouring placements are alike, so that one accident gives several of them. Their
/// groups are counted by the expected Euler characteristic of a smooth field, where that is less
/// than the number of scores. A scene is not one statistic: the deviation is that of tiles, and
/// numbers are summed over them. **Source**: Adler, The Geometry of Random Fields (1981).
struct ScoreLaw {
    Law law = Law::Gaussian;
    double mean = 0;
    double deviation = 0; ///< of all scores; 0 if they are all equal
    double freedom = 0;   ///< nu of Student's law with this deviation
    double count = 0;     ///< scores of all templates
    /// Minus the second derivative of the correlation of neighbours along each axis, at 0, in
    /// 1/voxel^2; 0 where it was not measured. `axes` counts those that were; if any is missing,
    /// scores are counted, not groups.
    std::array<double, 3> roughness{0, 0, 0};
    int axes = 0;
    int dimensions = 2; ///< axes with more than one voxel
    int turns = 0;      ///< axes of rotation that are searched: 0, 1 or 3

    std::vector<LawPart> parts{}; ///< empty: one, of the members above
    double offset = 0; ///< of the mean of the scores that the parts are made of from `mean`
    std::int64_t tiles = 1;
    base::Extents tile{0, 0, 0}; ///< extents of a tile, about; 0 with one tile
    bool partial = false;        ///< of the PARTIAL scores too
    double skewness = 0;         ///< of the scores of a single template, by quantiles, in [-1, 1]
    double skewnessError = 0;    ///< standard error of it; 0: not measured
    std::vector<float> lowest{}; ///< the lowest scores of a single template, in ascending order
    double read = 1;             ///< share of the scores that the law was made of
    std::int64_t kinds = 1;      ///< of templates, with a deviation each

    /// Fewer scores than this tell no law.
    static constexpr double kLeastCount = 100;
    /// Beyond it, tails of both laws agree within 1 % at all scores of interest.
    static constexpr double kMostFreedom = 1e5;

    [[nodiscard]] bool exists() const { return deviation > 0 && count >= kLeastCount; }
    /// The number of groups of scores at or above `score` in the map of a scene without the
    /// template. **Cost**: a microsecond for each part.
    [[nodiscard]] double falsePositives(double score) const;
    /// The number of scores, not of groups.
    [[nodiscard]] double scoresAbove(double score) const;
    /// Least and largest deviation of a template in a tile.
    [[nodiscard]] std::pair<double, double> deviations() const;
    /// Sentences that say why less than the number of peaks may be true at this threshold.
    [[nodiscard]] std::vector<std::string> warningsAt(double threshold) const;

  private:
    [[nodiscard]] LawPart whole() const;
};

/// Scores of one map as those of another that are as rare: large templates score less by chance
/// than small ones, so that scores of templates of different extents do not compare. Where the law
/// leaves nothing to count, scores go on in deviations of a Gaussian.
class RareScores {
  public:
    /// **Cost**: some hundred times that of ScoreLaw::falsePositives.
    explicit RareScores(const ScoreLaw& law);

    /// Minus the logarithm of the false positives at this score; rises with the score. Between
    /// correlations of independent voxels and a scene it is, but for a constant, the logarithm of
    /// the likelihood ratio of "the template lies here" and "noise alone".
    [[nodiscard]] double rarity(double score) const;
    /// The score of this rarity; above 1 where no score is so rare.
    [[nodiscard]] double scoreAt(double rarity) const;

  private:
    double m_first = 0; ///< score of the first knot
    double m_step = 0;
    std::vector<double> m_knots; ///< rarities, rising
};

/// The law of a map that is searched. Where the map holds the best of several templates, these are
/// scored at a sample of placements in `scene`, and a scene without voxels gives the law of all
/// scores. PARTIAL scores count if `partial`. **Cost**: one pass over at most 2^22 voxels of the
/// map, and about 0.1 s for the sample; none for a reduced map, whose groups are not counted.
[[nodiscard]] ScoreLaw scoreLaw(const SearchedMap& map, const method::MaskedView& scene,
                                const PeakOptions& options);

/// Sets the members of a part from its deviation and the flatness of the scores: minus their excess
/// kurtosis over their variance, which is about 6 by Student's law.
void setTail(LawPart& part, double flatness);

/// How far a null template may be trusted.
struct NullCheck {
    /// The most of the template that the null explains, at any shift and in any pose that is
    /// searched: their covariance over the product of their norms, at most 1. Of several templates,
    /// the most.
    double likeness = 0;
    /// Places where the template stands out from the noise by the laws of the maps, and those of
    /// them where the null scores more (null_competition.h).
    std::int64_t peaks = 0;
    std::int64_t matched = 0;
    double ratio = 0; ///< median of the null's score over the template's there
    /// A null that scores so much of the template's score finds the same.
    static constexpr double kSame = 0.95;
    bool withdrawn = false; ///< the null finds what the template finds: the laws of the maps count

    friend bool operator==(const NullCheck&, const NullCheck&) = default;
};

/// What a whole search finds in a scene without the template: by the laws of its maps and, if there
/// is one, by the peaks of a null template; the larger number counts. Why: the law of the scores
/// knows no structure, and a null says little where the map's scores are unlike its own.
struct SearchLaw {
    std::vector<ScoreLaw> maps{};
    /// The scores of the null templates that are counted (null_competition.h), best first. Their
    /// number is the law up to the best scores; beyond, the mean excess over one of them continues
    /// it as an exponential.
    std::vector<double> nullScores{};
    NullTemplate null = NullTemplate::None; ///< that gave nullScores
    NullCheck check{};
    /// The search takes so many maps like these, such as the frames of a stream.
    double searches = 1;
    /// Of each map, where the maps are of templates of different extents: then `score` below and
    /// `nullScores` are scores of the first map, or as rare as these. Empty: scores compare.
    std::vector<RareScores> rare{};

    /// The highest threshold: a copy of the template is always found.
    static constexpr double kCopy = 0.999;

    [[nodiscard]] bool exists() const;
    /// Sets `rare` if there are several maps and each has a law.
    void compareByRarity();
    /// The score of the first map that is as rare as this one of another map; the score itself
    /// where scores compare.
    [[nodiscard]] double inFirst(std::size_t map, double score) const;
    /// The score of a map that is as rare as this one of the first map.
    [[nodiscard]] double inMap(std::size_t map, double score) const;
    /// Name of the law in force: that of the first map, or of the null template.
    [[nodiscard]] std::string_view name() const;
    /// Whether a null template counts.
    [[nodiscard]] bool hasNull() const { return null != NullTemplate::None && !check.withdrawn; }
    /// The number of peaks at or above `score` by the laws of the maps alone; 0 without one.
    [[nodiscard]] double byMaps(double score) const;
    /// The same by the peaks of the null template alone.
    [[nodiscard]] double byNull(double score) const;
    /// The number of peaks at or above `score`; 0 if no law exists. Does not rise with the score.
    [[nodiscard]] double falsePositives(double score) const;
    /// The same at or above a score of each map, which are scores of their maps.
    [[nodiscard]] double falsePositives(const std::vector<double>& scores) const;
    /// The score at which `number` false positives are expected, rounded up to 1e-5, from -1 to
    /// 0.999, so that a copy of the template is always found; NaN if no law exists.
    [[nodiscard]] double thresholdFor(double number) const;
    /// Of each map the score that lies so many standard deviations above the mean, at most 1; where
    /// scores compare, the highest of these. NaN if no law exists.
    [[nodiscard]] std::vector<double> atDeviations(double zscore) const;
};

/// The x at which a Gaussian has this tail; p in (0, 0.5].
[[nodiscard]] double gaussianQuantile(double p);
/// P(z > x) of a Gaussian, and P(t > x) of Student's t for a correlation r = t / sqrt(nu + t^2).
[[nodiscard]] double gaussianTail(double x);
[[nodiscard]] double studentTail(double r, double freedom);

} // namespace flcc::match
