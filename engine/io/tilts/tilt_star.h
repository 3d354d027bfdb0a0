#pragma once

#include <filesystem>
#include <functional>
#include <string>
#include <string_view>

#include "engine/prepare/tilts.h"

namespace flcc::io::detail::tilts {

/// Reads a file as a text, for the tilt series that a list of tomograms names.
using ReadText = std::function<std::string(const std::filesystem::path&)>;

/// The STAR files of readTilts(). `wanted`: the tomogram that is asked for; may be empty.
/// **Errors**: Input.
[[nodiscard]] prepare::TiltSeries parseStar(std::string_view text,
                                            const std::filesystem::path& path,
                                            const std::string& wanted, const std::string& scene,
                                            const ReadText& read);

} // namespace flcc::io::detail::tilts
