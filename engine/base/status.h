#pragma once

#include <array>
#include <cstdint>
#include <string_view>

namespace flcc::base {

/// State of one voxel of a map (`engine/method/NUMERICS.md`, section 2). The enumerators' values
/// are written to the status file. FLAT, NONFINITE and NOT_COMPUTED voxels hold 0 and can never
/// become a peak.
enum class Status : std::uint8_t {
    Ok = 0,
    Flat = 1,        ///< the panel is constant under the support
    NonFinite = 2,   ///< NaN or Inf lies under the support
    Partial = 3,     ///< part of the support lies outside the scene or its mask
    LowConf = 4,     ///< the bound on the error is above the promise
    NotComputed = 5, ///< the run ended before this voxel, or too little of the support lies inside
};

inline constexpr std::size_t kStatusCount = 6;

/// "OK", "FLAT", "NONFINITE", "PARTIAL", "LOWCONF", "NOT_COMPUTED".
[[nodiscard]] constexpr std::string_view name(Status status) {
    constexpr std::array<std::string_view, kStatusCount> kNames{
        "OK", "FLAT", "NONFINITE", "PARTIAL", "LOWCONF", "NOT_COMPUTED"};
    return kNames[static_cast<std::size_t>(status)];
}

/// True when the voxel has a score: OK, PARTIAL or LOWCONF.
[[nodiscard]] constexpr bool hasValue(Status status) {
    return status == Status::Ok || status == Status::Partial || status == Status::LowConf;
}

} // namespace flcc::base
