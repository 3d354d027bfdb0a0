#include "viz/slice/slice_marks.h"

#include <algorithm>
#include <cmath>
#include <numbers>
#include <tuple>
#include <utility>

#include "viz/pixels/grey_pixels.h"
#include "viz/pixels/turned_box.h"

namespace flcc::viz::detail {
namespace {

constexpr match::Colour kShade{12, 13, 15}; // under coloured lines, so that they show on any ground

void drawPeak(const Canvas& canvas, const std::array<double, 4>& e, const match::Colour& colour,
              bool selected) {
    const double r = canvas.ratio;
    const double thickness = selected ? 3 * r : 2 * r;
    canvas.marks.frame(e[0], e[1], e[2], e[3], thickness + 2 * r, kShade, selected ? 255 : 200);
    canvas.marks.frame(e[0], e[1], e[2], e[3], thickness,
                       selected ? canvas.colours.accent : colour);
}

/// The box of a turned template where the slice cuts it; in a flat image with a tick from its upper
/// edge to its middle.
void drawTurned(const Canvas& canvas, const SlicePlane& plane, const PeakMark& peak,
                const match::Colour& colour, bool selected) {
    const TurnedBox box(peak);
    const auto shown = [&](const base::Point& at) {
        return plane.view.toDisplay(plane.inPlane(at));
    };
    std::vector<std::pair<DisplayPoint, DisplayPoint>> lines;
    const std::vector<base::Point> outline =
        box.crossSection(plane.axes.depth, static_cast<double>(plane.slice));
    for (std::size_t i = 0; i < outline.size(); ++i) {
        lines.emplace_back(shown(outline[i]), shown(outline[(i + 1) % outline.size()]));
    }
    if (plane.extents.z == 1) {
        const double y = box.half()[1];
        lines.emplace_back(shown(box.placed({0, -y, 0})), shown(box.placed({0, -y / 2, 0})));
    }
    const double r = canvas.ratio;
    const double thickness = selected ? 3 * r : 2 * r;
    const auto draw = [&](double width, const match::Colour& ink, std::uint8_t alpha) {
        for (const auto& [from, to] : lines) {
            canvas.marks.line(from.x, from.y, to.x, to.y, width, ink, alpha);
        }
    };
    draw(thickness + 2 * r, kShade, selected ? 255 : 200);
    draw(thickness, selected ? canvas.colours.accent : colour, 255);
}

void drawTemplateBox(const Canvas& canvas, const std::array<double, 4>& e, bool crossed) {
    const double r = canvas.ratio;
    const match::Colour& accent = canvas.colours.accent;
    canvas.marks.frame(e[0], e[1], e[2], e[3], 4 * r, kShade, crossed ? 190 : 110);
    canvas.marks.frame(e[0], e[1], e[2], e[3], 2 * r, accent, crossed ? 255 : 170);
    // On a small box handles would hide what is inside: its middle ones go, then all.
    const double smaller = std::min(e[2] - e[0], e[3] - e[1]);
    if (smaller < 16 * r) {
        return;
    }
    const double half = 4 * r;
    for (int i = 0; i < 3; ++i) {
        for (int j = 0; j < 3; ++j) {
            if ((i == 1 && j == 1) || ((i == 1 || j == 1) && smaller < 36 * r)) {
                continue;
            }
            const double x = e[0] + (e[2] - e[0]) * i / 2;
            const double y = e[1] + (e[3] - e[1]) * j / 2;
            canvas.marks.rectangle(x - half, y - half, x + half, y + half, kShade);
            if (crossed) {
                canvas.marks.rectangle(x - half + r, y - half + r, x + half - r, y + half - r,
                                       accent);
            } else { // hollow: the box lies in other slices
                canvas.marks.frame(x - half + r, y - half + r, x + half - r, y + half - r, 1.5 * r,
                                   accent);
            }
        }
    }
}

/// Two lines with a gap around the point itself.
void drawCrosshair(const Canvas& canvas, DisplayPoint at) {
    const double r = canvas.ratio;
    const double x = at.x + 0.5;
    const double y = at.y + 0.5;
    const double gap = 9 * r;
    const double half = std::max(0.5, r / 2);
    const match::Colour& colour = canvas.colours.crosshair;
    canvas.marks.rectangle(0, y - half, x - gap, y + half, colour, 210);
    canvas.marks.rectangle(x + gap, y - half, canvas.width, y + half, colour, 210);
    canvas.marks.rectangle(x - half, 0, x + half, y - gap, colour, 210);
    canvas.marks.rectangle(x - half, y + gap, x + half, canvas.height, colour, 210);
}

/// An ellipse inside a rectangle of left, top, right, bottom edges.
void drawEllipse(const Canvas& canvas, const std::array<double, 4>& e, double thickness,
                 const match::Colour& colour, std::uint8_t alpha) {
    const double x = (e[0] + e[2]) / 2;
    const double y = (e[1] + e[3]) / 2;
    const double rx = (e[2] - e[0]) / 2;
    const double ry = (e[3] - e[1]) / 2;
    const int count = std::clamp(static_cast<int>(2 * std::max(rx, ry)), 12, 96);
    const auto at = [&](int i) {
        const double angle = 2 * std::numbers::pi * i / count;
        return std::array<double, 2>{x + rx * std::cos(angle), y + ry * std::sin(angle)};
    };
    for (int i = 0; i < count; ++i) {
        const auto from = at(i);
        const auto to = at(i + 1);
        canvas.marks.line(from[0], from[1], to[0], to[1], thickness, colour, alpha);
    }
}

/// Whether a closed line goes around a point, by its winding number.
bool windsAround(const SlicePlane& plane, const std::vector<base::Point>& line,
                 const base::Point& point) {
    const auto [x, y] = plane.inPlane(point);
    int turns = 0;
    for (std::size_t i = 0; i < line.size(); ++i) {
        const auto [x0, y0] = plane.inPlane(line[i]);
        const auto [x1, y1] = plane.inPlane(line[(i + 1) % line.size()]);
        if ((y0 <= y) != (y1 <= y)) {
            const double crossing = x0 + (y - y0) / (y1 - y0) * (x1 - x0);
            turns += crossing > x ? (y1 > y0 ? 1 : -1) : 0;
        }
    }
    return turns != 0;
}

/// How far a point is from the line between `a` and `b`.
double distanceTo(DisplayPoint point, DisplayPoint a, DisplayPoint b) {
    const double dx = b.x - a.x;
    const double dy = b.y - a.y;
    const double square = dx * dx + dy * dy;
    const double share =
        square > 0 ? std::clamp(((point.x - a.x) * dx + (point.y - a.y) * dy) / square, 0.0, 1.0)
                   : 0;
    return std::hypot(point.x - a.x - share * dx, point.y - a.y - share * dy);
}

constexpr double kDash = 8; // logical pixels, and as much between two

/// Dashes along the edge of a rectangle, dark ones under those of `colour`.
void drawDashes(const Canvas& canvas, const std::array<double, 4>& e, const match::Colour& colour,
                std::uint8_t alpha) {
    const double r = canvas.ratio;
    const double dash = kDash * r;
    const auto across = [&](double from, double to, double limit, const auto& draw) {
        // Only what can be seen: a region may be much larger than the view.
        const double skipped = from < 0 ? std::floor(-from / (2 * dash)) * 2 * dash : 0;
        for (double at = from + skipped; at < std::min(to, limit); at += 2 * dash) {
            draw(at, std::min(at + dash, to));
        }
    };
    for (const auto& [half, shown, opacity] :
         {std::tuple(2 * r, kTemplateShade, static_cast<std::uint8_t>(alpha * 3 / 4)),
          std::tuple(r, colour, alpha)}) {
        for (const double y : {e[1], e[3]}) {
            across(e[0], e[2], canvas.width, [&, y](double from, double to) {
                canvas.marks.rectangle(from, y - half, to, y + half, shown, opacity);
            });
        }
        for (const double x : {e[0], e[2]}) {
            across(e[1], e[3], canvas.height, [&, x](double from, double to) {
                canvas.marks.rectangle(x - half, from, x + half, to, shown, opacity);
            });
        }
    }
}

} // namespace

void SliceMarks::clear() {
    peaks.clear();
    selectedPeak.reset();
    blobs.clear();
    selectedBlob.reset();
    box.reset();
    region.reset();
    templSupport.reset();
    crosshair.reset();
    stroke = {};
}

std::vector<std::size_t> SliceMarks::draw(const Canvas& canvas, const SlicePlane& plane,
                                          const match::HeatmapScale& scale,
                                          const ColourTable& table) const {
    const auto colourOf = [&](const PeakMark& peak) -> const match::Colour& {
        return peak.colour ? *peak.colour
               : peak.grey
                   ? kGreyMark
                   : table[greyOf(static_cast<float>(peak.score), static_cast<float>(scale.low),
                                  greyScale({scale.low, scale.high}))];
    };
    std::vector<std::size_t> numbered; // the weakest first
    const auto draw = [&](std::size_t i) {
        const auto e = plane.edges(peaks[i].centre, sizeOf(peaks[i]));
        if (!plane.crosses(peaks[i]) || e[2] < 0 || e[3] < 0 || e[0] > canvas.width ||
            e[1] > canvas.height) {
            return;
        }
        const match::Colour& colour = peaks[i].chosen ? canvas.colours.accent : colourOf(peaks[i]);
        if (peaks[i].turn) {
            drawTurned(canvas, plane, peaks[i], colour, selectedPeak == i);
        } else {
            drawPeak(canvas, e, colour, selectedPeak == i);
        }
        if (peaks[i].number >= 1 && peaks[i].number <= kNumberedPeaks) {
            numbered.push_back(i);
        }
    };
    drawRegion(canvas, plane);
    drawBlobs(canvas, plane);
    if (peaksVisible && selectedPeak && *selectedPeak < peaks.size() &&
        peaks[*selectedPeak].shaded) {
        drawSupport(canvas, plane, voxelsUnder(peaks[*selectedPeak]));
    }
    if (box) {
        drawSupport(canvas, plane, *box);
    }
    if (peaksVisible) {
        // The best ones are drawn last, the selected one above all.
        for (std::size_t i = peaks.size(); i-- > 0;) {
            if (selectedPeak != i) {
                draw(i);
            }
        }
        if (selectedPeak && *selectedPeak < peaks.size()) {
            draw(*selectedPeak);
        }
    }
    if (box) {
        drawTemplateBox(canvas, plane.edges(*box), plane.crosses(*box));
    }
    if (crosshair) {
        drawCrosshair(canvas, plane.view.toDisplay(plane.inPlane(*crosshair)));
    }
    drawStroke(canvas, plane);
    return numbered;
}

/// Thin where it closes itself.
void SliceMarks::drawStroke(const Canvas& canvas, const SlicePlane& plane) const {
    const auto at = [&](std::size_t i) {
        return plane.view.toDisplay(plane.inPlane(stroke.path[i]));
    };
    const auto draw = [&](DisplayPoint a, DisplayPoint b, double thickness) {
        canvas.marks.line(a.x, a.y, b.x, b.y, (thickness + 2) * canvas.ratio, kShade, 190);
        canvas.marks.line(a.x, a.y, b.x, b.y, thickness * canvas.ratio, canvas.colours.accent);
    };
    for (std::size_t i = 1; i < stroke.path.size(); ++i) {
        draw(at(i - 1), at(i), 2);
    }
    if (stroke.closed && stroke.path.size() > 2) {
        draw(at(stroke.path.size() - 1), at(0), 1);
    }
}

void SliceMarks::drawRegion(const Canvas& canvas, const SlicePlane& plane) const {
    if (region) {
        drawDashes(canvas, plane.edges(*region), canvas.colours.region,
                   plane.crosses(*region) ? 255 : 110);
    }
}

void SliceMarks::drawBlobs(const Canvas& canvas, const SlicePlane& plane) const {
    const auto draw = [&](std::size_t i) {
        const BlobMark& blob = blobs[i];
        const base::Point& edges = blob.edges;
        const double off = edges[plane.axes.depth] *
                           (static_cast<double>(plane.slice) - blob.centre[plane.axes.depth]);
        const double square = blob.radius * blob.radius - off * off;
        if (plane.extents.z > 1 && square <= 0) {
            return;
        }
        const double diameter = 2 * (plane.extents.z > 1 ? std::sqrt(square) : blob.radius);
        const auto e = plane.edges(blob.centre,
                                   {diameter / edges[0], diameter / edges[1], diameter / edges[2]});
        if (e[2] < 0 || e[3] < 0 || e[0] > canvas.width || e[1] > canvas.height) {
            return;
        }
        const bool selected = selectedBlob == i;
        const double r = canvas.ratio;
        drawEllipse(canvas, e, (selected ? 5 : 3.5) * r, kShade, 190);
        drawEllipse(canvas, e, (selected ? 3 : 1.5) * r,
                    selected ? canvas.colours.accent : kBlobColour, 255);
    };
    // The strongest are drawn last, the selected one above all.
    for (std::size_t i = blobs.size(); i-- > 0;) {
        if (selectedBlob != i) {
            draw(i);
        }
    }
    if (selectedBlob && *selectedBlob < blobs.size()) {
        draw(*selectedBlob);
    }
}

void SliceMarks::drawSupport(const Canvas& canvas, const SlicePlane& plane,
                             const base::Box& at) const {
    if (!templSupport || !(templSupport->extents() == at.extents) || !plane.crosses(at)) {
        return;
    }
    const auto support = templSupport->view();
    const std::array<std::int64_t, 3> strides{1, support.rowStride(), support.sliceStride()};
    const auto corner = byAxis(at.corner);
    const auto size = byAxis(at.extents);
    const std::int64_t offset =
        (plane.slice - corner[plane.axes.depth]) * strides[plane.axes.depth];
    for (std::int64_t j = 0; j < size[plane.axes.down]; ++j) {
        const std::uint8_t* const row = support.data() + offset + j * strides[plane.axes.down];
        const auto valueAt = [&](std::int64_t i) { return row[i * strides[plane.axes.right]]; };
        for (std::int64_t i = 0; i < size[plane.axes.right];) {
            std::int64_t end = i;
            while (end < size[plane.axes.right] && valueAt(end) == valueAt(i)) {
                ++end;
            }
            if (const double opacity = shadeOf(valueAt(i)); opacity > 0) {
                base::Box run = at;
                std::array<std::int64_t, 3> first = corner;
                std::array<std::int64_t, 3> count{1, 1, 1};
                first[plane.axes.right] += i;
                first[plane.axes.down] += j;
                first[plane.axes.depth] = plane.slice;
                count[plane.axes.right] = end - i;
                run = {{first[0], first[1], first[2]}, {count[0], count[1], count[2]}};
                const auto e = plane.edges(run);
                canvas.marks.rectangle(e[0], e[1], e[2], e[3], kTemplateShade,
                                       static_cast<std::uint8_t>(std::lround(255 * opacity)));
            }
            i = end;
        }
    }
}

std::optional<std::size_t> SliceMarks::peakAt(const SlicePlane& plane, DisplayPoint display,
                                              double slack) const {
    const auto [right, down] = plane.view.toVoxel(display);
    base::Point point{};
    point[plane.axes.right] = right;
    point[plane.axes.down] = down;
    point[plane.axes.depth] = static_cast<double>(plane.slice);
    const auto& aspect = plane.view.aspect();
    const double voxels = slack / (plane.view.zoom() * std::min(aspect[0], aspect[1]));
    std::optional<std::size_t> best;
    double bestDistance = 0;
    for (std::size_t i = 0; i < peaks.size() && peaksVisible; ++i) {
        if (!plane.crosses(peaks[i]) || !TurnedBox(peaks[i]).contains(point, voxels)) {
            continue;
        }
        const DisplayPoint centre = plane.view.toDisplay(plane.inPlane(peaks[i].centre));
        const double distance = std::hypot(display.x - centre.x, display.y - centre.y);
        if (!best || distance < bestDistance) {
            best = i;
            bestDistance = distance;
        }
    }
    return best;
}

std::vector<std::size_t> SliceMarks::peaksInside(const SlicePlane& plane,
                                                 const std::vector<base::Point>& line) const {
    std::vector<std::size_t> inside;
    for (std::size_t i = 0; i < peaks.size() && peaksVisible; ++i) {
        if (plane.crosses(peaks[i]) && windsAround(plane, line, peaks[i].centre)) {
            inside.push_back(i);
        }
    }
    return inside;
}

std::vector<std::size_t> SliceMarks::peaksAlong(const SlicePlane& plane, const base::Point& from,
                                                const base::Point& to, double least) const {
    const DisplayPoint a = plane.view.toDisplay(plane.inPlane(from));
    const DisplayPoint b = plane.view.toDisplay(plane.inPlane(to));
    std::vector<std::size_t> passed;
    for (std::size_t i = 0; i < peaks.size() && peaksVisible; ++i) {
        if (plane.crosses(peaks[i])) {
            const auto e = plane.edges(peaks[i].centre, sizeOf(peaks[i]));
            const double reach = std::max(std::min(e[2] - e[0], e[3] - e[1]) / 4, least);
            const DisplayPoint centre = plane.view.toDisplay(plane.inPlane(peaks[i].centre));
            if (distanceTo(centre, a, b) <= reach) {
                passed.push_back(i);
            }
        }
    }
    return passed;
}

} // namespace flcc::viz::detail
