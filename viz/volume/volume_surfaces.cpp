#include "viz/volume/volume_surfaces.h"

#include <algorithm>

#include <vtkRenderer.h>

namespace flcc::viz::detail {
namespace {

constexpr std::int64_t kMostTriangles = 250'000; // of all surfaces: a moving view draws them

} // namespace

VolumeSurfaces::VolumeSurfaces(vtkRenderer& renderer, VolumeModel& model)
    : m_renderer(renderer), m_model(model) {
    renderer.AddActor(&m_boxSurface.actor());
    renderer.AddActor(&m_peakSurface.actor());
}

/// Surfaces fine enough for the number of peaks.
void VolumeSurfaces::makeShapeSurfaces(std::int64_t peakCount) {
    const std::int64_t most = kMostTriangles / std::max<std::int64_t>(peakCount, 1);
    if (!m_shapeSurfaces.empty() && most >= m_shapeTriangles && most < 4 * m_shapeTriangles) {
        return; // a few peaks more or less look no different
    }
    m_shapeSurfaces.clear();
    m_shapeTriangles = std::max<std::int64_t>(most / 2, 1);
    for (const TemplateShape& shape : m_model.shapes) {
        vtkSmartPointer<vtkPolyData> surface = vtkSmartPointer<vtkPolyData>::New();
        for (const std::int64_t side : {64, 48, 32, 24, 16, 12}) {
            if (shape.pixels) {
                surface = templateSurface(shape, m_model.aspect, side);
            }
            if (surface->GetNumberOfPolys() <= most) {
                break;
            }
        }
        m_shapeSurfaces.push_back(surface);
    }
}

/// How the surface of a peak lies about its centre in the world.
std::array<double, 9> VolumeSurfaces::frameOf(const PeakMark& peak) const {
    std::array<double, 9> frame{1, 0, 0, 0, 1, 0, 0, 0, 1};
    for (std::size_t i = 0; peak.turn && i < 9; ++i) {
        frame[i] = (*peak.turn)[i] * m_model.aspect[i / 3] / m_model.aspect[i % 3];
    }
    return frame;
}

void VolumeSurfaces::updatePeaks() {
    m_model.peakSurfacesStale = false;
    for (const auto& surfaces : m_peakSurfaces) {
        surfaces->hide();
    }
    std::int64_t count = 0;
    for (std::size_t i = 0; i < m_model.peaks.size() && m_model.peaksVisible; ++i) {
        count += m_model.hasSurface(i) ? 1 : 0;
    }
    if (count == 0) {
        return;
    }
    makeShapeSurfaces(count);
    while (m_peakSurfaces.size() < m_model.shapes.size()) {
        m_peakSurfaces.push_back(std::make_unique<PeakSurfaces>(m_renderer));
    }
    for (std::size_t shape = 0; shape < m_model.shapes.size(); ++shape) {
        PeakSurfaces& surfaces = *m_peakSurfaces[shape];
        surfaces.clear();
        for (std::size_t i = 0; i < m_model.peaks.size(); ++i) {
            if (m_model.hasSurface(i) && m_model.peaks[i].shape == static_cast<int>(shape)) {
                const PeakMark& peak = m_model.peaks[i];
                surfaces.add(m_model.world(peak.centre), frameOf(peak), m_model.colourOf(peak));
            }
        }
        surfaces.finish(*m_shapeSurfaces[shape]);
    }
}

void VolumeSurfaces::updateSupport(const ViewColours& look) {
    if (m_model.templSupport && m_model.surfacesStale) {
        m_boxSurface.setSupport(*m_model.templSupport);
        m_peakSurface.setSupport(*m_model.templSupport);
        m_model.surfacesStale = false;
    }
    m_boxSurface.hide();
    m_peakSurface.hide();
    if (m_model.boxShaded()) {
        m_boxSurface.show(m_model.box->corner, m_model.aspect, look.accent);
    }
    if (const auto peak = m_model.shadedPeak()) {
        m_peakSurface.show(peak->corner, m_model.aspect, look.accent);
    }
}

} // namespace flcc::viz::detail
