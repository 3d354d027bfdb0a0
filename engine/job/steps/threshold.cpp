#include "engine/job/steps/threshold.h"

#include <algorithm>
#include <cstdlib>
#include <iterator>
#include <string>
#include <utility>

#include "engine/base/tile_pool.h"
#include "engine/job/input/inputs.h"
#include "engine/job/report/text.h"
#include "engine/match/overlap.h"
#include "engine/match/peaks.h"
#include "engine/match/refine.h"
#include "engine/match/search_statistics.h"

namespace flcc::job::detail {

namespace {

/// Of the time of finding and refining peaks: refining takes most of it.
constexpr double kFindingShare = 0.2;
/// Numbers of false positives that differ more tell another story.
constexpr double kFarOff = 2;

/// What the check of a null template says.
std::vector<std::string> nullSentences(const match::SearchLaw& law) {
    const match::NullCheck& check = law.check;
    const bool sphere = law.null == match::NullTemplate::Sphere;
    const std::string null = sphere ? std::string("a sphere of the template's size")
                                    : "the " + std::string(match::name(law.null)) + " null";
    if (check.withdrawn && check.peaks == 0) {
        return {null + " and the template have a correlation of " + fixed(check.likeness, 2) +
                " at some shift or pose: the null would find the objects themselves, so it is left "
                "out, and the law of the scores tells false positives"};
    }
    const std::string scores = null + " scores " + fixed(check.ratio, 2) +
                               " times as much as the template in the median of " +
                               std::to_string(check.peaks) + " peaks that stand out from noise";
    if (check.withdrawn) {
        return {scores + ", and more at " + std::to_string(check.matched) +
                ": the template does no better, and the law of the scores tells false positives"};
    }
    if (sphere && check.ratio > match::NullCheck::kSame) {
        return {scores + ": the template does hardly better"};
    }
    return {};
}

} // namespace

ThresholdReport thresholdOn(const Job& job, match::SearchLaw law) {
    ThresholdReport report{.value = thresholdOf(job), .chosenBy = "score", .law = std::move(law)};
    if (!report.law.exists()) {
        return report; // all scores are equal: the score of the operation stands
    }
    const std::size_t maps = report.law.maps.size();
    report.values.assign(maps, report.value);
    if (const std::optional<double> number = falsePositivesOf(job)) {
        report.chosenBy = "false-positives";
        report.asked = number;
        report.value = report.law.thresholdFor(*number);
        for (std::size_t map = 0; map < maps; ++map) {
            report.values[map] =
                std::min(match::SearchLaw::kCopy, report.law.inMap(map, report.value));
        }
    } else if (job.zscore) {
        report.chosenBy = "zscore";
        report.asked = job.zscore;
        report.values = report.law.atDeviations(*job.zscore);
        report.value = report.values.empty() ? report.value : report.values.front();
    }
    report.falsePositives = report.values.empty() ? report.law.falsePositives(report.value)
                                                  : report.law.falsePositives(report.values);
    report.warnings = nullSentences(report.law);
    if (!report.law.hasNull()) {
        for (std::size_t map = 0; map < maps; ++map) {
            for (std::string& sentence : report.law.maps[map].warningsAt(report.values[map])) {
                if (std::ranges::find(report.warnings, sentence) == report.warnings.end()) {
                    report.warnings.push_back(std::move(sentence));
                }
            }
        }
    }
    if (report.law.hasNull() && report.falsePositives &&
        report.law.byMaps(report.value) > kFarOff * report.law.byNull(report.value)) {
        report.warnings.emplace_back("the null template promises fewer false positives than the "
                                     "law of the scores, which counts");
    }
    return report;
}

namespace {

/// What stands out from the noise may be of two kinds.
void sayGap(const Job& job, FoundPeaks& found) {
    if (!mapDecidesThreshold(job) || !found.threshold->law.rare.empty()) {
        return; // scores of several templates have gaps of their own
    }
    std::vector<double> scores;
    for (const match::Peak& peak : found.peaks) {
        scores.push_back(peak.score);
    }
    found.threshold->gap = match::clearGap(std::move(scores));
    if (const std::optional<match::ScoreGap>& gap = found.threshold->gap) {
        const std::int64_t below = std::ssize(found.peaks) - gap->above;
        found.threshold->warnings.push_back(
            std::to_string(gap->above) + " peaks lie above a clear gap of the scores (" +
            fixed(gap->upper, 3) + " to " + fixed(gap->lower, 3) + ") and " +
            std::to_string(below) +
            " more above noise, which may be of something else that is like the template; "
            "--min-score " +
            fixed((gap->upper + gap->lower) / 2, 3) + " lists the first alone");
    }
}

} // namespace

void setThreshold(const ThresholdReport& threshold, match::PeakOptions& options) {
    options.minScore = threshold.value;
    if (const match::SearchLaw& law = threshold.law; !law.rare.empty()) {
        options.minScores = threshold.values;
        // In deviations, which objects in the scene widen for all templates alike. Measured with 13
        // species in a tomogram: F4 0.74, by false positives 0.60, by scores 0.41.
        std::vector<std::pair<double, double>> maps;
        for (const match::ScoreLaw& each : law.maps) {
            maps.emplace_back(each.mean, each.deviation);
        }
        options.worth = [maps = std::move(maps)](std::size_t map, double score) {
            return map < maps.size() ? (score - maps[map].first) / maps[map].second : score;
        };
    }
}

namespace {

/// Peaks that a better one hides. Those of each map, as another template may be better at the same
/// place once its pose is refined.
std::vector<match::Peak> hiddenPeaks(const method::MaskedView& scene,
                                     const std::vector<match::SearchedMap>& maps,
                                     const base::Geometry& geometry,
                                     const match::CandidateOptions& wanted,
                                     const std::stop_token& stop) {
    std::vector<match::Peak> hidden;
    match::PeakOptions options = *wanted.hidden;
    options.worth = {};
    options.minScores.clear();
    for (std::size_t map = 0; map < maps.size(); ++map) {
        options.minScore = wanted.peaks.minScoreOf(map);
        std::ranges::move(match::findPeaks(scene, {maps[map]}, geometry, options, stop),
                          std::back_inserter(hidden));
    }
    return hidden;
}

int threadsOf(const Job& job) { return job.threads > 0 ? job.threads : base::availableThreads(); }

/// More peaks than are listed are judged, as many may be left out.
std::int64_t judgedPeaks(std::int64_t listed) {
    constexpr std::int64_t kTimes = 4;
    constexpr std::int64_t kMost = 1000;
    return listed >= kMost ? listed : std::min(kMost, kTimes * listed);
}

/// Leaves out peaks of other things than the template, of which `number` are allowed, and those
/// beyond `most`. Returns what it left out.
std::vector<match::Peak> leaveOthers(const match::SearchedMap& map, const method::MaskedView& scene,
                                     const match::PeakOptions& options, std::int64_t most,
                                     double number, base::TilePool& pool,
                                     const std::stop_token& stop, FoundPeaks& found) {
    std::vector<match::Peak> others;
    if (!found.peaks.empty()) {
        const match::PoseScores scores =
            match::poseScores(map, scene, found.peaks, options, pool, stop);
        if (stop.stop_requested()) {
            found.peaks.clear();
            return others;
        }
        const match::PlaceVerdicts verdicts =
            match::judgePlaces(scores.places, scores.contrast,
                               found.threshold->law.maps.front().deviations().first, number);
        found.threshold->others = {scores.contrast, std::ssize(found.peaks), verdicts.others()};
        std::vector<match::Peak> own;
        for (std::size_t i = 0; i < found.peaks.size(); ++i) {
            (verdicts.own[i] ? own : others).push_back(found.peaks[i]);
        }
        found.peaks = std::move(own);
        if (!others.empty()) {
            found.threshold->warnings.push_back(
                std::to_string(others.size()) + " of " + std::to_string(std::ssize(verdicts.own)) +
                " peaks that stand out from noise are left out: there, other orientations of the "
                "template score almost as much as the best one, as at other things of its size; "
                "--list-others lists them");
        }
    }
    found.peaks.resize(std::min(found.peaks.size(), static_cast<std::size_t>(most)));
    return others;
}

/// Takes hidden peaks away that were not judged: those within half of the template's extents from
/// one of `others`, and those farther than its extents from every listed peak, which others hide.
void takeAway(std::vector<match::Peak>& hidden, const std::vector<match::Peak>& others,
              const std::vector<match::Peak>& listed, const base::Extents& templ) {
    const auto within = [&templ](const match::Peak& a, const match::Peak& b, std::int64_t times) {
        return times * std::abs(a.corner.x - b.corner.x) <= templ.x &&
               times * std::abs(a.corner.y - b.corner.y) <= templ.y &&
               times * std::abs(a.corner.z - b.corner.z) <= templ.z;
    };
    std::erase_if(hidden, [&](const match::Peak& peak) {
        return std::ranges::any_of(others,
                                   [&](const auto& each) { return within(peak, each, 2); }) ||
               std::ranges::none_of(listed,
                                    [&](const auto& each) { return within(peak, each, 1); });
    });
}

} // namespace

bool leavesOthers(const Job& job) {
    return falsePositivesOf(job) && job.null == match::NullTemplate::None && !job.listOthers;
}

FoundPeaks peaksOf(const Job& job, const method::MaskedView& scene,
                   const std::vector<match::SearchedMap>& maps, const base::Geometry& geometry,
                   match::SearchLaw law, const std::stop_token& stop,
                   const std::function<void(double)>& progress) {
    FoundPeaks found;
    match::PeakOptions options = peakOptions(job, geometry, scene.extents().z > 1);
    if (job.operation.traits().hasLaw) {
        const bool known = law.maps.size() == maps.size() &&
                           std::ranges::all_of(law.maps, [&options](const match::ScoreLaw& each) {
                               return each.partial == options.partialPeaks;
                           });
        if (!known) {
            law.maps.clear();
            for (const match::SearchedMap& map : maps) {
                law.maps.push_back(match::scoreLaw(map, scene, options));
            }
            law.compareByRarity();
        }
        found.threshold = thresholdOn(job, std::move(law));
        setThreshold(*found.threshold, options);
    }
    const bool refines =
        job.poses.refine && job.poses.any() && job.operation.traits().refinesByPixels;
    match::CandidateOptions wanted{.peaks = options, .hidden = {}};
    if (refines) {
        wanted = match::candidateOptions(options, maps);
        if (!job.minScore) { // what a law says of scores holds for those of the map alone
            wanted.peaks.minScore = options.minScore;
            wanted.peaks.minScores = options.minScores;
        }
    }
    const bool leaves = leavesOthers(job) && found.threshold &&
                        found.threshold->law.searches == 1 && match::hasContrast(maps);
    const std::int64_t most = wanted.peaks.maxPeaks;
    if (leaves) {
        wanted.peaks.maxPeaks = judgedPeaks(most);
    }
    const double finds = refines ? kFindingShare : 1;
    const auto part = [&progress](double from, double share) -> std::function<void(double)> {
        return progress ? [=](double done) { progress(from + share * done); }
                        : std::function<void(double)>();
    };
    found.peaks = match::findPeaks(scene, maps, geometry, wanted.peaks, stop, &found.incomplete,
                                   part(0, finds));
    base::TilePool pool(leaves || refines ? threadsOf(job) : 1);
    std::vector<match::Peak> others;
    if (leaves) {
        others = leaveOthers(maps.front(), scene, options, most, *falsePositivesOf(job), pool, stop,
                             found);
    }
    if (refines) {
        std::vector<match::Peak> hidden;
        if (wanted.hidden) {
            hidden = hiddenPeaks(scene, maps, geometry, wanted, stop);
            if (leaves) {
                takeAway(hidden, others, found.peaks, maps.front().poses->templExtents());
            }
        }
        match::refinePeaks(found.peaks, scene, maps, options, pool, stop, part(finds, 1 - finds),
                           std::move(hidden), wanted.likeness);
        if (stop.stop_requested()) {
            found.peaks.clear();
        }
    }
    match::setOverlaps(found.peaks, maps);
    if (found.threshold) {
        sayGap(job, found);
        for (match::Peak& peak : found.peaks) {
            if (found.threshold->falsePositives) {
                const match::SearchLaw& known = found.threshold->law;
                peak.falsePositives =
                    known.falsePositives(known.inFirst(match::mapNumberOf(maps, peak), peak.score));
            }
        }
        match::setSharpness(found.peaks, maps);
        match::setSearchStatistics(found.peaks, maps);
    }
    return found;
}

} // namespace flcc::job::detail
