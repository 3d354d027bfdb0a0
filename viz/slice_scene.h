#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "engine/base/geometry.h"
#include "engine/base/pixels.h"
#include "engine/match/colour_map.h"
#include "engine/method/match_map.h"
#include "viz/anatomy.h"
#include "viz/pyramid.h"
#include "viz/scene.h"

namespace flcc::viz {

namespace detail {
struct TexelGrid;
struct TexelRect;
} // namespace detail

/// Which plane of a volume a view shows. The first axis goes to the right and the second one down,
/// so index 0 is at the top left unless setFlips() mirrors the view: XY has row 0 at the top, XZ
/// and YZ have slice 0 at the top.
enum class Orientation { XY, XZ, YZ };

/// The axis (0 = x, 1 = y, 2 = z) to the right, downwards, and through the screen.
struct PlaneAxes {
    std::size_t right = 0;
    std::size_t down = 1;
    std::size_t depth = 2;
};
[[nodiscard]] PlaneAxes axesOf(Orientation orientation);

/// The part of a box under the cursor: its inside, an edge or a corner.
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
    /// Shows `image` (null: nothing): middle slice, fitted, without map, peaks and box. Pixels are
    /// shared, not copied. The grey window stays as setGreyWindow set it.
    void setImage(std::shared_ptr<const base::AnyImage> image, const base::Geometry& geometry);
    /// Shows another image of the same extents and spacing; everything else stays.
    void replaceImage(std::shared_ptr<const base::AnyImage> image);
    /// Averages of the image that is shown, which serve a view that is zoomed out; until then, and
    /// after setImage() and replaceImage(), it reads every n-th voxel of a large image.
    void setImagePyramid(std::shared_ptr<const Pyramid> pyramid);
    [[nodiscard]] bool hasImage() const;
    [[nodiscard]] Orientation orientation() const;
    [[nodiscard]] const base::Extents& extents() const; ///< of the image
    void setGreyWindow(const GreyWindow& window);
    [[nodiscard]] GreyWindow greyWindow() const;
    /// Off: zoomed-in voxels are drawn as squares.
    void setInterpolated(bool on);
    [[nodiscard]] bool interpolated() const;
    /// Clamped to 0 .. sliceCount() - 1.
    void setSlice(std::int64_t slice);
    [[nodiscard]] std::int64_t slice() const;
    [[nodiscard]] std::int64_t sliceCount() const;
    /// Shows the largest voxels of `slices` slices around the slice instead of the slice itself; 1:
    /// the slice. Map and marks stay those of the slice.
    void setSlab(std::int64_t slices);
    /// The first and the last slice whose voxels are shown.
    [[nodiscard]] std::array<std::int64_t, 2> slab() const;

    // The heatmap. A voxel u of the map lies on corner + u + (m - 1) / 2 of the
    // scene.
    /// Shows `map` (null: none) of a template of extents `templ`. If `finished` is false, only the
    /// regions passed to mapRegionFinished are read and drawn until mapEnded() is called.
    void setMap(std::shared_ptr<const method::MatchMap> map, const base::Extents& templ,
                bool finished, const base::Index& corner = {});
    /// The same for the map, until the next setMap(). It is used while its rule is bestRule() of
    /// the scale; mapPyramidChanged() says that regions were added.
    void setMapPyramid(std::shared_ptr<const Pyramid> pyramid);
    void mapPyramidChanged();
    /// Bytes of the textures of this view, at most nine for each of its pixels.
    [[nodiscard]] std::int64_t displayBytes() const;
    /// The voxels of `region` hold their final values and are drawn from now on.
    void mapRegionFinished(const base::Box& region);
    /// The run is over: the whole map is drawn, NOT_COMPUTED voxels hatched.
    void mapEnded();
    void setMapScale(const match::HeatmapScale& scale);
    [[nodiscard]] match::HeatmapScale mapScale() const;
    void setMapVisible(bool on);
    [[nodiscard]] bool mapVisible() const;
    void setMapOpacity(double opacity); ///< 0 .. 1
    [[nodiscard]] double mapOpacity() const;
    /// Another map, such as that of another result, in the same colours; null: none. Large maps are
    /// read without a pyramid, every n-th voxel where many share a pixel.
    void setOtherMap(std::shared_ptr<const method::MatchMap> map, const base::Extents& templ,
                     const base::Index& corner = {});
    /// Where the other map takes the place of the map: at a scene position of at least `share`
    /// (0 .. 1) of the image's length along the axis to the right. A line marks the place between 0
    /// and 1. 1, as at the beginning: only the map is shown; 0: only the other map.
    void setWipe(double share);
    [[nodiscard]] double wipe() const;
    /// Text beside the scalar bar.
    void setMapName(const std::string& name);
    /// Text over the map, such as "not verified"; empty: none.
    void setMapNote(const std::string& note);
    [[nodiscard]] const std::string& mapNote() const;

    // Marks.
    /// Draws peaks as boxes of the extents `templ`, or of a peak's own extents. In a volume, only
    /// the peaks whose box crosses the slice are drawn.
    void setPeaks(std::vector<PeakMark> peaks, const base::Extents& templ);
    /// The peak to highlight, an index into the list of setPeaks.
    void setSelectedPeak(std::optional<std::size_t> index);
    void setPeaksVisible(bool on);
    /// Of the peaks whose box contains the position, the one with the nearest centre.
    [[nodiscard]] std::optional<std::size_t> peakAt(DisplayPoint display) const;
    /// The drawn peaks whose centre lies inside a closed line, also where the line crosses itself;
    /// ascending.
    [[nodiscard]] std::vector<std::size_t> peaksInside(const std::vector<base::Point>& line) const;
    /// The drawn peaks that a straight stroke passes: within a quarter of the shorter side of their
    /// box, or within 6 logical pixels, of their centre; ascending.
    [[nodiscard]] std::vector<std::size_t> peaksAlong(const base::Point& from,
                                                      const base::Point& to) const;
    /// Without points: no line.
    void setStroke(Stroke stroke);

    /// Blobs are circles; in a volume, the circle in which the slice cuts the ball.
    void setBlobs(std::vector<BlobMark> blobs, std::optional<std::size_t> selected = {}) override;

    void setTemplateBox(const std::optional<base::Box>& box);
    [[nodiscard]] const std::optional<base::Box>& templateBox() const;
    /// The part of the template box at the position; edges are hit within `tolerance` logical
    /// pixels. A slice that the box does not cross has the same parts, with hollow handles.
    [[nodiscard]] BoxPart templateBoxPartAt(DisplayPoint display, double tolerance = 6) const;
    /// The box after `part` of `start` was dragged from one voxel position to another in this
    /// view: moved or resized, kept inside the image and at least one voxel large. An edge that is
    /// dragged beyond the opposite one takes its place.
    [[nodiscard]] base::Box draggedBox(const base::Box& start, BoxPart part,
                                       const base::Point& from, const base::Point& to) const;
    /// The new box that a drag spans in this view, `depth` voxels deep around the slice.
    [[nodiscard]] base::Box spannedBox(const base::Point& from, const base::Point& to,
                                       std::int64_t depth) const;

    /// Outlines the searched part of the scene with dashes; empty: no outline.
    void setRegion(const std::optional<base::Box>& region);
    /// The template's support: voxels where it is 0 are shaded in a template box of its extents and
    /// in the selected peak; where it is 2 or more, they have the weight (value - 1) / 255 and are
    /// shaded less. Null: no shade.
    void setTemplateSupport(std::shared_ptr<const base::Image<std::uint8_t>> support);
    /// The scene's support: voxels where it is 0 are shaded. Ignored unless it has the image's
    /// extents. Null: no shade.
    void setSceneSupport(std::shared_ptr<const base::Image<std::uint8_t>> support);

    /// Empty: no crosshair.
    void setCrosshair(const std::optional<base::Point>& voxel);
    void setScaleBarVisible(bool on);
    void setScalarBarVisible(bool on);
    void setAxisLettersVisible(bool on);

    /// The directions of the axes in a patient; letters stand at the edges of the view.
    void setAnatomy(const Anatomy& anatomy);
    /// Mirrors the view: the first axis of the plane runs to the left, the second one upwards.
    void setFlips(bool right, bool down);
    [[nodiscard]] std::array<bool, 2> flips() const;
    /// The flips that show a patient as physicians do: the head or the face up, the patient's right
    /// or the face at the left.
    [[nodiscard]] static std::array<bool, 2> usualFlips(const Anatomy& anatomy,
                                                        Orientation orientation);

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
    [[nodiscard]] const std::vector<Label>& labels() const override;
    /// Like voxelAt, but also outside the image.
    [[nodiscard]] base::Point planePointAt(DisplayPoint display) const;

  private:
    void addRenderers(vtkRenderWindow& window) override;
    void removeRenderers(vtkRenderWindow& window) override;
    void update() override;
    void resized() override;
    void coloursChanged() override;
    void imagePixels(const detail::TexelGrid& grid, const detail::TexelRect& rect,
                     std::uint8_t* out, std::int64_t rowBytes) const;
    void refit(); ///< fits again unless the user has moved the view

    struct State;
    std::unique_ptr<State> m_state;
};

} // namespace flcc::viz
