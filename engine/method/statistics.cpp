#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>
#include <numeric>
#include <type_traits>
#include <utility>
#include <vector>

#include "engine/base/finite.h"
#include "engine/method/problem.h"

namespace flcc::method {

namespace {

using base::View;

using Mask = View<const std::uint8_t>;

/// Sets range, mean and nonFinite of `statistics`. With `kMasked`, only voxels inside the mask
/// count.
template <bool kMasked, class T>
void addRange(const View<const T>& scene, const Mask& mask, const std::stop_token& stop,
              SceneStatistics& statistics) {
    const base::Extents& extents = scene.extents();
    std::int64_t outside = 0;
    double minimum = std::numeric_limits<double>::infinity();
    double maximum = -minimum;
    double total = 0;
    std::int64_t bad = 0;
    for (std::int64_t z = 0; z < extents.z; ++z) {
        for (std::int64_t y = 0; y < extents.y; ++y) {
            if (stop.stop_requested()) {
                return;
            }
            const T* row = scene.row(y, z);
            const std::uint8_t* const kept = kMasked ? mask.row(y, z) : nullptr;
            double sum = 0;
            for (std::int64_t x = 0; x < extents.x; ++x) {
                const double v = static_cast<double>(row[x]);
                bool good = base::finite(row[x]);
                if constexpr (kMasked) {
                    outside += kept[x] == 0 ? 1 : 0;
                    bad += !good && kept[x] != 0 ? 1 : 0;
                    good = good && kept[x] != 0;
                } else {
                    bad += good ? 0 : 1;
                }
                sum += good ? v : 0.0;
                minimum = good && v < minimum ? v : minimum;
                maximum = good && v > maximum ? v : maximum;
            }
            total += sum / static_cast<double>(extents.x);
        }
    }
    const std::int64_t count = extents.x * extents.y * extents.z;
    statistics.nonFinite = bad;
    if (bad + outside < count) {
        statistics.minimum = minimum;
        statistics.maximum = maximum;
        statistics.mean = total / static_cast<double>(extents.y * extents.z) *
                          (static_cast<double>(count) / static_cast<double>(count - bad - outside));
    }
}

/// The exponent of the lowest bit set in a finite `v`; the largest int for 0.
int lowestBit(double v) {
    if (v == 0) {
        return std::numeric_limits<int>::max();
    }
    constexpr int kDigits = std::numeric_limits<double>::digits;
    int exponent = 0;
    const auto digits =
        static_cast<std::uint64_t>(std::ldexp(std::abs(std::frexp(v, &exponent)), kDigits));
    return exponent - kDigits + std::countr_zero(digits);
}

/// The exponent of the largest power of two of which all finite voxels of a row are multiples; 0
/// for integer types.
template <class T> int lowestBit(const T* row, std::int64_t count) {
    if constexpr (std::is_integral_v<T>) {
        return 0;
    }
    int lowest = std::numeric_limits<int>::max();
    for (std::int64_t x = 0; x < count; ++x) {
        if (base::finite(row[x])) {
            lowest = std::min(lowest, lowestBit(static_cast<double>(row[x])));
        }
    }
    return lowest;
}

/// Standard deviation of the finite voxels of a panel inside `mask`; an empty mask counts all.
template <class T> double deviation(const View<const T>& panel, const Mask& mask) {
    const base::Extents& extents = panel.extents();
    const double reference =
        base::finite(panel.at(0, 0, 0)) ? static_cast<double>(panel.at(0, 0, 0)) : 0.0;
    double s1 = 0;
    double s2 = 0;
    double n = 0;
    for (std::int64_t z = 0; z < extents.z; ++z) {
        for (std::int64_t y = 0; y < extents.y; ++y) {
            const T* row = panel.row(y, z);
            for (std::int64_t x = 0; x < extents.x; ++x) {
                if (base::finite(row[x]) && (mask.data() == nullptr || mask.at(x, y, z) != 0)) {
                    const double d = static_cast<double>(row[x]) - reference;
                    s1 += d;
                    s2 += d * d;
                    n += 1;
                }
            }
        }
    }
    return n > 0 ? std::sqrt(std::max(0.0, (s2 - s1 * s1 / n) / n)) : 0.0;
}

/// Sets lowContrast, steps and lowest of `statistics` from panels on a coarse grid of at most 1024
/// placements. Panels are cut to 32 voxels an axis, so that this costs at most one read of the
/// scene.
template <class T>
void addContrast(const View<const T>& scene, const Mask& mask, const base::Extents& templ,
                 SceneStatistics& statistics) {
    constexpr std::size_t kLowest = 64;
    const base::Extents& extents = scene.extents();
    const base::Extents panel{std::min<std::int64_t>(templ.x, 32),
                              std::min<std::int64_t>(templ.y, 32),
                              std::min<std::int64_t>(templ.z, 32)};
    const bool flat = extents.z == 1;
    const auto places = [&](std::int64_t extent, std::int64_t length) {
        return std::min<std::int64_t>(extent - length + 1, flat ? 32 : 10);
    };
    const auto place = [](std::int64_t i, std::int64_t count, std::int64_t extent,
                          std::int64_t length) {
        return count < 2 ? 0 : i * (extent - length) / (count - 1);
    };
    const std::int64_t nx = places(extents.x, panel.x);
    const std::int64_t ny = places(extents.y, panel.y);
    const std::int64_t nz = places(extents.z, panel.z);
    std::vector<std::pair<double, base::Index>> panels;
    int lowest = std::numeric_limits<int>::max();
    for (std::int64_t k = 0; k < nz; ++k) {
        for (std::int64_t j = 0; j < ny; ++j) {
            for (std::int64_t i = 0; i < nx; ++i) {
                const base::Index corner{place(i, nx, extents.x, panel.x),
                                         place(j, ny, extents.y, panel.y),
                                         place(k, nz, extents.z, panel.z)};
                const base::Index placement{std::min(corner.x, extents.x - templ.x),
                                            std::min(corner.y, extents.y - templ.y),
                                            std::min(corner.z, extents.z - templ.z)};
                const base::Box box{corner, panel};
                lowest = std::min(lowest, lowestBit(&scene.at(corner), panel.x));
                panels.emplace_back(
                    deviation(scene.part(box), mask.data() == nullptr ? mask : mask.part(box)),
                    placement);
            }
        }
    }
    std::stable_sort(panels.begin(), panels.end(),
                     [](const auto& a, const auto& b) { return a.first < b.first; });
    statistics.lowContrast = panels[panels.size() / 100].first;
    const auto flats =
        std::ranges::count_if(panels, [](const auto& one) { return !(one.first > 0); });
    statistics.flatShare = static_cast<double>(flats) / static_cast<double>(panels.size());
    statistics.steps = std::ldexp(statistics.maximum - statistics.minimum, -lowest);
    for (const auto& [contrast, placement] : panels) {
        const auto& known = statistics.lowest;
        if (contrast > 0 && known.size() < kLowest &&
            std::find(known.begin(), known.end(), placement) == known.end()) {
            statistics.lowest.push_back(placement);
        }
    }
}

/// How cells are cut along one axis, so that every panel holds `together` neighbouring cells.
struct Cells {
    std::int64_t length = 1;
    std::int64_t together = 1;
    std::int64_t count = 1;

    Cells(std::int64_t scene, std::int64_t templ)
        : length(std::max<std::int64_t>(1, templ / 12)), together((templ - length + 1) / length),
          count(scene / length) {}
};

/// Replaces the values of cells by sums of `together` neighbours along an axis, from each cell on
/// where so many follow.
void addNeighbours(std::vector<double>& cells, std::int64_t step, const Cells& axis) {
    const auto size = static_cast<std::int64_t>(cells.size());
    for (std::int64_t i = 0; i < size; ++i) {
        if (i / step % axis.count + axis.together > axis.count) {
            continue;
        }
        double sum = 0;
        for (std::int64_t k = 0; k < axis.together; ++k) {
            sum += cells[static_cast<std::size_t>(i + k * step)];
        }
        cells[static_cast<std::size_t>(i)] = sum;
    }
}

/// Sums of the differences of voxels to a reference, and of their squares.
struct Differences {
    double sum = 0;
    double squares = 0;
};

/// In eight lanes, which the compiler vectorises.
template <class T> Differences differencesOf(const T* row, std::int64_t count, double reference) {
    constexpr std::int64_t kLanes = 8;
    std::array<double, kLanes> sums{};
    std::array<double, kLanes> squares{};
    std::int64_t x = 0;
    for (; x + kLanes <= count; x += kLanes) {
        for (std::int64_t lane = 0; lane < kLanes; ++lane) {
            const double d = static_cast<double>(row[x + lane]) - reference;
            sums[static_cast<std::size_t>(lane)] += d;
            squares[static_cast<std::size_t>(lane)] += d * d;
        }
    }
    for (; x < count; ++x) {
        const double d = static_cast<double>(row[x]) - reference;
        sums[0] += d;
        squares[0] += d * d;
    }
    return {std::accumulate(sums.begin(), sums.end(), 0.0),
            std::accumulate(squares.begin(), squares.end(), 0.0)};
}

/// Sets energy and leastEnergy. Every panel holds a block of cells of a grid, and the squared
/// differences of its voxels to their mean are no less than those of that block to its own.
template <class T>
void addEnergies(const View<const T>& scene, const base::Extents& templ,
                 const std::stop_token& stop, SceneStatistics& statistics) {
    constexpr std::int64_t kMost = 4; // of the scene's length, in lengths of the template
    const base::Extents& n = scene.extents();
    if (statistics.nonFinite > 0 || n.x > kMost * templ.x || n.y > kMost * templ.y ||
        n.z > kMost * templ.z) {
        return;
    }
    const Cells x(n.x, templ.x);
    const Cells y(n.y, templ.y);
    const Cells z(n.z, templ.z);
    std::vector<double> sums(static_cast<std::size_t>(x.count * y.count * z.count));
    std::vector<double> squares(sums.size());
    double energy = 0;
    for (std::int64_t k = 0; k < n.z; ++k) {
        for (std::int64_t j = 0; j < n.y; ++j) {
            if (stop.stop_requested()) {
                return;
            }
            const T* const row = scene.row(j, k);
            const std::int64_t rowOfCells = (std::min(k / z.length, z.count - 1) * y.count +
                                             std::min(j / y.length, y.count - 1)) *
                                            x.count;
            const bool inCells = j < y.count * y.length && k < z.count * z.length;
            for (std::int64_t i = 0; i < x.count; ++i) {
                const Differences cell =
                    differencesOf(row + i * x.length, x.length, statistics.mean);
                energy += cell.squares;
                if (inCells) {
                    const auto at = static_cast<std::size_t>(rowOfCells + i);
                    sums[at] += cell.sum;
                    squares[at] += cell.squares;
                }
            }
            const std::int64_t rest = x.count * x.length;
            energy += differencesOf(row + rest, n.x - rest, statistics.mean).squares;
        }
    }
    for (std::vector<double>* const cells : {&sums, &squares}) {
        addNeighbours(*cells, 1, x);
        addNeighbours(*cells, x.count, y);
        addNeighbours(*cells, x.count * y.count, z);
    }
    const auto count = static_cast<double>(x.length * x.together) *
                       static_cast<double>(y.length * y.together) *
                       static_cast<double>(z.length * z.together);
    double least = std::numeric_limits<double>::infinity();
    for (std::int64_t k = 0; k + z.together <= z.count; ++k) {
        for (std::int64_t j = 0; j + y.together <= y.count; ++j) {
            for (std::int64_t i = 0; i + x.together <= x.count; ++i) {
                const auto at = static_cast<std::size_t>((k * y.count + j) * x.count + i);
                least = std::min(least, squares[at] - sums[at] * sums[at] / count -
                                            4 * count * 0x1p-53 * squares[at]); // roundings
            }
        }
    }
    if (least > 0 && std::isfinite(energy)) {
        statistics.energy = energy;
        statistics.leastEnergy = least;
    }
}

} // namespace

SceneStatistics sceneStatistics(const MaskedView& scene, const base::Extents& templ,
                                const std::stop_token& stop) {
    SceneStatistics statistics;
    std::visit(
        [&](const auto& view) {
            if (scene.mask.data() == nullptr) {
                addRange<false>(view, scene.mask, stop, statistics);
            } else {
                addRange<true>(view, scene.mask, stop, statistics);
            }
            if (!stop.stop_requested()) {
                addContrast(view, scene.mask, templ, statistics);
            }
            if (!stop.stop_requested() && scene.mask.data() == nullptr) {
                addEnergies(view, templ, stop, statistics);
            }
        },
        scene.pixels);
    return statistics;
}

void addTemplates(const std::vector<MaskedView>& templates, SceneStatistics& statistics) {
    double least = std::numeric_limits<double>::infinity();
    for (const MaskedView& templ : templates) {
        std::visit(
            [&](const auto& view) {
                SceneStatistics own;
                addRange<false>(view, {}, {}, own);
                // One row: the quantum of all voxels is at most that of some.
                const int lowest = lowestBit(view.row(0, 0), view.extents().x);
                const double steps = std::ldexp(own.maximum - own.minimum, -lowest);
                least = std::min(least, own.nonFinite == 0 ? steps : 0.0);
            },
            templ.pixels);
    }
    statistics.templSteps = templates.empty() ? 0 : least;
}

double predictedK(const SceneStatistics& statistics) {
    // A tile covers a part of the scene's range: assume a third.
    const double spread = (statistics.maximum - statistics.minimum) / 3;
    if (!(statistics.lowContrast > 0)) {
        return spread > 0 ? 1e6 : 1;
    }
    return std::clamp(spread / statistics.lowContrast, 1.0, 1e6);
}

double largestK(const SceneStatistics& statistics) {
    // The level of a frame is the mean of its voxels or the multiple of their quantum next to it,
    // which doubles the sum of squares at most.
    return statistics.leastEnergy > 0 ? std::sqrt(2 * statistics.energy / statistics.leastEnergy)
                                      : std::numeric_limits<double>::infinity();
}

} // namespace flcc::method
