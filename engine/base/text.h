#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace flcc::base {

/// `text` with a space for every byte of a control character, so that it is one line on a terminal.
[[nodiscard]] std::string oneLine(std::string_view text);

/// A text of a file for a sentence: one line of at most 200 bytes, with "..." where it is cut.
[[nodiscard]] std::string excerpt(std::string_view text);

/// How many bytes at the beginning of `text` are one character in UTF-8; 0 if none is.
[[nodiscard]] std::size_t utf8Length(std::string_view text);
[[nodiscard]] bool isUtf8(std::string_view text);

/// Names of files are bytes, and texts of files such as JSON are UTF-8. The name as such a text
/// that restoredText() makes the name of again: itself; or, where it is no UTF-8, holds a character
/// of `also`, or begins with "bytes:", that word and the name with each such byte and "%" as "%"
/// and two hexadecimal digits: "bytes:caf%E9.mha".
[[nodiscard]] std::string storedText(std::string_view name, std::string_view also = {});
/// The name that storedText() stored so; any other text as it is.
[[nodiscard]] std::string restoredText(std::string_view text);

/// A text for a terminal, which obeys control characters: all but line feeds and tabs, and bytes
/// that are no UTF-8, as "\x1b".
[[nodiscard]] std::string visibleText(std::string_view text);

/// A number of bytes for people, with a decimal point in every locale: "5.1 MiB".
[[nodiscard]] std::string bytesText(std::int64_t count);

/// True if the brackets of a JSON text are nested more than 100 deep, or one of its objects has
/// more than 10000 keys. Check it before the text is parsed: parsers and destructors of values may
/// call themselves once for each level, until the stack overflows, and objects that keep the order
/// of their keys compare each key with all others. **Cost**: one pass. The text need not be valid
/// JSON.
[[nodiscard]] bool nestsTooDeep(std::string_view json);

} // namespace flcc::base
