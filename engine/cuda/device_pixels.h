#pragma once

#include <cstdint>
#include <string>
#include <type_traits>

#include "engine/base/pixels.h"
#include "engine/method/problem.h"

/// The pixel types that a device has kernels for, and what becomes of the others. Every kernel that
/// reads voxels is compiled once for each type, so the list is short: uint8, int16, uint16 and
/// float32, and float64 for kernels in double precision. The host converts voxels of other types
/// when it stages them, and only where that is exact, as a rounded voxel could make a panel FLAT
/// that is not, or leave it outside its bound:
/// - int8 becomes int16;
/// - int32 and uint32 become float64. Float32 holds 24 bits of them;
/// - float64 stays float64. Both run in double precision, whatever was asked for, as the kernels of
///   single precision would have to be compiled for float64 too;
/// - int64 and uint64 are refused. Float64 holds 53 bits of them.
namespace flcc::cuda {

/// The type of the voxels that the host stages for scene voxels of type T.
template <class T>
using StagedPixel = std::conditional_t<
    std::is_same_v<T, std::int8_t>, std::int16_t,
    std::conditional_t<std::is_same_v<T, std::int32_t> || std::is_same_v<T, std::uint32_t>, double,
                       T>>;

/// The same by its name.
[[nodiscard]] constexpr base::PixelType stagedPixel(base::PixelType pixel) {
    switch (pixel) {
    case base::PixelType::Int8:
        return base::PixelType::Int16;
    case base::PixelType::UInt32:
    case base::PixelType::Int32:
        return base::PixelType::Float64;
    default:
        return pixel;
    }
}

/// Bytes of a scene voxel on a device.
[[nodiscard]] inline std::int64_t stagedBytesPerVoxel(const method::Problem& problem) {
    return base::bytesPerVoxel(stagedPixel(problem.scenePixel));
}

/// True when the scores are asked for in double precision.
[[nodiscard]] inline bool isDouble(const method::Problem& problem) {
    return problem.precision == method::Precision::Double;
}
/// True when a device computes the scores in double precision.
[[nodiscard]] inline bool usesDouble(const method::Problem& problem) {
    return isDouble(problem) || stagedPixel(problem.scenePixel) == base::PixelType::Float64;
}

/// Why a device does not read the scene; empty when it does.
[[nodiscard]] inline std::string pixelRefusal(const method::Problem& problem) {
    const base::PixelType pixel = problem.scenePixel;
    return pixel == base::PixelType::Int64 || pixel == base::PixelType::UInt64
               ? "a GPU does not compute " + std::string(base::name(pixel)) +
                     " scenes; convert the scene to 32 bits or use the CPU"
               : std::string();
}

} // namespace flcc::cuda
