#pragma once

#include <memory>
#include <optional>
#include <stop_token>
#include <vector>

#include "engine/io/peak_file.h"
#include "engine/io/stack_writer.h"
#include "engine/job/job.h"
#include "engine/job/output/outputs.h"
#include "engine/job/output/write_behind.h"
#include "engine/job/stream/frames.h"

namespace flcc::job::detail {

/// Writes map, status, index and peaks of the frames of a stream, each as one file. A frame is
/// written on a thread of its own while the next one is computed; at most one is waiting.
/// **Threads**: one calls; the destructor waits for the frame that is being written.
class FrameOutputs {
  public:
    /// `job` and `files` must outlive the object.
    FrameOutputs(const Job& job, const Frames& frames, OutputFiles& files);

    /// The job of one frame: its outputs are those that the frames do not share.
    [[nodiscard]] static Job ofFrame(const Job& job);

    /// Whether there is memory for the map of a frame beside the run of the next one; else put()
    /// returns when the frame is written.
    void setBeside(bool beside) { m_writing.setBeside(beside); }

    /// Begins to write the next frame, and ends to write the one before it. False if cancelled.
    /// **Errors**: Output, of either frame; CommandLine.
    [[nodiscard]] bool put(const JobResult& result, int frame, const std::stop_token& stop);
    /// Closes the files after the last frame; the caller commits them. Adds what a format cannot
    /// hold to `notes`. False if cancelled. **Errors**: Output.
    [[nodiscard]] bool finish(std::vector<std::string>& notes);

  private:
    void open(const JobResult& first);

    const Job& m_job;
    base::Extents m_stack;
    base::Geometry m_geometry;
    OutputFiles& m_files;
    bool m_opened = false;
    std::unique_ptr<io::StackWriter> m_map;
    std::unique_ptr<io::StackWriter> m_status;
    std::unique_ptr<io::StackWriter> m_index;
    std::unique_ptr<io::FramePeaks> m_peaks;
    WriteBehind m_writing; ///< last: it uses the writers
};

/// Throws for options that a job with Job::stream does not have. **Errors**: CommandLine.
void requireStream(const Job& job);

} // namespace flcc::job::detail
