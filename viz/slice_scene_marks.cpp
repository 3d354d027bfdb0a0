#include <algorithm>
#include <cmath>
#include <utility>
#include <vector>

#include "viz/detail/grey_pixels.h"
#include "viz/detail/scalar_bar.h"
#include "viz/detail/slice_state.h"
#include "viz/slice_scene.h"

namespace flcc::viz {

using detail::byAxis;
using detail::Canvas;

namespace {

constexpr match::Colour kShade{12, 13, 15}; // under coloured lines, so that they show on any ground

/// Rounds to the nearest voxel; halves go up, so that no voxel is hit twice.
std::int64_t nearest(double value) { return static_cast<std::int64_t>(std::floor(value + 0.5)); }

base::Box boxOf(const std::array<std::int64_t, 3>& corner,
                const std::array<std::int64_t, 3>& size) {
    return {{corner[0], corner[1], corner[2]}, {size[0], size[1], size[2]}};
}

void drawPeak(const Canvas& canvas, const std::array<double, 4>& e, const match::Colour& colour,
              bool selected) {
    const double r = canvas.ratio;
    const double thickness = selected ? 3 * r : 2 * r;
    canvas.marks.frame(e[0], e[1], e[2], e[3], thickness + 2 * r, kShade, selected ? 255 : 200);
    canvas.marks.frame(e[0], e[1], e[2], e[3], thickness,
                       selected ? canvas.colours.accent : colour);
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

} // namespace

std::array<double, 4> SliceScene::State::edges(const base::Point& centre,
                                               const std::array<double, 3>& size) const {
    const std::array<double, 2> middle = inPlane(centre);
    const std::array<double, 2> half{size[axes.right] / 2, size[axes.down] / 2};
    const DisplayPoint first = view.toDisplay({middle[0] - half[0], middle[1] - half[1]});
    const DisplayPoint last = view.toDisplay({middle[0] + half[0], middle[1] + half[1]});
    const auto [left, right] = std::minmax(first.x, last.x); // the view may be mirrored
    const auto [top, bottom] = std::minmax(first.y, last.y);
    return {left + 0.5, top + 0.5, right + 0.5, bottom + 0.5};
}

std::array<double, 4> SliceScene::State::edges(const base::Box& b) const {
    const auto corner = byAxis(b.corner);
    const auto size = byAxis(b.extents);
    base::Point centre{0, 0, 0};
    std::array<double, 3> length{0, 0, 0};
    for (std::size_t axis = 0; axis < 3; ++axis) {
        length[axis] = static_cast<double>(size[axis]);
        centre[axis] = static_cast<double>(corner[axis]) + (length[axis] - 1) / 2;
    }
    return edges(centre, length);
}

bool SliceScene::State::crosses(const base::Box& b) const {
    const std::int64_t first = byAxis(b.corner)[axes.depth];
    return slice >= first && slice < first + byAxis(b.extents)[axes.depth];
}

bool SliceScene::State::crosses(const PeakMark& peak) const {
    return std::abs(static_cast<double>(slice) - peak.centre[axes.depth]) <=
           sizeOf(peak)[axes.depth] / 2;
}

std::array<double, 3> SliceScene::State::sizeOf(const PeakMark& peak) {
    return {static_cast<double>(peak.templ.x), static_cast<double>(peak.templ.y),
            static_cast<double>(peak.templ.z)};
}

bool SliceScene::State::mapShown() const {
    return map.exists() && mapVisible && mapOpacity > 0 && mapSlice() >= 0 &&
           mapSlice() < byAxis(map.extents())[axes.depth];
}

void SliceScene::State::drawMarks(const SliceScene& scene) {
    const Canvas canvas{marks,          texts, scene.width(), scene.height(), scene.pixelRatio(),
                        scene.colours()};
    const auto colourOf = [&](const PeakMark& peak) -> const match::Colour& {
        return colours[detail::greyOf(static_cast<float>(peak.score), static_cast<float>(scale.low),
                                      detail::greyScale({scale.low, scale.high}))];
    };
    std::vector<std::size_t> numbered; // the weakest first
    const auto draw = [&](std::size_t i) {
        const auto e = edges(peaks[i].centre, sizeOf(peaks[i]));
        if (!crosses(peaks[i]) || e[2] < 0 || e[3] < 0 || e[0] > canvas.width ||
            e[1] > canvas.height) {
            return;
        }
        drawPeak(canvas, e, colourOf(peaks[i]), selectedPeak == i);
        if (peaks[i].number >= 1 && peaks[i].number <= kNumberedPeaks) {
            numbered.push_back(i);
        }
    };
    drawRegion(canvas);
    drawBlobs(canvas);
    if (peaksVisible && selectedPeak && *selectedPeak < peaks.size() &&
        peaks[*selectedPeak].shaded) {
        drawTemplateSupport(canvas, detail::voxelsUnder(peaks[*selectedPeak]));
    }
    if (box) {
        drawTemplateSupport(canvas, *box);
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
        drawTemplateBox(canvas, edges(*box), crosses(*box));
    }
    if (crosshair) {
        drawCrosshair(canvas, scene.displayOf(*crosshair));
    }
    drawLabels(canvas, numbered);
}

void SliceScene::setPeaks(std::vector<PeakMark> peaks, const base::Extents& templ) {
    for (PeakMark& peak : peaks) {
        peak.templ = peak.templ.x > 0 ? peak.templ : templ;
    }
    m_state->peaks = std::move(peaks);
    m_state->selectedPeak.reset();
    changed();
}

void SliceScene::setSelectedPeak(std::optional<std::size_t> index) {
    m_state->selectedPeak = index;
    changed();
}

void SliceScene::setPeaksVisible(bool on) {
    m_state->peaksVisible = on;
    changed();
}

std::optional<std::size_t> SliceScene::peakAt(DisplayPoint display) const {
    const State& s = *m_state;
    std::optional<std::size_t> best;
    double bestDistance = 0;
    const double slack = 3 * pixelRatio();
    for (std::size_t i = 0; i < s.peaks.size() && s.peaksVisible; ++i) {
        const auto e = s.edges(s.peaks[i].centre, State::sizeOf(s.peaks[i]));
        if (!s.crosses(s.peaks[i]) || display.x < e[0] - slack || display.x > e[2] + slack ||
            display.y < e[1] - slack || display.y > e[3] + slack) {
            continue;
        }
        const double distance =
            std::hypot(display.x - (e[0] + e[2]) / 2, display.y - (e[1] + e[3]) / 2);
        if (!best || distance < bestDistance) {
            best = i;
            bestDistance = distance;
        }
    }
    return best;
}

void SliceScene::setTemplateBox(const std::optional<base::Box>& box) {
    m_state->box = box;
    changed();
}

const std::optional<base::Box>& SliceScene::templateBox() const { return m_state->box; }

BoxPart SliceScene::templateBoxPartAt(DisplayPoint display, double tolerance) const {
    const State& s = *m_state;
    if (!s.box) {
        return BoxPart::None;
    }
    const auto e = s.edges(*s.box);
    const double reach = tolerance * pixelRatio();
    if (display.x < e[0] - reach || display.x > e[2] + reach || display.y < e[1] - reach ||
        display.y > e[3] + reach) {
        return BoxPart::None;
    }
    // -1, 0, 1: at the first edge, between, at the last one. In a box smaller than the reach the
    // nearer edge counts.
    const auto side = [reach](double at, double first, double last) {
        const bool nearFirst = std::abs(at - first) <= reach;
        const bool nearLast = std::abs(at - last) <= reach;
        if (nearFirst && (!nearLast || std::abs(at - first) < std::abs(at - last))) {
            return -1;
        }
        return nearLast ? 1 : 0;
    };
    constexpr BoxPart kParts[3][3] = {{BoxPart::TopLeft, BoxPart::Top, BoxPart::TopRight},
                                      {BoxPart::Left, BoxPart::Inside, BoxPart::Right},
                                      {BoxPart::BottomLeft, BoxPart::Bottom, BoxPart::BottomRight}};
    return kParts[side(display.y, e[1], e[3]) + 1][side(display.x, e[0], e[2]) + 1];
}

base::Box SliceScene::draggedBox(const base::Box& start, BoxPart part, const base::Point& from,
                                 const base::Point& to) const {
    const PlaneAxes& axes = m_state->axes;
    const auto count = byAxis(m_state->extents);
    auto corner = byAxis(start.corner);
    auto size = byAxis(start.extents);
    const auto moveFirst = [&](std::size_t axis) {
        const std::int64_t end = corner[axis] + size[axis];
        corner[axis] =
            std::clamp<std::int64_t>(corner[axis] + nearest(to[axis] - from[axis]), 0, end - 1);
        size[axis] = end - corner[axis];
    };
    const auto moveLast = [&](std::size_t axis) {
        size[axis] = std::clamp<std::int64_t>(size[axis] + nearest(to[axis] - from[axis]), 1,
                                              count[axis] - corner[axis]);
    };
    switch (part) {
    case BoxPart::None:
        return start;
    case BoxPart::Inside:
        for (const std::size_t axis : {axes.right, axes.down}) {
            corner[axis] =
                std::clamp<std::int64_t>(corner[axis] + nearest(to[axis] - from[axis]), 0,
                                         std::max<std::int64_t>(count[axis] - size[axis], 0));
        }
        return boxOf(corner, size);
    default:
        break;
    }
    bool left = part == BoxPart::Left || part == BoxPart::TopLeft || part == BoxPart::BottomLeft;
    bool right =
        part == BoxPart::Right || part == BoxPart::TopRight || part == BoxPart::BottomRight;
    bool top = part == BoxPart::Top || part == BoxPart::TopLeft || part == BoxPart::TopRight;
    bool bottom =
        part == BoxPart::Bottom || part == BoxPart::BottomLeft || part == BoxPart::BottomRight;
    if (flips()[0]) { // the left edge on the screen is the high end of the axis
        std::swap(left, right);
    }
    if (flips()[1]) {
        std::swap(top, bottom);
    }
    if (left) {
        moveFirst(axes.right);
    }
    if (right) {
        moveLast(axes.right);
    }
    if (top) {
        moveFirst(axes.down);
    }
    if (bottom) {
        moveLast(axes.down);
    }
    return boxOf(corner, size);
}

base::Box SliceScene::spannedBox(const base::Point& from, const base::Point& to,
                                 std::int64_t depth) const {
    const PlaneAxes& axes = m_state->axes;
    const auto count = byAxis(m_state->extents);
    std::array<std::int64_t, 3> corner{0, 0, 0};
    std::array<std::int64_t, 3> size{1, 1, 1};
    for (const std::size_t axis : {axes.right, axes.down}) {
        const auto inside = [&](double value) {
            return std::clamp<std::int64_t>(nearest(value), 0, count[axis] - 1);
        };
        corner[axis] = std::min(inside(from[axis]), inside(to[axis]));
        size[axis] = std::max(inside(from[axis]), inside(to[axis])) - corner[axis] + 1;
    }
    size[axes.depth] = std::clamp<std::int64_t>(depth, 1, count[axes.depth]);
    corner[axes.depth] = std::clamp<std::int64_t>(m_state->slice - (size[axes.depth] - 1) / 2, 0,
                                                  count[axes.depth] - size[axes.depth]);
    return boxOf(corner, size);
}

void SliceScene::setCrosshair(const std::optional<base::Point>& voxel) {
    m_state->crosshair = voxel;
    changed();
}

void SliceScene::setScaleBarVisible(bool on) {
    m_state->scaleBarVisible = on;
    refit();
}

void SliceScene::setScalarBarVisible(bool on) {
    m_state->scalarBarVisible = on;
    refit();
}

void SliceScene::setAxisLettersVisible(bool on) {
    m_state->axisLettersVisible = on;
    refit();
}

} // namespace flcc::viz
