#include "viz/slice/slice_labels.h"

#include <algorithm>
#include <cmath>
#include <ranges>

#include "viz/labels/axis_marks.h"
#include "viz/labels/bar_places.h"

namespace flcc::viz::detail {
namespace {

/// Above, below or beside the box, wherever no other label is.
void drawNumber(const Canvas& canvas, const std::array<double, 4>& e, int number,
                const match::Colour& colour) {
    TextStyle style;
    style.bold = true;
    style.plate = true;
    style.colour = colour;
    const double gap = 3 * canvas.ratio;
    const std::array<Spot, 4> spots{{{e[0], e[1] - gap, AlignX::Left, AlignY::Bottom},
                                     {e[0], e[3] + gap, AlignX::Left, AlignY::Top},
                                     {e[2] + gap, e[1], AlignX::Left, AlignY::Top},
                                     {e[0] - gap, e[1], AlignX::Right, AlignY::Top}}};
    canvas.texts.place(spots, " " + std::to_string(number) + " ", style);
}

} // namespace

Margins SliceLabels::margins(const SlicePlane& plane, const Reach& reach, bool hasMap, int width,
                             int height, double ratio) const {
    const Bars bars = barsOf(width, height, ratio,
                             {axisLettersVisible, scaleBarVisible, scalarBarVisible && hasMap});
    const auto [side, below] = barMargins(bars, ratio);
    const double besideSide = plane.view.fittingZoom(reach, side);
    const double aboveBelow = plane.view.fittingZoom(reach, below);
    // Beyond this a picture in a small view would become too small to be read.
    constexpr double kSmallest = 0.7;
    if (std::max(besideSide, aboveBelow) < kSmallest * plane.view.fittingZoom(reach, {})) {
        return {};
    }
    return besideSide >= aboveBelow ? side : below;
}

/// Letters of the patient's directions in the middle of the edges, the right one below the scalar
/// bar.
void SliceLabels::drawAnatomy(const Canvas& canvas, const SlicePlane& plane,
                              double scalarBarBottom) const {
    const double r = canvas.ratio;
    if (!anatomy.known() || canvas.width < 140 * r || canvas.height < 140 * r) {
        return;
    }
    TextStyle style;
    style.bold = true;
    style.plate = true;
    const auto place = [&](const std::array<Spot, 2>& spots, std::size_t axis, bool high) {
        canvas.texts.place(
            spots, std::string{' ', high ? anatomy.high[axis] : anatomy.low(axis), ' '}, style);
    };
    const auto [flipRight, flipDown] = plane.view.flips();
    const double gap = 14 * r;
    const double x = canvas.width / 2.0;
    const double y = canvas.height / 2.0;
    const double right = canvas.width - gap;
    const double bottom = canvas.height - gap;
    place({{{gap, y}, {gap, y + 2 * gap}}}, plane.axes.right, flipRight);
    place({{{right, y}, {right, scalarBarBottom + gap}}}, plane.axes.right, !flipRight);
    place({{{x, gap}, {x, 3 * gap}}}, plane.axes.down, flipDown);
    place({{{x, bottom}, {1.5 * x, bottom}}}, plane.axes.down, !flipDown);
}

void SliceLabels::draw(const Canvas& canvas, const SlicePlane& plane, const Reach& reach,
                       const ShownMap& shown, const SliceMarks& marks,
                       const std::vector<std::size_t>& numbered) const {
    const DisplayPoint first = plane.view.toDisplay({reach[0][0], reach[1][0]});
    const DisplayPoint last = plane.view.toDisplay({reach[0][1], reach[1][1]});
    const std::array<double, 4> picture{
        std::min(first.x, last.x) + 0.5, std::min(first.y, last.y) + 0.5,
        std::max(first.x, last.x) + 0.5, std::max(first.y, last.y) + 0.5};
    // The furniture first, then the notes, then the numbers: what comes later keeps off the rest.
    if (axisLettersVisible) {
        drawAxisMarks(canvas, plane.axes, plane.view.flips(), picture);
    }
    if (scaleBarVisible) {
        const double finer = std::min(std::abs(plane.geometry.spacing[plane.axes.right]),
                                      std::abs(plane.geometry.spacing[plane.axes.down]));
        drawScaleBar(canvas, finer / plane.view.zoom(), plane.geometry.unit, picture);
    }
    const double scalarBarBottom = scalarBarVisible && shown.bar
                                       ? drawScalarBar(canvas, shown.scale, shown.table, mapName)
                                       : 0;
    if (axisLettersVisible) {
        drawAnatomy(canvas, plane, scalarBarBottom);
    }
    if (shown.note) {
        drawMapNote(canvas, mapNote);
    }
    for (const std::size_t i : std::views::reverse(numbered)) {
        const PeakMark& peak = marks.peaks[i];
        drawNumber(canvas, plane.edges(peak.centre, sizeOf(peak)), peak.number,
                   marks.selectedPeak == i ? kPlateAccent : match::Colour{245, 245, 245});
    }
}

} // namespace flcc::viz::detail
