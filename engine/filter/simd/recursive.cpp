#include "engine/filter/recursive.h"

#include <algorithm>
#include <cmath>
#include <type_traits>

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "engine/filter/simd/recursive.cpp"
#include <hwy/foreach_target.h> // IWYU pragma: keep

#include <hwy/highway.h>

#ifndef FLCC_RECURSIVE_LINES_ONCE
#define FLCC_RECURSIVE_LINES_ONCE
namespace flcc::filter {

/// What a kernel needs of a filter and a border, the same for every line.
struct LineRecursion {
    std::array<RecursiveSection, 2> sections;
    /// The state of a periodic signal from that of one period that began with 0, row by row.
    std::array<std::array<double, 4>, 2> closing{};
    Border border = Border::Zero;
    std::int64_t warmUp = 0; ///< voxels before the line from which the state is taken
    bool closes = false;     ///< the warm-up is one whole period
    bool odd = false;        ///< the backward part is subtracted
    bool add = false;
};

/// Lines that are filtered together by the widest vectors.
inline constexpr std::int64_t kMostLines = 16;

} // namespace flcc::filter
#endif

HWY_BEFORE_NAMESPACE();
namespace flcc::filter::HWY_NAMESPACE {

namespace hn = hwy::HWY_NAMESPACE;

template <class D> HWY_INLINE hn::Vec<D> load(D d, const double* from) {
    return hn::LoadU(d, from);
}
template <class D> HWY_INLINE hn::Vec<D> load(D d, const float* from) {
    return hn::PromoteTo(d, hn::LoadU(hn::Rebind<float, D>(), from));
}
template <class D> HWY_INLINE void store(D d, hn::Vec<D> value, double* to) {
    hn::StoreU(value, d, to);
}
template <class D> HWY_INLINE void store(D, hn::Vec<D> value, float* to) {
    const hn::Rebind<float, D> singles;
    hn::StoreU(hn::DemoteTo(singles, value), singles, to);
}

/// The two sections of one pass for the lines of K vectors.
template <class D, std::size_t K> class Pass {
  public:
    using V = hn::Vec<D>;

    /// `now` and `before`: weights of the voxel of a step and of the one before it.
    HWY_INLINE Pass(D d, const RecursiveSection& s0, const RecursiveSection& s1, bool forward) {
        const RecursiveSection* const sections[2] = {&s0, &s1};
        for (std::size_t j = 0; j < 2; ++j) {
            m_now[j] = hn::Set(d, forward ? sections[j]->b0 : sections[j]->c1);
            m_before[j] = hn::Set(d, forward ? sections[j]->b1 : sections[j]->c2);
            m_a1[j] = hn::Set(d, sections[j]->a1);
            m_a2[j] = hn::Set(d, sections[j]->a2);
        }
        for (std::size_t k = 0; k < K; ++k) {
            setState(k, hn::Zero(d), hn::Zero(d), hn::Zero(d));
        }
    }

    HWY_INLINE void setState(std::size_t k, V x, V y0, V y1) {
        m_x[k] = x;
        m_y1[0][k] = m_y2[0][k] = y0;
        m_y1[1][k] = m_y2[1][k] = y1;
    }

    /// Replaces the state z of every section by `closing` z.
    HWY_INLINE void close(D d, const std::array<std::array<double, 4>, 2>& closing) {
        for (std::size_t j = 0; j < 2; ++j) {
            for (std::size_t k = 0; k < K; ++k) {
                const V y1 = m_y1[j][k];
                const V y2 = m_y2[j][k];
                m_y1[j][k] = hn::MulAdd(hn::Set(d, closing[j][0]), y1,
                                        hn::Mul(hn::Set(d, closing[j][1]), y2));
                m_y2[j][k] = hn::MulAdd(hn::Set(d, closing[j][2]), y1,
                                        hn::Mul(hn::Set(d, closing[j][3]), y2));
            }
        }
    }

    /// The sum of both sections for the next voxel `x` of vector `k`.
    HWY_INLINE V step(std::size_t k, V x) {
        V sum[2];
        for (std::size_t j = 0; j < 2; ++j) {
            // y(n-1) comes last: it is what the next step waits for.
            const V known = hn::NegMulAdd(m_a2[j], m_y2[j][k],
                                          hn::MulAdd(m_before[j], m_x[k], hn::Mul(m_now[j], x)));
            sum[j] = hn::NegMulAdd(m_a1[j], m_y1[j][k], known);
            m_y2[j][k] = m_y1[j][k];
            m_y1[j][k] = sum[j];
        }
        m_x[k] = x;
        return hn::Add(sum[0], sum[1]);
    }

  private:
    V m_now[2], m_before[2], m_a1[2], m_a2[2];
    V m_x[K], m_y1[2][K], m_y2[2][K];
};

/// Filters K vectors of lines. `scratch`: the forward part, one row of vectors a voxel.
template <class D, std::size_t K, class In, class Out>
void filterBlock(D d, const LineRecursion& r, const In* from, std::int64_t fromStride, Out* to,
                 std::int64_t toStride, std::int64_t n, double* scratch) {
    using V = hn::Vec<D>;
    const auto lanes = static_cast<std::int64_t>(hn::Lanes(d));
    const RecursiveSection& s0 = r.sections[0];
    const RecursiveSection& s1 = r.sections[1];
    constexpr auto kVectors = static_cast<std::int64_t>(K);
    const auto first = [lanes](std::size_t k) { return static_cast<std::int64_t>(k) * lanes; };
    const auto voxel = [&](std::int64_t i, std::size_t k) -> V {
        const std::int64_t at = borderIndex(r.border, i, n);
        return at < 0 ? hn::Zero(d) : load(d, from + at * fromStride + first(k));
    };
    // Both states are taken before anything is stored: `to` may be `from`.
    Pass<D, K> forward(d, s0, s1, true);
    Pass<D, K> backward(d, s0, s1, false);
    if (r.border == Border::Replicate) {
        for (std::size_t k = 0; k < K; ++k) {
            const V head = voxel(0, k);
            forward.setState(k, head, hn::Mul(head, hn::Set(d, (s0.b0 + s0.b1) / s0.gain)),
                             hn::Mul(head, hn::Set(d, (s1.b0 + s1.b1) / s1.gain)));
            const V last = voxel(n - 1, k);
            backward.setState(k, last, hn::Mul(last, hn::Set(d, (s0.c1 + s0.c2) / s0.gain)),
                              hn::Mul(last, hn::Set(d, (s1.c1 + s1.c2) / s1.gain)));
        }
    } else if (r.warmUp > 0) {
        for (std::size_t k = 0; k < K; ++k) {
            const V zero = hn::Zero(d);
            forward.setState(k, voxel(-r.warmUp - 1, k), zero, zero);
            backward.setState(k, voxel(n + r.warmUp + 1, k), zero, zero);
        }
        for (std::int64_t i = r.warmUp; i > 0; --i) {
            for (std::size_t k = 0; k < K; ++k) {
                forward.step(k, voxel(-i, k));
                backward.step(k, voxel(n + i, k)); // y-(n + i - 1)
            }
        }
        if (r.closes) {
            forward.close(d, r.closing);
            backward.close(d, r.closing);
        }
    }
    // The backward recursion needs x(N) for y-(N - 1); after the warm-up and at borders of
    // replicated voxels the next voxel to enter is x(N), and so it is for zeros.
    V entering[K];
    for (std::size_t k = 0; k < K; ++k) {
        entering[k] = voxel(n, k);
    }
    for (std::int64_t i = 0; i < n; ++i) {
        for (std::size_t k = 0; k < K; ++k) {
            hn::StoreU(forward.step(k, load(d, from + i * fromStride + first(k))), d,
                       scratch + i * kVectors * lanes + first(k));
        }
    }
    for (std::int64_t i = n - 1; i >= 0; --i) {
        for (std::size_t k = 0; k < K; ++k) {
            const V back = backward.step(k, entering[k]);
            entering[k] = load(d, from + i * fromStride + first(k));
            const V ahead = hn::LoadU(d, scratch + i * kVectors * lanes + first(k));
            V result = r.odd ? hn::Sub(ahead, back) : hn::Add(ahead, back);
            Out* const at = to + i * toStride + first(k);
            if (r.add) {
                result = hn::Add(result, load(d, at));
            }
            store(d, result, at);
        }
    }
}

template <class In, class Out>
void linesOf(const LineRecursion& r, const In* from, std::int64_t fromStride, Out* to,
             std::int64_t toStride, std::int64_t n, std::int64_t lines, double* scratch) {
    const hn::CappedTag<double, 8> d;
    const hn::CappedTag<double, 1> one;
    const auto lanes = static_cast<std::int64_t>(hn::Lanes(d));
    std::int64_t i = 0;
    for (; i + 2 * lanes <= lines; i += 2 * lanes) {
        filterBlock<decltype(d), 2>(d, r, from + i, fromStride, to + i, toStride, n, scratch);
    }
    for (; i + lanes <= lines; i += lanes) {
        filterBlock<decltype(d), 1>(d, r, from + i, fromStride, to + i, toStride, n, scratch);
    }
    for (; i < lines; ++i) {
        filterBlock<decltype(one), 1>(one, r, from + i, fromStride, to + i, toStride, n, scratch);
    }
}

template <class In, class Out>
void rowsOf(const LineRecursion& r, const In* from, std::int64_t fromStride, Out* to,
            std::int64_t toStride, std::int64_t n, std::int64_t rows, double* scratch) {
    const hn::CappedTag<double, 8> d;
    const auto width = 2 * static_cast<std::int64_t>(hn::Lanes(d));
    double* const turned = scratch;
    LineRecursion plain = r;
    plain.add = false;
    for (std::int64_t first = 0; first < rows; first += width) {
        const std::int64_t count = std::min(width, rows - first);
        // Missing rows repeat the last one: their values are computed and not stored.
        constexpr std::int64_t kStep = 16; // voxels of a row that a cache line brings
        for (std::int64_t x = 0; x < n; x += kStep) {
            const std::int64_t end = std::min(n, x + kStep);
            for (std::int64_t i = 0; i < width; ++i) {
                const In* const row = from + (first + std::min(i, count - 1)) * fromStride;
                for (std::int64_t at = x; at < end; ++at) {
                    turned[at * width + i] = static_cast<double>(row[at]);
                }
            }
        }
        filterBlock<decltype(d), 2>(d, plain, turned, width, turned, width, n, scratch + n * width);
        for (std::int64_t x = 0; x < n; x += kStep) {
            const std::int64_t end = std::min(n, x + kStep);
            for (std::int64_t i = 0; i < count; ++i) {
                Out* const row = to + (first + i) * toStride;
                for (std::int64_t at = x; at < end; ++at) {
                    const double value = turned[at * width + i];
                    row[at] =
                        static_cast<Out>(r.add ? value + static_cast<double>(row[at]) : value);
                }
            }
        }
    }
}

using L = const LineRecursion&;
using Count = std::int64_t;
void linesFF(L r, const float* from, Count fs, float* to, Count ts, Count n, Count m, double* s) {
    linesOf(r, from, fs, to, ts, n, m, s);
}
void linesFD(L r, const float* from, Count fs, double* to, Count ts, Count n, Count m, double* s) {
    linesOf(r, from, fs, to, ts, n, m, s);
}
void linesDF(L r, const double* from, Count fs, float* to, Count ts, Count n, Count m, double* s) {
    linesOf(r, from, fs, to, ts, n, m, s);
}
void linesDD(L r, const double* from, Count fs, double* to, Count ts, Count n, Count m, double* s) {
    linesOf(r, from, fs, to, ts, n, m, s);
}
void rowsFF(L r, const float* from, Count fs, float* to, Count ts, Count n, Count m, double* s) {
    rowsOf(r, from, fs, to, ts, n, m, s);
}
void rowsFD(L r, const float* from, Count fs, double* to, Count ts, Count n, Count m, double* s) {
    rowsOf(r, from, fs, to, ts, n, m, s);
}
void rowsDF(L r, const double* from, Count fs, float* to, Count ts, Count n, Count m, double* s) {
    rowsOf(r, from, fs, to, ts, n, m, s);
}
void rowsDD(L r, const double* from, Count fs, double* to, Count ts, Count n, Count m, double* s) {
    rowsOf(r, from, fs, to, ts, n, m, s);
}

} // namespace flcc::filter::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace flcc::filter {

HWY_EXPORT(linesFF);
HWY_EXPORT(linesFD);
HWY_EXPORT(linesDF);
HWY_EXPORT(linesDD);
HWY_EXPORT(rowsFF);
HWY_EXPORT(rowsFD);
HWY_EXPORT(rowsDF);
HWY_EXPORT(rowsDD);

namespace {

/// (I - A^period)^-1, A the state matrix of `section`. With g(n) = p^n sin((n + 1) w) / sin(w),
/// A^n = [g(n), -a2 g(n-1); g(n-1), -a2 g(n-2)], and det(I - A^n) = |1 - q^n|^2, q = p exp(i w).
std::array<double, 4> closingOf(const RecursiveSection& section, std::int64_t period) {
    const auto g = [&](std::int64_t n) {
        const auto at = static_cast<double>(n);
        return std::exp(-section.decay * at) * std::sin((at + 1) * section.angle) /
               std::sin(section.angle);
    };
    const auto length = static_cast<double>(period);
    const double half = std::sin(section.angle * length / 2);
    const double less = std::expm1(-section.decay * length);
    const double det = less * less + 4 * std::exp(-section.decay * length) * half * half;
    const double before = g(period - 1);
    return {(1 + section.a2 * g(period - 2)) / det, -section.a2 * before / det, before / det,
            (1 - g(period)) / det};
}

LineRecursion recursionOf(const RecursiveGaussian& filter, Border border, std::int64_t length,
                          bool add, bool single) {
    LineRecursion r;
    r.sections = filter.sections();
    r.border = border;
    r.odd = filter.order() == 1;
    r.add = add;
    if (border == Border::Mirror || border == Border::Wrap) {
        const std::int64_t period = border == Border::Wrap ? length : 2 * length;
        // 2^-60 of the response is left out; of results in float 2^-33, which is 2^-9 roundings.
        const std::int64_t memory = single ? filter.memory() * 33 / 60 + 1 : filter.memory();
        r.warmUp = std::min(memory, period);
        r.closes = r.warmUp == period;
        if (r.closes) {
            r.closing = {closingOf(r.sections[0], period), closingOf(r.sections[1], period)};
        }
    }
    return r;
}

} // namespace

std::size_t recursiveScratch(std::int64_t length) {
    return static_cast<std::size_t>(2 * kMostLines * length);
}

template <class In, class Out>
void filterLines(const RecursiveGaussian& filter, Border border, const In* from,
                 std::int64_t fromStride, Out* to, std::int64_t toStride, std::int64_t length,
                 std::int64_t lines, bool add, double* scratch) {
    const LineRecursion r = recursionOf(filter, border, length, add, std::is_same_v<Out, float>);
    const auto run = [&](auto kernel) {
        kernel(r, from, fromStride, to, toStride, length, lines, scratch);
    };
    if constexpr (std::is_same_v<In, float> && std::is_same_v<Out, float>) {
        run(HWY_DYNAMIC_DISPATCH(linesFF));
    } else if constexpr (std::is_same_v<In, float>) {
        run(HWY_DYNAMIC_DISPATCH(linesFD));
    } else if constexpr (std::is_same_v<Out, float>) {
        run(HWY_DYNAMIC_DISPATCH(linesDF));
    } else {
        run(HWY_DYNAMIC_DISPATCH(linesDD));
    }
}

template <class In, class Out>
void filterRows(const RecursiveGaussian& filter, Border border, const In* from,
                std::int64_t fromStride, Out* to, std::int64_t toStride, std::int64_t length,
                std::int64_t rows, bool add, double* scratch) {
    const LineRecursion r = recursionOf(filter, border, length, add, std::is_same_v<Out, float>);
    const auto run = [&](auto kernel) {
        kernel(r, from, fromStride, to, toStride, length, rows, scratch);
    };
    if constexpr (std::is_same_v<In, float> && std::is_same_v<Out, float>) {
        run(HWY_DYNAMIC_DISPATCH(rowsFF));
    } else if constexpr (std::is_same_v<In, float>) {
        run(HWY_DYNAMIC_DISPATCH(rowsFD));
    } else if constexpr (std::is_same_v<Out, float>) {
        run(HWY_DYNAMIC_DISPATCH(rowsDF));
    } else {
        run(HWY_DYNAMIC_DISPATCH(rowsDD));
    }
}

template void filterLines(const RecursiveGaussian&, Border, const float*, std::int64_t, float*,
                          std::int64_t, std::int64_t, std::int64_t, bool, double*);
template void filterLines(const RecursiveGaussian&, Border, const float*, std::int64_t, double*,
                          std::int64_t, std::int64_t, std::int64_t, bool, double*);
template void filterLines(const RecursiveGaussian&, Border, const double*, std::int64_t, float*,
                          std::int64_t, std::int64_t, std::int64_t, bool, double*);
template void filterLines(const RecursiveGaussian&, Border, const double*, std::int64_t, double*,
                          std::int64_t, std::int64_t, std::int64_t, bool, double*);
template void filterRows(const RecursiveGaussian&, Border, const float*, std::int64_t, float*,
                         std::int64_t, std::int64_t, std::int64_t, bool, double*);
template void filterRows(const RecursiveGaussian&, Border, const float*, std::int64_t, double*,
                         std::int64_t, std::int64_t, std::int64_t, bool, double*);
template void filterRows(const RecursiveGaussian&, Border, const double*, std::int64_t, float*,
                         std::int64_t, std::int64_t, std::int64_t, bool, double*);
template void filterRows(const RecursiveGaussian&, Border, const double*, std::int64_t, double*,
                         std::int64_t, std::int64_t, std::int64_t, bool, double*);

} // namespace flcc::filter
#endif
