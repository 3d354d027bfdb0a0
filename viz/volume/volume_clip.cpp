#include "viz/volume/volume_clip.h"

#include <algorithm>
#include <array>
#include <cmath>

#include "viz/pixels/grey_pixels.h"

namespace flcc::viz::detail {
namespace {

constexpr double kSlabShare = 0.1; // of the depth
constexpr double kHandleHalf = 5;  // half a side, logical pixels
constexpr match::Colour kHandleShade{12, 13, 15};

} // namespace

std::optional<ScoreSurface::Cut> cutOf(const VolumeModel& model, const VolumeCamera& camera) {
    const std::optional<base::Box> kept = model.clip == VolumeClip::Box      ? model.box
                                          : model.clip == VolumeClip::Region ? model.region
                                                                             : std::nullopt;
    base::Point low = model.corner(false);
    base::Point high = model.corner(true);
    if (kept) {
        return ScoreSurface::Cut{model.cornersOf(*kept)[0], model.cornersOf(*kept)[1], true};
    }
    if (model.clip == VolumeClip::Slab && model.crosshair) {
        const double half = model.slabSlices > 0
                                ? static_cast<double>(model.slabSlices) * model.aspect[2] / 2
                                : (high[2] - low[2]) * kSlabShare / 2;
        const double middle = (*model.crosshair)[2] * model.aspect[2];
        low[2] = middle - half;
        high[2] = middle + half;
        return ScoreSurface::Cut{low, high, true};
    }
    if (model.clip == VolumeClip::Corner && model.crosshair) {
        const base::Point at = model.world(*model.crosshair);
        const base::Point eye = camera.eyeOf(at);
        for (std::size_t axis = 0; axis < 3; ++axis) {
            (eye[axis] > at[axis] ? low : high)[axis] = at[axis];
        }
        return ScoreSurface::Cut{low, high, false};
    }
    return std::nullopt;
}

std::optional<base::Box> clipBox(const VolumeModel& model) {
    return model.clip == VolumeClip::Box      ? model.box
           : model.clip == VolumeClip::Region ? model.region
                                              : std::nullopt;
}

std::vector<ClipHandle> clipHandles(const VolumeModel& model, const VolumeCamera& camera) {
    std::vector<ClipHandle> handles;
    const auto cut = cutOf(model, camera);
    if (!model.image || !cut) {
        return handles;
    }
    base::Point middle{};
    for (std::size_t axis = 0; axis < 3; ++axis) {
        middle[axis] = (cut->low[axis] + cut->high[axis]) / 2;
    }
    const auto add = [&](std::size_t axis, bool last) {
        base::Point at = middle;
        at[axis] = (last ? cut->high : cut->low)[axis];
        for (std::size_t other = 0; other < 3; ++other) {
            at[other] /= model.aspect[other];
        }
        handles.push_back({axis, last, at});
    };
    for (std::size_t axis = 0; axis < 3; ++axis) {
        if (model.clip == VolumeClip::Corner) { // the faces that meet at the crosshair
            add(axis, cut->high[axis] == model.world(*model.crosshair)[axis]);
        } else if (model.clip != VolumeClip::Slab || axis == 2) {
            add(axis, false);
            add(axis, true);
        }
    }
    return handles;
}

std::optional<ClipHandle> clipHandleAt(const VolumeModel& model, const VolumeCamera& camera,
                                       DisplayPoint display, double tolerance, double ratio) {
    std::optional<ClipHandle> best;
    double nearest = kHandleHalf * ratio + tolerance;
    for (const ClipHandle& handle : clipHandles(model, camera)) {
        if (camera.behindEye(handle.at)) {
            continue;
        }
        const DisplayPoint at = camera.displayOf(handle.at);
        const double away = std::max(std::abs(at.x - display.x), std::abs(at.y - display.y));
        if (away <= nearest) {
            nearest = away;
            best = handle;
        }
    }
    return best;
}

double shiftAlong(const VolumeModel& model, const VolumeCamera& camera, const ClipHandle& handle,
                  DisplayPoint from, DisplayPoint to) {
    // Two points a tenth of the volume apart show how the axis lies on the screen.
    const double length = std::max(1.0, model.size() / model.aspect[handle.axis] / 10);
    base::Point ahead = handle.at;
    ahead[handle.axis] += length;
    const DisplayPoint a = camera.displayOf(handle.at);
    const DisplayPoint b = camera.displayOf(ahead);
    const double dx = (b.x - a.x) / length;
    const double dy = (b.y - a.y) / length;
    const double square = dx * dx + dy * dy;
    if (camera.behindEye(ahead) || square < 1e-4) {
        return 0; // the axis points at the viewer
    }
    return ((to.x - from.x) * dx + (to.y - from.y) * dy) / square;
}

base::Box resizedClip(const VolumeModel& model, const base::Box& start, const ClipHandle& handle,
                      double shift) {
    const auto count = byAxis(model.extents);
    auto corner = byAxis(start.corner);
    auto size = byAxis(start.extents);
    const std::size_t axis = handle.axis;
    const auto voxels = static_cast<std::int64_t>(std::llround(shift));
    if (handle.last) {
        size[axis] = std::clamp<std::int64_t>(size[axis] + voxels, 1, count[axis] - corner[axis]);
    } else {
        const std::int64_t end = corner[axis] + size[axis];
        corner[axis] = std::clamp<std::int64_t>(corner[axis] + voxels, 0, end - 1);
        size[axis] = end - corner[axis];
    }
    return {{corner[0], corner[1], corner[2]}, {size[0], size[1], size[2]}};
}

void drawClipHandles(const Canvas& canvas, const VolumeModel& model, const VolumeCamera& camera) {
    const double r = canvas.ratio;
    const match::Colour& colour = model.clip == VolumeClip::Box      ? canvas.colours.accent
                                  : model.clip == VolumeClip::Region ? canvas.colours.region
                                                                     : canvas.colours.crosshair;
    for (const ClipHandle& handle : clipHandles(model, camera)) {
        if (camera.behindEye(handle.at)) {
            continue;
        }
        const DisplayPoint at = camera.displayOf(handle.at);
        const auto square = [&](double half, const match::Colour& fill) {
            canvas.marks.rectangle(at.x + 0.5 - half, at.y + 0.5 - half, at.x + 0.5 + half,
                                   at.y + 0.5 + half, fill);
        };
        square(kHandleHalf * r, kHandleShade);
        square((kHandleHalf - 1.5) * r, colour);
    }
}

} // namespace flcc::viz::detail
