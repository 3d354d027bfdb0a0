#include "ui/views/volume_look.h"

#include "ui/base/text.h"

namespace flcc::ui {

void VolumeLook::set(const VolumeView& view) {
    const bool thicker = view.slab != m_view.slab;
    m_view = view;
    m_scenes.volume->setContent(view.content);
    m_scenes.volume->setSliceStyle(view.slices);
    m_scenes.volume->setClip(view.clip);
    m_scenes.volume->setTransfer(view.transfer);
    m_view.transfer = m_scenes.volume->transfer(); // within its limits
    m_scenes.volume->setIsosurface(view.isosurface);
    m_scenes.volume->setPeakSurfaces(view.surfaces);
    if (thicker) {
        for (const auto& slice : m_scenes.slices) {
            slice->setSlab(view.slab);
        }
        Q_EMIT slabChanged();
    }
    m_scenes.volume->setSlab(view.slab > 1 ? view.slab : 0);
    Q_EMIT changed();
}

void VolumeLook::choose(const std::function<void(VolumeView&)>& change) {
    if (!m_document.hasScene()) {
        return;
    }
    VolumeView view = m_view;
    change(view);
    view.chosen = true;
    set(view);
    rememberView(sceneKey(), m_view);
}

QString VolumeLook::sceneKey() const {
    return toQString(m_document.scene().image->source + " " +
                     base::toString(m_document.sceneExtents()));
}

void VolumeLook::chooseFromData(const viz::GreyWindow& automatic) {
    if (!m_document.isVolume()) {
        set({});
        return;
    }
    const auto remembered = rememberedView(sceneKey());
    set(remembered ? *remembered
                   : suitableView(base::viewOf(m_document.scene().image->pixels), automatic));
}

void VolumeLook::suitResult(const ResultEntry* result) {
    if (result != nullptr && !result->job->peaks.empty() && m_document.isVolume() &&
        !m_view.chosen) {
        VolumeView view = m_view;
        view.surfaces = true;
        view.content = viz::VolumeContent::None;
        set(view);
    }
}

} // namespace flcc::ui
