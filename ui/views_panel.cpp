#include "ui/views_panel.h"

#include <QGridLayout>

#include <algorithm>
#include <cmath>
#include <tuple>

#include "ui/text.h"
#include "ui/theme.h"

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

} // namespace

namespace {

/// The directions of a volume in a patient, if its file format states them.
viz::Anatomy anatomyOf(const SceneEntry& scene) {
    const std::string name = (scene.made ? scene.origin : scene.path).filename().string();
    const bool stated =
        scene.image &&
        (!scene.image->series.empty() ||
         std::ranges::any_of(std::array{".nii", ".nii.gz", ".nrrd", ".nhdr", ".dcm"},
                             [&name](const char* end) { return name.ends_with(end); }));
    return stated && scene.image->geometry.unit == "mm" ? viz::anatomyOf(scene.image->geometry)
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
        m_slices[i] = std::make_shared<viz::SliceScene>(orientations[i]);
        m_frames[i] = new ViewFrame(m_slices[i], titles[i], names[i], this);
    }
    m_volume = std::make_shared<viz::VolumeScene>();
    m_frames[3] = new ViewFrame(m_volume, tr("3D"), QStringLiteral("view3D"), this);
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
    connect(&m_document, &Document::boxChanged, this, &ViewsPanel::onBoxChanged);
    connect(&m_document, &Document::masksChanged, this, &ViewsPanel::onMasksChanged);
    connect(&m_document, &Document::resultShown, this, &ViewsPanel::onResultShown);
    connect(&m_document, &Document::peakSelected, this, [this] { applyPeaks(); });
    connectCopies();
    setOverlayOpacity(m_opacity);
    refreshTheme();
    arrange();
}

void ViewsPanel::connectCopies() {
    // Only XY shows a 2D scene, and only 2D scenes have copies.
    viz::SliceScene& shown = *m_slices.front();
    const auto tell = [this] { Q_EMIT displayBytesChanged(displayBytes()); };
    connect(m_copies, &DisplayCopies::imageReady, this, [&shown, tell](const auto& copy) {
        shown.setImagePyramid(copy);
        tell();
    });
    connect(m_copies, &DisplayCopies::mapReady, this, [&shown, tell](const auto& copy) {
        shown.setMapPyramid(copy);
        tell();
    });
    connect(m_copies, &DisplayCopies::mapGrown, this, [&shown] { shown.mapPyramidChanged(); });
}

std::int64_t ViewsPanel::displayBytes() const {
    std::int64_t bytes = m_copies->bytes();
    if (bytes == 0) {
        return 0; // textures alone are as large as the window
    }
    for (const auto& slice : m_slices) {
        bytes += slice->displayBytes();
    }
    return bytes;
}

/// The copy of the map follows map and colours.
void ViewsPanel::copyMap() {
    m_copies->setMap(m_map, viz::bestRule(mapScale()), m_mapFinished);
    m_slices.front()->setMapPyramid(m_copies->mapCopy());
    Q_EMIT displayBytesChanged(displayBytes());
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
    const base::Geometry geometry = scene.image ? scene.image->geometry : base::Geometry{};
    m_geometry = geometry;
    m_map.reset();
    m_running.reset();
    m_peaks.clear();
    for (const auto& slice : m_slices) {
        slice->setImage(pixels, geometry);
    }
    m_copies->setMap(nullptr, {}, true);
    m_copies->setImage(pixels);
    m_anatomy = m_document.isVolume() ? anatomyOf(scene) : viz::Anatomy{};
    applyAnatomy();
    m_volume->setImage(m_document.isVolume() ? pixels : nullptr, geometry);
    if (pixels) {
        m_automatic = viz::autoWindow(base::viewOf(*pixels));
    }
    setGreyWindow(m_automatic);
    m_maximised = nullptr;
    m_active = m_frames[0];
    arrange();
    m_frames[3]->setNote(toQString(m_volume->note()));
    const base::Extents extents = m_document.sceneExtents();
    setCrosshair({std::floor(static_cast<double>(extents.x) / 2),
                  std::floor(static_cast<double>(extents.y) / 2),
                  std::floor(static_cast<double>(extents.z) / 2)});
}

/// Shows another scene of the list. If its extents are the same, the views stay, and so does a grey
/// window set by the user.
void ViewsPanel::onSceneShown() {
    const job::SceneImage& image = *m_document.scene().image;
    if (image.geometry.spacing != m_geometry.spacing ||
        base::extentsOf(image.pixels) != m_slices.front()->extents()) {
        const base::Point crosshair = m_crosshair;
        onSceneChanged();
        onBoxChanged();
        onMasksChanged();
        setCrosshair(crosshair);
        return;
    }
    const auto pixels = pixelsOf(m_document.scene().image);
    for (const auto& slice : m_slices) {
        slice->replaceImage(pixels);
    }
    m_copies->setImage(pixels);
    m_volume->replaceImage(m_document.isVolume() ? pixels : nullptr);
    const bool automatic = m_grey == m_automatic;
    m_automatic = viz::autoWindow(base::viewOf(*pixels));
    if (automatic) {
        setGreyWindow(m_automatic);
    }
    m_frames[3]->setNote(toQString(m_volume->note()));
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
            frame->slice()->setScalarBarVisible(frame == m_frames[0] || frame == m_maximised);
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
        m_slices[i]->setCrosshair(shown);
        const std::size_t depth = viz::axesOf(m_slices[i]->orientation()).depth;
        m_slices[i]->setSlice(std::llround(m_crosshair[depth]));
        m_frames[i]->updateSlice();
    }
    m_volume->setCrosshair(shown);
    Q_EMIT crosshairMoved(m_crosshair);
}

void ViewsPanel::centreOn(const base::Point& voxel) {
    setCrosshair(voxel);
    for (const auto& slice : m_slices) {
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
    for (const auto& slice : m_slices) {
        slice->setGreyWindow(window);
    }
    m_volume->setGreyWindow(window);
    Q_EMIT viewChanged();
}

void ViewsPanel::resetGreyWindow() { setGreyWindow(m_automatic); }

void ViewsPanel::setInterpolated(bool on) {
    for (const auto& slice : m_slices) {
        slice->setInterpolated(on);
    }
}

void ViewsPanel::setOverlayVisible(bool on) {
    for (const auto& slice : m_slices) {
        slice->setMapVisible(on);
    }
    m_volume->setMapVisible(on);
}

void ViewsPanel::setOverlayOpacity(double opacity) {
    m_opacity = std::clamp(opacity, 0.0, 1.0);
    for (const auto& slice : m_slices) {
        slice->setMapOpacity(m_opacity);
    }
    m_volume->setMapOpacity(m_opacity);
    Q_EMIT viewChanged();
}

void ViewsPanel::setPeaksVisible(bool on) {
    for (const auto& slice : m_slices) {
        slice->setPeaksVisible(on);
    }
    m_volume->setPeaksVisible(on);
}

void ViewsPanel::setRegion(const std::optional<base::Box>& region) {
    for (const auto& slice : m_slices) {
        slice->setRegion(region);
    }
    m_volume->setRegion(region);
}

void ViewsPanel::setVolumeContent(viz::VolumeContent content) { m_volume->setContent(content); }

void ViewsPanel::setColourMap(match::ColourMap map) {
    m_colourMap = map;
    applyScale();
}

void ViewsPanel::setFixedRange(bool fixed) {
    m_fixedRange = fixed;
    applyScale();
}

match::HeatmapScale ViewsPanel::mapScale() const {
    const bool twoSigned = m_colourMap == match::ColourMap::Diverging;
    match::HeatmapScale scale{m_colourMap, twoSigned ? -1.0 : 0.0, 1.0};
    const ResultEntry* result = m_document.result();
    const method::Operation operation = m_running           ? m_runningOperation
                                        : result != nullptr ? result->settings.operation
                                                            : method::Operation();
    if (!operation.isLcc()) {
        if (m_running && m_runningRange) {
            std::tie(scale.low, scale.high) = *m_runningRange;
        } else if (!m_running && result->job->report.map) {
            scale.low = result->job->report.map->statistics.minimum;
            scale.high = result->job->report.map->statistics.maximum;
        }
        scale.reversed = operation.traits().best == method::Best::Smallest;
    } else if (m_fixedRange) {
        scale.low = -1;
    } else if (!m_running && result != nullptr && result->job->report.map) {
        const match::MapStatistics& statistics = result->job->report.map->statistics;
        if (twoSigned) {
            const double reach =
                std::max({std::abs(statistics.minimum), std::abs(statistics.maximum), 1e-6});
            scale.low = -reach;
            scale.high = reach;
        } else if (statistics.maximum > 0) {
            scale.high = statistics.maximum;
        }
    }
    return scale;
}

void ViewsPanel::setVolumeTransfer(const viz::VolumeTransfer& transfer) {
    m_volume->setTransfer(transfer);
}

const viz::VolumeTransfer& ViewsPanel::volumeTransfer() const { return m_volume->transfer(); }

void ViewsPanel::setScoreThreshold(double score) { m_volume->setScoreThreshold(score); }

void ViewsPanel::setUpright(bool on) {
    m_upright = on;
    applyAnatomy();
    m_volume->resetView();
}

void ViewsPanel::applyAnatomy() {
    for (const auto& slice : m_slices) {
        const auto [right, down] =
            m_upright ? viz::SliceScene::usualFlips(m_anatomy, slice->orientation())
                      : std::array{false, false};
        slice->setAnatomy(m_anatomy);
        slice->setFlips(right, down);
    }
    m_volume->setAnatomy(m_anatomy, m_upright);
}

void ViewsPanel::flipActive(bool horizontally) {
    if (viz::SliceScene* slice = m_active->slice()) {
        auto [right, down] = slice->flips();
        slice->setFlips(right != horizontally, down == horizontally);
    }
}

void ViewsPanel::applyScale() {
    const match::HeatmapScale scale = mapScale();
    for (const auto& slice : m_slices) {
        slice->setMapScale(scale);
    }
    m_volume->setMapScale(scale);
    copyMap();
}

void ViewsPanel::fit() {
    for (const auto& slice : m_slices) {
        slice->fit();
    }
    m_volume->fit();
    Q_EMIT viewChanged();
}

void ViewsPanel::resetViews() {
    const base::Extents extents = m_document.sceneExtents();
    setCrosshair({std::floor(static_cast<double>(extents.x) / 2),
                  std::floor(static_cast<double>(extents.y) / 2),
                  std::floor(static_cast<double>(extents.z) / 2)});
    m_volume->resetView();
    fit();
}

void ViewsPanel::actualSize() {
    for (const auto& slice : m_slices) {
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
    for (const auto& slice : m_slices) {
        slice->setTemplateBox(m_document.box());
    }
    m_volume->setTemplateBox(m_document.box());
}

void ViewsPanel::onMasksChanged() {
    const auto supportOf = [](const MaskEntry* mask) {
        return mask != nullptr ? std::shared_ptr<const base::Image<std::uint8_t>>(
                                     mask->image, &mask->image->support)
                               : nullptr;
    };
    const auto& sceneMask = m_document.sceneMask();
    for (const auto& slice : m_slices) {
        slice->setTemplateSupport(supportOf(m_document.mask()));
        slice->setSceneSupport(supportOf(sceneMask ? &*sceneMask : nullptr));
    }
    m_volume->setTemplateSupport(supportOf(m_document.mask()));
    m_volume->setSceneSupport(supportOf(sceneMask ? &*sceneMask : nullptr));
    setVisiblePeaks(std::vector<int>(m_peaks)); // which of them it belongs to
}

void ViewsPanel::showMap(const std::shared_ptr<const method::MatchMap>& map,
                         const base::Extents& templ, const base::Index& corner, bool finished) {
    m_map = map;
    m_mapTempl = templ;
    m_mapCorner = corner;
    m_mapFinished = finished;
    const ResultEntry* result = m_document.result();
    const method::Operation operation = !finished           ? m_runningOperation
                                        : result != nullptr ? result->settings.operation
                                                            : method::Operation();
    const std::string name(operation.traits().label);
    for (const auto& slice : m_slices) {
        slice->setMapName(name);
        slice->setMap(map, templ, finished, corner);
    }
    m_volume->setMapName(name);
    m_volume->setMap(map, templ, finished, corner);
    applyScale();
}

void ViewsPanel::noteMap(const QString& note) {
    for (const auto& slice : m_slices) {
        slice->setMapNote(note.toStdString());
    }
    m_volume->setMapNote(note.toStdString());
}

void ViewsPanel::setUnverified(bool unverified) {
    if (m_running) {
        noteMap(unverified ? tr("not yet verified") : QString());
    }
}

void ViewsPanel::onResultShown() {
    m_running.reset();
    setVisiblePeaks({});
    const ResultEntry* result = m_document.result();
    if (result == nullptr || !result->job->map) {
        showMap(nullptr, {}, {}, true);
    } else {
        showMap(result->job->map, result->job->templates.front()->extents(), result->job->mapCorner,
                true);
    }
    noteMap(result == nullptr || job::isVerified(result->job->report) ? QString()
                                                                      : tr("not verified"));
}

void ViewsPanel::showRunningMap(std::shared_ptr<const method::MatchMap> map,
                                const base::Extents& templ, const base::Index& corner,
                                method::Operation operation) {
    m_running = map;
    m_runningOperation = operation;
    m_runningRange.reset();
    setVisiblePeaks({});
    noteMap({});
    showMap(map, templ, corner, false);
}

void ViewsPanel::addRegions(const std::vector<base::Box>& regions) {
    if (!m_running) {
        return;
    }
    for (const base::Box& region : regions) {
        for (const auto& slice : m_slices) {
            slice->mapRegionFinished(region);
        }
        m_volume->mapRegionFinished(region);
    }
    if (!m_runningOperation.isLcc()) {
        for (const base::Box& region : regions) {
            if (const auto values = match::valueRange(m_running->value.view().part(region),
                                                      m_running->status.view().part(region))) {
                const auto before = m_runningRange.value_or(*values);
                m_runningRange.emplace(std::min(before.first, values->first),
                                       std::max(before.second, values->second));
            }
        }
        applyScale();
    }
    m_copies->addRegions(regions);
}

void ViewsPanel::endRunningMap() {
    if (m_running) {
        m_running.reset();
        onResultShown();
        setVisiblePeaks(m_document.peakChoice().shown);
    }
}

const method::MatchMap* ViewsPanel::shownMap() const { return m_map.get(); }

void ViewsPanel::setVisiblePeaks(const std::vector<int>& peaks) {
    m_peaks = peaks;
    const ResultEntry* result = m_document.result();
    std::vector<viz::PeakMark> marks;
    if (result != nullptr) {
        for (const int index : peaks) {
            const match::Peak& peak = result->job->peaks[static_cast<std::size_t>(index)];
            const auto& templ = result->job->templates[static_cast<std::size_t>(peak.templ)];
            const bool shaded =
                m_document.masks().size() < 2 || peak.templ == m_document.activeTemplate();
            marks.push_back({peak.centre, peak.score, index + 1, templ->extents(), shaded});
        }
    }
    for (const auto& slice : m_slices) {
        slice->setPeaks(marks, m_mapTempl);
    }
    m_volume->setPeaks(marks, m_mapTempl);
    applyPeaks();
}

void ViewsPanel::applyPeaks() {
    const auto found = std::ranges::find(m_peaks, m_document.selectedPeak());
    const auto mark = found == m_peaks.end()
                          ? std::nullopt
                          : std::optional(static_cast<std::size_t>(found - m_peaks.begin()));
    for (const auto& slice : m_slices) {
        slice->setSelectedPeak(mark);
    }
    m_volume->setSelectedPeak(mark);
}

int ViewsPanel::peakAt(const ViewFrame& frame, viz::DisplayPoint display) const {
    const auto mark =
        frame.slice() != nullptr ? frame.slice()->peakAt(display) : frame.volume()->peakAt(display);
    return mark && *mark < m_peaks.size() ? m_peaks[*mark] : -1;
}

viz::Picture ViewsPanel::cleanSnapshot() const {
    return m_active->widget() != nullptr ? m_active->widget()->snapshot(true) : viz::Picture{};
}

void ViewsPanel::refreshTheme() {
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
        frame->refreshTheme();
    }
}

} // namespace flcc::ui
