#pragma once

#include <cstdint>
#include <string_view>
#include <variant>

#include "engine/base/image.h"

namespace flcc::base {

/// Types a scene, a template or a map may have. The order is that of AnyImage and AnyView.
enum class PixelType : std::uint8_t {
    UInt8,
    Int8,
    UInt16,
    Int16,
    UInt32,
    Int32,
    UInt64,
    Int64,
    Float32,
    Float64,
};

/// A scalar image of any pixel type.
using AnyImage =
    std::variant<Image<std::uint8_t>, Image<std::int8_t>, Image<std::uint16_t>, Image<std::int16_t>,
                 Image<std::uint32_t>, Image<std::int32_t>, Image<std::uint64_t>,
                 Image<std::int64_t>, Image<float>, Image<double>>;

/// A read-only view of a scalar image of any pixel type.
using AnyView =
    std::variant<View<const std::uint8_t>, View<const std::int8_t>, View<const std::uint16_t>,
                 View<const std::int16_t>, View<const std::uint32_t>, View<const std::int32_t>,
                 View<const std::uint64_t>, View<const std::int64_t>, View<const float>,
                 View<const double>>;

[[nodiscard]] AnyView viewOf(const AnyImage& image);
[[nodiscard]] PixelType pixelType(const AnyImage& image);
[[nodiscard]] PixelType pixelType(const AnyView& view);
[[nodiscard]] Extents extentsOf(const AnyImage& image);
[[nodiscard]] Extents extentsOf(const AnyView& view);

/// An image of `type`, not initialised.
[[nodiscard]] AnyImage makeImage(PixelType type, const Extents& extents);

/// The part of `view` inside `box`. **Errors**: Problem when the box leaves it.
[[nodiscard]] AnyView partOf(const AnyView& view, const Box& box);

/// A contiguous copy of what `view` shows.
[[nodiscard]] AnyImage copyOf(const AnyView& view);

/// The voxel as double; 64-bit integers beyond 2^53 are rounded.
[[nodiscard]] double valueAt(const AnyView& view, const Index& index);

[[nodiscard]] std::int64_t bytesPerVoxel(PixelType type);
[[nodiscard]] bool isInteger(PixelType type);

/// "uint8", "int16", "float32" and so on: the words of files and reports.
[[nodiscard]] std::string_view name(PixelType type);

} // namespace flcc::base
