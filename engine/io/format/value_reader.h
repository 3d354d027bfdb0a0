#pragma once

#include <cstdint>
#include <memory>
#include <stop_token>
#include <vector>

#include "engine/io/format/byte_source.h"
#include "engine/io/format/raw_layout.h"

namespace flcc::io::detail {

/// Reads values of a layout by their number, in the pixel type and in our order of bytes.
/// **Cost**: plain files are read at the place of the values; of other encodings all values before
/// are decoded, and a value before the last one read opens the file anew. **Errors**: Input;
/// Stopped.
class ValueReader {
  public:
    /// `values` is the number of all values; `files` may be null.
    ValueReader(RawLayout layout, base::PixelType pixel, std::int64_t values, ReadFiles* files,
                std::stop_token stop);

    /// `count` values from number `first` on.
    void read(std::int64_t first, void* target, std::int64_t count);

    /// To be called after a read. Verifies the check sum if the last value of all has been read.
    void finish();

  private:
    void readPart(std::int64_t first, char* target, std::int64_t count);
    /// Bytes of the open part from number `first` on.
    void readBytes(std::int64_t first, void* target, std::int64_t count);
    void readHalves(std::int64_t first, char* target, std::int64_t count);
    void readNibbles(std::int64_t first, char* target, std::int64_t count);

    RawLayout m_layout;
    std::vector<RawPart> m_parts;
    base::PixelType m_pixel;
    ReadFiles* m_files;
    std::stop_token m_stop;
    std::int64_t m_width; ///< bytes of a value of the pixel type
    std::int64_t m_perPart;
    std::size_t m_part = 0; ///< the open one
    std::unique_ptr<ByteSource> m_source;
    std::int64_t m_next = 0;  ///< byte of the open part
    unsigned char m_last = 0; ///< the byte before, which holds one more 4-bit value
};

} // namespace flcc::io::detail
