#pragma once

#include <cstdint>
#include <memory>
#include <stop_token>
#include <vector>

#include "engine/base/pixels.h"
#include "engine/io/files/read_files.h"
#include "engine/io/format/raw_file.h"

namespace flcc::io::detail {

/// Reads the voxels of a file as a sequence of bytes, whatever their encoding. **Cost**: memory for
/// one block. **Errors**: Input when the file is truncated or damaged; Stopped, checked in every
/// block.
class ByteSource {
  public:
    ByteSource() = default;
    virtual ~ByteSource() = default;
    ByteSource(const ByteSource&) = delete;
    ByteSource& operator=(const ByteSource&) = delete;

    /// Reads the next `count` bytes.
    virtual void read(void* target, std::int64_t count) = 0;
    virtual void skip(std::int64_t count) = 0;
    /// Verifies the check sum that follows the voxels. Call it after all voxels were read.
    virtual void finish() {}
};

/// Opens a file of the layout at its first voxel. `pixel` is the type of the numbers in a text
/// file. The bytes are hashed for `files`, which may be null.
[[nodiscard]] std::unique_ptr<ByteSource> openBytes(const RawLayout& layout, const RawPart& part,
                                                    base::PixelType pixel, ReadFiles* files,
                                                    const std::stop_token& stop);
/// As above, the first file.
[[nodiscard]] std::unique_ptr<ByteSource> openBytes(const RawLayout& layout, base::PixelType pixel,
                                                    ReadFiles* files, const std::stop_token& stop);

/// Opens one zlib stream, or one or several gzip streams, that start at `offset`.
[[nodiscard]] std::unique_ptr<ByteSource> openPacked(const std::filesystem::path& path,
                                                     std::int64_t offset, ReadFiles* files,
                                                     const std::stop_token& stop);

/// The first `count` bytes that a gzip file holds, or fewer. **Cost**: unpacks no more than those.
/// **Errors**: Input if the build has no zlib.
[[nodiscard]] std::vector<unsigned char> unpackedStart(const std::filesystem::path& path,
                                                       std::int64_t count);

} // namespace flcc::io::detail
