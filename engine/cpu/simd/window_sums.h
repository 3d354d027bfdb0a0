// Window sums of x and of x^2 by additions only (METHODS 2.1). Compiled once for every instruction
// set, by files that include <hwy/foreach_target.h>.
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
};

/// The same of a vector.
struct SumVectors {
    hn::Vec<DD> s1;
    hn::Vec<DD> s2;
};

/// Rows of sums of x and of x^2 in turn, `stride` doubles each, in planes of `lines` rows.
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

/// Voxels as sums over one voxel; a row may be read over its end by less than a vector (slack).
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

// Sums over windows of `width` rows (or planes of `lines` rows) of `from`, a group of at most
// `together` windows at a time: `use(windows, first, count)`. Additions only, by van Herk: a window
// is the tail of one block of `width` rows and the head of the next. `scratch` holds width + 1 +
// together rows of sums; those given to `use` are its to change.
template <class From, class Use>
HWY_INLINE void windowsOfRows(const From& from, std::int64_t width, std::int64_t count,
                              std::int64_t lines, std::int64_t columns, std::int64_t together,
                              double* scratch, Use&& use) {
    const DD dd;
    const auto lanes = static_cast<std::int64_t>(hn::Lanes(dd));
    const std::int64_t stride = sumsRow(columns);
    const SumRows tails{scratch, stride, lines};
    const SumRows head{tails.at(width).s1, stride, lines};
    const SumRows windows{head.at(1).s1, stride, lines};
    for (std::int64_t block = 0; block < count; block += width) {
        for (std::int64_t j = width - 1; j >= 0; --j) {
            for (std::int64_t line = 0; line < lines; ++line) {
                for (std::int64_t i = 0; i < columns; i += lanes) {
                    const SumVectors row = from.load(block + j, line, i);
                    tails.store(j, line, i,
                                j == width - 1 ? row : tails.load(j + 1, line, i) + row);
                }
            }
        }
        std::fill_n(head.data, 2 * stride * lines, 0.0);
        const std::int64_t rows = std::min(width, count - block);
        for (std::int64_t first = 0; first < rows; first += together) {
            const std::int64_t group = std::min(together, rows - first);
            for (std::int64_t line = 0; line < lines; ++line) {
                for (std::int64_t i = 0; i < columns; i += lanes) {
                    SumVectors sum = head.load(0, line, i);
                    for (std::int64_t j = 0; j < group; ++j) {
                        if (first + j > 0) {
                            sum = sum + from.load(block + width + first + j - 1, line, i);
                        }
                        windows.store(j, line, i, tails.load(first + j, line, i) + sum);
                    }
                    head.store(0, line, i, sum);
                }
            }
            use(windows, block + first, group);
        }
    }
}

// Sums over windows of `width` voxels along `rows` rows of `from`, put in `to` unless the width is
// 1; returns where they are. Additions only: the bits of `width` from the highest one down double
// the windows, and add a voxel where they are set. A pass goes over all rows before the next one
// reads what it stored.
HWY_INLINE SumRows windowsAlongRows(const SumRows& from, const SumRows& to, std::int64_t width,
                                    std::int64_t rows, std::int64_t count) {
    const DD dd;
    const auto lanes = static_cast<std::int64_t>(hn::Lanes(dd));
    int bit = 63 - __builtin_clzll(static_cast<unsigned long long>(width));
    SumRows run = from;
    for (std::int64_t now = 1; --bit >= 0; now = width >> bit, run = to) {
        // Windows reach as far as the longer ones made of them are needed.
        const std::int64_t columns = count + width - (width >> bit);
        const bool odd = (width >> bit) % 2 != 0;
        for (std::int64_t line = 0; line < 2 * rows; ++line) {
            const double* const voxels = from.data + line * from.stride + 2 * now;
            const double* const half = run.data + line * run.stride;
            double* const at = to.data + line * to.stride;
            for (std::int64_t i = 0; i < columns; i += lanes) {
                auto sum = hn::Add(hn::LoadU(dd, half + i), hn::LoadU(dd, half + now + i));
                if (odd) {
                    sum = hn::Add(sum, hn::LoadU(dd, voxels + i));
                }
                hn::StoreU(sum, dd, at + i);
            }
        }
    }
    return run;
}

} // namespace flcc::cpu::simd::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif
