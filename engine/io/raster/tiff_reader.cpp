// The pixels of TIFF files, a row or a tile at a time.

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstring>
#include <iterator>
#include <limits>
#include <type_traits>

#include <tiffio.h>

#include "engine/base/error.h"
#include "engine/io/format/backends.h"
#include "engine/io/format/byte_source.h"
#include "engine/io/format/headers.h"
#include "engine/io/raster/tiff_pages.h"
#include "engine/io/raster/tiff_samples.h"

namespace flcc::io::detail {

namespace {

/// The colours of a palette, or the values of a packed or inverted sample.
struct Palette {
    std::array<const std::uint16_t*, 3> colours{nullptr, nullptr, nullptr};
};

/// Reads the page a file stands at into slice `z` of the planes.
class PageReader {
  public:
    /// `channel` counts when the samples of a pixel are channels.
    /// Of a page with depth, `first` is the first slice to read.
    PageReader(const std::filesystem::path& path, TiffFile& open, std::int64_t channel,
               TiffSlices slices, std::int64_t z, std::vector<base::AnyImage>& planes,
               const std::stop_token& stop)
        : m_path(path), m_open(open), m_page(open.page), m_channel(channel), m_z(z),
          m_slices(slices), m_planes(planes), m_stop(stop) {}

    void read() {
        TIFF* file = m_open.now;
        if (m_page.photometric == PHOTOMETRIC_PALETTE && !m_open.indices &&
            ::TIFFGetField(file, TIFFTAG_COLORMAP, &m_palette.colours[0], &m_palette.colours[1],
                           &m_palette.colours[2]) != 1) {
            failInput(m_path, "its palette is missing");
        }
        const bool separate = m_page.planar == PLANARCONFIG_SEPARATE && m_page.samples > 1;
        const std::uint16_t layers = separate ? m_page.samples : std::uint16_t{1};
        for (std::uint16_t layer = 0; layer < layers; ++layer) {
            if (m_page.depth > 1) {
                readVolume(layer, separate);
            } else if (::TIFFIsTiled(file) != 0) {
                readTiles(layer, separate);
            } else {
                readRows(layer, separate);
            }
        }
        if (m_page.photometric == PHOTOMETRIC_MINISWHITE) {
            throwIfStopped(m_stop);
            for (int z = 0; z < m_slices.count; ++z) {
                invert(m_page, m_z + z, m_planes.front());
            }
        }
        for (int z = 0; m_open.noData && z < m_slices.count; ++z) {
            for (base::AnyImage& plane : m_planes) {
                leaveOut(*m_open.noData, m_z + z, plane);
            }
        }
        if (m_page.extra == EXTRASAMPLE_ASSOCALPHA && m_planes.size() % 2 == 0) {
            throwIfStopped(m_stop);
            for (int z = 0; z < m_slices.count; ++z) {
                divideByOpacity(m_z + z, m_planes);
            }
        }
    }

  private:
    void require(bool good) const {
        if (!good || !m_open.message.empty()) {
            failTiff(m_path, m_open.message);
        }
    }

    /// Row by row, so that a strip may be as large as the page.
    void readRows(std::uint16_t layer, bool separate) {
        TIFF* file = m_open.now;
        const tmsize_t bytes = ::TIFFScanlineSize(file);
        require(bytes > 0);
        requireRowBytes(bytes, m_page.width, separate);
        Bytes buffer(static_cast<std::size_t>(bytes));
        for (std::uint32_t y = 0; y < m_page.height; ++y) {
            throwIfStopped(m_stop);
            require(::TIFFReadScanline(file, buffer.data(), y, layer) == 1);
            place({.data = buffer.data(),
                   .rowBytes = bytes,
                   .left = 0,
                   .top = y,
                   .width = m_page.width,
                   .height = 1,
                   .step = separate ? 1 : m_page.samples},
                  m_z, layer, separate);
        }
    }

    void readTiles(std::uint16_t layer, bool separate) {
        TIFF* file = m_open.now;
        std::uint32_t width = 0;
        std::uint32_t height = 0;
        ::TIFFGetField(file, TIFFTAG_TILEWIDTH, &width);
        ::TIFFGetField(file, TIFFTAG_TILELENGTH, &height);
        const tmsize_t bytes = ::TIFFTileSize(file);
        const tmsize_t rowBytes = ::TIFFTileRowSize(file);
        require(width > 0 && height > 0 && bytes > 0 && rowBytes > 0);
        requireRowBytes(rowBytes, width, separate);
        Bytes buffer(static_cast<std::size_t>(bytes));
        for (std::uint32_t top = 0; top < m_page.height; top += height) {
            for (std::uint32_t left = 0; left < m_page.width; left += width) {
                throwIfStopped(m_stop);
                const std::uint32_t number = ::TIFFComputeTile(file, left, top, 0, layer);
                require(::TIFFReadEncodedTile(file, number, buffer.data(), bytes) >= bytes);
                place({.data = buffer.data(),
                       .rowBytes = rowBytes,
                       .left = left,
                       .top = top,
                       .width = std::min(width, m_page.width - left),
                       .height = std::min(height, m_page.height - top),
                       .step = separate ? 1 : m_page.samples},
                      m_z, layer, separate);
                if (height > m_page.height - top && width > m_page.width - left) {
                    return; // 32 bits may not hold the next corner
                }
            }
            if (height > m_page.height - top) {
                return;
            }
        }
    }

    /// Tiles or strips of a page with depth, those that hold one of the slices.
    void readVolume(std::uint16_t layer, bool separate) {
        TIFF* file = m_open.now;
        const TiffBlocks blocks = blocksOf(m_path, m_open);
        const std::int64_t step = separate ? 1 : m_page.samples;
        const std::int64_t rowBytes = (blocks.width * step * m_page.bits + 7) / 8;
        const std::int64_t sliceBytes = rowBytes * blocks.height;
        const std::int64_t slabs = (m_page.depth + blocks.depth - 1) / blocks.depth;
        const std::int64_t last = m_slices.first + m_slices.count - 1;
        Bytes buffer(static_cast<std::size_t>(sliceBytes * blocks.depth));
        for (std::int64_t slab = m_slices.first / blocks.depth; slab <= last / blocks.depth;
             ++slab) {
            for (std::int64_t at = 0; at < blocks.across * blocks.down; ++at) {
                throwIfStopped(m_stop);
                const std::int64_t left = at % blocks.across * blocks.width;
                const std::int64_t top = at / blocks.across * blocks.height;
                const std::int64_t height =
                    std::min<std::int64_t>(blocks.height, m_page.height - top);
                const std::int64_t number =
                    (layer * slabs + slab) * blocks.across * blocks.down + at;
                // The last strip of a slice holds its own rows only.
                const bool cut = ::TIFFIsTiled(file) == 0 && height < blocks.height;
                const std::int64_t size = cut ? rowBytes * height : std::ssize(buffer);
                decode(blocks, number, at, buffer, size);
                for (std::int64_t inside = 0; inside < blocks.depth; ++inside) {
                    const std::int64_t z = slab * blocks.depth + inside;
                    if (z < m_slices.first || z > last) {
                        continue;
                    }
                    place({.data = buffer.data() + inside * sliceBytes,
                           .rowBytes = rowBytes,
                           .left = left,
                           .top = top,
                           .width = std::min<std::int64_t>(blocks.width, m_page.width - left),
                           .height = height,
                           .step = step},
                          m_z + z - m_slices.first, layer, separate);
                }
            }
        }
    }

    /// Decodes block `number` of the volume, which is like block `like` of the first slice.
    void decode(const TiffBlocks& blocks, std::int64_t number, std::int64_t like, Bytes& target,
                std::int64_t size) const {
        const auto index = static_cast<std::size_t>(number);
        require(index < blocks.offsets.size() && index < blocks.bytes.size());
        Bytes packed = readBytes(m_path, static_cast<std::int64_t>(blocks.offsets[index]),
                                 static_cast<std::int64_t>(blocks.bytes[index]));
        require(packed.size() == blocks.bytes[index]);
        require(::TIFFReadFromUserBuffer(m_open.now, static_cast<std::uint32_t>(like),
                                         packed.data(), std::ssize(packed), target.data(),
                                         size) == 1);
    }

    /// A row must hold the data of `width` pixels.
    void requireRowBytes(tmsize_t bytes, std::uint32_t width, bool separate) const {
        const std::int64_t samples = separate ? 1 : m_page.samples;
        require(bytes >= (std::int64_t{width} * samples * m_page.bits + 7) / 8);
    }

    void place(const TiffBlock& block, std::int64_t z, std::uint16_t layer, bool separate) {
        for (std::size_t plane = 0; plane < m_planes.size(); ++plane) {
            const std::int64_t sample = m_palette.colours[0] != nullptr ? 0
                                        : m_planes.size() > 1 ? static_cast<std::int64_t>(plane)
                                                              : m_channel;
            if (!separate || sample == layer) {
                copySample(m_page, block, separate ? 0 : sample, z, m_open.turn,
                           m_palette.colours[std::min<std::size_t>(plane, 2)], m_planes[plane]);
            }
        }
    }

    const std::filesystem::path& m_path;
    TiffFile& m_open;
    const TiffPage& m_page;
    std::int64_t m_channel;
    std::int64_t m_z; ///< the slice of the planes
    TiffSlices m_slices;
    std::vector<base::AnyImage>& m_planes;
    const std::stop_token& m_stop;
    Palette m_palette;
};

/// ImageJ over 4 GiB: one directory, all pages behind its first pixel, in the file's byte order.
std::vector<base::AnyImage> readBehindFirst(const std::filesystem::path& path, TiffFile& open,
                                            const Choice& choice, const TiffSlices& slices,
                                            const std::stop_token& stop) {
    TIFF* file = open.file.get();
    const ImageInfo& info = open.info;
    std::vector<base::AnyImage> planes;
    planes.push_back(base::makeImage(info.pixel, {info.extents.x, info.extents.y, slices.count}));
    const std::int64_t voxel = base::bytesPerVoxel(info.pixel);
    const TiffPage& page = open.page;
    Bytes row(static_cast<std::size_t>(page.width * voxel));
    RawLayout layout;
    layout.file = path;
    for (int z = 0; z < slices.count; ++z) {
        const std::int64_t number =
            open.stack.numberOf(choice.channel, slices.first + z, choice.frame);
        layout.offset = static_cast<std::int64_t>(::TIFFGetStrileOffset(file, 0)) +
                        number * page.height * std::ssize(row);
        const auto bytes = openBytes(layout, info.pixel, nullptr, stop);
        for (std::uint32_t y = 0; y < page.height; ++y) {
            bytes->read(reinterpret_cast<char*>(row.data()), std::ssize(row));
            if (::TIFFIsByteSwapped(file) != 0) {
                swapBytes(row.data(), page.width, voxel);
            }
            copySample(page,
                       {.data = row.data(),
                        .rowBytes = std::ssize(row),
                        .top = y,
                        .width = page.width,
                        .height = 1},
                       0, z, open.turn, nullptr, planes.front());
        }
        if (page.photometric == PHOTOMETRIC_MINISWHITE) {
            invert(page, z, planes.front());
        }
    }
    return planes;
}

/// Makes slice `z` NaN; refuses integers, which have no value for that.
void fillMissing(const std::filesystem::path& path, const Choice& choice, int slice, std::int64_t z,
                 std::vector<base::AnyImage>& planes) {
    for (base::AnyImage& plane : planes) {
        std::visit(
            [&](auto& image) {
                using Voxel = std::remove_cvref_t<decltype(*image.data())>;
                if constexpr (std::is_floating_point_v<Voxel>) {
                    const std::int64_t count = image.extents().x * image.extents().y;
                    std::fill_n(image.data() + z * count, count,
                                std::numeric_limits<Voxel>::quiet_NaN());
                } else {
                    throw base::Error(
                        base::ErrorCode::Problem,
                        shown(path) + " has no slice " + std::to_string(slice) + " of channel " +
                            std::to_string(choice.channel) + " and frame " +
                            std::to_string(choice.frame) +
                            ": the recording was stopped before it; choose another channel or "
                            "frame (--channel, --frame)");
                }
            },
            plane);
    }
}

} // namespace

Choice chooseOf(const std::filesystem::path& path, const TiffFile& open, const ImageInfo& info,
                const ReadOptions& options) {
    const TiffSizes& sizes = open.sizes;
    const std::int64_t buffers =
        open.stack.oneDirectory ? 0 : cappedSum(cappedSum(sizes.block, sizes.stored), sizes.codec);
    return choose(path, info, options, buffers);
}

std::vector<base::AnyImage> readSlices(const std::filesystem::path& path, TiffFile& open,
                                       const Choice& choice, const TiffSlices& slices,
                                       const std::stop_token& stop) {
    if (open.stack.oneDirectory) {
        return readBehindFirst(path, open, choice, slices, stop);
    }
    std::vector<base::AnyImage> planes;
    const ImageInfo& info = open.info;
    for (int i = 0; i < info.components; ++i) {
        planes.push_back(
            base::makeImage(info.pixel, {info.extents.x, info.extents.y, slices.count}));
    }
    const bool channelsArePages = open.stack.channels > 1;
    const int channel = channelsArePages ? choice.channel : 0;
    const std::int64_t sample = channelsArePages ? 0 : choice.channel;
    const auto prepare = [&] {
        if (open.page.photometric == PHOTOMETRIC_YCBCR) {
            if (open.page.compression != COMPRESSION_JPEG) {
                failInput(path, "its YCbCr colours can be read only with JPEG compression");
            }
            ::TIFFSetField(open.now, TIFFTAG_JPEGCOLORMODE, JPEGCOLORMODE_RGB);
        }
    };
    if (open.page.depth > 1) { // a page holds all slices of a frame
        goToPage(path, open, open.stack.planes[static_cast<std::size_t>(choice.frame)]);
        prepare();
        PageReader(path, open, sample, slices, 0, planes, stop).read();
        return planes;
    }
    for (int z = 0; z < slices.count; ++z) {
        const TiffPlane& plane = open.stack.planeOf(channel, slices.first + z, choice.frame);
        if (plane.directory == 0) {
            fillMissing(path, choice, slices.first + z, z, planes);
            continue;
        }
        goToPage(path, open, plane);
        prepare();
        PageReader(path, open, sample, {.first = 0, .count = 1}, z, planes, stop).read();
    }
    return planes;
}

LoadedImage readTiff(const std::filesystem::path& path, const ReadOptions& options) {
    const auto open =
        openStack(path, options.stop, std::max(options.maxBytes, kDirectoryBytes), options.reading);
    const Choice choice = chooseOf(path, *open, open->info, options);
    return {
        open->info,
        readSlices(path, *open, choice, {.first = 0, .count = open->stack.slices}, options.stop),
        {}};
}

void verifyTiff(const std::filesystem::path& path, const std::stop_token& stop,
                const Reading& reading) {
    const auto open = openStack(path, stop, kDirectoryBytes, reading);
    const TiffStack& stack = open->stack;
    if (stack.oneDirectory || open->page.depth > 1) {
        for (int frame = 0; frame < stack.frames; ++frame) {
            for (int channel = 0; channel < stack.channels; ++channel) {
                (void)readTiff(
                    path, {.channel = channel, .frame = frame, .stop = stop, .reading = reading});
            }
        }
        return;
    }
    for (int frame = 0; frame < stack.frames; ++frame) {
        for (int slice = 0; slice < stack.slices; ++slice) {
            for (int channel = 0; channel < stack.channels; ++channel) {
                if (stack.planeOf(channel, slice, frame).directory != 0) {
                    (void)readSlices(path, *open, {.channel = channel, .frame = frame},
                                     {.first = slice, .count = 1}, stop);
                }
            }
        }
    }
}

} // namespace flcc::io::detail
