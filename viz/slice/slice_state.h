#pragma once

#include <array>
#include <memory>

#include <vtkNew.h>
#include <vtkRenderer.h>

#include "viz/labels/mark_batch.h"
#include "viz/labels/text_pool.h"
#include "viz/pixels/map_pixels.h"
#include "viz/slice/slice_labels.h"
#include "viz/slice/slice_marks.h"
#include "viz/slice/slice_plane.h"
#include "viz/slice/support_plane.h"
#include "viz/slice/visible_tile.h"
#include "viz/slice_scene.h"

namespace flcc::viz {

/// The state of a SliceScene and the VTK objects it draws with.
struct SliceScene::State {
    explicit State(Orientation shown) : plane(shown) {}

    detail::SlicePlane plane;
    std::shared_ptr<const base::AnyImage> image;
    std::shared_ptr<const Pyramid> imagePyramid;
    GreyWindow window;
    std::int64_t slabSlices = 1; ///< whose maximum is shown
    bool keepsFit = true;        ///< refit at every resize until the user moves the view
    bool interpolated = false;

    detail::ShownMap map;
    detail::ShownMap otherMap;
    double wipe = 1;
    match::HeatmapScale scale;
    detail::ColourTable colours = detail::colourTable(match::ColourMap::Viridis);
    bool mapVisible = true;
    double mapOpacity = 1;

    detail::SliceMarks marks;
    detail::SliceLabels labels;

    vtkNew<vtkRenderer> renderer;
    detail::VisibleTile imagePlane{*renderer, detail::VisibleTile::Kind::Grey, 0};
    detail::SupportPlane supportPlane{*renderer};
    detail::VisibleTile mapPlane{*renderer, detail::VisibleTile::Kind::Colour, -1};
    detail::VisibleTile otherPlane{*renderer, detail::VisibleTile::Kind::Colour, -1};
    detail::MarkBatch batch;
    detail::TextPool texts{*renderer};

    /// The slice of a map that is shown; it may lie outside the map.
    [[nodiscard]] std::int64_t sliceOf(const detail::ShownMap& of) const {
        return of.sliceAt(plane.slice, plane.axes.depth);
    }
    [[nodiscard]] bool isShown(const detail::ShownMap& of) const {
        return of.exists() && mapVisible && mapOpacity > 0 && sliceOf(of) >= 0 &&
               sliceOf(of) < detail::byAxis(of.extents())[plane.axes.depth];
    }
    [[nodiscard]] bool mapShown() const { return isShown(map) && (wipe > 0 || !otherMap.exists()); }
    [[nodiscard]] bool otherShown() const { return isShown(otherMap) && wipe < 1; }
    /// The scene position, in voxels along the axis to the right, at which the other map begins.
    [[nodiscard]] double wipePlace() const {
        return wipe * static_cast<double>(detail::byAxis(plane.extents)[plane.axes.right]) - 0.5;
    }
    void shape(detail::VisibleTile& tile, const detail::ShownMap& of) const;
    /// Draws the texels of a map at positions from `first` to `last` along the axis to the right.
    void draw(detail::VisibleTile& tile, const detail::ShownMap& of, double first, double last);
    /// The edges of image and map in the plane, in voxels.
    [[nodiscard]] detail::SliceLabels::Reach reach() const {
        return {map.reach(plane.extents, plane.axes.right),
                map.reach(plane.extents, plane.axes.down)};
    }
};

} // namespace flcc::viz
