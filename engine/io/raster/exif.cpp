#include "engine/io/raster/exif.h"

#include <algorithm>
#include <array>
#include <string_view>

namespace flcc::io::detail {

namespace {

/// Numbers of a block, in its byte order. A number beyond the end is none.
class Numbers {
  public:
    Numbers(std::span<const unsigned char> block, bool big) : m_block(block), m_big(big) {}

    [[nodiscard]] std::optional<std::uint32_t> at(std::size_t offset, std::size_t bytes) const {
        if (offset > m_block.size() || bytes > m_block.size() - offset) {
            return std::nullopt;
        }
        std::uint32_t value = 0;
        for (std::size_t i = 0; i < bytes; ++i) {
            const std::size_t place = m_big ? i : bytes - 1 - i;
            value = (value << 8) | m_block[offset + place];
        }
        return value;
    }

  private:
    std::span<const unsigned char> m_block;
    bool m_big;
};

bool beginsWith(std::span<const unsigned char> block, std::string_view text) {
    return block.size() >= text.size() &&
           std::equal(text.begin(), text.end(), block.begin(),
                      [](char a, unsigned char b) { return static_cast<unsigned char>(a) == b; });
}

} // namespace

std::optional<Exif> parseExif(std::span<const unsigned char> block) {
    using namespace std::string_view_literals;
    if (beginsWith(block, "Exif\0"sv)) { // and one byte more, 0 or 255
        block = block.subspan(std::min<std::size_t>(6, block.size()));
    }
    const bool big = beginsWith(block, "MM"sv);
    if (!big && !beginsWith(block, "II"sv)) {
        return std::nullopt;
    }
    const Numbers numbers(block, big);
    const auto first = numbers.at(4, 4);
    const auto entries = first ? numbers.at(*first, 2) : std::nullopt;
    if (numbers.at(2, 2) != 42 || !entries) {
        return std::nullopt;
    }
    constexpr std::uint32_t kOrientation = 274;
    // Bytes of one value; only whole numbers can be an orientation.
    constexpr std::array<std::size_t, 5> kBytes{0, 1, 0, 2, 4};
    Exif exif;
    for (std::size_t i = 0; i < *entries && !exif.orientation; ++i) {
        const std::size_t entry = std::size_t{*first} + 2 + 12 * i;
        const auto tag = numbers.at(entry, 2);
        const auto type = numbers.at(entry + 2, 2);
        if (!tag || !type) {
            break; // the block is cut: what stands before counts
        }
        const bool whole = *type < kBytes.size() && kBytes[*type] > 0;
        if (*tag == kOrientation && whole && numbers.at(entry + 4, 4) == 1) {
            exif.orientation = numbers.at(entry + 8, kBytes[*type]);
        }
    }
    return exif;
}

} // namespace flcc::io::detail
