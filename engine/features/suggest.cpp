#include "engine/features/suggest.h"

#include <algorithm>
#include <array>
#include <cmath>

#include "engine/base/tile_pool.h"
#include "engine/features/detail/sampler.h"
#include "engine/features/detail/self_match.h"

namespace flcc::features {

namespace {

constexpr double kBoxRadii = 1.5; // to each side
constexpr std::int64_t kBoxPoints = 15;
constexpr std::int64_t kVolumeBoxPoints = 9;

using detail::Surroundings;

Surroundings surroundingsOf(const base::View<const float>& grey, const base::Box& box) {
    const detail::Sampler sampler(grey);
    const bool volume = grey.extents().z > 1;
    const std::int64_t points = std::min(box.extents.x, volume ? kVolumeBoxPoints : kBoxPoints);
    const double step = static_cast<double>(box.extents.x) / static_cast<double>(points);
    const base::Extents side{points, points, volume ? points : 1};
    const base::Extents all{3 * points, 3 * points, volume ? 3 * points : 1};
    const auto place = [&](std::int64_t corner, std::int64_t extent, std::int64_t i) {
        const double middle = static_cast<double>(corner) + static_cast<double>(extent - 1) / 2;
        return middle + step * (static_cast<double>(i) - static_cast<double>(3 * points - 1) / 2);
    };
    // Beyond the image lies its border, repeated.
    Surroundings result{base::Image<float>(all), side, {{0, 0, 0}, all}};
    for (std::int64_t z = 0; z < all.z; ++z) {
        for (std::int64_t y = 0; y < all.y; ++y) {
            for (std::int64_t x = 0; x < all.x; ++x) {
                const base::Point p{place(box.corner.x, box.extents.x, x),
                                    place(box.corner.y, box.extents.y, y),
                                    volume ? place(box.corner.z, box.extents.z, z) : 0.0};
                result.image.view().at(x, y, z) = static_cast<float>(sampler.mean(p, step));
            }
        }
    }
    return result;
}

/// Fills in `second` and `width`. A constant box keeps the worst values.
void compare(const base::View<const float>& grey, Suggestion& suggestion) {
    const Surroundings around = surroundingsOf(grey, suggestion.box);
    const base::Extents& side = around.box;
    const base::Index middle{side.x, side.y, side.z > 1 ? side.z : 0};
    const base::View<const float> whole = around.image.view();
    const base::View<const float> box = whole.part({middle, side});
    const auto [low, high] = [&] {
        float least = box.at(0, 0, 0);
        float most = least;
        for (std::int64_t z = 0; z < side.z; ++z) {
            for (std::int64_t y = 0; y < side.y; ++y) {
                for (std::int64_t x = 0; x < side.x; ++x) {
                    least = std::min(least, box.at(x, y, z));
                    most = std::max(most, box.at(x, y, z));
                }
            }
        }
        return std::array<float, 2>{least, most};
    }();
    suggestion.second = 1;
    suggestion.width = 1;
    if (!(low < high)) {
        return;
    }
    const detail::SelfMatch self = detail::matchSelf(around);
    suggestion.second = std::min(self.second, 1.0);
    suggestion.width =
        std::min(1.0, static_cast<double>(2 * self.near + 1) / static_cast<double>(side.x));
}

} // namespace

base::Box boxAround(const Blob& blob, const base::Extents& image) {
    const auto along = [&](std::size_t axis, std::int64_t extent) {
        const double centre = blob.centre[axis];
        const auto half = std::max<std::int64_t>(
            2, static_cast<std::int64_t>(std::ceil(kBoxRadii * blob.radius / blob.edges[axis])));
        const std::int64_t side = std::min(2 * half + 1, extent);
        const auto corner = static_cast<std::int64_t>(std::lround(centre)) - side / 2;
        return std::array<std::int64_t, 2>{std::clamp(corner, std::int64_t{0}, extent - side),
                                           side};
    };
    const auto x = along(0, image.x);
    const auto y = along(1, image.y);
    const auto z = along(2, image.z);
    return {{x[0], y[0], z[0]}, {x[1], y[1], z[1]}};
}

bool isLight(const base::View<const float>& grey, const Blob& blob) {
    constexpr double kRing = 1.7; // its outer radius over that of the blob
    constexpr std::int64_t kMostPoints = 24;
    const base::Extents& n = grey.extents();
    const std::array<std::int64_t, 3> count{n.x, n.y, n.z};
    const double reach = kRing * std::max(blob.radius, 1.0);
    std::array<std::int64_t, 3> first{};
    std::array<std::int64_t, 3> last{};
    for (std::size_t axis = 0; axis < 3; ++axis) {
        const double own = reach / blob.edges[axis];
        first[axis] = std::max<std::int64_t>(0, std::llround(std::ceil(blob.centre[axis] - own)));
        last[axis] = std::min(count[axis] - 1,
                              static_cast<std::int64_t>(std::floor(blob.centre[axis] + own)));
    }
    const auto step =
        std::max<std::int64_t>(1, static_cast<std::int64_t>(std::ceil(2 * reach)) / kMostPoints);
    std::array<double, 2> sum{}; // of the blob, of the ring
    std::array<double, 2> points{};
    for (std::int64_t z = first[2]; z <= last[2]; z += step) {
        for (std::int64_t y = first[1]; y <= last[1]; y += step) {
            for (std::int64_t x = first[0]; x <= last[0]; x += step) {
                const base::Point& e = blob.edges;
                const double away = std::hypot(e[0] * (static_cast<double>(x) - blob.centre[0]),
                                               e[1] * (static_cast<double>(y) - blob.centre[1]),
                                               e[2] * (static_cast<double>(z) - blob.centre[2]));
                const auto value = static_cast<double>(grey.at(x, y, z));
                if (away <= reach && std::isfinite(value)) {
                    const std::size_t part = away <= blob.radius ? 0 : 1;
                    sum[part] += value;
                    points[part] += 1;
                }
            }
        }
    }
    return points[0] > 0 && points[1] > 0 && sum[0] / points[0] > sum[1] / points[1];
}

bool suggestTemplates(const base::View<const float>& grey, const std::vector<Blob>& blobs,
                      const SuggestOptions& options, const std::stop_token& stop,
                      std::vector<Suggestion>& suggestions) {
    suggestions.assign(std::min(options.tried, blobs.size()), {});
    base::TilePool pool(options.threads);
    const auto work = [&](std::int64_t i, int) {
        const auto at = static_cast<std::size_t>(i);
        Suggestion& suggestion = suggestions[at];
        suggestion.blob = at;
        suggestion.box = boxAround(blobs[at], grey.extents());
        compare(grey, suggestion);
        suggestion.merit =
            blobs[at].strength * (1 - suggestion.second) * (1 - suggestion.width / 2);
    };
    if (!pool.run(static_cast<std::int64_t>(suggestions.size()), work, stop)) {
        return false;
    }
    std::stable_sort(suggestions.begin(), suggestions.end(),
                     [](const Suggestion& a, const Suggestion& b) { return a.merit > b.merit; });
    suggestions.resize(std::min(options.most, suggestions.size()));
    return true;
}

} // namespace flcc::features
