#include "engine/cpu/absolute_differences.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstring>
#include <limits>
#include <type_traits>

#include "engine/base/finite.h"
#include "engine/base/widest.h"
#include "engine/cpu/support_scorer.h"

namespace flcc::cpu {

namespace {

using base::Extents;
using base::Index;

/// A voxel of the template's support.
template <class Wide> struct Tap {
    std::int64_t offset = 0; ///< in the footprint
    Wide value{};
};

/// Adds |x - t| of a row of placements for some taps. `sums` must not overflow.
template <class Wide, class Sum> struct AddTaps {
    const Wide* row;
    const Tap<Wide>* taps;
    std::int64_t count;
    std::int64_t length;
    Sum* sums;

    void operator()() const {
        std::int64_t k = 0;
        for (; k + 4 <= count; k += 4) { // four at a time: the sums are read and written less often
            const Wide* const a = row + taps[k].offset;
            const Wide* const b = row + taps[k + 1].offset;
            const Wide* const c = row + taps[k + 2].offset;
            const Wide* const d = row + taps[k + 3].offset;
            const Wide ta = taps[k].value;
            const Wide tb = taps[k + 1].value;
            const Wide tc = taps[k + 2].value;
            const Wide td = taps[k + 3].value;
            for (std::int64_t x = 0; x < length; ++x) {
                sums[x] = static_cast<Sum>(sums[x] + (distance(a[x], ta) + distance(b[x], tb)) +
                                           (distance(c[x], tc) + distance(d[x], td)));
            }
        }
        for (; k < count; ++k) {
            const Wide* const a = row + taps[k].offset;
            const Wide ta = taps[k].value;
            for (std::int64_t x = 0; x < length; ++x) {
                sums[x] = static_cast<Sum>(sums[x] + distance(a[x], ta));
            }
        }
    }

    static Sum distance(Wide a, Wide b) { return static_cast<Sum>(a > b ? a - b : b - a); }
};

/// The same in double, where the sums of a block of placements stay in registers.
template <> struct AddTaps<double, double> {
    const double* row;
    const Tap<double>* taps;
    std::int64_t count;
    std::int64_t length;
    double* sums;

    using Vector [[gnu::vector_size(64)]] = double;
    using Bits [[gnu::vector_size(64)]] = std::int64_t;
    static constexpr std::int64_t kLanes = 8;
    static constexpr std::int64_t kBlock = 4 * kLanes;

    void operator()() const {
        std::int64_t x = 0;
        for (; x + kBlock <= length; x += kBlock) {
            std::array<Vector, 4> of{};
            for (std::size_t i = 0; i < of.size(); ++i) {
                std::memcpy(&of[i], sums + x + kLanes * static_cast<std::int64_t>(i), sizeof of[i]);
            }
            for (std::int64_t k = 0; k < count; ++k) {
                const double* const from = row + taps[k].offset + x;
                const double value = taps[k].value;
                of[0] += distances(from, value);
                of[1] += distances(from + kLanes, value);
                of[2] += distances(from + 2 * kLanes, value);
                of[3] += distances(from + 3 * kLanes, value);
            }
            for (std::size_t i = 0; i < of.size(); ++i) {
                std::memcpy(sums + x + kLanes * static_cast<std::int64_t>(i), &of[i], sizeof of[i]);
            }
        }
        for (; x < length; ++x) {
            double sum = sums[x];
            for (std::int64_t k = 0; k < count; ++k) {
                sum += std::abs(row[taps[k].offset + x] - taps[k].value);
            }
            sums[x] = sum;
        }
    }

    static Vector distances(const double* from, double value) {
        Vector x;
        std::memcpy(&x, from, sizeof x);
        const Vector difference = x - value;
        constexpr std::int64_t kAllButSign = INT64_MAX;
        return reinterpret_cast<Vector>(reinterpret_cast<Bits>(difference) & kAllButSign);
    }
};

/// The types in which differences and their sums are formed.
template <class T>
using WideOf = std::conditional_t<
    std::is_integral_v<T> && sizeof(T) == 1, std::int16_t,
    std::conditional_t<std::is_integral_v<T> && sizeof(T) == 2, std::int32_t, double>>;
template <class Wide>
using SumOf = std::conditional_t<
    std::is_same_v<Wide, std::int16_t>, std::uint16_t,
    std::conditional_t<std::is_same_v<Wide, std::int32_t>, std::uint32_t, double>>;

/// Differences that a sum holds: 2^16 / 255 and 2^32 / 65535, with room.
template <class Wide>
constexpr std::int64_t kMostTaps = std::is_same_v<Wide, std::int16_t>   ? 256
                                   : std::is_same_v<Wide, std::int32_t> ? 65536
                                                                        : INT64_MAX;

/// Loads a footprint. False: a voxel is not finite.
template <class Wide, class T>
bool loadRows(const base::View<const T>& pixels, const base::Box& seen, Wide* to) {
    bool finite = true;
    for (std::int64_t z = 0; z < seen.extents.z; ++z) {
        for (std::int64_t y = 0; y < seen.extents.y; ++y) {
            const T* const row = pixels.row(seen.corner.y + y, seen.corner.z + z) + seen.corner.x;
            for (std::int64_t x = 0; x < seen.extents.x; ++x) {
                finite = finite && base::finite(row[x]);
                to[x] = static_cast<Wide>(row[x]);
            }
            to += seen.extents.x;
        }
    }
    return finite;
}

template <class Wide>
std::vector<Tap<Wide>> tapsOf(const method::OperationTemplate& templ, const Extents& seen) {
    std::vector<Tap<Wide>> taps;
    taps.reserve(static_cast<std::size_t>(templ.count()));
    templ.forVoxels([&](const Index& at, long double value) {
        taps.push_back({(at.z * seen.y + at.y) * seen.x + at.x, static_cast<Wide>(value)});
    });
    return taps;
}

template <class Wide>
void sumTile(const Wide* voxels, const Extents& seen, const std::vector<Tap<Wide>>& taps,
             const Extents& out, const std::stop_token& stop, double* values) {
    using Sum = SumOf<Wide>;
    std::vector<Sum> sums(static_cast<std::size_t>(out.x));
    const auto all = std::ssize(taps);
    for (std::int64_t z = 0; z < out.z; ++z) {
        for (std::int64_t y = 0; y < out.y && !stop.stop_requested(); ++y, values += out.x) {
            const Wide* const row = voxels + (z * seen.y + y) * seen.x;
            std::fill_n(values, out.x, 0.0);
            for (std::int64_t from = 0; from < all;) {
                const std::int64_t count = std::min(kMostTaps<Wide>, all - from);
                std::fill(sums.begin(), sums.end(), Sum{0});
                base::inWidest(
                    AddTaps<Wide, Sum>{row, taps.data() + from, count, out.x, sums.data()});
                for (std::int64_t x = 0; x < out.x; ++x) {
                    values[x] += static_cast<double>(sums[static_cast<std::size_t>(x)]);
                }
                from += count;
            }
        }
    }
}

} // namespace

AbsoluteDifferences::AbsoluteDifferences(const Extents& m, const Extents& tile)
    : m_values(static_cast<std::size_t>(base::voxelCount(tile))),
      m_room(static_cast<std::size_t>(
          base::voxelCount({tile.x + m.x - 1, tile.y + m.y - 1, tile.z + m.z - 1}))) {}

std::int64_t AbsoluteDifferences::bytes(const Extents& m, const Extents& tile) {
    return base::byteCount(tile, 8) +
           base::byteCount({tile.x + m.x - 1, tile.y + m.y - 1, tile.z + m.z - 1}, 8) +
           base::byteCount(m, 16);
}

bool AbsoluteDifferences::load(const method::Problem& problem, const OperationPrepared& templ,
                               const method::MaskedView& scene, const base::Box& out,
                               const std::stop_token& stop) {
    const base::Box seen = seenBy(problem, out);
    m_out = out.extents;
    m_known = false;
    if (isPartial(scene, seen)) {
        return !stop.stop_requested();
    }
    m_templMagnitude = templ.templ().magnitude();
    std::visit(
        [&](const auto& pixels) {
            using T = std::remove_cvref_t<decltype(pixels.at(0, 0, 0))>;
            const auto inType = [&]<class Wide>(Wide) {
                Wide* const voxels = reinterpret_cast<Wide*>(m_room.data());
                m_known = loadRows(pixels, seen, voxels);
                if (m_known) {
                    sumTile(voxels, seen.extents, tapsOf<Wide>(templ.templ(), seen.extents), m_out,
                            stop, m_values.data());
                }
            };
            const bool whole = templ.templ().isInteger(problem.scenePixel);
            m_most = whole ? 0x1p53 - 1 : std::numeric_limits<double>::max();
            m_error = whole ? 0 : (static_cast<double>(templ.templ().count()) + 2) * 0x1p-53;
            if constexpr (std::is_integral_v<T> && sizeof(T) == 8) {
                return; // differences of more than 53 bits
            } else if (problem.scenePixel == problem.templPixel) {
                inType(WideOf<T>{});
            } else if (whole || (!std::is_integral_v<T> &&
                                 !(base::isInteger(problem.templPixel) &&
                                   base::bytesPerVoxel(problem.templPixel) == 8))) {
                inType(double{});
            }
        },
        scene.pixels);
    return !stop.stop_requested();
}

std::optional<method::OperationValue> AbsoluteDifferences::value(const Index& at) const {
    if (!m_known) {
        return std::nullopt;
    }
    method::OperationValue result;
    result.value = m_values[static_cast<std::size_t>((at.z * m_out.y + at.y) * m_out.x + at.x)];
    if (!(result.value <= m_most)) {
        return std::nullopt;
    }
    result.bound = m_error * result.value;
    // |P| + |T| is at least |P - T| and |T|.
    result.scale = std::max(result.value, m_templMagnitude);
    return result;
}

bool AbsoluteDifferences::row(std::int64_t y, std::int64_t z, RowValues& to) const {
    if (!m_known) {
        return false;
    }
    const double* const values = m_values.data() + (z * m_out.y + y) * m_out.x;
    for (std::size_t x = 0; x < to.value.size(); ++x) {
        const double value = values[x];
        to.value[x] = value <= m_most ? value : std::numeric_limits<double>::infinity();
        to.bound[x] = m_error * value;
        to.scale[x] = value > m_templMagnitude ? value : m_templMagnitude;
    }
    return true;
}

} // namespace flcc::cpu
