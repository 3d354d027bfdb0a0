#pragma once

#include <QWidget>

#include <array>
#include <functional>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include "engine/match/colour_map.h"
#include "ui/display_copies.h"
#include "ui/document.h"
#include "ui/view_frame.h"
#include "ui/volume_view.h"

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
    // Layers: what is drawn over the scene. views_panel_layers.cpp
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
    [[nodiscard]] const VolumeView& volumeView() const { return m_volumeView; }
    void setVolumeView(const VolumeView& view);
    /// A choice of a person, which is remembered for the scene.
    void chooseVolumeView(const std::function<void(VolumeView&)>& change);
    /// The slices of a volume show the maximum of `slices` slices, and the slab of the 3D view is
    /// as thick; 1: slices show themselves.
    void setSlab(int slices);
    [[nodiscard]] int slab() const { return m_volumeView.slab; }
    /// Whether volumes whose file says how they lie in a patient are shown upright.
    void setUpright(bool on);
    [[nodiscard]] viz::VolumeScene& volume() { return *m_volume; }
    void setVolumeTransfer(const viz::VolumeTransfer& transfer);
    [[nodiscard]] const viz::VolumeTransfer& volumeTransfer() const;
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
    void setColourMap(match::ColourMap map);
    void setFixedRange(bool fixed); ///< [-1, 1] instead of the map's own
    [[nodiscard]] match::HeatmapScale mapScale() const;

    void fit();
    void resetViews(); ///< fit, middle slices, standard direction
    void actualSize(); ///< one device pixel per voxel
    void zoom(double factor);
    void maximise(ViewFrame* frame); ///< shows this view only, or all views if one is maximised
    [[nodiscard]] bool isMaximised() const { return m_maximised != nullptr; }

    /// The peaks that are drawn, as indices into the shown result's list.
    void setVisiblePeaks(const std::vector<int>& peaks);
    /// The peak (index into the result's list) under a position, or -1.
    [[nodiscard]] int peakAt(const ViewFrame& frame, viz::DisplayPoint display) const;

    // The current run.
    /// `corner` is the scene voxel of the map's first placement. Colours follow the values that are
    /// there so far, unless they are scores.
    void showRunningMap(std::shared_ptr<const method::MatchMap> map, const base::Extents& templ,
                        const base::Index& corner, method::Operation operation);
    void addRegions(const std::vector<base::Box>& regions);
    void endRunningMap();
    /// If true, the note "not yet verified" is drawn over the map of the current run.
    void setUnverified(bool unverified);
    [[nodiscard]] bool showsRunningMap() const { return m_running != nullptr; }

    /// The map whose scores are shown, or null. shownTemplate() is the extents of its template.
    [[nodiscard]] const method::MatchMap* shownMap() const;
    [[nodiscard]] base::Extents shownTemplate() const { return m_mapTempl; }
    /// The scene voxel of the map's first placement.
    [[nodiscard]] base::Index shownCorner() const { return m_mapCorner; }

    /// Memory of the coarse copies of a large scene and its map, and of textures beside them; 0
    /// without copies.
    [[nodiscard]] std::int64_t displayBytes() const;
    /// Drops the coarse copies; zoomed out, the views show every n-th voxel until another scene or
    /// result is shown.
    void releaseDisplay() { m_copies->release(); }
    [[nodiscard]] const DisplayCopies& copies() const { return *m_copies; }

    /// A picture of the active view without texts and marks.
    [[nodiscard]] viz::Picture cleanSnapshot() const;
    void refreshTheme();

  Q_SIGNALS:
    void crosshairMoved(const flcc::base::Point& voxel);
    void activeFrameChanged();
    void viewChanged(); ///< zoom, slice or grey window
    void volumeViewChanged();
    void displayBytesChanged(qint64 bytes);

  private:
    void onSceneChanged();
    void onSceneShown();
    void onSpacingChanged();
    void showAgain();
    void onBoxChanged();
    void onMasksChanged();
    void onResultShown();
    void arrange();
    void applyBlobs();
    void chooseFromData();
    [[nodiscard]] QString sceneKey() const;
    void showMap(const std::shared_ptr<const method::MatchMap>& map, const base::Extents& templ,
                 const base::Index& corner, bool finished);
    void showShapes(const ResultEntry* result);
    void noteMap(const QString& note);
    void applyScale();
    void applyAnatomy();
    void applyPeaks();

    void connectCopies();
    void copyMap();

    Document& m_document;
    DisplayCopies* m_copies = nullptr;
    QGridLayout* m_grid = nullptr;
    std::array<std::shared_ptr<viz::SliceScene>, 3> m_slices;
    std::shared_ptr<viz::VolumeScene> m_volume;
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
    VolumeView m_volumeView;
    std::array<bool, kLayers> m_layers{true, true, true, true, true, true, true};
    std::vector<viz::BlobMark> m_blobs;
    std::optional<std::size_t> m_selectedBlob;
    match::ColourMap m_colourMap = match::ColourMap::Viridis;
    bool m_fixedRange = false;
    std::shared_ptr<const method::MatchMap> m_map;
    bool m_mapFinished = true;
    std::shared_ptr<const method::MatchMap> m_running;
    method::Operation m_runningOperation;
    std::optional<std::pair<double, double>> m_runningRange; ///< least and largest value so far
    base::Extents m_mapTempl{0, 0, 0};
    base::Index m_mapCorner;
    std::vector<int> m_peaks;
};

} // namespace flcc::ui
