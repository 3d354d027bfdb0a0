#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "engine/base/geometry.h"
#include "engine/base/pixels.h"
#include "engine/match/colour_map.h"
#include "engine/method/match_map.h"
#include "viz/scene.h"

namespace flcc::viz {

/// Which plane of a volume a view shows. The first axis goes to the right and the second one down,
/// so index 0 is always at the top left and no view is mirrored: XY has row 0 at the top, XZ and YZ
/// have slice 0 at the top.
enum class Orientation { XY, XZ, YZ };

/// The axis (0 = x, 1 = y, 2 = z) to the right, downwards, and through the screen.
struct PlaneAxes {
    std::size_t right = 0;
    std::size_t down = 1;
    std::size_t depth = 2;
};
[[nodiscard]] PlaneAxes axesOf(Orientation orientation);

/// What of a box lies under the cursor: its inside, an edge or a corner.
enum class BoxPart {
    None,
    Inside,
    Left,
    Right,
    Top,
    Bottom,
    TopLeft,
    TopRight,
    BottomLeft,
    BottomRight
};

/// One plane of an image or a volume with a heatmap, peaks, the template box, a crosshair, scalar
/// bar, scale bar and axis letters over it; parallel projection.
class SliceScene final : public Scene {
  public:
    explicit SliceScene(Orientation orientation = Orientation::XY);
    ~SliceScene() override;

    // The image.
    /// Shows `image` (null: nothing), middle slice, fitted, without map, peaks and box. Pixels are
    /// shared, not copied. The window stays as set by setGreyWindow until the next call of it.
    void setImage(std::shared_ptr<const base::AnyImage> image, const base::Geometry& geometry);
    /// Shows another image of the same extents and spacing; all else stays as it is.
    void replaceImage(std::shared_ptr<const base::AnyImage> image);
    [[nodiscard]] bool hasImage() const;
    [[nodiscard]] Orientation orientation() const;
    [[nodiscard]] const base::Extents& extents() const; ///< of the image
    void setGreyWindow(const GreyWindow& window);
    [[nodiscard]] GreyWindow greyWindow() const;
    /// Zoomed-in voxels are squares unless this is on.
    void setInterpolated(bool on);
    [[nodiscard]] bool interpolated() const;
    /// Clamped to 0 .. sliceCount() - 1.
    void setSlice(std::int64_t slice);
    [[nodiscard]] std::int64_t slice() const;
    [[nodiscard]] std::int64_t sliceCount() const;

    // The heatmap. A voxel u of the map lies on corner + u + (m - 1) / 2 of the
    // scene.
    /// Shows `map` (null: none) of a template of extents `templ`. With `finished` false nothing
    /// of it is read or drawn but the regions named by mapRegionFinished, until mapEnded().
    void setMap(std::shared_ptr<const method::MatchMap> map, const base::Extents& templ,
                bool finished, const base::Index& corner = {});
    /// These voxels of the map hold their final values: they are drawn from now on.
    void mapRegionFinished(const base::Box& region);
    /// The run is over: the whole map is drawn, NOT_COMPUTED voxels hatched.
    void mapEnded();
    void setMapScale(const match::HeatmapScale& scale);
    [[nodiscard]] match::HeatmapScale mapScale() const;
    void setMapVisible(bool on);
    [[nodiscard]] bool mapVisible() const;
    void setMapOpacity(double opacity); ///< 0 .. 1
    [[nodiscard]] double mapOpacity() const;
    /// The words beside the scalar bar.
    void setMapName(const std::string& name);
    /// Words over the map, such as how far it can be trusted; empty: none.
    void setMapNote(const std::string& note);
    [[nodiscard]] const std::string& mapNote() const;

    // Marks.
    /// Peaks as boxes of the size of `templ`, or of their own; a volume shows those whose box
    /// crosses the slice.
    void setPeaks(std::vector<PeakMark> peaks, const base::Extents& templ);
    /// Index into the list of setPeaks, drawn highlighted.
    void setSelectedPeak(std::optional<std::size_t> index);
    void setPeaksVisible(bool on);
    /// The peak whose box holds the position and whose centre is nearest.
    [[nodiscard]] std::optional<std::size_t> peakAt(DisplayPoint display) const;

    void setTemplateBox(const std::optional<base::Box>& box);
    [[nodiscard]] const std::optional<base::Box>& templateBox() const;
    /// What of the template box lies at the position, edges within `tolerance` logical pixels.
    [[nodiscard]] BoxPart templateBoxPartAt(DisplayPoint display, double tolerance = 6) const;
    /// The box after `part` of `start` was dragged from one voxel position to another in this
    /// view: moved or resized, kept inside the image and at least one voxel large.
    [[nodiscard]] base::Box draggedBox(const base::Box& start, BoxPart part,
                                       const base::Point& from, const base::Point& to) const;
    /// The new box a drag spans in this view: `depth` voxels deep around the slice.
    [[nodiscard]] base::Box spannedBox(const base::Point& from, const base::Point& to,
                                       std::int64_t depth) const;

    /// The part of the scene that is searched, outlined with dashes; empty: none.
    void setRegion(const std::optional<base::Box>& region);
    /// Of the template: what is 0 is shaded in a template box of its extents, and in the selected
    /// peak; null: none.
    void setTemplateSupport(std::shared_ptr<const base::Image<std::uint8_t>> support);
    /// Of the scene: what is 0 is shaded, if it has the image's extents; null: none.
    void setSceneSupport(std::shared_ptr<const base::Image<std::uint8_t>> support);

    /// Empty: none.
    void setCrosshair(const std::optional<base::Point>& voxel);
    void setScaleBarVisible(bool on);
    void setScalarBarVisible(bool on);
    void setAxisLettersVisible(bool on);

    // The camera.
    void fit() override;
    void zoomAt(DisplayPoint anchor, double factor) override;
    void pan(double dx, double dy) override;
    /// Device pixels per voxel of the finer axis in the plane; 1 is 100 %.
    void setZoom(double zoom);
    [[nodiscard]] double zoom() const;
    void centreOn(const base::Point& voxel);

    [[nodiscard]] std::optional<base::Point> voxelAt(DisplayPoint display) const override;
    [[nodiscard]] DisplayPoint displayOf(const base::Point& voxel) const override;
    /// As voxelAt, but also outside the image.
    [[nodiscard]] base::Point planePointAt(DisplayPoint display) const;

  private:
    void addRenderers(vtkRenderWindow& window) override;
    void removeRenderers(vtkRenderWindow& window) override;
    void update() override;
    void resized() override;
    void coloursChanged() override;

    struct State;
    std::unique_ptr<State> m_state;
};

} // namespace flcc::viz
