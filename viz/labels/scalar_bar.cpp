#include "viz/labels/scalar_bar.h"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <optional>
#include <vector>

#include "viz/labels/bar_places.h"

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

void drawPlate(const Canvas& canvas, const Label& plate) {
    canvas.marks.rectangle(plate.left, plate.top, plate.right, plate.bottom, kGlass, kGlassAlpha);
    canvas.texts.reserve(plate);
}

double drawScalarBar(const Canvas& canvas, const match::HeatmapScale& scale,
                     const ColourTable& table, const std::string& name) {
    const double r = canvas.ratio;
    if (!barsOf(canvas.width, canvas.height, r, {.scalar = true}).scalar) {
        return 0;
    }
    const double height = std::min(180 * r, canvas.height * 0.5 - 10 * r);
    const double right = canvas.width - kBarGap * r;
    const double plateWidth = kScalarBarWidth * r;
    const double top = kBarGap * r;
    const double bottom = top + height + 36 * r;
    drawPlate(canvas, {name, right - plateWidth, top, right, bottom});
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
        return bottom;
    }
    tick(scale.high, decimals);
    // Round numbers between the ends, where there is room for them.
    const double stepValue = roundLength(range / 3);
    const double room = range * 16 * r / height;
    for (double value = std::ceil((scale.low + room) / stepValue) * stepValue;
         value <= scale.high - room; value += stepValue) {
        tick(std::abs(value) < stepValue / 2 ? 0 : value, decimals);
    }
    return bottom;
}

void drawMapNote(const Canvas& canvas, const std::string& note) {
    if (note.empty()) {
        return;
    }
    TextStyle style;
    style.colour = kPlateAccent;
    style.bold = true;
    style.plate = true;
    // Below a letter of the patient, beside or below the bars in a small view.
    std::vector<Spot> spots;
    for (const double y : {20.0, 42.0, 66.0, 90.0}) {
        for (const double x : {canvas.width / 2.0, canvas.width / 2.0 - 36 * canvas.ratio}) {
            spots.push_back({x, y * canvas.ratio});
        }
    }
    canvas.texts.place(spots, " " + note + " ", style);
}

void drawScaleBar(const Canvas& canvas, double unitsPerPixel, const std::string& unit,
                  const std::array<double, 4>& picture) {
    const double r = canvas.ratio;
    if (!(unitsPerPixel > 0) || !barsOf(canvas.width, canvas.height, r, {.scale = true}).scale) {
        return;
    }
    TextStyle style;
    style.colour = kGlassText;
    struct Bar {
        double pixels;
        double textWidth;
        bool flat; // the text beside the bar instead of above it
        Label plate;
    };
    const auto bar = [&](double left, double most, bool flat) {
        const double length = roundLength(most * unitsPerPixel);
        const double pixels = length / unitsPerPixel;
        char number[48];
        std::snprintf(number, sizeof number, "%g ", length);
        const std::string text = number + shownUnit(unit);
        const double width = canvas.texts.sizeOf(text, style)[0];
        const double edge = canvas.height - picture[3] - 18 * r;
        const double gap = flat ? std::clamp(edge, 2 * r, kBarGap * r) : kBarGap * r;
        const double bottom = canvas.height - gap;
        const double right =
            left + (flat ? pixels + width + 20 * r : std::max(pixels, width) + 14 * r);
        return Bar{pixels, width, flat, {text, left, bottom - (flat ? 18 : 26) * r, right, bottom}};
    };
    // As long as it may be; shorter where that fits beside the picture, flat where that fits below.
    // At the right of the axes where these are below the picture.
    const double longest = std::min(150 * r, canvas.width / 4.0);
    const double brief = std::min(longest / 2, (kSideStrip - 2 * kBarGap - 14) * r);
    const double left = kBarGap * r;
    const double right = left + (kAxesSide + kBarGap) * r;
    std::optional<Bar> chosen;
    for (const Bar& each : {bar(left, longest, false), bar(left, brief, false),
                            bar(left, longest, true), bar(right, longest, false)}) {
        if (!canvas.texts.isFree(each.plate) || (chosen && each.pixels < 18 * r)) {
            continue;
        }
        const double covered = coveredArea(each.plate, picture);
        if (!chosen || (covered == 0 && coveredArea(chosen->plate, picture) > 0)) {
            chosen = each;
        }
    }
    if (!chosen) {
        return;
    }
    const Label& plate = chosen->plate;
    drawPlate(canvas, plate);
    const double middle = (plate.left + plate.right) / 2;
    const double start = chosen->flat ? plate.left + 7 * r : middle - chosen->pixels / 2;
    const double top =
        chosen->flat ? (plate.top + plate.bottom) / 2 - 1.5 * r : plate.bottom - 8 * r;
    canvas.marks.rectangle(start, top, start + chosen->pixels, top + 3 * r, kGlassText);
    canvas.texts.add(chosen->flat ? start + chosen->pixels + 6 * r : middle - chosen->textWidth / 2,
                     chosen->flat ? top + 1.5 * r : plate.bottom - 17 * r, plate.text, style);
}

} // namespace flcc::viz::detail
