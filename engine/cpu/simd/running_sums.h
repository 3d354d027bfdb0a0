// Running window sums of x and of x^2: from one row to the next, and along a row, one element is
// added and one subtracted. They take a third of the operations of additions only (window_sums.h),
// but an error stays in all following sums and does not shrink with the panel
// (engine/method/NUMERICS.md, section 4). Files that include <hwy/foreach_target.h> compile this
// one once for every instruction set.
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

/// Window sums over `width` columns as differences of prefix sums: `s1[i]` is the sum of all
/// columns before column i.
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

/// Prefix sums of the lanes: lane i gets the sum of lanes 0 .. i.
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

/// Scratch of the running sums of rows of `columns` voxels: `head`, the column sums over the window
/// rows of the current row, and `prefixes`, the prefix sums of kRunningRows rows with a zero before
/// each.
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

/// The sums of rows `first` .. `first` + `count` - 1 of a plane, for the vector at column i.
template <class From>
HWY_INLINE SumVectors sumOfRows(const From& from, std::int64_t first, std::int64_t count,
                                std::int64_t line, std::int64_t i) {
    SumVectors sum = from.load(first, line, i);
    for (std::int64_t k = 1; k < count; ++k) {
        sum = sum + from.load(first + k, line, i);
    }
    return sum;
}

/// Sums `count` rows for all columns, several vectors at a time. Rows that lie a power of two apart
/// share few cache sets; one vector at a time, a cache line would be evicted before its next vector
/// is read.
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

/// Window sums over `m` of `rows` rows of `from`, one after the other. `use(sums, row)` returns
/// false if these sums are not accurate enough. Returns the number of rows that it accepted.
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
            if (count == kRunningRows) { // a constant count lets the compiler unroll the loop
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

/// Sums over the planes z .. z + depth - 1 for lines of voxels. For z > 0 they are updated from the
/// sums of the plane before.
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

} // namespace flcc::cpu::simd::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif
