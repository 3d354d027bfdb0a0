#include "engine/features/detail/line_kernels.h"

namespace flcc::features::detail {

namespace {

// Vectors of the compiler: operators work on them in every instruction set, so that the shared
// arithmetic is compiled once for each: every function is inlined into the flattened ones below,
// which name their instruction set.
using Vector = double __attribute__((vector_size(64)));
using Levels = std::uint16_t __attribute__((vector_size(16)));
using Signed16 = std::int16_t __attribute__((vector_size(16)));
using Signed32 = std::int32_t __attribute__((vector_size(32)));

inline Vector load(const double* from) { return *reinterpret_cast<const Vector*>(from); }

inline void store(Vector value, double* to) { *reinterpret_cast<Vector*>(to) = value; }

template <class Load>
inline void filterLine(const shared::LineFilter& coefficients, const Load& input, double* scratch,
                       const LineOutput& out, std::int64_t length) {
    const shared::LineFilter filter = coefficients;
    auto side = shared::atEdge(filter, input(0));
    for (std::int64_t i = 0; i < length; ++i) {
        store(shared::advance(filter, side, input(i)), scratch + i * kLines);
    }
    double* const to = out.to;
    const std::int64_t stride = out.stride;
    const bool add = out.add;
    side = shared::atEdge(filter, input(length - 1));
    for (std::int64_t i = length - 1; i >= 0; --i) {
        const Vector x = input(i);
        const Vector after = shared::advance(filter, side, x);
        Vector y = filter.centre * x + (load(scratch + i * kLines) + after);
        if (add) {
            y += load(to + i * stride);
        }
        store(y, to + i * stride);
    }
}

inline void filterBlock(const shared::LineFilter& filter, const double* in, double* scratch,
                        const LineOutput& out, std::int64_t length) {
    filterLine(
        filter, [in](std::int64_t i) { return load(in + i * kLines); }, scratch, out, length);
}

inline void filterLevels(const shared::LineFilter& filter, const IndicatorLines& in,
                         double* scratch, const LineOutput& out, std::int64_t length) {
    const auto input = [levels = in.levels, stride = in.stride, level = in.level](std::int64_t i) {
        const Levels now = *reinterpret_cast<const Levels*>(levels + i * stride);
        const Signed16 inside = now <= level; // -1 where true
        const auto numbers =
            __builtin_convertvector(__builtin_convertvector(inside, Signed32), Vector);
        return -0.5 - numbers;
    };
    filterLine(filter, input, scratch, out, length);
}

inline void gatherBlocks(const double* from, std::int64_t stride, std::int64_t blocks, double* to,
                         std::int64_t blockSize, std::int64_t length) {
    for (std::int64_t i = 0; i < length; ++i) {
        for (std::int64_t b = 0; b < blocks; ++b) {
            store(load(from + i * stride + b * kLines), to + b * blockSize + i * kLines);
        }
    }
}

inline void rowsToBlock(const double* rows, std::int64_t stride, double* block,
                        std::int64_t length) {
    for (std::int64_t i = 0; i < length; ++i) {
        for (std::int64_t line = 0; line < kLines; ++line) {
            block[i * kLines + line] = rows[line * stride + i];
        }
    }
}

inline void blockToRows(const double* block, double* rows, std::int64_t stride, std::int64_t length,
                        bool add) {
    for (std::int64_t i = 0; i < length; ++i) {
        for (std::int64_t line = 0; line < kLines; ++line) {
            double& to = rows[line * stride + i];
            to = block[i * kLines + line] + (add ? to : 0.0);
        }
    }
}

inline void magnitudes(const double* a, const double* b, const double* c, double weight,
                       double* sum, std::int64_t length) {
    for (std::int64_t i = 0; i < length; ++i) {
        const double now =
            c == nullptr ? shared::laplacian(a[i], b[i]) : shared::laplacian(a[i], b[i], c[i]);
        sum[i] += weight * __builtin_fabs(now);
    }
}

// The entry points of each instruction set.

struct Baseline {
    [[gnu::flatten]] static void filter(const shared::LineFilter& filter, const double* in,
                                        double* scratch, const LineOutput& out,
                                        std::int64_t length) {
        filterBlock(filter, in, scratch, out, length);
    }
    [[gnu::flatten]] static void filterIndicator(const shared::LineFilter& filter,
                                                 const IndicatorLines& in, double* scratch,
                                                 const LineOutput& out, std::int64_t length) {
        filterLevels(filter, in, scratch, out, length);
    }
    [[gnu::flatten]] static void gather(const double* from, std::int64_t stride,
                                        std::int64_t blocks, double* to, std::int64_t blockSize,
                                        std::int64_t length) {
        gatherBlocks(from, stride, blocks, to, blockSize, length);
    }
    [[gnu::flatten]] static void toBlock(const double* rows, std::int64_t stride, double* block,
                                         std::int64_t length) {
        rowsToBlock(rows, stride, block, length);
    }
    [[gnu::flatten]] static void fromBlock(const double* block, double* rows, std::int64_t stride,
                                           std::int64_t length, bool add) {
        blockToRows(block, rows, stride, length, add);
    }
    [[gnu::flatten]] static void addMagnitude(const double* a, const double* b, const double* c,
                                              double weight, double* sum, std::int64_t length) {
        magnitudes(a, b, c, weight, sum, length);
    }
};

#if defined(__x86_64__)
struct Avx2 {
    [[gnu::flatten, gnu::target("avx2,fma")]] static void filter(const shared::LineFilter& filter,
                                                                 const double* in, double* scratch,
                                                                 const LineOutput& out,
                                                                 std::int64_t length) {
        filterBlock(filter, in, scratch, out, length);
    }
    [[gnu::flatten, gnu::target("avx2,fma")]] static void
    filterIndicator(const shared::LineFilter& filter, const IndicatorLines& in, double* scratch,
                    const LineOutput& out, std::int64_t length) {
        filterLevels(filter, in, scratch, out, length);
    }
    [[gnu::flatten, gnu::target("avx2,fma")]] static void
    gather(const double* from, std::int64_t stride, std::int64_t blocks, double* to,
           std::int64_t blockSize, std::int64_t length) {
        gatherBlocks(from, stride, blocks, to, blockSize, length);
    }
    [[gnu::flatten, gnu::target("avx2,fma")]] static void
    toBlock(const double* rows, std::int64_t stride, double* block, std::int64_t length) {
        rowsToBlock(rows, stride, block, length);
    }
    [[gnu::flatten, gnu::target("avx2,fma")]] static void fromBlock(const double* block,
                                                                    double* rows,
                                                                    std::int64_t stride,
                                                                    std::int64_t length, bool add) {
        blockToRows(block, rows, stride, length, add);
    }
    [[gnu::flatten, gnu::target("avx2,fma")]] static void
    addMagnitude(const double* a, const double* b, const double* c, double weight, double* sum,
                 std::int64_t length) {
        magnitudes(a, b, c, weight, sum, length);
    }
};

struct Avx512 {
    [[gnu::flatten,
      gnu::target("avx512f,avx512dq,avx512vl,avx512bw,prefer-vector-width=512")]] static void
    filter(const shared::LineFilter& filter, const double* in, double* scratch,
           const LineOutput& out, std::int64_t length) {
        filterBlock(filter, in, scratch, out, length);
    }
    [[gnu::flatten,
      gnu::target("avx512f,avx512dq,avx512vl,avx512bw,prefer-vector-width=512")]] static void
    filterIndicator(const shared::LineFilter& filter, const IndicatorLines& in, double* scratch,
                    const LineOutput& out, std::int64_t length) {
        filterLevels(filter, in, scratch, out, length);
    }
    [[gnu::flatten,
      gnu::target("avx512f,avx512dq,avx512vl,avx512bw,prefer-vector-width=512")]] static void
    gather(const double* from, std::int64_t stride, std::int64_t blocks, double* to,
           std::int64_t blockSize, std::int64_t length) {
        gatherBlocks(from, stride, blocks, to, blockSize, length);
    }
    [[gnu::flatten,
      gnu::target("avx512f,avx512dq,avx512vl,avx512bw,prefer-vector-width=512")]] static void
    toBlock(const double* rows, std::int64_t stride, double* block, std::int64_t length) {
        rowsToBlock(rows, stride, block, length);
    }
    [[gnu::flatten,
      gnu::target("avx512f,avx512dq,avx512vl,avx512bw,prefer-vector-width=512")]] static void
    fromBlock(const double* block, double* rows, std::int64_t stride, std::int64_t length,
              bool add) {
        blockToRows(block, rows, stride, length, add);
    }
    [[gnu::flatten,
      gnu::target("avx512f,avx512dq,avx512vl,avx512bw,prefer-vector-width=512")]] static void
    addMagnitude(const double* a, const double* b, const double* c, double weight, double* sum,
                 std::int64_t length) {
        magnitudes(a, b, c, weight, sum, length);
    }
};

#endif

template <class Set> LineKernels kernelsOf(std::string_view name) {
    return {name,         Set::filter,    Set::filterIndicator, Set::gather,
            Set::toBlock, Set::fromBlock, Set::addMagnitude};
}

std::vector<LineKernels> runnable() {
    std::vector<LineKernels> kernels;
#if defined(__x86_64__)
    if (__builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512dq") &&
        __builtin_cpu_supports("avx512vl") && __builtin_cpu_supports("avx512bw")) {
        kernels.push_back(kernelsOf<Avx512>("avx512"));
    }
    if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma")) {
        kernels.push_back(kernelsOf<Avx2>("avx2"));
    }
#endif
    kernels.push_back(kernelsOf<Baseline>("baseline"));
    return kernels;
}

} // namespace

const std::vector<LineKernels>& lineKernels() {
    static const std::vector<LineKernels> kernels = runnable();
    return kernels;
}

} // namespace flcc::features::detail
