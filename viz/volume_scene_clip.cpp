#include "viz/volume_scene.h"

#include <algorithm>
#include <array>
#include <cmath>

#include "viz/detail/volume_state.h"

// Handles on the faces of what Clip keeps or cuts away.

namespace flcc::viz {

using detail::byAxis;

namespace {

constexpr double kHandleHalf = 5; // half a side, logical pixels
constexpr match::Colour kHandleShade{12, 13, 15};

} // namespace

std::optional<base::Box> VolumeScene::clipBox() const {
    const State& s = *m_state;
    return s.clip == VolumeClip::Box      ? s.box
           : s.clip == VolumeClip::Region ? s.region
                                          : std::nullopt;
}

std::vector<ClipHandle> VolumeScene::clipHandles() const {
    const State& s = *m_state;
    std::vector<ClipHandle> handles;
    const auto cut = s.cut();
    if (!s.image || !cut) {
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
            at[other] /= s.aspect[other];
        }
        handles.push_back({axis, last, at});
    };
    for (std::size_t axis = 0; axis < 3; ++axis) {
        if (s.clip == VolumeClip::Corner) { // the faces that meet at the crosshair
            add(axis, cut->high[axis] == s.world(*s.crosshair)[axis]);
        } else if (s.clip != VolumeClip::Slab || axis == 2) {
            add(axis, false);
            add(axis, true);
        }
    }
    return handles;
}

std::optional<ClipHandle> VolumeScene::clipHandleAt(DisplayPoint display, double tolerance) const {
    std::optional<ClipHandle> best;
    double nearest = (kHandleHalf + tolerance) * pixelRatio();
    for (const ClipHandle& handle : clipHandles()) {
        if (behindEye(handle.at)) {
            continue;
        }
        const DisplayPoint at = displayOf(handle.at);
        const double away = std::max(std::abs(at.x - display.x), std::abs(at.y - display.y));
        if (away <= nearest) {
            nearest = away;
            best = handle;
        }
    }
    return best;
}

double VolumeScene::shiftAlong(const ClipHandle& handle, DisplayPoint from, DisplayPoint to) const {
    const State& s = *m_state;
    // Two points a tenth of the volume apart show how the axis lies on the screen.
    const double length = std::max(1.0, s.size() / s.aspect[handle.axis] / 10);
    base::Point ahead = handle.at;
    ahead[handle.axis] += length;
    const DisplayPoint a = displayOf(handle.at);
    const DisplayPoint b = displayOf(ahead);
    const double dx = (b.x - a.x) / length;
    const double dy = (b.y - a.y) / length;
    const double square = dx * dx + dy * dy;
    if (behindEye(ahead) || square < 1e-4) {
        return 0; // the axis points at the viewer
    }
    return ((to.x - from.x) * dx + (to.y - from.y) * dy) / square;
}

base::Box VolumeScene::resizedClip(const base::Box& start, const ClipHandle& handle,
                                   double shift) const {
    const auto count = byAxis(m_state->extents);
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

void VolumeScene::State::drawClipHandles(const VolumeScene& scene, const detail::Canvas& canvas) {
    const double r = canvas.ratio;
    const match::Colour& colour = clip == VolumeClip::Box      ? canvas.colours.accent
                                  : clip == VolumeClip::Region ? canvas.colours.region
                                                               : canvas.colours.crosshair;
    for (const ClipHandle& handle : scene.clipHandles()) {
        if (scene.behindEye(handle.at)) {
            continue;
        }
        const DisplayPoint at = scene.displayOf(handle.at);
        const auto square = [&](double half, const match::Colour& fill) {
            marks.rectangle(at.x + 0.5 - half, at.y + 0.5 - half, at.x + 0.5 + half,
                            at.y + 0.5 + half, fill);
        };
        square(kHandleHalf * r, kHandleShade);
        square((kHandleHalf - 1.5) * r, colour);
    }
}

} // namespace flcc::viz
