#pragma once

#include <cstdint>
#include <filesystem>
#include <list>
#include <stop_token>
#include <vector>

#include "engine/io/detail/descriptor.h"
#include "engine/io/digest.h"

namespace flcc::io::detail {

/// The files that one image is read from, and their digests.
///
/// Each file is opened before anybody reads it. Voxels that are read in the order of the file,
/// those of MetaImage, NRRD, NIfTI and MRC, come through that descriptor (FileStream) and are
/// hashed on the way. Headers, and what libraries read by themselves (PNG, JPEG, TIFF), are read by
/// name; what no stream has hashed is hashed when all is read. From add() to digests() a file must
/// stay the same one, of the same size and time of modification, or digests() refuses. Not noticed
/// is a program that sets the time back, and for PNG, JPEG and TIFF a single call to write that is
/// under way from before add() until the pixels are read.
class ReadFiles {
  public:
    /// Opens `path`, an ordinary file, unless it is there already; waits up to 20 ms where it was
    /// written a moment ago, since a second write within one step of the file system's clock leaves
    /// its time as it is.
    /// **Errors**: Input.
    void add(const std::filesystem::path& path);

    /// In the order of add(). **Errors**: Input when a file was changed or replaced since add();
    /// Stopped.
    [[nodiscard]] std::vector<FileDigest> digests(const std::stop_token& stop);

  private:
    friend class FileStream;
    /// What tells one state of a file from another.
    struct Identity {
        unsigned long long device = 0;
        unsigned long long number = 0; ///< of its inode
        long long bytes = 0;
        long long seconds = 0; ///< of its last modification
        long long nanoseconds = 0;
        friend bool operator==(const Identity&, const Identity&) = default;
    };
    struct Open {
        std::filesystem::path path;
        Descriptor file;
        Identity before;
        Digest digest{};
        std::int64_t hashed = 0; ///< bytes from the start
    };
    template <class Status> static Identity identityOf(const Status& status);
    static void requireSame(const Open& open);

    std::list<Open> m_files;
};

/// The bytes of a file in order.
class FileStream {
  public:
    /// At `offset`. A file of `files`, which may be null, is read through its descriptor there, and
    /// every byte from its start on is hashed. **Errors**: Input.
    FileStream(const std::filesystem::path& path, std::int64_t offset, ReadFiles* files,
               std::stop_token stop);

    /// Up to `count` bytes; fewer at the end of the file alone. **Errors**: Input; Stopped, looked
    /// for in every block of a MiB.
    std::int64_t read(void* target, std::int64_t count);
    void skip(std::int64_t count);

  private:
    std::filesystem::path m_path;
    ReadFiles::Open* m_open = nullptr;
    Descriptor m_own;
    std::stop_token m_stop;
    std::int64_t m_at = 0;
};

} // namespace flcc::io::detail
