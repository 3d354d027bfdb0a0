#pragma once

#include <filesystem>
#include <stop_token>
#include <string>
#include <string_view>
#include <vector>

namespace flcc::job {

/// What a file says of itself as JSON: extents, type, components, spacing, origin, direction, unit.
/// Empty when stopped. **Errors**: Input.
[[nodiscard]] std::string imageInfoJson(const std::filesystem::path& path,
                                        const std::stop_token& stop = {});

/// Every device, usable or not, with its memory and why one cannot be used.
[[nodiscard]] std::string devicesText();
[[nodiscard]] std::string devicesJson();

/// The built-in samples, one line each.
[[nodiscard]] std::string samplesText();

/// Writes scene.mha, template.mha and truth.csv of a built-in sample into `folder`, which is made
/// if it does not exist, and returns their paths: all files or none. Stopped, it writes nothing and
/// returns nothing. **Errors**: CommandLine for an unknown name; Output.
std::vector<std::filesystem::path> writeSample(std::string_view name,
                                               const std::filesystem::path& folder,
                                               const std::stop_token& stop = {});

} // namespace flcc::job
