#include "engine/io/heatmap_file.h"

#include <cstring>
#include <string>
#include <vector>

#include "engine/base/error.h"
#include "engine/io/atomic_file.h"
#include "engine/io/detail/backends.h"

namespace flcc::io {

bool writeHeatmap(const std::filesystem::path& path, const base::View<const float>& value,
                  const base::View<const base::Status>& status, std::int64_t z,
                  const HeatmapScale& scale, const std::stop_token& stop) {
    const base::Extents& extents = value.extents();
    const std::string cannot = "cannot write " + detail::shown(path) + ": ";
#ifdef FLCC_IMAGE_IO
    if (detail::extensionOf(path) != ".png") {
        throw base::Error(base::ErrorCode::CommandLine, cannot + "heatmaps are written as .png");
    }
    if (z < 0 || z >= extents.z) {
        throw base::Error(base::ErrorCode::CommandLine, cannot + "the map has the slices 0 to " +
                                                            std::to_string(extents.z - 1) +
                                                            ", not " + std::to_string(z));
    }
    std::vector<Colour> pixels;
    pixels.reserve(static_cast<std::size_t>(extents.x * extents.y));
    for (std::int64_t y = 0; y < extents.y; ++y) {
        if (stop.stop_requested()) {
            return false;
        }
        for (std::int64_t x = 0; x < extents.x; ++x) {
            const base::Status here = status.at(x, y, z);
            const Colour colour = base::hasValue(here)
                                      ? colourOf(scale, static_cast<double>(value.at(x, y, z)))
                                      : hatchColour(x, y);
            pixels.push_back(here == base::Status::LowConf ? lowConfColour(colour) : colour);
        }
    }
    AtomicFile file(path);
    try {
        detail::writePng(file.temporary(), path,
                         {.pixels = pixels.data(),
                          .width = extents.x,
                          .height = extents.y,
                          .rowBytes = 3 * extents.x,
                          .components = 3,
                          .bytesPerComponent = 1},
                         stop);
    } catch (const detail::Stopped&) {
        return false;
    }
    file.commit();
    return true;
#else
    (void)status;
    (void)z;
    (void)scale;
    (void)stop;
    (void)extents;
    throw base::Error(base::ErrorCode::CommandLine,
                      cannot + "this build writes no pictures (built without ITK)");
#endif
}

} // namespace flcc::io
