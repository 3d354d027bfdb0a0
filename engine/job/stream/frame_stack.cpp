#include "engine/job/stream/frame_stack.h"

#include <algorithm>
#include <utility>

namespace flcc::job::detail {

namespace {

/// Copies a flat image into slice `z` of a stack.
template <class T> void putSlice(const base::Image<T>& slice, int z, base::Image<T>& stack) {
    std::copy(slice.data(), slice.data() + slice.count(), stack.data() + z * slice.count());
}

/// The values of a frame in double, for a stack whose first frame needed it.
base::Image<double> widened(const base::Image<float>& value) {
    base::Image<double> made(value.extents());
    std::copy_n(value.data(), value.count(), made.data());
    return made;
}

} // namespace

void moveToFrame(std::vector<match::Peak>& peaks, int frame) {
    for (match::Peak& peak : peaks) {
        peak.corner.z = frame;
        peak.centre[2] = frame;
        if (peak.overlap) {
            peak.overlap->corner.z = frame;
        }
    }
}

void bestFirst(std::vector<match::Peak>& peaks, bool largest) {
    std::ranges::stable_sort(peaks, [largest](const match::Peak& a, const match::Peak& b) {
        return largest ? a.score > b.score : a.score < b.score;
    });
}

void FrameStack::add(const JobResult& one, int number) {
    if (number == 0) {
        m_largest = one.report.plan.problem.operation.traits().best == method::Best::Largest;
        m_result.templates = one.templates;
        m_result.masks = one.masks;
        m_result.sceneMask = one.sceneMask;
        m_result.geometry = one.geometry; // frame 0 lies where the stack does
        m_result.mapGeometry = one.mapGeometry;
        m_result.mapCorner = one.mapCorner;
        m_result.scene = m_result.scene ? m_result.scene : one.scene;
    }
    if (one.map) {
        base::Extents extents = one.map->value.extents();
        const base::Box slice{{0, 0, number}, extents};
        extents.z = m_frames;
        const bool inDouble = one.map->exact.data() != nullptr;
        if (!m_map) {
            m_map = std::make_shared<method::MatchMap>(extents, inDouble);
            m_sink.mapStarted(m_map);
        }
        putSlice(one.map->value, number, m_map->value);
        putSlice(one.map->status, number, m_map->status);
        if (m_map->exact.data() != nullptr) {
            if (inDouble) {
                putSlice(one.map->exact, number, m_map->exact);
            } else {
                putSlice(widened(one.map->value), number, m_map->exact);
            }
        }
        if (one.index) {
            if (!m_index) {
                m_index = std::make_shared<base::Image<std::int32_t>>(extents, -1);
            }
            putSlice(*one.index, number, *m_index);
        }
        m_sink.regionFinished(slice);
    }
    std::vector<match::Peak> peaks = one.peaks;
    moveToFrame(peaks, number);
    m_result.peaks.insert(m_result.peaks.end(), peaks.begin(), peaks.end());
}

void FrameStack::moveTo(JobResult& all) {
    bestFirst(m_result.peaks, m_largest);
    all.scene = std::move(m_result.scene);
    all.templates = std::move(m_result.templates);
    all.masks = std::move(m_result.masks);
    all.sceneMask = std::move(m_result.sceneMask);
    all.map = std::move(m_map);
    all.index = std::move(m_index);
    all.geometry = m_result.geometry;
    all.mapGeometry = m_result.mapGeometry;
    all.mapCorner = m_result.mapCorner;
    all.peaks = std::move(m_result.peaks);
}

} // namespace flcc::job::detail
