// Rows of a tile: where their values go, and how vectors are stored. Files that include
// <hwy/foreach_target.h> compile this one once for every instruction set.
#if defined(FLCC_TILE_ROWS_ONCE) == defined(HWY_TARGET_TOGGLE)
#ifdef FLCC_TILE_ROWS_ONCE
#undef FLCC_TILE_ROWS_ONCE
#else
#define FLCC_TILE_ROWS_ONCE
#endif

#include <algorithm>
#include <cstdint>
#include <type_traits>

#include <hwy/cache_control.h>
#include <hwy/highway.h>

#include "engine/cpu/simd/kernels.h"
#include "engine/cpu/simd/score_vectors.h"
#include "engine/cpu/simd/window_sums.h"

HWY_BEFORE_NAMESPACE();
namespace flcc::cpu::simd::HWY_NAMESPACE {

// The kept window sums of row (y, z), from `column` on.
template <class Arguments>
Sums keptSumsAt(const Arguments& a, std::int64_t column, std::int64_t y, std::int64_t z) {
    const std::int64_t stride = sumsRow(a.out.x);
    double* const s1 = a.kept + 2 * (z * a.out.y + y) * stride + column;
    return {s1, s1 + stride};
}

// The rows of a tile whose values are made of `Scores`.
template <class Scores> struct TileRows {
    using Real = typename Scores::Real;
    using Numerator = typename Scores::Numerator;
    using Arguments = ScoreArguments<Real, Numerator>;
    using D = typename Scores::D;
    using V = typename Scores::V;

    /// A row of the tile: the input of its scores and where they go.
    template <class S> struct Row {
        S sums;
        const Numerator* num = nullptr;
        float* value = nullptr;
        double* exact = nullptr;
        std::uint8_t* status = nullptr;
        std::int64_t count = 0;
        bool streamed = false;
        base::Index at; ///< index of its first voxel in the tile
    };

    /// True if the scores of a row bypass the caches: they are not read soon, and an ordinary store
    /// would first read the cache line. For short rows the incomplete lines at both ends cost more
    /// than that.
    [[nodiscard]] static bool isStreamed(const Arguments& a, std::int64_t count) {
        return std::is_same_v<Real, float> && count >= 128 && a.kept == nullptr;
    }

    /// Number of elements before the next cache line.
    template <class T> static std::int64_t beforeLine(const T* at) {
        constexpr std::uintptr_t kLine = 64; // bytes
        const auto beyond = reinterpret_cast<std::uintptr_t>(at) % kLine;
        return static_cast<std::int64_t>((kLine - beyond) % kLine / sizeof(T));
    }

    /// Calls `use(first, count, again)` for the vectors of a row. `count` is an integral constant
    /// except for shorter vectors: the last one, and the first one if the others are to be aligned
    /// to cache lines. With `kAgain` the last vector is a whole one if possible, and `again` is the
    /// number of its first elements that the vector before it held too.
    template <bool kAgain, class S, class Use>
    static HWY_INLINE void overVectors(const Row<S>& row, Use&& use) {
        constexpr auto kStep = static_cast<std::int64_t>(hn::MaxLanes(D()));
        constexpr std::integral_constant<std::int64_t, kStep> kWholeVector;
        std::int64_t i = row.streamed ? beforeLine(row.value) : 0;
        if (i > 0) {
            for (std::int64_t k = 0; k < i; k += kStep) {
                use(k, std::min(kStep, i - k), 0);
            }
        }
        for (; i + kStep <= row.count; i += kStep) {
            use(i, kWholeVector, 0);
        }
        if (i < row.count) {
            if (kAgain && !row.streamed && i > 0) {
                use(row.count - kStep, kWholeVector, i + kStep - row.count);
            } else {
                use(i, row.count - i, 0);
            }
        }
    }

    /// Sets the statuses of a row to OK.
    template <class S> static HWY_INLINE void clearStatuses(const Row<S>& row) {
        const hn::ScalableTag<std::uint8_t> d;
        const auto lanes = static_cast<std::int64_t>(hn::Lanes(d));
        std::int64_t i = row.streamed ? beforeLine(row.status) : row.count;
        std::fill_n(row.status, i, std::uint8_t{0});
        for (; i + lanes <= row.count; i += lanes) {
            hn::Stream(hn::Zero(d), d, row.status + i);
        }
        std::fill_n(row.status + i, row.count - i, std::uint8_t{0});
    }

    /// The part of row (y, z) of a tile with `count` voxels from `column` on. Keeps its sums if `a`
    /// asks for that.
    template <class S>
    [[nodiscard]] static HWY_INLINE Row<S> rowOf(const Arguments& a, const S& sums,
                                                 std::int64_t column, std::int64_t count,
                                                 std::int64_t y, std::int64_t z) {
        if (a.kept != nullptr && !a.recall) {
            keep(sums, count, keptSumsAt(a, column, y, z));
        }
        const std::int64_t at = z * a.mapSliceStride + y * a.mapRowStride + column;
        return {sums,
                a.num.data + z * a.num.sliceStride + y * a.num.rowStride + column,
                a.value + at,
                a.exact == nullptr ? nullptr : a.exact + at,
                a.status + at,
                count,
                isStreamed(a, count),
                {column, y, z}};
    }

    /// Keeps the window sums for other numerators of the same panels.
    template <class S> static void keep(const S& sums, std::int64_t count, const Sums& to) {
        const DD dd;
        const auto lanes = static_cast<std::int64_t>(hn::Lanes(dd));
        for (std::int64_t i = 0; i < count; i += lanes) { // rows have space for a whole vector
            hn::StoreU(sums.first(i), dd, to.s1 + i);
            hn::StoreU(sums.second(i), dd, to.s2 + i);
        }
    }

    /// True if a count is that of a whole vector, as a constant.
    template <class Count> static constexpr bool kWhole = !std::is_integral_v<Count>;

    template <class S, class Count>
    static HWY_INLINE void storeScores(const Row<S>& row, std::int64_t i, Count count, V scores) {
        const D d;
        if constexpr (kWhole<Count>) {
            if constexpr (std::is_same_v<Real, float>) {
                if (row.streamed) {
                    hn::Stream(scores, d, row.value + i);
                    return;
                }
            }
            Scores::store(scores, row.value + i);
            if constexpr (std::is_same_v<Real, double>) {
                if (row.exact != nullptr) {
                    hn::StoreU(scores, d, row.exact + i);
                }
            }
        } else {
#if HWY_TARGET <= HWY_AVX2
            if constexpr (std::is_same_v<Real, float>) { // writes no other element
                hn::BlendedStore(scores, hn::FirstN(d, static_cast<std::size_t>(count)), d,
                                 row.value + i);
                return;
            }
#endif
            HWY_ALIGN Real last[hn::MaxLanes(D())];
            hn::Store(scores, d, last);
            for (std::int64_t lane = 0; lane < count; ++lane) {
                row.value[i + lane] = static_cast<float>(last[lane]);
                if constexpr (std::is_same_v<Real, double>) {
                    if (row.exact != nullptr) {
                        row.exact[i + lane] = last[lane];
                    }
                }
            }
        }
    }
};

} // namespace flcc::cpu::simd::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif
