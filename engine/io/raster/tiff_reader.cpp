// The pixels of TIFF files, a row or a tile at a time.

#include <algorithm>
#include <array>
#include <cstring>
#include <limits>

#include <tiffio.h>

#include "engine/io/format/backends.h"
#include "engine/io/format/byte_source.h"
#include "engine/io/format/headers.h"
#include "engine/io/raster/tiff_pages.h"

namespace flcc::io::detail {

namespace {

/// Value `index` of a row of samples of `bits` bits, the first in the highest bits.
unsigned packedSample(const unsigned char* row, std::int64_t index, unsigned bits) {
    unsigned value = 0;
    for (std::int64_t bit = index * bits; bit < (index + 1) * bits; ++bit) {
        value = (value << 1) | ((unsigned{row[bit / 8]} >> (7 - bit % 8)) & 1U);
    }
    return value;
}

/// A row of a strip, or a tile, decoded.
struct Block {
    const unsigned char* data = nullptr;
    std::int64_t rowBytes = 0;
    std::int64_t left = 0;
    std::int64_t top = 0;
    std::int64_t width = 0;  ///< inside the page
    std::int64_t height = 0; ///< inside the page
    std::int64_t step = 1;   ///< samples from one pixel to the next
};

/// The colours of a palette, or the values of a packed or inverted sample.
struct Palette {
    std::array<const std::uint16_t*, 3> colours{nullptr, nullptr, nullptr};
};

/// Copies sample `sample` of the block into `plane`, slice `z`.
void copySample(const TiffPage& page, const Block& block, std::int64_t sample, std::int64_t z,
                const std::uint16_t* colours, base::AnyImage& plane) {
    std::visit(
        [&](auto& image) {
            using Voxel = std::remove_pointer_t<decltype(image.data())>;
            const bool packed = page.bits % 8 != 0;
            for (std::int64_t y = 0; y < block.height; ++y) {
                const unsigned char* source = block.data + y * block.rowBytes;
                Voxel* target = image.view().row(block.top + y, z) + block.left;
                for (std::int64_t x = 0; x < block.width; ++x) {
                    const std::int64_t index = x * block.step + sample;
                    if (colours != nullptr) {
                        const unsigned entry = packedSample(source, index, page.bits);
                        target[x] = static_cast<Voxel>(colours[entry] >> 8);
                    } else if (packed) {
                        target[x] = static_cast<Voxel>(packedSample(source, index, page.bits));
                    } else {
                        std::memcpy(target + x,
                                    source + index * static_cast<std::int64_t>(sizeof(Voxel)),
                                    sizeof(Voxel));
                    }
                }
            }
        },
        plane);
}

/// MINISWHITE stores darkness; convert it to brightness, as every viewer does.
void invert(const TiffPage& page, std::int64_t z, base::AnyImage& plane) {
    std::visit(
        [&](auto& image) {
            using Voxel = std::remove_pointer_t<decltype(image.data())>;
            if constexpr (std::is_unsigned_v<Voxel>) {
                const auto white = static_cast<Voxel>(page.bits >= 8 * sizeof(Voxel)
                                                          ? std::numeric_limits<Voxel>::max()
                                                          : (1U << page.bits) - 1U);
                const std::int64_t slice = image.extents().x * image.extents().y;
                for (std::int64_t i = z * slice; i < (z + 1) * slice; ++i) {
                    image.data()[i] = static_cast<Voxel>(white - image.data()[i]);
                }
            }
        },
        plane);
}

/// Reads the page a file stands at into slice `z` of the planes.
class PageReader {
  public:
    /// `channel` counts when the samples of a pixel are channels.
    PageReader(const std::filesystem::path& path, TiffFile& open, std::int64_t channel,
               std::int64_t z, std::vector<base::AnyImage>& planes, const std::stop_token& stop)
        : m_path(path), m_open(open), m_page(open.page), m_channel(channel), m_z(z),
          m_planes(planes), m_stop(stop) {}

    void read() {
        TIFF* file = m_open.file.get();
        if (m_page.photometric == PHOTOMETRIC_PALETTE &&
            ::TIFFGetField(file, TIFFTAG_COLORMAP, &m_palette.colours[0], &m_palette.colours[1],
                           &m_palette.colours[2]) != 1) {
            failInput(m_path, "its palette is missing");
        }
        const bool separate = m_page.planar == PLANARCONFIG_SEPARATE && m_page.samples > 1;
        const std::uint16_t layers = separate ? m_page.samples : std::uint16_t{1};
        for (std::uint16_t layer = 0; layer < layers; ++layer) {
            if (::TIFFIsTiled(file) != 0) {
                readTiles(layer, separate);
            } else {
                readRows(layer, separate);
            }
        }
        if (m_page.photometric == PHOTOMETRIC_MINISWHITE) {
            throwIfStopped(m_stop);
            invert(m_page, m_z, m_planes.front());
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
        TIFF* file = m_open.file.get();
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
                  layer, separate);
        }
    }

    void readTiles(std::uint16_t layer, bool separate) {
        TIFF* file = m_open.file.get();
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
                      layer, separate);
                if (height > m_page.height - top && width > m_page.width - left) {
                    return; // 32 bits may not hold the next corner
                }
            }
            if (height > m_page.height - top) {
                return;
            }
        }
    }

    /// A row must hold the data of `width` pixels.
    void requireRowBytes(tmsize_t bytes, std::uint32_t width, bool separate) const {
        const std::int64_t samples = separate ? 1 : m_page.samples;
        require(bytes >= (std::int64_t{width} * samples * m_page.bits + 7) / 8);
    }

    void place(const Block& block, std::uint16_t layer, bool separate) {
        for (std::size_t plane = 0; plane < m_planes.size(); ++plane) {
            const std::int64_t sample = m_palette.colours[0] != nullptr ? 0
                                        : m_planes.size() > 1 ? static_cast<std::int64_t>(plane)
                                                              : m_channel;
            if (!separate || sample == layer) {
                copySample(m_page, block, separate ? 0 : sample, m_z,
                           m_palette.colours[std::min<std::size_t>(plane, 2)], m_planes[plane]);
            }
        }
    }

    const std::filesystem::path& m_path;
    TiffFile& m_open;
    const TiffPage& m_page;
    std::int64_t m_channel;
    std::int64_t m_z;
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
    const std::int64_t pageVoxels = info.extents.x * info.extents.y;
    RawLayout layout;
    layout.file = path;
    for (int z = 0; z < slices.count; ++z) {
        const std::int64_t page = open.stack.pageOf(choice.channel, slices.first + z, choice.frame);
        layout.offset =
            static_cast<std::int64_t>(::TIFFGetStrileOffset(file, 0)) + page * pageVoxels * voxel;
        char* target = static_cast<char*>(bytesOf(planes.front())) + z * pageVoxels * voxel;
        openBytes(layout, info.pixel, nullptr, stop)->read(target, pageVoxels * voxel);
        if (::TIFFIsByteSwapped(file) != 0) {
            swapBytes(target, pageVoxels, voxel);
        }
    }
    return planes;
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
    TIFF* file = open.file.get();
    const bool channelsArePages = open.stack.channels > 1;
    for (int z = 0; z < slices.count; ++z) {
        goToPage(path, open,
                 open.stack.pageOf(channelsArePages ? choice.channel : 0, slices.first + z,
                                   choice.frame));
        if (open.page.photometric == PHOTOMETRIC_YCBCR) {
            if (open.page.compression != COMPRESSION_JPEG) {
                failInput(path, "its YCbCr colours can be read only with JPEG compression");
            }
            ::TIFFSetField(file, TIFFTAG_JPEGCOLORMODE, JPEGCOLORMODE_RGB);
        }
        PageReader(path, open, channelsArePages ? 0 : choice.channel, z, planes, stop).read();
    }
    return planes;
}

LoadedImage readTiff(const std::filesystem::path& path, const ReadOptions& options) {
    const auto open = openStack(path, options.stop, std::max(options.maxBytes, kDirectoryBytes));
    const Choice choice = chooseOf(path, *open, open->info, options);
    return {
        open->info,
        readSlices(path, *open, choice, {.first = 0, .count = open->stack.slices}, options.stop),
        {}};
}

void verifyTiff(const std::filesystem::path& path, const std::stop_token& stop) {
    const auto open = openStack(path, stop, kDirectoryBytes);
    const int channels = static_cast<int>(open->stack.channels); // each has pages of its own
    for (int frame = 0; frame < open->info.frames; ++frame) {
        for (int channel = 0; channel < channels; ++channel) {
            (void)readTiff(path, {.channel = channel, .frame = frame, .stop = stop});
        }
    }
}

} // namespace flcc::io::detail
