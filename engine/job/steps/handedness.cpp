#include "engine/job/steps/handedness.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <functional>
#include <limits>
#include <numeric>

#include "engine/base/error.h"
#include "engine/base/tile_pool.h"
#include "engine/job/input/limits.h"
#include "engine/job/report/text.h"
#include "engine/job/steps/null_search.h"
#include "engine/job/steps/threshold.h"
#include "engine/match/null_template.h"
#include "engine/match/overlap.h"
#include "engine/method/shared/posed_view.h"

namespace flcc::job {

std::string_view name(Hand hand) {
    constexpr std::array<std::string_view, 3> kNames{"undecided", "given", "mirrored"};
    return kNames[static_cast<std::size_t>(hand)];
}

} // namespace flcc::job

namespace flcc::job::detail {

namespace {

constexpr double kLevel = 0.05;
constexpr std::int64_t kLeastPlaces = 6; // 2 / 2^6 is the first p below the level
constexpr double kOwnMirror = 0.95;

/// P(at most k of n) of fair coins, k <= n / 2, doubled and at most 1.
double signTest(std::int64_t n, std::int64_t k) {
    double sum = 0;
    for (std::int64_t i = 0; i <= k; ++i) {
        const auto all = static_cast<double>(n);
        const auto some = static_cast<double>(i);
        sum += std::exp(std::lgamma(all + 1) - std::lgamma(some + 1) - std::lgamma(all - some + 1) -
                        all * std::log(2.0));
    }
    return std::min(1.0, 2 * sum);
}

double distance(const base::Point& a, const base::Point& b) {
    return std::hypot(a[0] - b[0], a[1] - b[1], a[2] - b[2]);
}

/// The scores of a place; -2 of a hand without a peak there.
struct Place {
    base::Point centre{};
    double given = -2;
    double mirrored = -2;
};

/// As one search for both hands would list them, but with the score of the other hand.
std::vector<Place> placesOf(const std::vector<match::Peak>& given,
                            const std::vector<match::Peak>& mirrored, double threshold,
                            double reach, const Lies& lies) {
    struct Each {
        const match::Peak* peak;
        bool isGiven;
    };
    std::vector<Each> all;
    for (const bool isGiven : {true, false}) {
        for (const match::Peak& peak : isGiven ? given : mirrored) {
            if (peak.score >= threshold) {
                all.push_back({&peak, isGiven});
            }
        }
    }
    std::ranges::stable_sort(all, std::greater<>(),
                             [](const Each& each) { return each.peak->score; });
    std::vector<Place> places;
    match::Overlaps overlaps(lies.largest);
    for (const Each& each : all) {
        const auto near = std::ranges::find_if(places, [&](const Place& place) {
            return distance(place.centre, each.peak->centre) <= reach;
        });
        auto at = static_cast<std::size_t>(near - places.begin());
        if (lies.of) {
            match::Lying lying = lies.of(*each.peak, !each.isGiven);
            const match::Overlaps::Most most =
                near == places.end() ? overlaps.most(lying) : match::Overlaps::Most{};
            if (most.share > lies.mostOverlap) {
                at = most.of;
            } else if (near == places.end()) {
                overlaps.add(std::move(lying));
            }
        }
        if (at == places.size()) {
            places.push_back({.centre = each.peak->centre});
        }
        double& score = each.isGiven ? places[at].given : places[at].mirrored;
        score = std::max(score, each.peak->score);
    }
    return places;
}

std::vector<double> scoresOf(const std::vector<match::Peak>& peaks) {
    std::vector<double> scores;
    for (const match::Peak& peak : peaks) {
        scores.push_back(peak.score);
    }
    std::ranges::sort(scores, std::greater<>()); // of several templates, rare ones come first
    return scores;
}

/// Of the first `count` of scores that are sorted; those that a list lacks are its last.
double medianOf(const std::vector<double>& scores, std::int64_t count) {
    const auto there = std::min<std::size_t>(scores.size(), static_cast<std::size_t>(count));
    if (there == 0) {
        return 0;
    }
    return (scores[(there - 1) / 2] + scores[there / 2]) / 2;
}

/// Compares the sorted curves down to where the better one leaves the threshold.
void compareRanks(HandednessReport& report) {
    const auto above = [&](const std::vector<double>& scores) {
        return std::ranges::count_if(scores,
                                     [&](double score) { return score >= report.threshold; });
    };
    report.compared = std::max(above(report.given), above(report.mirrored));
    report.givenMedian = medianOf(report.given, report.compared);
    report.mirroredMedian = medianOf(report.mirrored, report.compared);
    double more = 0;
    for (std::size_t i = 0; i < static_cast<std::size_t>(report.compared); ++i) {
        const double a = i < report.given.size() ? report.given[i] : -2;
        const double b = i < report.mirrored.size() ? report.mirrored[i] : -2;
        more += a > b ? 1 : a == b ? 0.5 : 0;
    }
    report.above = report.compared > 0 ? more / static_cast<double>(report.compared) : 0;
}

} // namespace

HandednessReport judgeHands(const std::vector<match::Peak>& given,
                            const std::vector<match::Peak>& mirrored, double threshold,
                            double reach, double alike, const Lies& lies) {
    HandednessReport report{.given = scoresOf(given),
                            .mirrored = scoresOf(mirrored),
                            .threshold = threshold,
                            .alike = alike,
                            .reason = {}};
    compareRanks(report);
    for (const Place& place : placesOf(given, mirrored, threshold, reach, lies)) {
        if (place.given != place.mirrored) {
            ++report.places;
            report.won += place.given > place.mirrored ? 1 : 0;
        }
    }
    const std::int64_t lost = report.places - report.won;
    report.p = signTest(report.places, std::min(report.won, lost));
    const std::string counts = "the given hand scores more at " + std::to_string(report.won) +
                               " of " + std::to_string(report.places) + " places";
    if (alike >= kOwnMirror) {
        report.reason = "the template is its own mirror image up to a turn (correlation " +
                        fixed(alike, 2) + "), so both hands are one";
    } else if (report.places < kLeastPlaces) {
        report.reason = counts + " that reach the score " + fixed(threshold, 3) + "; " +
                        std::to_string(kLeastPlaces) + " are needed";
    } else if (report.p >= kLevel) {
        report.reason =
            counts + " (sign test, p = " + fixed(report.p, 3) + "), which chance gives too";
    } else {
        report.verdict = report.won > lost ? Hand::Given : Hand::Mirrored;
        report.reason = counts + " (sign test, p = " +
                        (report.p < 1e-3 ? std::string("below 0.001") : fixed(report.p, 3)) + ")";
    }
    return report;
}

double handReach(const Job& job, const Inputs& inputs) {
    if (const auto distance = minDistanceOf(job, inputs.geometry, inputs.isVolume())) {
        return *distance;
    }
    std::int64_t edge = std::numeric_limits<std::int64_t>::max();
    for (const TemplateInput& templ : inputs.templates) {
        const base::Extents& n = templ.extents();
        edge = std::min({edge, n.x, n.y, n.z > 1 ? n.z : edge});
    }
    return static_cast<double>(edge) / 2;
}

namespace {

/// A template less its mean under its support, of norm 1; 0 outside and where it is flat.
std::vector<double> unitOf(const method::MaskedView& view) {
    const base::Extents n = view.extents();
    std::vector<double> unit;
    std::vector<double> weight;
    double sum = 0;
    double weights = 0;
    for (std::int64_t z = 0; z < n.z; ++z) {
        for (std::int64_t y = 0; y < n.y; ++y) {
            for (std::int64_t x = 0; x < n.x; ++x) {
                const bool counts = view.mask.data() == nullptr || view.mask.at(x, y, z) != 0;
                const double by = !counts                          ? 0.0
                                  : view.weights.data() != nullptr ? view.weights.at(x, y, z)
                                                                   : 1.0;
                const double value = by > 0 ? base::valueAt(view.pixels, {x, y, z}) : 0.0;
                unit.push_back(value);
                weight.push_back(by);
                sum += by * value;
                weights += by;
            }
        }
    }
    double squares = 0;
    for (std::size_t i = 0; i < unit.size(); ++i) {
        unit[i] = std::sqrt(weight[i]) * (unit[i] - sum / weights);
        squares += unit[i] * unit[i];
    }
    for (double& value : unit) {
        value = squares > 0 ? value / std::sqrt(squares) : 0;
    }
    return unit;
}

double product(const std::vector<double>& a, const std::vector<double>& b) {
    return std::inner_product(a.begin(), a.end(), b.begin(), 0.0);
}

/// The unit template with x reversed.
std::vector<double> reversed(std::vector<double> unit, std::int64_t width) {
    for (auto row = unit.begin(); row != unit.end(); row += width) {
        std::reverse(row, row + width);
    }
    return unit;
}

double largestOf(const rotation::PoseBank& bank, std::size_t templ, base::TilePool& pool,
                 const std::stop_token& stop) {
    const rotation::TurnedTemplate image = bank.turned(templ, {{}, 1, true});
    const std::vector<double> mirrored = unitOf(method::viewOf(image));
    const std::int64_t poses = bank.cover().count();
    std::vector<double> found(static_cast<std::size_t>(poses), -1);
    const bool all = pool.run(
        poses,
        [&](std::int64_t i, int) {
            const std::int64_t member = static_cast<std::int64_t>(templ) * poses + i;
            if (bank.pose(member).scale == 1) {
                const rotation::TurnedTemplate turned = bank.member(member);
                found[static_cast<std::size_t>(i)] =
                    product(mirrored, unitOf(method::viewOf(turned)));
            }
        },
        stop);
    return all ? *std::ranges::max_element(found) : 0;
}

} // namespace

double mirrorLikeness(const Inputs& inputs, int threads, const std::stop_token& stop) {
    double least = 1;
    base::TilePool pool(threads);
    for (const std::vector<int>& group : inputs.groups) {
        const auto bank = inputs.bankOf(group);
        for (std::size_t i = 0; i < group.size() && !stop.stop_requested(); ++i) {
            if (bank) {
                least = std::min(least, largestOf(*bank, i, pool, stop));
            } else {
                const TemplateInput& templ = inputs.templates[static_cast<std::size_t>(group[i])];
                const std::vector<double> unit = unitOf(templ.view());
                least = std::min(least, product(unit, reversed(unit, templ.extents().x)));
            }
        }
    }
    return stop.stop_requested() ? 0 : least;
}

void requireHands(const Job& job) {
    const auto wrong = [](const char* key, const std::string& pattern) {
        throw base::Error(base::ErrorCode::CommandLine, base::Message(key, pattern));
    };
    if (job.handedness && (!job.operation.traits().hasLaw || job.stream)) {
        wrong(
            "handedness-of-what",
            std::string("{--handedness} compares peaks of lcc in one scene; leave it out or use ") +
                (job.stream ? "one slice as {--region} X,Y,Z:W,H,1 without {--stream}"
                            : "{--operation lcc}"));
    }
    if (job.handedness && job.poses.mirror) {
        wrong("handedness-and-mirror",
              "{--mirror} searches both hands as one, and {--handedness} each on its own; leave "
              "out one of them");
    }
}

bool HandSearch::search(const Job& job, const Inputs& inputs, const JobResult& so,
                        SceneSearch searchScene, const std::stop_token& stop, JobSink& sink) {
    if (job.handedness) {
        m_alike = mirrorLikeness(inputs, threadsOf(job), stop);
        m_mirrored = mirroredPeaks(job, so, searchScene, stop, sink);
    }
    return !stop.stop_requested();
}

namespace {

/// The score that decides who votes: that of the job, and one that noise does not reach in both
/// searches together but in a tenth of all scenes.
double votingThreshold(const ThresholdReport& threshold) {
    constexpr double kNoise = 0.05; // false positives of each search
    const match::SearchLaw law{.maps = threshold.law.maps};
    return law.exists() ? std::max(threshold.value, law.thresholdFor(kNoise)) : threshold.value;
}

/// How peaks of searches over poses lie; of others, nothing.
Lies liesIn(const Inputs& inputs) {
    // Less than what is listed: two peaks of one object are one vote.
    constexpr double kVoting = 0.1;
    Lies lies;
    if (inputs.banks.empty()) {
        return lies;
    }
    lies.mostOverlap = kVoting;
    for (const auto& bank : inputs.banks) {
        match::SearchedMap map;
        map.poses = bank;
        const base::Extents n = match::largestLying({map});
        lies.largest = {std::max(lies.largest.x, n.x), std::max(lies.largest.y, n.y),
                        std::max(lies.largest.z, n.z)};
    }
    lies.of = [&inputs](const match::Peak& peak, bool mirrored) {
        const auto group = std::ranges::find_if(inputs.groups, [&peak](const auto& each) {
            return std::ranges::find(each, peak.templ) != each.end();
        });
        const auto own = std::ranges::find(*group, peak.templ) - group->begin();
        rotation::Pose pose = *peak.pose;
        pose.mirrored = mirrored;
        return match::lyingAbout(*inputs.bankOf(*group), static_cast<std::size_t>(own), pose,
                                 peak.centre);
    };
    return lies;
}

} // namespace

std::optional<HandednessReport> HandSearch::judge(const Job& job, const Inputs& inputs,
                                                  const JobResult& so,
                                                  const std::vector<match::SearchedMap>& maps,
                                                  const std::stop_token& stop) const {
    if (!job.handedness || stop.stop_requested()) {
        return std::nullopt;
    }
    std::vector<match::Peak> given =
        peaksOf(allPeaks(job), inputs.sceneView(), maps, so.geometry, {}, stop).peaks;
    moveToScene(given, inputs, so.geometry);
    return judgeHands(given, m_mirrored, votingThreshold(*so.report.threshold),
                      handReach(job, inputs), m_alike, liesIn(inputs));
}

} // namespace flcc::job::detail
