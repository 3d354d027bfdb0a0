#include "engine/reference/convolution.h"

#include <cmath>
#include <type_traits>
#include <variant>
#include <vector>

namespace flcc::reference {

ConvolvedVoxel convolvedAt(const base::AnyView& scene, const base::View<const double>& kernel,
                           const Continuation& continuation, const base::Index& at) {
    ConvolvedVoxel result;
    const base::Extents& m = kernel.extents();
    std::visit(
        [&](const auto& view) {
            const base::Extents& n = view.extents();
            std::vector<std::int64_t> columns;
            for (std::int64_t x = 0; x < m.x; ++x) {
                columns.push_back(continuation(at.x - x, n.x));
            }
            for (std::int64_t z = 0; z < m.z; ++z) {
                const std::int64_t fromZ = continuation(at.z - z, n.z);
                for (std::int64_t y = 0; y < m.y; ++y) {
                    const std::int64_t fromY = continuation(at.y - y, n.y);
                    for (std::int64_t x = 0; x < m.x; ++x) {
                        const std::int64_t fromX = columns[static_cast<std::size_t>(x)];
                        if (fromX < 0 || fromY < 0 || fromZ < 0) {
                            continue;
                        }
                        const auto voxel = view.at(fromX, fromY, fromZ);
                        const double weight = kernel.at(x, y, z);
                        if constexpr (std::is_integral_v<std::remove_const_t<decltype(voxel)>>) {
                            result.exact +=
                                static_cast<Int128>(voxel) * static_cast<Int128>(weight);
                        } else if (!std::isfinite(voxel)) {
                            result.nonFinite = true;
                            continue;
                        }
                        result.value += static_cast<double>(voxel) * weight;
                        result.magnitudes += std::abs(static_cast<double>(voxel) * weight);
                    }
                }
            }
        },
        scene);
    return result;
}

} // namespace flcc::reference
