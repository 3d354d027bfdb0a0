#pragma once

#include <filesystem>
#include <string_view>

#include "engine/prepare/tilts.h"

namespace flcc::io::detail::tilts {

/// The tilt series of Warp and M of readTilts(). **Errors**: Input.
[[nodiscard]] prepare::TiltSeries parseWarp(std::string_view text,
                                            const std::filesystem::path& path);

} // namespace flcc::io::detail::tilts
