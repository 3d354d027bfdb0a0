#include "engine/io/raw_volume.h"

#include <algorithm>
#include <bit>
#include <charconv>
#include <string_view>
#include <system_error>
#include <utility>
#include <vector>

#include "engine/io/format/backends.h"

namespace flcc::io {

namespace {

using base::PixelType;

/// A whole number, digits only.
std::optional<std::int64_t> numberOf(std::string_view text) {
    std::int64_t number = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
    const bool whole = error == std::errc{} && end == text.data() + text.size() && number >= 0;
    return whole ? std::optional(number) : std::nullopt;
}

std::optional<PixelType> typeOf(std::string_view text) {
    for (int i = 0; i <= static_cast<int>(PixelType::Float64); ++i) {
        if (text == base::name(static_cast<PixelType>(i))) {
            return static_cast<PixelType>(i);
        }
    }
    return std::nullopt;
}

/// "64x64" or "64x64x32".
std::optional<base::Extents> extentsOf(std::string_view text) {
    std::vector<std::int64_t> sizes;
    for (std::size_t at = 0; at <= text.size();) {
        const std::size_t end = std::min(text.find('x', at), text.size());
        const auto size = numberOf(text.substr(at, end - at));
        if (!size || *size < 1) {
            return std::nullopt;
        }
        sizes.push_back(*size);
        at = end + 1;
    }
    if (sizes.size() != 2 && sizes.size() != 3) {
        return std::nullopt;
    }
    return base::Extents{sizes[0], sizes[1], sizes.size() == 3 ? sizes[2] : 1};
}

/// Takes what follows the last ':' off the text.
std::string_view takeLast(std::string_view& text) {
    const std::size_t colon = text.rfind(':');
    if (colon == std::string_view::npos) {
        return {};
    }
    const std::string_view last = text.substr(colon + 1);
    text = text.substr(0, colon);
    return last;
}

} // namespace

std::optional<RawVolume> rawVolumeOf(const std::filesystem::path& path) {
    std::error_code ignored;
    std::string_view text = path.native();
    if (text.find(':') == std::string_view::npos || std::filesystem::exists(path, ignored)) {
        return std::nullopt;
    }
    RawVolume volume;
    std::string_view word = takeLast(text);
    if (const auto offset = numberOf(word)) {
        volume.offset = *offset;
        word = takeLast(text);
    }
    if (word == "le" || word == "be") {
        volume.bigEndian = word == "be";
        word = takeLast(text);
    }
    const auto type = typeOf(word);
    const auto extents = type ? extentsOf(takeLast(text)) : std::nullopt;
    if (!extents || text.empty()) {
        return std::nullopt;
    }
    volume.type = *type;
    volume.extents = *extents;
    volume.file = text;
    return volume;
}

std::filesystem::path rawPath(const RawVolume& volume) {
    const base::Extents& n = volume.extents;
    std::filesystem::path path = volume.file;
    path += ":" + std::to_string(n.x) + "x" + std::to_string(n.y);
    path += (n.z > 1 ? "x" + std::to_string(n.z) : "") + ":" + std::string(base::name(volume.type));
    path += volume.bigEndian ? ":be" : ":le";
    path += ":" + std::to_string(volume.offset);
    return path;
}

std::int64_t bytesNeeded(const RawVolume& volume) {
    using detail::cappedProduct;
    const base::Extents& n = volume.extents;
    return detail::cappedSum(volume.offset,
                             cappedProduct(cappedProduct(n.x, n.y),
                                           cappedProduct(n.z, base::bytesPerVoxel(volume.type))));
}

detail::Described detail::describeRaw(const std::filesystem::path& path) {
    const RawVolume volume = rawVolumeOf(path).value();
    const std::int64_t present = requireRegularFile(volume.file);
    const std::int64_t needed = bytesNeeded(volume);
    if (needed > present) {
        failInput(volume.file, base::toString(volume.extents) + " voxels of " +
                                   std::string(base::name(volume.type)) + " from byte " +
                                   std::to_string(volume.offset) + " on need a file of " +
                                   std::to_string(needed) + " bytes; it has " +
                                   std::to_string(present));
    }
    Described described;
    described.info.format = name(Format::Raw);
    described.info.extents = volume.extents;
    described.info.pixel = volume.type;
    if (needed < present) {
        described.info.notes.push_back(std::to_string(present - needed) +
                                       " bytes behind the last voxel of " + shown(volume.file) +
                                       " were not read");
    }
    RawLayout& layout = described.place.layout;
    layout.file = volume.file;
    layout.offset = volume.offset;
    layout.swapped = volume.bigEndian != (std::endian::native == std::endian::big);
    return requireRoom(path, std::move(described));
}

} // namespace flcc::io
