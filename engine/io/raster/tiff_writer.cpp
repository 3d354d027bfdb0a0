// TIFF files of one or many pages, as ImageJ describes them.

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <new>

#include <tiffio.h>

#include "engine/base/error.h"
#include "engine/io/format/backends.h"
#include "engine/io/format/raw_file.h"
#include "engine/io/raster/tiff_pages.h"

namespace flcc::io::detail {

void writeTiff(const std::filesystem::path& path, const std::filesystem::path& target,
               const base::AnyView& pixels, const base::Geometry& geometry,
               const Metadata& metadata, const std::stop_token& stop) {
    const base::Extents extents = base::extentsOf(pixels);
    const base::PixelType type = base::pixelType(pixels);
    const std::int64_t bytes = base::byteCount(extents, base::bytesPerVoxel(type));
    constexpr std::int64_t kClassicLimit = 4'000'000'000;
    std::string message;
    errno = 0;
    Tiff file = openTiff(path, bytes > kClassicLimit ? "w8" : "w", message);
    const auto check = [&](bool good) {
        if (!good) {
            if (errno == ENOMEM) {
                throw std::bad_alloc();
            }
            // The library begins some sentences with the name of the file that it writes.
            if (const std::size_t at = message.find(path.string()); at != std::string::npos) {
                message.replace(at, path.string().size(), shown(target));
            }
            failOutput(target, message.empty() ? "it could not be written completely" : message);
        }
    };
    check(file != nullptr);
    const bool calibrated = !geometry.unit.empty() && geometry.unit != "px";
    const std::string description = imageJDescription(extents.z, geometry, metadata);
    const auto format = base::isInteger(type)
                            ? (base::name(type)[0] == 'u' ? SAMPLEFORMAT_UINT : SAMPLEFORMAT_INT)
                            : SAMPLEFORMAT_IEEEFP;
    const std::int64_t rowBytes = extents.x * base::bytesPerVoxel(type);
    const auto rows = std::clamp<std::int64_t>((1 << 16) / rowBytes, 1, extents.y);
    std::vector<unsigned char> row(static_cast<std::size_t>(rowBytes));
    for (std::int64_t z = 0; z < extents.z; ++z) {
        TIFF* out = file.get();
        const auto set = [&](std::uint32_t tag, auto value) {
            // The library does not report that it could not copy a text.
            check(::TIFFSetField(out, tag, value) == 1 && errno != ENOMEM);
        };
        set(TIFFTAG_IMAGEWIDTH, static_cast<std::uint32_t>(extents.x));
        set(TIFFTAG_IMAGELENGTH, static_cast<std::uint32_t>(extents.y));
        set(TIFFTAG_BITSPERSAMPLE, static_cast<int>(8 * base::bytesPerVoxel(type)));
        set(TIFFTAG_SAMPLESPERPIXEL, 1);
        set(TIFFTAG_SAMPLEFORMAT, format);
        set(TIFFTAG_PHOTOMETRIC, PHOTOMETRIC_MINISBLACK);
        set(TIFFTAG_PLANARCONFIG, PLANARCONFIG_CONTIG);
        set(TIFFTAG_ROWSPERSTRIP, static_cast<std::uint32_t>(rows));
        if (z == 0) {
            set(TIFFTAG_IMAGEDESCRIPTION, description.c_str());
        }
        if (calibrated) {
            set(TIFFTAG_RESOLUTIONUNIT, RESUNIT_NONE);
            set(TIFFTAG_XRESOLUTION, 1 / geometry.spacing[0]);
            set(TIFFTAG_YRESOLUTION, 1 / geometry.spacing[1]);
        }
        std::visit(
            [&](const auto& view) {
                for (std::int64_t y = 0; y < extents.y; ++y) {
                    throwIfStopped(stop);
                    std::memcpy(row.data(), view.row(y, z), row.size());
                    check(::TIFFWriteScanline(out, row.data(), static_cast<std::uint32_t>(y), 0) ==
                          1);
                }
            },
            pixels);
        check(::TIFFWriteDirectory(out) == 1);
    }
    check(::TIFFFlush(file.get()) == 1);
    ::TIFFClose(file.release());
    check(message.empty());
}

} // namespace flcc::io::detail
