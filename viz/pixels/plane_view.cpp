#include "viz/pixels/plane_view.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include <vtkCamera.h>
#include <vtkNew.h>
#include <vtkTransform.h>

namespace flcc::viz::detail {
namespace {

constexpr double kFitMargin = 0.02; // share of the view that stays free at each edge
constexpr double kLargestZoom = 256;

} // namespace

void PlaneView::setPlane(const std::array<double, 2>& count, const std::array<double, 2>& aspect) {
    m_count = count;
    m_aspect = aspect;
}

void PlaneView::setSize(int width, int height) {
    m_size = {static_cast<double>(width), static_cast<double>(height)};
}

double PlaneView::edge(std::size_t axis) const {
    return std::round(m_size[axis] / 2 - (m_centre[axis] + 0.5 * m_aspect[axis]) * m_zoom);
}

std::array<double, 2> PlaneView::taken(const Margins& margins, std::size_t axis) const {
    const double least = m_size[axis] * kFitMargin;
    std::array<double, 2> strips{std::max(axis == 0 ? margins.left : margins.top, least),
                                 std::max(axis == 0 ? margins.right : margins.bottom, least)};
    if (m_flips[axis]) { // margins belong to the screen, the centre to the unmirrored picture
        std::swap(strips[0], strips[1]);
    }
    return strips;
}

double PlaneView::fittingZoom(const std::array<std::array<double, 2>, 2>& edges,
                              const Margins& margins) const {
    double zoom = kLargestZoom;
    for (std::size_t axis = 0; axis < 2; ++axis) {
        const auto [before, after] = taken(margins, axis);
        const double length = (edges[axis][1] - edges[axis][0]) * m_aspect[axis];
        zoom = std::min(zoom, std::max(m_size[axis] - before - after, 1.0) / length);
    }
    return zoom;
}

void PlaneView::fit(const std::array<std::array<double, 2>, 2>& edges, const Margins& margins) {
    m_zoom = fittingZoom(edges, margins);
    for (std::size_t axis = 0; axis < 2; ++axis) {
        const auto [before, after] = taken(margins, axis);
        const auto [low, high] = edges[axis];
        const double length = (high - low) * m_aspect[axis] * m_zoom;
        const double last = std::max(m_size[axis] - after - length, before);
        const double start = std::clamp((m_size[axis] - length) / 2, before, last);
        m_centre[axis] =
            (low + high) / 2 * m_aspect[axis] - (start + (length - m_size[axis]) / 2) / m_zoom;
    }
}

void PlaneView::limit() {
    const double whole =
        std::min(m_size[0] / (m_count[0] * m_aspect[0]), m_size[1] / (m_count[1] * m_aspect[1]));
    m_zoom = std::clamp(m_zoom, std::min(whole, 1.0) / 8, kLargestZoom);
    for (std::size_t axis = 0; axis < 2; ++axis) {
        // The middle of the view stays on the image, so that it cannot be lost.
        m_centre[axis] = std::clamp(m_centre[axis], -0.5 * m_aspect[axis],
                                    (m_count[axis] - 0.5) * m_aspect[axis]);
    }
}

void PlaneView::setZoom(double zoom) {
    m_zoom = zoom;
    limit();
}

void PlaneView::zoomAt(DisplayPoint anchor, double factor) {
    const std::array<double, 2> before = toVoxel(anchor);
    m_zoom *= factor;
    limit();
    const DisplayPoint at = mirrored(anchor);
    const std::array<double, 2> pixel{at.x + 0.5, at.y + 0.5};
    for (std::size_t axis = 0; axis < 2; ++axis) {
        m_centre[axis] = before[axis] * m_aspect[axis] - (pixel[axis] - m_size[axis] / 2) / m_zoom;
    }
    limit();
}

void PlaneView::pan(double dx, double dy) {
    m_centre[0] -= (m_flips[0] ? -dx : dx) / m_zoom;
    m_centre[1] -= (m_flips[1] ? -dy : dy) / m_zoom;
    limit();
}

void PlaneView::centreOn(const std::array<double, 2>& voxel) {
    m_centre = {voxel[0] * m_aspect[0], voxel[1] * m_aspect[1]};
    limit();
}

DisplayPoint PlaneView::mirrored(DisplayPoint display) const {
    return {m_flips[0] ? m_size[0] - 1 - display.x : display.x,
            m_flips[1] ? m_size[1] - 1 - display.y : display.y};
}

DisplayPoint PlaneView::toDisplay(const std::array<double, 2>& voxel) const {
    return mirrored({edge(0) + (voxel[0] + 0.5) * m_aspect[0] * m_zoom - 0.5,
                     edge(1) + (voxel[1] + 0.5) * m_aspect[1] * m_zoom - 0.5});
}

std::array<double, 2> PlaneView::toVoxel(DisplayPoint shown) const {
    const DisplayPoint display = mirrored(shown);
    return {(display.x + 0.5 - edge(0)) / (m_aspect[0] * m_zoom) - 0.5,
            (display.y + 0.5 - edge(1)) / (m_aspect[1] * m_zoom) - 0.5};
}

std::array<std::array<double, 2>, 2> PlaneView::visible() const {
    std::array<std::array<double, 2>, 2> edges{};
    for (std::size_t axis = 0; axis < 2; ++axis) { // mirroring shows the same voxels
        const double pixels = m_aspect[axis] * m_zoom;
        edges[axis] = {-edge(axis) / pixels - 0.5, (m_size[axis] - edge(axis)) / pixels - 0.5};
    }
    return edges;
}

void PlaneView::apply(vtkCamera& camera) const {
    const double x = (m_size[0] / 2 - edge(0)) / m_zoom - 0.5 * m_aspect[0];
    const double y = (m_size[1] / 2 - edge(1)) / m_zoom - 0.5 * m_aspect[1];
    camera.ParallelProjectionOn();
    // Seen from -z with up = -y: x goes to the right and y down, nothing is mirrored.
    camera.SetPosition(x, y, -10);
    camera.SetFocalPoint(x, y, 0);
    camera.SetViewUp(0, -1, 0);
    camera.SetClippingRange(1, 20);
    camera.SetParallelScale(m_size[1] / 2 / m_zoom);
    // Mirroring the finished picture keeps the order of the planes in depth.
    const vtkNew<vtkTransform> mirror;
    mirror->Scale(m_flips[0] ? -1 : 1, m_flips[1] ? -1 : 1, 1);
    camera.SetUserTransform(m_flips[0] || m_flips[1] ? mirror.Get() : nullptr);
}

} // namespace flcc::viz::detail
