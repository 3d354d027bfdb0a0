#include "viz/volume/volume_labels.h"

#include <algorithm>
#include <array>
#include <tuple>
#include <utility>
#include <vector>

#include <vtkCamera.h>

#include "viz/labels/axis_marks.h"
#include "viz/pixels/grey_pixels.h"
#include "viz/pixels/turned_box.h"
#include "viz/volume/volume_clip.h"

namespace flcc::viz::detail {
namespace {

constexpr std::uint8_t kHiddenAlpha = 130;
constexpr match::Colour kOpenNumber{245, 245, 245};
constexpr match::Colour kHiddenNumber{165, 170, 178}; // behind a slice

/// Three arrows at the bottom left, above a note that is there, which turn with the camera, the far
/// ones first.
void drawOrientation(const Canvas& canvas, vtkCamera& camera, const Anatomy& anatomy) {
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
    drawPlate(canvas, plate);
    const double x = (plate.left + plate.right) / 2;
    const double y = (plate.top + plate.bottom) / 2;
    std::array<std::size_t, 3> order{0, 1, 2};
    std::sort(order.begin(), order.end(),
              [&](std::size_t a, std::size_t b) { return forward[a] > forward[b]; });
    for (const std::size_t axis : order) {
        const double dx = right[axis];
        const double dy = -up[axis];
        const match::Colour colour =
            mixed(axisColour(axis), kGlass, std::clamp(forward[axis], 0.0, 1.0) * 0.45);
        const double tipX = x + dx * length;
        const double tipY = y + dy * length;
        canvas.marks.line(x, y, tipX, tipY, 2.4 * r, colour);
        TextStyle style;
        style.bold = true;
        style.alignX = AlignX::Centre;
        style.colour = colour;
        canvas.texts.add(tipX + dx * 8 * r, tipY + dy * 8 * r,
                         anatomy.known() ? std::string(1, anatomy.high[axis])
                                         : std::string(axisLetter(axis)),
                         style);
    }
}

/// The numbers of the best peaks that are in view. Where two would overlap, the better one stays,
/// and one before the slices rather than one behind them, which is fainter.
void drawNumbers(const Canvas& canvas, const VolumeModel& model, const VolumeCamera& camera) {
    struct Numbered {
        bool selected;
        bool open; ///< no slice lies before it
        std::size_t peak;
    };
    std::vector<Numbered> labels;
    for (std::size_t i = 0; i < model.peaks.size() && model.peaksVisible; ++i) {
        if (model.peaks[i].number < 1 || model.peaks[i].number > kNumberedPeaks) {
            continue;
        }
        const DisplayPoint at = camera.displayOf(model.peaks[i].centre);
        if (at.x >= 0 && at.y >= 0 && at.x < canvas.width && at.y < canvas.height &&
            !camera.behindEye(model.peaks[i].centre)) {
            labels.push_back(
                {model.selectedPeak == i, !camera.hiddenBySlice(model.peaks[i].centre), i});
        }
    }
    std::ranges::sort(labels, [&model](const Numbered& a, const Numbered& b) {
        return std::tuple(b.selected, b.open, model.peaks[a.peak].number) <
               std::tuple(a.selected, a.open, model.peaks[b.peak].number);
    });
    for (const Numbered& label : labels) {
        base::Point top = model.peaks[label.peak].centre;
        base::Point bottom = top;
        const double reach = TurnedBox(model.peaks[label.peak]).reach(1);
        top[1] -= reach;
        bottom[1] += reach;
        DisplayPoint above = camera.displayOf(top);
        DisplayPoint below = camera.displayOf(bottom);
        if (above.y > below.y) {
            std::swap(above, below);
        }
        const double gap = 2 * canvas.ratio;
        const std::array<Spot, 2> spots{{{above.x, above.y - gap, AlignX::Centre, AlignY::Bottom},
                                         {below.x, below.y + gap, AlignX::Centre, AlignY::Top}}};
        TextStyle style;
        style.bold = true;
        style.plate = true;
        style.colour = label.selected ? kPlateAccent : label.open ? kOpenNumber : kHiddenNumber;
        canvas.texts.place(spots, " " + std::to_string(model.peaks[label.peak].number) + " ",
                           style);
    }
}

/// A whole box, faintly over all that lies before it: the slices often pass through it, so that
/// they hide a half.
void drawHiddenBox(const Canvas& canvas, const VolumeCamera& camera, const TurnedBox& box) {
    std::array<DisplayPoint, 8> corners{};
    for (std::size_t corner = 0; const base::Point& at : box.corners()) {
        if (camera.behindEye(at)) {
            return;
        }
        corners[corner++] = camera.displayOf(at);
    }
    eachEdge([&](std::size_t a, std::size_t b) {
        canvas.marks.line(corners[a].x + 0.5, corners[a].y + 0.5, corners[b].x + 0.5,
                          corners[b].y + 0.5, 2 * canvas.ratio, canvas.colours.accent,
                          kHiddenAlpha);
    });
}

/// The selected peak's, and that of the template unless it is the same.
void drawHiddenBoxes(const Canvas& canvas, const VolumeModel& model, const VolumeCamera& camera) {
    const bool peak =
        model.peaksVisible && model.selectedPeak && *model.selectedPeak < model.peaks.size();
    if (peak) {
        drawHiddenBox(canvas, camera, TurnedBox(model.peaks[*model.selectedPeak]));
    }
    if (model.box && !(peak && voxelsUnder(model.peaks[*model.selectedPeak]) == *model.box)) {
        PeakMark mark;
        mark.templ = model.box->extents;
        for (std::size_t axis = 0; axis < 3; ++axis) {
            mark.centre[axis] = static_cast<double>(byAxis(model.box->corner)[axis]) +
                                static_cast<double>(byAxis(model.box->extents)[axis] - 1) / 2;
        }
        drawHiddenBox(canvas, camera, TurnedBox(mark));
    }
}

} // namespace

void VolumeLabels::draw(const Canvas& canvas, const VolumeModel& model, const VolumeCamera& camera,
                        vtkCamera& vtk, const std::string& note) const {
    const double r = canvas.ratio;
    drawHiddenBoxes(canvas, model, camera);
    drawClipHandles(canvas, model, camera);
    // What comes later keeps off what is there.
    if (scalarBarVisible && model.map.exists() &&
        (model.mapVisible || model.content == VolumeContent::Map)) {
        drawScalarBar(canvas, model.scale, model.colours, mapName);
    }
    if (model.map.exists() && (model.mapVisible || model.content == VolumeContent::Map)) {
        drawMapNote(canvas, mapNote);
    }
    if (!note.empty()) {
        TextStyle style;
        style.colour = kPlateAccent;
        style.points = 10;
        style.plate = true;
        const std::array<Spot, 1> spots{
            {{canvas.width - 12 * r, canvas.height - 14 * r, AlignX::Right}}};
        canvas.texts.place(spots, " " + note + " ", style);
    }
    drawOrientation(canvas, vtk, model.anatomy);
    drawNumbers(canvas, model, camera);
}

} // namespace flcc::viz::detail
