#pragma once

#include <cstdint>
#include <memory>
#include <stop_token>

#include "engine/base/pixels.h"
#include "engine/io/detail/raw_file.h"
#include "engine/io/detail/read_files.h"

namespace flcc::io::detail {

/// The voxels of a file as bytes, one after the other, whatever they are packed in. Memory is that
/// of one block. **Errors**: Input when the file ends or is damaged; Stopped, looked for in every
/// block.
class ByteSource {
  public:
    ByteSource() = default;
    virtual ~ByteSource() = default;
    ByteSource(const ByteSource&) = delete;
    ByteSource& operator=(const ByteSource&) = delete;

    /// The next `count` bytes.
    virtual void read(void* target, std::int64_t count) = 0;
    virtual void skip(std::int64_t count) = 0;
    /// To be called when all voxels were read: looks at a check sum that follows.
    virtual void finish() {}
};

/// At the first voxel. `pixel` is the type of the numbers of a text. A file of `files`, which may
/// be null, is hashed on the way.
[[nodiscard]] std::unique_ptr<ByteSource> openBytes(const RawLayout& layout, base::PixelType pixel,
                                                    ReadFiles* files, const std::stop_token& stop);

/// From `offset` on, which holds a stream of zlib or one or several of gzip.
[[nodiscard]] std::unique_ptr<ByteSource> openPacked(const std::filesystem::path& path,
                                                     std::int64_t offset, ReadFiles* files,
                                                     const std::stop_token& stop);

} // namespace flcc::io::detail
