#pragma once

#include <algorithm>
#include <cstdint>
#include <memory>
#include <optional>
#include <stop_token>
#include <string>
#include <utility>
#include <vector>

#include "engine/base/error.h"
#include "engine/job/detail/flight.h"
#include "engine/job/detail/group_run.h"
#include "engine/job/detail/scene_work.h"
#include "engine/job/detail/scenes.h"
#include "engine/job/job.h"
#include "engine/plan/planner.h"

namespace flcc::job::detail {

/// Runs the job of one scene step by step; each step returns false when it was cancelled.
class SceneRunner {
  public:
    SceneRunner(const Job& job, const JobImages& images, std::stop_token stop, JobSink& sink,
                Stream& stream)
        : m_job(job), m_images(images), m_stop(std::move(stop)), m_sink(sink), m_stream(stream) {}

    [[nodiscard]] JobResult run();
    [[nodiscard]] JobResult planOnly();

  private:
    /// For errors; empty where there is no other scene.
    [[nodiscard]] std::string sceneName() const {
        return m_stream.several() ? m_job.scene.string() : "";
    }

    [[nodiscard]] const Inputs& inputs() const { return m_work->inputs; }
    [[nodiscard]] std::vector<GroupRun>& groups() { return m_work->groups; }
    [[nodiscard]] const std::vector<GroupRun>& groups() const { return m_work->groups; }

    void enter(Phase phase) {
        m_sink.phase(phase);
        m_sink.progress(0);
    }

    [[nodiscard]] plan::Request request() const;

    [[nodiscard]] bool read(bool images);
    /// Reads what the scene is computed from, or takes over what was read and begun before.
    [[nodiscard]] bool readWork(bool images);
    void takeInputs(bool images);
    [[nodiscard]] WorkKind workKind() const { return {m_stream.several(), m_sink.wantsMaps()}; }
    /// What the scene before left for the same problems; the rest goes. One that runs already
    /// has it.
    void takeOver();

    void warn(const std::string& sentence) {
        m_result.notes.push_back(sentence);
        m_result.warnings.push_back(sentence);
    }

    /// The result, once the next scene has what this one leaves.
    [[nodiscard]] JobResult leave();

    void reportInputs();
    /// What the groups have so far.
    void reportGroups();

    /// Of the maps of all groups, which stay until the peaks are found.
    [[nodiscard]] std::int64_t mapBytes() const;
    /// The request of a group beside the maps of the others.
    [[nodiscard]] plan::Request requestOf(const GroupRun& group, std::int64_t maps) const;

    /// Begins with the scenes that come next, if there is room for them beside all groups: those
    /// that a device can do beside this one are run, else one is read.
    void lookAhead();
    void readAhead();
    /// Runs as many of the next scenes as may be under way beside this one.
    void runAhead();
    /// Begins with a scene so many turns later.
    void begin(std::size_t later, bool run);
    void tellOfOthers();
    /// Ends what runs beside this scene; one after the other from here on.
    void ground();
    /// How many scenes a new plan lets be under way at once.
    void decideFlights();

    [[nodiscard]] bool plan(bool warmUp);
    [[nodiscard]] bool execute();
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

    [[nodiscard]] bool findPeaks();
    /// Peaks in scene voxels, added up as findPeaks does, so that they have the bits of a run
    /// without a region.
    void moveToScene();

    [[nodiscard]] bool write();
    [[nodiscard]] bool writePlan();
    void nameOutputs();

    const Job& m_job;
    const JobImages& m_images;
    std::stop_token m_stop;
    JobSink& m_sink;
    Stream& m_stream;
    plan::Request m_request;
    std::unique_ptr<Flight> m_flight; ///< where the scene began to run before its turn
    std::unique_ptr<SceneWork> m_ownWork;
    SceneWork* m_work = nullptr; ///< of one of them
    bool m_lands = false;        ///< what the flight computes is still to come
    JobResult m_result;
};

} // namespace flcc::job::detail
