#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

namespace flcc::cuda {

/// The numbers of "75/80".
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

/// What a plug-in was built for, in compute capabilities as CMake writes them: 75 is 7.5.
struct BuiltCode {
    std::vector<std::int32_t> binaries; ///< run on devices of the same major number, not older ones
    std::vector<std::int32_t> texts;    ///< compiled by the driver of any device that is not older

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
    /// The oldest capability that there is code for; 0 when there is none.
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
