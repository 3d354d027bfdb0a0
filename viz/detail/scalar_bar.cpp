#include "viz/detail/scalar_bar.h"

#include <algorithm>
#include <cmath>
#include <cstdio>

namespace flcc::viz::detail {
namespace {

std::string numberText(double value, int decimals) {
    char text[32];
    std::snprintf(text, sizeof text, "%.*f", decimals, value == 0 ? 0.0 : value);
    return text;
}

/// Digits that tell the ends and the quarters of a range apart.
int decimalsFor(double range) {
    return range > 0 ? std::clamp(static_cast<int>(std::ceil(1 - std::log10(range))), 2, 6) : 2;
}

std::string shownUnit(const std::string& unit) {
    return unit == "um" ? "\xC2\xB5m" : unit == "A" ? "\xC3\x85" : unit;
}

} // namespace

double roundLength(double length) {
    const double power = std::pow(10.0, std::floor(std::log10(length)));
    const double first = length / power;
    return (first >= 5 ? 5 : first >= 2 ? 2 : 1) * power;
}

void drawScalarBar(const Canvas& canvas, const match::HeatmapScale& scale, const ColourTable& table,
                   const std::string& name) {
    const double r = canvas.ratio;
    const double height = std::min(180 * r, canvas.height * 0.5 - 10 * r);
    if (height < 60 * r || canvas.width < 200 * r) {
        return;
    }
    const double right = canvas.width - 8 * r;
    const double plateWidth = 62 * r;
    const double top = 8 * r;
    canvas.marks.rectangle(right - plateWidth, top, right, top + height + 36 * r, kGlass,
                           kGlassAlpha);
    const double barTop = top + 26 * r;
    const double barLeft = right - plateWidth + 8 * r;
    const double barRight = barLeft + 12 * r;
    const double step = height / 256;
    for (std::size_t i = 0; i < 256; ++i) {
        const double y = barTop + height - step * static_cast<double>(i);
        canvas.marks.rectangle(barLeft, y - step, barRight, y, table[i]);
    }
    TextStyle style;
    style.colour = kGlassText;
    style.bold = true;
    canvas.texts.add(barLeft, top + 12 * r, name, style);
    style.bold = false;
    style.points = 10;
    const double range = scale.high - scale.low;
    const auto tick = [&](double value, int decimals) {
        const double y = barTop + height * (1 - (range > 0 ? (value - scale.low) / range : 0));
        canvas.marks.rectangle(barRight, y - r / 2, barRight + 3 * r, y + r / 2, kGlassText);
        canvas.texts.add(barRight + 6 * r, y, numberText(value, decimals), style);
    };
    const int decimals = decimalsFor(range);
    tick(scale.low, decimals);
    if (!(range > 0)) {
        return;
    }
    tick(scale.high, decimals);
    // Round numbers between the ends, where there is room for them.
    const double stepValue = roundLength(range / 3);
    const double room = range * 16 * r / height;
    for (double value = std::ceil((scale.low + room) / stepValue) * stepValue;
         value <= scale.high - room; value += stepValue) {
        tick(std::abs(value) < stepValue / 2 ? 0 : value, decimals);
    }
}

void drawMapNote(const Canvas& canvas, const std::string& note) {
    if (note.empty()) {
        return;
    }
    TextStyle style;
    style.colour = kPlateAccent;
    style.bold = true;
    style.plate = true;
    style.alignX = AlignX::Centre;
    canvas.texts.add(canvas.width / 2.0, 20 * canvas.ratio, " " + note + " ", style);
}

void drawScaleBar(const Canvas& canvas, double unitsPerPixel, const std::string& unit) {
    const double r = canvas.ratio;
    const double longest = std::min(150 * r, canvas.width / 4.0);
    if (!(unitsPerPixel > 0) || longest < 40 * r || canvas.height < 100 * r) {
        return;
    }
    const double length = roundLength(longest * unitsPerPixel);
    const double pixels = length / unitsPerPixel;
    char text[48];
    std::snprintf(text, sizeof text, "%g ", length);
    const double left = 8 * r;
    const double bottom = canvas.height - 8 * r;
    const double plate = std::max(pixels, 46 * r) + 14 * r;
    canvas.marks.rectangle(left, bottom - 26 * r, left + plate, bottom, kGlass, kGlassAlpha);
    const double barLeft = left + (plate - pixels) / 2;
    canvas.marks.rectangle(barLeft, bottom - 8 * r, barLeft + pixels, bottom - 5 * r, kGlassText);
    TextStyle style;
    style.colour = kGlassText;
    style.alignX = AlignX::Centre;
    canvas.texts.add(left + plate / 2, bottom - 17 * r, text + shownUnit(unit), style);
}

} // namespace flcc::viz::detail
