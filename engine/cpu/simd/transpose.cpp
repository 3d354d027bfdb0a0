#include <algorithm>
#include <cstdint>

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "engine/cpu/simd/transpose.cpp"
#include <hwy/foreach_target.h> // IWYU pragma: keep

#include <hwy/highway.h>

#include "engine/cpu/simd/kernels.h"

HWY_BEFORE_NAMESPACE();
namespace flcc::cpu::simd::HWY_NAMESPACE {

namespace hn = hwy::HWY_NAMESPACE;

// Pairs (re, im) are moved as one lane of 64 bits; a block is as many rows as a vector has lanes.
using Pairs = hn::ScalableTag<std::uint64_t>;
using Floats = hn::Repartition<float, Pairs>;
using PairVector = hn::Vec<Pairs>;
constexpr std::size_t kMost = hn::MaxLanes(Pairs());

// Blocks of 128 bits: those of the same number in both vectors side by side, first the even ones.
HWY_INLINE void exchangeBlocks(PairVector& a, PairVector& b) {
    const auto even = hn::OddEvenBlocks(hn::SwapAdjacentBlocks(b), a);
    b = hn::OddEvenBlocks(b, hn::SwapAdjacentBlocks(a));
    a = even;
}

// `rows` becomes its transpose.
HWY_INLINE void transposeBlock(PairVector (&rows)[kMost]) {
    const Pairs d;
    for (std::size_t i = 0; i < kMost; i += 2) {
        const auto lower = hn::InterleaveLower(d, rows[i], rows[i + 1]);
        rows[i + 1] = hn::InterleaveUpper(d, rows[i], rows[i + 1]);
        rows[i] = lower;
    }
    // Row 2 j + p now holds, of rows 2 j and 2 j + 1, the columns 2 b + p in its block b.
    if constexpr (kMost == 4) {
        for (std::size_t p = 0; p < 2; ++p) {
            exchangeBlocks(rows[p], rows[2 + p]);
        }
    } else if constexpr (kMost == 8) {
        for (std::size_t p = 0; p < 2; ++p) {
            for (std::size_t j = 0; j < 2; ++j) {
                PairVector& low = rows[2 * j + p];
                PairVector& high = rows[2 * (j + 2) + p];
                const auto lower = hn::ConcatLowerLower(d, high, low);
                high = hn::ConcatUpperUpper(d, high, low);
                low = lower;
            }
            exchangeBlocks(rows[p], rows[2 + p]);
            exchangeBlocks(rows[4 + p], rows[6 + p]);
        }
    }
}

void transpose(const float* from, std::int64_t fromStride, std::int64_t rows, std::int64_t columns,
               float* to, std::int64_t toStride) {
    const Pairs d;
    const Floats f;
    const auto whole = static_cast<std::int64_t>(hn::Lanes(d));
    const std::int64_t blockRows = rows / whole * whole;
    const std::int64_t blockColumns = columns / whole * whole;
    for (std::int64_t i = 0; i < blockRows; i += whole) {
        for (std::int64_t k = 0; k < blockColumns; k += whole) {
            PairVector block[kMost];
            for (std::size_t j = 0; j < kMost; ++j) {
                const auto row = i + static_cast<std::int64_t>(j);
                block[j] = hn::BitCast(d, hn::LoadU(f, from + row * fromStride + 2 * k));
            }
            transposeBlock(block);
            for (std::size_t j = 0; j < kMost; ++j) {
                const auto column = k + static_cast<std::int64_t>(j);
                hn::StoreU(hn::BitCast(f, block[j]), f, to + column * toStride + 2 * i);
            }
        }
    }
    const auto rest = [&](std::int64_t firstRow, std::int64_t firstColumn, std::int64_t endRow) {
        for (std::int64_t i = firstRow; i < endRow; ++i) {
            for (std::int64_t k = firstColumn; k < columns; ++k) {
                std::copy_n(from + i * fromStride + 2 * k, 2, to + k * toStride + 2 * i);
            }
        }
    };
    rest(0, blockColumns, blockRows);
    rest(blockRows, 0, rows);
}

} // namespace flcc::cpu::simd::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace flcc::cpu::simd {

HWY_EXPORT(transpose);

void transposePairs(const float* from, std::int64_t fromStride, std::int64_t rows,
                    std::int64_t columns, float* to, std::int64_t toStride) {
    HWY_DYNAMIC_DISPATCH(transpose)(from, fromStride, rows, columns, to, toStride);
}

void transposePairs(const double* from, std::int64_t fromStride, std::int64_t rows,
                    std::int64_t columns, double* to, std::int64_t toStride) {
    for (std::int64_t i = 0; i < rows; ++i) {
        for (std::int64_t k = 0; k < columns; ++k) {
            std::copy_n(from + i * fromStride + 2 * k, 2, to + k * toStride + 2 * i);
        }
    }
}

} // namespace flcc::cpu::simd
#endif
