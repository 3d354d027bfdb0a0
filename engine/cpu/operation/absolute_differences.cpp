#include "engine/cpu/operation/absolute_differences.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstring>
#include <limits>
#include <type_traits>

#include "engine/base/finite.h"
#include "engine/base/widest.h"
#include "engine/cpu/score/support_run.h"
#include "engine/cpu/simd/kernels.h"

namespace flcc::cpu {

namespace {

using base::Extents;
using base::Index;

/// Doubles behind a footprint.
constexpr std::int64_t kSlack = simd::QuadArguments::kSlack / 8;

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

    // Vectors of AVX2: wider ones would be kept in memory on a processor that has no wider ones.
    using Vector [[gnu::vector_size(32)]] = double;
    using Bits [[gnu::vector_size(32)]] = std::int64_t;
    static constexpr std::int64_t kLanes = 4;
    static constexpr std::int64_t kVectors = 8;
    static constexpr std::int64_t kBlock = kVectors * kLanes;

    void operator()() const {
        std::int64_t x = 0;
        for (; x + kBlock <= length; x += kBlock) {
            std::array<Vector, kVectors> of;
            std::memcpy(of.data(), sums + x, sizeof of);
            for (std::int64_t k = 0; k < count; ++k) {
                const double* const from = row + taps[k].offset + x;
                const double value = taps[k].value;
#pragma GCC unroll 8
                for (std::int64_t i = 0; i < kVectors; ++i) {
                    of[static_cast<std::size_t>(i)] += distances(from + i * kLanes, value);
                }
            }
            std::memcpy(sums + x, of.data(), sizeof of);
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

/// Adds w |x - t| of a row of placements.
struct AddWeighted {
    const double* row;
    const std::vector<Tap<double>>& taps;
    const std::vector<double>& weights;
    std::int64_t length;
    double* sums;

    void operator()() const {
        for (std::size_t k = 0; k < taps.size(); ++k) {
            const double* const from = row + taps[k].offset;
            const double value = taps[k].value;
            const double weight = weights[k];
            double* const to = sums;
            for (std::int64_t x = 0; x < length; ++x) {
                to[x] += weight * std::abs(from[x] - value);
            }
        }
    }
};

/// The types in which differences and their sums are formed.
template <class T>
using WideOf = std::conditional_t<
    std::is_same_v<T, std::uint8_t>, std::uint8_t,
    std::conditional_t<
        std::is_same_v<T, std::int8_t>, std::int16_t,
        std::conditional_t<std::is_integral_v<T> && sizeof(T) == 2, std::int32_t, double>>>;
template <class Wide>
using SumOf = std::conditional_t<
    sizeof(Wide) <= 2, std::uint16_t,
    std::conditional_t<std::is_same_v<Wide, std::int32_t>, std::uint32_t, double>>;

/// Differences that a sum holds: 2^16 / 255 and 2^32 / 65535, with room.
template <class Wide>
constexpr std::int64_t kMostTaps = sizeof(Wide) <= 2                    ? 256
                                   : std::is_same_v<Wide, std::int32_t> ? 65536
                                                                        : INT64_MAX;

/// What counts at a voxel of a footprint.
enum class Part { Value, Inside, NonFinite };

/// Calls `use(voxel, element)` for every voxel of `seen` inside the scene and its mask. `to` has
/// the extents of `seen`.
template <class T, class Wide, class Use>
void forInside(const base::View<const T>& pixels, const base::View<const std::uint8_t>& mask,
               const base::Box& seen, Wide* to, const Use& use) {
    const Extents& n = pixels.extents();
    const std::int64_t first = std::max<std::int64_t>(0, -seen.corner.x);
    const std::int64_t last = std::min(seen.extents.x, n.x - seen.corner.x);
    for (std::int64_t i = 0; i < seen.extents.y * seen.extents.z; ++i, to += seen.extents.x) {
        const std::int64_t y = seen.corner.y + i % seen.extents.y;
        const std::int64_t z = seen.corner.z + i / seen.extents.y;
        if (y < 0 || y >= n.y || z < 0 || z >= n.z) {
            continue;
        }
        const T* const row = pixels.row(y, z) + seen.corner.x;
        const std::uint8_t* const kept =
            mask.data() == nullptr ? nullptr : mask.row(y, z) + seen.corner.x;
        for (std::int64_t x = first; kept == nullptr && x < last; ++x) {
            use(row[x], to[x]);
        }
        for (std::int64_t x = first; kept != nullptr && x < last; ++x) {
            if (kept[x] != 0) {
                use(row[x], to[x]);
            }
        }
    }
}

/// Loads a footprint: the values of finite voxels inside the scene and its mask, or 1 for the
/// voxels that `part` names; 0 elsewhere. Returns the number of voxels inside that are not finite.
template <class Wide, class T>
std::int64_t loadRows(const base::View<const T>& pixels, const base::View<const std::uint8_t>& mask,
                      const base::Box& seen, Part part, Wide* to) {
    std::fill_n(to, base::voxelCount(seen.extents), Wide{0});
    std::int64_t bad = 0;
    switch (part) {
    case Part::Value:
        forInside(pixels, mask, seen, to, [&bad](T voxel, Wide& element) {
            const bool finite = base::finite(voxel);
            bad += finite ? 0 : 1;
            element = finite ? static_cast<Wide>(voxel) : Wide{0};
        });
        break;
    case Part::Inside:
        forInside(pixels, mask, seen, to, [](T, Wide& element) { element = 1; });
        break;
    case Part::NonFinite:
        forInside(pixels, mask, seen, to, [](T voxel, Wide& element) {
            element = static_cast<Wide>(base::finite(voxel) ? 0 : 1);
        });
        break;
    }
    return bad;
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

/// Takes every four neighbours out of `taps`.
std::vector<simd::Quad> takeQuads(std::vector<Tap<std::uint8_t>>& taps) {
    std::vector<simd::Quad> quads;
    std::vector<Tap<std::uint8_t>> rest;
    for (std::size_t i = 0; i < taps.size();) {
        if (i + 3 < taps.size() && taps[i + 3].offset == taps[i].offset + 3) {
            simd::Quad quad{taps[i].offset};
            for (std::size_t k = 0; k < 4; ++k, ++i) {
                quad.values |= static_cast<std::uint32_t>(taps[i].value) << (8 * k);
            }
            quads.push_back(quad);
        } else {
            rest.push_back(taps[i++]);
        }
    }
    taps = std::move(rest);
    return quads;
}

/// A row of sums of which nothing lies outside.
struct KnownRow {
    const double* values;
    double most;      ///< larger values are left to the canonical value
    double error;     ///< of a value, relative
    double lost;      ///< what adds to its bound
    double magnitude; ///< sum |T|
    RowValues& to;

    void operator()() const {
        double* const value = to.value.data();
        double* const bound = to.bound.data();
        double* const scale = to.scale.data();
        const auto count = std::ssize(to.value);
        const double* const from = values;
        const double highest = most;
        const double relative = error;
        const double added = lost;
        const double least = magnitude;
        for (std::int64_t x = 0; x < count; ++x) {
            const double one = from[x];
            value[x] = one;
            bound[x] = one <= highest ? relative * one + added : RowValues::kUnknown;
            scale[x] = one > least ? one : least;
        }
    }
};

/// The same as sumTile() under weights.
void sumWeighted(const double* voxels, const Extents& seen, const std::vector<Tap<double>>& taps,
                 const std::vector<double>& weights, const Extents& out,
                 const std::stop_token& stop, double* values) {
    for (std::int64_t z = 0; z < out.z; ++z) {
        for (std::int64_t y = 0; y < out.y && !stop.stop_requested(); ++y, values += out.x) {
            std::fill_n(values, out.x, 0.0);
            const double* const row = voxels + (z * seen.y + y) * seen.x;
            base::inWidest(AddWeighted{row, taps, weights, out.x, values});
        }
    }
}

template <class Wide>
void sumTile(const Wide* voxels, const Extents& seen, std::vector<Tap<Wide>> taps,
             const Extents& out, const std::stop_token& stop, double* values) {
    using Sum = SumOf<Wide>;
    std::vector<simd::Quad> quads;
    if constexpr (std::is_same_v<Wide, std::uint8_t>) {
        quads = takeQuads(taps);
    }
    std::vector<Sum> sums(static_cast<std::size_t>(out.x + simd::QuadArguments::kSlack));
    const auto all = std::ssize(taps);
    for (std::int64_t z = 0; z < out.z; ++z) {
        for (std::int64_t y = 0; y < out.y && !stop.stop_requested(); ++y, values += out.x) {
            const Wide* const row = voxels + (z * seen.y + y) * seen.x;
            std::fill_n(values, out.x, 0.0);
            const auto addToSums = [&](const auto& add) {
                std::fill(sums.begin(), sums.end(), Sum{0});
                add();
                for (std::int64_t x = 0; x < out.x; ++x) {
                    values[x] += static_cast<double>(sums[static_cast<std::size_t>(x)]);
                }
            };
            if constexpr (std::is_same_v<Wide, std::uint8_t>) {
                for (std::int64_t from = 0; from < std::ssize(quads); from += simd::kMostQuads) {
                    const std::int64_t count = std::min(simd::kMostQuads, std::ssize(quads) - from);
                    addToSums([&] {
                        simd::addQuadDifferences(
                            {row, quads.data() + from, count, out.x, sums.data()});
                    });
                }
            }
            for (std::int64_t from = 0; from < all; from += kMostTaps<Wide>) {
                const std::int64_t count = std::min(kMostTaps<Wide>, all - from);
                addToSums([&] {
                    base::inWidest(
                        AddTaps<Wide, Sum>{row, taps.data() + from, count, out.x, sums.data()});
                });
            }
        }
    }
}

} // namespace

AbsoluteDifferences::AbsoluteDifferences(const Extents& m, const Extents& tile)
    : m_values(static_cast<std::size_t>(base::voxelCount(tile))),
      m_room(static_cast<std::size_t>(
          base::voxelCount({tile.x + m.x - 1, tile.y + m.y - 1, tile.z + m.z - 1}) + kSlack)) {}

std::int64_t AbsoluteDifferences::bytes(const Extents& m, const Extents& tile) {
    return 3 * base::byteCount(tile, 8) +
           base::byteCount({tile.x + m.x - 1, tile.y + m.y - 1, tile.z + m.z - 1}, 8) + 8 * kSlack +
           base::byteCount(m, 16);
}

bool AbsoluteDifferences::load(const GeneralRun& run, const OperationPrepared& templ,
                               const base::Box& out, const std::stop_token& stop, StageClock&) {
    const method::Problem& problem = run.problem; // clang captures no structured bindings
    const method::MaskedView& scene = run.scene;
    const base::Box seen = seenBy(problem, out);
    m_out = out.extents;
    m_known = false;
    m_count = static_cast<double>(templ.templ().count());
    m_inside.clear();
    m_bad.clear();
    const bool partial = isPartial(scene, seen);
    if (partial && problem.outside == method::Outside::Overlap) {
        return !stop.stop_requested();
    }
    m_templMagnitude = templ.templ().magnitude();
    std::vector<double> weights;
    templ.templ().forVoxels([&](const Index&, long double) {
        if (templ.templ().weighted()) {
            weights.push_back(static_cast<double>(templ.templ().weight(weights.size())));
        }
    });
    std::visit(
        [&](const auto& pixels) {
            using T = std::remove_cvref_t<decltype(pixels.at(0, 0, 0))>;
            const auto inType = [&]<class Wide>(Wide) {
                Wide* const voxels = reinterpret_cast<Wide*>(m_room.data());
                auto taps = tapsOf<Wide>(templ.templ(), seen.extents);
                const std::int64_t bad = loadRows(pixels, scene.mask, seen, Part::Value, voxels);
                if constexpr (std::is_same_v<Wide, double>) {
                    if (!weights.empty()) {
                        sumWeighted(voxels, seen.extents, taps, weights, m_out, stop,
                                    m_values.data());
                    }
                }
                if (weights.empty()) {
                    sumTile(voxels, seen.extents, taps, m_out, stop, m_values.data());
                }
                // The differences of ones from a template of zeros count the voxels under it.
                std::for_each(taps.begin(), taps.end(), [](Tap<Wide>& tap) { tap.value = 0; });
                const auto count = [&](Part part, std::vector<double>& counts) {
                    (void)loadRows(pixels, scene.mask, seen, part, voxels);
                    counts.resize(static_cast<std::size_t>(base::voxelCount(m_out)));
                    sumTile(voxels, seen.extents, taps, m_out, stop, counts.data());
                };
                if (partial) {
                    count(Part::Inside, m_inside);
                }
                if (bad > 0) {
                    count(Part::NonFinite, m_bad);
                }
                m_known = true;
            };
            const bool whole = templ.templ().isInteger(problem.scenePixel);
            m_most = whole ? 0x1p53 - 1 : std::numeric_limits<double>::max();
            m_error = whole ? 0 : (static_cast<double>(templ.templ().count()) + 3) * 0x1p-53;
            // A product with a weight may be too small for a double.
            m_lost = weights.empty() ? 0
                                     : static_cast<double>(templ.templ().count()) *
                                           std::numeric_limits<double>::denorm_min();
            if constexpr (std::is_integral_v<T> && sizeof(T) == 8) {
                return; // differences of more than 53 bits
            } else if (problem.scenePixel == problem.templPixel && weights.empty()) {
                inType(WideOf<T>{});
            } else if (whole || ((!std::is_integral_v<T> || !weights.empty()) &&
                                 !(base::isInteger(problem.templPixel) &&
                                   base::bytesPerVoxel(problem.templPixel) == 8))) {
                inType(double{});
            }
        },
        scene.pixels);
    return !stop.stop_requested();
}

void AbsoluteDifferences::row(std::int64_t y, std::int64_t z, RowValues& to) {
    if (m_known && m_inside.empty() && m_bad.empty()) {
        std::fill(to.status.begin(), to.status.end(), base::Status::Ok);
        base::inWidest(KnownRow{m_values.data() + (z * m_out.y + y) * m_out.x, m_most, m_error,
                                m_lost, m_templMagnitude, to});
        return;
    }
    for (std::size_t x = 0; x < to.value.size(); ++x) {
        to.set(x, value({static_cast<std::int64_t>(x), y, z}));
    }
}

std::optional<method::OperationValue> AbsoluteDifferences::value(const Index& at) const {
    if (!m_known) {
        return std::nullopt;
    }
    const auto place = static_cast<std::size_t>((at.z * m_out.y + at.y) * m_out.x + at.x);
    const double inside = m_inside.empty() ? m_count : m_inside[place];
    method::OperationValue result;
    if (!(inside > 0)) {
        result.status = base::Status::NotComputed;
        return result;
    }
    if (!m_bad.empty() && m_bad[place] > 0) {
        result.status = base::Status::NonFinite;
        return result;
    }
    result.status = inside < m_count ? base::Status::Partial : base::Status::Ok;
    result.value = m_values[place];
    if (!(result.value <= m_most)) {
        return std::nullopt;
    }
    result.bound = m_error * result.value + m_lost;
    // |P| + |T| is at least |P - T| and |T|.
    result.scale = std::max(result.value, m_templMagnitude);
    return result;
}

} // namespace flcc::cpu
