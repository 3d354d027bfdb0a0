#include "engine/features/object_box.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>
#include <variant>
#include <vector>

#include "engine/base/error.h"
#include "engine/features/detail/block_means.h"
#include "engine/features/detail/self_match.h"

namespace flcc::features {
namespace {

using detail::byAxis;
using detail::Three;

constexpr std::int64_t kSelfPoints = 31;
constexpr std::int64_t kVolumeSelfPoints = 9;
constexpr std::int64_t kMostRead = 1 << 20; // voxels for deviation and noise

/// Deviation and noise of a box.
struct Spread {
    bool finite = true;
    bool flat = true;
    double deviation = 0;
    double noise = -1; ///< negative: not known
};

using Mask = base::View<const std::uint8_t>;

/// Whether all voxels of the box that count have one value, and none is NaN or infinite.
template <class T>
Spread valuesOf(const base::View<const T>& view, const Mask& mask, T first,
                const std::stop_token& stop) {
    Spread spread;
    const Three n = byAxis(view.extents());
    for (std::int64_t z = 0; z < n[2] && spread.finite; ++z) {
        for (std::int64_t y = 0; y < n[1] && spread.finite; ++y) {
            if (stop.stop_requested()) {
                return spread;
            }
            const T* const row = view.row(y, z);
            const std::uint8_t* const counts = mask.data() == nullptr ? nullptr : mask.row(y, z);
            for (std::int64_t x = 0; x < n[0]; ++x) {
                if (counts != nullptr && counts[x] == 0) {
                    continue;
                }
                if constexpr (std::is_floating_point_v<T>) {
                    spread.finite = spread.finite && std::isfinite(row[x]);
                }
                spread.flat = spread.flat && row[x] == first;
            }
        }
        if constexpr (!std::is_floating_point_v<T>) {
            if (!spread.flat) {
                return spread;
            }
        }
    }
    return spread;
}

/// Deviation, and the noise by the mean of a difference that vanishes on every plane (J. Immerkaer,
/// Fast Noise Variance Estimation, 1996), in every n-th row of a large box.
template <class T>
void measure(const base::View<const T>& view, const Mask& mask, T start, Spread& spread) {
    const Three n = byAxis(view.extents());
    const std::int64_t rows = n[1] * n[2];
    const std::int64_t every = std::max<std::int64_t>(1, rows * n[0] / kMostRead);
    const auto first = static_cast<double>(start); // differences to it cancel less
    double sum = 0;
    double squares = 0;
    double rough = 0;
    std::int64_t count = 0;
    std::int64_t inner = 0;
    for (std::int64_t line = 0; line < rows; line += every) {
        const std::int64_t y = line % n[1];
        const T* const row = view.row(y, line / n[1]);
        const bool whole = n[0] >= 3 && y > 0 && y + 1 < n[1];
        const T* const above = whole ? view.row(y - 1, line / n[1]) : row;
        const T* const below = whole ? view.row(y + 1, line / n[1]) : row;
        const auto bend = [](const T* r, std::int64_t x) {
            return static_cast<double>(r[x - 1]) - 2 * static_cast<double>(r[x]) +
                   static_cast<double>(r[x + 1]);
        };
        const std::uint8_t* const counts =
            mask.data() == nullptr ? nullptr : mask.row(line % n[1], line / n[1]);
        for (std::int64_t x = 0; x < n[0]; ++x) {
            if (counts != nullptr && counts[x] == 0) {
                continue;
            }
            const double value = static_cast<double>(row[x]) - first;
            sum += value;
            squares += value * value;
            ++count;
            if (whole && x > 0 && x + 1 < n[0]) {
                rough += std::abs(bend(above, x) - 2 * bend(row, x) + bend(below, x));
                ++inner;
            }
        }
    }
    if (count == 0) {
        return; // what counts lies between the rows that are read
    }
    const double mean = sum / static_cast<double>(count);
    spread.deviation = std::sqrt(std::max(0.0, squares / static_cast<double>(count) - mean * mean));
    if (inner > 0) {
        spread.noise = std::sqrt(std::numbers::pi / 2) / 6 * rough / static_cast<double>(inner);
    }
}

double contrastOf(const Spread& spread) {
    if (spread.noise < 0) {
        return -1;
    }
    const double structure =
        std::sqrt(std::max(0.0, spread.deviation * spread.deviation - spread.noise * spread.noise));
    return spread.noise > 0 ? structure / spread.noise : std::numeric_limits<double>::infinity();
}

/// The box and its surroundings in blocks of equal size, which a placement moves by whole blocks.
detail::Surroundings blocksAround(const base::AnyView& image, const base::Box& box, Three& step) {
    const Three n = byAxis(base::extentsOf(image));
    const Three size = byAxis(box.extents);
    const Three corner{box.corner.x, box.corner.y, box.corner.z};
    const std::int64_t most = size[2] > 1 ? kVolumeSelfPoints : kSelfPoints;
    detail::BlockGrid grid;
    Three points{};
    Three low{};
    Three high{};
    for (std::size_t a = 0; a < 3; ++a) {
        step[a] = (size[a] + most - 1) / most;
        points[a] = size[a] / step[a];
        // What is left of the box beside whole blocks is cut off on both sides.
        const std::int64_t first = corner[a] + (size[a] - points[a] * step[a]) / 2;
        const bool flat = a == 2 && size[2] == 1;
        const std::int64_t beside = flat ? 0 : points[a];
        grid.corner[a] = first - beside * step[a];
        grid.block[a] = step[a];
        low[a] = beside - std::min(first / step[a], beside);
        high[a] = beside + std::min((n[a] - first) / step[a], points[a] + beside);
    }
    grid.count = {3 * points[0], 3 * points[1], size[2] == 1 ? 1 : 3 * points[2]};
    return {detail::blockMeans(image, grid),
            {points[0], points[1], points[2]},
            {{low[0], low[1], low[2]}, {high[0] - low[0], high[1] - low[1], high[2] - low[2]}}};
}

/// The blocks of the box of which at least half counts.
base::Image<std::uint8_t> blocksThatCount(const Mask& mask, const base::Extents& points,
                                          const Three& step) {
    const Three n = byAxis(mask.extents());
    const Three count = byAxis(points);
    Three first{};
    for (std::size_t a = 0; a < 3; ++a) {
        first[a] = (n[a] - count[a] * step[a]) / 2;
    }
    const detail::BlockGrid grid{first, step, points};
    const base::Image<float> shares = detail::blockMeans(base::AnyView(mask), grid);
    base::Image<std::uint8_t> support(points);
    std::transform(shares.data(), shares.data() + shares.count(), support.data(),
                   [](float share) { return share >= 0.5F ? std::uint8_t{1} : std::uint8_t{0}; });
    return support;
}

/// The value of the first voxel that counts.
template <class T> T firstOf(const base::View<const T>& view, const Mask& mask) {
    const base::Extents& n = view.extents();
    for (std::int64_t z = 0; z < n.z && mask.data() != nullptr; ++z) {
        for (std::int64_t y = 0; y < n.y; ++y) {
            for (std::int64_t x = 0; x < n.x; ++x) {
                if (mask.at(x, y, z) != 0) {
                    return view.at(x, y, z);
                }
            }
        }
    }
    return view.at(0, 0, 0);
}

std::int64_t voxelsThatCount(const base::Extents& box, const Mask& mask) {
    if (mask.data() == nullptr) {
        return base::voxelCount(box);
    }
    std::int64_t count = 0;
    for (std::int64_t z = 0; z < box.z; ++z) {
        for (std::int64_t y = 0; y < box.y; ++y) {
            const std::uint8_t* const row = mask.row(y, z);
            count += box.x - std::count(row, row + box.x, std::uint8_t{0});
        }
    }
    return count;
}

/// Length of the main peak along each axis, in scores: of what hangs together with the middle at
/// `kNearScore` or more within half a box.
Three mainPeak(const detail::SelfMatch& self, const base::Extents& side) {
    const base::Extents& places = self.scores.extents();
    const Three n = byAxis(places);
    const Three half{side.x / 2, side.y / 2, side.z / 2};
    const Three middle{self.middle.x, self.middle.y, self.middle.z};
    base::Image<std::uint8_t> seen(places, std::uint8_t{0});
    std::vector<Three> open{middle};
    Three low = middle;
    Three high = middle;
    seen.view().at(self.middle) = 1;
    while (!open.empty()) {
        const Three p = open.back();
        open.pop_back();
        for (std::size_t a = 0; a < 3; ++a) {
            low[a] = std::min(low[a], p[a]);
            high[a] = std::max(high[a], p[a]);
            for (const std::int64_t by : {-1, 1}) {
                Three q = p;
                q[a] += by;
                if (q[a] < 0 || q[a] >= n[a] || std::abs(q[a] - middle[a]) > half[a] ||
                    seen.view().at(q[0], q[1], q[2]) != 0 ||
                    !(self.scores.view().at(q[0], q[1], q[2]) >= detail::kNearScore)) {
                    continue;
                }
                seen.view().at(q[0], q[1], q[2]) = 1;
                open.push_back(q);
            }
        }
    }
    return {high[0] - low[0] + 1, high[1] - low[1] + 1, high[2] - low[2] + 1};
}

void judge(BoxQuality& quality, const base::Extents& box, const base::Extents& side) {
    const Three size = byAxis(box);
    const Three points = byAxis(side);
    const auto share = [&](std::size_t a) {
        return size[a] > 1 ? static_cast<double>(quality.width[a]) / static_cast<double>(size[a])
                           : 0.0;
    };
    for (std::size_t a = 1; a < 3; ++a) {
        quality.slides = share(a) > share(quality.slides) ? a : quality.slides;
    }
    // Longer than half a box to each side is not looked at.
    const std::size_t axis = quality.slides;
    const bool endless =
        points[axis] >= 3 && quality.width[axis] / quality.step[axis] > 2 * (points[axis] / 2);
    const auto say = [&quality](BoxVerdict verdict, BoxFault fault) {
        quality.verdict = verdict;
        quality.fault = fault;
    };
    if (endless) {
        say(BoxVerdict::Poor, BoxFault::Slides);
    } else if (quality.second >= kPoorSecond) {
        say(BoxVerdict::Poor, BoxFault::Repeats);
    } else if (quality.second >= kFairSecond) {
        say(BoxVerdict::Fair, BoxFault::Repeats);
    } else if (share(axis) > kFairWidth) {
        say(BoxVerdict::Fair, BoxFault::Broad);
    } else if (quality.contrast >= 0 && quality.contrast < kFairContrast) {
        say(BoxVerdict::Fair, BoxFault::Weak);
    } else {
        say(BoxVerdict::Good, BoxFault::None);
    }
}

} // namespace

double expectedScore(double contrast) {
    return std::isinf(contrast) ? 1 : contrast * contrast / (1 + contrast * contrast);
}

BoxQuality boxQuality(const base::AnyView& image, const base::Box& box, const std::stop_token& stop,
                      const Mask& mask) {
    BoxQuality quality;
    if (voxelsThatCount(box.extents, mask) < 2) {
        quality.fault = BoxFault::Small;
        return quality;
    }
    const base::AnyView part = base::partOf(image, box);
    Spread spread = std::visit(
        [&](const auto& view) { return valuesOf(view, mask, firstOf(view, mask), stop); }, part);
    if (stop.stop_requested()) {
        return quality;
    }
    if (!spread.finite || spread.flat) {
        quality.fault = spread.finite ? BoxFault::Flat : BoxFault::NotFinite;
        return quality;
    }
    std::visit([&](const auto& view) { measure(view, mask, firstOf(view, mask), spread); }, part);
    quality.contrast = contrastOf(spread);
    detail::Surroundings around = blocksAround(image, box, quality.step);
    if (mask.data() != nullptr) {
        around.support = blocksThatCount(mask, around.box, quality.step);
    }
    detail::SelfMatch self;
    try {
        self = detail::matchSelf(around);
    } catch (const base::Error&) {
        // What differs is finer than the blocks.
        quality.verdict = BoxVerdict::Fair;
        quality.fault = BoxFault::Weak;
        return quality;
    }
    const Three peak = mainPeak(self, around.box);
    for (std::size_t a = 0; a < 3; ++a) {
        quality.width[a] = peak[a] * quality.step[a];
    }
    quality.second = std::min(self.second, 1.0);
    if (self.second > 0) {
        const auto off = [&](std::size_t a, std::int64_t place, std::int64_t middle) {
            return static_cast<double>((place - middle) * quality.step[a]);
        };
        quality.distance = std::hypot(off(0, self.secondAt.x, self.middle.x),
                                      off(1, self.secondAt.y, self.middle.y),
                                      off(2, self.secondAt.z, self.middle.z));
    }
    quality.scores = std::move(self.scores);
    judge(quality, box.extents, around.box);
    return quality;
}

} // namespace flcc::features
