#pragma once

#include <array>
#include <chrono>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include <vtkColorTransferFunction.h>
#include <vtkGPUVolumeRayCastMapper.h>
#include <vtkNew.h>
#include <vtkPiecewiseFunction.h>
#include <vtkRenderer.h>
#include <vtkSmartPointer.h>
#include <vtkVolume.h>
#include <vtkVolumeProperty.h>

#include "viz/detail/box_lines.h"
#include "viz/detail/map_pixels.h"
#include "viz/detail/mark_batch.h"
#include "viz/detail/part_camera.h"
#include "viz/detail/scalar_bar.h"
#include "viz/detail/score_surface.h"
#include "viz/detail/slice_quad.h"
#include "viz/detail/support.h"
#include "viz/detail/support_surface.h"
#include "viz/detail/template_surface.h"
#include "viz/detail/text_pool.h"
#include "viz/detail/volume_texture.h"
#include "viz/volume_scene.h"

namespace flcc::viz {

/// The state of a VolumeScene and the VTK objects it draws with. The VTK world is voxel * aspect;
/// its unit is the finest side of a voxel.
struct VolumeScene::State {
    State();

    std::shared_ptr<const base::AnyImage> image;
    std::shared_ptr<const ReducedVolume> reduced; ///< of a large image, when it is there
    base::Extents extents{0, 0, 0};
    base::Point aspect{1, 1, 1};
    GreyWindow window;
    GreyWindow textureWindow; ///< the one the scene's texture was made with
    VolumeContent content = VolumeContent::Scene;

    detail::ShownMap map;
    match::HeatmapScale scale;
    detail::ColourTable colours = detail::colourTable(match::ColourMap::Viridis);
    bool mapVisible = true;
    double mapOpacity = 1;
    std::string mapName = "LCC";
    std::string mapNote;

    std::vector<PeakMark> peaks;
    std::optional<std::size_t> selectedPeak;
    bool peaksVisible = true;
    std::vector<TemplateShape> shapes; ///< of the peaks
    bool surfacesWanted = false;       ///< of the templates, at their peaks
    std::vector<BlobMark> blobs;
    std::optional<std::size_t> selectedBlob;
    std::optional<base::Box> box;
    std::optional<base::Box> region;
    detail::Support templSupport;
    detail::Support sceneSupport;
    std::optional<base::Point> crosshair;
    SliceStyle sliceStyle = SliceStyle::Transparent;
    VolumeTransfer transfer;
    VolumeClip clip = VolumeClip::None;
    std::int64_t slabSlices = 0; ///< 0: a tenth of the depth
    std::optional<double> scoreThreshold;
    bool isosurface = false;
    Anatomy anatomy;
    bool upright = true;
    std::array<double, 3> vertical{0, -1, 0}; ///< upwards, about which the view turns
    bool scalarBarVisible = true;
    bool outlineVisible = true;
    bool crosshairVisible = true;

    // Parts that must be rebuilt before the next frame.
    bool sceneTextureStale = true;
    bool mapTextureStale = true;            ///< rebuild from the whole readable map
    std::vector<base::Box> freshMapRegions; ///< to be added to the texture
    bool slicesStale = true;
    std::array<std::int64_t, 3> drawnSlices{-1, -1, -1}; ///< by axis; another one is drawn anew
    bool linesStale = true;
    bool surfacesStale = true; ///< of the template's support
    bool mapHasHoles = true;   ///< some voxels have no value, or none yet
    bool peakSurfacesStale = true;
    bool keepsFit = true; ///< refit at every resize until the user moves the view

    // Quality.
    bool interactive = false;
    bool volumeDeferred = false; ///< to the frame after the next one
    double coarse = 2;           ///< pixels per ray while interactive
    bool coarseDrawn = false;    ///< the last frame was a coarse one
    double fineSeconds = 0;      ///< expected time of a fine frame
    int lastParts = 1;           ///< of how many the last frame was one
    bool slowMoves = false;      ///< the coarsest frame took too long: no isosurface while moving

    vtkNew<vtkRenderer> renderer;
    vtkSmartPointer<detail::PartCamera> camera =
        vtkSmartPointer<detail::PartCamera>::Take(detail::PartCamera::New());
    vtkSmartPointer<vtkGPUVolumeRayCastMapper> caster =
        vtkSmartPointer<vtkGPUVolumeRayCastMapper>::New();
    vtkNew<vtkColorTransferFunction> colourFunction;
    vtkNew<vtkPiecewiseFunction> opacityFunction;
    vtkNew<vtkColorTransferFunction> markedColours; ///< of LOWCONF scores and ignored voxels
    vtkNew<vtkPiecewiseFunction> outsideOpacity;    ///< of ignored voxels
    vtkNew<vtkVolumeProperty> property;
    vtkNew<vtkVolume> volume;
    detail::VolumeTexture sceneTexture;
    detail::VolumeTexture mapTexture;
    std::array<detail::SliceQuad, 3> slices{detail::SliceQuad(*renderer, Orientation::XY),
                                            detail::SliceQuad(*renderer, Orientation::XZ),
                                            detail::SliceQuad(*renderer, Orientation::YZ)};
    detail::BoxLines outline;
    detail::BoxLines crossLines; ///< not in clean pictures
    detail::BoxLines peakLines;
    detail::BoxLines selectedLines;
    detail::BoxLines blobLines;
    detail::ScoreSurface scoreSurface;
    detail::SupportSurface boxSurface;
    detail::SupportSurface peakSurface;
    std::vector<vtkSmartPointer<vtkPolyData>> shapeSurfaces; ///< as `shapes`, made when shown
    std::int64_t shapeTriangles = 0; ///< they are made again for less, or for much more of them
    std::vector<std::unique_ptr<detail::PeakSurfaces>> peakSurfaces; ///< one a shape
    detail::MarkBatch marks;
    detail::TextPool texts{*renderer};

    [[nodiscard]] base::Point world(const base::Point& voxel) const {
        return {voxel[0] * aspect[0], voxel[1] * aspect[1], voxel[2] * aspect[2]};
    }
    /// The outer corner of the volume's first or one past its last voxel.
    [[nodiscard]] base::Point corner(bool last) const;
    /// The slice along `axis` that the crosshair lies on.
    [[nodiscard]] std::int64_t sliceAt(std::size_t axis) const;
    [[nodiscard]] bool slicesShown() const {
        return image && crosshair &&
               (sliceStyle == SliceStyle::Transparent || sliceStyle == SliceStyle::Opaque);
    }
    [[nodiscard]] bool mapCast() const { return content == VolumeContent::Map && map.exists(); }
    /// Parts of a map that is drawn in space still wait for their frame.
    [[nodiscard]] bool mapFills() const {
        return mapTexture.exists() && !freshMapRegions.empty() && (mapCast() || isosurface);
    }
    [[nodiscard]] match::Colour colourOf(double score) const;
    [[nodiscard]] bool parallel() const;
    [[nodiscard]] double size() const; ///< the diagonal of the volume, in the world
    /// Where the ray that hits a point of the world comes from.
    [[nodiscard]] base::Point eyeOf(const base::Point& at) const;

    /// Call when a peak or the template box has changed.
    void marksChanged() {
        linesStale = true;
        slicesStale = slicesStale || templSupport;
    }

    void updateVolume();
    void updateMapTexture();
    void updateTransfer(); ///< volume_transfer.cpp, and the next three
    void setMapTransfer();
    void setSceneTransfer();
    void updateClip();
    [[nodiscard]] std::optional<detail::ScoreSurface::Cut> cut() const;
    void updateIsosurface();
    void addSliceFrames();
    void shapeMapTexture();
    void updateQuality();
    void updateSlices();
    void updateLines(const VolumeScene& scene);
    [[nodiscard]] bool hasSurface(std::size_t peak) const;
    void makeShapeSurfaces(std::int64_t peakCount);
    void updatePeakSurfaces();
    void addBlobs(const ViewColours& look);
    void updateSurfaces(const ViewColours& look);
    /// Whether the template's support shades the template box, and which peak it shades.
    [[nodiscard]] bool boxShaded() const;
    [[nodiscard]] std::optional<base::Box> shadedPeak() const;
    [[nodiscard]] bool sceneSupportShown() const {
        return image && sceneSupport && sceneSupport->extents() == extents;
    }
    /// The outer corners of a box of voxels.
    [[nodiscard]] std::array<base::Point, 2> cornersOf(const base::Box& of) const;
    [[nodiscard]] std::array<base::Point, 2> cornersOf(const PeakMark& peak) const;
    void drawMarks(const VolumeScene& scene);
    void drawClipHandles(const VolumeScene& scene, const detail::Canvas& canvas);
    void drawHiddenBox(const VolumeScene& scene, const base::Point& centre,
                       const base::Extents& size);
    void drawHiddenBoxes(const VolumeScene& scene);
    void drawNumbers(const VolumeScene& scene, const detail::Canvas& canvas);
};

} // namespace flcc::viz
