#pragma once

#include <filesystem>
#include <map>
#include <stop_token>
#include <string>
#include <string_view>
#include <vector>

#include "engine/io/image_file.h"
#include "engine/job/command_line.h"

namespace flcc::job {

/// Properties of an image file as JSON: extents, type, components, spacing, origin, direction,
/// unit. "complete" is true if all pixels are known to be in the file, null if that was not
/// checked; `verify` reads every pixel. Empty if cancelled. **Errors**: Input; with `verify` also
/// when pixels are cut off or damaged.
[[nodiscard]] std::string imageInfoJson(const std::filesystem::path& path, bool verify = false,
                                        const io::Reading& reading = {},
                                        const std::stop_token& stop = {});

/// How files are read, by the values of the options of `match` that say so, "orientation" and
/// "image". **Errors**: CommandLine.
[[nodiscard]] io::Reading readingOf(const GivenOptions& options);

/// Every device with its memory; for one that cannot be used, the reason.
[[nodiscard]] std::string devicesText();
[[nodiscard]] std::string devicesJson();

/// The built-in samples, one line for each.
[[nodiscard]] std::string samplesText();

/// Writes scene.mha, template.mha and truth.csv of a built-in sample into `folder` and returns
/// their paths: all files or none. Creates the folder if needed. If cancelled, writes nothing and
/// returns nothing. **Errors**: CommandLine for an unknown name; Output.
std::vector<std::filesystem::path> writeSample(std::string_view name,
                                               const std::filesystem::path& folder,
                                               const std::stop_token& stop = {});

} // namespace flcc::job
