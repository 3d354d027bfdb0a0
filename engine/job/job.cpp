#include "engine/job/job.h"

#include <algorithm>
#include <array>
#include <new>
#include <utility>

#include "engine/base/error.h"
#include "engine/base/log.h"
#include "engine/job/detail/machine.h"
#include "engine/job/detail/options.h"
#include "engine/job/detail/outputs.h"
#include "engine/job/detail/scene_runner.h"
#include "engine/job/detail/scenes.h"
#include "engine/job/detail/text.h"
#include "engine/job/knowledge.h"

namespace flcc::job {

using base::Error;
using base::ErrorCode;

namespace {

/// Runs or plans one scene after the other.
JobResult doScenes(const Job& job, const JobImages& images, const std::stop_token& stop,
                   JobSink& sink, bool planOnly) {
    const std::vector<Job> jobs = scenesOf(job);
    if (const auto outputs = outputFiles(job, planOnly); !outputs.empty()) {
        requireOwnFiles(inputFiles(job), outputs);
    }
    if (jobs.size() > 1) {
        sink.phase(Phase::Read);
    }
    const std::vector<detail::OrderedScene> order = detail::sceneOrder(jobs, images, stop);
    detail::Stream stream{.jobs = jobs, .order = order, .images = images};
    JobResult all;
    all.cancelled = order.empty();
    all.report.scenes.resize(jobs.size());
    JobImages own = images;
    for (std::size_t turn = 0; turn < order.size() && !all.cancelled; ++turn) {
        const std::size_t number = order[turn].number;
        stream.turn = turn;
        const SceneTurn at{.scene = jobs[number].scene,
                           .number = static_cast<int>(number),
                           .turn = static_cast<int>(turn),
                           .count = static_cast<int>(jobs.size())};
        if (stream.several()) {
            sink.sceneStarted(at);
        }
        own.scene = images.sceneOf(number);
        detail::SceneRunner runner(jobs[number], own, stop, sink, stream);
        JobResult one = planOnly ? runner.planOnly() : runner.run();
        if (!stream.several()) {
            return one;
        }
        sink.sceneFinished(at, one);
        all.cancelled = one.cancelled;
        all.report.scenes[number] = std::move(one.report);
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
    if (all.cancelled) {
        all.report = {};
        all.report.cancelled = planOnly;
    }
    return all;
}

/// Calls `body` and turns failed allocations into the error they are.
template <class Body> auto withMemoryErrors(const Body& body) {
    try {
        return body();
    } catch (const std::bad_alloc&) {
        throw Error(ErrorCode::Memory, "the machine has too little free memory for this job (" +
                                           detail::bytesText(detail::availableMemory()) +
                                           " left); close other programs or use a smaller scene");
    }
}

/// Saves what planning measured, which is valid however the job ends. The result or the error of
/// the job matters more than a failure of it.
void keepMeasurements() {
    try {
        (void)keepLearnt();
    } catch (const std::exception&) { // the next run measures once more
    }
}

} // namespace

double thresholdOf(const Job& job) {
    const method::OperationTraits& traits = job.operation.traits();
    const bool largest = traits.best == method::Best::Largest;
    return (largest ? job.minScore : job.maxScore).value_or(traits.threshold);
}

std::string_view name(Phase phase) {
    constexpr std::array<std::string_view, 5> kNames{"reading", "planning", "matching",
                                                     "finding peaks", "writing"};
    return kNames[static_cast<std::size_t>(phase)];
}

JobResult runJob(const Job& job, const JobImages& images, std::stop_token stop, JobSink* sink) {
    detail::requireSensible(job);
    JobSink silent;
    try {
        JobResult result = withMemoryErrors(
            [&] { return doScenes(job, images, stop, sink ? *sink : silent, false); });
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
    return withMemoryErrors(
        [&] { return doScenes(job, images, stop, sink ? *sink : silent, true).report; });
}

} // namespace flcc::job
