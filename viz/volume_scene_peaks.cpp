#include <algorithm>
#include <array>
#include <cmath>
#include <utility>

#include <vtkPolyData.h>

#include "viz/detail/volume_state.h"
#include "viz/volume_scene.h"

// Peaks: boxes, surfaces of their templates, and picking them.

namespace flcc::viz {
namespace {

constexpr double kPickReach = 16;                // logical pixels
constexpr std::size_t kMostSurfaces = 500;       // the other peaks keep their boxes
constexpr std::int64_t kMostTriangles = 250'000; // of all surfaces: a moving view draws them
constexpr double kSmallest = 0.3;                // of the size of the best peak's surface

} // namespace

void VolumeScene::setPeaks(std::vector<PeakMark> peaks, const base::Extents& templ) {
    for (PeakMark& peak : peaks) {
        peak.templ = peak.templ.x > 0 ? peak.templ : templ;
    }
    m_state->peaks = std::move(peaks);
    m_state->selectedPeak.reset();
    m_state->marksChanged();
    m_state->peakSurfacesStale = true;
    changed();
}

void VolumeScene::setSelectedPeak(std::optional<std::size_t> index) {
    m_state->selectedPeak = index;
    m_state->marksChanged();
    changed();
}

void VolumeScene::setPeaksVisible(bool on) {
    m_state->peaksVisible = on;
    m_state->marksChanged();
    m_state->peakSurfacesStale = true;
    changed();
}

void VolumeScene::setTemplateShapes(std::vector<TemplateShape> shapes) {
    m_state->shapes = std::move(shapes);
    m_state->shapeSurfaces.clear();
    m_state->marksChanged();
    m_state->peakSurfacesStale = true;
    changed();
}

void VolumeScene::setPeakSurfaces(bool on) {
    m_state->surfacesWanted = on;
    m_state->marksChanged();
    m_state->peakSurfacesStale = true;
    changed();
}

bool VolumeScene::peakSurfaces() const { return m_state->surfacesWanted; }

std::optional<std::size_t> VolumeScene::peakAt(DisplayPoint display) const {
    const State& s = *m_state;
    if (!s.peaksVisible) {
        return std::nullopt;
    }
    // A centre under the cursor, else the first box that the ray meets.
    std::optional<std::size_t> best;
    double reach = kPickReach * pixelRatio();
    for (std::size_t i = 0; i < s.peaks.size(); ++i) {
        const DisplayPoint at = displayOf(s.peaks[i].centre);
        const double distance = std::hypot(at.x - display.x, at.y - display.y);
        if (distance < reach && !behindEye(s.peaks[i].centre)) {
            reach = distance;
            best = i;
        }
    }
    if (best || s.peaks.empty()) {
        return best;
    }
    const auto [from, to] = rayAt(display);
    double first = 1;
    for (std::size_t i = 0; i < s.peaks.size(); ++i) {
        const auto [low, high] = s.cornersOf(s.peaks[i]);
        const auto inside = detail::insideBox(from, to, low, high);
        if (inside && (*inside)[0] < first) {
            first = (*inside)[0];
            best = i;
        }
    }
    return best;
}

std::array<base::Point, 2> VolumeScene::State::cornersOf(const PeakMark& peak) const {
    const auto size = detail::byAxis(peak.templ);
    base::Point low = peak.centre;
    base::Point high = low;
    for (std::size_t axis = 0; axis < 3; ++axis) {
        low[axis] -= static_cast<double>(size[axis]) / 2;
        high[axis] += static_cast<double>(size[axis]) / 2;
    }
    return {world(low), world(high)};
}

bool VolumeScene::State::hasSurface(std::size_t peak) const {
    const int shape = peaks[peak].shape;
    return surfacesWanted && image && peak < kMostSurfaces && shape >= 0 &&
           shape < static_cast<int>(shapes.size()) &&
           shapes[static_cast<std::size_t>(shape)].pixels != nullptr;
}

/// Surfaces fine enough for the number of peaks.
void VolumeScene::State::makeShapeSurfaces(std::int64_t peakCount) {
    const std::int64_t most = kMostTriangles / std::max<std::int64_t>(peakCount, 1);
    if (!shapeSurfaces.empty() && most >= shapeTriangles && most < 4 * shapeTriangles) {
        return; // a few peaks more or less look no different
    }
    shapeSurfaces.clear();
    shapeTriangles = std::max<std::int64_t>(most / 2, 1);
    for (const TemplateShape& shape : shapes) {
        vtkSmartPointer<vtkPolyData> surface = vtkSmartPointer<vtkPolyData>::New();
        for (const std::int64_t side : {64, 48, 32, 24, 16, 12}) {
            if (shape.pixels) {
                surface = detail::templateSurface(shape, aspect, side);
            }
            if (surface->GetNumberOfPolys() <= most) {
                break;
            }
        }
        shapeSurfaces.push_back(surface);
    }
}

void VolumeScene::State::updatePeakSurfaces() {
    peakSurfacesStale = false;
    for (const auto& surfaces : peakSurfaces) {
        surfaces->hide();
    }
    std::int64_t count = 0;
    double best = 0;
    const auto strength = [this](const PeakMark& peak) {
        const double share =
            scale.high > scale.low ? (peak.score - scale.low) / (scale.high - scale.low) : 1.0;
        return std::clamp(scale.reversed ? 1 - share : share, 0.0, 1.0);
    };
    for (std::size_t i = 0; i < peaks.size() && peaksVisible; ++i) {
        if (hasSurface(i)) {
            ++count;
            best = std::max(best, strength(peaks[i]));
        }
    }
    if (count == 0) {
        return;
    }
    makeShapeSurfaces(count);
    while (peakSurfaces.size() < shapes.size()) {
        peakSurfaces.push_back(std::make_unique<detail::PeakSurfaces>(*renderer));
    }
    for (std::size_t shape = 0; shape < shapes.size(); ++shape) {
        detail::PeakSurfaces& surfaces = *peakSurfaces[shape];
        surfaces.clear();
        for (std::size_t i = 0; i < peaks.size(); ++i) {
            if (hasSurface(i) && peaks[i].shape == static_cast<int>(shape)) {
                const double size = best > 0 ? strength(peaks[i]) / best : 1;
                surfaces.add(world(peaks[i].centre), std::max(size, kSmallest),
                             colourOf(peaks[i].score));
            }
        }
        surfaces.finish(*shapeSurfaces[shape]);
    }
}

} // namespace flcc::viz
