#include "engine/job/input/noise.h"

#include <cmath>
#include <type_traits>

#include "engine/base/random.h"

namespace flcc::job::detail {

base::AnyImage noise(base::PixelType type, const base::Extents& extents, std::uint64_t seed) {
    base::AnyImage made = base::makeImage(type, extents);
    std::visit(
        [seed](auto& image) {
            using T = std::remove_pointer_t<decltype(image.data())>;
            constexpr double kMean = 2 * 65535.0;
            const double scale = 20 / (65536 * std::sqrt(4 / 12.0));
            base::Random random(seed);
            for (std::int64_t i = 0; i < image.count(); ++i) {
                const std::uint64_t bits = random.bits();
                const auto sum = static_cast<double>((bits & 0xFFFF) + (bits >> 16 & 0xFFFF) +
                                                     (bits >> 32 & 0xFFFF) + (bits >> 48));
                image.data()[i] = static_cast<T>(100 + scale * (sum - kMean));
            }
        },
        made);
    return made;
}

} // namespace flcc::job::detail
