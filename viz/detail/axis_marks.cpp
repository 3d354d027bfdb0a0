#include "viz/detail/axis_marks.h"

#include <array>

namespace flcc::viz::detail {

io::Colour axisColour(std::size_t axis) {
    constexpr std::array<io::Colour, 3> kColours{
        {{255, 105, 97}, {119, 221, 119}, {108, 166, 255}}};
    return kColours[axis];
}

const char* axisLetter(std::size_t axis) {
    constexpr std::array<const char*, 3> kLetters{"x", "y", "z"};
    return kLetters[axis];
}

void drawAxisMarks(const Canvas& canvas, const PlaneAxes& axes) {
    const double r = canvas.ratio;
    if (canvas.width < 140 * r || canvas.height < 140 * r) {
        return;
    }
    const double left = 10 * r;
    const double top = 10 * r;
    const double length = 26 * r;
    const double head = 4 * r;
    const double originX = left + 12 * r;
    const double originY = top + 12 * r;
    canvas.marks.rectangle(left, top, left + 58 * r, top + 58 * r, canvas.colours.background, 190);
    const io::Colour first = axisColour(axes.right);
    const io::Colour second = axisColour(axes.down);
    const double tipX = originX + length;
    const double tipY = originY + length;
    canvas.marks.line(originX, originY, tipX, originY, 1.6 * r, first);
    canvas.marks.line(tipX - head, originY - head, tipX, originY, 1.6 * r, first);
    canvas.marks.line(tipX - head, originY + head, tipX, originY, 1.6 * r, first);
    canvas.marks.line(originX, originY, originX, tipY, 1.6 * r, second);
    canvas.marks.line(originX - head, tipY - head, originX, tipY, 1.6 * r, second);
    canvas.marks.line(originX + head, tipY - head, originX, tipY, 1.6 * r, second);
    TextStyle style;
    style.bold = true;
    style.alignX = AlignX::Centre;
    style.colour = first;
    canvas.texts.add(tipX + 10 * r, originY, axisLetter(axes.right), style);
    style.colour = second;
    canvas.texts.add(originX, tipY + 10 * r, axisLetter(axes.down), style);
}

} // namespace flcc::viz::detail
