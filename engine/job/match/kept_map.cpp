#include "engine/job/kept_map.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <utility>

#include "engine/base/error.h"
#include "engine/job/match/kept_images.h"
#include "engine/job/report/frame_report.h"
#include "engine/job/steps/threshold.h"
#include "engine/job/stream/frame_stack.h"
#include "engine/job/stream/frames.h"
#include "engine/match/search_statistics.h"

namespace flcc::job {

match::SearchedMap detail::searchedMap(const KeptMap& kept, const KeptPart& part) {
    return searchedMap(kept, part, kept.images->inputs);
}

match::SearchedMap detail::searchedMap(const KeptMap& kept, const KeptPart& part,
                                       const Inputs& inputs) {
    const std::vector<int>& numbers = inputs.groups.front(); // templates of one extent have a map
    base::Box box{{0, 0, 0}, kept.map->value.extents()};
    if (kept.stream) {
        box.corner.z = part.frame;
        box.extents.z = 1;
    }
    const auto partOf = [&box](const auto& image) {
        return image.data() == nullptr ? image.view() : image.view().part(box);
    };
    const auto bank = inputs.bankOf(numbers);
    match::SearchedMap map{.templates = bank ? std::vector<method::MaskedView>()
                                             : inputs.templViews(numbers),
                           .numbers = inputs.numbersOf(numbers),
                           .value = partOf(kept.map->value),
                           .status = partOf(kept.map->status),
                           .facts = part.facts,
                           .statistics = part.statistics,
                           .firstPlacement = method::firstPlacement(kept.problem),
                           .index = {},
                           .reduced = nullptr,
                           .operation = kept.problem.operation,
                           .exact = partOf(kept.map->exact),
                           .poses = bank,
                           .darkFrom = inputs.darkFrom(numbers),
                           .room = bank ? std::optional(inputs.room()) : std::nullopt};
    if (inputs.countOf(numbers) > 1 || bank) {
        map.statistics = match::bankStatistics(part.statistics, part.facts.scores);
        map.index = kept.index ? partOf(*kept.index) : map.index;
        map.search = kept.search ? kept.search->view() : map.search;
    }
    return map;
}

namespace {

FoundPeaks searchPart(const KeptMap& kept, const KeptPart& part, const detail::Inputs& inputs,
                      const method::MaskedView& scene, const base::Geometry& geometry,
                      const Job& job, double searches, const std::stop_token& stop) {
    FoundPeaks found =
        detail::peaksOf(job, scene, {detail::searchedMap(kept, part, inputs)}, geometry,
                        {.maps = part.laws,
                         .nullScores = part.nullScores,
                         .null = kept.images->job.null,
                         .check = part.check,
                         .searches = searches},
                        stop);
    detail::moveToScene(found.peaks, inputs, geometry);
    return found;
}

/// The inputs of a frame that is filtered, which may change its templates too.
detail::Inputs inputsOf(const KeptImages& images, std::shared_ptr<const SceneImage> frame,
                        const std::stop_token& stop) {
    JobImages own{.scene = std::move(frame), .sceneMask = images.inputs.sceneMask};
    for (const detail::TemplateInput& templ : images.inputs.templates) {
        own.templates.push_back(templ.image);
        own.masks.push_back(templ.mask);
    }
    return detail::readInputs(images.filterJob, own, "", stop);
}

} // namespace

PeakThresholds thresholdsOf(const Job& job) {
    return {.threshold = thresholdOf(job),
            .maxPeaks = job.maxPeaks,
            .minDistance = job.minDistance,
            .partialPeaks = job.partialPeaks,
            .falsePositives = falsePositivesOf(job),
            .zscore = mapDecidesThreshold(job) ? job.zscore : std::nullopt,
            .distanceUnit = job.distanceUnit,
            .maxOverlap = job.maxOverlap};
}

Job withThresholds(Job job, const PeakThresholds& thresholds) {
    const bool largest = job.operation.traits().best == method::Best::Largest;
    job.falsePositives = thresholds.falsePositives;
    job.zscore = thresholds.zscore;
    if (thresholds.falsePositives || thresholds.zscore) {
        job.minScore.reset();
    } else {
        (largest ? job.minScore : job.maxScore) = thresholds.threshold;
    }
    job.maxPeaks = thresholds.maxPeaks;
    job.minDistance = thresholds.minDistance;
    job.distanceUnit = thresholds.distanceUnit;
    job.maxOverlap = thresholds.maxOverlap;
    job.partialPeaks = thresholds.partialPeaks;
    return job;
}

std::shared_ptr<const KeptMap> keepMap(const JobResult& result, const Job& job,
                                       const std::shared_ptr<const SceneImage>& scene,
                                       const std::stop_token& stop) {
    if (!result.map || !result.report.map || !isWhole(result)) {
        throw base::Error(base::ErrorCode::Problem,
                          "peaks need a finished map; run the job again with other options");
    }
    auto images = std::make_shared<KeptImages>();
    // The images of the result serve as inputs; no file is read and no crop is cut.
    images->job = chosen<Common, Choice, Numbers, Question, Variants, Listing, Sums, Checks>(job);
    images->job.region = job.region;
    images->job.resample = job.resample;
    images->job.ignoreDirections = job.ignoreDirections;
    std::shared_ptr<const SceneImage> first = scene;
    if (job.stream) {
        images->stack = scene;
        first = detail::Frames(job, scene, stop).load(0, stop);
    }
    if (stop.stop_requested()) {
        return nullptr;
    }
    images->filterJob = images->job;
    if (result.report.preparation) {
        images->filterJob.spacing = result.report.preparation->stated;
    } else if (result.report.poses) { // lengths were turned by the spacing of the run
        images->filterJob.spacing = base::Spacing{result.report.poses->edges, result.geometry.unit};
    }
    images->inputs = detail::readInputs(
        images->filterJob, {first, result.templates, result.masks, result.sceneMask}, "", stop);
    if (stop.stop_requested()) {
        return nullptr;
    }
    images->inputs.geometry = statedGeometry(*first, job.spacing, job.world);
    auto kept = std::make_shared<KeptMap>();
    kept->map = result.map;
    kept->index = result.index;
    kept->search = result.search;
    kept->problem = result.report.plan.problem;
    kept->stream = job.stream;
    kept->corner = result.mapCorner;
    kept->unfinished = unfinishedText(result.report);
    kept->images = std::move(images);
    if (job.stream) {
        for (const FrameReport& row : result.report.frames) {
            const match::SearchLaw law = row.threshold ? row.threshold->law : match::SearchLaw();
            kept->parts.push_back(
                {row.frame, row.statistics, row.facts, law.nullScores, law.maps, law.check});
        }
    } else {
        const std::optional<ThresholdReport>& threshold = result.report.threshold;
        const match::SearchLaw law = threshold ? threshold->law : match::SearchLaw();
        kept->parts.push_back({0, result.report.map->statistics, result.report.map->facts,
                               law.nullScores, law.maps, law.check});
    }
    return kept;
}

namespace {

/// Far above the bounds on canonical scores, of 1e-13 and the like.
constexpr double kNearThreshold = 1e-9;

} // namespace

match::SearchLaw lawOf(const KeptMap& kept) {
    match::SearchLaw law{.null = kept.images->job.null};
    if (!kept.problem.operation.traits().hasLaw) {
        return law;
    }
    const bool known =
        std::ranges::none_of(kept.parts, [](const KeptPart& part) { return part.laws.empty(); });
    if (!known) {
        law.maps = extractPeaks(kept, thresholdsOf(kept.images->job)).threshold->law.maps;
    }
    for (const KeptPart& part : kept.parts) {
        if (known) {
            law.maps.push_back(part.laws.front());
        }
        law.check = part.check;
        law.nullScores.insert(law.nullScores.end(), part.nullScores.begin(), part.nullScores.end());
    }
    std::ranges::sort(law.nullScores, std::greater<>());
    return law;
}

FoundPeaks extractPeaks(const KeptMap& kept, const PeakThresholds& thresholds,
                        const std::stop_token& stop) {
    const KeptImages& images = *kept.images;
    const Job job = withThresholds(images.job, thresholds);
    if (!kept.stream) {
        FoundPeaks found =
            searchPart(kept, kept.parts.front(), images.inputs, images.inputs.sceneView(),
                       images.inputs.geometry, job, 1, stop);
        if (!kept.unfinished.empty()) {
            found.incomplete =
                kept.unfinished + (found.incomplete.empty() ? "" : "; " + found.incomplete);
        }
        return found;
    }
    detail::Frames frames(job, images.stack, stop);
    FoundPeaks all;
    for (const KeptPart& part : kept.parts) {
        const auto frame = frames.load(part.frame, stop);
        if (!frame) {
            return {};
        }
        std::optional<detail::Inputs> own;
        if (!images.inputs.responses.empty() || !images.inputs.banks.empty()) {
            own = inputsOf(images, frame, stop);
        }
        if (stop.stop_requested()) {
            return {};
        }
        FoundPeaks found =
            searchPart(kept, part, own ? *own : images.inputs,
                       own ? own->sceneView() : images.inputs.viewOf(base::viewOf(frame->pixels)),
                       statedGeometry(*frame, job.spacing, job.world), job,
                       static_cast<double>(frames.count()), stop);
        if (stop.stop_requested()) {
            return {};
        }
        detail::moveToFrame(found.peaks, part.frame);
        all.peaks.insert(all.peaks.end(), found.peaks.begin(), found.peaks.end());
        all.incomplete = all.incomplete.empty() ? found.incomplete : all.incomplete;
        detail::joinThreshold(all.threshold, found.threshold);
    }
    detail::bestFirst(all.peaks, job.operation.traits().best == method::Best::Largest);
    return all;
}

std::optional<FoundPeaks> stricterPeaks(const KeptMap& kept, const FoundPeaks& list,
                                        const PeakThresholds& looser,
                                        const PeakThresholds& wanted) {
    if (kept.stream || !list.incomplete.empty() || wanted.minDistance != looser.minDistance ||
        wanted.distanceUnit != looser.distanceUnit || wanted.maxOverlap != looser.maxOverlap ||
        wanted.partialPeaks != looser.partialPeaks) {
        return std::nullopt;
    }
    // Other things are judged together: a stricter list may leave out others.
    const bool judged = !kept.images->inputs.banks.empty() &&
                        detail::leavesOthers(withThresholds(kept.images->job, wanted));
    if (judged ||
        (list.threshold && list.threshold->others && list.threshold->others->others > 0)) {
        return std::nullopt;
    }
    const auto valueOf = [&](const PeakThresholds& thresholds) {
        const Job job = withThresholds(kept.images->job, thresholds);
        return list.threshold
                   ? detail::thresholdOn(job, list.threshold->law)
                   : ThresholdReport{.value = thresholdOf(job), .chosenBy = "score", .law = {}};
    };
    ThresholdReport report = valueOf(wanted);
    const double sign = kept.problem.operation.traits().sign();
    const double least = sign * report.value;
    if (std::isnan(least) || least < sign * valueOf(looser).value) {
        return std::nullopt;
    }
    // Peaks come best first, and a lower one suppresses none above it: the list is the begin of the
    // looser one. Where scores are equal to the threshold but for errors, a peak may be left out
    // while one that it suppresses is listed.
    double bound = 0;
    for (const match::Peak& peak : list.peaks) {
        bound = std::max(bound, peak.bound);
    }
    const double near = 2 * bound + kNearThreshold * std::max(1.0, std::abs(least));
    std::size_t count = 0;
    const auto most = static_cast<std::size_t>(wanted.maxPeaks);
    for (; count < list.peaks.size() && count < most; ++count) {
        const double over = sign * list.peaks[count].score - least;
        if (std::abs(over) <= near) {
            return std::nullopt;
        }
        if (over < 0) {
            break;
        }
    }
    const bool ends = count == list.peaks.size() && count < most;
    if (ends && std::ssize(list.peaks) >= looser.maxPeaks) {
        return std::nullopt; // the looser list was cut off
    }
    FoundPeaks found{{list.peaks.begin(), list.peaks.begin() + static_cast<std::ptrdiff_t>(count)}};
    if (list.threshold) {
        found.threshold = std::move(report);
    }
    return found;
}

} // namespace flcc::job
