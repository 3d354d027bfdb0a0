#pragma once

#include <cstdint>
#include <string>
#include <type_traits>

#include "engine/base/pixels.h"
#include "engine/method/problem.h"

/// The pixel types of scenes on a device. Kernels exist for uint8, int16, uint16 and float32, and
/// for float64 in double precision. The list is short because every kernel that reads voxels is
/// compiled once for each type.
///
/// The host converts voxels of other types when it stages them, and only where the conversion is
/// exact. A rounded voxel could make a panel FLAT that is not constant, or could put a score
/// outside its bound.
/// - int8 becomes int16.
/// - int32 and uint32 become float64, because float32 holds only 24 of their bits.
/// - float64 stays float64. Scenes staged as float64 are computed in double precision even if
///   single is asked for, because the single-precision kernels are not compiled for float64.
/// - int64 and uint64 are refused, because float64 holds only 53 of their bits.
namespace flcc::cuda {

/// The type of the voxels that the host stages for scene voxels of type T.
template <class T>
using StagedPixel = std::conditional_t<
    std::is_same_v<T, std::int8_t>, std::int16_t,
    std::conditional_t<std::is_same_v<T, std::int32_t> || std::is_same_v<T, std::uint32_t>, double,
                       T>>;

/// StagedPixel for a type known at run time.
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

/// True if the problem asks for scores in double precision.
[[nodiscard]] inline bool isDouble(const method::Problem& problem) {
    return problem.precision == method::Precision::Double;
}
/// True if a device computes the scores in double precision, on request or because of the pixel
/// type.
[[nodiscard]] inline bool usesDouble(const method::Problem& problem) {
    return isDouble(problem) || stagedPixel(problem.scenePixel) == base::PixelType::Float64;
}

/// Why a device cannot read the scene's pixel type; empty if it can.
[[nodiscard]] inline std::string pixelRefusal(const method::Problem& problem) {
    const base::PixelType pixel = problem.scenePixel;
    return pixel == base::PixelType::Int64 || pixel == base::PixelType::UInt64
               ? "a GPU does not compute " + std::string(base::name(pixel)) +
                     " scenes; convert the scene to 32 bits or use the CPU"
               : std::string();
}

} // namespace flcc::cuda
