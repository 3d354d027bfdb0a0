#include "engine/match/score_law.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>
#include <numbers>

namespace flcc::match {

namespace {

/// Beyond it, tails of both laws agree within 1 % at all scores of interest.
constexpr double kMostFreedom = 1e5;
constexpr std::int64_t kMostSampled = std::int64_t{1} << 20;
/// Neighbours with less correlation are independent enough to be counted one by one.
constexpr double kLeastCorrelation = 0.05;

/// Gamma(a + 1/2) / Gamma(a).
double gammaRatio(double a) {
    double factor = 1;
    for (; a < 200; a += 1) {
        factor *= a / (a + 0.5);
    }
    const double b = 1 / a;
    return factor * std::sqrt(a) *
           (1 + b * (-1.0 / 8 + b * (1.0 / 128 + b * (5.0 / 1024 - b * 21.0 / 32768))));
}

/// The continued fraction of the incomplete beta function, by Lentz's method.
double betaFraction(double a, double b, double x) {
    constexpr double kTiny = 1e-300;
    constexpr int kMostSteps = 20'000;
    const auto notZero = [](double v) { return std::abs(v) < kTiny ? kTiny : v; };
    double c = 1;
    double d = 1 / notZero(1 - (a + b) * x / (a + 1));
    double h = d;
    for (int step = 1; step < kMostSteps; ++step) {
        const double m = step;
        const double even = m * (b - m) * x / ((a + 2 * m - 1) * (a + 2 * m));
        d = 1 / notZero(1 + even * d);
        c = notZero(1 + even / c);
        h *= d * c;
        const double odd = -(a + m) * (a + b + m) * x / ((a + 2 * m) * (a + 2 * m + 1));
        d = 1 / notZero(1 + odd * d);
        c = notZero(1 + odd / c);
        h *= d * c;
        if (std::abs(d * c - 1) < 1e-14) {
            break;
        }
    }
    return h;
}

/// The x at which a Gaussian has this tail; p in (0, 0.5].
double gaussianQuantile(double p) {
    double low = 0;
    double high = 38;
    for (int step = 0; step < 60; ++step) {
        const double middle = (low + high) / 2;
        (gaussianTail(middle) > p ? low : high) = middle;
    }
    return (low + high) / 2;
}

/// Correlation of a score with the next one along each axis, from a sample of rows. At the best
/// scores of a bank the slope is that of the template that has it, which does not depend on the
/// score: the squared differences are those of a single template, and so the variance must be.
std::array<double, 3> neighbourCorrelations(const SearchedMap& map, double deviation) {
    const base::Extents& extents = map.value.extents();
    const std::int64_t rows = extents.y * extents.z;
    const std::int64_t step = std::max<std::int64_t>(1, rows * extents.x / kMostSampled);
    struct Pairs {
        double count = 0, squares = 0;
    };
    std::array<Pairs, 3> pairs;
    const std::array<base::Index, 3> next{base::Index{1, 0, 0}, {0, 1, 0}, {0, 0, 1}};
    const auto at = [&](std::int64_t x, std::int64_t y, std::int64_t z, double& value) {
        if (x >= extents.x || y >= extents.y || z >= extents.z ||
            !base::hasValue(map.status.at(x, y, z))) {
            return false;
        }
        value = static_cast<double>(map.value.at(x, y, z));
        return true;
    };
    for (std::int64_t row = 0; row < rows; row += step) {
        const std::int64_t y = row % extents.y;
        const std::int64_t z = row / extents.y;
        for (std::int64_t x = 0; x < extents.x; ++x) {
            double here = 0;
            if (!at(x, y, z, here)) {
                continue;
            }
            for (std::size_t axis = 0; axis < 3; ++axis) {
                double there = 0;
                if (at(x + next[axis].x, y + next[axis].y, z + next[axis].z, there)) {
                    pairs[axis].count += 1;
                    pairs[axis].squares += (there - here) * (there - here);
                }
            }
        }
    }
    std::array<double, 3> correlations{0, 0, 0};
    for (std::size_t axis = 0; axis < 3; ++axis) {
        if (pairs[axis].count > 0) {
            correlations[axis] =
                1 - pairs[axis].squares / pairs[axis].count / (2 * deviation * deviation);
        }
    }
    return correlations;
}

/// The number of null peaks at or above `score`, as SearchLaw::nullScores says.
double nullPeaks(const std::vector<double>& scores, double score) {
    const std::size_t tail = std::clamp<std::size_t>(scores.size() / 10, 10, 100);
    const std::size_t base = std::min(tail, scores.size()) - 1;
    const double from = scores[base];
    if (score >= from) {
        double excess = 0;
        for (std::size_t i = 0; i < base; ++i) {
            excess += scores[i] - from;
        }
        const double mean = std::max(1e-6, excess / static_cast<double>(base + 1));
        return static_cast<double>(base + 1) * std::exp(-(score - from) / mean);
    }
    const auto below = std::ranges::upper_bound(scores, score, std::greater<>());
    if (below == scores.end()) {
        return static_cast<double>(scores.size());
    }
    const double number = static_cast<double>(below - scores.begin()); // at or above
    const double high = *(below - 1);
    const double share = high > *below ? (high - score) / (high - *below) : 0;
    return number * std::pow((number + 1) / number, share);
}

} // namespace

std::string_view name(Law law) { return law == Law::Student ? "student" : "gaussian"; }

double gaussianTail(double x) { return std::erfc(x / std::numbers::sqrt2) / 2; }

double studentTail(double r, double freedom) {
    if (r >= 1) {
        return 0;
    }
    if (r <= 0) {
        return r <= -1 ? 1 : r < 0 ? 1 - studentTail(-r, freedom) : 0.5;
    }
    // P = I_x(a, b) / 2 with x = 1 - r^2, a = nu / 2, b = 1 / 2.
    const double x = 1 - r * r;
    const double a = freedom / 2;
    const double front =
        std::exp(a * std::log1p(-r * r)) * r * gammaRatio(a) / std::sqrt(std::numbers::pi);
    if (x < (a + 1) / (a + 2.5)) {
        return front * betaFraction(a, 0.5, x) / a / 2;
    }
    return 0.5 - front * betaFraction(0.5, a, r * r);
}

double ScoreLaw::falsePositives(double score) const {
    const double r = score - mean;
    const double p = law == Law::Student ? studentTail(r, freedom) : gaussianTail(r / deviation);
    if (axes < dimensions || p >= 0.5 || p <= 0) {
        return count * p;
    }
    // The score of a Gaussian field with the same tail; below 2 the formula counts holes as well.
    const double z = gaussianQuantile(p);
    const double high = std::max(z, 2.0);
    double volume = 1;
    for (const double each : roughness) {
        volume *= each > 0 ? std::sqrt(each) : 1;
    }
    const double hermite = dimensions == 1 ? 1 : dimensions == 2 ? high : high * high - 1;
    const double groups = volume * std::pow(2 * std::numbers::pi, -(dimensions + 1) / 2.0) *
                          hermite * std::exp(-high * high / 2);
    return count * p * std::min(1.0, groups / gaussianTail(high));
}

ScoreLaw scoreLaw(const SearchedMap& map) {
    ScoreLaw law;
    const MapStatistics& all = map.statistics;
    law.mean = all.mean;
    law.deviation = all.standardDeviation > all.roundingDeviation ? all.standardDeviation : 0;
    law.count = static_cast<double>(all.count);
    law.freedom = law.deviation > 0 ? 1 / (law.deviation * law.deviation) - 1 : 0;
    law.law = law.freedom >= 1 && law.freedom <= kMostFreedom ? Law::Student : Law::Gaussian;
    if (!law.exists() || map.reduced != nullptr || map.value.data() == nullptr) {
        return law;
    }
    const base::Extents& extents = map.value.extents();
    const std::array<double, 3> correlations = neighbourCorrelations(map, law.deviation);
    const std::array<bool, 3> wide{extents.x > 1, extents.y > 1, extents.z > 1};
    law.dimensions = static_cast<int>(std::ranges::count(wide, true));
    for (std::size_t axis = 0; axis < 3; ++axis) {
        if (wide[axis] && correlations[axis] > kLeastCorrelation && correlations[axis] < 1) {
            law.roughness[axis] = -2 * std::log(correlations[axis]);
            ++law.axes;
        }
    }
    return law;
}

bool SearchLaw::exists() const {
    return !nullScores.empty() || std::ranges::any_of(maps, &ScoreLaw::exists);
}

std::string_view SearchLaw::name() const {
    if (null != NullTemplate::None) {
        return match::name(null);
    }
    const auto first = std::ranges::find_if(maps, &ScoreLaw::exists);
    return first == maps.end() ? "" : match::name(first->law);
}

double SearchLaw::falsePositives(double score) const {
    if (!nullScores.empty()) {
        return searches * nullPeaks(nullScores, score);
    }
    double sum = 0;
    for (const ScoreLaw& law : maps) {
        sum += law.exists() ? law.falsePositives(score) : 0;
    }
    return searches * sum;
}

double SearchLaw::thresholdFor(double number) const {
    if (!exists()) {
        return std::numeric_limits<double>::quiet_NaN();
    }
    double low = -1;
    double high = 1;
    for (int step = 0; step < 40; ++step) {
        const double middle = (low + high) / 2;
        (falsePositives(middle) > number ? low : high) = middle;
    }
    return std::min(0.999, std::ceil(high * 1e5) / 1e5);
}

double SearchLaw::atDeviations(double zscore) const {
    double highest = std::numeric_limits<double>::quiet_NaN();
    for (const ScoreLaw& law : maps) {
        if (law.exists()) {
            highest = std::fmax(highest, law.mean + zscore * law.deviation);
        }
    }
    return std::isnan(highest) ? highest : std::min(1.0, highest);
}

} // namespace flcc::match
