#include "viz/volume_scene.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <numbers>
#include <utility>

#include <vtkCamera.h>
#include <vtkMatrix4x4.h>
#include <vtkRenderWindow.h>

#include "viz/detail/volume_state.h"

namespace flcc::viz {

using detail::byAxis;

namespace {

constexpr double kViewAngle = 25;
constexpr double kFitMargin = 1.12; // a fitted volume leaves this much room
constexpr int kSmoothSamples = 4;
constexpr double kPickReach = 16; // logical pixels

double dot(const std::array<double, 3>& a, const std::array<double, 3>& b) {
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}

std::array<double, 3> rightOf(const std::array<double, 3>& forward,
                              const std::array<double, 3>& up) {
    return {forward[1] * up[2] - forward[2] * up[1], forward[2] * up[0] - forward[0] * up[2],
            forward[0] * up[1] - forward[1] * up[0]};
}

/// World to display and back, with the camera as it is now.
class Projection {
  public:
    Projection(vtkRenderer& renderer, int width, int height) : m_width(width), m_height(height) {
        const double aspect = static_cast<double>(width) / height;
        m_matrix->DeepCopy(
            renderer.GetActiveCamera()->GetCompositeProjectionTransformMatrix(aspect, -1, 1));
        vtkMatrix4x4::Invert(m_matrix, m_inverse);
    }

    [[nodiscard]] DisplayPoint display(const base::Point& world) const {
        const std::array<double, 4> clip = apply(*m_matrix, {world[0], world[1], world[2], 1});
        return {(clip[0] / clip[3] + 1) / 2 * m_width - 0.5,
                (1 - clip[1] / clip[3]) / 2 * m_height - 0.5};
    }
    /// The point of the near (-1) or the far (1) clipping plane under a pixel.
    [[nodiscard]] base::Point world(DisplayPoint display, double depth) const {
        const std::array<double, 4> point =
            apply(*m_inverse, {(display.x + 0.5) / m_width * 2 - 1,
                               1 - (display.y + 0.5) / m_height * 2, depth, 1});
        return {point[0] / point[3], point[1] / point[3], point[2] / point[3]};
    }

  private:
    static std::array<double, 4> apply(const vtkMatrix4x4& matrix,
                                       const std::array<double, 4>& point) {
        std::array<double, 4> result{};
        for (int row = 0; row < 4; ++row) {
            for (int column = 0; column < 4; ++column) {
                result[static_cast<std::size_t>(row)] +=
                    matrix.GetElement(row, column) * point[static_cast<std::size_t>(column)];
            }
        }
        return result;
    }

    double m_width;
    double m_height;
    vtkNew<vtkMatrix4x4> m_matrix;
    vtkNew<vtkMatrix4x4> m_inverse;
};

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
    setBlobs({});
    s.box.reset();
    s.region.reset();
    s.crosshair.reset();
    s.image = std::move(image);
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
    s.sceneTexture.clear();
    s.sceneTextureStale = s.slicesStale = true;
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
    return "ray-cast at 1/" + std::to_string(texture.thinning()) + " of the resolution";
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
    s.mapTextureStale = s.slicesStale = s.linesStale = true;
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

void VolumeScene::setPeaks(std::vector<PeakMark> peaks, const base::Extents& templ) {
    for (PeakMark& peak : peaks) {
        peak.templ = peak.templ.x > 0 ? peak.templ : templ;
    }
    m_state->peaks = std::move(peaks);
    m_state->selectedPeak.reset();
    m_state->marksChanged();
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
    changed();
}

std::optional<std::size_t> VolumeScene::peakAt(DisplayPoint display) const {
    const State& s = *m_state;
    std::optional<std::size_t> best;
    double reach = kPickReach * pixelRatio();
    for (std::size_t i = 0; i < s.peaks.size() && s.peaksVisible; ++i) {
        const DisplayPoint at = displayOf(s.peaks[i].centre);
        const double distance = std::hypot(at.x - display.x, at.y - display.y);
        if (distance < reach) {
            reach = distance;
            best = i;
        }
    }
    return best;
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
    m_state->crosshair = voxel;
    m_state->slicesStale = m_state->linesStale = true;
    changed();
}

void VolumeScene::setScalarBarVisible(bool on) {
    m_state->scalarBarVisible = on;
    changed();
}

void VolumeScene::setInteractive(bool on) {
    if (on != m_state->interactive) {
        m_state->interactive = on;
        changed();
    }
}

bool VolumeScene::interactive() const { return m_state->interactive; }

void VolumeScene::rotate(double dx, double dy) {
    vtkCamera& camera = *m_state->renderer->GetActiveCamera();
    // A drag across the smaller side of the view is half a turn.
    const double degrees = 180.0 / std::max(1, std::min(width(), height()));
    camera.Azimuth(-dx * degrees);
    camera.Elevation(dy * degrees);
    camera.OrthogonalizeViewUp();
    m_state->interactive = true;
    changed();
}

void VolumeScene::resetView() {
    vtkCamera& camera = *m_state->renderer->GetActiveCamera();
    camera.SetViewAngle(kViewAngle);
    // From the front, turned a little to show the depth.
    lookFrom(Side::Front);
    camera.Azimuth(-28);
    camera.Elevation(24);
    camera.OrthogonalizeViewUp();
    fit();
}

void VolumeScene::fit() {
    State& s = *m_state;
    s.keepsFit = true;
    vtkCamera& camera = *s.renderer->GetActiveCamera();
    std::array<double, 3> forward{};
    std::array<double, 3> up{};
    camera.OrthogonalizeViewUp();
    camera.GetDirectionOfProjection(forward.data());
    camera.GetViewUp(up.data());
    const std::array<double, 3> right = rightOf(forward, up);
    const double tangent = std::tan(kViewAngle / 2 * std::numbers::pi / 180);
    const double side = static_cast<double>(width()) / height();
    base::Point low{};
    base::Point high{};
    for (std::size_t axis = 0; axis < 3; ++axis) {
        const auto [first, last] = s.map.reach(s.extents, axis);
        low[axis] = first * s.aspect[axis];
        high[axis] = last * s.aspect[axis];
    }
    // Every corner of volume and map must come into the view.
    double distance = 1;
    for (int corner = 0; corner < 8; ++corner) {
        base::Point at{};
        for (std::size_t axis = 0; axis < 3; ++axis) {
            const double half = (high[axis] - low[axis]) / 2;
            at[axis] = ((corner >> axis) & 1) != 0 ? half : -half;
        }
        const double needed =
            std::max(std::abs(dot(at, up)), std::abs(dot(at, right)) / side) / tangent;
        distance = std::max(distance, needed * kFitMargin - dot(at, forward));
    }
    std::array<double, 3> middle{};
    std::array<double, 3> position{};
    for (std::size_t axis = 0; axis < 3; ++axis) {
        middle[axis] = (low[axis] + high[axis]) / 2;
        position[axis] = middle[axis] - forward[axis] * distance;
    }
    camera.SetFocalPoint(middle.data());
    camera.SetPosition(position.data());
    changed();
}

void VolumeScene::zoomAt(DisplayPoint anchor, double factor) {
    State& s = *m_state;
    vtkCamera& camera = *s.renderer->GetActiveCamera();
    const base::Point low = s.corner(false);
    const base::Point high = s.corner(true);
    const double size = std::hypot(high[0] - low[0], high[1] - low[1], high[2] - low[2]);
    s.keepsFit = false;
    // Neither lost in the distance nor inside a voxel.
    const double distance =
        std::clamp(camera.GetDistance() / factor, size / 50 + 0.1, size * 20 + 1);
    const double real = camera.GetDistance() / distance;
    camera.Dolly(real);
    const double dx = anchor.x + 0.5 - width() / 2.0;
    const double dy = anchor.y + 0.5 - height() / 2.0;
    pan(dx * (1 - real), dy * (1 - real));
}

void VolumeScene::pan(double dx, double dy) {
    m_state->keepsFit = false;
    vtkCamera& camera = *m_state->renderer->GetActiveCamera();
    const double half = kViewAngle / 2 * std::numbers::pi / 180;
    const double unit = 2 * camera.GetDistance() * std::tan(half) / height();
    std::array<double, 3> up{};
    std::array<double, 3> forward{};
    camera.OrthogonalizeViewUp();
    camera.GetViewUp(up.data());
    camera.GetDirectionOfProjection(forward.data());
    const std::array<double, 3> right = rightOf(forward, up);
    std::array<double, 3> position{};
    std::array<double, 3> focus{};
    camera.GetPosition(position.data());
    camera.GetFocalPoint(focus.data());
    for (std::size_t axis = 0; axis < 3; ++axis) {
        const double shift = (-dx * right[axis] + dy * up[axis]) * unit;
        position[axis] += shift;
        focus[axis] += shift;
    }
    camera.SetPosition(position.data());
    camera.SetFocalPoint(focus.data());
    m_state->interactive = true;
    changed();
}

std::optional<base::Point> VolumeScene::voxelAt(DisplayPoint display) const {
    const State& s = *m_state;
    if (!s.image) {
        return std::nullopt;
    }
    const Projection projection(*s.renderer, width(), height());
    const base::Point from = projection.world(display, -1);
    const base::Point to = projection.world(display, 1);
    const base::Point low = s.corner(false);
    const base::Point high = s.corner(true);
    // The part of the ray inside the volume.
    double enter = 0;
    double leave = 1;
    for (std::size_t axis = 0; axis < 3; ++axis) {
        const double run = to[axis] - from[axis];
        if (std::abs(run) < 1e-12) {
            if (from[axis] < low[axis] || from[axis] > high[axis]) {
                return std::nullopt;
            }
            continue;
        }
        const double a = (low[axis] - from[axis]) / run;
        const double b = (high[axis] - from[axis]) / run;
        enter = std::max(enter, std::min(a, b));
        leave = std::min(leave, std::max(a, b));
    }
    if (enter >= leave) {
        return std::nullopt;
    }
    double hit = enter;
    if (s.slicesShown()) {
        double nearest = leave;
        for (std::size_t axis = 0; axis < 3; ++axis) {
            const double plane = static_cast<double>(s.sliceAt(axis)) * s.aspect[axis];
            const double at = (plane - from[axis]) / (to[axis] - from[axis]);
            if (at >= enter && at < nearest) {
                nearest = at;
                hit = at;
            }
        }
    }
    base::Point voxel{};
    for (std::size_t axis = 0; axis < 3; ++axis) {
        const double last = static_cast<double>(byAxis(s.extents)[axis]) - 1;
        voxel[axis] =
            std::clamp((from[axis] + (to[axis] - from[axis]) * hit) / s.aspect[axis], 0.0, last);
    }
    return voxel;
}

bool VolumeScene::hiddenBySlice(const base::Point& voxel) const {
    const State& s = *m_state;
    if (!s.slicesShown()) {
        return false;
    }
    base::Point eye{};
    s.renderer->GetActiveCamera()->GetPosition(eye.data());
    const base::Point target = s.world(voxel);
    const base::Point low = s.corner(false);
    const base::Point high = s.corner(true);
    for (std::size_t axis = 0; axis < 3; ++axis) {
        const double plane = static_cast<double>(s.sliceAt(axis)) * s.aspect[axis];
        const double at = (plane - eye[axis]) / (target[axis] - eye[axis]);
        if (!(at > 0 && at < 1)) {
            continue;
        }
        bool inside = true;
        for (std::size_t other = 0; other < 3; ++other) {
            const double where = eye[other] + (target[other] - eye[other]) * at;
            inside = inside && (other == axis || (where > low[other] && where < high[other]));
        }
        if (inside) {
            return true;
        }
    }
    return false;
}

bool VolumeScene::behindEye(const base::Point& voxel) const {
    vtkCamera& camera = *m_state->renderer->GetActiveCamera();
    base::Point eye{};
    std::array<double, 3> forward{};
    camera.GetPosition(eye.data());
    camera.GetDirectionOfProjection(forward.data());
    const base::Point at = m_state->world(voxel);
    return dot({at[0] - eye[0], at[1] - eye[1], at[2] - eye[2]}, forward) <= 0;
}

DisplayPoint VolumeScene::displayOf(const base::Point& voxel) const {
    return Projection(*m_state->renderer, width(), height()).display(m_state->world(voxel));
}

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

void VolumeScene::update() {
    State& s = *m_state;
    // Smooth lines double the time of a frame without a GPU: they wait until nothing moves.
    window()->SetMultiSamples(s.interactive ? 0 : kSmoothSamples);
    s.renderer->SetBackgroundAlpha(isClean() ? 0.0 : 1.0);
    s.updateVolume();
    s.updateQuality();
    s.updateSlices();
    if (s.linesStale) {
        s.updateLines(*this);
        s.updateSurfaces(colours());
    }
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
