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
#include "viz/reduced_volume.h"
#include "viz/scene.h"

namespace flcc::viz {

/// The volume that is ray-cast.
enum class VolumeContent { Scene, Map, None };

/// How the slices stand in the 3D view.
enum class SliceStyle {
    Transparent, ///< voxels at or below the low end of the grey window are left out
    Opaque,
    Frame, ///< edges only
    Off
};

/// Colours and opacities of the ray-cast scene.
enum class VolumeLook { Grey, Mri, Ct, Fluorescence, Density, Maximum };

/// A point of a transfer function, which is linear between its points.
struct TransferPoint {
    double at = 0;      ///< share of the grey window, 0..1
    double opacity = 0; ///< 0..1
    match::Colour colour{255, 255, 255};
    friend bool operator==(const TransferPoint&, const TransferPoint&) = default;
};

/// The transfer function of the ray-cast scene.
struct VolumeTransfer {
    VolumeLook look = VolumeLook::Grey;
    double threshold = 0.27; ///< share of the grey window, 0..1, below which nothing is drawn
    double opacity = 1;      ///< factor, 0..1
    /// A curve of the user's own, in ascending order. It replaces colours, opacities and threshold
    /// of the look, which then only says whether the volume is shaded or a maximum. Empty: none.
    std::vector<TransferPoint> points{};
    friend bool operator==(const VolumeTransfer&, const VolumeTransfer&) = default;
};

/// The points that a transfer function draws with, without its factor of opacity.
[[nodiscard]] std::vector<TransferPoint> curveOf(const VolumeTransfer& transfer);

/// The part of the volume that is ray-cast.
enum class VolumeClip {
    None,
    Corner, ///< without the eighth before the crosshair
    Slab,   ///< around the XY slice; see setSlab()
    Box,    ///< inside the template box
    Region  ///< inside the searched part
};

/// A face of the clip that a drag moves along its axis.
struct ClipHandle {
    std::size_t axis = 0;
    bool last = false; ///< the face at the high end of the axis
    base::Point at{};  ///< where it is drawn, voxels
};

/// The side from which a volume is seen: of the patient where the axes are known, else of the grid,
/// with the first slice in front and row 0 on top.
enum class Side { Front, Back, Left, Right, Top, Bottom };

/// The rows of part `index` of `count` of a picture, from the top; counted from the bottom.
struct PartRows {
    int first = 0;
    int count = 0;
};
[[nodiscard]] PartRows partRows(int height, int index, int count);

/// A volume in 3D: the scene or the heatmap ray-cast, slice planes at the crosshair, outline,
/// peaks as boxes, orientation marker and scalar bar; axes as in SliceScene (y down, z away).
class VolumeScene final : public Scene {
  public:
    VolumeScene();
    ~VolumeScene() override;

    /// Shows `image` (null: nothing) from the standard direction. An image that ReducedVolume
    /// serves is ray-cast coarsely from some of its voxels until setReduced(); see note().
    /// **Cost**: bounded by the size of textures, not by the image.
    void setImage(std::shared_ptr<const base::AnyImage> image, const base::Geometry& geometry);
    /// The number of parts in which the host draws a frame while nothing moves, so that none holds
    /// up what else wants to be drawn: 1 while something moves, or if a frame is quick.
    [[nodiscard]] int fineParts() const;
    /// Restricts the next frame to part `index` of `count` horizontal parts, from the top; 0 of 1:
    /// the whole picture.
    void setPart(int index, int count);

    /// Shows another image of the same extents and spacing; everything else stays.
    void replaceImage(std::shared_ptr<const base::AnyImage> image);
    /// Averages of the image that is shown, until another image is. Null: none.
    void setReduced(std::shared_ptr<const ReducedVolume> reduced);
    /// Must not be empty. Counts as an input: see setInteractive.
    void setGreyWindow(const GreyWindow& window);
    void setContent(VolumeContent content);
    [[nodiscard]] VolumeContent content() const;
    /// The badge in the view: "reduced: 171x171x171 of 512x512x512 voxels", "first coarse picture:
    /// ..." until the reduced copy is there, or empty.
    [[nodiscard]] std::string note() const;

    // The heatmap, as in SliceScene.
    void setMap(std::shared_ptr<const method::MatchMap> map, const base::Extents& templ,
                bool finished, const base::Index& corner = {});
    void mapRegionFinished(const base::Box& region);
    void mapEnded();
    void setMapScale(const match::HeatmapScale& scale);
    void setMapName(const std::string& name);
    /// As SliceScene::setMapNote.
    void setMapNote(const std::string& note);
    void setMapVisible(bool on); ///< on the slice planes
    void setMapOpacity(double opacity);

    /// Blobs are spheres, each drawn as three circles.
    void setBlobs(std::vector<BlobMark> blobs, std::optional<std::size_t> selected = {}) override;
    /// As SliceScene::setPeaks.
    void setPeaks(std::vector<PeakMark> peaks, const base::Extents& templ);
    void setSelectedPeak(std::optional<std::size_t> index);
    void setPeaksVisible(bool on);
    /// The templates that PeakMark::shape counts.
    void setTemplateShapes(std::vector<TemplateShape> shapes);
    /// Shows the best 1000 peaks as the surface of their template instead of a box, coloured by the
    /// score. With PeakMark::turn it lies as that says; without, its size is proportional to the
    /// score's place on the scale, and that of the best peak has the template's own size.
    void setPeakSurfaces(bool on);
    [[nodiscard]] bool peakSurfaces() const;
    /// The peak whose centre is near a position, or else the first whose box lies under it.
    [[nodiscard]] std::optional<std::size_t> peakAt(DisplayPoint display) const;
    void setTemplateBox(const std::optional<base::Box>& box);
    /// Draws the searched part of the scene as a box; empty: no box.
    void setRegion(const std::optional<base::Box>& region);

    /// The template's support, shown in a template box of its extents and in the selected peak.
    /// Voxels where it is not 0 get a translucent surface; the others are shaded on the slice
    /// planes, as in SliceScene. Null: nothing is shown.
    void setTemplateSupport(std::shared_ptr<const base::Image<std::uint8_t>> support);
    /// The scene's support: voxels where it is 0 are bluish on the slice planes, and bluish and
    /// fainter when ray-cast. Ignored unless it has the image's extents. Null: nothing is shown.
    void setSceneSupport(std::shared_ptr<const base::Image<std::uint8_t>> support);

    /// The slice planes pass through the crosshair; empty: no slice planes.
    void setCrosshair(const std::optional<base::Point>& voxel);
    void setSliceStyle(SliceStyle style);
    [[nodiscard]] SliceStyle sliceStyle() const;

    // The look of the volume.
    void setTransfer(const VolumeTransfer& transfer);
    [[nodiscard]] const VolumeTransfer& transfer() const;
    void setClip(VolumeClip clip);
    [[nodiscard]] VolumeClip clip() const;
    /// The box that the clip keeps: the template box or the region; empty for the other clips.
    [[nodiscard]] std::optional<base::Box> clipBox() const;
    /// The handles of the clip: six of a box, two of a slab, three of a corner; none without a
    /// clip.
    [[nodiscard]] std::vector<ClipHandle> clipHandles() const;
    /// The handle within `tolerance` logical pixels of the position.
    [[nodiscard]] std::optional<ClipHandle> clipHandleAt(DisplayPoint display,
                                                         double tolerance = 4) const;
    /// By how many voxels a drag on the screen moves a handle along its axis; 0 if the axis points
    /// at the viewer.
    [[nodiscard]] double shiftAlong(const ClipHandle& handle, DisplayPoint from,
                                    DisplayPoint to) const;
    /// `start` with the face of the handle moved by voxels; at least one voxel, inside the volume.
    [[nodiscard]] base::Box resizedClip(const base::Box& start, const ClipHandle& handle,
                                        double shift) const;
    /// The thickness of VolumeClip::Slab in slices; 0: a tenth of the depth.
    void setSlab(std::int64_t slices);
    /// The threshold of peaks: the ray-cast heatmap is dense from here on, and the isosurface lies
    /// here.
    void setScoreThreshold(double score);
    /// Draws the surface on which the scores of a finished map reach the threshold.
    void setIsosurface(bool on);
    [[nodiscard]] bool isosurface() const;
    /// The directions of the axes in a patient; `upright`: resetView() shows the face, head up.
    void setAnatomy(const Anatomy& anatomy, bool upright);
    void lookFrom(Side side);
    /// Parallel projection: equal lengths look equal, however far they are.
    void setParallel(bool on);
    [[nodiscard]] bool parallel() const;

    void setScalarBarVisible(bool on);
    void setCrosshairVisible(bool on); ///< its lines; the slices stay
    void setOutlineVisible(bool on);   ///< the box around the volume

    // The camera.
    /// Turns the volume as a trackball by a drag in device pixels.
    void rotate(double dx, double dy);
    /// Turns the volume by degrees: its front to the right, and the eye above it.
    void turn(double right, double above);
    void fit() override; ///< keeps the direction
    void resetView();    ///< standard direction, fitted
    void zoomAt(DisplayPoint anchor, double factor) override;
    void pan(double dx, double dy) override;

    /// While on, coarser sampling keeps frames under 100 ms. rotate, pan, zoomAt and a new grey
    /// window turn it on. The host turns it off 300 ms after the last input; then the fine picture
    /// is drawn.
    void setInteractive(bool on);
    [[nodiscard]] bool interactive() const;

    /// Leaves the ray-cast volume out of the next frame and asks for another one: the first frame
    /// of a view compiles many shaders, and in two frames neither takes long.
    void deferVolume();

    /// The first point that the ray at `display` hits: on a slice plane, or else on the outline's
    /// box.
    [[nodiscard]] std::optional<base::Point> voxelAt(DisplayPoint display) const override;
    [[nodiscard]] DisplayPoint displayOf(const base::Point& voxel) const override;
    [[nodiscard]] const std::vector<Label>& labels() const override;

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
