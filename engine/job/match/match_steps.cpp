// The steps of a match on one scene.

#include <algorithm>
#include <array>
#include <utility>

#include "engine/base/error.h"
#include "engine/base/stopwatch.h"
#include "engine/io/peak_file.h"
#include "engine/job/match/scene_state.h"
#include "engine/job/options/options.h"
#include "engine/job/output/export_files.h"
#include "engine/job/output/outputs.h"
#include "engine/job/output/part_rules.h"
#include "engine/job/steps/truth.h"

namespace flcc::job::detail {

namespace {

/// From the part that is searched to the scene.
Next placePeaks(SceneState& s) {
    moveToScene(s.result.peaks, s.inputs(), s.result.geometry);
    s.result.report.peaks = s.result.peaks;
    return Next::Go;
}

Next compareWithTruth(SceneState& s) {
    s.result.report.truth = comparedWithTruth(s.job, s.result, *s.truth);
    return Next::Go;
}

Next endPeaks(SceneState& s) {
    s.sink.progress(1);
    return goIf(!s.stopped());
}

/// Refuses a list of all scenes that cannot be.
void requireAllPeaks(const Job& job) {
    if (job.allPeaks.empty()) {
        return;
    }
    if (job.stream) {
        throw base::Error(base::ErrorCode::CommandLine,
                          base::Message("all-peaks-of-frames",
                                        "{--all-peaks} is a list for several scenes; the list of "
                                        "{--peaks} has the frames of a stream"));
    }
    const io::ListFormat format =
        io::chosenListFormat(job.peaksFormat, job.allPeaks, "--peaks-format");
    if (!io::namesTomograms(format)) {
        std::string able;
        for (const io::ListFormatInfo& info : io::listFormats()) {
            if (io::namesTomograms(info.format)) {
                able += (able.empty() ? "" : ", ") + std::string(info.name);
            }
        }
        throw base::Error(base::ErrorCode::CommandLine,
                          "--all-peaks: rows of format " + std::string(io::name(format)) +
                              " do not name their tomogram; choose one of " + able +
                              " by --peaks-format");
    }
    if (!job.peaksUnknowns.tomogram.empty()) {
        throw base::Error(base::ErrorCode::CommandLine,
                          base::Message("all-peaks-of-one-tomogram",
                                        "{--tomogram} names one tomogram, but {--all-peaks} is a "
                                        "list of several; leave one of them out"));
    }
}

/// Keeps the list of a scene for the one of all scenes, and writes that with the last scene.
void joinLists(SceneState& s) {
    const Job& all = s.stream.jobs.front();
    if (all.allPeaks.empty()) {
        return;
    }
    s.stream.lists[static_cast<std::size_t>(s.stream.scene())] =
        io::peakList(s.result.peaks, peakContext(s.job, s.result));
    if (s.stream.has(1)) {
        return;
    }
    std::vector<io::PositionList> lists;
    for (auto& [number, list] : s.stream.lists) {
        lists.push_back(std::move(list));
    }
    (void)s.stream.files.add(all.allPeaks, [&](const io::AtomicFile& file) {
        io::writeJoinedList(file, lists,
                            io::chosenListFormat(all.peaksFormat, all.allPeaks, "--peaks-format"));
        return true;
    });
}

/// Gives the outputs of the last scene their names; the report of a stream is written at its end.
void nameOutputs(SceneState& s) {
    if (!s.stream.has(1) && s.stream.frames == nullptr) {
        s.stream.files.commit();
    }
}

Next write(SceneState& s) {
    FrameOutputs* const frames = s.stream.outputs;
    if (frames == nullptr || !s.job.templateOut.empty()) {
        s.stream.ahead.awaitFiles(); // their libraries are asked by one thread at a time
    }
    s.sink.enter(Phase::Write);
    const base::Stopwatch watch;
    const Job job = frames != nullptr ? FrameOutputs::ofFrame(s.job) : s.job;
    if ((frames != nullptr && !frames->put(s.result, s.stream.scene(), s.stop)) ||
        !writeOutputs(job, s.result, s.stream.files, s.stop,
                      [&s](double share) { s.sink.progress(share); })) {
        return Next::Stopped;
    }
    joinLists(s);
    nameOutputs(s);
    s.result.report.run->writeMs = watch.ms();
    s.sink.progress(1);
    return Next::Go;
}

bool hasTruth(const Job& job) { return !job.truth.empty(); }

/// After the peaks are found, in whatever way.
constexpr std::array kLastSteps{
    MatchStep{.name = "places", .run = placePeaks},
    MatchStep{
        .name = "truth", .isWanted = hasTruth, .run = compareWithTruth, .refuse = requireTruth},
    MatchStep{.name = "list", .run = endPeaks, .refuse = requireAllPeaks},
    MatchStep{.name = "write", .run = write, .refuse = requireOutputs},
};

std::span<const MatchStep> lastSteps() { return kLastSteps; }

bool find(SceneState& s) {
    const Strategy* strategy = chooseStrategy(s);
    while (strategy != nullptr) {
        const bool done = take(strategy->steps, s, s.job);
        if (s.failedSearch.empty()) {
            return done;
        }
        strategy = chooseInstead(s);
    }
    return false;
}

/// The result. The next scene gets what this scene passes on.
JobResult leave(SceneState& s) {
    for (std::size_t i = 0; !s.result.cancelled && s.stream.several() && i < s.groups().size();
         ++i) {
        s.stream.shared.push_back(s.groups()[i].leave(s.stream.scene()));
    }
    return std::move(s.result);
}

} // namespace

JobResult runScene(SceneState& s) {
    s.result.cancelled = !(readScene(s, true) && inScene(s.name(), [&s] {
                               return find(s) && take(lastSteps(), s, s.job);
                           }));
    return leave(s);
}

JobResult searchScene(const Job& job, const JobImages& images, const std::stop_token& stop,
                      JobSink& sink) {
    const std::vector<Job> jobs{job};
    const std::vector<OrderedScene> order = sceneOrder(jobs, images, stop);
    Stream stream{.jobs = jobs, .order = order, .images = images};
    SceneState s{
        .job = jobs.front(), .images = images, .stop = stop, .sink = sink, .stream = stream};
    s.result.cancelled = order.empty() || !readScene(s, false) || !find(s);
    if (!s.result.cancelled) {
        (void)placePeaks(s);
    }
    return std::move(s.result);
}

JobResult planOnly(SceneState& s) {
    s.result.cancelled = !(readScene(s, false) && inScene(s.name(), [&s] {
                               const Strategy* const strategy = chooseStrategy(s);
                               const bool planned =
                                   strategy != nullptr && // which planned the groups if it prunes
                                   (strategy->search != Search::Exhaustive || planScene(s, false));
                               countChoice(s);
                               return planned;
                           }));
    if (!s.result.cancelled) {
        if (s.stream.frames == nullptr) {
            s.stream.files.addText(s.job.report,
                                   [&s] { return reportText(s.job, s.result.report); });
        }
        nameOutputs(s);
    }
    s.result.report.cancelled = s.result.cancelled;
    return leave(s);
}

void requireSensible(const Job& job) {
    requireParts(job);
    for (const Strategy* const strategy :
         {&exhaustiveStrategy(), &prunedStrategy(), &heuristicStrategy()}) {
        if (strategy->refuse != nullptr) {
            strategy->refuse(job);
        }
        requireSteps(strategy->steps, job);
    }
    requireSteps(lastSteps(), job);
}

} // namespace flcc::job::detail
