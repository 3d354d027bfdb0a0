#include "ui/base/text.h"
#include "ui/views/views_panel.h"

// What the views draw over the scene, and what the 3D view shows of it.

namespace flcc::ui {

void ViewsPanel::setLayerVisible(Layer layer, bool on) {
    m_layers[static_cast<std::size_t>(layer)] = on;
    switch (layer) {
    case Layer::Heatmap:
        for (const auto& slice : m_slices) {
            slice->setMapVisible(on);
        }
        m_volume->setMapVisible(on);
        break;
    case Layer::Peaks:
        for (const auto& slice : m_slices) {
            slice->setPeaksVisible(on);
        }
        m_volume->setPeaksVisible(on);
        break;
    case Layer::Blobs:
        applyBlobs();
        break;
    case Layer::Box:
        onBoxChanged();
        break;
    case Layer::Mask:
        onMasksChanged();
        break;
    case Layer::Crosshair:
        m_volume->setCrosshairVisible(on);
        setCrosshair(m_crosshair);
        break;
    case Layer::Bars:
        m_volume->setScalarBarVisible(on);
        arrange();
        break;
    }
}

void ViewsPanel::setBlobs(std::vector<viz::BlobMark> blobs, std::optional<std::size_t> selected) {
    m_blobs = std::move(blobs);
    m_selectedBlob = selected;
    applyBlobs();
}

void ViewsPanel::applyBlobs() {
    const bool shown = layerVisible(Layer::Blobs);
    for (ViewFrame* frame : m_frames) {
        frame->scene().setBlobs(shown ? m_blobs : std::vector<viz::BlobMark>{},
                                shown ? m_selectedBlob : std::nullopt);
    }
}

void ViewsPanel::setVolumeView(const VolumeView& view) {
    const bool slabChanged = view.slab != m_volumeView.slab;
    m_volumeView = view;
    m_volume->setContent(view.content);
    m_volume->setSliceStyle(view.slices);
    m_volume->setClip(view.clip);
    m_volume->setTransfer(view.transfer);
    m_volumeView.transfer = m_volume->transfer(); // within its limits
    m_volume->setIsosurface(view.isosurface);
    m_volume->setPeakSurfaces(view.surfaces);
    for (std::size_t i = 0; i < 3 && slabChanged; ++i) {
        m_slices[i]->setSlab(view.slab);
        m_frames[i]->updateSlice();
    }
    m_volume->setSlab(view.slab > 1 ? view.slab : 0);
    Q_EMIT volumeViewChanged();
}

void ViewsPanel::chooseVolumeView(const std::function<void(VolumeView&)>& change) {
    if (!m_document.hasScene()) {
        return;
    }
    VolumeView view = m_volumeView;
    change(view);
    view.chosen = true;
    setVolumeView(view);
    rememberView(sceneKey(), m_volumeView);
}

QString ViewsPanel::sceneKey() const {
    return toQString(m_document.scene().image->source + " " +
                     base::toString(m_document.sceneExtents()));
}

/// What a person chose for this scene, or what suits it. Nothing of another scene stays.
void ViewsPanel::chooseFromData() {
    if (!m_document.isVolume()) {
        setVolumeView({});
        return;
    }
    const auto remembered = rememberedView(sceneKey());
    setVolumeView(remembered
                      ? *remembered
                      : suitableView(base::viewOf(m_document.scene().image->pixels), m_automatic));
}

void ViewsPanel::setSlab(int slices) {
    chooseVolumeView([slices](VolumeView& view) { view.slab = slices; });
}

void ViewsPanel::setVolumeTransfer(const viz::VolumeTransfer& transfer) {
    chooseVolumeView([&transfer](VolumeView& view) { view.transfer = transfer; });
}

const viz::VolumeTransfer& ViewsPanel::volumeTransfer() const { return m_volume->transfer(); }

} // namespace flcc::ui
