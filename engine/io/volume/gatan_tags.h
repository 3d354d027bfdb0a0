#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <optional>
#include <string>

namespace flcc::io::detail {

/// Numbers of one element of an array in a file of DigitalMicrograph.
struct GatanArray {
    std::int64_t offset = 0; ///< in the file
    std::int64_t count = 0;
    std::int64_t bytes = 0; ///< of an element; 0 for a structure
};

/// The tags of a DM3 or DM4 file that describe its images. A name joins the names of the groups;
/// an unnamed entry is its number: "ImageList/1/ImageData/Data".
struct GatanTags {
    bool swapped = false; ///< the numbers and voxels of the file are in the other order of bytes
    std::map<std::string, double> numbers{};
    std::map<std::string, std::string> texts{}; ///< UTF-8
    std::map<std::string, GatanArray> arrays{};

    [[nodiscard]] std::optional<double> number(const std::string& name) const;
};

/// Reads all tags and keeps those below "ImageList/N/ImageData" and "Thumbnails". Values of arrays
/// stay in the file. **Errors**: Input for a file that is cut or damaged.
[[nodiscard]] GatanTags readGatanTags(const std::filesystem::path& path);

} // namespace flcc::io::detail
