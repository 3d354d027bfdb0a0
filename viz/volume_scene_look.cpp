#include <algorithm>
#include <array>
#include <utility>

#include <vtkCamera.h>

#include "viz/detail/volume_state.h"
#include "viz/volume_scene.h"

// The look of the volume: transfer function, slices, clipping, isosurface, sides.

namespace flcc::viz {
namespace {

using Vector = std::array<double, 3>;

Vector towards(const Anatomy& anatomy, char letter) {
    const Anatomy::End end = anatomy.find(letter);
    Vector vector{0, 0, 0};
    vector[end.axis] = end.sign;
    return vector;
}

} // namespace

void VolumeScene::setSliceStyle(SliceStyle style) {
    m_state->sliceStyle = style;
    m_state->slicesStale = m_state->linesStale = true;
    changed();
}

SliceStyle VolumeScene::sliceStyle() const { return m_state->sliceStyle; }

void VolumeScene::setTransfer(const VolumeTransfer& transfer) {
    State& s = *m_state;
    s.transfer = transfer;
    s.transfer.threshold = std::clamp(transfer.threshold, 0.0, 0.98);
    s.transfer.opacity = std::clamp(transfer.opacity, 0.0, 1.0);
    if (s.sceneTexture.exists()) {
        s.interactive = true; // the fine picture comes when the sliders rest
    }
    changed();
}

const VolumeTransfer& VolumeScene::transfer() const { return m_state->transfer; }

void VolumeScene::setClip(VolumeClip clip) {
    m_state->clip = clip;
    changed();
}

VolumeClip VolumeScene::clip() const { return m_state->clip; }

void VolumeScene::setSlab(std::int64_t slices) {
    m_state->slabSlices = slices;
    changed();
}

void VolumeScene::setScoreThreshold(double score) {
    if (m_state->scoreThreshold != score) {
        m_state->scoreThreshold = score;
        changed();
    }
}

void VolumeScene::setIsosurface(bool on) {
    m_state->isosurface = on;
    changed();
}

bool VolumeScene::isosurface() const { return m_state->isosurface; }

void VolumeScene::setAnatomy(const Anatomy& anatomy, bool upright) {
    m_state->anatomy = anatomy;
    m_state->upright = upright;
    changed();
}

void VolumeScene::lookFrom(Side side) {
    const State& s = *m_state;
    struct Look {
        char letter; ///< of the patient's side
        char upLetter;
        Vector from; ///< where no patient is known
        Vector up;
    };
    constexpr std::array<Look, 6> kLooks{{{'A', 'S', {0, 0, -1}, {0, -1, 0}},
                                          {'P', 'S', {0, 0, 1}, {0, -1, 0}},
                                          {'L', 'S', {-1, 0, 0}, {0, -1, 0}},
                                          {'R', 'S', {1, 0, 0}, {0, -1, 0}},
                                          {'S', 'A', {0, -1, 0}, {0, 0, 1}},
                                          {'I', 'A', {0, 1, 0}, {0, 0, -1}}}};
    const Look& look = kLooks[static_cast<std::size_t>(side)];
    const bool patient = s.anatomy.known() && s.upright;
    const Vector from = patient ? towards(s.anatomy, look.letter) : look.from;
    const Vector up = patient ? towards(s.anatomy, look.upLetter) : look.up;
    m_state->vertical = patient ? towards(s.anatomy, 'S') : Vector{0, -1, 0};
    vtkCamera& camera = *s.renderer->GetActiveCamera();
    camera.SetFocalPoint(0, 0, 0);
    camera.SetPosition(from.data());
    camera.SetViewUp(up.data());
    camera.OrthogonalizeViewUp();
    fit();
}

} // namespace flcc::viz
