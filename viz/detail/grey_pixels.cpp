#include "viz/detail/grey_pixels.h"

#include <array>

namespace flcc::viz::detail {

void greyPixels(const base::AnyView& image, const PlaneAxes& axes, std::int64_t slice,
                const GreyWindow& window, const TexelRect& rect, std::uint8_t* out,
                std::int64_t rowBytes) {
    std::visit(
        [&](const auto& view) {
            using Voxel = std::remove_cvref_t<decltype(*view.data())>;
            using Real = typename GreyTable<Voxel>::Real;
            const GreyTable<Voxel> byteOf(window);
            const std::array<std::int64_t, 3> strides{1, view.rowStride(), view.sliceStride()};
            const std::int64_t step = strides[axes.right];
            for (std::int64_t j = rect.top; j < rect.bottom; ++j) {
                const auto* voxel = view.data() + slice * strides[axes.depth] +
                                    j * strides[axes.down] + rect.left * step;
                std::uint8_t* grey = out + (j - rect.top) * rowBytes;
                const std::int64_t count = rect.right - rect.left;
                if (step == 1) {
                    for (std::int64_t i = 0; i < count; ++i) {
                        grey[i] = byteOf(static_cast<Real>(voxel[i]));
                    }
                } else {
                    for (std::int64_t i = 0; i < count; ++i) {
                        grey[i] = byteOf(static_cast<Real>(voxel[i * step]));
                    }
                }
            }
        },
        image);
}

} // namespace flcc::viz::detail
