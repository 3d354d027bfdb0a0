#include <algorithm>
#include <array>
#include <tuple>
#include <utility>

#include <vtkCamera.h>

#include "viz/detail/axis_marks.h"
#include "viz/detail/volume_state.h"
#include "viz/volume_scene.h"

// Bars, notes and numbers over the 3D view.

namespace flcc::viz {
namespace {

constexpr match::Colour kOpenNumber{245, 245, 245};
constexpr match::Colour kHiddenNumber{165, 170, 178}; // behind a slice

/// Three arrows at the bottom left, above a note that is there, which turn with the camera, the far
/// ones first.
void drawOrientation(const detail::Canvas& canvas, vtkCamera& camera, const Anatomy& anatomy) {
    const double r = canvas.ratio;
    if (canvas.width < 160 * r || canvas.height < 160 * r) {
        return;
    }
    std::array<double, 3> forward{};
    std::array<double, 3> up{};
    camera.GetDirectionOfProjection(forward.data());
    camera.GetViewUp(up.data());
    const std::array<double, 3> right{forward[1] * up[2] - forward[2] * up[1],
                                      forward[2] * up[0] - forward[0] * up[2],
                                      forward[0] * up[1] - forward[1] * up[0]};
    const double length = 22 * r;
    Label plate{"axes", 8 * r, canvas.height - 80 * r, 80 * r, canvas.height - 8 * r};
    if (!canvas.texts.isFree(plate)) {
        plate.top -= 18 * r;
        plate.bottom -= 18 * r;
    }
    detail::drawPlate(canvas, plate);
    const double x = (plate.left + plate.right) / 2;
    const double y = (plate.top + plate.bottom) / 2;
    std::array<std::size_t, 3> order{0, 1, 2};
    std::sort(order.begin(), order.end(),
              [&](std::size_t a, std::size_t b) { return forward[a] > forward[b]; });
    for (const std::size_t axis : order) {
        const double dx = right[axis];
        const double dy = -up[axis];
        const match::Colour colour = detail::mixed(detail::axisColour(axis), detail::kGlass,
                                                   std::clamp(forward[axis], 0.0, 1.0) * 0.45);
        const double tipX = x + dx * length;
        const double tipY = y + dy * length;
        canvas.marks.line(x, y, tipX, tipY, 2.4 * r, colour);
        detail::TextStyle style;
        style.bold = true;
        style.alignX = detail::AlignX::Centre;
        style.colour = colour;
        canvas.texts.add(tipX + dx * 8 * r, tipY + dy * 8 * r,
                         anatomy.known() ? std::string(1, anatomy.high[axis])
                                         : std::string(detail::axisLetter(axis)),
                         style);
    }
}

} // namespace

/// The numbers of the best peaks that are in view. Where two would overlap, the better one stays,
/// and one before the slices rather than one behind them, which is fainter.
void VolumeScene::State::drawNumbers(const VolumeScene& scene, const detail::Canvas& canvas) {
    struct Numbered {
        bool selected;
        bool open; ///< no slice lies before it
        std::size_t peak;
    };
    std::vector<Numbered> labels;
    for (std::size_t i = 0; i < peaks.size() && peaksVisible; ++i) {
        if (peaks[i].number < 1 || peaks[i].number > kNumberedPeaks) {
            continue;
        }
        const DisplayPoint at = scene.displayOf(peaks[i].centre);
        if (at.x >= 0 && at.y >= 0 && at.x < canvas.width && at.y < canvas.height &&
            !scene.behindEye(peaks[i].centre)) {
            labels.push_back({selectedPeak == i, !scene.hiddenBySlice(peaks[i].centre), i});
        }
    }
    std::ranges::sort(labels, [this](const Numbered& a, const Numbered& b) {
        return std::tuple(b.selected, b.open, peaks[a.peak].number) <
               std::tuple(a.selected, a.open, peaks[b.peak].number);
    });
    for (const Numbered& label : labels) {
        base::Point top = peaks[label.peak].centre;
        base::Point bottom = top;
        top[1] -= static_cast<double>(peaks[label.peak].templ.y) / 2;
        bottom[1] += static_cast<double>(peaks[label.peak].templ.y) / 2;
        DisplayPoint above = scene.displayOf(top);
        DisplayPoint below = scene.displayOf(bottom);
        if (above.y > below.y) {
            std::swap(above, below);
        }
        const double gap = 2 * canvas.ratio;
        const std::array<detail::Spot, 2> spots{
            {{above.x, above.y - gap, detail::AlignX::Centre, detail::AlignY::Bottom},
             {below.x, below.y + gap, detail::AlignX::Centre, detail::AlignY::Top}}};
        detail::TextStyle style;
        style.bold = true;
        style.plate = true;
        style.colour = label.selected ? kPlateAccent : label.open ? kOpenNumber : kHiddenNumber;
        canvas.texts.place(spots, " " + std::to_string(peaks[label.peak].number) + " ", style);
    }
}

void VolumeScene::State::drawMarks(const VolumeScene& scene) {
    const detail::Canvas canvas{
        marks, texts, scene.width(), scene.height(), scene.pixelRatio(), scene.colours()};
    const double r = canvas.ratio;
    drawHiddenBoxes(scene);
    drawClipHandles(scene, canvas);
    // What comes later keeps off what is there.
    if (scalarBarVisible && map.exists() && (mapVisible || content == VolumeContent::Map)) {
        detail::drawScalarBar(canvas, scale, colours, mapName);
    }
    if (map.exists() && (mapVisible || content == VolumeContent::Map)) {
        detail::drawMapNote(canvas, mapNote);
    }
    const std::string note = scene.note();
    if (!note.empty()) {
        detail::TextStyle style;
        style.colour = kPlateAccent;
        style.points = 10;
        style.plate = true;
        const std::array<detail::Spot, 1> spots{
            {{canvas.width - 12 * r, canvas.height - 14 * r, detail::AlignX::Right}}};
        canvas.texts.place(spots, " " + note + " ", style);
    }
    drawOrientation(canvas, *renderer->GetActiveCamera(), anatomy);
    drawNumbers(scene, canvas);
}

} // namespace flcc::viz
