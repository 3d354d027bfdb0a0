#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <stop_token>
#include <string>
#include <vector>

#include "engine/base/text.h"
#include "engine/io/format/reading.h"

namespace flcc::io::detail {

/// Encoding of the bytes of the voxels.
enum class Encoding {
    Plain,
    Packed, ///< by zlib or gzip, all frames in one stream
    Text,   ///< numbers separated by white space
    Hex,    ///< two hexadecimal digits for each byte
};

/// Position and encoding of the raw voxels in a file; frames follow each other.
struct RawLayout {
    std::filesystem::path file;
    std::int64_t offset = 0;
    Encoding encoding = Encoding::Plain;
    std::int64_t skip = 0;  ///< bytes before the first voxel, after decoding
    bool swapped = false;   ///< the byte order of the file differs from that of the processor
    std::int64_t inner = 1; ///< number of consecutive values of one component or channel; 1: the
                            ///< values of a voxel are adjacent
};

/// **Errors**: Input when `present` bytes are fewer than frames * voxels * bytesPerVoxel.
void requireRawBytes(const std::filesystem::path& path, const base::Extents& extents,
                     std::int64_t bytesPerVoxel, std::int64_t frames, std::int64_t present);

class ReadFiles;

class ValueReader;

/// Reads the planes of one frame after the other: all components, or the chosen channel. The bytes
/// are hashed for `files`, which may be null. **Cost**: memory for the planes of a frame and one
/// block; a frame before the last one read opens the file anew. **Errors**: Input; Stopped.
class RawReader {
  public:
    RawReader(ImageInfo info, const RawLayout& layout, ReadFiles* files,
              const std::stop_token& stop);
    ~RawReader();
    RawReader(const RawReader&) = delete;
    RawReader& operator=(const RawReader&) = delete;

    [[nodiscard]] std::vector<base::AnyImage> read(const Choice& choice);

  private:
    ImageInfo m_info;
    std::int64_t m_inner;
    std::unique_ptr<ValueReader> m_values;
};

/// Bytes of the buffers that RawReader needs beside the planes.
[[nodiscard]] std::int64_t rawBufferBytes(const ImageInfo& info);

/// Copies `count` values of `source`, with the indices `first`, `first + step`, ..., to the voxels
/// of `target` from index `at` on. `source` has the pixel type of `target`.
void takeEvery(base::AnyImage& target, std::int64_t at, std::int64_t count, const void* source,
               std::int64_t first, std::int64_t step);

/// Calls `put` with the bytes of the voxels, at most `most` at once, until it returns false.
/// **Errors**: Stopped.
void forRows(const base::AnyView& pixels, std::int64_t most, const std::stop_token& stop,
             const std::function<bool(const char*, std::int64_t)>& put);

/// Writes `header` followed by the voxels; writePacked writes both as gzip. **Errors**: Output,
/// which names `target`; Stopped.
void writeRaw(const std::filesystem::path& path, const std::filesystem::path& target,
              const std::string& header, const base::AnyView& pixels, const std::stop_token& stop);

void writePacked(const std::filesystem::path& path, const std::filesystem::path& target,
                 const std::string& header, const base::AnyView& pixels,
                 const std::stop_token& stop);

/// Throws Output: "cannot write PATH: REASON".
[[noreturn]] void failOutput(const std::filesystem::path& target, const std::string& reason);

/// Sets unit and unitSource from the unit of a header. Without a unit, a spacing of 1 gives "px";
/// any other spacing gives "mm", as in ITK, with UnitSource::Missing.
void setHeaderUnit(base::Geometry& geometry, const std::string& text);

/// The shortest text that reads back as the same double, with a decimal point.
[[nodiscard]] std::string numberText(double value);

/// Returns `key` if it consists of letters, digits, '_', '.' and '-'. **Errors**: Internal.
[[nodiscard]] std::string requireKey(const std::string& key);

using base::oneLine;

} // namespace flcc::io::detail
