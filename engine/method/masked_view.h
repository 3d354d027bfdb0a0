#pragma once

#include <cstdint>
#include <type_traits>
#include <utility>

#include "engine/base/pixels.h"

namespace flcc::method {

/// Pixels with a binary support (METHODS 1): those under a voxel of the mask that is not 0 count,
/// the others never do, whatever they hold. A mask without voxels, or without a 0, is none at all.
/// **Shapes**: the mask has the extents of the pixels.
struct MaskedView {
    base::AnyView pixels;
    base::View<const std::uint8_t> mask{};

    MaskedView() = default;

    /// Pixels alone read as pixels without a mask.
    template <class Pixels,
              std::enable_if_t<std::is_convertible_v<Pixels, base::AnyView> &&
                                   !std::is_same_v<std::remove_cvref_t<Pixels>, MaskedView>,
                               int> = 0>
    MaskedView(Pixels&& view, // NOLINT(google-explicit-constructor): the same pixels
               const base::View<const std::uint8_t>& support = {})
        : pixels(std::forward<Pixels>(view)), mask(support) {}

    /// Likewise an image, which must live as long.
    MaskedView(const base::AnyImage& image) // NOLINT(google-explicit-constructor): its voxels
        : pixels(base::viewOf(image)) {}

    [[nodiscard]] base::Extents extents() const { return base::extentsOf(pixels); }
};

/// True when some voxel of the mask is 0. **Errors**: Problem, naming both, for a mask that has not
/// the extents of the pixels.
[[nodiscard]] bool isMasked(const MaskedView& view);

/// True when the same voxels count in both. **Shapes**: alike.
[[nodiscard]] bool sameSupport(const MaskedView& a, const MaskedView& b);

/// The part inside `box`, with that of the mask. **Errors**: Problem when the box leaves it.
[[nodiscard]] MaskedView partOf(const MaskedView& view, const base::Box& box);

/// N: the voxels that count.
[[nodiscard]] std::int64_t supportCount(const MaskedView& view);

} // namespace flcc::method
