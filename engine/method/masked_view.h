#pragma once

#include <cstdint>
#include <type_traits>
#include <utility>

#include "engine/base/pixels.h"

namespace flcc::method {

/// Pixels with a mask. A pixel counts if its mask voxel is not 0; the value of any other pixel
/// never matters, even if it is NaN. A mask without voxels means that all pixels count, and so does
/// a mask without a 0. The pixels of a template may have weights between 0 and 1, by which they
/// count; the mask is then not 0 exactly where the weight is above 0. Without voxels,
/// `weights` are 1 inside the mask.
/// **Shapes**: mask and weights have the extents of the pixels.
struct MaskedView {
    base::AnyView pixels;
    base::View<const std::uint8_t> mask{};
    base::View<const double> weights{};

    MaskedView() = default;

    /// Implicit, so that pixels alone can be passed as pixels without a mask.
    template <class Pixels,
              std::enable_if_t<std::is_convertible_v<Pixels, base::AnyView> &&
                                   !std::is_same_v<std::remove_cvref_t<Pixels>, MaskedView>,
                               int> = 0>
    MaskedView(Pixels&& view, // NOLINT(google-explicit-constructor): the same pixels
               const base::View<const std::uint8_t>& support = {},
               const base::View<const double>& weighted = {})
        : pixels(std::forward<Pixels>(view)), mask(support), weights(weighted) {}

    /// Implicit, for an image without a mask. The image must outlive the view.
    MaskedView(const base::AnyImage& image) // NOLINT(google-explicit-constructor): its voxels
        : pixels(base::viewOf(image)) {}

    [[nodiscard]] base::Extents extents() const { return base::extentsOf(pixels); }
};

/// True when at least one voxel of the mask is 0, or a weight is not 1. **Errors**: Problem for a
/// mask whose extents differ from those of the pixels; the sentence names both.
[[nodiscard]] bool isMasked(const MaskedView& view);

/// True when a weight is neither 0 nor 1.
[[nodiscard]] bool hasWeights(const MaskedView& view);

/// True when the same voxels count in both, by the same weights. **Shapes**: `a` and `b` have the
/// same extents.
[[nodiscard]] bool sameSupport(const MaskedView& a, const MaskedView& b);

/// The pixels and the mask inside `box`. **Errors**: Problem when the box leaves the view.
[[nodiscard]] MaskedView partOf(const MaskedView& view, const base::Box& box);

/// The number of voxels that count, N.
[[nodiscard]] std::int64_t supportCount(const MaskedView& view);

} // namespace flcc::method
