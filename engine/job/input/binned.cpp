#include "engine/job/binned.h"

#include <array>
#include <cmath>
#include <limits>
#include <type_traits>
#include <variant>

namespace flcc::job {
namespace {

/// Calls `visit(x, y, z, voxels)` for each voxel of the binned image; `voxels(each)` calls `each`
/// with the indices of those that it stands for. False if cancelled.
template <class Visit>
bool forBins(const base::Extents& from, const base::Extents& to, const std::stop_token& stop,
             const Visit& visit) {
    const std::int64_t sx = from.x > 1 ? 2 : 1;
    const std::int64_t sy = from.y > 1 ? 2 : 1;
    const std::int64_t sz = from.z > 1 ? 2 : 1;
    for (std::int64_t z = 0; z < to.z; ++z) {
        for (std::int64_t y = 0; y < to.y; ++y) {
            if (stop.stop_requested()) {
                return false;
            }
            for (std::int64_t x = 0; x < to.x; ++x) {
                visit(x, y, z, [&](const auto& each) {
                    for (std::int64_t k = sz * z; k < sz * (z + 1); ++k) {
                        for (std::int64_t j = sy * y; j < sy * (y + 1); ++j) {
                            for (std::int64_t i = sx * x; i < sx * (x + 1); ++i) {
                                each(i, j, k);
                            }
                        }
                    }
                });
            }
        }
    }
    return true;
}

/// The voxels for which one stands.
std::int64_t binCount(const base::Extents& from) {
    return (from.x > 1 ? 2 : 1) * (from.y > 1 ? 2 : 1) * (from.z > 1 ? 2 : 1);
}

template <class T>
bool average(const base::Image<T>& from, base::Image<T>& to, const std::stop_token& stop) {
    const auto count = static_cast<double>(binCount(from.extents()));
    return forBins(from.extents(), to.extents(), stop,
                   [&](std::int64_t x, std::int64_t y, std::int64_t z, const auto& voxels) {
                       double sum = 0;
                       voxels([&](std::int64_t i, std::int64_t j, std::int64_t k) {
                           sum += static_cast<double>(from.view().at(i, j, k));
                       });
                       const double mean = sum / count;
                       if constexpr (std::is_integral_v<T>) {
                           // The mean of 64-bit values may round up to one beyond the type.
                           const double rounded = std::round(mean);
                           constexpr auto kMost = std::numeric_limits<T>::max();
                           to.view().at(x, y, z) = rounded >= static_cast<double>(kMost)
                                                       ? kMost
                                                       : static_cast<T>(rounded);
                       } else {
                           to.view().at(x, y, z) = static_cast<T>(mean);
                       }
                   });
}

} // namespace

base::Extents binnedExtents(const base::Extents& extents) {
    const auto half = [](std::int64_t n) { return n > 1 ? n / 2 : n; };
    return {half(extents.x), half(extents.y), half(extents.z)};
}

std::shared_ptr<const SceneImage> binned(const SceneImage& image, const std::stop_token& stop) {
    const base::Extents from = base::extentsOf(image.pixels);
    auto result = std::make_shared<SceneImage>();
    result->pixels = base::makeImage(base::pixelType(image.pixels), binnedExtents(from));
    const bool done = std::visit(
        [&](const auto& pixels) {
            using Pixels = std::remove_cvref_t<decltype(pixels)>;
            return average(pixels, std::get<Pixels>(result->pixels), stop);
        },
        image.pixels);
    if (!done) {
        return nullptr;
    }
    const std::array<std::int64_t, 3> n{from.x, from.y, from.z};
    base::Point first{};
    base::Point factor{};
    for (std::size_t a = 0; a < 3; ++a) {
        first[a] = n[a] > 1 ? 0.5 : 0;
        factor[a] = n[a] > 1 ? 2 : 1;
    }
    result->directed = image.directed;
    result->geometry = base::movedTo(image.geometry, first);
    for (std::size_t a = 0; a < 3; ++a) {
        result->geometry.spacing[a] *= factor[a];
    }
    result->source = image.source + " (binned by 2)";
    result->opacity = image.opacity ? binned(*image.opacity) : nullptr;
    result->inside = image.inside ? binned(*image.inside) : nullptr;
    return result;
}

std::shared_ptr<const MaskImage> binned(const MaskImage& mask) {
    const base::Extents from = mask.support.extents();
    auto result = std::make_shared<MaskImage>();
    result->support = base::Image<std::uint8_t>(binnedExtents(from));
    const bool weighted = !mask.weights.empty();
    if (weighted) {
        result->weights = base::Image<double>(result->support.extents());
    }
    (void)forBins(from, result->support.extents(), {},
                  [&](std::int64_t x, std::int64_t y, std::int64_t z, const auto& voxels) {
                      std::int64_t inside = 0;
                      double weight = 0;
                      voxels([&](std::int64_t i, std::int64_t j, std::int64_t k) {
                          inside += mask.support.view().at(i, j, k) != 0 ? 1 : 0;
                          weight += weighted ? mask.weights.view().at(i, j, k) : 0.0;
                      });
                      const bool isIn = weighted ? weight > 0 : 2 * inside >= binCount(from);
                      result->support.view().at(x, y, z) = isIn ? 1 : 0;
                      if (weighted) { // the mean weight
                          result->weights.view().at(x, y, z) =
                              weight / static_cast<double>(binCount(from));
                      }
                  });
    result->counts = mask.counts;
    result->source = mask.source + " (binned by 2)";
    return result;
}

} // namespace flcc::job
