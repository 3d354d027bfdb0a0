#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace flcc::base {

/// `text` with a space for every byte of a control character, so that it is one line on a terminal.
[[nodiscard]] std::string oneLine(std::string_view text);

/// A text of a file for a sentence: one line of at most 200 bytes, with "..." where it is cut.
[[nodiscard]] std::string excerpt(std::string_view text);

/// A number of bytes for people, with a decimal point in every locale: "5.1 MiB".
[[nodiscard]] std::string bytesText(std::int64_t count);

/// True if the brackets of a JSON text are nested more than 100 deep, or one of its objects has
/// more than 10000 keys. Check it before the text is parsed: parsers and destructors of values may
/// call themselves once for each level, until the stack overflows, and objects that keep the order
/// of their keys compare each key with all others. **Cost**: one pass. The text need not be valid
/// JSON.
[[nodiscard]] bool nestsTooDeep(std::string_view json);

} // namespace flcc::base
