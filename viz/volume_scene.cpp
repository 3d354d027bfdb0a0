#include "viz/volume_scene.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include <vtkRenderWindow.h>

#include "viz/detail/volume_state.h"

namespace flcc::viz {

namespace {

constexpr int kSmoothSamples = 4;

} // namespace

VolumeScene::VolumeScene() : m_state(std::make_unique<State>()) { coloursChanged(); }

VolumeScene::~VolumeScene() = default;

void VolumeScene::addRenderers(vtkRenderWindow& window) { window.AddRenderer(m_state->renderer); }

void VolumeScene::removeRenderers(vtkRenderWindow& window) {
    m_state->caster->ReleaseGraphicsResources(&window);
    window.RemoveRenderer(m_state->renderer);
}

void VolumeScene::setImage(std::shared_ptr<const base::AnyImage> image,
                           const base::Geometry& geometry) {
    State& s = *m_state;
    setMap(nullptr, {1, 1, 1}, true);
    setPeaks({}, {1, 1, 1});
    setTemplateShapes({});
    setBlobs({});
    s.box.reset();
    s.region.reset();
    s.crosshair.reset();
    s.image = std::move(image);
    s.reduced.reset();
    s.extents = s.image ? base::extentsOf(*s.image) : base::Extents{0, 0, 0};
    s.aspect = {1, 1, 1};
    double finest = std::numeric_limits<double>::infinity();
    for (const double spacing : geometry.spacing) {
        finest = std::min(finest, std::abs(spacing));
    }
    for (std::size_t axis = 0; axis < 3 && finest > 0; ++axis) {
        s.aspect[axis] = std::abs(geometry.spacing[axis]) / finest;
    }
    s.sceneTexture.clear();
    s.sceneTextureStale = s.slicesStale = s.linesStale = true;
    resetView();
}

void VolumeScene::replaceImage(std::shared_ptr<const base::AnyImage> image) {
    State& s = *m_state;
    s.image = std::move(image);
    s.reduced.reset();
    s.sceneTexture.clear();
    s.sceneTextureStale = s.slicesStale = true;
    changed();
}

void VolumeScene::setReduced(std::shared_ptr<const ReducedVolume> reduced) {
    State& s = *m_state;
    s.reduced = reduced && s.image && reduced->source() == s.extents ? std::move(reduced) : nullptr;
    s.sceneTexture.clear();
    s.sceneTextureStale = true;
    s.interactive = true; // the first picture with it is quick, the fine one comes
    changed();
}

void VolumeScene::setGreyWindow(const GreyWindow& window) {
    State& s = *m_state;
    if (window == s.window || !(window.high > window.low)) {
        return;
    }
    s.window = window;
    s.sceneTextureStale = s.slicesStale = true;
    if (s.sceneTexture.exists()) {
        s.interactive = true; // the fine picture comes when the window rests
    }
    changed();
}

void VolumeScene::setContent(VolumeContent content) {
    m_state->content = content;
    changed();
}

VolumeContent VolumeScene::content() const { return m_state->content; }

std::string VolumeScene::note() const {
    const State& s = *m_state;
    const detail::VolumeTexture& texture = s.mapCast() ? s.mapTexture : s.sceneTexture;
    if (s.content == VolumeContent::None || !texture.exists() || texture.thinning() == 1) {
        return {};
    }
    const base::Extents source = s.mapCast() ? s.map.extents() : s.extents;
    const bool early = !s.mapCast() && !s.reduced;
    return (early ? "first coarse picture: " : "reduced: ") + base::toString(texture.texels()) +
           " of " + base::toString(source) + " voxels";
}

void VolumeScene::setMap(std::shared_ptr<const method::MatchMap> map, const base::Extents& templ,
                         bool finished, const base::Index& corner) {
    State& s = *m_state;
    s.map.set(std::move(map), templ, finished, corner);
    s.mapTexture.clear();
    s.freshMapRegions.clear();
    s.mapTextureStale = s.slicesStale = true;
    if (s.keepsFit && s.image) {
        fit(); // that of `full` reaches beyond the scene
    }
    changed();
}

void VolumeScene::mapRegionFinished(const base::Box& region) {
    State& s = *m_state;
    if (!s.map.exists() || s.map.finished()) {
        return;
    }
    s.map.addRegion(region);
    s.freshMapRegions.push_back(region);
    s.slicesStale = true;
    changed();
}

void VolumeScene::mapEnded() {
    State& s = *m_state;
    if (!s.map.exists() || s.map.finished()) {
        return;
    }
    s.map.end();
    s.mapTexture.clear();
    s.mapTextureStale = s.slicesStale = true;
    changed();
}

void VolumeScene::setMapScale(const match::HeatmapScale& scale) {
    State& s = *m_state;
    s.scale = scale;
    s.colours = detail::colourTable(scale.map, scale.reversed);
    s.mapTextureStale = s.slicesStale = s.linesStale = s.peakSurfacesStale = true;
    changed();
}

void VolumeScene::setMapName(const std::string& name) {
    m_state->mapName = name;
    changed();
}

void VolumeScene::setMapNote(const std::string& note) {
    m_state->mapNote = note;
    changed();
}

void VolumeScene::setMapVisible(bool on) {
    m_state->mapVisible = on;
    m_state->slicesStale = true;
    changed();
}

void VolumeScene::setMapOpacity(double opacity) {
    m_state->mapOpacity = std::clamp(opacity, 0.0, 1.0);
    m_state->slicesStale = true;
    changed();
}

void VolumeScene::setTemplateBox(const std::optional<base::Box>& box) {
    m_state->box = box;
    m_state->marksChanged();
    changed();
}

void VolumeScene::setRegion(const std::optional<base::Box>& region) {
    m_state->region = region;
    m_state->linesStale = true;
    changed();
}

void VolumeScene::setCrosshair(const std::optional<base::Point>& voxel) {
    State& s = *m_state;
    if (voxel == s.crosshair) {
        return;
    }
    s.crosshair = voxel;
    s.linesStale = true;
    if (s.sceneTexture.exists() || s.mapTexture.exists()) {
        s.interactive = true; // the fine picture comes when the crosshair rests
    }
    changed();
}

void VolumeScene::setCrosshairVisible(bool on) {
    m_state->crosshairVisible = on;
    m_state->linesStale = true;
    changed();
}

void VolumeScene::setScalarBarVisible(bool on) {
    m_state->scalarBarVisible = on;
    changed();
}

void VolumeScene::setOutlineVisible(bool on) {
    m_state->outlineVisible = on;
    m_state->linesStale = true;
    changed();
}

void VolumeScene::setInteractive(bool on) {
    if (on != m_state->interactive) {
        m_state->interactive = on;
        changed();
    }
}

void VolumeScene::deferVolume() { m_state->volumeDeferred = true; }

bool VolumeScene::interactive() const { return m_state->interactive; }

void VolumeScene::resized() {
    m_state->linesStale = true; // their width
    if (m_state->keepsFit) {
        fit();
    }
}

void VolumeScene::coloursChanged() {
    const match::Colour& c = colours().background;
    m_state->renderer->SetBackground(c[0] / 255.0, c[1] / 255.0, c[2] / 255.0);
    m_state->linesStale = true;
}

const std::vector<Label>& VolumeScene::labels() const { return m_state->texts.labels(); }

void VolumeScene::update() {
    State& s = *m_state;
    // Smooth lines double the time of a frame without a GPU: they wait until nothing moves.
    window()->SetMultiSamples(s.interactive ? 0 : kSmoothSamples);
    s.renderer->SetBackgroundAlpha(isClean() ? 0.0 : 1.0);
    if (s.volumeDeferred && s.image) {
        s.volumeDeferred = false;
        s.volume->SetVisibility(0);
        changed();
    } else {
        s.updateVolume();
    }
    if (s.mapFills()) {
        s.interactive = true;
        changed(); // another frame goes on
    }
    s.updateQuality();
    s.updateSlices();
    if (s.peakSurfacesStale) {
        s.updatePeakSurfaces();
    }
    if (s.linesStale) {
        s.updateLines(*this);
        s.updateSurfaces(colours());
    }
    s.crossLines.setShown(!isClean());
    s.selectedLines.setShown(!(isClean() && s.surfacesWanted)); // a figure shows all peaks alike
    if (s.image) {
        s.renderer->ResetCameraClippingRange();
    }
    s.marks.clear(height());
    s.texts.clear(width(), height());
    if (!isClean() && s.image) {
        s.drawMarks(*this);
    }
    s.marks.finish();
    s.texts.finish();
}

} // namespace flcc::viz
