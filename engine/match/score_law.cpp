#include "engine/match/score_law.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>
#include <numbers>
#include <utility>

namespace flcc::match {

namespace {

/// A skewness above this and above so many of its errors is reported.
constexpr double kSkewed = 0.05;
constexpr double kErrors = 4;
/// Minima of the map are reported if they are more than so many times the expected number and so
/// many.
constexpr double kMostMinima = 4;
constexpr double kFewMinima = 8;

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

double gaussianQuantile(double p) {
    double low = 0;
    double high = 38;
    for (int step = 0; step < 60; ++step) {
        const double middle = (low + high) / 2;
        (gaussianTail(middle) > p ? low : high) = middle;
    }
    return (low + high) / 2;
}

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

/// The few scores by Student's law keep the tail from ending at the limit.
double LawPart::tail(double r) const {
    constexpr double kHeavy = 0.03;
    if (freedom <= 0) {
        return gaussianTail(r / deviation);
    }
    const double heavy = studentTail(r, freedom);
    return limit < 1 ? kHeavy * heavy + (1 - kHeavy) * studentTail(r / limit, light) : heavy;
}

/// A correlation by Student's law has the variance 1 / (nu + 1) and the kurtosis -6 / (nu + 3).
void setTail(LawPart& part, double flatness) {
    constexpr double kStudent = 6;
    const double variance = part.deviation * part.deviation;
    part.freedom = 1 / variance - 1;
    part.limit = 1;
    if (part.freedom < 1 || part.freedom > ScoreLaw::kMostFreedom) {
        part.freedom = 0;
        return;
    }
    // With flatness 6 both laws are one.
    part.light = kStudent / (flatness * variance) + 2 * kStudent / flatness - 3;
    part.limit = part.light >= 1 ? std::sqrt(variance * (part.light + 1)) : 1;
}

namespace {

/// Groups of scores at or above a level over scores there, of a Gaussian field.
double groupShare(double z, double volume, int dimensions) {
    const double high = std::max(z, 2.0); // below 2 the formula counts holes as well
    const double hermite = dimensions == 1 ? 1 : dimensions == 2 ? high : high * high - 1;
    const double groups = volume * std::pow(2 * std::numbers::pi, -(dimensions + 1) / 2.0) *
                          hermite * std::exp(-high * high / 2);
    return std::min(1.0, groups / gaussianTail(high));
}

/// How the number of groups over one axis of turns grows beside that of scores.
double growth(double z) { return std::exp(-z * z / 2) / gaussianTail(z); }

/// Independent members at a level.
double independentAt(const LawPart& part, double z, int turns) {
    if (turns == 0 || z <= part.level) {
        return part.independent;
    }
    const double grown =
        1 + (part.independent - 1) * std::pow(growth(z) / growth(part.level), turns);
    return std::min(part.members, grown);
}

} // namespace

/// All scores as one part, of which the members are independent.
LawPart ScoreLaw::whole() const {
    LawPart part{.count = count, .deviation = deviation};
    part.freedom = law == Law::Student ? freedom : 0;
    if (axes >= dimensions) {
        part.volume = 1;
        for (const double each : roughness) {
            part.volume *= each > 0 ? std::sqrt(each) : 1;
        }
    }
    return part;
}

double ScoreLaw::falsePositives(double score) const {
    const auto number = [&](const LawPart& part) {
        const double p = part.tail(score - mean - offset);
        if (p >= 0.5 || p <= 0) {
            return part.count * part.independent * p;
        }
        const double z = gaussianQuantile(p);
        const double share = part.volume > 0 ? groupShare(z, part.volume, dimensions) : 1;
        return part.count * independentAt(part, z, turns) * p * share;
    };
    if (parts.empty()) {
        return number(whole());
    }
    double sum = 0;
    for (const LawPart& part : parts) {
        sum += number(part);
    }
    return sum;
}

double ScoreLaw::scoresAbove(double score) const {
    if (parts.empty()) {
        return count * whole().tail(score - mean);
    }
    double sum = 0;
    for (const LawPart& part : parts) {
        sum += part.count * part.members * part.tail(score - mean - offset);
    }
    return sum;
}

std::pair<double, double> ScoreLaw::deviations() const {
    if (parts.empty()) {
        return {deviation, deviation};
    }
    const auto [least, most] = std::ranges::minmax(parts, {}, &LawPart::deviation);
    return {least.deviation, most.deviation};
}

std::vector<std::string> ScoreLaw::warningsAt(double threshold) const {
    std::vector<std::string> warnings;
    if (skewness > std::max(kSkewed, kErrors * skewnessError)) {
        warnings.emplace_back("high scores are more frequent than low ones, as on sparse counts or "
                              "where objects cover much of the scene: more peaks may be false "
                              "than the law says");
    }
    if (!lowest.empty() && skewnessError > 0) {
        const double mirrored = 2 * (mean + offset) - threshold;
        const double expected = falsePositives(threshold);
        const double scores = scoresAbove(threshold);
        const auto end = std::ranges::upper_bound(lowest, static_cast<float>(mirrored));
        const double groups = static_cast<double>(end - lowest.begin()) / read *
                              (scores > 0 ? std::min(1.0, expected / scores) : 1);
        if (groups > kMostMinima * expected + kFewMinima) {
            warnings.push_back("about " + std::to_string(std::llround(groups)) +
                               " minima of the map lie as far below the mean as the threshold lies "
                               "above it, where the law expects " +
                               std::to_string(std::llround(std::ceil(expected))) +
                               ": the scene has structure that the law does not know, and as many "
                               "peaks may be false; a null template counts them");
        }
    }
    return warnings;
}

namespace {

constexpr double kCounts = 1e-250; // fewer false positives are not counted

} // namespace

RareScores::RareScores(const ScoreLaw& law) {
    constexpr int kKnots = 512;
    m_first = std::min(law.mean, 1.0);
    m_step = std::max(1e-6, (1 - m_first) / (kKnots - 1));
    const double deviation = law.deviations().second;
    const auto gaussian = [&](double score) {
        const double z = (score - law.mean) / deviation;
        return z * z / 2;
    };
    double beyond = 0; // of the rarity from that of a Gaussian
    for (int i = 0; i < kKnots; ++i) {
        const double score = m_first + i * m_step;
        const bool counts = m_knots.empty() || beyond == 0;
        const double number = counts ? law.falsePositives(score) : 0;
        const double last = m_knots.empty() ? -std::numeric_limits<double>::max() : m_knots.back();
        if (number > kCounts) {
            m_knots.push_back(std::max(-std::log(number), last + 1e-9));
            continue;
        }
        if (beyond == 0) {
            const double before = score - m_step;
            beyond = (m_knots.empty() ? -std::log(kCounts) : m_knots.back()) - gaussian(before);
        }
        m_knots.push_back(std::max(gaussian(score) + beyond, last + 1e-9));
    }
}

double RareScores::rarity(double score) const {
    const double at = (score - m_first) / m_step;
    const auto last = static_cast<double>(m_knots.size() - 2);
    // Below the first knot and above the last one as beside it.
    const auto knot = static_cast<std::size_t>(std::clamp(std::floor(at), 0.0, last));
    const double share = at - static_cast<double>(knot);
    return m_knots[knot] + share * (m_knots[knot + 1] - m_knots[knot]);
}

double RareScores::scoreAt(double rarity) const {
    const auto above = std::ranges::upper_bound(m_knots, rarity) - m_knots.begin();
    const auto knot =
        static_cast<std::size_t>(std::clamp<std::ptrdiff_t>(above - 1, 0, std::ssize(m_knots) - 2));
    const double share = (rarity - m_knots[knot]) / (m_knots[knot + 1] - m_knots[knot]);
    return m_first + m_step * (static_cast<double>(knot) + share);
}

void SearchLaw::compareByRarity() {
    rare.clear();
    if (maps.size() > 1 && std::ranges::all_of(maps, &ScoreLaw::exists)) {
        for (const ScoreLaw& law : maps) {
            rare.emplace_back(law);
        }
    }
}

double SearchLaw::inFirst(std::size_t map, double score) const {
    return map == 0 || map >= rare.size() ? score : rare[0].scoreAt(rare[map].rarity(score));
}

double SearchLaw::inMap(std::size_t map, double score) const {
    return map == 0 || map >= rare.size() ? score : rare[map].scoreAt(rare[0].rarity(score));
}

bool SearchLaw::exists() const {
    return !nullScores.empty() || std::ranges::any_of(maps, &ScoreLaw::exists);
}

std::string_view SearchLaw::name() const {
    if (hasNull()) {
        return match::name(null);
    }
    const auto first = std::ranges::find_if(maps, &ScoreLaw::exists);
    return first == maps.end() ? "" : match::name(first->law);
}

double SearchLaw::falsePositives(double score) const {
    return std::max(byNull(score), byMaps(score));
}

double SearchLaw::byNull(double score) const {
    return nullScores.empty() ? 0 : searches * nullPeaks(nullScores, score);
}

double SearchLaw::byMaps(double score) const {
    double sum = 0;
    for (std::size_t map = 0; map < maps.size(); ++map) {
        sum += maps[map].exists() ? maps[map].falsePositives(inMap(map, score)) : 0;
    }
    return searches * sum;
}

double SearchLaw::falsePositives(const std::vector<double>& scores) const {
    double sum = 0;
    double least = std::numeric_limits<double>::infinity();
    for (std::size_t map = 0; map < std::min(maps.size(), scores.size()); ++map) {
        sum += maps[map].exists() ? maps[map].falsePositives(scores[map]) : 0;
        least = std::min(least, inFirst(map, scores[map]));
    }
    return std::max(byNull(least), searches * sum);
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
    return std::min(kCopy, std::ceil(high * 1e5) / 1e5);
}

std::vector<double> SearchLaw::atDeviations(double zscore) const {
    std::vector<double> scores;
    double highest = std::numeric_limits<double>::quiet_NaN();
    for (const ScoreLaw& law : maps) {
        const double score = law.exists() ? std::min(1.0, law.mean + zscore * law.deviation)
                                          : std::numeric_limits<double>::quiet_NaN();
        highest = std::fmax(highest, score);
        scores.push_back(score);
    }
    if (rare.empty()) {
        std::ranges::fill(scores, highest);
    }
    return scores;
}

} // namespace flcc::match
