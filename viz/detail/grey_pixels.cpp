#include "viz/detail/grey_pixels.h"

#include <array>

namespace flcc::viz::detail {

void greyPixels(const base::AnyView& image, const PlaneAxes& axes, std::int64_t slice,
                const GreyWindow& window, const TexelRect& rect, std::uint8_t* out,
                std::int64_t rowBytes) {
    const auto low = static_cast<float>(window.low);
    const float scale = greyScale(window);
    std::visit(
        [&](const auto& view) {
            const std::array<std::int64_t, 3> strides{1, view.rowStride(), view.sliceStride()};
            const std::int64_t step = strides[axes.right];
            for (std::int64_t j = rect.top; j < rect.bottom; ++j) {
                const auto* voxel = view.data() + slice * strides[axes.depth] +
                                    j * strides[axes.down] + rect.left * step;
                std::uint8_t* grey = out + (j - rect.top) * rowBytes;
                const std::int64_t count = rect.right - rect.left;
                if (step == 1) {
                    for (std::int64_t i = 0; i < count; ++i) {
                        grey[i] = greyOf(static_cast<float>(voxel[i]), low, scale);
                    }
                } else {
                    for (std::int64_t i = 0; i < count; ++i) {
                        grey[i] = greyOf(static_cast<float>(voxel[i * step]), low, scale);
                    }
                }
            }
        },
        image);
}

} // namespace flcc::viz::detail
