#include "viz/reduced_volume.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <type_traits>
#include <vector>

#include "viz/pixels/map_pixels.h"
#include "viz/volume/volume_texture.h"

namespace flcc::viz {
namespace {

/// One row of texels.
template <class T, class Real>
void averageRow(const base::View<const T>& image, const std::array<std::int64_t, 3>& step,
                std::int64_t y, std::int64_t z, Real* out, std::int64_t width) {
    const base::Extents& n = image.extents();
    std::vector<Real> sums(static_cast<std::size_t>(width));
    std::vector<std::int32_t> counts(static_cast<std::size_t>(width));
    // Shares of 2^-16 keep a sum of the largest numbers finite.
    constexpr Real kShare = std::is_integral_v<T> ? Real(1) : Real(1.0 / 65536);
    const std::int64_t bottom = std::min((y + 1) * step[1], n.y);
    const std::int64_t back = std::min((z + 1) * step[2], n.z);
    for (std::int64_t k = z * step[2]; k < back; ++k) {
        for (std::int64_t j = y * step[1]; j < bottom; ++j) {
            const T* voxel = image.row(j, k);
            for (std::int64_t x = 0; x < width; ++x) {
                const std::int64_t right = std::min((x + 1) * step[0], n.x);
                Real sum = 0;
                std::int32_t count = 0;
                for (std::int64_t i = x * step[0]; i < right; ++i) {
                    const auto v = static_cast<Real>(voxel[i]);
                    const bool finite = std::isfinite(v);
                    sum += finite ? v * kShare : Real(0);
                    count += finite ? 1 : 0;
                }
                sums[static_cast<std::size_t>(x)] += sum;
                counts[static_cast<std::size_t>(x)] += count;
            }
        }
    }
    for (std::int64_t x = 0; x < width; ++x) {
        const auto at = static_cast<std::size_t>(x);
        out[x] = counts[at] > 0 ? sums[at] / static_cast<Real>(counts[at]) / kShare
                                : std::numeric_limits<Real>::quiet_NaN();
    }
}

} // namespace

bool ReducedVolume::serves(const base::Extents& extents) {
    const auto step = detail::texelSteps(extents, detail::kTexelBudget);
    return extents.z > 1 && *std::max_element(step.begin(), step.end()) > 1;
}

ReducedVolume::ReducedVolume(const base::AnyView& image, const std::stop_token& stop)
    : m_source(base::extentsOf(image)) {
    const auto step = detail::texelSteps(m_source, detail::kTexelBudget);
    const base::Extents count = detail::texelCount(m_source, step);
    std::visit(
        [&]<class T>(const base::View<const T>& view) {
            using Real = std::conditional_t<(sizeof(T) > 4), double, float>;
            base::Image<Real> pixels(count);
            for (std::int64_t z = 0; z < count.z; ++z) {
                for (std::int64_t y = 0; y < count.y && !stop.stop_requested(); ++y) {
                    averageRow<T, Real>(view, step, y, z, pixels.view().row(y, z), count.x);
                }
            }
            m_pixels = std::move(pixels);
        },
        image);
}

std::int64_t ReducedVolume::bytes() const {
    const base::Extents n = base::extentsOf(m_pixels);
    return n.x * n.y * n.z * base::bytesPerVoxel(base::pixelType(m_pixels));
}

} // namespace flcc::viz
