#pragma once

#include <algorithm>
#include <cstdint>
#include <limits>
#include <type_traits>

#include "engine/base/pixels.h"
#include "viz/pixels/texel_grid.h"
#include "viz/slice_scene.h"

namespace flcc::viz::detail {

/// Writes a rectangle of texels of one plane of `image` as grey bytes: `window` low is 0, high 255;
/// NaN is 0. A texel of several voxels is the average of the finite ones. **Cost**: as many voxels
/// as the rectangle covers, at most about 2^24 of them: where it covers more, it reads every n-th.
void greyPixels(const base::AnyView& image, const PlaneAxes& axes, std::int64_t slice,
                const GreyWindow& window, const TexelGrid& grid, const TexelRect& rect,
                std::uint8_t* out, std::int64_t rowBytes);

/// The same of the largest voxels of the slices `first` to `last`: a maximum-intensity projection.
/// NaN counts as less than everything.
void slabPixels(const base::AnyView& image, const PlaneAxes& axes, std::int64_t first,
                std::int64_t last, const GreyWindow& window, const TexelGrid& grid,
                const TexelRect& rect, std::uint8_t* out, std::int64_t rowBytes);

/// Voxels of type T as grey bytes: the window's low end is 0, its high end 255; NaN is 0. Safe for
/// every finite window and voxel: halves are subtracted, which cannot overflow.
template <class T> class GreyTable {
  public:
    using Real = std::conditional_t<(sizeof(T) > 4), double, float>;

    explicit GreyTable(const GreyWindow& window)
        : m_low(real(window.low / 2)),
          m_scale(window.high > window.low ? real(255 / (window.high / 2 - window.low / 2)) : 1) {}

    [[nodiscard]] std::uint8_t operator()(Real v) const {
        const Real grey = (v / 2 - m_low) * m_scale;
        // Written so that NaN fails the first comparison.
        return grey > 0 ? static_cast<std::uint8_t>(grey < 255 ? grey + Real(0.5) : Real(255)) : 0;
    }

  private:
    static Real real(double v) {
        constexpr double kMost = static_cast<double>(std::numeric_limits<Real>::max());
        return static_cast<Real>(std::clamp(v, -kMost, kMost));
    }

    Real m_low;
    Real m_scale;
};

/// A score of a map as a byte of its colour table.
[[nodiscard]] inline std::uint8_t greyOf(float v, float low, float scale) {
    const float grey = (v - low) * scale;
    // Written so that NaN fails the first comparison.
    return grey > 0.0F ? static_cast<std::uint8_t>(grey < 255.0F ? grey + 0.5F : 255.0F) : 0;
}

/// The factor that greyOf() multiplies with.
[[nodiscard]] inline float greyScale(const GreyWindow& window) {
    return window.high > window.low ? static_cast<float>(255.0 / (window.high - window.low)) : 1.0F;
}

} // namespace flcc::viz::detail
