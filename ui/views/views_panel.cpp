#include "ui/views/views_panel.h"

#include <QGridLayout>

#include <algorithm>
#include <cmath>

#include "ui/base/text.h"
#include "ui/base/theme.h"

namespace flcc::ui {
namespace {

match::Colour colourOf(const QColor& colour) {
    return {static_cast<std::uint8_t>(colour.red()), static_cast<std::uint8_t>(colour.green()),
            static_cast<std::uint8_t>(colour.blue())};
}

std::shared_ptr<const base::AnyImage>
pixelsOf(const std::shared_ptr<const job::SceneImage>& image) {
    return image ? std::shared_ptr<const base::AnyImage>(image, &image->pixels) : nullptr;
}

/// Of a mask as views show it, with its weights; null without a mask.
std::shared_ptr<const base::Image<std::uint8_t>> shadesOf(const MaskEntry* mask) {
    if (mask == nullptr || mask->image->weights.count() == 0) {
        return mask == nullptr ? nullptr
                               : std::shared_ptr<const base::Image<std::uint8_t>>(
                                     mask->image, &mask->image->support);
    }
    const base::Image<double>& weights = mask->image->weights;
    auto shades = std::make_shared<base::Image<std::uint8_t>>(weights.extents());
    std::transform(
        weights.data(), weights.data() + weights.count(), shades->data(), [](double weight) {
            return weight == 0   ? std::uint8_t{0}
                   : weight == 1 ? std::uint8_t{1}
                                 : static_cast<std::uint8_t>(
                                       std::clamp(std::lround(1 + 255 * weight), 2L, 255L));
        });
    return shades;
}

/// The directions of a volume in a patient, if its file states them.
viz::Anatomy anatomyOf(const SceneEntry& scene) {
    return scene.image && scene.image->geometry.axes != base::WorldAxes::Unnamed
               ? viz::anatomyOf(scene.image->geometry)
               : viz::Anatomy{};
}

} // namespace

ViewsPanel::ViewsPanel(Document& document, QWidget* parent)
    : QWidget(parent), m_document(document), m_copies(new DisplayCopies(this)) {
    setObjectName(QStringLiteral("viewsPanel"));
    m_grid = new QGridLayout(this);
    m_grid->setContentsMargins(0, 0, 0, 0);
    m_grid->setSpacing(3);
    const std::array<viz::Orientation, 3> orientations{viz::Orientation::XY, viz::Orientation::XZ,
                                                       viz::Orientation::YZ};
    const std::array<QString, 3> titles{tr("XY"), tr("XZ"), tr("YZ")};
    const std::array<QString, 3> names{QStringLiteral("viewXY"), QStringLiteral("viewXZ"),
                                       QStringLiteral("viewYZ")};
    for (std::size_t i = 0; i < 3; ++i) {
        m_scenes.slices[i] = std::make_shared<viz::SliceScene>(orientations[i]);
        m_frames[i] = new ViewFrame(m_scenes.slices[i], titles[i], names[i], this);
    }
    m_scenes.volume = std::make_shared<viz::VolumeScene>();
    m_look = new VolumeLook(m_document, m_scenes, this);
    m_result = new ResultView(m_document, m_scenes, *m_copies, *m_look, this);
    connect(m_result, &ResultView::valuesShown, this, &ViewsPanel::valuesShown);
    m_frames[3] = new ViewFrame(m_scenes.volume, tr("3D"), QStringLiteral("view3D"), this);
    m_active = m_frames[0];
    for (std::size_t i = 0; i < 4; ++i) {
        ViewFrame* frame = m_frames[i];
        m_grid->addWidget(frame, static_cast<int>(i / 2), static_cast<int>(i % 2));
        connect(frame, &ViewFrame::maximiseRequested, this, [this, frame] { maximise(frame); });
        connect(frame, &ViewFrame::sliceRequested, this,
                [this, frame](qint64 slice) { setSlice(frame, slice); });
        if (frame->widget() != nullptr) {
            connect(frame->widget(), &SceneWidget::focused, this,
                    [this, frame] { setActiveFrame(frame); });
            connect(frame->widget(), &SceneWidget::resized, this, &ViewsPanel::viewChanged);
        }
    }
    connect(&m_document, &Document::sceneChanged, this, &ViewsPanel::onSceneChanged);
    connect(&m_document, &Document::sceneShown, this, &ViewsPanel::onSceneShown);
    connect(&m_document, &Document::spacingChanged, this, &ViewsPanel::onSpacingChanged);
    connect(&m_document, &Document::boxChanged, this, &ViewsPanel::onBoxChanged);
    connect(&m_document, &Document::masksChanged, this, &ViewsPanel::onMasksChanged);
    connectCopies();
    connect(m_look, &VolumeLook::slabChanged, this, [this] {
        for (ViewFrame* frame : m_frames) {
            frame->updateSlice();
        }
    });
    connect(m_look, &VolumeLook::changed, this, &ViewsPanel::volumeViewChanged);
    setOverlayOpacity(m_opacity);
    followTheme(this, [this] { colourScenes(); });
    arrange();
}

void ViewsPanel::connectCopies() {
    // Only XY shows a 2D scene, and only 2D scenes have pyramids.
    viz::SliceScene& shown = *m_scenes.slices.front();
    const auto tell = [this] { Q_EMIT displayBytesChanged(displayBytes()); };
    connect(m_copies, &DisplayCopies::imageReady, this, [&shown, tell](const auto& copy) {
        shown.setImagePyramid(copy);
        tell();
    });
    connect(m_copies, &DisplayCopies::volumeReady, this, [this, tell](const auto& copy) {
        m_scenes.volume->setReduced(copy);
        tell();
    });
    connect(m_copies, &DisplayCopies::mapReady, this, [&shown, tell](const auto& copy) {
        shown.setMapPyramid(copy);
        tell();
    });
    connect(m_result, &ResultView::copied, this, tell);
    connect(m_copies, &DisplayCopies::mapGrown, this, [&shown] { shown.mapPyramidChanged(); });
}

std::int64_t ViewsPanel::displayBytes() const {
    std::int64_t bytes = m_copies->bytes();
    if (bytes == 0) {
        return 0; // textures alone are as large as the window
    }
    for (const auto& slice : m_scenes.slices) {
        bytes += slice->displayBytes();
    }
    return bytes;
}

void ViewsPanel::setActiveFrame(ViewFrame* frame) {
    m_active = frame;
    const bool several = m_document.isVolume() && m_maximised == nullptr;
    for (ViewFrame* each : m_frames) {
        each->setActive(several && each == frame);
    }
    Q_EMIT activeFrameChanged();
}

void ViewsPanel::onSceneChanged() {
    const SceneEntry& scene = m_document.scene();
    const auto pixels = pixelsOf(scene.image);
    const base::Geometry geometry = m_document.geometry();
    m_geometry = geometry;
    m_result->clear();
    for (const auto& slice : m_scenes.slices) {
        slice->setImage(pixels, geometry);
    }
    m_copies->setMap(nullptr, {}, true);
    m_copies->setImage(pixels);
    m_anatomy = m_document.isVolume() ? anatomyOf(scene) : viz::Anatomy{};
    applyAnatomy();
    m_scenes.volume->setImage(m_document.isVolume() ? pixels : nullptr, geometry);
    if (pixels) {
        m_automatic = viz::autoWindow(base::viewOf(*pixels));
    }
    setGreyWindow(m_automatic);
    m_look->chooseFromData(m_automatic);
    m_maximised = nullptr;
    m_active = m_frames[0];
    arrange();
    const base::Extents extents = m_document.sceneExtents();
    setCrosshair({std::floor(static_cast<double>(extents.x) / 2),
                  std::floor(static_cast<double>(extents.y) / 2),
                  std::floor(static_cast<double>(extents.z) / 2)});
}

/// Shows another scene of the list. If its extents are the same, the views stay, and so does a grey
/// window set by the user.
void ViewsPanel::onSceneShown() {
    const job::SceneImage& image = *m_document.scene().image;
    if (m_document.geometry().spacing != m_geometry.spacing ||
        base::extentsOf(image.pixels) != m_scenes.slices.front()->extents()) {
        showAgain();
        return;
    }
    const auto pixels = pixelsOf(m_document.scene().image);
    for (const auto& slice : m_scenes.slices) {
        slice->replaceImage(pixels);
    }
    m_copies->setImage(pixels);
    m_scenes.volume->replaceImage(m_document.isVolume() ? pixels : nullptr);
    const bool automatic = m_grey == m_automatic;
    m_automatic = viz::autoWindow(base::viewOf(*pixels));
    if (automatic) {
        setGreyWindow(m_automatic);
    }
}

void ViewsPanel::arrange() {
    const bool volume = m_document.isVolume();
    for (ViewFrame* frame : m_frames) {
        const bool shown =
            m_maximised != nullptr ? frame == m_maximised : volume || frame == m_frames[0];
        frame->setVisible(shown);
        frame->setTitleVisible(volume);
        frame->setMaximised(frame == m_maximised);
        if (frame->slice() != nullptr) {
            // One bar is enough where four views show the same map.
            const bool bars = layerVisible(Layer::Bars);
            frame->slice()->setScaleBarVisible(bars);
            frame->slice()->setScalarBarVisible(bars &&
                                                (frame == m_frames[0] || frame == m_maximised));
        }
        frame->updateSlice();
    }
    for (int i = 0; i < 2; ++i) {
        const auto used = [this](std::size_t a, std::size_t b) {
            return !m_frames[a]->isHidden() || !m_frames[b]->isHidden() ? 1 : 0;
        };
        const auto first = static_cast<std::size_t>(i);
        m_grid->setRowStretch(i, used(first * 2, first * 2 + 1));
        m_grid->setColumnStretch(i, used(first, first + 2));
    }
    setActiveFrame(m_maximised != nullptr ? m_maximised : m_active);
}

void ViewsPanel::maximise(ViewFrame* frame) {
    if (!m_document.isVolume()) {
        return;
    }
    m_maximised = m_maximised == nullptr ? frame : nullptr;
    m_active = frame;
    arrange();
    if (frame->widget() != nullptr) {
        frame->widget()->setFocus();
    }
}

void ViewsPanel::setCrosshair(const base::Point& voxel) {
    const base::Extents extents = m_document.sceneExtents();
    const std::array<std::int64_t, 3> counts{extents.x, extents.y, extents.z};
    for (std::size_t a = 0; a < 3; ++a) {
        m_crosshair[a] =
            std::clamp(voxel[a], 0.0, std::max(0.0, static_cast<double>(counts[a] - 1)));
    }
    const auto shown = m_document.hasScene() ? std::optional(m_crosshair) : std::nullopt;
    for (std::size_t i = 0; i < 3; ++i) {
        m_scenes.slices[i]->setCrosshair(layerVisible(Layer::Crosshair) ? shown : std::nullopt);
        const std::size_t depth = viz::axesOf(m_scenes.slices[i]->orientation()).depth;
        m_scenes.slices[i]->setSlice(std::llround(m_crosshair[depth]));
        m_frames[i]->updateSlice();
    }
    m_scenes.volume->setCrosshair(shown);
    Q_EMIT crosshairMoved(m_crosshair);
}

void ViewsPanel::centreOn(const base::Point& voxel) {
    setCrosshair(voxel);
    for (const auto& slice : m_scenes.slices) {
        slice->centreOn(voxel);
    }
}

void ViewsPanel::setSlice(ViewFrame* frame, std::int64_t slice) {
    if (frame->slice() == nullptr) {
        return;
    }
    base::Point voxel = m_crosshair;
    voxel[viz::axesOf(frame->slice()->orientation()).depth] = static_cast<double>(slice);
    setCrosshair(voxel);
    Q_EMIT viewChanged();
}

void ViewsPanel::stepSlice(std::int64_t slices) {
    ViewFrame* frame = m_active->slice() != nullptr ? m_active : m_frames[0];
    setSlice(frame, frame->slice()->slice() + slices);
}

void ViewsPanel::setGreyWindow(const viz::GreyWindow& window) {
    m_grey = window;
    for (const auto& slice : m_scenes.slices) {
        slice->setGreyWindow(window);
    }
    m_scenes.volume->setGreyWindow(window);
    Q_EMIT viewChanged();
}

void ViewsPanel::resetGreyWindow() { setGreyWindow(m_automatic); }

void ViewsPanel::setInterpolated(bool on) {
    for (const auto& slice : m_scenes.slices) {
        slice->setInterpolated(on);
    }
}

void ViewsPanel::setOverlayOpacity(double opacity) {
    m_opacity = std::clamp(opacity, 0.0, 1.0);
    for (const auto& slice : m_scenes.slices) {
        slice->setMapOpacity(m_opacity);
    }
    m_scenes.volume->setMapOpacity(m_opacity);
    Q_EMIT viewChanged();
}

void ViewsPanel::setRegion(const std::optional<base::Box>& region) {
    for (const auto& slice : m_scenes.slices) {
        slice->setRegion(region);
    }
    m_scenes.volume->setRegion(region);
}

std::vector<std::int64_t> ViewsPanel::histogram(int bins) const {
    const auto& image = m_document.scene().image;
    return image ? viz::histogramOf(base::viewOf(image->pixels), m_grey, bins)
                 : std::vector<std::int64_t>{};
}

void ViewsPanel::setScoreThreshold(double score) { m_result->setScoreThreshold(score); }

void ViewsPanel::setUpright(bool on) {
    m_upright = on;
    applyAnatomy();
    m_scenes.volume->resetView();
}

void ViewsPanel::applyAnatomy() {
    for (const auto& slice : m_scenes.slices) {
        const auto [right, down] =
            m_upright ? viz::SliceScene::usualFlips(m_anatomy, slice->orientation())
                      : std::array{false, false};
        slice->setAnatomy(m_anatomy);
        slice->setFlips(right, down);
    }
    m_scenes.volume->setAnatomy(m_anatomy, m_upright);
}

void ViewsPanel::flipActive(bool horizontally) {
    if (viz::SliceScene* slice = m_active->slice()) {
        auto [right, down] = slice->flips();
        slice->setFlips(right != horizontally, down == horizontally);
    }
}

void ViewsPanel::fit() {
    for (const auto& slice : m_scenes.slices) {
        slice->fit();
    }
    m_scenes.volume->fit();
    Q_EMIT viewChanged();
}

void ViewsPanel::resetViews() {
    const base::Extents extents = m_document.sceneExtents();
    setCrosshair({std::floor(static_cast<double>(extents.x) / 2),
                  std::floor(static_cast<double>(extents.y) / 2),
                  std::floor(static_cast<double>(extents.z) / 2)});
    m_scenes.volume->resetView();
    fit();
}

void ViewsPanel::actualSize() {
    for (const auto& slice : m_scenes.slices) {
        slice->setZoom(1);
    }
    Q_EMIT viewChanged();
}

void ViewsPanel::zoom(double factor) {
    viz::Scene& scene = m_active->scene();
    scene.zoomAt({scene.width() / 2.0, scene.height() / 2.0}, factor);
    Q_EMIT viewChanged();
}

void ViewsPanel::onBoxChanged() {
    const auto box = layerVisible(Layer::Box) ? m_document.box() : std::nullopt;
    for (const auto& slice : m_scenes.slices) {
        slice->setTemplateBox(box);
    }
    m_scenes.volume->setTemplateBox(box);
}

void ViewsPanel::showBox(bool all) {
    const auto& box = m_document.box();
    if (!box || !m_document.isVolume()) {
        return;
    }
    const std::array<std::int64_t, 3> corner{box->corner.x, box->corner.y, box->corner.z};
    const std::array<std::int64_t, 3> size{box->extents.x, box->extents.y, box->extents.z};
    base::Point voxel = m_crosshair;
    for (std::size_t axis = 0; axis < 3; ++axis) {
        const std::int64_t slice = std::llround(voxel[axis]);
        if (all || slice < corner[axis] || slice >= corner[axis] + size[axis]) {
            voxel[axis] = static_cast<double>(corner[axis] + size[axis] / 2);
        }
    }
    setCrosshair(voxel);
}

void ViewsPanel::onMasksChanged() {
    const bool shown = layerVisible(Layer::Mask);
    const auto& sceneMask = m_document.sceneMask();
    const auto templ = shadesOf(shown ? m_document.mask() : nullptr);
    const auto scene = shadesOf(shown && sceneMask ? &*sceneMask : nullptr);
    for (const auto& slice : m_scenes.slices) {
        slice->setTemplateSupport(templ);
        slice->setSceneSupport(scene);
    }
    m_scenes.volume->setTemplateSupport(templ);
    m_scenes.volume->setSceneSupport(scene);
    m_result->refreshPeaks(); // which of them it belongs to
}

void ViewsPanel::setLayerVisible(Layer layer, bool on) {
    m_layers[static_cast<std::size_t>(layer)] = on;
    switch (layer) {
    case Layer::Heatmap:
        for (const auto& slice : m_scenes.slices) {
            slice->setMapVisible(on);
        }
        m_scenes.volume->setMapVisible(on);
        break;
    case Layer::Peaks:
        for (const auto& slice : m_scenes.slices) {
            slice->setPeaksVisible(on);
        }
        m_scenes.volume->setPeaksVisible(on);
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
        m_scenes.volume->setCrosshairVisible(on);
        setCrosshair(m_crosshair);
        break;
    case Layer::Bars:
        m_scenes.volume->setScalarBarVisible(on);
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

/// Voxels have other sides now. What is shown of the scene stays; the document shows the result
/// again.
void ViewsPanel::onSpacingChanged() {
    const auto [grey, maximised] = std::pair(m_grey, m_maximised);
    showAgain();
    setGreyWindow(grey);
    m_maximised = maximised;
    arrange();
}

/// Shows the scene anew; the crosshair stays.
void ViewsPanel::showAgain() {
    base::Point crosshair = m_crosshair;
    const base::Extents before = m_scenes.slices.front()->extents();
    const base::Extents now = m_document.sceneExtents();
    onSceneChanged();
    onBoxChanged();
    onMasksChanged();
    // At the same place of a scene that was binned.
    const std::array<std::int64_t, 3> had{before.x, before.y, before.z};
    const std::array<std::int64_t, 3> has{now.x, now.y, now.z};
    for (std::size_t axis = 0; axis < 3; ++axis) {
        if (had[axis] > 0 && had[axis] != has[axis]) {
            crosshair[axis] = std::floor((crosshair[axis] + 0.5) * static_cast<double>(has[axis]) /
                                         static_cast<double>(had[axis]));
        }
    }
    setCrosshair(crosshair);
}

viz::Picture ViewsPanel::cleanSnapshot() const {
    return m_active->widget() != nullptr ? m_active->widget()->snapshot(true) : viz::Picture{};
}

void ViewsPanel::colourScenes() {
    viz::ViewColours colours;
    if (!isDark()) {
        colours.background = colourOf(QColor(0xe9ecef));
        colours.text = colourOf(QColor(0x1c2127));
        colours.accent = colourOf(QColor(0xd9480f));
        colours.crosshair = colourOf(QColor(0x0b7fab));
        colours.region = colourOf(QColor(0x2f9e44));
    }
    for (ViewFrame* frame : m_frames) {
        frame->scene().setColours(colours);
    }
    // A bright volume is lost on a bright background.
    viz::ViewColours space;
    if (!isDark()) {
        space.background = colourOf(QColor(0x3b424b));
    }
    m_scenes.volume->setColours(space);
}

} // namespace flcc::ui
