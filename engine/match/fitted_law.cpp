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
constexpr double kMostFlatness = 11;
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

/// Minus the excess kurtosis over the variance, in the limits of setTail().
double flatnessOf(double kurtosis, double variance) {
    return std::clamp((3 - kurtosis) / variance, kLeastFlatness, kMostFlatness);
}

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
    double fourth = 0;
    double variance = 0;
    std::vector<LawPart> parts;
    std::vector<float> scores = all.values;
    auto next = scores.begin();
    for (std::size_t i = 0; i < fits.size(); ++i) {
        const ScoreTile& tile = all.tiles[i];
        const auto& [p1, p2, p3, p4] = tile.powers;
        const double about = p4 - 4 * off * p3 + 6 * off * off * p2 - 4 * off * off * off * p1 +
                             off * off * off * off * tile.count;
        fourth += about / (variances[i] * variances[i]);
        variance += tile.count * variances[i];
        const double deviation = std::sqrt(variances[i]);
        parts.push_back({.count = tile.placements,
                         .deviation = deviation,
                         .volume = law.axes < law.dimensions ? 0 : fits[i].volume});
        for (std::int64_t k = 0; k < static_cast<std::int64_t>(tile.count); ++k, ++next) {
            *next = static_cast<float>((static_cast<double>(*next) - law.mean - off) / deviation);
        }
    }
    law.parts = joined(parts, flatnessOf(fourth / count, variance / count));
    law.skewness = skewnessOf(scores);
    law.skewnessError = 1 / std::sqrt(std::max(1.0, independent));
    std::vector<float>& lowest = all.values;
    const std::size_t kept = std::min(kLowest, lowest.size());
    std::ranges::partial_sort(lowest, lowest.begin() + static_cast<std::ptrdiff_t>(kept));
    law.lowest.assign(lowest.begin(), lowest.begin() + static_cast<std::ptrdiff_t>(kept));
    law.read = all.share;
}

/// Of the best scores of several templates, whose own scores are sampled.
void fitBest(const base::Extents& extents, const ScoreTiles& all, const ScoreSample& sample,
             ScoreLaw& law) {
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
    std::vector<Fit> fits(tiles);
    // The variance of the templates that mostly have the best score of a tile.
    const auto setFits = [&] {
        for (std::size_t t = 0; t < tiles; ++t) {
            const double median = static_cast<double>(all.tiles[t].median) - law.mean;
            double weights = 0;
            double sum = 0;
            for (std::size_t k = 0; k < kinds; ++k) {
                const double variance = std::max(means[k] * factors[t], 1e-12);
                const double weight =
                    sample.kinds[k].members * gaussianTail(median / std::sqrt(variance));
                weights += weight;
                sum += weight * variance;
            }
            fits[t].variance = weights > 0 ? sum / weights : law.deviation * law.deviation;
            setVolume(all.tiles[t], extents, fits[t].variance, fits[t]);
        }
    };
    setFits();
    constexpr double kLikeTurns = 4; // turns at a place are about so many independent templates
    std::vector<double> errors;
    for (const Fit& fit : fits) {
        errors.push_back(1 / (2 * std::min(fit.independent, sample.places)) /
                         (sample.turns > 0 ? std::min(kLikeTurns, members) : members));
    }
    shrink(all, errors, factors);
    setFits();
    double kurtosis = 0;
    double variance = 0;
    for (std::size_t k = 0; k < kinds; ++k) {
        for (std::size_t t = 0; t < tiles; ++t) {
            const double own = means[k] * factors[t];
            const double share = all.tiles[t].placements / placements / static_cast<double>(kinds);
            kurtosis += share * sample.kinds[k].fourths[t] / (own * own);
            variance += share * own;
        }
    }
    const double flatness = flatnessOf(kurtosis, variance);
    std::vector<std::vector<LawPart>> parts(kinds);
    for (std::size_t t = 0; t < tiles; ++t) {
        // Half of the best scores are below the median: P = prod (1 - p)^independent = 1 / 2.
        const double median = static_cast<double>(all.tiles[t].median) - law.mean;
        double below = 0;
        for (std::size_t k = 0; k < kinds; ++k) {
            LawPart part{.count = all.tiles[t].placements,
                         .deviation = std::sqrt(std::max(means[k] * factors[t], 1e-12)),
                         .members = sample.kinds[k].members,
                         .volume = law.axes < law.dimensions ? 0 : fits[t].volume};
            setTail(part, flatness);
            below += part.members * std::log1p(-std::min(part.tail(median), 0.9999));
            part.level = std::max(kLeastLevel, median / part.deviation);
            parts[k].push_back(part);
        }
        const double alike = std::min(1.0, below < 0 ? -std::numbers::ln2 / below : 1.0);
        for (std::vector<LawPart>& of : parts) {
            of.back().independent = std::max(1.0, alike * of.back().members);
        }
    }
    for (const std::vector<LawPart>& of : parts) {
        const std::vector<LawPart> some = joined(of, flatness);
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
