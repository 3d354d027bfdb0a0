#include "engine/cpu/tile/tile_loader.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <limits>
#include <type_traits>

#include "engine/base/finite.h"

namespace flcc::cpu {

namespace {

using base::Extents;
using base::View;

template <class T, class Use> void forRows(const View<const T>& view, Use&& use) {
    const Extents& extents = view.extents();
    for (std::int64_t z = 0; z < extents.z; ++z) {
        for (std::int64_t y = 0; y < extents.y; ++y) {
            use(view.row(y, z), y, z);
        }
    }
}

/// The exponent e with 2^e just above `largest`; 0 for a tile without contrast.
int exponentAbove(double largest) { return largest > 0 ? std::ilogb(largest) + 1 : 0; }

/// Makes the facts that every loader returns. `quantum` is that of the scene's values, or 0.
CentredTile finished(double level, double largest, int exponent, double quantum,
                     std::int64_t templCount, double rounding, std::int64_t nonFinite) {
    CentredTile tile;
    tile.unit = std::ldexp(1.0, exponent);
    tile.level = level;
    tile.largestRounding = rounding;
    tile.exact = rounding == 0;
    if (tile.exact && quantum > 0) {
        tile.quantum = quantum;
        tile.steps = largest / quantum;
        tile.exactSums = static_cast<double>(templCount) * tile.steps * tile.steps < 0x1p53;
    }
    tile.nonFinite = nonFinite;
    return tile;
}

/// Loads float32 and integers of at most 16 bits with vector kernels. S - c is rounded once or not
/// at all.
template <class T, class Real>
CentredTile loadFast(const View<const T>& view, std::int64_t templCount,
                     const simd::VoxelBox<Real>& to, const simd::VoxelFacts& facts, double mean) {
    double quantum = 1;
    if constexpr (std::is_same_v<T, float>) {
        GridSearch grid(facts.minimum, facts.maximum);
        quantum = grid.add(view) ? grid.quantum() : 0;
    }
    const double c =
        quantum > 0 ? quantum * std::nearbyint(mean / quantum) : double(static_cast<float>(mean));
    const double largest = std::max(facts.maximum - c, c - facts.minimum);
    const int exponent = exponentAbove(largest);
    simd::loadVoxels(view, c, static_cast<Real>(std::ldexp(1.0, -exponent)), to);
    // Half a unit in the last place of the largest difference.
    constexpr int kDigits = std::numeric_limits<Real>::digits;
    const double rounding = quantum > 0 ? 0.0 : std::ldexp(1.0, exponent - kDigits - 1);
    CentredTile tile = finished(c, largest, exponent, quantum, templCount,
                                largest > 0 ? rounding : 0.0, facts.nonFinite);
    tile.direct = true;
    return tile;
}

/// Loads a tile in double in the frame `known` that it got in single precision.
template <class T>
CentredTile loadKnown(const View<const T>& view, const simd::DoubleBox& to,
                      const CentredTile& known) {
    simd::loadVoxels(view, known.level, 1 / known.unit, to);
    constexpr int kDigits = std::numeric_limits<double>::digits;
    constexpr int kKnownDigits = std::numeric_limits<float>::digits;
    CentredTile tile = known;
    tile.largestRounding = std::ldexp(known.largestRounding, kKnownDigits - kDigits);
    return tile;
}

/// v - c in double. Integers are subtracted exactly and rounded once; floats are scaled first, so
/// that differences of values near the limits of double do not overflow.
template <class T> double centred(T v, T c, double scale) {
    if constexpr (std::is_integral_v<T> && sizeof(T) == 8) {
        const auto distance = [](T larger, T smaller) {
            return static_cast<double>(static_cast<std::uint64_t>(larger) -
                                       static_cast<std::uint64_t>(smaller));
        };
        return v >= c ? distance(v, c) : -distance(c, v);
    } else {
        return static_cast<double>(v) * scale - static_cast<double>(c) * scale;
    }
}

/// Loads any type through double: first the difference to c, then at most one rounding to float.
template <class T, class Real>
CentredTile loadThroughDouble(const View<const T>& view, std::int64_t templCount,
                              const simd::VoxelBox<Real>& to) {
    const Extents& extents = view.extents();
    std::int64_t count = 0;
    T reference{};
    double top = 0;
    forRows(view, [&](const T* row, std::int64_t, std::int64_t) {
        for (std::int64_t x = 0; x < extents.x; ++x) {
            if (base::finite(row[x])) {
                reference = count == 0 ? row[x] : reference;
                ++count;
                top = std::max(top, std::abs(static_cast<double>(row[x])));
            }
        }
    });
    // A power of two brings values near the limits of double near 1; the scaling is exact.
    const int preExponent =
        std::is_floating_point_v<T> && top > 0 ? std::clamp(std::ilogb(top) + 1, -1000, 1000) : 0;
    const double pre = std::ldexp(1.0, -preExponent);
    double sum = 0;
    forRows(view, [&](const T* row, std::int64_t, std::int64_t) {
        double part = 0;
        for (std::int64_t x = 0; x < extents.x; ++x) {
            part += base::finite(row[x]) ? centred(row[x], reference, pre) : 0.0;
        }
        sum += part;
    });
    const double shift = count > 0 ? sum / static_cast<double>(count) : 0.0;
    T c = reference;
    if constexpr (std::is_integral_v<T> && sizeof(T) == 8) {
        // The clamped shift fits 64 bits. c lies between the reference and the mean: no overflow.
        c = static_cast<T>(c + static_cast<T>(std::llrint(std::clamp(shift, -0x1p62, 0x1p62))));
    } else if constexpr (std::is_integral_v<T>) {
        c = static_cast<T>(static_cast<std::int64_t>(c) + std::llrint(shift));
    } else {
        // Computed on scaled values: a step from one end of the type to the other would overflow.
        c = static_cast<T>((static_cast<double>(c) * pre + shift) / pre);
    }
    double largest = 0;
    forRows(view, [&](const T* row, std::int64_t, std::int64_t) {
        for (std::int64_t x = 0; x < extents.x; ++x) {
            if (base::finite(row[x])) {
                largest = std::max(largest, std::abs(centred(row[x], c, pre)));
            }
        }
    });
    const int exponent = exponentAbove(largest);
    // Two powers of two, as one alone may be out of range.
    const double half = std::ldexp(1.0, -exponent / 2);
    const double rest = std::ldexp(1.0, -exponent - -exponent / 2);
    double rounding = 0;
    forRows(view, [&](const T* row, std::int64_t y, std::int64_t z) {
        Real* const out = to.data + z * to.sliceStride + y * to.rowStride;
        for (std::int64_t x = 0; x < extents.x; ++x) {
            const double value = base::finite(row[x]) ? centred(row[x], c, pre) * half * rest : 0.0;
            out[x] = static_cast<Real>(value);
            rounding = std::max(rounding, std::abs(static_cast<double>(out[x]) - value));
        }
    });
    return finished(static_cast<double>(c), largest, exponent + preExponent,
                    std::is_integral_v<T> ? 1.0 : 0.0, templCount,
                    std::ldexp(rounding, exponent + preExponent),
                    extents.x * extents.y * extents.z - count);
}

template <class T, class Real>
CentredTile load(const View<const T>& view, std::int64_t templCount,
                 const simd::VoxelBox<Real>& to) {
    if constexpr (kHasKernel<T>) {
        const Extents& extents = view.extents();
        simd::VoxelFacts facts = simd::voxelFacts(view);
        const std::int64_t count = extents.x * extents.y * extents.z - facts.nonFinite;
        if (count == 0) {
            facts = {0, 0, 0, facts.nonFinite};
        }
        const double mean = count > 0 ? facts.sum / static_cast<double>(count) : 0.0;
        // The kernels need a scale 2^-e that a float holds and differences that do not overflow.
        const double range = std::max(std::abs(facts.maximum), std::abs(facts.minimum));
        const double spread = facts.maximum - facts.minimum;
        if (std::is_integral_v<T> || (range < 0x1p125 && (spread == 0 || spread > 0x1p-124))) {
            return loadFast(view, templCount, to, facts, mean);
        }
    }
    return loadThroughDouble(view, templCount, to);
}

/// The rows of a box that may leave the scene. Outside, a voxel has the value of the nearest scene
/// voxel.
template <class T> class RepeatedRows {
  public:
    RepeatedRows(const View<const T>& scene, const base::Box& box) : m_scene(scene), m_box(box) {}

    /// Row (y, z) of the box. It is valid until the next call with the same `slot`, 0 to 2.
    [[nodiscard]] const T* row(std::int64_t y, std::int64_t z, std::size_t slot) {
        const Extents& n = m_scene.extents();
        const T* const from = m_scene.row(std::clamp<std::int64_t>(m_box.corner.y + y, 0, n.y - 1),
                                          std::clamp<std::int64_t>(m_box.corner.z + z, 0, n.z - 1));
        const std::int64_t first = m_box.corner.x;
        const std::int64_t count = m_box.extents.x;
        if (first >= 0 && first + count <= n.x) {
            return from + first;
        }
        std::vector<T>& copy = m_copies[slot];
        copy.resize(static_cast<std::size_t>(count));
        for (std::int64_t x = 0; x < count; ++x) {
            copy[static_cast<std::size_t>(x)] =
                from[std::clamp<std::int64_t>(first + x, 0, n.x - 1)];
        }
        return copy.data();
    }

  private:
    const View<const T>& m_scene;
    const base::Box& m_box;
    std::array<std::vector<T>, 3> m_copies;
};

/// The passes of flatPanels(): along each axis they count neighbours of equal value from the end
/// on, and compare the count with the template's extent.
template <class T>
std::vector<std::uint8_t> flatOf(const View<const T>& scene, const base::Box& box,
                                 const Extents& m) {
    const Extents& n = box.extents;
    RepeatedRows<T> rows(scene, box);
    const Extents out{n.x - m.x + 1, n.y - m.y + 1, n.z - m.z + 1};
    // `line` counts the rows of m.x equal voxels below each other whose values agree; `planes`
    // counts the stacks of m.y such rows behind each other.
    std::vector<std::int32_t> line(static_cast<std::size_t>(out.x));
    const std::int64_t planeStride = n.z > 1 ? out.x : 0;
    std::vector<std::int32_t> planes(static_cast<std::size_t>(planeStride * (out.y - 1) + out.x),
                                     0);
    std::vector<std::uint8_t> flat(static_cast<std::size_t>(out.x * out.y * out.z), 0);
    std::vector<std::int32_t> runs(static_cast<std::size_t>(n.x));
    for (std::int64_t z = n.z - 1; z >= 0; --z) {
        std::fill(line.begin(), line.end(), 0);
        for (std::int64_t y = n.y - 1; y >= 0; --y) {
            const T* const row = rows.row(y, z, 0);
            const T* const below = y + 1 < n.y ? rows.row(y + 1, z, 1) : row;
            const T* const behind = z + 1 < n.z ? rows.row(y, z + 1, 2) : row;
            for (std::int64_t x = n.x - 1; x >= 0; --x) {
                const auto at = static_cast<std::size_t>(x);
                runs[at] = x + 1 < n.x && row[x] == row[x + 1] ? runs[at + 1] + 1 : 1;
            }
            for (std::int64_t x = 0; x < out.x; ++x) {
                const auto at = static_cast<std::size_t>(x);
                const bool constant = runs[at] >= m.x && base::finite(row[x]);
                line[at] = !constant ? 0 : row[x] == below[x] ? line[at] + 1 : 1;
                if (y < out.y) {
                    std::int32_t& plane = planes[static_cast<std::size_t>(y * planeStride + x)];
                    plane = line[at] < m.y ? 0 : row[x] == behind[x] ? plane + 1 : 1;
                    if (z < out.z) {
                        flat[static_cast<std::size_t>((z * out.y + y) * out.x + x)] =
                            plane >= m.z ? 1 : 0;
                    }
                }
            }
        }
    }
    return flat;
}

/// Replaces the counts along one axis, `length` values that lie `stride` apart, by their sums over
/// windows of `width`.
void windowAxis(std::int32_t* line, std::int64_t length, std::int64_t stride, std::int64_t width) {
    std::int32_t running = 0;
    for (std::int64_t i = 0; i < width - 1; ++i) {
        running += line[i * stride];
    }
    for (std::int64_t i = 0; i + width <= length; ++i) {
        running += line[(i + width - 1) * stride];
        const std::int32_t leaving = line[i * stride];
        line[i * stride] = running;
        running -= leaving;
    }
}

template <class T>
std::vector<std::uint8_t> nonFiniteOf(const View<const T>& view, const Extents& m) {
    const Extents& n = view.extents();
    const Extents out{n.x - m.x + 1, n.y - m.y + 1, n.z - m.z + 1};
    std::vector<std::int32_t> counts(static_cast<std::size_t>(n.x * n.y * n.z));
    forRows(view, [&](const T* row, std::int64_t y, std::int64_t z) {
        for (std::int64_t x = 0; x < n.x; ++x) {
            counts[static_cast<std::size_t>((z * n.y + y) * n.x + x)] =
                base::finite(row[x]) ? 0 : 1;
        }
    });
    // Only whether a count is 0 matters. Clipping the counts to 0 or 1 after each axis keeps the
    // next sums from overflowing.
    const auto clip = [&] {
        for (std::int32_t& count : counts) {
            count = count > 0 ? 1 : 0;
        }
    };
    for (std::int64_t line = 0; line < n.y * n.z; ++line) {
        windowAxis(counts.data() + line * n.x, n.x, 1, m.x);
    }
    clip();
    for (std::int64_t z = 0; z < n.z; ++z) {
        for (std::int64_t x = 0; x < out.x; ++x) {
            windowAxis(counts.data() + z * n.x * n.y + x, n.y, n.x, m.y);
        }
    }
    clip();
    for (std::int64_t y = 0; y < out.y; ++y) {
        for (std::int64_t x = 0; x < out.x; ++x) {
            windowAxis(counts.data() + y * n.x + x, n.z, n.x * n.y, m.z);
        }
    }
    std::vector<std::uint8_t> touched(static_cast<std::size_t>(out.x * out.y * out.z));
    for (std::int64_t z = 0; z < out.z; ++z) {
        for (std::int64_t y = 0; y < out.y; ++y) {
            for (std::int64_t x = 0; x < out.x; ++x) {
                touched[static_cast<std::size_t>((z * out.y + y) * out.x + x)] =
                    counts[static_cast<std::size_t>((z * n.y + y) * n.x + x)] > 0 ? 1 : 0;
            }
        }
    }
    return touched;
}

} // namespace

GridSearch::GridSearch(double minimum, double maximum) {
    const double top = std::max(std::abs(maximum), std::abs(minimum));
    const int exponent = top > 0 ? std::ilogb(top) + 1 : 0; // zeros are multiples of anything
    constexpr int kDigits = std::numeric_limits<float>::digits;
    m_finest = std::ldexp(1.0, exponent - kDigits);
    // If the spread is 2^24 steps or more, the quantum must be coarser: these low bits must be 0.
    const double spread = (maximum - minimum) / m_finest;
    const int digits = spread > 0 ? std::ilogb(spread) + 1 : 0;
    m_beyond = digits > kDigits ? (std::uint32_t{1} << unsigned(digits - kDigits)) - 1 : 0;
}

bool GridSearch::add(const View<const float>& voxels) {
    m_found = m_found && simd::isOnGrid(voxels, m_finest, m_beyond, m_bits);
    return m_found;
}

void GridSearch::join(const GridSearch& other) {
    m_bits |= other.m_bits;
    m_found = m_found && other.m_found;
}

double GridSearch::quantum() const {
    return m_found ? std::ldexp(m_finest, std::countr_zero(m_bits)) : 0.0;
}

CentredTile loadCentred(const base::AnyView& scene, const base::Box& footprint,
                        std::int64_t templCount, const simd::FloatBox& to) {
    return std::visit([&](const auto& view) { return load(view.part(footprint), templCount, to); },
                      scene);
}

CentredTile loadCentred(const base::AnyView& scene, const base::Box& footprint,
                        std::int64_t templCount, const simd::DoubleBox& to,
                        const CentredTile* known) {
    return std::visit(
        [&]<class T>(const View<const T>& view) {
            if constexpr (kHasKernel<T>) {
                if (known != nullptr && known->direct) {
                    return loadKnown(view.part(footprint), to, *known);
                }
            }
            return load(view.part(footprint), templCount, to);
        },
        scene);
}

std::vector<std::uint8_t> flatPanels(const base::AnyView& scene, const base::Box& footprint,
                                     const Extents& m) {
    return std::visit([&](const auto& view) { return flatOf(view, footprint, m); }, scene);
}

std::vector<std::uint8_t> nonFinitePanels(const base::AnyView& scene, const base::Box& footprint,
                                          const Extents& m) {
    return std::visit([&](const auto& view) { return nonFiniteOf(view.part(footprint), m); },
                      scene);
}

} // namespace flcc::cpu
