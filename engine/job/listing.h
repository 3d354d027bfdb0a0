#pragma once

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

namespace flcc::job {

/// What a file says of itself as JSON: extents, type, components, spacing, origin, direction, unit.
/// **Errors**: Input.
[[nodiscard]] std::string imageInfoJson(const std::filesystem::path& path);

/// Every device, usable or not, with its memory and why one cannot be used.
[[nodiscard]] std::string devicesText();
[[nodiscard]] std::string devicesJson();

/// The built-in samples, one line each.
[[nodiscard]] std::string samplesText();

/// Writes scene.mha, template.mha and truth.csv of a built-in sample into `folder`, which is made
/// if it does not exist, and returns their paths. **Errors**: CommandLine for an unknown name;
/// Output.
std::vector<std::filesystem::path> writeSample(std::string_view name,
                                               const std::filesystem::path& folder);

} // namespace flcc::job
