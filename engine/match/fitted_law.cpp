#include <algorithm>
#include <cmath>
#include <numbers>
#include <numeric>

#include "engine/match/detail/score_tiles.h"
#include "engine/match/score_law.h"

namespace flcc::match {

namespace {

using detail::ScoreSample;
using detail::ScoreTile;
using detail::ScoreTiles;

/// Neighbours with less correlation are independent enough to be counted one by one.
constexpr double kLeastCorrelation = 0.05;
constexpr double kLeastFlatness = 6; // of Student's law
constexpr double kMostFlatness = 13;
constexpr double kBin = 0.04; // of the logarithm of deviations that are counted as one
constexpr std::size_t kLowest = 1000;
constexpr double kLeastLevel = 0.5;

/// -2 log of the correlation of neighbours, from the mean of their squared differences; 0 where it
/// was not measured. At the best scores of a bank the slope is that of the template that has it,
/// which does not depend on the score: the variance is that of a single template.
double roughnessOf(double differences, double pairs, double variance) {
    const double correlation = pairs > 0 ? 1 - differences / pairs / (2 * variance) : 0;
    return correlation > kLeastCorrelation && correlation < 1 ? -2 * std::log(correlation) : 0;
}

using Table = std::vector<std::vector<double>>; // a row for each kind

/// What is known of a tile while the law is made.
struct Fit {
    double variance = 0;    ///< of a single template
    double volume = 1;      ///< LawPart::volume
    double independent = 1; ///< scores of a single template
};

/// Axes along which too few neighbours are alike count as those with the least correlation.
void setVolume(const ScoreTile& tile, const base::Extents& extents, double variance, Fit& fit) {
    const std::array<bool, 3> wide{extents.x > 1, extents.y > 1, extents.z > 1};
    fit.volume = 1;
    fit.independent = tile.placements;
    for (std::size_t axis = 0; axis < 3; ++axis) {
        if (wide[axis]) {
            const double rough = roughnessOf(tile.differences[axis], tile.pairs[axis], variance);
            fit.volume *= std::sqrt(rough > 0 ? rough : -2 * std::log(kLeastCorrelation));
            if (rough > 0) {
                fit.independent /= std::max(1.0, std::sqrt(std::numbers::pi / rough));
            }
        }
    }
    fit.independent = std::max(2.0, std::min(fit.independent, tile.count));
}

/// Variances of tiles are measured with errors, which would count as differences between the tiles:
/// each moves to the common one by the share that errors have in the spread. `errors`: of the
/// logarithm of each deviation, squared.
void shrink(const ScoreTiles& all, const std::vector<double>& errors, std::vector<double>& of) {
    double weights = 0;
    double mean = 0;
    for (std::size_t i = 0; i < of.size(); ++i) {
        weights += all.tiles[i].placements;
        mean += all.tiles[i].placements * of[i];
    }
    mean /= weights;
    double spread = 0;
    for (std::size_t i = 0; i < of.size(); ++i) {
        const double off = std::log(std::max(of[i], 1e-12) / mean) / 2;
        spread += all.tiles[i].placements * (off * off - errors[i]);
    }
    spread = std::max(0.0, spread / weights);
    for (std::size_t i = 0; i < of.size(); ++i) {
        const double kept = spread > 0 ? spread / (spread + errors[i]) : 0;
        of[i] = mean * std::pow(std::max(of[i], 1e-12) / mean, kept);
    }
}

/// Joins parts of about one deviation.
std::vector<LawPart> joined(const std::vector<LawPart>& parts, double flatness) {
    std::vector<LawPart> sorted = parts;
    std::ranges::sort(sorted, {}, &LawPart::deviation);
    std::vector<LawPart> made;
    double first = 0;
    for (const LawPart& part : sorted) {
        if (made.empty() || part.deviation > first * (1 + kBin)) {
            made.push_back(part);
            first = part.deviation;
            continue;
        }
        LawPart& to = made.back();
        const double share = part.count / (to.count + part.count);
        const auto mix = [share](double& a, double b) { a += share * (b - a); };
        const double square =
            to.deviation * to.deviation +
            share * (part.deviation * part.deviation - to.deviation * to.deviation);
        to.deviation = std::sqrt(square);
        mix(to.volume, part.volume);
        mix(to.independent, part.independent);
        mix(to.level, part.level);
        to.count += part.count;
    }
    for (LawPart& part : made) {
        setTail(part, flatness);
    }
    return made;
}

/// Collects the kurtosis of tiles. A tile of scores with much heavier tails than a Gaussian holds
/// objects or a seam between two kinds of noise, and does not count.
class Flatness {
  public:
    /// `fourth`: mean of the fourth powers; `independent`: scores of the tile.
    void add(double fourth, double variance, double count, double independent) {
        const double kurtosis = fourth / (variance * variance);
        if (kurtosis > 3 + 3 * std::sqrt(24 / independent)) {
            return;
        }
        m_kurtosis += count * kurtosis;
        m_variance += count * variance;
        m_count += count;
        m_independent += independent;
    }
    /// Minus the excess kurtosis over the variance. What it differs from Student's law counts by
    /// how sure it is: the standard error of a kurtosis is sqrt(24 / independent), of which it must
    /// be more than `errors`.
    [[nodiscard]] double value(double errors) const {
        if (m_count <= 0) {
            return kLeastFlatness;
        }
        const double variance = m_variance / m_count;
        const double less = 3 - m_kurtosis / m_count - kLeastFlatness * variance;
        const double share = less * less / (less * less + errors * errors * 24 / m_independent);
        return std::clamp(kLeastFlatness + share * less / variance, kLeastFlatness, kMostFlatness);
    }

  private:
    double m_kurtosis = 0;
    double m_variance = 0;
    double m_count = 0;
    double m_independent = 0;
};

/// By the 5, 50 and 95 % quantiles of standardised scores.
double skewnessOf(std::vector<float>& scores) {
    const auto quantile = [&scores](double share) {
        const auto at = scores.begin() +
                        static_cast<std::ptrdiff_t>(share * static_cast<double>(scores.size() - 1));
        std::ranges::nth_element(scores, at);
        return static_cast<double>(*at);
    };
    const double low = quantile(0.05);
    const double middle = quantile(0.5);
    const double high = quantile(0.95);
    return high > low ? (high + low - 2 * middle) / (high - low) : 0;
}

/// Of the map of one template.
void fitOne(const base::Extents& extents, ScoreTiles& all, ScoreLaw& law) {
    double count = 0;
    double sum = 0;
    for (const ScoreTile& tile : all.tiles) {
        count += tile.count;
        sum += tile.powers[0];
    }
    const double off = sum / count;
    law.offset = off;
    std::vector<double> variances;
    std::vector<double> errors;
    std::vector<Fit> fits(all.tiles.size());
    double independent = 0;
    for (std::size_t i = 0; i < fits.size(); ++i) {
        const ScoreTile& tile = all.tiles[i];
        const double variance =
            (tile.powers[1] - 2 * off * tile.powers[0]) / tile.count + off * off;
        setVolume(tile, extents, variance, fits[i]);
        variances.push_back(variance);
        errors.push_back(1 / (2 * fits[i].independent));
        independent += fits[i].independent;
    }
    shrink(all, errors, variances);
    Flatness flatness;
    std::vector<LawPart> parts;
    std::vector<float> scores = all.values;
    auto next = scores.begin();
    for (std::size_t i = 0; i < fits.size(); ++i) {
        const ScoreTile& tile = all.tiles[i];
        const auto& [p1, p2, p3, p4] = tile.powers;
        const double about = p4 - 4 * off * p3 + 6 * off * off * p2 - 4 * off * off * off * p1 +
                             off * off * off * off * tile.count;
        flatness.add(about / tile.count, variances[i], tile.placements, fits[i].independent);
        const double deviation = std::sqrt(variances[i]);
        parts.push_back({.count = tile.placements,
                         .deviation = deviation,
                         .volume = law.axes < law.dimensions ? 0 : fits[i].volume});
        for (std::int64_t k = 0; k < static_cast<std::int64_t>(tile.count); ++k, ++next) {
            *next = static_cast<float>((static_cast<double>(*next) - law.mean - off) / deviation);
        }
    }
    law.parts = joined(parts, flatness.value(1));
    law.skewness = skewnessOf(scores);
    law.skewnessError = 1 / std::sqrt(std::max(1.0, independent));
    std::vector<float>& lowest = all.values;
    const std::size_t kept = std::min(kLowest, lowest.size());
    std::ranges::partial_sort(lowest, lowest.begin() + static_cast<std::ptrdiff_t>(kept));
    law.lowest.assign(lowest.begin(), lowest.begin() + static_cast<std::ptrdiff_t>(kept));
    law.read = all.share;
}

/// The variance of the templates that mostly have the best score of a tile.
void setFits(const base::Extents& extents, const ScoreTiles& all, const ScoreSample& sample,
             const Table& variances, const ScoreLaw& law, std::vector<Fit>& fits) {
    for (std::size_t t = 0; t < fits.size(); ++t) {
        const double median = static_cast<double>(all.tiles[t].median) - law.mean;
        double weights = 0;
        double sum = 0;
        for (std::size_t k = 0; k < variances.size(); ++k) {
            const double weight =
                sample.kinds[k].members * gaussianTail(median / std::sqrt(variances[k][t]));
            weights += weight;
            sum += weight * variances[k][t];
        }
        fits[t].variance = weights > 0 ? sum / weights : law.deviation * law.deviation;
        setVolume(all.tiles[t], extents, fits[t].variance, fits[t]);
    }
}

/// Of each kind in each tile; sets the fits of the tiles, and the squared errors of the logarithm
/// of a deviation. Kinds mostly share the factors of the tiles, which are better known than their
/// own.
Table variancesOf(const base::Extents& extents, const ScoreTiles& all, const ScoreSample& sample,
                  const ScoreLaw& law, std::vector<Fit>& fits, std::vector<double>& ownErrors) {
    const std::size_t tiles = all.tiles.size();
    const std::size_t kinds = sample.kinds.size();
    double placements = 0;
    double members = 0;
    std::vector<double> means(kinds); // of the variance of each kind over the tiles
    for (std::size_t k = 0; k < kinds; ++k) {
        members += sample.kinds[k].members;
        placements = 0;
        for (std::size_t t = 0; t < tiles; ++t) {
            placements += all.tiles[t].placements;
            means[k] += all.tiles[t].placements * sample.kinds[k].squares[t];
        }
        means[k] = std::max(means[k] / placements, 1e-12);
    }
    std::vector<double> factors(tiles); // of the variances in each tile
    for (std::size_t k = 0; k < kinds; ++k) {
        for (std::size_t t = 0; t < tiles; ++t) {
            factors[t] += sample.kinds[k].members / members * sample.kinds[k].squares[t] / means[k];
        }
    }
    Table variances(kinds); // of each kind in each tile
    for (std::size_t k = 0; k < kinds; ++k) {
        for (std::size_t t = 0; t < tiles; ++t) {
            variances[k].push_back(std::max(means[k] * factors[t], 1e-12));
        }
    }
    setFits(extents, all, sample, variances, law, fits);
    constexpr double kLikeTurns = 4; // turns at a place are about so many independent templates
    const double independent = sample.turns > 0 ? std::min(kLikeTurns, members) : 1;
    std::vector<double> errors; // of the factors
    for (const Fit& fit : fits) {
        const double scores = std::min(fit.independent, sample.places) * independent;
        ownErrors.push_back(1 / (2 * scores));
        errors.push_back(sample.turns > 0 ? ownErrors.back() : ownErrors.back() / members);
    }
    shrink(all, errors, factors);
    // Where kinds differ more in some tiles than in others, each has its own factors.
    for (std::size_t k = 0; k < kinds; ++k) {
        std::vector<double> own(tiles, 1.0);
        for (std::size_t t = 0; t < tiles; ++t) {
            variances[k][t] = std::max(means[k] * factors[t], 1e-12);
            own[t] = sample.kinds[k].squares[t] / variances[k][t];
        }
        if (kinds > 1) {
            shrink(all, ownErrors, own);
        }
        for (std::size_t t = 0; t < tiles; ++t) {
            variances[k][t] *= kinds > 1 ? own[t] : 1;
        }
    }
    setFits(extents, all, sample, variances, law, fits);
    return variances;
}

/// Of the best scores of several templates, whose own scores are sampled.
void fitBest(const base::Extents& extents, const ScoreTiles& all, const ScoreSample& sample,
             ScoreLaw& law) {
    const std::size_t tiles = all.tiles.size();
    const std::size_t kinds = sample.kinds.size();
    std::vector<Fit> fits(tiles);
    std::vector<double> ownErrors;
    const Table variances = variancesOf(extents, all, sample, law, fits, ownErrors);
    // Of many kinds with few scores some look flatter than they are.
    const double errors = kinds > 1 ? 3 : 1.2;
    std::vector<double> flatness;
    for (std::size_t k = 0; k < kinds; ++k) {
        Flatness tails;
        for (std::size_t t = 0; t < tiles; ++t) {
            tails.add(sample.kinds[k].fourths[t], variances[k][t], all.tiles[t].placements,
                      1 / (2 * ownErrors[t]));
        }
        flatness.push_back(tails.value(errors));
    }
    std::vector<std::vector<LawPart>> parts(kinds);
    for (std::size_t t = 0; t < tiles; ++t) {
        // Half of the best scores are below the median: P = prod (1 - p)^independent = 1 / 2.
        const double median = static_cast<double>(all.tiles[t].median) - law.mean;
        double below = 0;
        for (std::size_t k = 0; k < kinds; ++k) {
            LawPart part{.count = all.tiles[t].placements,
                         .deviation = std::sqrt(variances[k][t]),
                         .members = sample.kinds[k].members,
                         .volume = law.axes < law.dimensions ? 0 : fits[t].volume};
            setTail(part, flatness[k]);
            below += part.members * std::log1p(-std::min(part.tail(median), 0.9999));
            part.level = std::max(kLeastLevel, median / part.deviation);
            parts[k].push_back(part);
        }
        const double alike = std::min(1.0, below < 0 ? -std::numbers::ln2 / below : 1.0);
        for (std::vector<LawPart>& of : parts) {
            of.back().independent = std::max(1.0, alike * of.back().members);
        }
    }
    for (std::size_t k = 0; k < kinds; ++k) {
        const std::vector<LawPart> some = joined(parts[k], flatness[k]);
        law.parts.insert(law.parts.end(), some.begin(), some.end());
    }
    law.turns = sample.turns;
    law.kinds = static_cast<std::int64_t>(kinds);
}

base::Extents templateExtents(const SearchedMap& map) {
    if (map.poses) {
        return map.poses->templExtents();
    }
    return map.templates.empty() ? base::Extents{1, 1, 1} : map.templates.front().extents();
}

} // namespace

ScoreLaw scoreLaw(const SearchedMap& map, const method::MaskedView& scene,
                  const PeakOptions& options) {
    ScoreLaw law;
    const MapStatistics& statistics = map.statistics;
    law.partial = options.partialPeaks;
    law.mean = statistics.mean;
    law.deviation = statistics.standardDeviation > statistics.roundingDeviation
                        ? statistics.standardDeviation
                        : 0;
    law.count = static_cast<double>(statistics.count);
    law.freedom = law.deviation > 0 ? 1 / (law.deviation * law.deviation) - 1 : 0;
    law.law =
        law.freedom >= 1 && law.freedom <= ScoreLaw::kMostFreedom ? Law::Student : Law::Gaussian;
    if (!law.exists() || map.reduced != nullptr || map.value.data() == nullptr) {
        return law;
    }
    const bool best = map.poses || map.templates.size() > 1;
    ScoreTiles all = detail::scoreTiles(map, templateExtents(map), law.mean, law.partial, best);
    const base::Extents& extents = map.value.extents();
    const std::array<bool, 3> wide{extents.x > 1, extents.y > 1, extents.z > 1};
    law.dimensions = static_cast<int>(std::ranges::count(wide, true));
    for (std::size_t axis = 0; axis < 3; ++axis) {
        double pairs = 0;
        double differences = 0;
        for (const ScoreTile& tile : all.tiles) {
            pairs += tile.pairs[axis];
            differences += tile.differences[axis];
        }
        law.roughness[axis] =
            wide[axis] ? roughnessOf(differences, pairs, law.deviation * law.deviation) : 0;
        law.axes += law.roughness[axis] > 0 ? 1 : 0;
    }
    if (all.tiles.empty()) {
        return law;
    }
    law.tiles = std::ssize(all.tiles);
    law.tile = all.edges;
    if (!best) {
        fitOne(extents, all, law);
        return law;
    }
    const ScoreSample sample = detail::sampleScores(map, scene, all, law.mean, options);
    if (!sample.kinds.empty()) {
        fitBest(extents, all, sample, law);
    }
    return law;
}

} // namespace flcc::match
