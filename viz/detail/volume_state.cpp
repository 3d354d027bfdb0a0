#include "viz/detail/volume_state.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include <vtkCamera.h>

#include "viz/detail/axis_marks.h"
#include "viz/detail/grey_pixels.h"

namespace flcc::viz {

using detail::byAxis;

namespace {

constexpr double kFrameSeconds = 0.055; // a frame while something moves: slower ones stay below 0.1
constexpr double kFineFrameSeconds = 0.6; // a frame while nothing moves
constexpr double kCoarsest = 8;           // pixels per ray
constexpr double kSlowSeconds = 0.09;     // of the coarsest frame: then it holds too many triangles
constexpr double kPartSeconds = 0.05;     // a part of a fine frame, between which others may act
constexpr int kMostParts = 16;
constexpr std::int64_t kMapVoxelsAtOnce = 16'000'000;
constexpr std::uint8_t kHiddenAlpha = 130;

} // namespace

VolumeScene::State::State() {
    property->SetColor(colourFunction);
    property->SetScalarOpacity(opacityFunction);
    property->SetColor(1, markedColours);
    property->SetScalarOpacity(1, opacityFunction);
    property->SetInterpolationTypeToLinear();
    volume->SetMapper(caster);
    volume->SetProperty(property);
    volume->PickableOff();
    caster->SetAutoAdjustSampleDistances(0);
    caster->SetBlendModeToComposite();
    renderer->SetActiveCamera(camera);
    renderer->AddVolume(volume);
    for (detail::BoxLines* lines :
         {&outline, &crossLines, &peakLines, &selectedLines, &blobLines}) {
        renderer->AddActor(&lines->actor());
    }
    renderer->AddActor(&scoreSurface.actor());
    renderer->AddActor(&boxSurface.actor());
    renderer->AddActor(&peakSurface.actor());
    renderer->AddActor2D(&marks.actor());
}

base::Point VolumeScene::State::corner(bool last) const {
    const auto n = byAxis(extents);
    base::Point point{};
    for (std::size_t axis = 0; axis < 3; ++axis) {
        point[axis] = ((last ? static_cast<double>(n[axis]) : 0.0) - 0.5) * aspect[axis];
    }
    return point;
}

std::int64_t VolumeScene::State::sliceAt(std::size_t axis) const {
    const std::int64_t last = byAxis(extents)[axis] - 1;
    return std::clamp<std::int64_t>(std::llround(crosshair ? (*crosshair)[axis] : 0), 0, last);
}

match::Colour VolumeScene::State::colourOf(double score) const {
    return colours[detail::greyOf(static_cast<float>(score), static_cast<float>(scale.low),
                                  detail::greyScale({scale.low, scale.high}))];
}

void VolumeScene::State::updateVolume() {
    volume->SetVisibility(0);
    updateIsosurface();
    if (!image || content == VolumeContent::None) {
        return;
    }
    const bool fromMap = mapCast();
    if (content == VolumeContent::Map && !fromMap) {
        return;
    }
    if (fromMap) {
        updateMapTexture();
    } else {
        const bool first = !sceneTexture.exists();
        if (first) {
            const bool early = !reduced && ReducedVolume::serves(extents);
            sceneTexture.setShape(extents, {0, 0, 0}, aspect, sceneSupportShown(),
                                  early ? detail::kFirstTexelBudget : detail::kTexelBudget);
        }
        // While the window is dragged, the tables follow it and the bytes wait.
        if (first || (sceneTextureStale && !interactive)) {
            sceneTexture.fillGrey(base::viewOf(reduced ? reduced->pixels() : *image), window,
                                  sceneTexture.marked() ? sceneSupport.get() : nullptr);
            textureWindow = window;
            sceneTextureStale = false;
        }
    }
    caster->SetInputData(&(fromMap ? mapTexture : sceneTexture).image());
    updateTransfer();
    updateClip();
    volume->SetVisibility(1);
}

void VolumeScene::State::updateMapTexture() {
    if (!mapTexture.exists()) {
        shapeMapTexture();
    }
    if (mapTextureStale) {
        mapTexture.erase();
        freshMapRegions =
            map.finished() ? std::vector<base::Box>{{{0, 0, 0}, map.extents()}} : map.regions();
        mapTextureStale = false;
    }
    // A large map fills in over several frames, so that no frame takes long.
    for (std::int64_t left = kMapVoxelsAtOnce; left > 0 && !freshMapRegions.empty();) {
        base::Box& fresh = freshMapRegions.back();
        const std::int64_t slice = fresh.extents.x * fresh.extents.y;
        base::Box part = fresh;
        part.extents.z = std::clamp<std::int64_t>(left / slice, 1, fresh.extents.z);
        mapTexture.addRegion(map.map(), part, scale);
        left -= slice * part.extents.z;
        fresh.corner.z += part.extents.z;
        fresh.extents.z -= part.extents.z;
        if (fresh.extents.z == 0) {
            freshMapRegions.pop_back();
        }
    }
}

/// A finished map is looked through for what is no plain score.
void VolumeScene::State::shapeMapTexture() {
    base::Point first{};
    for (std::size_t axis = 0; axis < 3; ++axis) {
        first[axis] = map.offset()[axis] * aspect[axis];
    }
    bool marked = false;
    mapHasHoles = !map.finished();
    if (map.finished()) {
        const base::Image<base::Status>& status = map.map().status;
        const base::Status* const end = status.data() + status.count();
        marked = std::find(status.data(), end, base::Status::LowConf) != end;
        mapHasHoles = std::any_of(status.data(), end,
                                  [](base::Status each) { return !base::hasValue(each); });
    }
    mapTexture.setShape(map.extents(), first, aspect, marked);
}

void VolumeScene::State::updateQuality() {
    // The time of the last frame tells how coarse the next one must be. A frame costs about as
    // many rays as it has, so the side of a ray goes with the root of the time.
    const double seconds = renderer->GetLastRenderTimeInSeconds();
    if (seconds > 0) {
        if (coarseDrawn) {
            slowMoves = slowMoves || (coarse >= kCoarsest && seconds > kSlowSeconds);
            const double wanted = coarse * std::sqrt(seconds / kFrameSeconds);
            coarse = std::clamp(wanted > coarse ? wanted : (coarse + wanted) / 2, 1.0, kCoarsest);
            fineSeconds = seconds * coarse * coarse;
        } else {
            fineSeconds = lastParts > 1 ? std::max(fineSeconds, seconds * lastParts) : seconds;
            coarse = std::clamp(std::sqrt(fineSeconds / kFrameSeconds), 1.0, kCoarsest);
        }
    }
    const double fine = std::clamp(std::sqrt(fineSeconds / kFineFrameSeconds), 1.0, 2.0);
    caster->SetImageSampleDistance(static_cast<float>(interactive ? std::max(coarse, fine) : 1.0));
    const double texel = (mapCast() ? mapTexture : sceneTexture).exists()
                             ? (mapCast() ? mapTexture : sceneTexture).texelSize()
                             : 1.0;
    caster->SetSampleDistance(static_cast<float>(texel * (interactive ? 1.5 : 0.75)));
    coarseDrawn = interactive;
    lastParts = camera->count();
}

int VolumeScene::fineParts() const {
    const State& s = *m_state;
    return s.interactive ? 1
                         : std::clamp(static_cast<int>(std::ceil(s.fineSeconds / kPartSeconds)), 1,
                                      kMostParts);
}

void VolumeScene::setPart(int index, int count) { m_state->camera->setPart(index, count); }

void VolumeScene::State::updateSlices() {
    const bool shown = slicesShown();
    for (detail::SliceQuad& slice : slices) {
        slice.setVisible(shown);
    }
    const bool moved = shown && drawnSlices != std::array{sliceAt(0), sliceAt(1), sliceAt(2)};
    if (!shown || !(slicesStale || moved)) {
        return;
    }
    const base::AnyView pixels = base::viewOf(*image);
    std::vector<base::Box> shaded;
    if (boxShaded()) {
        shaded.push_back(*box);
    }
    if (const auto peak = shadedPeak()) {
        shaded.push_back(*peak);
    }
    for (detail::SliceQuad& slice : slices) {
        const std::size_t depth = slice.axes().depth;
        if (!slicesStale && drawnSlices[depth] == sliceAt(depth)) {
            continue;
        }
        drawnSlices[depth] = sliceAt(depth);
        slice.update({pixels, window, map.exists() && mapVisible ? &map : nullptr, scale, colours,
                      mapOpacity, aspect, sceneSupportShown() ? sceneSupport.get() : nullptr,
                      templSupport.get(), shaded, sliceStyle == SliceStyle::Transparent},
                     sliceAt(depth));
    }
    slicesStale = false;
}

std::array<base::Point, 2> VolumeScene::State::cornersOf(const base::Box& of) const {
    const base::Index& c = of.corner;
    const base::Extents& e = of.extents;
    const base::Point low{static_cast<double>(c.x) - 0.5, static_cast<double>(c.y) - 0.5,
                          static_cast<double>(c.z) - 0.5};
    return {world(low), world({low[0] + static_cast<double>(e.x), low[1] + static_cast<double>(e.y),
                               low[2] + static_cast<double>(e.z)})};
}

void VolumeScene::State::updateLines(const VolumeScene& scene) {
    const ViewColours& look = scene.colours();
    for (detail::BoxLines* lines :
         {&outline, &crossLines, &peakLines, &selectedLines, &blobLines}) {
        lines->clear();
    }
    if (image) {
        if (outlineVisible) {
            outline.box(corner(false), corner(true),
                        detail::mixed(look.background, look.text, 0.45));
        }
        if (crosshair) {
            const base::Point at = world(*crosshair);
            for (std::size_t axis = 0; axis < 3 && crosshairVisible; ++axis) {
                base::Point from = at;
                base::Point to = at;
                from[axis] = corner(false)[axis];
                to[axis] = corner(true)[axis];
                crossLines.line(from, to, look.crosshair);
            }
            if (sliceStyle == SliceStyle::Frame) {
                addSliceFrames();
            }
        }
    }
    for (std::size_t i = 0; i < peaks.size() && peaksVisible; ++i) {
        const auto [low, high] = cornersOf(peaks[i]);
        if (selectedPeak == i) {
            selectedLines.box(low, high, look.accent);
        } else if (!hasSurface(i)) {
            peakLines.box(low, high, colourOf(peaks[i].score));
        }
    }
    if (box) {
        const auto [low, high] = cornersOf(*box);
        selectedLines.box(low, high, look.accent);
    }
    if (region) {
        const auto [low, high] = cornersOf(*region);
        peakLines.box(low, high, look.region);
    }
    const double ratio = scene.pixelRatio();
    addBlobs(look);
    blobLines.finish(1.2 * ratio);
    outline.finish(1.2 * ratio);
    crossLines.finish(1.2 * ratio);
    peakLines.finish(2 * ratio);
    selectedLines.finish(3.5 * ratio);
    linesStale = false;
}

/// A whole box, faintly over all that lies before it: the slices often pass through it, so that
/// they hide a half.
void VolumeScene::State::drawHiddenBox(const VolumeScene& scene, const base::Point& centre,
                                       const base::Extents& size) {
    std::array<DisplayPoint, 8> corners{};
    for (std::size_t corner = 0; corner < 8; ++corner) {
        base::Point at = centre;
        for (std::size_t axis = 0; axis < 3; ++axis) {
            const double half = static_cast<double>(byAxis(size)[axis]) / 2;
            at[axis] += ((corner >> axis) & 1U) != 0 ? half : -half;
        }
        if (scene.behindEye(at)) {
            return;
        }
        corners[corner] = scene.displayOf(at);
    }
    for (std::size_t corner = 0; corner < 8; ++corner) {
        for (std::size_t axis = 0; axis < 3; ++axis) {
            if (((corner >> axis) & 1U) == 0) {
                const DisplayPoint& from = corners[corner];
                const DisplayPoint& to = corners[corner | (std::size_t{1} << axis)];
                marks.line(from.x + 0.5, from.y + 0.5, to.x + 0.5, to.y + 0.5,
                           2 * scene.pixelRatio(), scene.colours().accent, kHiddenAlpha);
            }
        }
    }
}

/// The selected peak's, and that of the template unless it is the same.
void VolumeScene::State::drawHiddenBoxes(const VolumeScene& scene) {
    const bool peak = peaksVisible && selectedPeak && *selectedPeak < peaks.size();
    if (peak) {
        drawHiddenBox(scene, peaks[*selectedPeak].centre, peaks[*selectedPeak].templ);
    }
    if (box && !(peak && detail::voxelsUnder(peaks[*selectedPeak]) == *box)) {
        base::Point centre{};
        for (std::size_t axis = 0; axis < 3; ++axis) {
            centre[axis] = static_cast<double>(byAxis(box->corner)[axis]) +
                           static_cast<double>(byAxis(box->extents)[axis] - 1) / 2;
        }
        drawHiddenBox(scene, centre, box->extents);
    }
}

} // namespace flcc::viz
