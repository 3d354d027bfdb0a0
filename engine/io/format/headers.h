#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "engine/base/text.h"
#include "engine/io/format/backends.h"

// What the parsers of NRRD, NIfTI and MRC headers share. They read a limited number of bytes and
// check every length and number before anything depends on it.

namespace flcc::io::detail {

using Bytes = std::vector<unsigned char>;

/// Bytes of a header of text that are read at most.
constexpr std::int64_t kLongestHeader = 1 << 20;

/// The text without blanks at both ends.
[[nodiscard]] inline std::string trimmed(const std::string& text) {
    const auto first = text.find_first_not_of(" \t\r");
    const auto last = text.find_last_not_of(" \t\r");
    return first == std::string::npos ? "" : text.substr(first, last - first + 1);
}

/// Reads a number of a binary header at `offset`; reverses its bytes if `swapped`. **Shapes**: the
/// header holds the number.
template <class T> [[nodiscard]] T field(const Bytes& bytes, std::size_t offset, bool swapped) {
    std::array<unsigned char, sizeof(T)> raw{};
    std::copy_n(bytes.begin() + static_cast<std::ptrdiff_t>(offset), sizeof(T), raw.begin());
    if (swapped) {
        std::reverse(raw.begin(), raw.end());
    }
    return std::bit_cast<T>(raw);
}

/// Writes a number into a binary header in the byte order of the processor.
template <class T> void putField(std::string& header, std::size_t offset, T value) {
    const auto raw = std::bit_cast<std::array<char, sizeof(T)>>(value);
    std::copy(raw.begin(), raw.end(), header.begin() + static_cast<std::ptrdiff_t>(offset));
}

/// True for a finite number that can be a length or a coordinate. Products of three of them are
/// finite.
[[nodiscard]] inline bool isPlace(double value) {
    return std::isfinite(value) && std::abs(value) < 1e15;
}

/// True for one slice that has no place in space beside its plane: a file with two axes tells all.
[[nodiscard]] inline bool isPicture(const base::Extents& extents, const base::Geometry& geometry) {
    const auto& d = geometry.direction;
    return base::isFlat2D(extents) && geometry.origin[2] == 0 && d[2] == 0 && d[5] == 0 &&
           d[6] == 0 && d[7] == 0 && d[8] == 1;
}

/// A text of a file for a sentence, in quotes.
[[nodiscard]] inline std::string inQuotes(std::string_view text) {
    return "\"" + base::excerpt(text) + "\"";
}

/// Product of the lengths and of the bytes of a voxel. **Errors**: Input when a length is below 1
/// or the product exceeds 2^55.
[[nodiscard]] std::int64_t requireProduct(const std::filesystem::path& path,
                                          const std::vector<std::int64_t>& lengths,
                                          std::int64_t bytesPerVoxel);

/// Frames of an image: the product of the lengths from the fourth axis on. **Errors**: Input above
/// 1e9.
[[nodiscard]] int requireFrames(const std::filesystem::path& path,
                                const std::vector<std::int64_t>& lengths);

} // namespace flcc::io::detail
