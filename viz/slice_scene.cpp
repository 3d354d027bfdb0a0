#include "viz/slice_scene.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include <vtkRenderWindow.h>

#include "viz/pixels/grey_pixels.h"
#include "viz/slice/box_drag.h"
#include "viz/slice/slice_state.h"

namespace flcc::viz {

using detail::byAxis;
using detail::TexelGrid;
using detail::TexelRect;

PlaneAxes axesOf(Orientation orientation) {
    switch (orientation) {
    case Orientation::XZ:
        return {0, 2, 1};
    case Orientation::YZ:
        return {1, 2, 0};
    case Orientation::XY:
        break;
    }
    return {0, 1, 2};
}

SliceScene::SliceScene(Orientation orientation) : m_state(std::make_unique<State>(orientation)) {
    m_state->renderer->AddActor2D(&m_state->batch.actor());
    m_state->mapPlane.setOpacity(m_state->mapOpacity);
    m_state->otherPlane.setOpacity(m_state->mapOpacity);
    coloursChanged();
}

SliceScene::~SliceScene() = default;

void SliceScene::addRenderers(vtkRenderWindow& window) {
    window.SetMultiSamples(0); // all edges are upright: smoothing would cost time and show nothing
    window.AddRenderer(m_state->renderer);
}

void SliceScene::removeRenderers(vtkRenderWindow& window) {
    window.RemoveRenderer(m_state->renderer);
}

void SliceScene::setImage(std::shared_ptr<const base::AnyImage> image,
                          const base::Geometry& geometry) {
    State& s = *m_state;
    setMap(nullptr, {1, 1, 1}, true);
    setOtherMap(nullptr, {1, 1, 1});
    s.wipe = 1;
    s.marks.clear();
    s.imagePlane.clear();
    s.supportPlane.clear();
    s.image = std::move(image);
    s.imagePyramid.reset();
    s.plane.geometry = geometry;
    s.plane.extents = s.image ? base::extentsOf(*s.image) : base::Extents{0, 0, 0};
    s.plane.slice = sliceCount() / 2;
    if (s.image) {
        const auto count = byAxis(s.plane.extents);
        const double finer = std::min(std::abs(geometry.spacing[s.plane.axes.right]),
                                      std::abs(geometry.spacing[s.plane.axes.down]));
        std::array<double, 2> aspect{1, 1};
        if (finer > 0) {
            aspect = {std::abs(geometry.spacing[s.plane.axes.right]) / finer,
                      std::abs(geometry.spacing[s.plane.axes.down]) / finer};
        }
        s.plane.view.setPlane({static_cast<double>(count[s.plane.axes.right]),
                               static_cast<double>(count[s.plane.axes.down])},
                              aspect);
        s.imagePlane.setShape(count[s.plane.axes.right], count[s.plane.axes.down], {0, 0});
    }
    fit();
}

void SliceScene::replaceImage(std::shared_ptr<const base::AnyImage> image) {
    m_state->image = std::move(image);
    m_state->imagePyramid.reset();
    m_state->imagePlane.invalidate();
    changed();
}

void SliceScene::setImagePyramid(std::shared_ptr<const Pyramid> pyramid) {
    m_state->imagePyramid = std::move(pyramid);
    m_state->imagePlane.invalidate();
    changed();
}

void SliceScene::setMapPyramid(std::shared_ptr<const Pyramid> pyramid) {
    m_state->map.setPyramid(std::move(pyramid));
    mapPyramidChanged();
}

void SliceScene::mapPyramidChanged() {
    m_state->mapPlane.invalidate();
    changed();
}

std::int64_t SliceScene::displayBytes() const {
    const State& s = *m_state;
    return s.imagePlane.bytes() + s.supportPlane.bytes() + s.mapPlane.bytes() +
           s.otherPlane.bytes();
}

bool SliceScene::hasImage() const { return m_state->image != nullptr; }
Orientation SliceScene::orientation() const { return m_state->plane.orientation; }
const base::Extents& SliceScene::extents() const { return m_state->plane.extents; }

void SliceScene::setGreyWindow(const GreyWindow& window) {
    m_state->window = window;
    m_state->imagePlane.invalidate();
    changed();
}

GreyWindow SliceScene::greyWindow() const { return m_state->window; }

void SliceScene::setInterpolated(bool on) {
    m_state->interpolated = on;
    m_state->imagePlane.setInterpolated(on);
    changed();
}

bool SliceScene::interpolated() const { return m_state->interpolated; }

void SliceScene::setSlice(std::int64_t slice) {
    State& s = *m_state;
    slice = std::clamp<std::int64_t>(slice, 0, std::max<std::int64_t>(sliceCount() - 1, 0));
    if (slice == s.plane.slice) {
        return;
    }
    s.plane.slice = slice;
    s.imagePlane.invalidate();
    s.supportPlane.invalidate();
    s.mapPlane.invalidate();
    s.otherPlane.invalidate();
    changed();
}

void SliceScene::setSlab(std::int64_t slices) {
    m_state->slabSlices = std::max<std::int64_t>(slices, 1);
    m_state->imagePlane.invalidate();
    changed();
}

std::array<std::int64_t, 2> SliceScene::slab() const {
    const State& s = *m_state;
    const std::int64_t first = s.plane.slice - (s.slabSlices - 1) / 2;
    return {std::max<std::int64_t>(first, 0),
            std::min(first + s.slabSlices - 1, std::max<std::int64_t>(sliceCount() - 1, 0))};
}

std::int64_t SliceScene::slice() const { return m_state->plane.slice; }
std::int64_t SliceScene::sliceCount() const {
    return byAxis(m_state->plane.extents)[m_state->plane.axes.depth];
}

void SliceScene::setMap(std::shared_ptr<const method::MatchMap> map, const base::Extents& templ,
                        bool finished, const base::Index& corner) {
    State& s = *m_state;
    s.map.set(std::move(map), templ, finished, corner);
    s.shape(s.mapPlane, s.map);
    refit(); // a map of `full` reaches beyond the scene, and the scalar bar needs a margin
}

void SliceScene::setOtherMap(std::shared_ptr<const method::MatchMap> map,
                             const base::Extents& templ, const base::Index& corner) {
    m_state->otherMap.set(std::move(map), templ, true, corner);
    m_state->shape(m_state->otherPlane, m_state->otherMap);
    m_state->mapPlane.invalidate();
    changed();
}

void SliceScene::setWipe(double share) {
    m_state->wipe = std::clamp(share, 0.0, 1.0);
    m_state->mapPlane.invalidate();
    m_state->otherPlane.invalidate();
    changed();
}

double SliceScene::wipe() const { return m_state->wipe; }

void SliceScene::State::shape(detail::VisibleTile& tile, const detail::ShownMap& of) const {
    tile.clear();
    if (of.exists()) {
        const auto count = byAxis(of.extents());
        tile.setShape(count[plane.axes.right], count[plane.axes.down],
                      {of.offset()[plane.axes.right], of.offset()[plane.axes.down]});
    }
}

void SliceScene::mapRegionFinished(const base::Box& region) {
    State& s = *m_state;
    if (!s.map.exists() || s.map.finished()) {
        return;
    }
    s.map.addRegion(region);
    s.mapPlane.invalidate();
    changed();
}

void SliceScene::mapEnded() {
    if (!m_state->map.exists() || m_state->map.finished()) {
        return;
    }
    m_state->map.end();
    m_state->mapPlane.invalidate();
    changed();
}

void SliceScene::setMapScale(const match::HeatmapScale& scale) {
    m_state->scale = scale;
    m_state->colours = detail::colourTable(scale.map, scale.reversed);
    m_state->mapPlane.invalidate();
    m_state->otherPlane.invalidate();
    changed();
}

match::HeatmapScale SliceScene::mapScale() const { return m_state->scale; }

void SliceScene::setMapVisible(bool on) {
    m_state->mapVisible = on;
    changed();
}

bool SliceScene::mapVisible() const { return m_state->mapVisible; }

void SliceScene::setMapOpacity(double opacity) {
    m_state->mapOpacity = std::clamp(opacity, 0.0, 1.0);
    m_state->mapPlane.setOpacity(m_state->mapOpacity);
    m_state->otherPlane.setOpacity(m_state->mapOpacity);
    changed();
}

double SliceScene::mapOpacity() const { return m_state->mapOpacity; }

void SliceScene::setMapName(const std::string& name) {
    m_state->labels.mapName = name;
    changed();
}

void SliceScene::setMapNote(const std::string& note) {
    m_state->labels.mapNote = note;
    changed();
}

const std::string& SliceScene::mapNote() const { return m_state->labels.mapNote; }

void SliceScene::setAnatomy(const Anatomy& anatomy) {
    m_state->labels.anatomy = anatomy;
    changed();
}

void SliceScene::setFlips(bool right, bool down) {
    m_state->plane.view.setFlips(right, down);
    refit();
}

std::array<bool, 2> SliceScene::flips() const { return m_state->plane.view.flips(); }

std::array<bool, 2> SliceScene::usualFlips(const Anatomy& anatomy, Orientation orientation) {
    const PlaneAxes axes = axesOf(orientation);
    const char right = anatomy.high[axes.right];
    const char down = anatomy.high[axes.down];
    return {right == 'R' || right == 'A', down == 'S' || down == 'A'};
}

void SliceScene::fit() {
    m_state->keepsFit = true;
    if (hasImage()) {
        State& s = *m_state;
        s.plane.view.setSize(width(), height());
        s.plane.view.fit(s.reach(), s.labels.margins(s.plane, s.reach(), s.map.exists(), width(),
                                                     height(), pixelRatio()));
    }
    changed();
}

void SliceScene::refit() {
    if (m_state->keepsFit) {
        fit();
    }
    changed();
}

void SliceScene::zoomAt(DisplayPoint anchor, double factor) {
    m_state->keepsFit = false;
    m_state->plane.view.zoomAt(anchor, factor);
    changed();
}

void SliceScene::pan(double dx, double dy) {
    m_state->keepsFit = false;
    m_state->plane.view.pan(dx, dy);
    changed();
}

void SliceScene::setZoom(double zoom) {
    m_state->keepsFit = false;
    m_state->plane.view.setZoom(zoom);
    changed();
}

double SliceScene::zoom() const { return m_state->plane.view.zoom(); }

void SliceScene::centreOn(const base::Point& voxel) {
    m_state->keepsFit = false;
    m_state->plane.view.centreOn(m_state->plane.inPlane(voxel));
    changed();
}

base::Point SliceScene::planePointAt(DisplayPoint display) const {
    const State& s = *m_state;
    const std::array<double, 2> plane = s.plane.view.toVoxel(display);
    base::Point point{0, 0, 0};
    point[s.plane.axes.right] = plane[0];
    point[s.plane.axes.down] = plane[1];
    point[s.plane.axes.depth] = static_cast<double>(s.plane.slice);
    return point;
}

std::optional<base::Point> SliceScene::voxelAt(DisplayPoint display) const {
    if (!hasImage()) {
        return std::nullopt;
    }
    const base::Point point = planePointAt(display);
    const auto count = byAxis(m_state->plane.extents);
    for (std::size_t axis = 0; axis < 3; ++axis) {
        if (point[axis] < -0.5 || point[axis] >= static_cast<double>(count[axis]) - 0.5) {
            return std::nullopt;
        }
    }
    return point;
}

DisplayPoint SliceScene::displayOf(const base::Point& voxel) const {
    return m_state->plane.view.toDisplay(m_state->plane.inPlane(voxel));
}

const std::vector<Label>& SliceScene::labels() const { return m_state->texts.labels(); }

void SliceScene::resized() {
    m_state->plane.view.setSize(width(), height());
    m_state->mapPlane.setPixelRatio(pixelRatio());
    m_state->otherPlane.setPixelRatio(pixelRatio());
    refit();
}

void SliceScene::coloursChanged() {
    const match::Colour& c = colours().background;
    m_state->renderer->SetBackground(c[0] / 255.0, c[1] / 255.0, c[2] / 255.0);
}

void SliceScene::setPeaks(std::vector<PeakMark> peaks, const base::Extents& templ) {
    for (PeakMark& peak : peaks) {
        peak.templ = peak.templ.x > 0 ? peak.templ : templ;
    }
    m_state->marks.peaks = std::move(peaks);
    m_state->marks.selectedPeak.reset();
    changed();
}

void SliceScene::setSelectedPeak(std::optional<std::size_t> index) {
    m_state->marks.selectedPeak = index;
    changed();
}

void SliceScene::setPeaksVisible(bool on) {
    m_state->marks.peaksVisible = on;
    changed();
}

void SliceScene::setTemplateBox(const std::optional<base::Box>& box) {
    m_state->marks.box = box;
    changed();
}

void SliceScene::setCrosshair(const std::optional<base::Point>& voxel) {
    m_state->marks.crosshair = voxel;
    changed();
}

void SliceScene::setScaleBarVisible(bool on) {
    m_state->labels.scaleBarVisible = on;
    refit();
}

void SliceScene::setScalarBarVisible(bool on) {
    m_state->labels.scalarBarVisible = on;
    refit();
}

void SliceScene::setAxisLettersVisible(bool on) {
    m_state->labels.axisLettersVisible = on;
    refit();
}

void SliceScene::setBlobs(std::vector<BlobMark> blobs, std::optional<std::size_t> selected) {
    m_state->marks.blobs = std::move(blobs);
    m_state->marks.selectedBlob = selected;
    changed();
}

void SliceScene::setRegion(const std::optional<base::Box>& region) {
    m_state->marks.region = region;
    changed();
}

void SliceScene::setTemplateSupport(std::shared_ptr<const base::Image<std::uint8_t>> support) {
    m_state->marks.templSupport = std::move(support);
    changed();
}

const std::optional<base::Box>& SliceScene::templateBox() const { return m_state->marks.box; }

void SliceScene::setSceneSupport(std::shared_ptr<const base::Image<std::uint8_t>> support) {
    m_state->supportPlane.setSupport(std::move(support), m_state->plane);
    changed();
}

std::optional<std::size_t> SliceScene::peakAt(DisplayPoint display) const {
    return m_state->marks.peakAt(m_state->plane, display, 3 * pixelRatio());
}

std::vector<std::size_t> SliceScene::peaksInside(const std::vector<base::Point>& line) const {
    return m_state->marks.peaksInside(m_state->plane, line);
}

std::vector<std::size_t> SliceScene::peaksAlong(const base::Point& from,
                                                const base::Point& to) const {
    return m_state->marks.peaksAlong(m_state->plane, from, to, 6 * pixelRatio());
}

void SliceScene::setStroke(Stroke stroke) {
    m_state->marks.stroke = std::move(stroke);
    changed();
}

BoxPart SliceScene::templateBoxPartAt(DisplayPoint display, double tolerance) const {
    const auto& box = m_state->marks.box;
    return box ? detail::boxPartAt(m_state->plane, *box, display, tolerance * pixelRatio())
               : BoxPart::None;
}

base::Box SliceScene::draggedBox(const base::Box& start, BoxPart part, const base::Point& from,
                                 const base::Point& to) const {
    return detail::draggedBox(m_state->plane, start, part, from, to);
}

base::Box SliceScene::spannedBox(const base::Point& from, const base::Point& to,
                                 std::int64_t depth) const {
    return detail::spannedBox(m_state->plane, from, to, depth);
}

void SliceScene::imagePixels(const TexelGrid& grid, const TexelRect& rect, std::uint8_t* out,
                             std::int64_t rowBytes) const {
    const State& s = *m_state;
    const std::array<std::int64_t, 2> shown = slab();
    if (shown[1] > shown[0]) {
        detail::slabPixels(base::viewOf(*s.image), s.plane.axes, shown[0], shown[1], s.window, grid,
                           rect, out, rowBytes);
        return;
    }
    const int level = s.imagePyramid ? s.imagePyramid->levelFor(grid.pitch()) : 0;
    if (level > 0) {
        s.imagePyramid->read(level, [&](const base::AnyView& texels) {
            detail::greyPixels(texels, {}, 0, s.window, grid.atLevel(level), rect, out, rowBytes);
        });
        return;
    }
    detail::greyPixels(base::viewOf(*s.image), s.plane.axes, s.plane.slice, s.window, grid, rect,
                       out, rowBytes);
}

void SliceScene::State::draw(detail::VisibleTile& tile, const detail::ShownMap& of, double first,
                             double last) {
    tile.update(plane.view, [&](const TexelGrid& grid, const TexelRect& rect, std::uint8_t* out,
                                std::int64_t rowBytes) {
        of.pixels(plane.axes, sliceOf(of), scale, colours, grid, rect, out, rowBytes);
        for (std::int64_t i = rect.left; i < rect.right; ++i) {
            const double at =
                static_cast<double>(grid.right.firstVoxel(i)) + of.offset()[plane.axes.right];
            if (at >= first && at < last) {
                continue;
            }
            for (std::int64_t j = 0; j < rect.bottom - rect.top; ++j) {
                out[j * rowBytes + (i - rect.left) * 4 + 3] = 0;
            }
        }
    });
}

void SliceScene::update() {
    State& s = *m_state;
    s.renderer->SetBackgroundAlpha(isClean() ? 0.0 : 1.0);
    if (hasImage()) {
        s.imagePlane.update(s.plane.view,
                            [&](const TexelGrid& grid, const TexelRect& rect, std::uint8_t* out,
                                std::int64_t rowBytes) { imagePixels(grid, rect, out, rowBytes); });
    }
    s.supportPlane.update(s.plane);
    constexpr double kEverywhere = std::numeric_limits<double>::infinity();
    s.mapPlane.setVisible(s.mapShown());
    if (s.mapShown()) {
        s.draw(s.mapPlane, s.map, -kEverywhere, s.otherShown() ? s.wipePlace() : kEverywhere);
    }
    s.otherPlane.setVisible(s.otherShown());
    if (s.otherShown()) {
        s.draw(s.otherPlane, s.otherMap, s.wipe > 0 ? s.wipePlace() : -kEverywhere, kEverywhere);
    }
    s.plane.view.apply(*s.renderer->GetActiveCamera());
    s.batch.clear(height());
    s.texts.clear(width(), height());
    if (!isClean() && hasImage()) {
        const detail::Canvas canvas{s.batch, s.texts, width(), height(), pixelRatio(), colours()};
        if (s.otherShown() && s.wipe > 0) {
            const double x = s.plane.view.toDisplay({s.wipePlace(), static_cast<double>(0)}).x;
            const double half = std::max(1.0, pixelRatio());
            s.batch.rectangle(x - half, 0, x + half, height(), colours().accent);
        }
        const auto numbered = s.marks.draw(canvas, s.plane, s.scale, s.colours);
        s.labels.draw(canvas, s.plane, s.reach(),
                      {s.scale, s.colours, s.map.exists() && s.mapVisible, s.mapShown()}, s.marks,
                      numbered);
    }
    s.batch.finish();
    s.texts.finish();
}

} // namespace flcc::viz
