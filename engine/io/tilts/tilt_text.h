#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "engine/prepare/tilts.h"

namespace flcc::io::detail::tilts {

/// The words of a line, between spaces, tabs and the like.
[[nodiscard]] std::vector<std::string_view> wordsIn(std::string_view line);
/// The lines of a text, without their ends.
[[nodiscard]] std::vector<std::string_view> linesIn(std::string_view text);
/// A finite number that a text is; empty for any other text.
[[nodiscard]] std::optional<double> numberIn(std::string_view text);

/// The formats of readTilts() that are lines of text. `path` is for sentences. **Errors**: Input.
[[nodiscard]] prepare::TiltSeries parseAngles(std::string_view text,
                                              const std::filesystem::path& path);
[[nodiscard]] prepare::TiltSeries parseMdoc(std::string_view text,
                                            const std::filesystem::path& path);
[[nodiscard]] prepare::TiltSeries parseDefocus(std::string_view text,
                                               const std::filesystem::path& path);

} // namespace flcc::io::detail::tilts
