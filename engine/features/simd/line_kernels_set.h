#pragma once

#include <type_traits>

#include "engine/features/detail/line_kernels.h"

namespace flcc::features::detail {

/// Vectors of one instruction set: doubles, and integers of as many lanes.
template <class Doubles, class Unsigned16, class Integers16, class Integers32> struct LineVectors {
    using Vector = Doubles;
    using Levels = Unsigned16;
    using Signed16 = Integers16;
    using Signed32 = Integers32;
};

/// The kernels for vectors of that kind. Each source has a size of its own, so that no two have a
/// function in common. A block of kLines lines is filtered in as many passes as it has vectors:
/// vectors wider than those of the processor are kept in memory by the compiler, which takes four
/// times as long.
template <class Vectors> struct LineSet {
    using Vector = typename Vectors::Vector;
    using Levels = typename Vectors::Levels;
    using Signed16 = typename Vectors::Signed16;
    using Signed32 = typename Vectors::Signed32;
    static constexpr std::int64_t kLanes = sizeof(Vector) / sizeof(double);

    static Vector load(const double* from) { return *reinterpret_cast<const Vector*>(from); }
    static void store(Vector value, double* to) { *reinterpret_cast<Vector*>(to) = value; }

    /// Two vectors that are filtered at the same time: a recursive filter waits for its last
    /// result, and the other vector fills that time.
    struct Pair {
        Vector a;
        Vector b;
        friend Pair operator+(const Pair& l, const Pair& r) { return {l.a + r.a, l.b + r.b}; }
        friend Pair operator-(const Pair& l, const Pair& r) { return {l.a - r.a, l.b - r.b}; }
        friend Pair operator*(const Pair& l, double r) { return {l.a * r, l.b * r}; }
        friend Pair operator*(double l, const Pair& r) { return {l * r.a, l * r.b}; }
    };
    static constexpr bool kPairs = kLines / kLanes >= 2;
    using Step = std::conditional_t<kPairs, Pair, Vector>;
    static constexpr std::int64_t kStepLines = (kPairs ? 2 : 1) * kLanes;

    static Step loadStep(const double* from) {
        if constexpr (kPairs) {
            return {load(from), load(from + kLanes)};
        } else {
            return load(from);
        }
    }
    static void storeStep(const Step& value, double* to) {
        if constexpr (kPairs) {
            store(value.a, to);
            store(value.b, to + kLanes);
        } else {
            store(value, to);
        }
    }

    /// +1/2 where the level counts, -1/2 elsewhere.
    static Vector indicator(const std::uint16_t* levels, std::uint16_t level) {
        const Levels now = *reinterpret_cast<const Levels*>(levels);
        const Signed16 inside = now <= level; // -1 where true
        const auto numbers =
            __builtin_convertvector(__builtin_convertvector(inside, Signed32), Vector);
        return -0.5 - numbers;
    }
    static Step indicatorStep(const std::uint16_t* levels, std::uint16_t level) {
        if constexpr (kPairs) {
            return {indicator(levels, level), indicator(levels + kLanes, level)};
        } else {
            return indicator(levels, level);
        }
    }

    template <class Load>
    static void filterLine(const shared::LineFilter& coefficients, const Load& input,
                           double* scratch, const LineOutput& out, std::int64_t length) {
        const shared::LineFilter filter = coefficients;
        auto side = shared::atEdge(filter, input(0));
        for (std::int64_t i = 0; i < length; ++i) {
            storeStep(shared::advance(filter, side, input(i)), scratch + i * kLines);
        }
        double* const to = out.to;
        const std::int64_t stride = out.stride;
        const bool add = out.add;
        side = shared::atEdge(filter, input(length - 1));
        for (std::int64_t i = length - 1; i >= 0; --i) {
            const Step x = input(i);
            const Step after = shared::advance(filter, side, x);
            Step y = filter.centre * x + (loadStep(scratch + i * kLines) + after);
            if (add) {
                y = y + loadStep(to + i * stride);
            }
            storeStep(y, to + i * stride);
        }
    }

    [[gnu::flatten]] static void filterBlock(const shared::LineFilter& filter, const double* in,
                                             double* scratch, const LineOutput& out,
                                             std::int64_t length) {
        for (std::int64_t part = 0; part < kLines; part += kStepLines) {
            filterLine(
                filter, [from = in + part](std::int64_t i) { return loadStep(from + i * kLines); },
                scratch + part, {out.to + part, out.stride, out.add}, length);
        }
    }

    [[gnu::flatten]] static void filterLevels(const shared::LineFilter& filter,
                                              const IndicatorLines& in, double* scratch,
                                              const LineOutput& out, std::int64_t length) {
        for (std::int64_t part = 0; part < kLines; part += kStepLines) {
            const auto input = [levels = in.levels + part, stride = in.stride,
                                level = in.level](std::int64_t i) {
                return indicatorStep(levels + i * stride, level);
            };
            filterLine(filter, input, scratch + part, {out.to + part, out.stride, out.add}, length);
        }
    }

    [[gnu::flatten]] static void gatherBlocks(const double* from, std::int64_t stride,
                                              std::int64_t blocks, double* to,
                                              std::int64_t blockSize, std::int64_t length) {
        for (std::int64_t i = 0; i < length; ++i) {
            for (std::int64_t b = 0; b < blocks; ++b) {
                for (std::int64_t part = 0; part < kLines; part += kLanes) {
                    store(load(from + i * stride + b * kLines + part),
                          to + b * blockSize + i * kLines + part);
                }
            }
        }
    }

    [[gnu::flatten]] static void rowsToBlock(const double* rows, std::int64_t stride, double* block,
                                             std::int64_t length) {
        for (std::int64_t i = 0; i < length; ++i) {
            for (std::int64_t line = 0; line < kLines; ++line) {
                block[i * kLines + line] = rows[line * stride + i];
            }
        }
    }

    [[gnu::flatten]] static void blockToRows(const double* block, double* rows, std::int64_t stride,
                                             std::int64_t length, bool add) {
        for (std::int64_t i = 0; i < length; ++i) {
            for (std::int64_t line = 0; line < kLines; ++line) {
                double& to = rows[line * stride + i];
                to = block[i * kLines + line] + (add ? to : 0.0);
            }
        }
    }

    [[gnu::flatten]] static void magnitudes(const double* a, const double* b, const double* c,
                                            double weight, double* sum, std::int64_t length) {
        for (std::int64_t i = 0; i < length; ++i) {
            const double now =
                c == nullptr ? shared::laplacian(a[i], b[i]) : shared::laplacian(a[i], b[i], c[i]);
            sum[i] += weight * __builtin_fabs(now);
        }
    }

    static LineKernels named(std::string_view name) {
        return {name,        filterBlock, filterLevels, gatherBlocks,
                rowsToBlock, blockToRows, magnitudes};
    }
};

} // namespace flcc::features::detail
