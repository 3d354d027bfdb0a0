#include "viz/labels/axis_marks.h"

#include <array>

#include "viz/labels/bar_places.h"

namespace flcc::viz::detail {

match::Colour axisColour(std::size_t axis) {
    constexpr std::array<match::Colour, 3> kColours{
        {{255, 105, 97}, {119, 221, 119}, {108, 166, 255}}};
    return kColours[axis];
}

const char* axisLetter(std::size_t axis) {
    constexpr std::array<const char*, 3> kLetters{"x", "y", "z"};
    return kLetters[axis];
}

match::Colour mixed(const match::Colour& a, const match::Colour& b, double share) {
    match::Colour result{};
    for (std::size_t i = 0; i < 3; ++i) {
        result[i] = static_cast<std::uint8_t>(a[i] * (1 - share) + b[i] * share + 0.5);
    }
    return result;
}

void drawAxisMarks(const Canvas& canvas, const PlaneAxes& axes, const std::array<bool, 2>& flips,
                   const std::array<double, 4>& picture) {
    const double r = canvas.ratio;
    if (!barsOf(canvas.width, canvas.height, r, {.axes = true}).axes) {
        return;
    }
    const double gap = kBarGap * r;
    const double side = kAxesSide * r;
    const double left = gap;
    const Label above{"axes", left, gap, left + side, gap + side};
    const Label below{"axes", left, canvas.height - gap - side, left + side, canvas.height - gap};
    const bool low = coveredArea(above, picture) > 0 && coveredArea(below, picture) == 0;
    const double top = low ? below.top : above.top;
    const double length = 20 * r;
    const double head = 3.5 * r;
    const double toX = flips[0] ? -1 : 1;
    const double toY = flips[1] ? -1 : 1;
    const double originX = left + (flips[0] ? 36 : 10) * r;
    const double originY = top + (flips[1] ? 36 : 10) * r;
    drawPlate(canvas, low ? below : above);
    const match::Colour first = axisColour(axes.right);
    const match::Colour second = axisColour(axes.down);
    const double tipX = originX + toX * length;
    const double tipY = originY + toY * length;
    canvas.marks.line(originX, originY, tipX, originY, 1.6 * r, first);
    canvas.marks.line(tipX - toX * head, originY - head, tipX, originY, 1.6 * r, first);
    canvas.marks.line(tipX - toX * head, originY + head, tipX, originY, 1.6 * r, first);
    canvas.marks.line(originX, originY, originX, tipY, 1.6 * r, second);
    canvas.marks.line(originX - head, tipY - toY * head, originX, tipY, 1.6 * r, second);
    canvas.marks.line(originX + head, tipY - toY * head, originX, tipY, 1.6 * r, second);
    TextStyle style;
    style.bold = true;
    style.alignX = AlignX::Centre;
    style.colour = first;
    canvas.texts.add(tipX + toX * 8 * r, originY, axisLetter(axes.right), style);
    style.colour = second;
    canvas.texts.add(originX, tipY + toY * 8 * r, axisLetter(axes.down), style);
}

} // namespace flcc::viz::detail
