// Window sums of x and of x^2 that run on from row to row and along it: a third of the operations
// of additions only (window_sums.h), at the price of an error that does not shrink with the panel.
// Compiled once for every instruction set, by files that include <hwy/foreach_target.h>.
#if defined(FLCC_RUNNING_SUMS_ONCE) == defined(HWY_TARGET_TOGGLE)
#ifdef FLCC_RUNNING_SUMS_ONCE
#undef FLCC_RUNNING_SUMS_ONCE
#else
#define FLCC_RUNNING_SUMS_ONCE
#endif

#include <algorithm>
#include <cstdint>

#include <hwy/highway.h>

#include "engine/base/extents.h"
#include "engine/cpu/simd/kernels.h"
#include "engine/cpu/simd/window_sums.h"

HWY_BEFORE_NAMESPACE();
namespace flcc::cpu::simd::HWY_NAMESPACE {

/// Windows of `width` columns as differences of sums from the first column on: `s1[i]` is the sum
/// of all columns before the i-th.
struct PrefixSums {
    const double* s1 = nullptr;
    const double* s2 = nullptr;
    std::int64_t width = 0;

    [[nodiscard]] HWY_INLINE hn::Vec<DD> first(std::int64_t i) const { return window(s1 + i); }
    [[nodiscard]] HWY_INLINE hn::Vec<DD> second(std::int64_t i) const { return window(s2 + i); }
    [[nodiscard]] double firstAt(std::int64_t i) const { return s1[i + width] - s1[i]; }
    [[nodiscard]] double secondAt(std::int64_t i) const { return s2[i + width] - s2[i]; }

  private:
    [[nodiscard]] HWY_INLINE hn::Vec<DD> window(const double* from) const {
        return hn::Sub(hn::LoadU(DD(), from + width), hn::LoadU(DD(), from));
    }
};

HWY_INLINE SumVectors operator-(const SumVectors& a, const SumVectors& b) {
    return {hn::Sub(a.s1, b.s1), hn::Sub(a.s2, b.s2)};
}

/// The sums of the lanes up to each.
HWY_INLINE hn::Vec<DD> lanesUpTo(hn::Vec<DD> v) {
    const DD d;
#if HWY_TARGET == HWY_AVX3
    const auto zero = hn::Zero(d);
    v = hn::Add(v, shifted<7>(zero, v));
    v = hn::Add(v, shifted<6>(zero, v));
    return hn::Add(v, shifted<4>(zero, v));
#else
    static_assert(hn::MaxLanes(DD()) <= 4);
    v = hn::Add(v, hn::ShiftLeftLanes<1>(d, v));
    if constexpr (hn::MaxLanes(DD()) == 4) {
        v = hn::Add(v, hn::ConcatLowerLower(d, hn::DupOdd(v), hn::Zero(d)));
    }
    return v;
#endif
}

/// Where running sums of rows of `columns` voxels are kept: the sums of the columns under a row,
/// and prefix sums of kRunningRows rows, a zero before each.
struct RunningRows {
    SumRows head;
    SumRows prefixes;

    RunningRows(double* scratch, std::int64_t columns)
        : head{scratch, runningRow(columns)}, prefixes{scratch + 2 * runningRow(columns),
                                                       runningRow(columns)} {
        for (std::int64_t row = 0; row < kRunningRows; ++row) {
            const Sums sums = prefixes.at(row);
            sums.s1[kRunningLead - 1] = sums.s2[kRunningLead - 1] = 0;
        }
    }

    [[nodiscard]] PrefixSums at(std::int64_t row, std::int64_t width) const {
        const Sums sums = prefixes.at(row);
        return {sums.s1 + kRunningLead - 1, sums.s2 + kRunningLead - 1, width};
    }
};

/// The sum of rows `first` .. `first` + `count` - 1 of a plane.
template <class From>
HWY_INLINE SumVectors sumOfRows(const From& from, std::int64_t first, std::int64_t count,
                                std::int64_t line, std::int64_t i) {
    SumVectors sum = from.load(first, line, i);
    for (std::int64_t k = 1; k < count; ++k) {
        sum = sum + from.load(first + k, line, i);
    }
    return sum;
}

/// The same of all columns, some vectors at a time: rows that are apart by a power of two share few
/// sets of a cache, which then holds no line until its next vector is due.
template <class From>
HWY_INLINE void sumRows(const From& from, std::int64_t count, std::int64_t columns,
                        const SumRows& to) {
    const auto lanes = static_cast<std::int64_t>(hn::Lanes(DD()));
    constexpr std::size_t kVectors = 4;
    constexpr auto kTogether = static_cast<std::int64_t>(kVectors);
    std::int64_t i = 0;
    for (; i + kTogether * lanes <= columns; i += kTogether * lanes) {
        hn::Vec<DD> s1[kVectors];
        hn::Vec<DD> s2[kVectors];
        for (std::size_t v = 0; v < kVectors; ++v) {
            const SumVectors sum = from.load(0, 0, i + static_cast<std::int64_t>(v) * lanes);
            s1[v] = sum.s1;
            s2[v] = sum.s2;
        }
        for (std::int64_t row = 1; row < count; ++row) {
            for (std::size_t v = 0; v < kVectors; ++v) {
                const SumVectors sum = from.load(row, 0, i + static_cast<std::int64_t>(v) * lanes);
                s1[v] = hn::Add(s1[v], sum.s1);
                s2[v] = hn::Add(s2[v], sum.s2);
            }
        }
        for (std::size_t v = 0; v < kVectors; ++v) {
            to.store(0, 0, i + static_cast<std::int64_t>(v) * lanes, {s1[v], s2[v]});
        }
    }
    for (; i < columns; i += lanes) {
        to.store(0, 0, i, sumOfRows(from, 0, count, 0, i));
    }
}

/// Window sums over `m` of `rows` rows of `from`, in turn: `use(sums, row)` returns false where
/// they do not do. Returns how many rows it took.
template <class From, class Use>
HWY_INLINE std::int64_t runningWindows(const From& from, const base::Extents& m, std::int64_t rows,
                                       std::int64_t columns, double* scratch, Use&& use) {
    const DD dd;
    const auto lanes = static_cast<std::int64_t>(hn::Lanes(dd));
    const RunningRows to(scratch, columns);
    sumRows(from, m.y, columns, to.head);
    for (std::int64_t first = 0; first < rows; first += kRunningRows) {
        const std::int64_t count = std::min(kRunningRows, rows - first);
        for (std::int64_t i = 0; i < columns; i += lanes) {
            SumVectors sum = to.head.load(0, 0, i);
            const auto row = [&](std::int64_t j) {
                if (const std::int64_t y = first + j; y > 0) {
                    sum = sum + from.load(y + m.y - 1, 0, i) - from.load(y - 1, 0, i);
                }
                const Sums prefix = to.prefixes.at(j);
                const auto goOn = [&](hn::Vec<DD> v, double* at) {
                    hn::StoreU(hn::Add(lanesUpTo(v), hn::Set(dd, at[-1])), dd, at);
                };
                goOn(sum.s1, prefix.s1 + kRunningLead + i);
                goOn(sum.s2, prefix.s2 + kRunningLead + i);
            };
            if (count == kRunningRows) { // known when compiling
                for (std::int64_t j = 0; j < kRunningRows; ++j) {
                    row(j);
                }
            } else {
                for (std::int64_t j = 0; j < count; ++j) {
                    row(j);
                }
            }
            to.head.store(0, 0, i, sum);
        }
        for (std::int64_t j = 0; j < count; ++j) {
            if (!use(to.at(j, m.x), first + j)) {
                return first + j;
            }
        }
    }
    return rows;
}

/// The sums over planes z .. z + depth - 1 of lines of voxels, from those of the plane before.
template <class From>
HWY_INLINE void runPlanes(const From& from, std::int64_t z, std::int64_t depth, std::int64_t lines,
                          std::int64_t columns, const SumRows& plane) {
    const auto lanes = static_cast<std::int64_t>(hn::Lanes(DD()));
    for (std::int64_t line = 0; line < lines; ++line) {
        for (std::int64_t i = 0; i < columns; i += lanes) {
            plane.store(line, 0, i,
                        z == 0 ? sumOfRows(from, 0, depth, line, i)
                               : plane.load(line, 0, i) + from.load(z + depth - 1, line, i) -
                                     from.load(z - 1, line, i));
        }
    }
}

/// A bound on the error of N times the variance from running sums of voxels of magnitude 1 at most,
/// whose windows number `out`. An axis adds its roundings to what the sums it adds up have: m of
/// the first window, two a window that follow. Of prefix sums: one a vector and those within it, at
/// both ends. The square of the mean doubles what the sum of squares has.
HWY_INLINE double runningError(const base::Extents& m, const base::Extents& out) {
    const auto of = [](std::int64_t value) { return static_cast<double>(value); };
    double largest = 1;
    double error = 0;
    const auto run = [&](std::int64_t width, std::int64_t windows) {
        if (width > 1 || windows > 1) {
            error = of(width) * error + of(width + 1) * largest * of(width + 2 * windows);
            largest *= of(width + 1);
        }
    };
    run(m.z, m.z > 1 ? out.z : 1);
    run(m.y, out.y);
    const double columns = of(out.x + m.x - 1);
    const double vectors = columns / of(static_cast<std::int64_t>(hn::Lanes(DD()))) + 6;
    return 3.01 * 0x1p-53 * (of(m.x) * error + 2 * vectors * columns * largest);
}

} // namespace flcc::cpu::simd::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif
