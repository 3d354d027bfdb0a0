#include "engine/base/base64.h"

#include <array>
#include <cstdint>

namespace flcc::base {
namespace {

constexpr std::string_view kLetters =
    "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

} // namespace

std::string toBase64(std::string_view bytes) {
    std::string text;
    text.reserve((bytes.size() + 2) / 3 * 4);
    for (std::size_t i = 0; i < bytes.size(); i += 3) {
        const std::size_t left = bytes.size() - i;
        const auto byte = [&](std::size_t k) {
            return k < left ? std::uint32_t{static_cast<unsigned char>(bytes[i + k])} : 0U;
        };
        const std::uint32_t three = byte(0) << 16 | byte(1) << 8 | byte(2);
        for (std::size_t letter = 0; letter < 4; ++letter) {
            text += letter > left ? '=' : kLetters[three >> (18 - 6 * letter) & 63];
        }
    }
    return text;
}

std::optional<std::string> fromBase64(std::string_view text) {
    while (!text.empty() && text.back() == '=') {
        text.remove_suffix(1);
    }
    std::array<int, 256> values{};
    values.fill(-1);
    for (std::size_t i = 0; i < kLetters.size(); ++i) {
        values[static_cast<unsigned char>(kLetters[i])] = static_cast<int>(i);
    }
    std::string bytes;
    bytes.reserve(text.size() / 4 * 3 + 2);
    std::uint32_t bits = 0;
    int count = 0;
    for (const char letter : text) {
        const int value = values[static_cast<unsigned char>(letter)];
        if (value < 0) {
            return std::nullopt;
        }
        bits = bits << 6 | static_cast<std::uint32_t>(value);
        count += 6;
        if (count >= 8) {
            count -= 8;
            bytes += static_cast<char>(bits >> count & 255U);
        }
    }
    return bytes;
}

} // namespace flcc::base
