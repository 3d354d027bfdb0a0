#pragma once

#include <filesystem>
#include <string>
#include <string_view>

namespace flcc::io::detail::lists {

/// The text of a list without a byte order mark, each line ended by "\n" or "\r\n". `kept` holds it
/// where it differs from `bytes`. **Errors**: Input for UTF-16 and for text with zero bytes.
[[nodiscard]] std::string_view plainText(std::string_view bytes, std::string& kept,
                                         const std::filesystem::path& name);

/// True for a number with a comma in place of its point: "10,5".
[[nodiscard]] bool hasDecimalComma(std::string_view cell);

/// The separator of a table with names of columns: `usual` where its first line has it, else the
/// one of tabs, semicolons and commas that divides the line into the most parts.
[[nodiscard]] char separatorOf(std::string_view text, char usual);

} // namespace flcc::io::detail::lists
