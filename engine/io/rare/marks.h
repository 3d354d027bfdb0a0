#pragma once

#include <filesystem>

#include "engine/io/format/formats.h"

namespace flcc::io::detail {

/// Whether a file begins as one of these formats does, or its size and name show it.
[[nodiscard]] bool isGipl(const FileStart& start);
[[nodiscard]] bool isBioRad(const FileStart& start);
[[nodiscard]] bool isStimulate(const FileStart& start);
[[nodiscard]] bool isGe4(const FileStart& start);
[[nodiscard]] bool isGe5(const FileStart& start);
[[nodiscard]] bool isGeAdw(const FileStart& start);
[[nodiscard]] bool isSiemens(const FileStart& start);
[[nodiscard]] bool isBruker(const std::filesystem::path& file);

} // namespace flcc::io::detail
