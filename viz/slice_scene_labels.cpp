#include <algorithm>
#include <array>
#include <cmath>
#include <ranges>

#include "viz/detail/axis_marks.h"
#include "viz/detail/bar_places.h"
#include "viz/detail/slice_state.h"
#include "viz/slice_scene.h"

// Bars, letters, notes and numbers over a slice.

namespace flcc::viz {

using detail::Canvas;

namespace {

/// Above, below or beside the box, wherever no other label is.
void drawNumber(const Canvas& canvas, const std::array<double, 4>& e, int number,
                const match::Colour& colour) {
    using detail::AlignX;
    using detail::AlignY;
    detail::TextStyle style;
    style.bold = true;
    style.plate = true;
    style.colour = colour;
    const double gap = 3 * canvas.ratio;
    const std::array<detail::Spot, 4> spots{{{e[0], e[1] - gap, AlignX::Left, AlignY::Bottom},
                                             {e[0], e[3] + gap, AlignX::Left, AlignY::Top},
                                             {e[2] + gap, e[1], AlignX::Left, AlignY::Top},
                                             {e[0] - gap, e[1], AlignX::Right, AlignY::Top}}};
    canvas.texts.place(spots, " " + std::to_string(number) + " ", style);
}

} // namespace

/// Letters of the patient's directions in the middle of the edges, the right one below the scalar
/// bar.
void SliceScene::State::drawAnatomy(const Canvas& canvas, double scalarBarBottom) const {
    const double r = canvas.ratio;
    if (!anatomy.known() || canvas.width < 140 * r || canvas.height < 140 * r) {
        return;
    }
    detail::TextStyle style;
    style.bold = true;
    style.plate = true;
    const auto place = [&](const std::array<detail::Spot, 2>& spots, std::size_t axis, bool high) {
        canvas.texts.place(
            spots, std::string{' ', high ? anatomy.high[axis] : anatomy.low(axis), ' '}, style);
    };
    const auto [flipRight, flipDown] = view.flips();
    const double gap = 14 * r;
    const double x = canvas.width / 2.0;
    const double y = canvas.height / 2.0;
    const double right = canvas.width - gap;
    const double bottom = canvas.height - gap;
    place({{{gap, y}, {gap, y + 2 * gap}}}, axes.right, flipRight);
    place({{{right, y}, {right, scalarBarBottom + gap}}}, axes.right, !flipRight);
    place({{{x, gap}, {x, 3 * gap}}}, axes.down, flipDown);
    place({{{x, bottom}, {1.5 * x, bottom}}}, axes.down, !flipDown);
}

detail::Margins SliceScene::State::margins(int width, int height, double ratio) const {
    // A hidden heatmap keeps its margin, so that the picture stays in place when it comes and goes.
    const detail::Bars bars =
        detail::barsOf(width, height, ratio,
                       {axisLettersVisible, scaleBarVisible, scalarBarVisible && map.exists()});
    const auto [side, below] = detail::barMargins(bars, ratio);
    const double besideSide = view.fittingZoom(reach(), side);
    const double aboveBelow = view.fittingZoom(reach(), below);
    // Beyond this a picture in a small view would become too small to be read.
    constexpr double kSmallest = 0.7;
    if (std::max(besideSide, aboveBelow) < kSmallest * view.fittingZoom(reach(), {})) {
        return {};
    }
    return besideSide >= aboveBelow ? side : below;
}

void SliceScene::State::drawLabels(const Canvas& canvas,
                                   const std::vector<std::size_t>& numbered) const {
    const auto [right, down] = reach();
    const DisplayPoint first = view.toDisplay({right[0], down[0]});
    const DisplayPoint last = view.toDisplay({right[1], down[1]});
    const std::array<double, 4> picture{
        std::min(first.x, last.x) + 0.5, std::min(first.y, last.y) + 0.5,
        std::max(first.x, last.x) + 0.5, std::max(first.y, last.y) + 0.5};
    // The furniture first, then the notes, then the numbers: what comes later keeps off the rest.
    if (axisLettersVisible) {
        detail::drawAxisMarks(canvas, axes, view.flips(), picture);
    }
    if (scaleBarVisible) {
        const double finer =
            std::min(std::abs(geometry.spacing[axes.right]), std::abs(geometry.spacing[axes.down]));
        detail::drawScaleBar(canvas, finer / view.zoom(), geometry.unit, picture);
    }
    const double scalarBarBottom = scalarBarVisible && map.exists() && mapVisible
                                       ? detail::drawScalarBar(canvas, scale, colours, mapName)
                                       : 0;
    if (axisLettersVisible) {
        drawAnatomy(canvas, scalarBarBottom);
    }
    if (mapShown()) {
        detail::drawMapNote(canvas, mapNote);
    }
    for (const std::size_t i : std::views::reverse(numbered)) {
        drawNumber(canvas, edges(peaks[i].centre, sizeOf(peaks[i])), peaks[i].number,
                   selectedPeak == i ? kPlateAccent : match::Colour{245, 245, 245});
    }
}

} // namespace flcc::viz
