#pragma once

#include <memory>
#include <string>
#include <vector>

#include "engine/job/job.h"

namespace flcc::job::detail {

/// Passes on the news of one frame of a stream, except its map and its regions.
class FrameSink : public JobSink {
  public:
    explicit FrameSink(JobSink& sink) : m_sink(sink) {}
    [[nodiscard]] bool wantsMaps() const override { return true; }
    void phase(Phase phase) override { m_sink.phase(phase); }
    void doing(std::string_view word) override { m_sink.doing(word); }
    void progress(double share) override { m_sink.progress(share); }
    void planned(const plan::PlanReport& report) override { m_sink.planned(report); }
    void verification(Verification now, const std::string& reason) override {
        m_sink.verification(now, reason);
    }

  private:
    JobSink& m_sink;
};

/// The results of all frames of a stream in memory, for a sink that displays them. Slice z of its
/// map is the map of frame z; the sink is told of each slice when it is finished.
class FrameStack {
  public:
    /// `scene` is the stack, or null where it is not in memory.
    FrameStack(std::shared_ptr<const SceneImage> scene, int frames, JobSink& sink)
        : m_sink(sink), m_frameSink(sink), m_frames(frames) {
        m_result.scene = std::move(scene);
    }
    [[nodiscard]] JobSink& frameSink() { return m_frameSink; }
    void add(const JobResult& one, int number);
    /// Hands over everything but report and notes.
    void moveTo(JobResult& all);

  private:
    JobSink& m_sink;
    FrameSink m_frameSink;
    int m_frames;
    std::shared_ptr<method::MatchMap> m_map;
    std::shared_ptr<base::Image<std::int32_t>> m_index;
    JobResult m_result;
    bool m_largest = true; ///< the largest values are best
};

/// Moves peaks of a flat frame to its slice of the stack.
void moveToFrame(std::vector<match::Peak>& peaks, int frame);

/// Puts the best peaks first; equal ones stay in the order of the frames.
void bestFirst(std::vector<match::Peak>& peaks, bool largest);

} // namespace flcc::job::detail
