#include "viz/pyramid.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <type_traits>

namespace flcc::viz {
namespace {

/// Images below this are drawn from their voxels in a few milliseconds.
constexpr std::int64_t kLeastVoxels = 1 << 23;
constexpr std::int64_t kShortestSide = 256; ///< no level below this many texels on the longer side
constexpr std::int64_t kRowsAtOnce = 16;    ///< texel rows between two looks at a stop

std::int64_t blocksOf(std::int64_t voxels, int level) {
    return (voxels + (std::int64_t{1} << level) - 1) >> level;
}

template <class T> T rounded(double mean) {
    if constexpr (std::is_integral_v<T>) {
        const double whole = std::floor(mean + 0.5);
        // 64-bit limits are no doubles: compared before the conversion, which would overflow.
        if (whole >= static_cast<double>(std::numeric_limits<T>::max())) {
            return std::numeric_limits<T>::max();
        }
        return static_cast<T>(whole);
    } else {
        return static_cast<T>(mean);
    }
}

/// Averages of blocks of `block` x `block` pixels of `from`, rows `top` to `bottom` of `to`.
template <class T>
void average(const base::View<const T>& from, const base::View<T>& to, std::int64_t block,
             std::int64_t top, std::int64_t bottom) {
    constexpr bool kExact = std::is_integral_v<T> && sizeof(T) <= 4;
    using Sum = std::conditional_t<kExact, std::int64_t, double>;
    const base::Extents& n = from.extents();
    const std::int64_t width = to.extents().x;
    const std::int64_t whole = n.x / block;
    std::vector<Sum> sums(static_cast<std::size_t>(width));
    std::vector<std::int32_t> counts(static_cast<std::size_t>(width));
    for (std::int64_t y = top; y < bottom; ++y) {
        std::ranges::fill(sums, Sum{0});
        std::ranges::fill(counts, 0);
        const std::int64_t end = std::min((y + 1) * block, n.y);
        for (std::int64_t row = y * block; row < end; ++row) {
            const T* voxel = from.row(row, 0);
            for (std::int64_t x = 0; x < width; ++x) {
                const std::int64_t last = x < whole ? block : n.x - x * block;
                Sum sum{0};
                std::int32_t count = 0;
                for (std::int64_t i = 0; i < last; ++i) {
                    const T v = voxel[x * block + i];
                    if constexpr (std::is_integral_v<T>) {
                        sum += static_cast<Sum>(v);
                        ++count;
                    } else {
                        const bool finite = std::isfinite(v);
                        sum += finite ? static_cast<Sum>(v) : Sum{0};
                        count += finite ? 1 : 0;
                    }
                }
                sums[static_cast<std::size_t>(x)] += sum;
                counts[static_cast<std::size_t>(x)] += count;
            }
        }
        T* out = to.row(y, 0);
        for (std::int64_t x = 0; x < width; ++x) {
            const std::int32_t count = counts[static_cast<std::size_t>(x)];
            out[x] =
                count > 0
                    ? rounded<T>(static_cast<double>(sums[static_cast<std::size_t>(x)]) / count)
                    : from.at(x * block, y * block, 0);
        }
    }
}

} // namespace

bool Pyramid::serves(const base::Extents& extents) {
    return extents.z == 1 && extents.x * extents.y >= kLeastVoxels;
}

void Pyramid::shape(base::PixelType type, const base::Extents& extents) {
    const auto bytesFrom = [&](int first) {
        std::int64_t bytes = 0;
        for (int level = first; level < first + 8; ++level) {
            bytes += blocksOf(extents.x, level) * blocksOf(extents.y, level);
        }
        return bytes * base::bytesPerVoxel(type);
    };
    while (bytesFrom(m_first) > kMostBytes) {
        ++m_first;
    }
    for (int level = m_first;; ++level) {
        const base::Extents size{blocksOf(extents.x, level), blocksOf(extents.y, level), 1};
        m_levels.push_back(base::makeImage(type, size));
        if (std::max(size.x, size.y) <= kShortestSide) {
            return;
        }
    }
}

Pyramid::Pyramid(const base::AnyView& image, const std::stop_token& stop) {
    shape(base::pixelType(image), base::extentsOf(image));
    base::AnyView below = image;
    std::int64_t block = std::int64_t{1} << m_first;
    for (base::AnyImage& level : m_levels) {
        std::visit(
            [&]<class T>(base::Image<T>& to) {
                const auto& from = std::get<base::View<const T>>(below);
                const std::int64_t height = to.extents().y;
                for (std::int64_t y = 0; y < height && !stop.stop_requested(); y += kRowsAtOnce) {
                    average<T>(from, to.view(), block, y, std::min(y + kRowsAtOnce, height));
                }
            },
            level);
        below = base::viewOf(level);
        block = 2;
    }
}

Pyramid::Pyramid(const base::Extents& extents, const BestRule& rule) : m_rule(rule) {
    shape(base::PixelType::Float32, extents);
    for (base::AnyImage& level : m_levels) {
        std::get<base::Image<float>>(level).fill(ScoreCell().stored());
    }
}

void Pyramid::addRows(const method::MatchMap& map, const base::Box& region, std::int64_t top,
                      std::int64_t bottom) {
    auto& cells = std::get<base::Image<float>>(m_levels.front());
    const std::int64_t right = region.corner.x + region.extents.x;
    m_rule.choose([&](const auto& better) {
        for (std::int64_t y = top; y < bottom; ++y) {
            const float* value = map.value.view().row(y, 0);
            const base::Status* status = map.status.view().row(y, 0);
            float* out = cells.view().row(y >> m_first, 0);
            for (std::int64_t x = region.corner.x; x < right;) {
                float& stored = out[x >> m_first];
                ScoreCell cell(stored);
                const std::int64_t end = std::min(((x >> m_first) + 1) << m_first, right);
                for (; x < end; ++x) {
                    cell.merge({value[x], status[x]}, better);
                }
                stored = cell.stored();
            }
        }
    });
}

/// Recomputes the texels of a level over a region of the map from the level below.
void Pyramid::mergeLevel(std::size_t level, const base::Box& region) {
    const auto below = std::get<base::Image<float>>(m_levels[level - 1]).view();
    auto& to = std::get<base::Image<float>>(m_levels[level]);
    const int shift = m_first + static_cast<int>(level);
    const std::int64_t right = (region.corner.x + region.extents.x - 1) >> shift;
    const std::int64_t bottom = (region.corner.y + region.extents.y - 1) >> shift;
    m_rule.choose([&](const auto& better) {
        for (std::int64_t y = region.corner.y >> shift; y <= bottom; ++y) {
            for (std::int64_t x = region.corner.x >> shift; x <= right; ++x) {
                ScoreCell cell;
                for (std::int64_t j = 2 * y; j < std::min(2 * y + 2, below.extents().y); ++j) {
                    for (std::int64_t i = 2 * x; i < std::min(2 * x + 2, below.extents().x); ++i) {
                        cell.merge(ScoreCell(below.at(i, j, 0)), better);
                    }
                }
                to.view().at(x, y, 0) = cell.stored();
            }
        }
    });
}

void Pyramid::add(const method::MatchMap& map, const base::Box& region,
                  const std::stop_token& stop) {
    const std::int64_t bottom = region.corner.y + region.extents.y;
    // In strips, so that whoever draws meanwhile waits a few milliseconds only.
    const std::int64_t strip = kRowsAtOnce << m_first;
    for (std::int64_t y = region.corner.y; y < bottom && !stop.stop_requested();) {
        const std::int64_t end = std::min((y / strip + 1) * strip, bottom);
        const std::unique_lock lock = lockInTurn();
        addRows(map, region, y, end);
        y = end;
    }
    for (std::size_t level = 1; level < m_levels.size() && !stop.stop_requested(); ++level) {
        const std::unique_lock lock = lockInTurn();
        mergeLevel(level, region);
    }
}

std::int64_t Pyramid::bytes() const {
    std::int64_t bytes = 0;
    for (const base::AnyImage& level : m_levels) {
        const base::Extents n = base::extentsOf(level);
        bytes += n.x * n.y * base::bytesPerVoxel(base::pixelType(level));
    }
    return bytes;
}

int Pyramid::levelFor(double pitch) const {
    int level = 0;
    for (int i = 0; i < static_cast<int>(m_levels.size()); ++i) {
        if (std::ldexp(1.0, m_first + i) <= pitch) {
            level = m_first + i;
        }
    }
    return level;
}

} // namespace flcc::viz
