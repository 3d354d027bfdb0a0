// Window sums of x and of x^2 by additions only (engine/method/NUMERICS.md, section 4). Files that
// include <hwy/foreach_target.h> compile this one once for every instruction set.
#if defined(FLCC_WINDOW_SUMS_ONCE) == defined(HWY_TARGET_TOGGLE)
#ifdef FLCC_WINDOW_SUMS_ONCE
#undef FLCC_WINDOW_SUMS_ONCE
#else
#define FLCC_WINDOW_SUMS_ONCE
#endif

#include <algorithm>
#include <cstdint>

#include <hwy/highway.h>

#include "engine/cpu/simd/kernels.h"

HWY_BEFORE_NAMESPACE();
namespace flcc::cpu::simd::HWY_NAMESPACE {

namespace hn = hwy::HWY_NAMESPACE;

using DD = hn::ScalableTag<double>;

/// A row of sums of x and one of x^2.
struct Sums {
    double* s1 = nullptr;
    double* s2 = nullptr;

    [[nodiscard]] HWY_INLINE hn::Vec<DD> first(std::int64_t i) const {
        return hn::LoadU(DD(), s1 + i);
    }
    [[nodiscard]] HWY_INLINE hn::Vec<DD> second(std::int64_t i) const {
        return hn::LoadU(DD(), s2 + i);
    }
    [[nodiscard]] double firstAt(std::int64_t i) const { return s1[i]; }
    [[nodiscard]] double secondAt(std::int64_t i) const { return s2[i]; }
};

/// A vector of sums of x and one of x^2.
struct SumVectors {
    hn::Vec<DD> s1;
    hn::Vec<DD> s2;
};

/// Alternating rows of sums of x and of x^2, `stride` doubles each, in planes of `lines` rows.
struct SumRows {
    double* data = nullptr;
    std::int64_t stride = 0;
    std::int64_t lines = 1;

    [[nodiscard]] Sums at(std::int64_t j, std::int64_t line = 0) const {
        double* const s1 = data + 2 * (j * lines + line) * stride;
        return {s1, s1 + stride};
    }
    [[nodiscard]] HWY_INLINE SumVectors load(std::int64_t j, std::int64_t line,
                                             std::int64_t i) const {
        const Sums sums = at(j, line);
        return {hn::LoadU(DD(), sums.s1 + i), hn::LoadU(DD(), sums.s2 + i)};
    }
    HWY_INLINE void store(std::int64_t j, std::int64_t line, std::int64_t i,
                          const SumVectors& sums) const {
        const Sums to = at(j, line);
        hn::StoreU(sums.s1, DD(), to.s1 + i);
        hn::StoreU(sums.s2, DD(), to.s2 + i);
    }
};

HWY_INLINE hn::Vec<DD> loadDoubles(const float* x) {
    return hn::PromoteTo(DD(), hn::LoadU(hn::Rebind<float, DD>(), x));
}
HWY_INLINE hn::Vec<DD> loadDoubles(const double* x) { return hn::LoadU(DD(), x); }

/// Voxels as window sums over one voxel. A load may read past the end of a row by less than a
/// vector (slack).
template <class Real> struct VoxelRows {
    const Real* data = nullptr;
    std::int64_t stride = 0;
    std::int64_t lineStride = 0;

    [[nodiscard]] HWY_INLINE SumVectors load(std::int64_t j, std::int64_t line,
                                             std::int64_t i) const {
        const auto x = loadDoubles(data + j * stride + line * lineStride + i);
        return {x, hn::Mul(x, x)};
    }
};

HWY_INLINE SumVectors operator+(const SumVectors& a, const SumVectors& b) {
    return {hn::Add(a.s1, b.s1), hn::Add(a.s2, b.s2)};
}

// The buffers in which windows over `width` rows are made. `tails` holds one tail for each group,
// that of its first row. `head` continues from group to group. `windows` holds the windows of one
// group.
template <class From> struct RowWindows {
    const From& from;
    std::int64_t width;
    SumRows tails;
    SumRows head;
    SumRows windows;

    // Makes the first `wanted` windows of the group of `rows` rows that begins `first` rows after
    // `block`. The tails of its other rows are summed again, from the kept tail of the next group.
    template <std::size_t kGroup>
    HWY_INLINE void group(std::int64_t block, std::int64_t first, std::int64_t rows,
                          std::int64_t wanted, std::int64_t line, std::int64_t i) const {
        const std::int64_t number = first / static_cast<std::int64_t>(kGroup);
        hn::Vec<DD> tail1[kGroup];
        hn::Vec<DD> tail2[kGroup];
        SumVectors tail = from.load(block + first + rows - 1, line, i);
        if (first + rows < width) {
            tail = tails.load(number + 1, line, i) + tail;
        }
        for (std::int64_t j = rows - 1; j > 0; --j) {
            tail1[static_cast<std::size_t>(j)] = tail.s1;
            tail2[static_cast<std::size_t>(j)] = tail.s2;
            tail = tail + from.load(block + first + j - 1, line, i);
        }
        tail1[0] = tail.s1;
        tail2[0] = tail.s2;
        SumVectors sum = head.load(0, line, i);
        for (std::int64_t j = 0; j < wanted; ++j) {
            if (first + j > 0) {
                sum = sum + from.load(block + width + first + j - 1, line, i);
            }
            const auto at = static_cast<std::size_t>(j);
            windows.store(j, line, i, SumVectors{tail1[at], tail2[at]} + sum);
        }
        head.store(0, line, i, sum);
    }
};

// Sums over windows of `width` rows (or planes of `lines` rows) of `from`, at most kGroup windows
// at a time: `use(windows, first, count)`. Additions only, by van Herk: a window is the tail of one
// block of `width` rows plus the head of the next. Only every kGroup-th tail is stored; the tails
// between are summed again in registers. `scratch` holds windowRows() rows of sums. `use` may
// change the windows it gets.
template <std::size_t kGroup, class From, class Use>
HWY_INLINE void windowsInGroups(const From& from, std::int64_t width, std::int64_t count,
                                std::int64_t lines, std::int64_t columns, double* scratch,
                                Use&& use) {
    const DD dd;
    const auto lanes = static_cast<std::int64_t>(hn::Lanes(dd));
    constexpr auto kRows = static_cast<std::int64_t>(kGroup);
    const std::int64_t stride = sumsRow(columns);
    const SumRows tails{scratch, stride, lines};
    const SumRows head{tails.at((width + kRows - 1) / kRows).s1, stride, lines};
    const RowWindows<From> in{from, width, tails, head, {head.at(1).s1, stride, lines}};
    for (std::int64_t block = 0; block < count; block += width) {
        for (std::int64_t group = (width - 1) / kRows; group >= 0; --group) {
            const std::int64_t first = group * kRows;
            const std::int64_t last = std::min(first + kRows, width) - 1;
            for (std::int64_t line = 0; line < lines; ++line) {
                for (std::int64_t i = 0; i < columns; i += lanes) {
                    SumVectors tail = from.load(block + last, line, i);
                    if (last + 1 < width) {
                        tail = tails.load(group + 1, line, i) + tail;
                    }
                    for (std::int64_t j = last - 1; j >= first; --j) {
                        tail = tail + from.load(block + j, line, i);
                    }
                    tails.store(group, line, i, tail);
                }
            }
        }
        std::fill_n(head.data, 2 * stride * lines, 0.0);
        const std::int64_t rows = std::min(width, count - block);
        for (std::int64_t first = 0; first < rows; first += kRows) {
            const std::int64_t here = std::min(kRows, width - first);
            const std::int64_t wanted = std::min(here, rows - first);
            for (std::int64_t line = 0; line < lines; ++line) {
                if (wanted == kRows) { // constant counts keep the tails in registers
                    for (std::int64_t i = 0; i < columns; i += lanes) {
                        in.template group<kGroup>(block, first, kRows, kRows, line, i);
                    }
                } else {
                    for (std::int64_t i = 0; i < columns; i += lanes) {
                        in.template group<kGroup>(block, first, here, wanted, line, i);
                    }
                }
            }
            use(in.windows, block + first, wanted);
        }
    }
}

// The same with groups of `together` windows, a power of two up to 8.
template <class From, class Use>
HWY_INLINE void windowsOfRows(const From& from, std::int64_t width, std::int64_t count,
                              std::int64_t lines, std::int64_t columns, std::int64_t together,
                              double* scratch, Use&& use) {
    switch (together) {
    case 8:
        return windowsInGroups<8>(from, width, count, lines, columns, scratch, use);
    case 4:
        return windowsInGroups<4>(from, width, count, lines, columns, scratch, use);
    case 2:
        return windowsInGroups<2>(from, width, count, lines, columns, scratch, use);
    default:
        return windowsInGroups<1>(from, width, count, lines, columns, scratch, use);
    }
}

#if HWY_TARGET == HWY_AVX3
// Lanes kBy .. kBy + 7 of the 16 lanes of two vectors. Highway has no name for this instruction.
template <int kBy> HWY_INLINE hn::Vec<DD> shifted(hn::Vec<DD> low, hn::Vec<DD> high) {
    return {_mm512_castsi512_pd(
        _mm512_alignr_epi64(_mm512_castpd_si512(high.raw), _mm512_castpd_si512(low.raw), kBy))};
}

// The first three doublings of windowsAlongRows() in registers. Each doubles the windows of a row
// and adds one voxel if its template argument is 1. Storing between the doublings and reading
// across vectors takes three times as long.
template <int kFirst, int kSecond, int kThird>
HWY_INLINE void threeDoublings(const double* from, double* to, std::int64_t columns) {
    const DD d;
    constexpr int kOne = 2 + kFirst;
    constexpr int kTwo = 2 * kOne + kSecond;
    const auto one = [](hn::Vec<DD> v, hn::Vec<DD> next) {
        const auto sum = hn::Add(v, shifted<1>(v, next));
        return kFirst != 0 ? hn::Add(sum, shifted<2>(v, next)) : sum;
    };
    const auto two = [](hn::Vec<DD> s, hn::Vec<DD> nextSum, hn::Vec<DD> v, hn::Vec<DD> next) {
        const auto sum = hn::Add(s, shifted<kOne>(s, nextSum));
        return kSecond != 0 ? hn::Add(sum, shifted<2 * kOne>(v, next)) : sum;
    };
    auto v1 = hn::LoadU(d, from + 8);
    auto v2 = hn::LoadU(d, from + 16);
    const auto v0 = hn::LoadU(d, from);
    auto ones = one(v1, v2);
    auto twos = two(one(v0, v1), ones, v0, v1);
    for (std::int64_t i = 0; i < columns; i += 8) {
        const auto v3 = hn::LoadU(d, from + i + 24);
        const auto nextOnes = one(v2, v3);
        const auto nextTwos = two(ones, nextOnes, v1, v2);
        auto sum = hn::Add(twos, shifted<kTwo>(twos, nextTwos));
        if constexpr (kThird != 0) {
            sum = hn::Add(sum, shifted<2 * kTwo - 8>(v1, v2));
        }
        hn::StoreU(sum, d, to + i);
        v1 = v2;
        v2 = v3;
        ones = nextOnes;
        twos = nextTwos;
    }
}

HWY_INLINE void threeDoublings(int bits, const double* from, double* to, std::int64_t columns) {
    switch (bits) {
    case 0:
        return threeDoublings<0, 0, 0>(from, to, columns);
    case 1:
        return threeDoublings<0, 0, 1>(from, to, columns);
    case 2:
        return threeDoublings<0, 1, 0>(from, to, columns);
    case 3:
        return threeDoublings<0, 1, 1>(from, to, columns);
    case 4:
        return threeDoublings<1, 0, 0>(from, to, columns);
    case 5:
        return threeDoublings<1, 0, 1>(from, to, columns);
    case 6:
        return threeDoublings<1, 1, 0>(from, to, columns);
    default:
        return threeDoublings<1, 1, 1>(from, to, columns);
    }
}
#endif

// Doubles the windows over `now` voxels of a row, and adds one voxel with `kOdd`.
template <bool kOdd>
HWY_INLINE void doubled(const double* half, std::int64_t now, const double* voxels,
                        std::int64_t columns, double* to) {
    const DD dd;
    const auto lanes = static_cast<std::int64_t>(hn::Lanes(dd));
    for (std::int64_t i = 0; i < columns; i += lanes) {
        auto sum = hn::Add(hn::LoadU(dd, half + i), hn::LoadU(dd, half + now + i));
        if constexpr (kOdd) {
            sum = hn::Add(sum, hn::LoadU(dd, voxels + i));
        }
        hn::StoreU(sum, dd, to + i);
    }
}

// Sums over windows of `width` voxels along `rows` rows of `from`. They are put in `to`, unless the
// width is 1; returns where they are. Additions only: for each bit of `width` below the highest,
// from the top down, the windows are doubled, and one voxel is added if the bit is set. A pass goes
// over all rows before the next pass reads what it stored.
HWY_NOINLINE inline SumRows windowsAlongRows(const SumRows& from, const SumRows& to,
                                             std::int64_t width, std::int64_t rows,
                                             std::int64_t count) {
    int bit = 63 - __builtin_clzll(static_cast<unsigned long long>(width));
    SumRows run = from;
    std::int64_t now = 1;
#if HWY_TARGET == HWY_AVX3
    if (bit >= 3) {
        bit -= 3;
        const std::int64_t columns = count + width - (width >> bit);
        for (std::int64_t line = 0; line < 2 * rows; ++line) {
            threeDoublings(static_cast<int>(width >> bit) & 7, from.data + line * from.stride,
                           to.data + line * to.stride, columns);
        }
        now = width >> bit;
        run = to;
    }
#endif
    for (; --bit >= 0; now = width >> bit, run = to) {
        // Columns that the longer windows made from these will read.
        const std::int64_t columns = count + width - (width >> bit);
        const bool odd = (width >> bit) % 2 != 0;
        for (std::int64_t line = 0; line < 2 * rows; ++line) {
            const double* const voxels = from.data + line * from.stride + 2 * now;
            const double* const half = run.data + line * run.stride;
            double* const at = to.data + line * to.stride;
            odd ? doubled<true>(half, now, voxels, columns, at)
                : doubled<false>(half, now, voxels, columns, at);
        }
    }
    return run;
}

} // namespace flcc::cpu::simd::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif
