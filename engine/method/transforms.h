#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string_view>

namespace flcc::method {

/// The code that makes Fourier transforms on the processor.
enum class Transforms : std::uint8_t {
    /// In limits: the plan chooses. In a candidate: its method transforms nothing, or on a GPU.
    Auto,
    Own, ///< the program's kernels, for lengths that are products of 2, 3, 5 and 7
    Fftw ///< FFTW, for any length
};

inline constexpr std::array kAllTransforms{Transforms::Auto, Transforms::Own, Transforms::Fftw};

/// "auto", "own", "fftw".
[[nodiscard]] constexpr std::string_view name(Transforms transforms) {
    return transforms == Transforms::Auto ? "auto" : transforms == Transforms::Own ? "own" : "fftw";
}

/// The transforms of this name; empty if there are none.
[[nodiscard]] constexpr std::optional<Transforms> transformsNamed(std::string_view text) {
    for (const Transforms transforms : kAllTransforms) {
        if (text == name(transforms)) {
            return transforms;
        }
    }
    return std::nullopt;
}

} // namespace flcc::method
