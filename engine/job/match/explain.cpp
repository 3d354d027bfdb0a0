#include "engine/job/explain.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "engine/base/error.h"
#include "engine/job/match/kept_images.h"
#include "engine/match/overlap.h"
#include "engine/match/peaks.h"

namespace flcc::job {

namespace {

constexpr std::array<std::int64_t base::Index::*, 3> kAxes{&base::Index::x, &base::Index::y,
                                                           &base::Index::z};
constexpr std::array<std::int64_t base::Extents::*, 3> kEdges{&base::Extents::x, &base::Extents::y,
                                                              &base::Extents::z};
/// A search within a few voxels looks at every local maximum, whatever its value.
constexpr double kAnyValue = -std::numeric_limits<double>::max();
constexpr std::int64_t kMostSuppressed = 40;

bool isInside(const base::Extents& extents, const base::Index& at) {
    return at.x >= 0 && at.y >= 0 && at.z >= 0 && at.x < extents.x && at.y < extents.y &&
           at.z < extents.z;
}

/// The box with these half edges around a voxel of an image, cut to it.
base::Box boxAround(const base::Extents& image, const base::Index& middle,
                    const base::Extents& half) {
    base::Box box{};
    for (std::size_t axis = 0; axis < 3; ++axis) {
        const std::int64_t last = image.*kEdges[axis] - 1;
        const std::int64_t at = middle.*kAxes[axis];
        const std::int64_t from = std::clamp<std::int64_t>(at - half.*kEdges[axis], 0, last);
        const std::int64_t to = std::clamp<std::int64_t>(at + half.*kEdges[axis], 0, last);
        box.corner.*kAxes[axis] = from;
        box.extents.*kEdges[axis] = to - from + 1;
    }
    return box;
}

template <class Take> void forVoxels(const base::Box& box, const Take& take) {
    const base::Index end{box.corner.x + box.extents.x, box.corner.y + box.extents.y,
                          box.corner.z + box.extents.z};
    for (std::int64_t z = box.corner.z; z < end.z; ++z) {
        for (std::int64_t y = box.corner.y; y < end.y; ++y) {
            for (std::int64_t x = box.corner.x; x < end.x; ++x) {
                take(base::Index{x, y, z});
            }
        }
    }
}

/// The value of the map, greater where it is better; empty without one.
std::optional<double> valueAt(const KeptMap& kept, const base::Index& at) {
    if (!isInside(kept.map->value.extents(), at) ||
        !base::hasValue(kept.map->status.view().at(at))) {
        return std::nullopt;
    }
    return kept.problem.operation.traits().sign() *
           static_cast<double>(kept.map->value.view().at(at));
}

base::Index inMap(const KeptMap& kept, const base::Index& corner) {
    return {corner.x - kept.corner.x, corner.y - kept.corner.y, corner.z - kept.corner.z};
}

/// All local maxima inside a box of the map.
std::vector<match::Peak> maximaIn(const KeptMap& kept, const base::Box& box,
                                  const PeakThresholds& thresholds, std::int64_t most,
                                  const std::stop_token& stop) {
    const KeptImages& images = *kept.images;
    const match::SearchedMap whole = detail::searchedMap(kept, kept.parts.front());
    match::SearchedMap map = whole;
    const auto cut = [&box](auto& view) {
        if (view.data() != nullptr) {
            view = view.part(box);
        }
    };
    cut(map.value);
    cut(map.status);
    cut(map.index);
    cut(map.exact);
    map.firstPlacement.x += box.corner.x;
    map.firstPlacement.y += box.corner.y;
    map.firstPlacement.z += box.corner.z;
    match::PeakOptions options = detail::peakOptions(
        withThresholds(images.job, thresholds), images.inputs.geometry, images.inputs.isVolume());
    options.minScore = kAnyValue;
    options.maxPeaks = most;
    options.minDistance = 1;
    options.edges = {1, 1, 1};
    options.maxOverlap.reset();
    std::vector<match::Peak> peaks =
        match::findPeaks(images.inputs.sceneView(), {map}, images.inputs.geometry, options, stop);
    if (images.job.operation.traits().hasLaw) {
        match::setSharpness(peaks, {whole});
    }
    detail::moveToScene(peaks, images.inputs, images.inputs.geometry);
    return peaks;
}

void requireOneMap(const KeptMap& kept) {
    if (kept.stream) {
        throw base::Error(base::ErrorCode::Problem,
                          "this needs the map of one scene, not of the frames of a stack");
    }
}

/// Mean and deviation of the voxels of `image` from `corner` under the support of the template.
std::pair<double, double> momentsOf(const base::AnyView& image, const base::Index& corner,
                                    const method::MaskedView& templ) {
    const base::Extents extents = base::extentsOf(image);
    const auto each = [&](const auto& take) {
        forVoxels({{0, 0, 0}, templ.extents()}, [&](const base::Index& v) {
            const base::Index at{corner.x + v.x, corner.y + v.y, corner.z + v.z};
            if ((templ.mask.data() == nullptr || templ.mask.at(v) != 0) && isInside(extents, at)) {
                take(base::valueAt(image, at));
            }
        });
    };
    double sum = 0;
    double squares = 0;
    double count = 0;
    each([&](double value) {
        sum += value;
        ++count;
    });
    const double mean = count > 0 ? sum / count : 0;
    each([&](double value) { squares += (value - mean) * (value - mean); });
    return {mean, count > 0 ? std::sqrt(squares / count) : 0};
}

/// Whether a placement lies in the exclusion zone of a better peak, as match::findPeaks has it.
bool excludes(const match::Peak& peak, const base::Extents& templ, const match::Peak& other,
              const base::Extents& otherTempl, const match::PeakOptions& options,
              const base::Point& edges) {
    double squared = 0;
    bool near = true;
    base::Point way{0, 0, 0}; // twice the way between the centres
    for (std::size_t axis = 0; axis < 3; ++axis) {
        const auto twice = [axis](const match::Peak& of, const base::Extents& extents) {
            return 2 * of.corner.*kAxes[axis] + extents.*kEdges[axis] - 1;
        };
        const std::int64_t apart = std::abs(twice(peak, templ) - twice(other, otherTempl));
        near = near && apart <= templ.*kEdges[axis];
        const double length = static_cast<double>(apart) * options.edges[axis];
        squared += length * length;
        way[axis] = static_cast<double>(twice(other, otherTempl) - twice(peak, templ));
    }
    if (peak.pose) { // the zone is turned with the template
        const rotation::Matrix m = rotation::inverse(rotation::matrixOf(*peak.pose, edges));
        near = true;
        for (std::size_t axis = 0; axis < 3; ++axis) {
            const double own =
                m[3 * axis] * way[0] + m[3 * axis + 1] * way[1] + m[3 * axis + 2] * way[2];
            const auto most = static_cast<double>(templ.*kEdges[axis]);
            near = near && std::abs(own) <= most * (1 + 1e-9);
        }
    }
    const std::optional<double>& distance = options.minDistance;
    return distance ? squared < 4 * *distance * *distance : near;
}

/// Whether two peaks have more of their supports in common than both may, to be listed.
bool overlapTooMuch(const KeptMap& kept, const match::Peak& peak, const match::Peak& other,
                    const match::PeakOptions& options) {
    if (!options.maxOverlap) {
        return false;
    }
    const match::SearchedMap map = detail::searchedMap(kept, kept.parts.front());
    match::Overlaps overlaps(match::largestLying({map}));
    overlaps.add(match::lyingAt(map, peak)); // both lie as far from their places in the map
    match::Lying lying = match::lyingAt(map, other);
    return overlaps.most(lying).share > *options.maxOverlap;
}

/// `corner`: of the box of the bank, in the scene.
std::vector<match::PoseCurve> curvesOf(const KeptMap& kept, const rotation::PoseBank& bank,
                                       const match::Peak& peak, base::Index corner,
                                       const std::stop_token& stop) {
    constexpr int kMost = 60; // poses
    const detail::Inputs& inputs = kept.images->inputs;
    const base::Index first = inputs.sceneCorner();
    const auto templ = static_cast<std::size_t>(peak.templ) +
                       (peak.dark.value_or(false) ? *inputs.darkFrom(inputs.groups.front()) : 0);
    const base::Point own = bank.centreOf(templ, *peak.pose);
    base::Point by{0, 0, 0}; // to the place between voxels
    for (std::size_t axis = 0; axis < 3; ++axis) {
        const double half = static_cast<double>(bank.box().*kEdges[axis] - 1) / 2;
        const double way = half + peak.shift[axis] - own[axis];
        corner.*kAxes[axis] += std::llround(way) - first.*kAxes[axis];
        by[axis] = way - std::round(way);
    }
    const bool whole = peak.status != base::Status::Partial;
    const match::PoseScorer scorer(inputs.sceneView(), bank, kept.problem.outside, whole,
                                   inputs.room());
    const rotation::Pose& searched = peak.refinement ? peak.refinement->searched : *peak.pose;
    return match::poseCurves(scorer, templ, *peak.pose, match::stepsAt(bank.cover(), searched),
                             bank.cover().flat, corner, by, kMost, stop);
}

} // namespace

std::optional<Explanation> explain(const KeptMap& kept, const match::Peak& peak,
                                   const PeakThresholds& thresholds, const std::stop_token& stop) {
    requireOneMap(kept);
    const detail::Inputs& inputs = kept.images->inputs;
    const detail::TemplateInput& templ = inputs.templates[static_cast<std::size_t>(peak.templ)];
    const base::Extents size = templ.extents();
    Explanation made;
    method::MaskedView seen(inputs.responses.empty() ? base::viewOf(templ.image->pixels)
                                                     : templ.view().pixels);
    if (templ.mask) {
        seen.mask = templ.mask->support.view();
    }
    std::optional<rotation::TurnedTemplate> posed;
    base::Index corner = peak.corner;
    if (const auto bank = inputs.bankOf(inputs.groups.front()); bank && peak.pose) {
        const std::size_t dark =
            peak.dark.value_or(false) ? *inputs.darkFrom(inputs.groups.front()) : 0;
        posed = bank->turned(static_cast<std::size_t>(peak.templ) + dark, *peak.pose); // one group
        seen = method::MaskedView(base::viewOf(posed->pixels), posed->support.view());
        const base::Index shift = bank->shift();
        corner = {corner.x - shift.x, corner.y - shift.y, corner.z - shift.z};
        if (kept.problem.operation.traits().refinesByPixels) {
            made.poseCurves = curvesOf(kept, *bank, peak, corner, stop);
        }
    }
    std::tie(made.panelMean, made.panelDeviation) = momentsOf(inputs.pixels(), corner, seen);
    std::tie(made.templateMean, made.templateDeviation) = momentsOf(seen.pixels, {0, 0, 0}, seen);
    const base::Index at = inMap(kept, peak.corner);
    const double sign = kept.problem.operation.traits().sign();
    for (std::size_t axis = 0; axis < 3; ++axis) {
        const std::int64_t reach = std::max<std::int64_t>(size.*kEdges[axis] / 2, 4);
        base::Extents half{0, 0, 0};
        half.*kEdges[axis] = reach;
        const base::Box row = boxAround(kept.map->value.extents(), at, half);
        made.profiles[axis].first = row.corner.*kAxes[axis] - at.*kAxes[axis];
        forVoxels(row, [&](const base::Index& voxel) {
            const std::optional<double> value = valueAt(kept, voxel);
            made.profiles[axis].scores.push_back(value ? std::optional(sign * *value)
                                                       : std::nullopt);
        });
    }
    base::Extents zone{size.x / 2 + 1, size.y / 2 + 1, size.z / 2 + 1};
    if (peak.pose) {
        const base::Extents turned = inputs.bankOf(inputs.groups.front())->largestTurned();
        zone = {turned.x / 2 + 1, turned.y / 2 + 1, size.z > 1 ? turned.z / 2 + 1 : 1};
    }
    const match::PeakOptions options = detail::peakOptions(
        withThresholds(kept.images->job, thresholds), inputs.geometry, inputs.isVolume());
    if (options.minDistance) {
        const auto reach = [&](std::size_t axis) {
            return static_cast<std::int64_t>(
                       std::min(*options.minDistance / options.edges[axis], 1e6)) +
                   1;
        };
        zone = {reach(0), reach(1), reach(2)};
    }
    if (options.maxOverlap) {
        const base::Extents most =
            match::largestLying({detail::searchedMap(kept, kept.parts.front())});
        zone = {std::max(zone.x, most.x), std::max(zone.y, most.y), std::max(zone.z, most.z)};
    }
    const base::Box box = boxAround(kept.map->value.extents(), at, zone);
    for (match::Peak& each : maximaIn(kept, box, thresholds, kMostSuppressed, stop)) {
        const base::Extents other =
            inputs.templates[static_cast<std::size_t>(each.templ)].extents();
        if (each.corner != peak.corner && sign * each.score <= sign * peak.score &&
            (excludes(peak, size, each, other, options, inputs.geometry.spacing) ||
             overlapTooMuch(kept, peak, each, options))) {
            made.suppressed.push_back(each);
        }
    }
    PeakThresholds all = thresholds;
    all.threshold = sign * kAnyValue;
    all.falsePositives.reset();
    all.zscore.reset();
    all.maxPeaks = 2;
    for (const match::Peak& each : extractPeaks(kept, all, stop).peaks) {
        if (each.corner != peak.corner && !made.runnerUp) {
            made.runnerUp = each;
        }
    }
    return stop.stop_requested() ? std::nullopt : std::optional(std::move(made));
}

std::optional<match::Peak> peakNear(const KeptMap& kept, const base::Index& corner,
                                    std::int64_t reach, const PeakThresholds& thresholds) {
    requireOneMap(kept);
    const base::Extents extents = kept.map->value.extents();
    base::Index at = inMap(kept, corner);
    std::optional<double> best;
    const auto climbIn = [&](const base::Box& box) {
        const std::optional<double> before = best;
        forVoxels(box, [&](const base::Index& voxel) {
            const std::optional<double> value = valueAt(kept, voxel);
            if (value && (!best || *value > *best)) {
                best = value;
                at = voxel;
            }
        });
        return best != before;
    };
    (void)climbIn(boxAround(extents, at, {reach, reach, reach}));
    if (!best) {
        return std::nullopt;
    }
    while (climbIn(boxAround(extents, at, {1, 1, 1}))) {
    }
    // Canonical scores may move the maximum by a voxel.
    const base::Box near = boxAround(extents, at, {3, 3, 3});
    for (const match::Peak& each : maximaIn(kept, near, thresholds, 1000, {})) {
        const base::Index place = inMap(kept, each.corner);
        if (std::max({std::abs(place.x - at.x), std::abs(place.y - at.y),
                      std::abs(place.z - at.z)}) <= 1) {
            match::Peak found = each;
            found.rival.reset();
            if (const match::SearchLaw law = lawOf(kept); law.exists()) {
                found.falsePositives = law.falsePositives(found.score);
            }
            return found;
        }
    }
    return std::nullopt;
}

} // namespace flcc::job
