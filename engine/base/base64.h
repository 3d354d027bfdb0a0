#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace flcc::base {

/// Bytes as base64 of RFC 4648, with "=" at the end.
[[nodiscard]] std::string toBase64(std::string_view bytes);

/// The bytes of such a text; empty for a text with other letters.
[[nodiscard]] std::optional<std::string> fromBase64(std::string_view text);

} // namespace flcc::base
