#include <algorithm>
#include <future>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "engine/base/error.h"
#include "engine/base/stopwatch.h"
#include "engine/io/stack_writer.h"
#include "engine/job/convolve/convolve_run.h"
#include "engine/job/output/outputs.h"
#include "engine/job/output/write_behind.h"
#include "engine/job/report/joined_moments.h"
#include "engine/job/report/spread.h"
#include "engine/job/stream/frames.h"

namespace flcc::job::detail {

namespace {

using base::Error;
using base::ErrorCode;

/// The result of both.
void addResult(ResultReport& all, const ResultReport& one) {
    all.nan += one.nan;
    all.bound = std::max(all.bound, one.bound);
    all.relativeBound = std::max(all.relativeBound, one.relativeBound);
    all.repeated += one.repeated;
    if (one.count == 0) {
        return;
    }
    if (all.count == 0) {
        const ResultReport before = all;
        all = one;
        all.nan = before.nan;
        all.bound = before.bound;
        all.relativeBound = before.relativeBound;
        all.repeated = before.repeated;
        return;
    }
    joinMoments(all, one);
}

class FrameConvolution {
  public:
    FrameConvolution(const ConvolveJob& job, const ConvolveImages& images,
                     const std::stop_token& stop, JobSink& sink)
        : m_job(job), m_stop(stop), m_sink(sink), m_run(job, images, stop, sink),
          m_frames(job, images.scene, stop) {}

    ConvolveResult run() {
        bool done = m_frames.count() > 0;
        for (int number = 0; done && number < m_frames.count(); ++number) {
            done = convolve(number);
        }
        done = done && finish();
        ConvolveResult result = std::move(m_run.result());
        result.pixels = {};
        if (!done) {
            result.report = {};
        }
        result.cancelled = !done;
        return result;
    }

  private:
    [[nodiscard]] std::string nameOf(int number) const {
        return m_job.scene.string() + ", frame " + std::to_string(number);
    }

    /// Null if cancelled.
    std::shared_ptr<const SceneImage> read(int number) {
        return m_next.valid() ? m_next.get() : m_frames.load(number, m_stop);
    }

    bool convolve(int number) {
        m_sink.sceneStarted({.scene = m_job.scene,
                             .number = number,
                             .turn = number,
                             .count = m_frames.count(),
                             .isFrame = true});
        return inScene(nameOf(number), [&] {
            m_sink.enter(Phase::Read);
            const base::Stopwatch watch;
            std::shared_ptr<const SceneImage> image = read(number);
            if (!image || !m_run.take(std::move(image))) {
                return false;
            }
            m_readMs += watch.ms();
            if (number == 0 && !begin()) {
                return false;
            }
            if (m_readsAhead && number + 1 < m_frames.count()) {
                m_next = std::async(std::launch::async,
                                    [this, number] { return m_frames.load(number + 1, m_stop); });
            }
            return m_run.execute([&](double share) { m_sink.progress(share); }) && put(number);
        });
    }

    /// The plan, which all frames share.
    bool begin() {
        const filter::Problem& problem = m_run.result().report.problem;
        if (problem.kernel.z > 1) {
            throw Error(ErrorCode::Problem,
                        "the kernel " + base::toString(problem.kernel) +
                            " is no flat image; --stream convolves flat frames: use a kernel of "
                            "one slice, or leave out --stream");
        }
        if (!m_run.plan()) {
            return false;
        }
        m_run.requireCandidate();
        const std::int64_t memory = m_run.result().report.limits.memoryBytes;
        const std::int64_t run = m_run.prediction().hostBytes;
        m_readsAhead = run + m_frames.bytes() <= memory;
        const std::int64_t ahead = m_readsAhead ? m_frames.bytes() : 0;
        const std::int64_t result = base::byteCount(filter::resultExtents(problem),
                                                    base::bytesPerVoxel(resultType(problem)));
        m_writing.setBeside(run + ahead + result <= memory);
        m_run.result().report.readAhead = m_readsAhead && m_frames.count() > 1;
        return true;
    }

    /// Adds a frame to the report and begins to write it.
    bool put(int number) {
        ConvolveResult& result = m_run.result();
        ConvolveReport& report = result.report;
        report.frames.push_back({number, report.run->executeMs.median, *report.result});
        m_peakBytes = std::max(m_peakBytes, report.run->peakHostBytes);
        if (m_job.output.empty()) {
            return true;
        }
        m_sink.enter(Phase::Write);
        const base::Stopwatch watch;
        if (!m_writing.settle() || m_stop.stop_requested()) {
            return false;
        }
        if (!m_writer) {
            base::Extents extents = filter::resultExtents(report.problem);
            extents.z = m_frames.count();
            m_writer = std::make_unique<io::StackWriter>(
                m_files.open(m_job.output), resultType(report.problem), extents, result.geometry);
        }
        const bool written = m_writing.start(
            [this, pixels = std::make_shared<base::AnyImage>(std::move(result.pixels))]() mutable {
                const bool done = m_writer->append(base::viewOf(*pixels), m_stop);
                pixels.reset(); // this object stays until the next frame is ready
                return done;
            });
        m_writeMs += watch.ms();
        return written;
    }

    /// Completes the report and gives the outputs their names.
    bool finish() {
        ConvolveReport& report = m_run.result().report;
        std::vector<double> times;
        ResultReport all;
        for (const ConvolvedFrame& frame : report.frames) {
            times.push_back(frame.executeMs);
            addResult(all, frame.result);
        }
        report.result = all;
        report.run->executeMs = report.run->streamMs = spreadOf(std::move(times));
        report.run->readMs = m_readMs;
        report.run->peakHostBytes = m_peakBytes;
        report.candidates.front().measuredMs = report.run->executeMs.median;
        m_frames.addDigests(report.inputs.front(), m_stop);
        const base::Stopwatch watch;
        if (m_stop.stop_requested() || !m_writing.settle()) {
            return false;
        }
        if (m_writer) {
            m_writer->finish();
        }
        report.run->writeMs = m_writeMs + watch.ms();
        m_run.writeReport(m_files, report.run->writeMs);
        m_files.commit();
        return true;
    }

    const ConvolveJob& m_job;
    std::stop_token m_stop;
    JobSink& m_sink;
    ConvolveRun m_run;
    Frames m_frames;
    OutputFiles m_files;
    std::unique_ptr<io::StackWriter> m_writer;
    double m_readMs = 0;
    double m_writeMs = 0;
    std::int64_t m_peakBytes = 0;
    bool m_readsAhead = false;
    WriteBehind m_writing;                                 ///< uses the writer until it ends
    std::future<std::shared_ptr<const SceneImage>> m_next; ///< uses the frames until it ends
};

} // namespace

ConvolveResult convolveFrames(const ConvolveJob& job, const ConvolveImages& images,
                              const std::stop_token& stop, JobSink& sink) {
    if (job.scene.empty() && !images.scene) {
        throw Error(ErrorCode::CommandLine, "no scene given");
    }
    sink.enter(Phase::Read);
    return FrameConvolution(job, images, stop, sink).run();
}

void requireFrames(const ConvolveJob& job) {
    requireFlatRegion(job);
    if (job.stream && !job.output.empty()) {
        io::requireStackWritable(job.output, "--output");
    }
}

} // namespace flcc::job::detail
