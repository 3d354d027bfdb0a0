#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "engine/io/drawing.h"
#include "engine/job/job.h"
#include "engine/match/colour_map.h"

/// Pictures of the result of a match.
namespace flcc::job::detail {

/// lcc: from 0 to largestOfOthers(). Others: from the worst to the best value.
[[nodiscard]] match::HeatmapScale heatmapScale(const JobReport& report);

/// "LCC" or the name of another operation.
[[nodiscard]] std::string operationText(const JobResult& result);

/// The slice of the map that is drawn: `slice`, or that of the best peak.
[[nodiscard]] std::int64_t drawnSlice(const JobResult& result, std::optional<std::int64_t> slice);

/// A slice of an image as pixels, each the mean of `step` * `step` voxels (of maps the best value).
struct SlicePixels {
    std::vector<match::Colour> pixels;
    int columns = 0;
    int rows = 0;
    std::int64_t step = 1;
};

/// Grey values between the 0.5th and the 99.5th percentile of the slice; voxels that are no number
/// are hatched. `most`: pixels along an axis at most.
[[nodiscard]] SlicePixels greySlice(const base::AnyView& image, std::int64_t z, std::int64_t most);

/// Three panels of a drawing can share the place of the scene: `width` points for its extents.
struct PanelPlace {
    io::DrawingPoint corner;
    double perVoxelX = 1; ///< points
    double perVoxelY = 1;
    base::Extents scene{0, 0, 0};

    [[nodiscard]] double width() const { return perVoxelX * static_cast<double>(scene.x); }
    [[nodiscard]] double height() const { return perVoxelY * static_cast<double>(scene.y); }
    /// The middle of a voxel of the scene.
    [[nodiscard]] io::DrawingPoint at(double x, double y) const {
        return {corner.x + (x + 0.5) * perVoxelX, corner.y + (y + 0.5) * perVoxelY};
    }
};

/// Places the scene in a box of at most `width` * `height` points, its voxels as their spacing is.
[[nodiscard]] PanelPlace placeOf(const JobResult& result, io::DrawingPoint corner, double width,
                                 double height);

/// The slice of the scene behind slice `z` of the map, with the peaks whose template crosses it.
void drawScene(io::Drawing& drawing, const JobResult& result, const PanelPlace& place,
               std::int64_t z);
/// Slice `z` of the map where its placements lie in the scene, each at the centre of its panel.
void drawHeatmap(io::Drawing& drawing, const JobResult& result, const PanelPlace& place,
                 std::int64_t z);
/// A bar of a round length in the scene's unit below its place, 14 points high.
void drawScaleBar(io::Drawing& drawing, const JobResult& result, const PanelPlace& place);
/// The colours of the heatmap, 10 points wide, with numbers on the right, 45 points.
void drawColourBar(io::Drawing& drawing, const JobResult& result, io::DrawingPoint corner,
                   double height);

/// The scores of the map on a logarithmic axis, with the threshold and the listed peaks. Needs a
/// map.
[[nodiscard]] io::Drawing histogramOf(const JobResult& result, double threshold);

/// The sorted scores of both hands as curves, with the threshold.
[[nodiscard]] io::Drawing handsOf(const HandednessReport& hands);

} // namespace flcc::job::detail
