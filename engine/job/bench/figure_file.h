#pragma once

#include <filesystem>
#include <string>

#include "engine/io/drawing.h"

namespace flcc::job::detail {

/// Checks the name and the device of a figure before the work. **Errors**: CommandLine for a format
/// that this build cannot write and for the device "auto", as figures distinguish methods and not
/// devices.
void checkFigureFile(const std::filesystem::path& path, const std::string& device);

/// Writes `numbers` to a file that ends in .json, the drawing to any other. **Errors**: Output.
void writeFigureFile(const std::filesystem::path& path, const std::string& numbers,
                     const io::Drawing& drawing);

} // namespace flcc::job::detail
