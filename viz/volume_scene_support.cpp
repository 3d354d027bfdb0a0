#include <utility>

#include "viz/detail/volume_state.h"
#include "viz/volume_scene.h"

// What of the scene and of the template counts.

namespace flcc::viz {

bool VolumeScene::State::boxShaded() const {
    return templSupport && box && templSupport->extents() == box->extents;
}

std::optional<base::Box> VolumeScene::State::shadedPeak() const {
    if (!templSupport || !peaksVisible || !selectedPeak || *selectedPeak >= peaks.size() ||
        !peaks[*selectedPeak].shaded || !(peaks[*selectedPeak].templ == templSupport->extents())) {
        return std::nullopt;
    }
    const base::Box at = detail::voxelsUnder(peaks[*selectedPeak]);
    return boxShaded() && at == *box ? std::nullopt : std::optional(at); // once is enough
}

void VolumeScene::State::updateSurfaces(const ViewColours& look) {
    if (templSupport && surfacesStale) {
        boxSurface.setSupport(*templSupport);
        peakSurface.setSupport(*templSupport);
        surfacesStale = false;
    }
    boxSurface.hide();
    peakSurface.hide();
    if (boxShaded()) {
        boxSurface.show(box->corner, aspect, look.accent);
    }
    if (const auto peak = shadedPeak()) {
        peakSurface.show(peak->corner, aspect, look.accent);
    }
}

void VolumeScene::setTemplateSupport(std::shared_ptr<const base::Image<std::uint8_t>> support) {
    State& s = *m_state;
    s.templSupport = std::move(support);
    s.surfacesStale = s.linesStale = s.slicesStale = true;
    changed();
}

void VolumeScene::setSceneSupport(std::shared_ptr<const base::Image<std::uint8_t>> support) {
    State& s = *m_state;
    if (support == s.sceneSupport) {
        return;
    }
    s.sceneSupport = std::move(support);
    s.sceneTexture.clear();
    s.sceneTextureStale = s.slicesStale = true;
    changed();
}

} // namespace flcc::viz
