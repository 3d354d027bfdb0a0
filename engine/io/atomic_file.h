#pragma once

#include <chrono>
#include <filesystem>
#include <memory>
#include <string_view>
#include <vector>

#include "engine/base/open_file.h"

namespace flcc::io {

/// A file that appears under its name completely or not at all. Until commit() it has no name where
/// the file system can hold files without one (O_TMPFILE), so that nothing is left of it when the
/// process is killed; elsewhere, and for HDF5, which another process reads again, it has a
/// temporary name in the folder of its target. The destructor removes the file if commit() did not
/// succeed.
class AtomicFile {
  public:
    /// Removes temporary files of killed processes from the folder. **Errors**: Output.
    explicit AtomicFile(std::filesystem::path target);
    ~AtomicFile();
    AtomicFile(const AtomicFile&) = delete;
    AtomicFile& operator=(const AtomicFile&) = delete;

    /// The name that commit() gives the file. Error sentences and the choice of format use it.
    [[nodiscard]] const std::filesystem::path& target() const { return m_target; }
    /// The path to open for writing: "/proc/self/fd/N" for a file without a name. Its extension
    /// is not that of the target.
    [[nodiscard]] const std::filesystem::path& temporary() const { return m_temporary; }

    /// Flushes the file to disk and gives it its name. **Errors**: Output.
    void commit();

    /// Commits all files or none. If one file cannot get its name, the files before it lose theirs
    /// and the files that they replaced are restored. Restoring needs a file system that can
    /// exchange two names in one step, as those of Linux disks can. On others (network, FAT) a
    /// replaced file stays replaced. **Errors**: Output.
    static void commitAll(const std::vector<std::unique_ptr<AtomicFile>>& files);

  private:
    friend struct Temporaries;

    [[nodiscard]] bool openWithoutName(const std::filesystem::path& folder);
    void openNamed();
    void keepPermissions(int file) const;
    [[nodiscard]] bool hasNoName() const { return m_file.valid(); }
    void flush() const;
    [[nodiscard]] bool link(const std::filesystem::path& name) const;
    void rename();
    void giveBack() noexcept;
    void removeName() noexcept;

    std::filesystem::path m_target;
    std::filesystem::path m_name;      ///< the temporary name; used while `m_named`
    std::filesystem::path m_temporary; ///< see temporary()
    base::Descriptor m_file{-1};       ///< of a file without a name; else not valid
    bool m_named = false;              ///< a file has the temporary name: this or the replaced one
    bool m_created = false;            ///< committed, and no file had the target name before
    bool m_exchanged = false;          ///< committed; the replaced file has the temporary name
    AtomicFile* m_next = nullptr;      ///< in the list of all files, see Temporaries
    AtomicFile* m_before = nullptr;
};

/// The file that writing to `path` makes or replaces: links are followed, also a last one whose
/// target does not exist. **Errors**: Output for a path that is not a regular file.
[[nodiscard]] std::filesystem::path outputTarget(const std::filesystem::path& path);

/// Removes the temporary files of all AtomicFile objects of this process and prevents further ones
/// from being made or committed. For a process that is about to end without unwinding. Waits for a
/// commit that has begun, but not longer than `atMost`; then it removes nothing. Allocates nothing.
/// **Threads**: any.
void abandonAtomicFiles(std::chrono::milliseconds atMost = std::chrono::hours(1)) noexcept;

/// Writes `text` to the temporary name of `file`; the caller calls commit(). **Errors**: Output.
void writeText(const AtomicFile& file, std::string_view text);

/// Writes `text` to `path`, completely or not at all. **Errors**: Output.
void writeText(const std::filesystem::path& path, std::string_view text);

} // namespace flcc::io
