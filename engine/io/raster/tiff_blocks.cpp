// Where the tiles or strips of a page with depth lie. libtiff reads the list of strips up to the
// end of the first slice, so that the list is read here.

#include <algorithm>
#include <bit>
#include <limits>

#include <tiffio.h>

#include "engine/io/format/headers.h"
#include "engine/io/raster/tiff_pages.h"

namespace flcc::io::detail {

namespace {

/// A directory of a classic or a big file, as numbers in the byte order of the processor.
class Directory {
  public:
    Directory(const std::filesystem::path& path, std::uint64_t position)
        : m_path(path), m_position(position) {
        const Bytes head = take(0, 4);
        m_swapped = (head[0] == 'M') == (std::endian::native == std::endian::little);
        m_big = field<std::uint16_t>(head, 2, m_swapped) == 43;
    }

    /// The whole numbers of a tag; at most `most` of them. Empty without the tag.
    [[nodiscard]] std::vector<std::uint64_t> numbers(std::uint16_t tag, std::int64_t most) const {
        const std::uint64_t entries = at(m_position, m_big ? 8 : 2);
        const std::uint64_t entryBytes = m_big ? 20 : 12;
        for (std::uint64_t i = 0; i < std::min<std::uint64_t>(entries, 65535); ++i) {
            const std::uint64_t entry = m_position + (m_big ? 8 : 2) + i * entryBytes;
            if (at(entry, 2) == tag) {
                return valuesOf(entry, most);
            }
        }
        return {};
    }

  private:
    [[nodiscard]] Bytes take(std::uint64_t offset, std::uint64_t count) const {
        constexpr auto kMost = static_cast<std::uint64_t>(std::numeric_limits<std::int64_t>::max());
        Bytes bytes;
        if (offset < kMost) {
            bytes = readBytes(m_path, static_cast<std::int64_t>(offset),
                              static_cast<std::int64_t>(count));
        }
        if (bytes.size() != count) {
            failInput(m_path, "the file is truncated");
        }
        return bytes;
    }
    [[nodiscard]] std::uint64_t numberIn(const Bytes& bytes, std::size_t offset,
                                         std::size_t width) const {
        return width == 2   ? field<std::uint16_t>(bytes, offset, m_swapped)
               : width == 4 ? field<std::uint32_t>(bytes, offset, m_swapped)
                            : field<std::uint64_t>(bytes, offset, m_swapped);
    }
    [[nodiscard]] std::uint64_t at(std::uint64_t offset, std::size_t width) const {
        return numberIn(take(offset, width), 0, width);
    }
    [[nodiscard]] std::vector<std::uint64_t> valuesOf(std::uint64_t entry,
                                                      std::int64_t most) const {
        const std::uint64_t type = at(entry + 2, 2);
        const std::size_t offsetBytes = m_big ? 8 : 4;
        const std::uint64_t count = at(entry + 4, offsetBytes);
        const std::size_t width = type == TIFF_SHORT                        ? 2
                                  : type == TIFF_LONG || type == TIFF_IFD   ? 4
                                  : type == TIFF_LONG8 || type == TIFF_IFD8 ? 8
                                                                            : 0;
        if (width == 0 || count > static_cast<std::uint64_t>(most)) {
            failInput(m_path, "the list of its tiles or strips is damaged");
        }
        const std::uint64_t place = entry + 4 + offsetBytes;
        const std::uint64_t bytes = count * width;
        const Bytes all = take(bytes <= offsetBytes ? place : at(place, offsetBytes), bytes);
        std::vector<std::uint64_t> values;
        for (std::size_t i = 0; i < count; ++i) {
            values.push_back(numberIn(all, i * width, width));
        }
        return values;
    }

    const std::filesystem::path& m_path;
    std::uint64_t m_position;
    bool m_swapped = false;
    bool m_big = false;
};

} // namespace

TiffBlocks blocksOf(const std::filesystem::path& path, const TiffFile& open) {
    const TiffPage& page = open.page;
    const bool tiled = ::TIFFIsTiled(open.now) != 0;
    std::uint32_t width = page.width;
    std::uint32_t height = page.height;
    std::uint32_t depth = 1;
    if (tiled) {
        ::TIFFGetField(open.now, TIFFTAG_TILEWIDTH, &width);
        ::TIFFGetField(open.now, TIFFTAG_TILELENGTH, &height);
        ::TIFFGetFieldDefaulted(open.now, TIFFTAG_TILEDEPTH, &depth);
    } else {
        std::uint32_t rows = page.height;
        ::TIFFGetFieldDefaulted(open.now, TIFFTAG_ROWSPERSTRIP, &rows);
        height = std::min(rows, page.height);
    }
    if (width == 0 || height == 0 || depth == 0) {
        failInput(path, "its header gives tiles or strips without pixels");
    }
    TiffBlocks blocks;
    blocks.width = width;
    blocks.height = height;
    blocks.depth = depth;
    blocks.across = (std::int64_t{page.width} + width - 1) / width;
    blocks.down = (std::int64_t{page.height} + height - 1) / height;
    const std::int64_t slabs = (std::int64_t{page.depth} + depth - 1) / depth;
    const std::int64_t most = cappedProduct(cappedProduct(blocks.across, blocks.down),
                                            cappedProduct(slabs, page.samples));
    const std::int64_t size = requireRegularFile(path);
    const Directory directory(path, ::TIFFCurrentDirOffset(open.now));
    blocks.offsets =
        directory.numbers(tiled ? TIFFTAG_TILEOFFSETS : TIFFTAG_STRIPOFFSETS, std::min(most, size));
    blocks.bytes = directory.numbers(tiled ? TIFFTAG_TILEBYTECOUNTS : TIFFTAG_STRIPBYTECOUNTS,
                                     std::min(most, size));
    for (std::size_t i = 0; i < std::min(blocks.offsets.size(), blocks.bytes.size()); ++i) {
        const auto end = static_cast<std::uint64_t>(size);
        if (blocks.bytes[i] > end || blocks.offsets[i] > end - blocks.bytes[i]) {
            failInput(path, "the file is truncated; its pixels end behind it");
        }
    }
    return blocks;
}

} // namespace flcc::io::detail
