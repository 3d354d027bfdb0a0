#pragma once

#include <filesystem>
#include <memory>
#include <string_view>
#include <vector>

namespace flcc::io {

/// A file that appears under its name whole or not at all: written under a temporary name in the
/// same folder and renamed by commit(); removed by the destructor if that never came.
class AtomicFile {
  public:
    explicit AtomicFile(std::filesystem::path target);
    ~AtomicFile();
    AtomicFile(const AtomicFile&) = delete;
    AtomicFile& operator=(const AtomicFile&) = delete;

    /// The name that commit() gives: for sentences and for the format by extension.
    [[nodiscard]] const std::filesystem::path& target() const { return m_target; }
    /// Where to write; same extension as the target.
    [[nodiscard]] const std::filesystem::path& temporary() const { return m_temporary; }

    /// Flushes to disk and renames. **Errors**: Output.
    void commit();

    /// Commits all or none: when one cannot get its name, those before it give theirs back, and the
    /// files that stood there before stand there again. That needs a file system that exchanges two
    /// names in one step, as those of Linux disks do; on others (network, FAT) a file that was
    /// replaced stays replaced. **Errors**: Output.
    static void commitAll(const std::vector<std::unique_ptr<AtomicFile>>& files);

  private:
    void flush() const;
    void rename();
    void giveBack() noexcept;

    std::filesystem::path m_target;
    std::filesystem::path m_temporary;
    bool m_committed = false; ///< the target is the new file
    bool m_created = false;   ///< there was no file of that name before
    bool m_exchanged = false; ///< and the temporary name is that of the old one
};

/// Removes the temporary files of all AtomicFile of this process, and lets no further one be made
/// or committed: for a process that is about to end without unwinding. A commit that has begun is
/// waited for. **Threads**: any.
void abandonAtomicFiles() noexcept;

/// Writes `text` to the temporary name of `file`; commit() is the caller's. **Errors**: Output.
void writeText(const AtomicFile& file, std::string_view text);

/// Writes `text` to `path`, whole or not at all. **Errors**: Output.
void writeText(const std::filesystem::path& path, std::string_view text);

} // namespace flcc::io
