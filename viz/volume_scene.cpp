#include "viz/volume_scene.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include <vtkRenderWindow.h>

#include "viz/pixels/turned_box.h"
#include "viz/volume/box_lines.h"
#include "viz/volume/volume_clip.h"
#include "viz/volume/volume_state.h"

namespace flcc::viz {

namespace {

constexpr int kSmoothSamples = 4;
constexpr double kPickReach = 16; // logical pixels

} // namespace

VolumeScene::VolumeScene() : m_state(std::make_unique<State>()) { coloursChanged(); }

VolumeScene::~VolumeScene() = default;

void VolumeScene::addRenderers(vtkRenderWindow& window) { window.AddRenderer(m_state->renderer); }

void VolumeScene::removeRenderers(vtkRenderWindow& window) {
    m_state->cast.releaseGraphics(window);
    window.RemoveRenderer(m_state->renderer);
}

void VolumeScene::setImage(std::shared_ptr<const base::AnyImage> image,
                           const base::Geometry& geometry) {
    State& s = *m_state;
    setMap(nullptr, {1, 1, 1}, true);
    setPeaks({}, {1, 1, 1});
    setTemplateShapes({});
    setBlobs({});
    s.model.box.reset();
    s.model.region.reset();
    s.model.crosshair.reset();
    s.model.image = std::move(image);
    s.model.reduced.reset();
    s.model.extents = s.model.image ? base::extentsOf(*s.model.image) : base::Extents{0, 0, 0};
    s.model.aspect = {1, 1, 1};
    double finest = std::numeric_limits<double>::infinity();
    for (const double spacing : geometry.spacing) {
        finest = std::min(finest, std::abs(spacing));
    }
    for (std::size_t axis = 0; axis < 3 && finest > 0; ++axis) {
        s.model.aspect[axis] = std::abs(geometry.spacing[axis]) / finest;
    }
    s.cast.clearScene();
    s.model.sceneTextureStale = s.model.slicesStale = s.model.linesStale = true;
    resetView();
}

void VolumeScene::replaceImage(std::shared_ptr<const base::AnyImage> image) {
    State& s = *m_state;
    s.model.image = std::move(image);
    s.model.reduced.reset();
    s.cast.clearScene();
    s.model.sceneTextureStale = s.model.slicesStale = true;
    changed();
}

void VolumeScene::setReduced(std::shared_ptr<const ReducedVolume> reduced) {
    State& s = *m_state;
    s.model.reduced = reduced && s.model.image && reduced->source() == s.model.extents
                          ? std::move(reduced)
                          : nullptr;
    s.cast.clearScene();
    s.model.sceneTextureStale = true;
    s.model.interactive = true; // the first picture with it is quick, the fine one comes
    changed();
}

void VolumeScene::setGreyWindow(const GreyWindow& window) {
    State& s = *m_state;
    if (window == s.model.window || !(window.high > window.low)) {
        return;
    }
    s.model.window = window;
    s.model.sceneTextureStale = s.model.slicesStale = true;
    if (s.cast.hasScene()) {
        s.model.interactive = true; // the fine picture comes when the window rests
    }
    changed();
}

void VolumeScene::setContent(VolumeContent content) {
    m_state->model.content = content;
    changed();
}

VolumeContent VolumeScene::content() const { return m_state->model.content; }

std::string VolumeScene::note() const {
    const State& s = *m_state;
    const detail::VolumeTexture& texture = s.cast.texture();
    if (s.model.content == VolumeContent::None || !texture.exists() || texture.thinning() == 1) {
        return {};
    }
    const base::Extents source = s.model.mapCast() ? s.model.map.extents() : s.model.extents;
    const bool early = !s.model.mapCast() && !s.model.reduced;
    return (early ? "first coarse picture: " : "reduced: ") + base::toString(texture.texels()) +
           " of " + base::toString(source) + " voxels";
}

void VolumeScene::setMap(std::shared_ptr<const method::MatchMap> map, const base::Extents& templ,
                         bool finished, const base::Index& corner) {
    State& s = *m_state;
    s.model.map.set(std::move(map), templ, finished, corner);
    s.cast.clearMap();
    s.model.freshMapRegions.clear();
    s.model.mapTextureStale = s.model.slicesStale = true;
    if (s.camera.keepsFit() && s.model.image) {
        fit(); // that of `full` reaches beyond the scene
    }
    changed();
}

void VolumeScene::mapRegionFinished(const base::Box& region) {
    State& s = *m_state;
    if (!s.model.map.exists() || s.model.map.finished()) {
        return;
    }
    s.model.map.addRegion(region);
    s.model.freshMapRegions.push_back(region);
    s.model.slicesStale = true;
    changed();
}

void VolumeScene::mapEnded() {
    State& s = *m_state;
    if (!s.model.map.exists() || s.model.map.finished()) {
        return;
    }
    s.model.map.end();
    s.cast.clearMap();
    s.model.mapTextureStale = s.model.slicesStale = true;
    changed();
}

void VolumeScene::setMapScale(const match::HeatmapScale& scale) {
    State& s = *m_state;
    s.model.scale = scale;
    s.model.colours = detail::colourTable(scale.map, scale.reversed);
    s.model.mapTextureStale = s.model.slicesStale = s.model.linesStale = s.model.peakSurfacesStale =
        true;
    changed();
}

void VolumeScene::setMapName(const std::string& name) {
    m_state->labels.mapName = name;
    changed();
}

void VolumeScene::setMapNote(const std::string& note) {
    m_state->labels.mapNote = note;
    changed();
}

void VolumeScene::setMapVisible(bool on) {
    m_state->model.mapVisible = on;
    m_state->model.slicesStale = true;
    changed();
}

void VolumeScene::setMapOpacity(double opacity) {
    m_state->model.mapOpacity = std::clamp(opacity, 0.0, 1.0);
    m_state->model.slicesStale = true;
    changed();
}

void VolumeScene::setTemplateBox(const std::optional<base::Box>& box) {
    m_state->model.box = box;
    m_state->model.marksChanged();
    changed();
}

void VolumeScene::setRegion(const std::optional<base::Box>& region) {
    m_state->model.region = region;
    m_state->model.linesStale = true;
    changed();
}

void VolumeScene::setCrosshair(const std::optional<base::Point>& voxel) {
    State& s = *m_state;
    if (voxel == s.model.crosshair) {
        return;
    }
    s.model.crosshair = voxel;
    s.model.linesStale = true;
    if (s.cast.hasScene() || s.cast.hasMap()) {
        s.model.interactive = true; // the fine picture comes when the crosshair rests
    }
    changed();
}

void VolumeScene::setCrosshairVisible(bool on) {
    m_state->model.crosshairVisible = on;
    m_state->model.linesStale = true;
    changed();
}

void VolumeScene::setScalarBarVisible(bool on) {
    m_state->labels.scalarBarVisible = on;
    changed();
}

void VolumeScene::setOutlineVisible(bool on) {
    m_state->model.outlineVisible = on;
    m_state->model.linesStale = true;
    changed();
}

void VolumeScene::setInteractive(bool on) {
    if (on != m_state->model.interactive) {
        m_state->model.interactive = on;
        changed();
    }
}

void VolumeScene::deferVolume() { m_state->volumeDeferred = true; }

bool VolumeScene::interactive() const { return m_state->model.interactive; }

void VolumeScene::resized() {
    m_state->model.linesStale = true; // their width
    m_state->camera.setSize(width(), height());
    if (m_state->camera.keepsFit()) {
        fit();
    }
}

void VolumeScene::coloursChanged() {
    const match::Colour& c = colours().background;
    m_state->renderer->SetBackground(c[0] / 255.0, c[1] / 255.0, c[2] / 255.0);
    m_state->model.linesStale = true;
}

const std::vector<Label>& VolumeScene::labels() const { return m_state->texts.labels(); }

void VolumeScene::setBlobs(std::vector<BlobMark> blobs, std::optional<std::size_t> selected) {
    m_state->model.blobs = std::move(blobs);
    m_state->model.selectedBlob = selected;
    m_state->model.linesStale = true;
    changed();
}

void VolumeScene::setSliceStyle(SliceStyle style) {
    m_state->model.sliceStyle = style;
    m_state->model.slicesStale = m_state->model.linesStale = true;
    changed();
}

SliceStyle VolumeScene::sliceStyle() const { return m_state->model.sliceStyle; }

void VolumeScene::setTransfer(const VolumeTransfer& transfer) {
    State& s = *m_state;
    s.model.transfer = transfer;
    s.model.transfer.threshold = std::clamp(transfer.threshold, 0.0, 0.98);
    s.model.transfer.opacity = std::clamp(transfer.opacity, 0.0, 1.0);
    if (s.cast.hasScene()) {
        s.model.interactive = true; // the fine picture comes when the sliders rest
    }
    changed();
}

const VolumeTransfer& VolumeScene::transfer() const { return m_state->model.transfer; }

void VolumeScene::setClip(VolumeClip clip) {
    m_state->model.clip = clip;
    changed();
}

VolumeClip VolumeScene::clip() const { return m_state->model.clip; }

void VolumeScene::setSlab(std::int64_t slices) {
    m_state->model.slabSlices = slices;
    changed();
}

void VolumeScene::setScoreThreshold(double score) {
    if (m_state->model.scoreThreshold != score) {
        m_state->model.scoreThreshold = score;
        changed();
    }
}

void VolumeScene::setIsosurface(bool on) {
    m_state->model.isosurface = on;
    changed();
}

bool VolumeScene::isosurface() const { return m_state->model.isosurface; }

void VolumeScene::setAnatomy(const Anatomy& anatomy, bool upright) {
    m_state->model.anatomy = anatomy;
    m_state->model.upright = upright;
    changed();
}

void VolumeScene::setPeaks(std::vector<PeakMark> peaks, const base::Extents& templ) {
    for (PeakMark& peak : peaks) {
        peak.templ = peak.templ.x > 0 ? peak.templ : templ;
    }
    m_state->model.peaks = std::move(peaks);
    m_state->model.selectedPeak.reset();
    m_state->model.marksChanged();
    m_state->model.peakSurfacesStale = true;
    changed();
}

void VolumeScene::setSelectedPeak(std::optional<std::size_t> index) {
    m_state->model.selectedPeak = index;
    m_state->model.marksChanged();
    changed();
}

void VolumeScene::setPeaksVisible(bool on) {
    m_state->model.peaksVisible = on;
    m_state->model.marksChanged();
    m_state->model.peakSurfacesStale = true;
    changed();
}

void VolumeScene::setTemplateShapes(std::vector<TemplateShape> shapes) {
    m_state->model.shapes = std::move(shapes);
    m_state->surfaces.clearShapes();
    m_state->model.marksChanged();
    m_state->model.peakSurfacesStale = true;
    changed();
}

void VolumeScene::setPeakSurfaces(bool on) {
    m_state->model.surfacesWanted = on;
    m_state->model.marksChanged();
    m_state->model.peakSurfacesStale = true;
    changed();
}

bool VolumeScene::peakSurfaces() const { return m_state->model.surfacesWanted; }

void VolumeScene::setTemplateSupport(std::shared_ptr<const base::Image<std::uint8_t>> support) {
    State& s = *m_state;
    s.model.templSupport = std::move(support);
    s.model.surfacesStale = s.model.linesStale = s.model.slicesStale = true;
    changed();
}

void VolumeScene::setSceneSupport(std::shared_ptr<const base::Image<std::uint8_t>> support) {
    State& s = *m_state;
    if (support == s.model.sceneSupport) {
        return;
    }
    s.model.sceneSupport = std::move(support);
    s.cast.clearScene();
    s.model.sceneTextureStale = s.model.slicesStale = true;
    changed();
}

std::optional<std::size_t> VolumeScene::peakAt(DisplayPoint display) const {
    const State& s = *m_state;
    if (!s.model.peaksVisible) {
        return std::nullopt;
    }
    // A centre under the cursor, else the first box that the ray meets.
    std::optional<std::size_t> best;
    double reach = kPickReach * pixelRatio();
    for (std::size_t i = 0; i < s.model.peaks.size(); ++i) {
        const DisplayPoint at = s.camera.displayOf(s.model.peaks[i].centre);
        const double distance = std::hypot(at.x - display.x, at.y - display.y);
        if (distance < reach && !s.camera.behindEye(s.model.peaks[i].centre)) {
            reach = distance;
            best = i;
        }
    }
    if (best || s.model.peaks.empty()) {
        return best;
    }
    const auto [from, to] = s.camera.rayAt(display);
    double first = 1;
    for (std::size_t i = 0; i < s.model.peaks.size(); ++i) {
        // In the frame of the template, in which its box lies along the axes.
        const detail::TurnedBox box(s.model.peaks[i]);
        const auto offsetOf = [&](base::Point at) {
            for (std::size_t axis = 0; axis < 3; ++axis) {
                at[axis] /= s.model.aspect[axis];
            }
            return box.offsetOf(at);
        };
        const base::Point& half = box.half();
        const auto inside =
            detail::insideBox(offsetOf(from), offsetOf(to), {-half[0], -half[1], -half[2]}, half);
        if (inside && (*inside)[0] < first) {
            first = (*inside)[0];
            best = i;
        }
    }
    return best;
}

int VolumeScene::fineParts() const {
    return m_state->model.interactive ? 1 : m_state->quality.fineParts();
}

void VolumeScene::setPart(int index, int count) { m_state->partCamera->setPart(index, count); }

std::optional<base::Box> VolumeScene::clipBox() const { return detail::clipBox(m_state->model); }

std::vector<ClipHandle> VolumeScene::clipHandles() const {
    return detail::clipHandles(m_state->model, m_state->camera);
}

std::optional<ClipHandle> VolumeScene::clipHandleAt(DisplayPoint display, double tolerance) const {
    return detail::clipHandleAt(m_state->model, m_state->camera, display, tolerance * pixelRatio(),
                                pixelRatio());
}

double VolumeScene::shiftAlong(const ClipHandle& handle, DisplayPoint from, DisplayPoint to) const {
    return detail::shiftAlong(m_state->model, m_state->camera, handle, from, to);
}

base::Box VolumeScene::resizedClip(const base::Box& start, const ClipHandle& handle,
                                   double shift) const {
    return detail::resizedClip(m_state->model, start, handle, shift);
}

void VolumeScene::lookFrom(Side side) {
    m_state->camera.lookFrom(side);
    changed();
}

void VolumeScene::setParallel(bool on) {
    m_state->camera.setParallel(on);
    changed();
}

bool VolumeScene::parallel() const { return m_state->camera.parallel(); }

void VolumeScene::rotate(double dx, double dy) {
    m_state->camera.rotate(dx, dy);
    changed();
}

void VolumeScene::turn(double right, double above) {
    m_state->camera.turn(right, above);
    changed();
}

void VolumeScene::fit() {
    m_state->camera.fit();
    changed();
}

void VolumeScene::resetView() {
    m_state->camera.resetView();
    changed();
}

void VolumeScene::zoomAt(DisplayPoint anchor, double factor) {
    m_state->camera.zoomAt(anchor, factor);
    changed();
}

void VolumeScene::pan(double dx, double dy) {
    m_state->camera.pan(dx, dy);
    changed();
}

std::optional<base::Point> VolumeScene::voxelAt(DisplayPoint display) const {
    return m_state->camera.voxelAt(display);
}

DisplayPoint VolumeScene::displayOf(const base::Point& voxel) const {
    return m_state->camera.displayOf(voxel);
}

void VolumeScene::update() {
    State& s = *m_state;
    // Smooth lines double the time of a frame without a GPU: they wait until nothing moves.
    window()->SetMultiSamples(s.model.interactive ? 0 : kSmoothSamples);
    s.renderer->SetBackgroundAlpha(isClean() ? 0.0 : 1.0);
    if (s.volumeDeferred && s.model.image) {
        s.volumeDeferred = false;
        s.cast.hide();
        changed();
    } else {
        s.cast.update(s.camera, !(s.model.interactive && s.quality.slowMoves()));
    }
    if (s.cast.mapFills()) {
        s.model.interactive = true;
        changed(); // another frame goes on
    }
    const auto [pixels, texels] = s.quality.next(s.renderer->GetLastRenderTimeInSeconds(),
                                                 s.model.interactive, s.partCamera->count());
    s.cast.setDistances(pixels, texels);
    s.slices.update();
    if (s.model.peakSurfacesStale) {
        s.surfaces.updatePeaks();
    }
    if (s.model.linesStale) {
        s.lines.update(colours(), pixelRatio());
        s.surfaces.updateSupport(colours());
    }
    s.lines.setClean(isClean(), !s.model.surfacesWanted); // a figure shows all peaks alike
    if (s.model.image) {
        s.renderer->ResetCameraClippingRange();
    }
    s.marks.clear(height());
    s.texts.clear(width(), height());
    if (!isClean() && s.model.image) {
        const detail::Canvas canvas{s.marks, s.texts, width(), height(), pixelRatio(), colours()};
        s.labels.draw(canvas, s.model, s.camera, *s.partCamera, note());
    }
    s.marks.finish();
    s.texts.finish();
}

} // namespace flcc::viz
