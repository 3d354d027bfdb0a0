#include "engine/job/output/frame_outputs.h"

#include <utility>

#include "engine/base/error.h"

namespace flcc::job::detail {

using base::Error;
using base::ErrorCode;

void requireStream(const Job& job) {
    if (!job.stream) {
        return;
    }
    const auto wrong = [](const char* key, const char* pattern, std::int64_t scenes) {
        throw Error(ErrorCode::CommandLine, base::Message(key, pattern, {{"scenes", scenes}}));
    };
    const std::int64_t scenes = 1 + std::ssize(job.furtherScenes);
    if (scenes > 1) {
        wrong("stream-of-scenes",
              "{--stream} takes the frames of one stack; give one scene, not {scenes}", scenes);
    }
    if (!job.heatmap.empty()) {
        wrong("heatmap-of-stream",
              "{--heatmap} draws one map, but {--stream} makes one for each frame; leave out "
              "{--heatmap}, or search one frame as {--region} X,Y,Z:W,H,1 without {--stream}",
              scenes);
    }
    requireFlatRegion(job);
    if (!job.peaks.empty()) {
        io::requireFrameFormat(job.peaksFormat, job.peaks);
    }
    const std::vector<std::pair<const char*, const std::filesystem::path*>> stacks{
        {"--map", &job.map}, {"--status", &job.status}, {"--index", &job.index}};
    for (const auto& [option, file] : stacks) {
        if (!file->empty()) {
            io::requireStackWritable(*file, option);
        }
    }
}

FrameOutputs::FrameOutputs(const Job& job, const Frames& frames, OutputFiles& files)
    : m_job(job), m_stack(frames.extents()), m_geometry(frames.geometry()), m_files(files) {}

Job FrameOutputs::ofFrame(const Job& job) {
    Job frame = job.asked();
    frame.templateOut = job.templateOut;
    frame.exports = job.exports;
    return frame;
}

void FrameOutputs::open(const JobResult& first) {
    m_opened = true;
    const auto stack = [&](const std::filesystem::path& target, const base::AnyView& slice) {
        base::Extents extents = base::extentsOf(slice);
        extents.z = m_stack.z;
        return target.empty()
                   ? nullptr
                   : std::make_unique<io::StackWriter>(m_files.open(target), base::pixelType(slice),
                                                       extents, first.mapGeometry);
    };
    if (first.map) {
        m_map = stack(m_job.map, method::scoresOf(*first.map));
        m_status = stack(m_job.status, numbersOf(first.map->status));
    }
    if (first.index) {
        m_index = stack(m_job.index, first.index->view());
    }
    if (!m_job.peaks.empty()) {
        io::PeakContext context = peakContext(m_job, first);
        context.sceneExtents = m_stack;
        context.geometry = m_geometry;
        context.audit.clear(); // those of all frames are in the report
        context.incomplete.clear();
        m_peaks =
            std::make_unique<io::FramePeaks>(m_files.open(m_job.peaks), context, m_job.peaksFormat);
    }
}

bool FrameOutputs::put(const JobResult& result, int frame, const std::stop_token& stop) {
    if (!m_writing.settle() || stop.stop_requested()) {
        return false;
    }
    if (!m_opened) {
        open(result);
    }
    return m_writing.start([this, map = result.map, index = result.index, peaks = result.peaks,
                            frame, stop]() mutable {
        const bool written = (!m_map || m_map->append(method::scoresOf(*map), stop)) &&
                             (!m_status || m_status->append(numbersOf(map->status), stop)) &&
                             (!m_index || m_index->append(index->view(), stop));
        if (written && m_peaks) {
            m_peaks->append(peaks, frame);
        }
        map.reset(); // the thread's result stays until the next frame is ready
        index.reset();
        return written;
    });
}

bool FrameOutputs::finish(std::vector<std::string>& notes) {
    if (!m_writing.settle()) {
        return false;
    }
    for (const auto* writer : {&m_map, &m_status, &m_index}) {
        if (*writer) {
            (*writer)->finish();
        }
    }
    if (m_peaks) {
        for (const std::string& note : m_peaks->finish()) {
            notes.push_back(m_job.peaks.filename().string() + ": " + note);
        }
    }
    return true;
}

} // namespace flcc::job::detail
