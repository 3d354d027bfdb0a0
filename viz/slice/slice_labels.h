#pragma once

#include <array>
#include <string>
#include <vector>

#include "engine/match/colour_map.h"
#include "viz/anatomy.h"
#include "viz/labels/scalar_bar.h"
#include "viz/slice/slice_marks.h"
#include "viz/slice/slice_plane.h"

namespace flcc::viz::detail {

/// Bars, letters, notes and numbers over a slice.
struct SliceLabels {
    bool scaleBarVisible = true;
    bool scalarBarVisible = true;
    bool axisLettersVisible = true;
    Anatomy anatomy;
    std::string mapName = "LCC";
    std::string mapNote;

    /// The heatmap that the labels are about.
    struct ShownMap {
        const match::HeatmapScale& scale;
        const ColourTable& table;
        bool bar = false;  ///< there is a map, and it is switched on
        bool note = false; ///< it is seen in this slice
    };
    using Reach = std::array<std::array<double, 2>, 2>; ///< edges of image and map, in voxels

    /// The margins in which the bars stand beside the fitted picture. None where the picture would
    /// be too small. `hasMap`: a hidden heatmap keeps its margin, so that the picture stays in
    /// place when it comes and goes.
    [[nodiscard]] Margins margins(const SlicePlane& plane, const Reach& reach, bool hasMap,
                                  int width, int height, double ratio) const;
    /// `numbered`: the peaks that show their number, the most important last.
    void draw(const Canvas& canvas, const SlicePlane& plane, const Reach& reach,
              const ShownMap& shown, const SliceMarks& marks,
              const std::vector<std::size_t>& numbered) const;

  private:
    void drawAnatomy(const Canvas& canvas, const SlicePlane& plane, double scalarBarBottom) const;
};

} // namespace flcc::viz::detail
