#include "engine/io/heatmap_file.h"

#include <string>
#include <vector>

#include "engine/base/error.h"
#include "engine/io/files/memory_errors.h"
#include "engine/io/format/backends.h"

namespace flcc::io {

namespace {

[[noreturn]] void refuse(const std::filesystem::path& path, const std::string& reason) {
    throw base::Error(base::ErrorCode::CommandLine,
                      "cannot write " + detail::shown(path) + ": " + reason);
}

/// False when stopped.
bool writePng(const AtomicFile& file, const char* what, const detail::PngRows& rows,
              const std::stop_token& stop) {
#ifdef FLCC_IMAGE_IO
    if (detail::extensionOf(file.target()) != ".png") {
        refuse(file.target(), std::string(what) + " are written as .png");
    }
    try {
        detail::withMemoryErrors(
            [&] { detail::writePng(file.temporary(), file.target(), rows, stop); });
    } catch (const detail::Stopped&) {
        return false;
    }
    return true;
#else
    (void)what;
    (void)rows;
    (void)stop;
    refuse(file.target(), "this build cannot write pictures (built without image libraries)");
#endif
}

} // namespace

bool writeHeatmap(const AtomicFile& file, const base::View<const float>& value,
                  const base::View<const base::Status>& status, std::int64_t z,
                  const match::HeatmapScale& scale, const std::stop_token& stop) {
    const base::Extents& extents = value.extents();
    if (z < 0 || z >= extents.z) {
        refuse(file.target(), "the map has the slices 0 to " + std::to_string(extents.z - 1) +
                                  ", not " + std::to_string(z));
    }
    std::vector<match::Colour> pixels;
    pixels.reserve(static_cast<std::size_t>(extents.x * extents.y));
    for (std::int64_t y = 0; y < extents.y; ++y) {
        if (stop.stop_requested()) {
            return false;
        }
        for (std::int64_t x = 0; x < extents.x; ++x) {
            const base::Status here = status.at(x, y, z);
            const match::Colour colour =
                base::hasValue(here)
                    ? match::colourOf(scale, static_cast<double>(value.at(x, y, z)))
                    : match::hatchColour(x, y);
            pixels.push_back(here == base::Status::LowConf ? match::lowConfColour(colour) : colour);
        }
    }
    return writePng(file, "heatmaps",
                    {.pixels = pixels.data(),
                     .width = extents.x,
                     .height = extents.y,
                     .rowBytes = 3 * extents.x,
                     .components = 3,
                     .bytesPerComponent = 1},
                    stop);
}

bool writeHeatmap(const std::filesystem::path& path, const base::View<const float>& value,
                  const base::View<const base::Status>& status, std::int64_t z,
                  const match::HeatmapScale& scale, const std::stop_token& stop) {
    AtomicFile file(path);
    const bool written = writeHeatmap(file, value, status, z, scale, stop);
    if (written) {
        file.commit();
    }
    return written;
}

void writePicture(const AtomicFile& file, const PictureView& picture) {
    if (picture.width < 1 || picture.height < 1) {
        throw base::Error(base::ErrorCode::Output, "cannot write " + detail::shown(file.target()) +
                                                       ": the picture has no pixels");
    }
    (void)writePng(file, "pictures",
                   {.pixels = picture.rgba,
                    .width = picture.width,
                    .height = picture.height,
                    .rowBytes = std::int64_t{4} * picture.width,
                    .components = 4,
                    .bytesPerComponent = 1},
                   {});
}

void writePicture(const std::filesystem::path& path, const PictureView& picture) {
    AtomicFile file(path);
    writePicture(file, picture);
    file.commit();
}

} // namespace flcc::io
