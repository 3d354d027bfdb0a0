#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

namespace flcc::cuda {

/// The numbers in a text such as "75/80".
[[nodiscard]] inline std::vector<std::int32_t> capabilitiesOf(std::string_view text) {
    std::vector<std::int32_t> numbers;
    for (std::size_t at = 0; at < text.size(); ++at) {
        if (at == 0 || text[at - 1] == '/') {
            numbers.push_back(0);
        }
        if (text[at] != '/') {
            numbers.back() = 10 * numbers.back() + (text[at] - '0');
        }
    }
    return numbers;
}

/// The compute capabilities that a plug-in has code for, as CMake writes them: 75 is 7.5.
struct BuiltCode {
    /// Machine code. It runs on devices of the same major number and an equal or higher minor
    /// number.
    std::vector<std::int32_t> binaries;
    /// PTX. The driver compiles it for any device of an equal or higher capability.
    std::vector<std::int32_t> texts;

    [[nodiscard]] bool runsOn(std::int32_t capability) const {
        for (const std::int32_t binary : binaries) {
            if (binary / 10 == capability / 10 && binary <= capability) {
                return true;
            }
        }
        for (const std::int32_t text : texts) {
            if (text <= capability) {
                return true;
            }
        }
        return false;
    }
    /// The lowest capability that there is code for; 0 if there is no code.
    [[nodiscard]] std::int32_t oldest() const {
        std::int32_t least = 0;
        for (const auto* list : {&binaries, &texts}) {
            for (const std::int32_t one : *list) {
                least = least == 0 || one < least ? one : least;
            }
        }
        return least;
    }
};

} // namespace flcc::cuda
