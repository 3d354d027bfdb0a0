#pragma once

#include <string>
#include <string_view>

#include "engine/io/lists/preset.h"

namespace flcc::io::detail::lists {

// Lists in JSON: those of this program, markups of 3D Slicer and picks of Copick.
// **Errors** of readers: Input with `name`.

[[nodiscard]] std::string jsonText(const PositionList& list);
void takeJson(std::string_view text, PositionList& list, const std::filesystem::path& name);

[[nodiscard]] std::string slicerText(const PositionList& list);
void takeSlicer(std::string_view text, PositionList& list, const std::filesystem::path& name);

[[nodiscard]] std::string copickText(const PositionList& list, const Preset& preset);
void takeCopick(std::string_view text, const Preset& preset, PositionList& list,
                const std::filesystem::path& name);

/// Whether the text is an object with this key at its top.
[[nodiscard]] bool hasKey(std::string_view json, std::string_view key);

} // namespace flcc::io::detail::lists
