#pragma once

#include <QWidget>

#include <array>
#include <functional>
#include <memory>
#include <optional>
#include <set>
#include <utility>
#include <vector>

#include "engine/match/colour_map.h"
#include "ui/document/document.h"
#include "ui/views/display_copies.h"
#include "ui/views/result_view.h"
#include "ui/views/view_frame.h"
#include "ui/views/view_scenes.h"
#include "ui/views/volume_look.h"
#include "ui/views/volume_view.h"

class QGridLayout;

namespace flcc::ui {

/// Slices of a slab at most, so that a step through the slices stays quick.
inline constexpr int kMostSlab = 101;

/// The views of a scene: one for an image, XY, XZ, YZ and 3D for a volume, linked by one crosshair.
/// Shows the data of the document. ViewTools handles the mouse.
class ViewsPanel : public QWidget {
    Q_OBJECT

  public:
    explicit ViewsPanel(Document& document, QWidget* parent = nullptr);

    [[nodiscard]] const std::array<ViewFrame*, 4>& frames() const { return m_frames; }
    /// The frame that last had the focus, initially XY.
    [[nodiscard]] ViewFrame* activeFrame() const { return m_active; }
    void setActiveFrame(ViewFrame* frame);

    /// Moves the crosshair (clamped to the scene) and the slices of every view with it.
    void setCrosshair(const base::Point& voxel);
    [[nodiscard]] const base::Point& crosshair() const { return m_crosshair; }
    /// Centres every view on a position and puts the crosshair there.
    void centreOn(const base::Point& voxel);
    /// Moves the slice of the active view.
    void stepSlice(std::int64_t slices);
    void setSlice(ViewFrame* frame, std::int64_t slice);

    void setGreyWindow(const viz::GreyWindow& window);
    [[nodiscard]] viz::GreyWindow greyWindow() const { return m_grey; }
    void resetGreyWindow(); ///< sets the window computed from the scene's values

    void setInterpolated(bool on);
    // Layers: what is drawn over the scene.
    enum class Layer { Heatmap, Peaks, Blobs, Box, Mask, Crosshair, Bars };
    static constexpr int kLayers = static_cast<int>(Layer::Bars) + 1;
    void setLayerVisible(Layer layer, bool on);
    [[nodiscard]] bool layerVisible(Layer layer) const {
        return m_layers[static_cast<std::size_t>(layer)];
    }
    /// Blobs that are drawn in all views; `selected` is an index into the list.
    void setBlobs(std::vector<viz::BlobMark> blobs, std::optional<std::size_t> selected);
    void setOverlayOpacity(double opacity);
    [[nodiscard]] double overlayOpacity() const { return m_opacity; }
    /// Moves the slices of a volume that miss the template box into its middle, so that it can be
    /// seen and held in every view; `all`: also those that cross it.
    void showBox(bool all);
    /// Outlines the searched part of the scene; empty: the whole scene is searched, no outline.
    void setRegion(const std::optional<base::Box>& region);
    /// What the 3D view shows of this scene: chosen from the data until a person chooses.
    [[nodiscard]] const VolumeView& volumeView() const { return m_look->view(); }
    void setVolumeView(const VolumeView& view) { m_look->set(view); }
    /// A choice of a person, which is remembered for the scene.
    void chooseVolumeView(const std::function<void(VolumeView&)>& change) {
        m_look->choose(change);
    }
    /// The slices of a volume show the maximum of `slices` slices, and the slab of the 3D view is
    /// as thick; 1: slices show themselves.
    void setSlab(int slices) {
        m_look->choose([slices](VolumeView& view) { view.slab = slices; });
    }
    [[nodiscard]] int slab() const { return m_look->view().slab; }
    /// Whether volumes whose file says how they lie in a patient are shown upright.
    void setUpright(bool on);
    [[nodiscard]] viz::VolumeScene& volume() { return *m_scenes.volume; }
    void setVolumeTransfer(const viz::VolumeTransfer& transfer) {
        m_look->choose([&transfer](VolumeView& view) { view.transfer = transfer; });
    }
    [[nodiscard]] const viz::VolumeTransfer& volumeTransfer() const {
        return m_scenes.volume->transfer();
    }
    /// viz::histogramOf() of the scene in the grey window; empty without a scene.
    [[nodiscard]] std::vector<std::int64_t> histogram(int bins) const;
    /// The image that is shown, to tell it from another one.
    [[nodiscard]] std::shared_ptr<const void> shownPixels() const {
        return m_document.scene().image;
    }
    /// The threshold of peaks, to which isosurface and ray-cast heatmap are tied.
    void setScoreThreshold(double score);
    /// Mirrors the active slice from left to right, or upside down.
    void flipActive(bool horizontally);
    [[nodiscard]] const viz::Anatomy& anatomy() const { return m_anatomy; }
    void setColourMap(match::ColourMap map) { m_result->setColourMap(map); }
    void setFixedRange(bool fixed) { m_result->setFixedRange(fixed); }
    [[nodiscard]] match::HeatmapScale mapScale() const { return m_result->mapScale(); }
    /// See ResultView.
    void setValues(SearchValues values) { m_result->setValues(values); }
    [[nodiscard]] SearchValues shownValues() const { return m_result->shownValues(); }
    [[nodiscard]] bool isMakingValues() const { return m_result->isMakingValues(); }

    void fit();
    void resetViews(); ///< fit, middle slices, standard direction
    void actualSize(); ///< one device pixel per voxel
    void zoom(double factor);
    void maximise(ViewFrame* frame); ///< shows this view only, or all views if one is maximised
    [[nodiscard]] bool isMaximised() const { return m_maximised != nullptr; }

    // The result, see ResultView.
    void setVisiblePeaks(const std::vector<int>& peaks) { m_result->setVisiblePeaks(peaks); }
    void setPeaksBelow(std::vector<match::Peak> peaks) { m_result->setBelow(std::move(peaks)); }
    void setCompared(ComparedView compared) { m_result->setCompared(std::move(compared)); }
    void setWipe(double share) { m_result->setWipe(share); }
    [[nodiscard]] int peakAt(const ViewFrame& frame, viz::DisplayPoint display) const {
        return m_result->peakAt(frame, display);
    }
    [[nodiscard]] std::vector<int> peaksInside(const ViewFrame& slice,
                                               const std::vector<base::Point>& line) const {
        return m_result->peaksInside(slice, line);
    }
    [[nodiscard]] std::vector<int> peaksAlong(const ViewFrame& slice, const base::Point& from,
                                              const base::Point& to) const {
        return m_result->peaksAlong(slice, from, to);
    }
    void showSwept(std::set<int> peaks, bool back) { m_result->showSwept(std::move(peaks), back); }
    void setChosenPeaks(const std::vector<int>& peaks) { m_result->setChosen(peaks); }
    void showRunningMap(std::shared_ptr<const method::MatchMap> map, const base::Extents& templ,
                        const base::Index& corner, method::Operation operation) {
        m_result->showRunningMap(std::move(map), templ, corner, operation);
    }
    void addRegions(const std::vector<base::Box>& regions) { m_result->addRegions(regions); }
    /// Shows the best scores so far in the place of the running map, of a search over poses.
    void showBestSoFar(std::shared_ptr<const method::MatchMap> map) {
        m_result->showBestSoFar(std::move(map));
    }
    void endRunningMap() { m_result->endRunningMap(); }
    void setUnverified(bool unverified) { m_result->setUnverified(unverified); }
    [[nodiscard]] bool showsRunningMap() const { return m_result->showsRunningMap(); }
    [[nodiscard]] const method::MatchMap* shownMap() const { return m_result->shownMap(); }
    [[nodiscard]] base::Extents shownTemplate() const { return m_result->shownTemplate(); }
    [[nodiscard]] base::Index shownCorner() const { return m_result->shownCorner(); }

    /// Memory of the coarse copies of a large scene and its map, and of textures beside them; 0
    /// without copies.
    [[nodiscard]] std::int64_t displayBytes() const;
    /// Drops the coarse copies; zoomed out, the views show every n-th voxel until another scene or
    /// result is shown.
    void releaseDisplay() { m_copies->release(); }
    [[nodiscard]] const DisplayCopies& copies() const { return *m_copies; }

    /// A picture of the active view without texts and marks.
    [[nodiscard]] viz::Picture cleanSnapshot() const;

  Q_SIGNALS:
    void valuesShown(); ///< the heatmap shows what setValues() asks for
    void crosshairMoved(const flcc::base::Point& voxel);
    void activeFrameChanged();
    void viewChanged(); ///< zoom, slice or grey window
    void volumeViewChanged();
    void displayBytesChanged(qint64 bytes);

  private:
    void colourScenes();
    void onSceneChanged();
    void onSceneShown();
    void onSpacingChanged();
    void showAgain();
    void onBoxChanged();
    void onMasksChanged();
    void arrange();
    void applyBlobs();
    void applyAnatomy();
    void connectCopies();

    Document& m_document;
    DisplayCopies* m_copies = nullptr;
    QGridLayout* m_grid = nullptr;
    ViewScenes m_scenes;
    VolumeLook* m_look = nullptr;
    ResultView* m_result = nullptr;
    std::array<ViewFrame*, 4> m_frames{};
    ViewFrame* m_active = nullptr;
    ViewFrame* m_maximised = nullptr;
    base::Point m_crosshair{0, 0, 0};
    base::Geometry m_geometry; ///< geometry of the shown image
    viz::Anatomy m_anatomy;    ///< of the shown volume, if it is known
    bool m_upright = true;
    viz::GreyWindow m_grey;
    viz::GreyWindow m_automatic;
    double m_opacity = 0.5;
    std::array<bool, kLayers> m_layers{true, true, true, true, true, true, true};
    std::vector<viz::BlobMark> m_blobs;
    std::optional<std::size_t> m_selectedBlob;
};

} // namespace flcc::ui
