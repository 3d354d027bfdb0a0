#include "engine/match/pose_contrast.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <numbers>
#include <numeric>
#include <utility>

#include "engine/base/random.h"
#include "engine/match/detail/plain_scores.h"
#include "engine/method/canonical.h"
#include "engine/method/shared/posed_view.h"
#include "engine/rotation/pose_bank.h"

namespace flcc::match {

namespace {

constexpr std::int64_t kLeastTurns = 50;
constexpr std::int64_t kMostMembers = 2048;
constexpr std::int64_t kAtPeaks = 256; // members that are scored at peaks
constexpr int kThings = 24;            // of each kind
// Things of fewer copies hold the template, those of more share less with it than proteins do.
constexpr int kCopies = 4;
// Of proteins beside other proteins; the few things here would tell it badly on their own.
constexpr double kLeastSpread = 0.2;
constexpr double kMostSpread = 0.25;

rotation::Quaternion unit(rotation::Quaternion q) {
    const double length = std::sqrt(q.w * q.w + q.x * q.x + q.y * q.y + q.z * q.z);
    return {q.w / length, q.x / length, q.y / length, q.z / length};
}

rotation::Quaternion anyTurn(base::Random& random) {
    const double w = random.normal();
    const double x = random.normal();
    const double y = random.normal();
    return unit({w, x, y, random.normal()});
}

/// A turn by at most `degrees`, about any axis.
rotation::Quaternion smallTurn(double degrees, base::Random& random) {
    const double angle =
        degrees * std::cbrt(random.uniform(0, 1)) * std::numbers::pi / 180; // even over the ball
    const rotation::Quaternion axis = unit({0, random.normal(), random.normal(), random.normal()});
    const double s = std::sin(angle / 2);
    return {std::cos(angle / 2), s * axis.x, s * axis.y, s * axis.z};
}

/// The template in a pose less its mean, 0 outside of its support.
base::Image<double> valuesOf(const rotation::PoseBank& bank, const rotation::Quaternion& turn) {
    const rotation::TurnedTemplate turned = bank.turned(0, {.turn = turn});
    base::Image<double> made(base::extentsOf(turned.pixels));
    const auto counts = [&turned](std::int64_t i) {
        return turned.whole || turned.support.data()[i] != 0;
    };
    std::visit(
        [&](const auto& pixels) {
            double sum = 0;
            double number = 0;
            for (std::int64_t i = 0; i < pixels.count(); ++i) {
                sum += counts(i) ? static_cast<double>(pixels.data()[i]) : 0;
                number += counts(i) ? 1 : 0;
            }
            for (std::int64_t i = 0; i < pixels.count(); ++i) {
                made.data()[i] =
                    counts(i) ? static_cast<double>(pixels.data()[i]) - sum / number : 0;
            }
        },
        turned.pixels);
    return made;
}

/// The mean over each shell of one voxel about the middle.
base::Image<double> radialOf(const base::Image<double>& image) {
    const base::Extents& n = image.extents();
    std::vector<double> sums;
    std::vector<double> counts;
    std::vector<std::size_t> shells(static_cast<std::size_t>(image.count()));
    for (std::int64_t i = 0; i < image.count(); ++i) {
        const double x = static_cast<double>(i % n.x) - static_cast<double>(n.x - 1) / 2;
        const double y = static_cast<double>(i / n.x % n.y) - static_cast<double>(n.y - 1) / 2;
        const double z = static_cast<double>(i / (n.x * n.y)) - static_cast<double>(n.z - 1) / 2;
        const auto shell = static_cast<std::size_t>(std::llround(std::sqrt(x * x + y * y + z * z)));
        shells[static_cast<std::size_t>(i)] = shell;
        if (shell >= sums.size()) {
            sums.resize(shell + 1);
            counts.resize(shell + 1);
        }
        sums[shell] += image.data()[i];
        counts[shell] += 1;
    }
    base::Image<double> made(n);
    for (std::int64_t i = 0; i < made.count(); ++i) {
        const std::size_t shell = shells[static_cast<std::size_t>(i)];
        made.data()[i] = sums[shell] / counts[shell];
    }
    return made;
}

/// A thing with the template's radial profile and details that are not the template's.
base::Image<double> otherThing(const rotation::PoseBank& bank, std::uint64_t seed) {
    base::Random random(seed);
    base::Image<double> made;
    for (int copy = 0; copy < kCopies; ++copy) {
        base::Image<double> values = valuesOf(bank, anyTurn(random));
        const base::Image<double> radial = radialOf(values);
        const double factor = (random.uniform(0, 1) < 0.5 ? -1 : 1) / std::sqrt(1.0 * kCopies);
        for (std::int64_t i = 0; i < values.count(); ++i) {
            values.data()[i] = (copy == 0 ? radial.data()[i] : made.data()[i]) +
                               factor * (values.data()[i] - radial.data()[i]);
        }
        made = std::move(values);
    }
    return made;
}

/// A copy of the template between orientations of the search.
base::Image<double> ownThing(const rotation::PoseBank& bank, std::uint64_t seed) {
    base::Random random(seed);
    const rotation::Cover& cover = bank.cover();
    const auto all = static_cast<double>(cover.turns.size());
    const auto near = static_cast<std::size_t>(
        std::min(all - 1, random.uniform(0, static_cast<double>(cover.turns.size()))));
    return valuesOf(bank, rotation::product(smallTurn(cover.radius, random), cover.turns[near]));
}

/// Collects scores of members in their order.
struct Tally {
    double best = -1;
    double sum = 0;
    double squares = 0;
    double count = 0;
    void add(double score) {
        best = std::max(best, score);
        sum += score;
        squares += score * score;
        count += 1;
    }
    [[nodiscard]] PlaceScores scores() const {
        const double mean = count > 0 ? sum / count : 0;
        const double square = count > 0 ? squares / count - mean * mean : 0;
        return {best, mean, std::sqrt(std::max(0.0, square))};
    }
};

double medianOf(std::vector<double> of) {
    const auto middle = of.begin() + std::ssize(of) / 2;
    std::ranges::nth_element(of, middle);
    return *middle;
}

/// The standard deviation of a Gaussian by the median of the differences from its median.
double spreadOf(std::vector<double> of) {
    constexpr double kOfMedian = 1.4826;
    const double middle = medianOf(of);
    for (double& each : of) {
        each = std::abs(each - middle);
    }
    return kOfMedian * medianOf(std::move(of));
}

/// `things`: first those that are something else.
PoseContrast contrastOf(const std::vector<Tally>& things) {
    std::vector<double> others;
    std::vector<double> owns;
    std::vector<double> deviations;
    for (std::size_t i = 0; i < things.size(); ++i) {
        const PlaceScores scores = things[i].scores();
        if (i < kThings) {
            others.push_back(scores.contrast());
        } else {
            const double best = std::max(scores.best, 1e-6);
            owns.push_back((best - scores.mean) / best);
            deviations.push_back(scores.deviation / best);
        }
    }
    return {medianOf(others), std::clamp(spreadOf(others), kLeastSpread, kMostSpread),
            medianOf(owns), medianOf(deviations)};
}

} // namespace

bool hasContrast(const std::vector<SearchedMap>& maps) {
    if (maps.size() != 1 || !maps.front().poses || maps.front().numbers.size() != 1) {
        return false;
    }
    const rotation::Cover& cover = maps.front().poses->cover();
    return !cover.flat && cover.scales.size() == 1 && !cover.mirror &&
           std::ssize(cover.turns) >= kLeastTurns;
}

PoseScores poseScores(const SearchedMap& map, const method::MaskedView& scene,
                      const std::vector<Peak>& peaks, const PeakOptions& options,
                      base::TilePool& pool, const std::stop_token& stop) {
    const rotation::PoseBank& bank = *map.poses;
    std::vector<base::Image<double>> things(2 * kThings);
    pool.run(
        std::ssize(things),
        [&](std::int64_t i, int /*worker*/) {
            const auto seed = static_cast<std::uint64_t>(i + 1);
            things[static_cast<std::size_t>(i)] =
                i < kThings ? otherThing(bank, seed) : ownThing(bank, seed);
        },
        stop);
    const std::int64_t count = std::min(bank.count(), kMostMembers);
    const std::int64_t step = std::max<std::int64_t>(1, count / kAtPeaks);
    // A row for each member: scores of the things, then of the peaks.
    std::vector<std::vector<float>> rows(static_cast<std::size_t>(count));
    pool.run(
        count,
        [&](std::int64_t i, int /*worker*/) {
            const rotation::TurnedTemplate turned =
                bank.member((2 * i + 1) * bank.count() / (2 * count));
            const method::CanonicalTemplate templ(method::viewOf(turned));
            const detail::PlainScores plain(templ);
            const auto score = [&](const method::MaskedView& in, const base::Index& at) {
                const std::optional<double> value = plain.at(in, at);
                return static_cast<float>(
                    value ? *value : method::canonicalValue(in, templ, at, options.outside).score);
            };
            std::vector<float>& row = rows[static_cast<std::size_t>(i)];
            for (const base::Image<double>& thing : things) {
                row.push_back(score(thing.view(), {0, 0, 0}));
            }
            if (i % step == 0) {
                for (const Peak& peak : peaks) {
                    row.push_back(score(scene, peak.corner));
                }
            }
        },
        stop);
    PoseScores made;
    std::vector<Tally> tallies(things.size() + peaks.size());
    for (const std::vector<float>& row : rows) {
        for (std::size_t i = 0; i < row.size(); ++i) {
            tallies[i].add(static_cast<double>(row[i]));
        }
    }
    made.contrast = contrastOf({tallies.begin(), tallies.begin() + std::ssize(things)});
    for (std::size_t i = 0; i < peaks.size(); ++i) {
        PlaceScores scores = tallies[things.size() + i].scores();
        scores.best = peaks[i].score;
        made.places.push_back(scores);
    }
    return made;
}

std::int64_t PlaceVerdicts::others() const { return std::ranges::count(own, false); }

PlaceVerdicts judgePlaces(const std::vector<PlaceScores>& places, const PoseContrast& contrast,
                          double noise, double number) {
    constexpr double kNoiseOfOthers = 0.5;
    constexpr double kUneven = 1.2;
    constexpr double kUnevenSpread = 0.15;
    constexpr double kFirstShare = 0.9;
    constexpr double kLeastShare = 0.5;
    constexpr double kMostShare = 0.99;
    constexpr double kMorePlaces = 2;
    constexpr double kOfOwn = 0.2; // more places of something else
    constexpr int kSteps = 50;
    std::vector<double> ratios; // logarithms of the likelihood of the template over something else
    for (const PlaceScores& place : places) {
        const double spread = contrast.spread * place.deviation;
        const double usual = contrast.other * place.deviation;
        const double excess = place.best - place.mean - usual;
        const double expected = contrast.own * place.best - usual;
        const double s0 = std::hypot(spread, kNoiseOfOthers * noise);
        const double s1 = std::hypot(spread, noise);
        const double deviation = std::hypot(contrast.ownDeviation * place.best, noise);
        const double uneven =
            deviation > 0 ? std::max(0.0, place.deviation / deviation - kUneven) / kUnevenSpread
                          : 0;
        double ratio = -uneven * uneven / 2;
        if (expected > 0 && s0 > 0) {
            const double less = std::max(0.0, expected - excess) / s1;
            const double more = std::max(0.0, excess) / s0;
            ratio += std::log(s0 / s1) - less * less / 2 + more * more / 2;
        }
        ratios.push_back(ratio);
    }
    PlaceVerdicts made;
    made.share = kFirstShare;
    std::vector<double> own(places.size());
    for (int step = 0; step < kSteps; ++step) {
        double sum = kMorePlaces;
        for (std::size_t i = 0; i < places.size(); ++i) {
            own[i] = 1 / (1 + (1 - made.share) / made.share *
                                  std::exp(-std::clamp(ratios[i], -30.0, 30.0)));
            sum += own[i];
        }
        made.share = std::clamp(sum / (static_cast<double>(places.size()) + kMorePlaces + kOfOwn),
                                kLeastShare, kMostShare);
    }
    constexpr double kClearly = 0.8; // four times as probable
    std::vector<std::size_t> order(places.size());
    std::iota(order.begin(), order.end(), std::size_t{0});
    std::ranges::stable_sort(order, std::greater<>(), [&own](std::size_t i) { return own[i]; });
    made.own.assign(places.size(), false);
    double others = 0;
    for (const std::size_t i : order) {
        const bool tells = ratios[i] != 0;
        others += tells ? 1 - own[i] : 0;
        made.own[i] = !tells || own[i] >= kClearly || (own[i] >= 0.5 && others <= number);
    }
    return made;
}

} // namespace flcc::match
