#include "engine/job/detail/masks.h"

#include <algorithm>
#include <cmath>
#include <string>
#include <type_traits>

#include "engine/base/error.h"
#include "engine/io/image_file.h"
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

void requireSameExtents(const MaskImage& mask, const char* what, const SceneImage& image) {
    const base::Extents extents = base::extentsOf(image.pixels);
    if (!(mask.support.extents() == extents)) {
        throw Error(ErrorCode::Problem,
                    "mask " + mask.source + " of " + base::toString(mask.support.extents()) +
                        " voxels does not fit the " + what + " " + image.source + " of " +
                        base::toString(extents) + "; it needs the same extents");
    }
}

void requireShapes(const Job& job) {
    for (const std::filesystem::path& mask : job.masks) {
        (void)maskShapeOf(mask);
    }
}

} // namespace detail

std::shared_ptr<const MaskImage> maskOf(const SceneImage& image) {
    auto mask = std::make_shared<MaskImage>();
    mask->support = detail::supportOf(base::viewOf(image.pixels), image.source);
    mask->source = image.source;
    mask->note = image.note;
    mask->sha256 = image.sha256;
    mask->dataFile = image.dataFile;
    mask->series = image.series;
    return mask;
}

std::shared_ptr<const MaskImage> loadMask(const std::filesystem::path& path,
                                          std::optional<int> channel, std::optional<int> frame,
                                          const std::stop_token& stop, std::int64_t memoryBytes) {
    const auto image = loadCompanion(path, channel, frame, stop, memoryBytes);
    return image ? maskOf(*image) : nullptr;
}

} // namespace flcc::job
