#pragma once

#include <optional>
#include <vector>

#include "engine/match/colour_map.h"
#include "viz/labels/scalar_bar.h"
#include "viz/pixels/support.h"
#include "viz/slice/slice_plane.h"

namespace flcc::viz::detail {

/// Peaks, blobs, boxes and crosshair over a slice.
struct SliceMarks {
    std::vector<PeakMark> peaks;
    std::optional<std::size_t> selectedPeak;
    bool peaksVisible = true;
    std::vector<BlobMark> blobs;
    std::optional<std::size_t> selectedBlob;
    std::optional<base::Box> box;
    std::optional<base::Box> region;
    Support templSupport;
    std::optional<base::Point> crosshair;
    Stroke stroke;

    /// Forgets what belongs to an image; what is visible stays.
    void clear();
    /// Draws the marks in the colours of a heatmap. Returns the peaks that show their number, the
    /// most important last.
    [[nodiscard]] std::vector<std::size_t> draw(const Canvas& canvas, const SlicePlane& plane,
                                                const match::HeatmapScale& scale,
                                                const ColourTable& table) const;
    /// Of the peaks whose box contains the position, within `slack` pixels, the one with the
    /// nearest centre.
    [[nodiscard]] std::optional<std::size_t> peakAt(const SlicePlane& plane, DisplayPoint display,
                                                    double slack) const;
    /// The drawn peaks whose centre lies inside a closed line.
    [[nodiscard]] std::vector<std::size_t> peaksInside(const SlicePlane& plane,
                                                       const std::vector<base::Point>& line) const;
    /// The drawn peaks that a stroke passes, within `least` pixels or more, see SliceScene.
    [[nodiscard]] std::vector<std::size_t> peaksAlong(const SlicePlane& plane,
                                                      const base::Point& from,
                                                      const base::Point& to, double least) const;

  private:
    void drawStroke(const Canvas& canvas, const SlicePlane& plane) const;
    void drawRegion(const Canvas& canvas, const SlicePlane& plane) const;
    void drawBlobs(const Canvas& canvas, const SlicePlane& plane) const;
    /// Shades the ignored voxels of a box; does nothing where the extents differ.
    void drawSupport(const Canvas& canvas, const SlicePlane& plane, const base::Box& at) const;
};

} // namespace flcc::viz::detail
