#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <vector>

#include "engine/io/format/headers.h"

namespace flcc::io::detail {

/// The position of the first directory, by the first 16 bytes of a file; 0 if it is no TIFF file.
[[nodiscard]] std::uint64_t firstDirectory(const Bytes& start);

/// The entries of a directory of a classic or a big TIFF file, in the byte order of the processor:
/// libtiff does not say how many values a tag has in the file. **Cost**: two reads.
class TiffEntries {
  public:
    /// **Errors**: Input.
    TiffEntries(const std::filesystem::path& path, std::uint64_t position);

    /// The number of values that the first entry of a tag states; nothing without the tag.
    [[nodiscard]] std::optional<std::uint64_t> count(std::uint16_t tag) const;

    /// The whole numbers of a tag; at most `most` of them. Empty without the tag. **Errors**:
    /// Input.
    [[nodiscard]] std::vector<std::uint64_t> numbers(std::uint16_t tag, std::int64_t most) const;

    /// The first number of a tag; 0 without the tag. **Errors**: Input, also for more than 8.
    [[nodiscard]] std::uint64_t number(std::uint16_t tag) const;

    /// The position of the next directory; 0 after the last one. **Errors**: Input.
    [[nodiscard]] std::uint64_t next() const;

  private:
    [[nodiscard]] Bytes take(std::uint64_t offset, std::uint64_t count) const;
    [[nodiscard]] std::uint64_t numberIn(const Bytes& bytes, std::size_t offset,
                                         std::size_t width) const;
    /// Where the entry of a tag begins in `m_entries`.
    [[nodiscard]] std::optional<std::size_t> find(std::uint16_t tag) const;

    std::filesystem::path m_path;
    Bytes m_entries;
    std::uint64_t m_end = 0; ///< of the entries in the file
    bool m_swapped = false;
    bool m_big = false;
};

} // namespace flcc::io::detail
