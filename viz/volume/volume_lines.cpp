#include "viz/volume/volume_lines.h"

#include <cmath>
#include <numbers>

#include <vtkRenderer.h>

#include "viz/labels/axis_marks.h"

namespace flcc::viz::detail {

VolumeLines::VolumeLines(vtkRenderer& renderer, VolumeModel& model) : m_model(model) {
    for (BoxLines* lines :
         {&m_outline, &m_crossLines, &m_peakLines, &m_selectedLines, &m_blobLines}) {
        renderer.AddActor(&lines->actor());
    }
}

void VolumeLines::setClean(bool clean, bool boxes) {
    m_crossLines.setShown(!clean);
    m_selectedLines.setShown(!clean || boxes);
}

void VolumeLines::update(const ViewColours& look, double ratio) {
    for (BoxLines* lines :
         {&m_outline, &m_crossLines, &m_peakLines, &m_selectedLines, &m_blobLines}) {
        lines->clear();
    }
    if (m_model.image) {
        if (m_model.outlineVisible) {
            m_outline.box(m_model.corner(false), m_model.corner(true),
                          mixed(look.background, look.text, 0.45));
        }
        if (m_model.crosshair) {
            const base::Point at = m_model.world(*m_model.crosshair);
            for (std::size_t axis = 0; axis < 3 && m_model.crosshairVisible; ++axis) {
                base::Point from = at;
                base::Point to = at;
                from[axis] = m_model.corner(false)[axis];
                to[axis] = m_model.corner(true)[axis];
                m_crossLines.line(from, to, look.crosshair);
            }
            if (m_model.sliceStyle == SliceStyle::Frame) {
                addSliceFrames();
            }
        }
    }
    for (std::size_t i = 0; i < m_model.peaks.size() && m_model.peaksVisible; ++i) {
        const PeakMark& peak = m_model.peaks[i];
        if (m_model.selectedPeak == i || peak.chosen) {
            m_selectedLines.box(m_model.cornersOf(peak), look.accent);
        } else if (!m_model.hasSurface(i)) {
            m_peakLines.box(m_model.cornersOf(peak), m_model.colourOf(peak));
        }
    }
    if (m_model.box) {
        const auto [low, high] = m_model.cornersOf(*m_model.box);
        m_selectedLines.box(low, high, look.accent);
    }
    if (m_model.region) {
        const auto [low, high] = m_model.cornersOf(*m_model.region);
        m_peakLines.box(low, high, look.region);
    }
    addBlobs(look);
    m_blobLines.finish(1.2 * ratio);
    m_outline.finish(1.2 * ratio);
    m_crossLines.finish(1.2 * ratio);
    m_peakLines.finish(2 * ratio);
    m_selectedLines.finish(3.5 * ratio);
    m_model.linesStale = false;
}

void VolumeLines::addBlobs(const ViewColours& look) {
    constexpr int kSides = 24;
    for (std::size_t i = 0; i < m_model.blobs.size(); ++i) {
        const BlobMark& blob = m_model.blobs[i];
        const bool selected = m_model.selectedBlob == i;
        BoxLines& lines = selected ? m_selectedLines : m_blobLines;
        for (std::size_t axis = 0; axis < 3; ++axis) {
            const auto at = [&](int side) {
                const double angle = 2 * std::numbers::pi * side / kSides;
                base::Point point = blob.centre;
                const std::size_t a = (axis + 1) % 3;
                const std::size_t b = (axis + 2) % 3;
                point[a] += blob.radius / blob.edges[a] * std::cos(angle);
                point[b] += blob.radius / blob.edges[b] * std::sin(angle);
                return m_model.world(point);
            };
            for (int side = 0; side < kSides; ++side) {
                lines.line(at(side), at(side + 1), selected ? look.accent : kBlobColour);
            }
        }
    }
}

void VolumeLines::addSliceFrames() {
    for (std::size_t axis = 0; axis < 3; ++axis) {
        base::Point low = m_model.corner(false);
        base::Point high = m_model.corner(true);
        low[axis] = high[axis] = static_cast<double>(m_model.sliceAt(axis)) * m_model.aspect[axis];
        m_outline.box(low, high, axisColour(axis));
    }
}

} // namespace flcc::viz::detail
