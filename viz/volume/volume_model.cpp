#include "viz/volume/volume_model.h"

#include <algorithm>
#include <cmath>

#include "viz/pixels/grey_pixels.h"
#include "viz/pixels/turned_box.h"

namespace flcc::viz::detail {
namespace {

constexpr std::size_t kMostSurfaces = 1000; // the other peaks keep their boxes

} // namespace

base::Point VolumeModel::corner(bool last) const {
    const auto n = byAxis(extents);
    base::Point point{};
    for (std::size_t axis = 0; axis < 3; ++axis) {
        point[axis] = ((last ? static_cast<double>(n[axis]) : 0.0) - 0.5) * aspect[axis];
    }
    return point;
}

double VolumeModel::size() const {
    const base::Point low = corner(false);
    const base::Point high = corner(true);
    return std::hypot(high[0] - low[0], high[1] - low[1], high[2] - low[2]);
}

std::array<base::Point, 8> VolumeModel::cornersOf(const PeakMark& peak) const {
    std::array<base::Point, 8> corners = TurnedBox(peak).corners();
    for (base::Point& corner : corners) {
        corner = world(corner);
    }
    return corners;
}

std::array<base::Point, 2> VolumeModel::cornersOf(const base::Box& of) const {
    const base::Index& c = of.corner;
    const base::Extents& e = of.extents;
    const base::Point low{static_cast<double>(c.x) - 0.5, static_cast<double>(c.y) - 0.5,
                          static_cast<double>(c.z) - 0.5};
    return {world(low), world({low[0] + static_cast<double>(e.x), low[1] + static_cast<double>(e.y),
                               low[2] + static_cast<double>(e.z)})};
}

std::int64_t VolumeModel::sliceAt(std::size_t axis) const {
    const std::int64_t last = byAxis(extents)[axis] - 1;
    return std::clamp<std::int64_t>(std::llround(crosshair ? (*crosshair)[axis] : 0), 0, last);
}

match::Colour VolumeModel::colourOf(double score) const {
    return colours[greyOf(static_cast<float>(score), static_cast<float>(scale.low),
                          greyScale({scale.low, scale.high}))];
}

match::Colour VolumeModel::colourOf(const PeakMark& peak) const {
    return peak.colour ? *peak.colour : peak.grey ? kGreyMark : colourOf(peak.score);
}

bool VolumeModel::hasSurface(std::size_t peak) const {
    const int shape = peaks[peak].shape;
    return surfacesWanted && image && peak < kMostSurfaces && shape >= 0 &&
           shape < static_cast<int>(shapes.size()) &&
           shapes[static_cast<std::size_t>(shape)].pixels != nullptr;
}

bool VolumeModel::boxShaded() const {
    return templSupport && box && templSupport->extents() == box->extents;
}

std::optional<base::Box> VolumeModel::shadedPeak() const {
    if (!templSupport || !peaksVisible || !selectedPeak || *selectedPeak >= peaks.size() ||
        !peaks[*selectedPeak].shaded || !(peaks[*selectedPeak].templ == templSupport->extents())) {
        return std::nullopt;
    }
    const base::Box at = voxelsUnder(peaks[*selectedPeak]);
    return boxShaded() && at == *box ? std::nullopt : std::optional(at); // once is enough
}

} // namespace flcc::viz::detail
