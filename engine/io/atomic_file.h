#pragma once

#include <filesystem>
#include <memory>
#include <string_view>
#include <vector>

namespace flcc::io {

/// A file that appears under its name completely or not at all. It is written under a temporary
/// name in the same folder; commit() renames it. The destructor removes the temporary file if
/// commit() did not succeed.
class AtomicFile {
  public:
    explicit AtomicFile(std::filesystem::path target);
    ~AtomicFile();
    AtomicFile(const AtomicFile&) = delete;
    AtomicFile& operator=(const AtomicFile&) = delete;

    /// The name that commit() gives the file. Error sentences and the choice of format use it.
    [[nodiscard]] const std::filesystem::path& target() const { return m_target; }
    /// The name to write to; it has the extension of the target.
    [[nodiscard]] const std::filesystem::path& temporary() const { return m_temporary; }

    /// Flushes the file to disk and renames it. **Errors**: Output.
    void commit();

    /// Commits all files or none. If one file cannot be renamed, the files before it are renamed
    /// back and the files that they replaced are restored. Restoring needs a file system that can
    /// exchange two names in one step, as those of Linux disks can. On others (network, FAT) a
    /// replaced file stays replaced. **Errors**: Output.
    static void commitAll(const std::vector<std::unique_ptr<AtomicFile>>& files);

  private:
    void flush() const;
    void rename();
    void giveBack() noexcept;

    std::filesystem::path m_target;
    std::filesystem::path m_temporary;
    bool m_committed = false; ///< the target name belongs to the new file
    bool m_created = false;   ///< no file had the target name before
    bool m_exchanged = false; ///< the temporary name belongs to the replaced file
};

/// Removes the temporary files of all AtomicFile objects of this process and prevents further ones
/// from being made or committed. For a process that is about to end without unwinding. Waits for a
/// commit that has begun. **Threads**: any.
void abandonAtomicFiles() noexcept;

/// Writes `text` to the temporary name of `file`; the caller calls commit(). **Errors**: Output.
void writeText(const AtomicFile& file, std::string_view text);

/// Writes `text` to `path`, completely or not at all. **Errors**: Output.
void writeText(const std::filesystem::path& path, std::string_view text);

} // namespace flcc::io
