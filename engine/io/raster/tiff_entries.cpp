#include "engine/io/raster/tiff_entries.h"

#include <algorithm>
#include <bit>
#include <limits>

#include <tiffio.h>

#include "engine/io/format/reading.h"

namespace flcc::io::detail {

std::uint64_t firstDirectory(const Bytes& start) {
    if (start.size() < 16 || start[0] != start[1] || (start[0] != 'I' && start[0] != 'M')) {
        return 0;
    }
    const bool swapped = (start[0] == 'M') == (std::endian::native == std::endian::little);
    const auto version = field<std::uint16_t>(start, 2, swapped);
    return version == 42   ? field<std::uint32_t>(start, 4, swapped)
           : version == 43 ? field<std::uint64_t>(start, 8, swapped)
                           : 0;
}

TiffEntries::TiffEntries(const std::filesystem::path& path, std::uint64_t position) : m_path(path) {
    const Bytes head = take(0, 4);
    m_swapped = (head[0] == 'M') == (std::endian::native == std::endian::little);
    m_big = field<std::uint16_t>(head, 2, m_swapped) == 43;
    const std::size_t width = m_big ? 8 : 2;
    const std::uint64_t entries = numberIn(take(position, width), 0, width);
    m_entries = take(position + width, std::min<std::uint64_t>(entries, 65535) * (m_big ? 20 : 12));
    m_end = position + width + entries * (m_big ? 20 : 12);
}

std::uint64_t TiffEntries::number(std::uint16_t tag) const {
    const std::vector<std::uint64_t> all = numbers(tag, 8);
    return all.empty() ? 0 : all.front();
}

std::uint64_t TiffEntries::next() const {
    const std::size_t width = m_big ? 8 : 4;
    return numberIn(take(m_end, width), 0, width);
}

std::optional<std::size_t> TiffEntries::find(std::uint16_t tag) const {
    const std::size_t bytes = m_big ? 20 : 12;
    for (std::size_t entry = 0; entry + bytes <= m_entries.size(); entry += bytes) {
        if (numberIn(m_entries, entry, 2) == tag) {
            return entry;
        }
    }
    return std::nullopt;
}

std::optional<std::uint64_t> TiffEntries::count(std::uint16_t tag) const {
    const std::optional<std::size_t> entry = find(tag);
    return entry ? std::optional(numberIn(m_entries, *entry + 4, m_big ? 8 : 4)) : std::nullopt;
}

std::vector<std::uint64_t> TiffEntries::numbers(std::uint16_t tag, std::int64_t most) const {
    const std::optional<std::size_t> entry = find(tag);
    if (!entry) {
        return {};
    }
    const std::uint64_t type = numberIn(m_entries, *entry + 2, 2);
    const std::size_t offsetBytes = m_big ? 8 : 4;
    const std::uint64_t count = numberIn(m_entries, *entry + 4, offsetBytes);
    const std::size_t width = type == TIFF_SHORT                        ? 2
                              : type == TIFF_LONG || type == TIFF_IFD   ? 4
                              : type == TIFF_LONG8 || type == TIFF_IFD8 ? 8
                                                                        : 0;
    if (width == 0 || count > static_cast<std::uint64_t>(most)) {
        failInput(m_path, "the list of its tiles or strips is damaged");
    }
    const std::size_t place = *entry + 4 + offsetBytes;
    if (cappedProduct(static_cast<std::int64_t>(count), static_cast<std::int64_t>(width)) >
        requireRegularFile(m_path)) {
        failInput(m_path, "the file is truncated");
    }
    const bool inside = count * width <= offsetBytes;
    const Bytes all =
        inside ? m_entries : take(numberIn(m_entries, place, offsetBytes), count * width);
    std::vector<std::uint64_t> values;
    for (std::size_t i = 0; i < count; ++i) {
        values.push_back(numberIn(all, (inside ? place : 0) + i * width, width));
    }
    return values;
}

Bytes TiffEntries::take(std::uint64_t offset, std::uint64_t count) const {
    constexpr auto kMost = static_cast<std::uint64_t>(std::numeric_limits<std::int64_t>::max());
    Bytes bytes;
    if (offset < kMost) {
        bytes =
            readBytes(m_path, static_cast<std::int64_t>(offset), static_cast<std::int64_t>(count));
    }
    if (bytes.size() != count) {
        failInput(m_path, "the file is truncated");
    }
    return bytes;
}

std::uint64_t TiffEntries::numberIn(const Bytes& bytes, std::size_t offset,
                                    std::size_t width) const {
    return width == 2   ? field<std::uint16_t>(bytes, offset, m_swapped)
           : width == 4 ? field<std::uint32_t>(bytes, offset, m_swapped)
                        : field<std::uint64_t>(bytes, offset, m_swapped);
}

} // namespace flcc::io::detail
