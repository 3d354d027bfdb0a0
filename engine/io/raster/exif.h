#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>

namespace flcc::io::detail {

/// What an EXIF block says that matters here.
struct Exif {
    /// 1 to 8; another number as it stands there. Empty: not stated.
    std::optional<std::uint32_t> orientation;
};

/// Reads the first directory of an EXIF block: a TIFF header in either byte order, with or without
/// "Exif\0\0" before it. The directory of the thumbnail has an orientation of its own and is not
/// read. Empty if the block is damaged. **Cost**: at most 65535 entries; nothing is allocated.
[[nodiscard]] std::optional<Exif> parseExif(std::span<const unsigned char> block);

} // namespace flcc::io::detail
