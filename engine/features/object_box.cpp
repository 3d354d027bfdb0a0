#include "engine/features/object_box.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <utility>
#include <vector>

#include "engine/features/detail/block_means.h"

namespace flcc::features {
namespace {

using detail::byAxis;
using detail::Three;

constexpr std::int64_t kBlocks = 64;       // of a window along an axis of an image
constexpr std::int64_t kVolumeBlocks = 24; // of a volume
constexpr std::int64_t kLeastHalf = 6;     // voxels from the centre of the smallest window
constexpr double kGrowth = 1.4;
constexpr double kLeastContrast = 4; // times the spread of the background
constexpr double kClearlyBetter = 1.25;
constexpr double kMargin = 0.1; // of the object, on each side
constexpr std::int64_t kLeastMargin = 2;
// Smoothing rounds corners off, so the edge of an object is below half of its height; but noise of
// the background stays outside.
constexpr double kEdgeLevel = 0.35;
constexpr double kNoiseLevel = 2;      // times the spread of the background
constexpr std::int64_t kSeedReach = 2; // blocks from the click to the middle of the object

double medianOf(std::vector<double>& values) {
    const auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
    std::nth_element(values.begin(), middle, values.end());
    return *middle;
}

/// The blocks of a window, smoothed over the next blocks.
struct Window {
    detail::BlockGrid grid;
    base::Image<float> means;
    Three count{};
    Three seed{};                    ///< the block of the click
    std::array<bool, 6> imageEnds{}; ///< low and high end of each axis
    double background = 0;
    double spread = 0;

    [[nodiscard]] float& at(const Three& p) { return means.view().at(p[0], p[1], p[2]); }
    [[nodiscard]] bool holds(const Three& p) const {
        return p[0] >= 0 && p[0] < count[0] && p[1] >= 0 && p[1] < count[1] && p[2] >= 0 &&
               p[2] < count[2];
    }
    [[nodiscard]] bool onEdge(const Three& p) const {
        for (std::size_t a = 0; a < 3; ++a) {
            if (count[a] > 1 && (p[a] == 0 || p[a] == count[a] - 1)) {
                return true;
            }
        }
        return false;
    }
    /// True on an edge beyond which the image goes on.
    [[nodiscard]] bool onInnerEdge(const Three& p) const {
        for (std::size_t a = 0; a < 3; ++a) {
            if ((p[a] == 0 && !imageEnds[2 * a]) ||
                (p[a] == count[a] - 1 && !imageEnds[2 * a + 1])) {
                return true;
            }
        }
        return false;
    }
};

template <class Visit> void forEach(const Three& first, const Three& end, const Visit& visit) {
    for (std::int64_t z = first[2]; z < end[2]; ++z) {
        for (std::int64_t y = first[1]; y < end[1]; ++y) {
            for (std::int64_t x = first[0]; x < end[0]; ++x) {
                visit(Three{x, y, z});
            }
        }
    }
}

/// Means over three blocks along each axis: single noisy voxels make no object.
void smooth(Window& window) {
    const base::Image<float> before =
        std::exchange(window.means, base::Image<float>(window.means.extents()));
    forEach({0, 0, 0}, window.count, [&](const Three& p) {
        double sum = 0;
        int read = 0;
        forEach({p[0] - 1, p[1] - 1, p[2] - 1}, {p[0] + 2, p[1] + 2, p[2] + 2},
                [&](const Three& q) {
                    if (window.holds(q)) {
                        const float value = before.view().at(q[0], q[1], q[2]);
                        sum += std::isnan(value) ? 0.0 : static_cast<double>(value);
                        read += std::isnan(value) ? 0 : 1;
                    }
                });
        window.at(p) =
            read > 0 ? static_cast<float>(sum / read) : std::numeric_limits<float>::quiet_NaN();
    });
}

Window windowAround(const base::AnyView& image, const Three& voxel, std::int64_t half) {
    const Three n = byAxis(base::extentsOf(image));
    const std::int64_t most = n[2] > 1 ? kVolumeBlocks : kBlocks;
    Window window;
    const std::int64_t block = (2 * half + most) / most;
    for (std::size_t a = 0; a < 3; ++a) {
        const std::int64_t low = std::max<std::int64_t>(voxel[a] - half, 0);
        const std::int64_t high = std::min(voxel[a] + half + 1, n[a]);
        window.grid.corner[a] = low;
        window.grid.block[a] = std::min(block, high - low);
        window.count[a] = (high - low) / window.grid.block[a];
        window.seed[a] = std::min((voxel[a] - low) / window.grid.block[a], window.count[a] - 1);
        window.imageEnds[2 * a] = low == 0;
        // The last voxels of a window may not make a block.
        window.imageEnds[2 * a + 1] = low + (window.count[a] + 1) * window.grid.block[a] > n[a];
    }
    window.grid.count = {window.count[0], window.count[1], window.count[2]};
    window.means = detail::blockMeans(image, window.grid);
    smooth(window);
    return window;
}

/// Median and spread of the blocks on the edge. False where too few have a value.
bool findBackground(Window& window) {
    std::vector<double> edge;
    forEach({0, 0, 0}, window.count, [&](const Three& p) {
        if (window.onEdge(p) && !std::isnan(window.at(p))) {
            edge.push_back(static_cast<double>(window.at(p)));
        }
    });
    if (edge.size() < 4) {
        return false;
    }
    window.background = medianOf(edge);
    for (double& value : edge) {
        value = std::abs(value - window.background);
    }
    window.spread = 1.4826 * medianOf(edge); // of a normal distribution
    return true;
}

struct Object {
    base::Box box;
    double contrast = 0; ///< difference to the background over its spread
};

/// The object in the middle of a window, if it is whole and stands out.
std::optional<Object> objectIn(Window& window) {
    if (!findBackground(window)) {
        return std::nullopt;
    }
    // A click rarely hits the middle: the most different block nearby counts.
    Three top = window.seed;
    double height = 0;
    forEach({window.seed[0] - kSeedReach, window.seed[1] - kSeedReach, window.seed[2] - kSeedReach},
            {window.seed[0] + kSeedReach + 1, window.seed[1] + kSeedReach + 1,
             window.seed[2] + kSeedReach + 1},
            [&](const Three& p) {
                if (window.holds(p) && !std::isnan(window.at(p))) {
                    const double here = static_cast<double>(window.at(p)) - window.background;
                    if (std::abs(here) > std::abs(height)) {
                        height = here;
                        top = p;
                    }
                }
            });
    // Rounding of the means is no contrast.
    const double rounding = 1e-5 * std::max(std::abs(window.background), std::abs(height));
    const double contrast = std::abs(height) / std::max(window.spread, rounding);
    if (height == 0 || contrast < kLeastContrast || window.onInnerEdge(top)) {
        return std::nullopt;
    }
    const double level = std::min(0.5, std::max(kEdgeLevel, kNoiseLevel / contrast));
    const auto belongs = [&](const Three& p) {
        const double here = (static_cast<double>(window.at(p)) - window.background) / height;
        return here >= level; // false for NaN
    };
    Three low = top;
    Three high = top;
    std::vector<Three> open{top};
    base::Image<std::uint8_t> seen(window.means.extents(), std::uint8_t{0});
    seen.view().at(top[0], top[1], top[2]) = 1;
    while (!open.empty()) {
        const Three p = open.back();
        open.pop_back();
        if (window.onInnerEdge(p)) {
            return std::nullopt;
        }
        for (std::size_t a = 0; a < 3; ++a) {
            low[a] = std::min(low[a], p[a]);
            high[a] = std::max(high[a], p[a]);
            for (const std::int64_t step : {-1, 1}) {
                Three q = p;
                q[a] += step;
                if (window.holds(q) && seen.view().at(q[0], q[1], q[2]) == 0 && belongs(q)) {
                    seen.view().at(q[0], q[1], q[2]) = 1;
                    open.push_back(q);
                }
            }
        }
    }
    Three corner{};
    Three size{};
    for (std::size_t a = 0; a < 3; ++a) {
        corner[a] = window.grid.corner[a] + low[a] * window.grid.block[a];
        size[a] = (high[a] - low[a] + 1) * window.grid.block[a];
    }
    return Object{{{corner[0], corner[1], corner[2]}, {size[0], size[1], size[2]}}, contrast};
}

base::Box withMargin(const base::Box& box, const base::Extents& image) {
    const Three n = byAxis(image);
    Three corner{box.corner.x, box.corner.y, box.corner.z};
    Three size = byAxis(box.extents);
    for (std::size_t a = 0; a < 3; ++a) {
        const auto margin = std::max<std::int64_t>(
            kLeastMargin, std::llround(kMargin * static_cast<double>(size[a])));
        const std::int64_t end = std::min(corner[a] + size[a] + margin, n[a]);
        corner[a] = std::max<std::int64_t>(corner[a] - margin, 0);
        size[a] = end - corner[a];
    }
    return {{corner[0], corner[1], corner[2]}, {size[0], size[1], size[2]}};
}

} // namespace

std::optional<base::Box> boxAroundObject(const base::AnyView& image, const base::Index& voxel,
                                         const std::stop_token& stop) {
    const base::Extents extents = base::extentsOf(image);
    const std::int64_t longest = std::max({extents.x, extents.y, extents.z});
    std::optional<Object> best;
    double half = kLeastHalf;
    for (bool last = false; !last; half *= kGrowth) {
        if (stop.stop_requested()) {
            return std::nullopt;
        }
        last = half >= static_cast<double>(longest);
        Window window =
            windowAround(image, {voxel.x, voxel.y, voxel.z}, static_cast<std::int64_t>(half));
        const auto found = objectIn(window);
        if (found && (!best || found->contrast > kClearlyBetter * best->contrast)) {
            best = found;
        }
    }
    return best ? std::optional(withMargin(best->box, extents)) : std::nullopt;
}

namespace {

/// Applies `change` to corner and length of each side that is longer than one voxel.
template <class Change>
base::Box changed(const base::Box& box, const base::Extents& image, const Change& change) {
    const Three n = byAxis(image);
    Three corner{box.corner.x, box.corner.y, box.corner.z};
    Three size = byAxis(box.extents);
    for (std::size_t a = 0; a < 3; ++a) {
        if (size[a] > 1) {
            change(corner[a], size[a], n[a]);
            size[a] = std::min(size[a], n[a]);
            corner[a] = std::clamp<std::int64_t>(corner[a], 0, n[a] - size[a]);
        }
    }
    return {{corner[0], corner[1], corner[2]}, {size[0], size[1], size[2]}};
}

} // namespace

base::Box resized(const base::Box& box, std::int64_t step, const base::Extents& image) {
    return changed(box, image, [step](std::int64_t& corner, std::int64_t& size, std::int64_t most) {
        const std::int64_t by = std::max(step, -((size - 2) / 2));
        if (size + 2 * by <= most) {
            corner -= by;
            size += 2 * by;
        }
    });
}

base::Box withOtherParity(const base::Box& box, const base::Extents& image) {
    const Three sides = byAxis(box.extents);
    const bool odd = std::ranges::all_of(sides, [](std::int64_t side) { return side % 2 == 1; });
    return changed(box, image, [odd](std::int64_t&, std::int64_t& size, std::int64_t most) {
        if ((size % 2 == 1) == odd) {
            size += size + 1 <= most ? 1 : -1;
        }
    });
}

} // namespace flcc::features
