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
#include "engine/job/mask_shape.h"

namespace flcc::job {

using base::Error;
using base::ErrorCode;

namespace detail {

base::Image<std::uint8_t> supportOf(const base::AnyView& pixels, const std::string& source) {
    base::Image<std::uint8_t> support(base::extentsOf(pixels));
    const base::Extents& extents = support.extents();
    std::int64_t inside = 0;
    std::visit(
        [&](const auto& view) {
            using Voxel = std::remove_cvref_t<decltype(*view.data())>;
            for (std::int64_t line = 0; line < extents.y * extents.z; ++line) {
                const std::int64_t y = line % extents.y;
                const std::int64_t z = line / extents.y;
                const Voxel* const row = view.row(y, z);
                std::uint8_t* const out = support.view().row(y, z);
                for (std::int64_t x = 0; x < extents.x; ++x) {
                    if constexpr (std::is_floating_point_v<Voxel>) {
                        if (std::isnan(row[x])) {
                            throw Error(ErrorCode::Problem,
                                        "the mask " + source + " is NaN at voxel " +
                                            base::toString(base::Index{x, y, z}) +
                                            "; a mask is 0 outside and anything else inside");
                        }
                    }
                    out[x] = row[x] != Voxel{} ? 1 : 0;
                    inside += out[x];
                }
            }
        },
        pixels);
    if (inside == 0) {
        throw Error(ErrorCode::Problem,
                    "the mask " + source +
                        " has no voxel inside; a mask is 0 outside and anything else inside");
    }
    return support;
}

base::Image<float> weightsOf(const base::AnyView& pixels) {
    return std::visit(
        [&]<class Voxel>(const base::View<const Voxel>& view) -> base::Image<float> {
            if constexpr (std::is_floating_point_v<Voxel>) {
                const base::Extents& extents = view.extents();
                base::Image<float> weights(extents);
                Voxel known = 0; // a value that is not 0
                bool differ = false;
                bool beyond = false;
                for (std::int64_t i = 0; i < weights.count(); ++i) {
                    const Voxel value = view.at(base::Index{
                        i % extents.x, i / extents.x % extents.y, i / (extents.x * extents.y)});
                    // A weight above 0 stays above 0.
                    const auto weight = static_cast<float>(value);
                    weights.data()[i] =
                        value > 0 ? std::max(weight, std::numeric_limits<float>::min()) : weight;
                    beyond = beyond || !(value >= 0 && value <= 1);
                    known = known == 0 ? value : known;
                    differ = differ || (value != 0 && value != known);
                }
                return differ && !beyond ? std::move(weights) : base::Image<float>();
            } else {
                return {};
            }
        },
        pixels);
}

std::shared_ptr<MaskImage> weightedMask(const base::AnyView& pixels, const std::string& source) {
    auto mask = std::make_shared<MaskImage>();
    mask->support = supportOf(pixels, source);
    mask->weights = weightsOf(pixels);
    mask->source = source;
    return mask;
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

std::shared_ptr<const MaskImage> maskOf(const SceneImage& image) {
    const auto mask = detail::weightedMask(base::viewOf(image.pixels), image.source);
    mask->note = image.note;
    if (image.opacity) {
        mask->note += (mask->note.empty() ? "" : "; ") + detail::ignoresOpacity(image.source);
    }
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
