#pragma once

#include <cstdint>
#include <filesystem>
#include <list>
#include <stop_token>
#include <utility>
#include <vector>

#include "engine/base/open_file.h"
#include "engine/io/digest.h"

namespace flcc::io::detail {

/// The files that one image is read from, and their digests.
/// Each file is opened before anything is read from it. Voxels that are read in the order of the
/// file (MetaImage, NRRD, NIfTI, MRC) are read through that descriptor (FileStream) and hashed on
/// the way. Headers, and files that libraries read themselves (PNG, JPEG, TIFF), are opened by
/// name; bytes that no stream has hashed are hashed at the end.
/// From add() to digests() a file must stay the same file with the same size and time of
/// modification, otherwise digests() throws. Two changes are not noticed: those of a program that
/// resets the time of modification and, for PNG, JPEG and TIFF, those of a single write call that
/// begins before add() and ends after the pixels are read.
class ReadFiles {
  public:
    /// Opens the regular file `path`, unless it is open already. If the file was written a moment
    /// ago, waits up to 20 ms: a second write within one step of the file system's clock would not
    /// change its time of modification.
    /// **Errors**: Input.
    void add(const std::filesystem::path& path);

    /// Notes all files of a folder in the order of their names; digests() opens them one at a time.
    /// Waits as add() does. **Errors**: Input for a folder that cannot be listed.
    void addFolder(const std::filesystem::path& folder);

    /// Notes a file as addFolder() does. For one of many files, which a process may not open all at
    /// once; its bytes are hashed by digests(). Ignores what is no regular file.
    void addUnopened(const std::filesystem::path& path);

    /// Forgets all files but those of these names. Returns false if one of the names is missing.
    [[nodiscard]] bool keepOnly(const std::vector<std::string>& names);

    /// The digests in the order of add(). **Errors**: Input when a file was changed or replaced
    /// since add(); Stopped.
    [[nodiscard]] std::vector<FileDigest> digests(const std::stop_token& stop);

  private:
    friend class FileStream;
    /// Properties that change when a file is changed or replaced.
    struct Identity {
        unsigned long long device = 0;
        unsigned long long number = 0; ///< inode number
        long long bytes = 0;
        long long seconds = 0; ///< time of last modification
        long long nanoseconds = 0;
        friend bool operator==(const Identity&, const Identity&) = default;
    };
    struct Open {
        Open(std::filesystem::path name, base::Descriptor descriptor, const Identity& identity)
            : path(std::move(name)), file(std::move(descriptor)), before(identity) {}

        std::filesystem::path path;
        base::Descriptor file; ///< not valid: to be opened by digests()
        Identity before;
        Digest digest;
        std::int64_t hashed = 0; ///< number of bytes hashed so far, from the start of the file
    };
    template <class Status> static Identity identityOf(const Status& status);
    static void requireSame(const Open& open);

    std::list<Open> m_files;
};

/// Reads the bytes of a file in order.
class FileStream {
  public:
    /// Starts at `offset`. If `files` is not null and holds the file, reads through the descriptor
    /// there and hashes every byte from the start of the file. **Errors**: Input.
    FileStream(const std::filesystem::path& path, std::int64_t offset, ReadFiles* files,
               std::stop_token stop);

    /// Reads up to `count` bytes; fewer only at the end of the file. **Errors**: Input; Stopped,
    /// checked in every block of 1 MiB.
    std::int64_t read(void* target, std::int64_t count);
    void skip(std::int64_t count);

  private:
    std::filesystem::path m_path;
    ReadFiles::Open* m_open = nullptr;
    base::Descriptor m_own;
    std::stop_token m_stop;
    std::int64_t m_at = 0;
};

} // namespace flcc::io::detail
