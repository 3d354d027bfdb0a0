#pragma once

#include <filesystem>
#include <map>
#include <string>

namespace flcc::io {

/// What tells whether two paths are one file, whatever links lead to it: device and inode of a file
/// that exists, otherwise the full path that writing would make.
[[nodiscard]] std::string fileIdentity(const std::filesystem::path& path);

/// Files that no output may replace.
class ProtectedFiles {
  public:
    /// Adds a file. An empty path is ignored.
    void add(const std::filesystem::path& file);
    /// Adds an image and, if it is only a header, the file of voxels that it names. A file that
    /// cannot be read is added alone: reading it will report the fault.
    void addImage(const std::filesystem::path& image);

    /// The added file that writing to `output` would replace, or null. Hard links to a file count
    /// as the file.
    [[nodiscard]] const std::filesystem::path* find(const std::filesystem::path& output) const;

    /// **Errors**: CommandLine if writing to `output` would replace an added file.
    void requireOther(const std::filesystem::path& output) const;

  private:
    std::map<std::string, std::filesystem::path> m_files; ///< by fileIdentity()
};

} // namespace flcc::io
