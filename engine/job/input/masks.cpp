#include "engine/job/input/masks.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <string>
#include <type_traits>

#include "engine/base/error.h"
#include "engine/filter/resample.h"
#include "engine/io/image_file.h"
#include "engine/job/input/inputs.h"
#include "engine/job/input/mask_values.h"
#include "engine/job/mask_shape.h"

namespace flcc::job {

using base::Error;
using base::ErrorCode;

namespace detail {

std::shared_ptr<MaskImage> weightedMask(const base::AnyView& pixels, const std::string& source) {
    auto mask = std::make_shared<MaskImage>();
    MaskValues values = maskValues(pixels, source);
    mask->support = std::move(values.support);
    mask->weights = std::move(values.weights);
    mask->counts = std::move(values.counts);
    mask->note = std::move(values.note);
    mask->warning = std::move(values.warning);
    mask->source = source;
    return mask;
}

void takeFacts(MaskImage& to, const MaskImage& from) {
    to.source = from.source;
    to.note = from.note;
    to.counts = from.counts;
    to.warning = from.warning;
    to.geometry = from.geometry;
    to.directed = from.directed;
    to.sha256 = from.sha256;
    to.dataFile = from.dataFile;
    to.series = from.series;
}

void requireSameExtents(const MaskImage& mask, const char* what, const SceneImage& image) {
    const base::Extents extents = base::extentsOf(image.pixels);
    if (!(mask.support.extents() == extents)) {
        throw Error(ErrorCode::Problem,
                    "mask " + mask.source + " of " + base::toString(mask.support.extents()) +
                        " voxels does not fit the " + what + " " + image.source + " of " +
                        base::toString(extents) + "; it needs the same extents");
    }
}

namespace {

/// 1 where the opacity is at least half of the largest, else 0.
template <class Voxel>
base::Image<std::uint8_t> opaquePart(const base::Image<Voxel>& opacity, std::int64_t& inside) {
    base::Image<std::uint8_t> support(opacity.extents());
    // Integers are opaque at their largest value, floats at 1.
    const double half = std::is_integral_v<Voxel>
                            ? static_cast<double>(std::numeric_limits<Voxel>::max()) / 2
                            : 0.5;
    for (std::int64_t i = 0; i < opacity.count(); ++i) {
        const bool opaque = static_cast<double>(opacity.data()[i]) >= half;
        support.data()[i] = opaque ? 1 : 0;
        inside += opaque ? 1 : 0;
    }
    return support;
}

} // namespace

std::shared_ptr<const MaskImage> opacityOf(const io::LoadedImage& image,
                                           const std::string& source) {
    if (image.components.empty() || image.components.size() % 2 == 1) {
        return nullptr;
    }
    auto mask = std::make_shared<MaskImage>();
    std::int64_t inside = 0;
    mask->support = std::visit([&](const auto& plane) { return opaquePart(plane, inside); },
                               image.components.back());
    mask->source = source + " (opacity)";
    return inside == mask->support.count() ? nullptr : mask;
}

void requireShapes(const Job& job) {
    for (const std::filesystem::path& mask : job.masks) {
        (void)maskShapeOf(mask);
    }
}

} // namespace detail

std::shared_ptr<const MaskImage> resampledOpacity(const SceneImage& image,
                                                  const base::Geometry& target,
                                                  const std::stop_token& stop) {
    if (!image.opacity) {
        return nullptr;
    }
    base::Image<float> opacity(image.opacity->support.extents());
    std::copy_n(image.opacity->support.data(), opacity.count(), opacity.data());
    const base::AnyImage whole(std::move(opacity));
    const filter::Resampled resampled =
        filter::resample(base::viewOf(whole), image.geometry, target, stop);
    auto mask = std::make_shared<MaskImage>();
    std::int64_t inside = 0;
    mask->support = std::visit([&](const auto& plane) { return detail::opaquePart(plane, inside); },
                               resampled.pixels);
    mask->source = image.opacity->source;
    return mask;
}

std::shared_ptr<const MaskImage> sceneMaskOf(const std::shared_ptr<const MaskImage>& mask) {
    if (!mask || mask->weights.empty()) {
        return mask;
    }
    auto half = std::make_shared<MaskImage>();
    const base::Extents& n = mask->support.extents();
    half->support = base::Image<std::uint8_t>(n, std::uint8_t{0});
    std::int64_t inside = 0;
    for (std::int64_t i = 0; i < half->support.count(); ++i) {
        half->support.data()[i] = mask->weights.data()[i] >= 0.5 ? 1 : 0;
        inside += half->support.data()[i];
    }
    if (inside == 0) {
        throw Error(ErrorCode::Problem, "the mask of the scene " + mask->source +
                                            " has weights below 0.5 only, so no voxel is inside; a "
                                            "scene has no weights: set it to 0 and 1");
    }
    detail::takeFacts(*half, *mask);
    half->counts = "yes or no";
    half->warning = mask->warning + (mask->warning.empty() ? "" : "; ") + "the mask of the scene " +
                    mask->source +
                    " has weights, but a scene has none: voxels of at least 0.5 lie inside";
    return half;
}

std::shared_ptr<const MaskImage> maskOf(const SceneImage& image) {
    const auto mask = detail::weightedMask(base::viewOf(image.pixels), image.source);
    const auto add = [&mask](const std::string& note) {
        mask->note += (mask->note.empty() || note.empty() ? "" : "; ") + note;
    };
    add(image.note);
    add(image.opacity ? detail::ignoresOpacity(image.source) : "");
    mask->geometry = image.geometry;
    mask->directed = image.directed;
    mask->sha256 = image.sha256;
    mask->dataFile = image.dataFile;
    mask->series = image.series;
    return mask;
}

std::shared_ptr<const MaskImage> loadMask(const std::filesystem::path& path,
                                          std::optional<int> channel, std::optional<int> frame,
                                          const std::stop_token& stop, std::int64_t memoryBytes,
                                          const io::Reading& reading) {
    const auto image = loadCompanion(path, channel, frame, stop, memoryBytes, reading);
    return image ? maskOf(*image) : nullptr;
}

} // namespace flcc::job
