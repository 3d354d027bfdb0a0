#pragma once

#include <filesystem>
#include <string_view>

namespace flcc::io {

/// A file that appears under its name whole or not at all: written under a temporary name in the
/// same folder and renamed by commit(); removed by the destructor if that never came.
class AtomicFile {
  public:
    explicit AtomicFile(std::filesystem::path target);
    ~AtomicFile();
    AtomicFile(const AtomicFile&) = delete;
    AtomicFile& operator=(const AtomicFile&) = delete;

    /// Where to write; same extension as the target.
    [[nodiscard]] const std::filesystem::path& temporary() const { return m_temporary; }

    /// Flushes to disk and renames. **Errors**: Output.
    void commit();

  private:
    std::filesystem::path m_target;
    std::filesystem::path m_temporary;
    bool m_committed = false;
};

/// Writes `text` atomically. **Errors**: Output.
void writeText(const std::filesystem::path& path, std::string_view text);

} // namespace flcc::io
