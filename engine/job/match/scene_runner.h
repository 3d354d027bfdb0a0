#pragma once

#include <algorithm>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <stop_token>
#include <string>
#include <utility>
#include <vector>

#include "engine/base/error.h"
#include "engine/job/job.h"
#include "engine/job/match/flight.h"
#include "engine/job/match/group_run.h"
#include "engine/job/match/handedness.h"
#include "engine/job/match/null_search.h"
#include "engine/job/match/scene_work.h"
#include "engine/job/match/scenes.h"
#include "engine/job/report/machine.h"
#include "engine/plan/planner.h"

namespace flcc::job::detail {

/// Runs the job of one scene step by step. Each step returns false if it was cancelled.
class SceneRunner {
  public:
    SceneRunner(const Job& job, const JobImages& images, std::stop_token stop, JobSink& sink,
                Stream& stream)
        : m_job(job), m_images(images), m_stop(std::move(stop)), m_sink(sink), m_stream(stream) {}

    [[nodiscard]] JobResult run();
    [[nodiscard]] JobResult planOnly();

  private:
    /// Name of the scene for errors; empty for a job with one scene.
    [[nodiscard]] std::string sceneName() const {
        return m_stream.several() ? m_stream.nameOf(0) : "";
    }

    [[nodiscard]] const Inputs& inputs() const { return m_work->inputs; }
    [[nodiscard]] std::vector<GroupRun>& groups() { return m_work->groups; }
    [[nodiscard]] const std::vector<GroupRun>& groups() const { return m_work->groups; }

    void enter(Phase phase) { m_sink.enter(phase); }

    [[nodiscard]] plan::Request request() const;

    [[nodiscard]] bool read(bool images);
    /// Reads what the scene is computed from, or takes it from a flight that was started before.
    [[nodiscard]] bool readWork(bool images);
    void takeInputs(bool images);
    [[nodiscard]] WorkKind workKind() const { return {m_stream.several(), m_sink.wantsMaps()}; }
    /// Takes what the previous scene left for the same problems; the rest is freed. A flight that
    /// runs already has it.
    void takeOver();

    void warn(const std::string& sentence) {
        m_result.notes.push_back(sentence);
        m_result.warnings.push_back(sentence);
    }

    /// The result. The next scene gets what this scene passes on.
    [[nodiscard]] JobResult leave();

    void reportInputs();
    /// Copies the current reports of the groups to the job's report.
    void reportGroups();
    void reportPoses();

    /// Bytes of the maps of all groups, which stay in memory until the peaks are found.
    [[nodiscard]] std::int64_t mapBytes() const;
    /// The planning request of a group, without the memory of the other groups' maps.
    [[nodiscard]] plan::Request requestOf(const GroupRun& group, std::int64_t maps) const;

    /// Starts the next scenes if memory allows that beside all groups: scenes that a device can
    /// compute at the same time are run; otherwise one scene is read.
    void lookAhead();
    void readAhead();
    /// Whether the map of the frame before may stay in memory beside this run.
    [[nodiscard]] bool hasRoomToWrite() const;
    /// Runs as many of the next scenes as may be processed at the same time as this one.
    void runAhead();
    /// Starts the scene `later` places after this one.
    void begin(std::size_t later, bool run);
    void tellOfOthers();
    /// Ends what runs beside this scene; from now on scenes run one after the other.
    void ground();
    /// Decides how many scenes may be processed at once with a new plan.
    void decideFlights();

    [[nodiscard]] bool plan(bool warmUp);
    [[nodiscard]] bool execute();
    /// Reports the run of all groups.
    void reportRun(const PeakMeter& meter);
    [[nodiscard]] bool executeGroup(GroupRun& group, const GroupRun::Progress& progress);
    [[nodiscard]] bool fallBack(GroupRun& group, const base::Error& failure);
    void startMap();

    [[nodiscard]] bool byGpu() const {
        return std::any_of(groups().begin(), groups().end(),
                           [](const GroupRun& group) { return group.byGpu(); });
    }
    void tellWhatIsOpen() {
        m_sink.verification(byGpu() ? Verification::Open : Verification::NotNeeded, {});
    }

    /// Plans, and finds the peaks.
    [[nodiscard]] bool search();
    /// The peaks of a job that prunes, without scores of all placements, or Stream::prunedGaveUp.
    [[nodiscard]] bool searchPruned();
    [[nodiscard]] std::function<double()> patience();
    /// `ms`: the time it took; 0 where an earlier scene had done it.
    [[nodiscard]] bool preparePruned(base::TilePool& pool, bool reuse, double& ms);
    [[nodiscard]] bool listPruned(const PrunedReport& facts, base::TilePool& pool);
    [[nodiscard]] bool searchNull();
    [[nodiscard]] bool findPeaks();

    [[nodiscard]] bool write();
    [[nodiscard]] bool writePlan();
    void nameOutputs();

    const Job& m_job;
    const JobImages& m_images;
    std::stop_token m_stop;
    JobSink& m_sink;
    Stream& m_stream;
    plan::Request m_request;
    std::unique_ptr<Flight> m_flight; ///< set if the scene was started early
    std::unique_ptr<SceneWork> m_ownWork;
    SceneWork* m_work = nullptr; ///< work of m_flight or of this object
    bool m_lands = false;        ///< the result of the flight is not fetched yet
    NullSearch m_null;
    HandSearch m_hand;
    std::optional<io::PositionList> m_truth; ///< Job::truth
    JobResult m_result;
};

} // namespace flcc::job::detail
