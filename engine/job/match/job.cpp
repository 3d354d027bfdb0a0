#include "engine/job/job.h"

#include <algorithm>
#include <array>
#include <optional>
#include <utility>

#include "engine/base/error.h"
#include "engine/base/log.h"
#include "engine/job/any_job.h"
#include "engine/job/knowledge.h"
#include "engine/job/match/scene_state.h"
#include "engine/job/match/scenes.h"
#include "engine/job/options/options.h"
#include "engine/job/output/export_files.h"
#include "engine/job/output/frame_outputs.h"
#include "engine/job/output/outputs.h"
#include "engine/job/report/frame_report.h"
#include "engine/job/report/memory_errors.h"
#include "engine/job/stream/frame_stack.h"
#include "engine/job/stream/frames.h"

namespace flcc::job {

using base::Error;
using base::ErrorCode;

namespace {

/// Ends a stream: completes its report and gives its outputs their names. False if cancelled.
bool finishFrames(JobResult& all, const Job& job, detail::Frames& frames,
                  detail::FrameOutputs& outputs, detail::OutputFiles& files,
                  const std::stop_token& stop) {
    JobReport& report = all.report;
    detail::endFrames(report);
    if (report.run) { // else it is a plan, which does not read all frames
        frames.addDigests(report.inputs.front(), stop);
    }
    if (stop.stop_requested() || !outputs.finish(all.notes)) {
        return false;
    }
    report.commandLine = toCommandLine(job);
    report.jobFile = toJobFile(job);
    files.addText(job.report, [&] { return detail::reportText(job, report); });
    files.commit();
    return true;
}

/// Runs or plans one scene after the other.
JobResult doScenes(const Job& job, const JobImages& images, const std::stop_token& stop,
                   JobSink& sink, bool planOnly) {
    std::vector<Job> jobs = scenesOf(job);
    if (const auto outputs = outputFiles(job, planOnly, images.templates.size());
        !outputs.empty()) {
        requireOwnFiles(inputFiles(job), outputs);
    }
    if (jobs.size() > 1 || job.stream) {
        sink.enter(Phase::Read);
    }
    JobImages own = images;
    std::optional<detail::Frames> frames;
    std::vector<detail::OrderedScene> order;
    if (job.stream) {
        frames.emplace(job, images.scene, stop);
        order = detail::frameOrder(*frames);
        order.resize(planOnly ? std::min<std::size_t>(1, order.size()) : order.size());
        jobs.push_back(job);
        jobs.back().crops.clear();
        jobs.back().templateOut.clear();
        own.templates.resize(
            std::max(own.templates.size(), job.crops.size() + job.templates.size()));
        for (std::size_t i = 0; i < job.crops.size() && !order.empty(); ++i) {
            own.templates[i] = frames->cut(job.crops[i], stop);
        }
    } else {
        order = detail::sceneOrder(jobs, images, stop);
    }
    detail::Stream stream{.jobs = jobs, .order = order, .images = images};
    std::optional<detail::FrameOutputs> outputs;
    std::optional<detail::FrameStack> stack; // what is displayed
    if (frames) {
        stream.frames = &*frames;
        stream.outputs = &outputs.emplace(job, *frames, stream.files);
        if (sink.wantsMaps() && !planOnly) {
            stack.emplace(images.scene, frames->count(), sink);
        }
    }
    JobResult all;
    all.cancelled = order.empty();
    if (!frames) {
        all.report.scenes.resize(jobs.size());
    }
    for (std::size_t turn = 0; turn < order.size() && !all.cancelled; ++turn) {
        const std::size_t number = order[turn].number;
        stream.turn = turn;
        const SceneTurn at{.scene = stream.job(0).scene,
                           .number = static_cast<int>(number),
                           .turn = static_cast<int>(turn),
                           .count = stream.count(),
                           .isFrame = frames.has_value()};
        if (stream.several()) {
            sink.sceneStarted(at);
        }
        own.scene = stream.image(0);
        JobSink& heard = stack ? static_cast<JobSink&>(stack->frameSink()) : sink;
        detail::SceneState scene{
            .job = stream.job(0), .images = own, .stop = stop, .sink = heard, .stream = stream};
        JobResult one = planOnly ? detail::planOnly(scene) : detail::runScene(scene);
        if (!stream.several()) {
            return one;
        }
        sink.sceneFinished(at, one);
        all.cancelled = one.cancelled;
        if (stack) {
            stack->add(one, static_cast<int>(number));
        }
        if (frames && one.cancelled && !all.report.frames.empty()) {
            // Only finished frames have a row.
        } else if (frames) {
            detail::addFrame(all.report, std::move(one.report), static_cast<int>(number));
        } else {
            all.report.scenes[number] = std::move(one.report);
        }
        const auto keep = [](std::vector<std::string>& from, std::vector<std::string>& to) {
            for (std::string& sentence : from) {
                if (std::find(to.begin(), to.end(), sentence) == to.end()) {
                    to.push_back(std::move(sentence));
                }
            }
        };
        keep(one.notes, all.notes);
        keep(one.warnings, all.warnings);
        // Templates and masks are read once; a crop is one of the first scene.
        own = {{}, std::move(one.templates), std::move(one.masks), std::move(one.sceneMask)};
    }
    if (frames && !all.cancelled) {
        all.cancelled = !finishFrames(all, job, *frames, *outputs, stream.files, stop);
    }
    if (stack && all.cancelled && !all.report.frames.empty()) {
        detail::endFrames(all.report); // the finished frames are shown
    } else if (all.cancelled) {
        all.report = {};
        all.report.cancelled = planOnly;
    }
    if (stack) {
        stack->moveTo(all);
    }
    return all;
}

constexpr const char* kThisJob = "this job";
constexpr const char* kSmallerScene = "use a smaller scene";

/// Saves what planning measured, which is valid however the job ends. The result or the error of
/// the job matters more than a failure of it.
void keepMeasurements() {
    try {
        (void)keepLearnt();
    } catch (const std::exception&) { // the next run measures once more
    }
}

} // namespace

Job Job::asked() const {
    Job question;
    static_cast<MatchQuestion&>(question) = *this;
    question.searchStatistics = searchStatistics || !searchMaps.empty();
    return question;
}

Job planKey(const Job& job) {
    Job key = chosen<Common, Portion, Choice, GivenPlan, Repetition, Numbers, MatchImages, Question,
                     Variants, Sums>(job);
    key.searchStatistics = job.asked().searchStatistics;
    key.handedness = job.handedness; // whose time is stated with the plan, as of the next
    key.null = job.null;
    key.resume = job.resume;    // what is kept decides the candidate
    if (job.poses.mayPrune()) { // by the least score of a peak
        static_cast<Listing&>(key) = job;
    }
    return key;
}

double thresholdOf(const Job& job) {
    const method::OperationTraits& traits = job.operation.traits();
    const bool largest = traits.best == method::Best::Largest;
    return (largest ? job.minScore : job.maxScore).value_or(traits.threshold);
}

bool mapDecidesThreshold(const Job& job) { return job.operation.traits().hasLaw && !job.minScore; }

std::optional<double> falsePositivesOf(const Job& job) {
    return mapDecidesThreshold(job) && !job.zscore ? std::optional(job.falsePositives.value_or(1))
                                                   : std::nullopt;
}

std::optional<double> maxOverlapOf(const Job& job) {
    constexpr double kTurned = 0.3;
    const double most = job.maxOverlap.value_or(job.poses.any() ? kTurned : 1);
    return most < 1 ? std::optional(most) : std::nullopt;
}

std::string_view name(Phase phase) {
    constexpr std::array<std::string_view, 5> kNames{"reading", "planning", "matching",
                                                     "finding peaks", "writing"};
    return kNames[static_cast<std::size_t>(phase)];
}

std::optional<Error> refusedOptions(const Job& job) {
    try {
        detail::requireSensible(job);
        return std::nullopt;
    } catch (const Error& error) {
        return error;
    }
}

JobResult runJob(const Job& job, const JobImages& images, std::stop_token stop, JobSink* sink) {
    detail::requireSensible(job);
    JobSink silent;
    try {
        JobResult result = detail::withMemoryErrors(kThisJob, kSmallerScene, [&] {
            return doScenes(job, images, stop, sink ? *sink : silent, false);
        });
        keepMeasurements();
        return result;
    } catch (const Error& error) {
        if (error.code() != ErrorCode::Memory) { // saving needs memory as well
            keepMeasurements();
        }
        throw;
    }
}

JobReport planJob(const Job& job, const JobImages& images, std::stop_token stop, JobSink* sink) {
    detail::requireSensible(job);
    JobSink silent;
    return detail::withMemoryErrors(kThisJob, kSmallerScene, [&] {
        return doScenes(job, images, stop, sink ? *sink : silent, true).report;
    });
}

} // namespace flcc::job
