#pragma once

#include <array>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include <vtkNew.h>
#include <vtkRenderer.h>

#include "viz/detail/map_pixels.h"
#include "viz/detail/mark_batch.h"
#include "viz/detail/plane_view.h"
#include "viz/detail/scalar_bar.h"
#include "viz/detail/support.h"
#include "viz/detail/text_pool.h"
#include "viz/detail/visible_tile.h"
#include "viz/slice_scene.h"

namespace flcc::viz {

/// The state of a SliceScene and the VTK objects it draws with.
struct SliceScene::State {
    explicit State(Orientation shown) : orientation(shown), axes(axesOf(shown)) {}

    Orientation orientation;
    PlaneAxes axes;

    std::shared_ptr<const base::AnyImage> image;
    std::shared_ptr<const Pyramid> imagePyramid;
    base::Extents extents{0, 0, 0};
    base::Geometry geometry;
    GreyWindow window;
    std::int64_t slice = 0;
    std::int64_t slabSlices = 1; ///< whose maximum is shown
    bool keepsFit = true;        ///< refit at every resize until the user moves the view
    detail::PlaneView view;

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
    std::vector<BlobMark> blobs;
    std::optional<std::size_t> selectedBlob;
    std::optional<base::Box> box;
    std::optional<base::Box> region;
    detail::Support templSupport;
    detail::Support sceneSupport;
    std::optional<base::Point> crosshair;
    bool interpolated = false;
    bool scaleBarVisible = true;
    bool scalarBarVisible = true;
    bool axisLettersVisible = true;
    Anatomy anatomy;

    vtkNew<vtkRenderer> renderer;
    detail::VisibleTile imagePlane{*renderer, detail::VisibleTile::Kind::Grey, 0};
    detail::VisibleTile supportPlane{*renderer, detail::VisibleTile::Kind::Colour, -0.5};
    detail::VisibleTile mapPlane{*renderer, detail::VisibleTile::Kind::Colour, -1};
    detail::MarkBatch marks;
    detail::TextPool texts{*renderer};

    /// The two coordinates of a point that lie in the plane.
    [[nodiscard]] std::array<double, 2> inPlane(const base::Point& voxel) const {
        return {voxel[axes.right], voxel[axes.down]};
    }
    /// Left, top, right, bottom edge in pixels from the corner of the view.
    [[nodiscard]] std::array<double, 4> edges(const base::Point& centre,
                                              const std::array<double, 3>& size) const;
    [[nodiscard]] std::array<double, 4> edges(const base::Box& box) const;
    [[nodiscard]] bool crosses(const base::Box& box) const; ///< the box crosses the slice
    [[nodiscard]] bool crosses(const PeakMark& peak) const; ///< the peak's box crosses the slice
    [[nodiscard]] static std::array<double, 3> sizeOf(const PeakMark& peak);
    /// The slice of the map that is shown; it may lie outside the map.
    [[nodiscard]] std::int64_t mapSlice() const { return map.sliceAt(slice, axes.depth); }
    [[nodiscard]] bool mapShown() const;

    /// The edges of image and map on an axis of the volume, in voxels.
    [[nodiscard]] std::array<std::array<double, 2>, 2> reach() const {
        return {map.reach(extents, axes.right), map.reach(extents, axes.down)};
    }
    /// The margins in which the bars stand beside the fitted picture. None where the picture would
    /// be too small.
    [[nodiscard]] detail::Margins margins(int width, int height, double ratio) const;

    void drawMarks(const SliceScene& scene);
    void drawAnatomy(const detail::Canvas& canvas, double scalarBarBottom) const;
    /// `numbered`: the peaks that show their number, the most important last.
    void drawLabels(const detail::Canvas& canvas, const std::vector<std::size_t>& numbered) const;
    void drawBlobs(const detail::Canvas& canvas) const;
    void drawRegion(const detail::Canvas& canvas) const;
    /// Shades the ignored voxels of a box; does nothing where the extents differ.
    void drawTemplateSupport(const detail::Canvas& canvas, const base::Box& at) const;
    [[nodiscard]] bool sceneSupportShown() const {
        return image && sceneSupport && sceneSupport->extents() == extents;
    }
    void shapeSupportPlane();
    void imagePixels(const std::array<std::int64_t, 2>& slab, const detail::TexelGrid& grid,
                     const detail::TexelRect& rect, std::uint8_t* out, std::int64_t rowBytes) const;
    void supportPixels(const detail::TexelGrid& grid, const detail::TexelRect& rect,
                       std::uint8_t* out, std::int64_t rowBytes) const;
};

} // namespace flcc::viz
