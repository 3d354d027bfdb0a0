#include "engine/cpu/simd/beam.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <functional>
#include <numbers>
#include <utility>
#include <vector>

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "engine/cpu/simd/beam.cpp"
#include <hwy/foreach_target.h> // IWYU pragma: keep

#include <hwy/highway.h>

#include "engine/cpu/simd/butterflies.h"

HWY_BEFORE_NAMESPACE();
namespace flcc::cpu::beam::HWY_NAMESPACE {

// Sources and destinations of a pass. `stride` values lie between the starts of two elements.
template <class T> struct InBeam {
    using Real = T;

    Real* beam;
    std::int64_t stride;

    HWY_INLINE void load(std::int64_t at, Vector<Real>& re, Vector<Real>& im) const {
        re = hn::Load(Tag<Real>(), beam + at);
        im = hn::Load(Tag<Real>(), beam + at + kLines);
    }
    HWY_INLINE void store(Vector<Real> re, Vector<Real> im, std::int64_t at) const {
        hn::Store(re, Tag<Real>(), beam + at);
        hn::Store(im, Tag<Real>(), beam + at + kLines);
    }
};

template <class T> struct InPlanes {
    using Real = T;

    const Real* real;
    const Real* imaginary;
    std::int64_t stride;

    HWY_INLINE void load(std::int64_t at, Vector<Real>& re, Vector<Real>& im) const {
        const Tag<Real> d;
        re = hn::LoadU(d, real + at);
        im = hn::LoadU(d, imaginary + at);
    }
};

template <class T> struct ToPlanes {
    using Real = T;

    Real* real;
    Real* imaginary;
    std::int64_t stride;

    HWY_INLINE void store(Vector<Real> re, Vector<Real> im, std::int64_t at) const {
        const Tag<Real> d;
        hn::StoreU(re, d, real + at);
        hn::StoreU(im, d, imaginary + at);
    }
};

HWY_INLINE void storeAs(Vector<double> v, double* to) { hn::Store(v, Tag<double>(), to); }
HWY_INLINE void storeAs(Vector<double> v, float* to) {
    const hn::Rebind<float, Tag<double>> narrow;
    hn::Store(hn::DemoteTo(narrow, v), narrow, to);
}

// Stores conjugates, times `scale`.
template <class To> struct ToConjugates {
    To* beam;
    double scale;
    std::int64_t stride;

    HWY_INLINE void store(Vector<double> re, Vector<double> im, std::int64_t at) const {
        const Tag<double> d;
        storeAs(hn::Mul(hn::Set(d, scale), re), beam + at);
        storeAs(hn::Mul(hn::Set(d, -scale), im), beam + at + kLines);
    }
};

// One pass. A backward pass is a forward pass on exchanged real and imaginary parts, with the
// twiddle factors applied first.
template <std::size_t kRadix, bool kTwiddles, bool kBack, class From, class To>
HWY_INLINE void pass(const From from, const To to, std::int64_t blocks, std::int64_t step,
                     const typename From::Real* twiddles) {
    using V = Vector<typename From::Real>;
    const Tag<typename From::Real> d;
    constexpr auto kStep = signedOf(kLanes<typename From::Real>);
    const std::int64_t fromApart = step * from.stride;
    const std::int64_t toApart = step * to.stride;
    for (std::int64_t block = 0; block < blocks; ++block) {
        const typename From::Real* twiddle = twiddles;
        std::int64_t fromAt = block * signedOf(kRadix) * fromApart;
        std::int64_t toAt = block * signedOf(kRadix) * toApart;
        for (std::int64_t j = 0; j < step; ++j) {
            for (std::int64_t lane = 0; lane < kLines; lane += kStep) {
                Complexes<V, kRadix> v;
                for (std::size_t q = 0; q < kRadix; ++q) {
                    from.load(fromAt + signedOf(q) * fromApart + lane, kBack ? v.im[q] : v.re[q],
                              kBack ? v.re[q] : v.im[q]);
                }
                const auto turnAll = [&] {
                    for (std::size_t q = 1; q < kRadix; ++q) {
                        multiply(v, q, hn::Set(d, twiddle[2 * q - 2]),
                                 hn::Set(d, twiddle[2 * q - 1]));
                    }
                };
                if constexpr (kTwiddles && kBack) {
                    turnAll();
                }
                butterfly(v);
                if constexpr (kTwiddles && !kBack) {
                    turnAll();
                }
                for (std::size_t q = 0; q < kRadix; ++q) {
                    to.store(kBack ? v.im[q] : v.re[q], kBack ? v.re[q] : v.im[q],
                             toAt + signedOf(q) * toApart + lane);
                }
            }
            fromAt += from.stride;
            toAt += to.stride;
            twiddle += 2 * signedOf(kRadix - 1);
        }
    }
}

template <class From> using StageOf = typename Plan<typename From::Real>::Stage;

template <std::size_t kRadix, bool kBack, class From, class To>
HWY_NOINLINE void passOfRadix(const StageOf<From>& stage, const From& from, const To& to,
                              std::int64_t blocks) {
    if (stage.step > 1) {
        pass<kRadix, true, kBack>(from, to, blocks, stage.step, stage.twiddles.data());
    } else {
        pass<kRadix, false, kBack>(from, to, blocks, 1, nullptr);
    }
}

/// Calls `use` with the radix as an integral constant.
template <class Use> HWY_INLINE void withRadix(int radix, Use&& use) {
    switch (radix) {
    case 8:
        return use(std::integral_constant<std::size_t, 8>());
    case 7:
        return use(std::integral_constant<std::size_t, 7>());
    case 5:
        return use(std::integral_constant<std::size_t, 5>());
    case 4:
        return use(std::integral_constant<std::size_t, 4>());
    case 3:
        return use(std::integral_constant<std::size_t, 3>());
    case 2:
        return use(std::integral_constant<std::size_t, 2>());
    default:
        return use(std::integral_constant<std::size_t, 1>());
    }
}

template <bool kBack, class From, class To>
HWY_INLINE void passOf(const StageOf<From>& stage, const From& from, const To& to,
                       std::int64_t blocks) {
    withRadix(stage.radix, [&](auto radix) {
        passOfRadix<decltype(radix)::value, kBack>(stage, from, to, blocks);
    });
}

// The middle of a correlation, in registers: the last forward pass, which has no twiddle factors,
// the product, and the first backward pass. Without kForward, `from` is a spectrum already.
template <std::size_t kRadix, bool kForward, class Real>
HWY_NOINLINE void productPass(const Real* from, const Real* templ, Real* to, std::int64_t blocks) {
    using V = Vector<Real>;
    const Tag<Real> d;
    constexpr auto kStep = signedOf(kLanes<Real>);
    for (std::int64_t block = 0; block < blocks; ++block) {
        for (std::int64_t lane = 0; lane < kLines; lane += kStep) {
            Complexes<V, kRadix> v;
            for (std::size_t q = 0; q < kRadix; ++q) {
                v.re[q] = hn::Load(d, from + signedOf(q) * kElement + lane);
                v.im[q] = hn::Load(d, from + signedOf(q) * kElement + kLines + lane);
            }
            if constexpr (kForward) {
                butterfly(v);
            }
            Complexes<V, kRadix> product;
            for (std::size_t q = 0; q < kRadix; ++q) {
                multiply(v, q, hn::Load(d, templ + signedOf(q) * kElement + lane),
                         hn::Load(d, templ + signedOf(q) * kElement + kLines + lane));
                product.re[q] = v.im[q];
                product.im[q] = v.re[q];
            }
            butterfly(product);
            for (std::size_t q = 0; q < kRadix; ++q) {
                hn::Store(product.im[q], d, to + signedOf(q) * kElement + lane);
                hn::Store(product.re[q], d, to + signedOf(q) * kElement + kLines + lane);
            }
        }
        from += signedOf(kRadix) * kElement;
        templ += signedOf(kRadix) * kElement;
        to += signedOf(kRadix) * kElement;
    }
}

// The passes from the second one to the one before `end`, forward or backward, over one part of a
// beam.
template <class Real>
void forwardPart(const Plan<Real>& plan, Real* beam, std::int64_t step, std::size_t end) {
    const auto& stages = plan.stages();
    const InBeam<Real> place{beam, step};
    for (std::size_t i = 1; i < end; ++i) {
        passOf<false>(stages[i], place, place, stages[i].blocks / plan.parts());
    }
}
template <class Real>
void backwardPart(const Plan<Real>& plan, Real* beam, std::int64_t step, std::size_t end) {
    const auto& stages = plan.stages();
    const InBeam<Real> place{beam, step};
    for (std::size_t i = end; i-- > 1;) {
        passOf<true>(stages[i], place, place, stages[i].blocks / plan.parts());
    }
}

template <class Real, class From>
HWY_INLINE void forwardFrom(const Plan<Real>& plan, const From& from, Real* beam,
                            std::int64_t step) {
    passOf<false>(plan.stages().front(), from, InBeam<Real>{beam, step}, 1);
    for (std::int64_t part = 0; part < plan.parts(); ++part) {
        forwardPart(plan, beam + part * plan.partLength() * step, step, plan.stages().size());
    }
}
template <class Real, class To>
HWY_INLINE void backwardTo(const Plan<Real>& plan, Real* beam, std::int64_t step, const To& to) {
    for (std::int64_t part = 0; part < plan.parts(); ++part) {
        backwardPart(plan, beam + part * plan.partLength() * step, step, plan.stages().size());
    }
    passOf<true>(plan.stages().front(), InBeam<Real>{beam, step}, to, 1);
}

template <class Real>
HWY_INLINE void columnsForward(const Plan<Real>& plan, const Planes<const Real>& from, Real* beam) {
    forwardFrom(plan, InPlanes<Real>{from.real, from.imaginary, from.rowStride}, beam, kElement);
}
void columnsForwardFloat(const Plan<float>& plan, const Planes<const float>& from, float* beam) {
    columnsForward(plan, from, beam);
}
void columnsForwardDouble(const Plan<double>& plan, const Planes<const double>& from,
                          double* beam) {
    columnsForward(plan, from, beam);
}
// Columns of an incomplete group are transformed in the beam and copied from it.
template <class Real>
HWY_INLINE void columnsBackward(const Plan<Real>& plan, Real* beam, const Planes<Real>& to,
                                std::int64_t columns, std::int64_t others) {
    if (columns == kLines && others == kLines) {
        backwardTo(plan, beam, kElement, ToPlanes<Real>{to.real, to.imaginary, to.rowStride});
        return;
    }
    backwardTo(plan, beam, kElement, InBeam<Real>{beam, kElement});
    for (std::int64_t k = 0; k < plan.length(); ++k) {
        const Real* const element = beam + k * kElement;
        std::copy_n(element, columns, to.real + k * to.rowStride);
        std::copy_n(element + kLines, others, to.imaginary + k * to.rowStride);
    }
}
void columnsBackwardFloat(const Plan<float>& plan, float* beam, const Planes<float>& to,
                          std::int64_t columns, std::int64_t others) {
    columnsBackward(plan, beam, to, columns, others);
}
void columnsBackwardDouble(const Plan<double>& plan, double* beam, const Planes<double>& to,
                           std::int64_t columns, std::int64_t others) {
    columnsBackward(plan, beam, to, columns, others);
}
void beamForwardFloat(const Plan<float>& plan, float* beam, std::int64_t step) {
    forwardFrom(plan, InBeam<float>{beam, step}, beam, step);
}
void beamForwardDouble(const Plan<double>& plan, double* beam, std::int64_t step) {
    forwardFrom(plan, InBeam<double>{beam, step}, beam, step);
}
template <class To>
HWY_INLINE void conjugatesForward(const Plan<double>& plan, double* beam, double scale, To* to) {
    const auto& stages = plan.stages();
    const auto lastOf = [&](std::int64_t at, std::int64_t blocks) {
        passOf<false>(stages.back(), InBeam<double>{beam + at, kElement},
                      ToConjugates<To>{to + at, scale, kElement}, blocks);
    };
    if (stages.size() == 1) {
        lastOf(0, 1);
        return;
    }
    const InBeam<double> place{beam, kElement};
    passOf<false>(stages.front(), place, place, 1);
    for (std::int64_t part = 0; part < plan.parts(); ++part) {
        const std::int64_t at = part * plan.partLength() * kElement;
        forwardPart(plan, beam + at, kElement, stages.size() - 1);
        lastOf(at, stages.back().blocks / plan.parts());
    }
}
void conjugatesToFloat(const Plan<double>& plan, double* beam, double scale, float* to) {
    conjugatesForward(plan, beam, scale, to);
}
void conjugatesToDouble(const Plan<double>& plan, double* beam, double scale, double* to) {
    conjugatesForward(plan, beam, scale, to);
}
void beamBackwardFloat(const Plan<float>& plan, float* beam, std::int64_t step) {
    backwardTo(plan, beam, step, InBeam<float>{beam, step});
}
void beamBackwardDouble(const Plan<double>& plan, double* beam, std::int64_t step) {
    backwardTo(plan, beam, step, InBeam<double>{beam, step});
}

template <bool kForward, class Real>
void correlateFrom(const Plan<Real>& plan, const Real* from, const Real* templ, Real* beam) {
    const auto& stages = plan.stages();
    const auto& first = stages.front();
    const auto& last = stages.back();
    const InBeam<Real> place{beam, kElement};
    const auto middle = [&](std::int64_t at, std::int64_t blocks) {
        withRadix(last.radix, [&](auto radix) {
            productPass<decltype(radix)::value, kForward>(from + at, templ + at, beam + at, blocks);
        });
    };
    if (stages.size() == 1) {
        middle(0, 1);
        return;
    }
    if constexpr (kForward) {
        passOf<false>(first, place, place, 1);
    }
    for (std::int64_t part = 0; part < plan.parts(); ++part) {
        const std::int64_t at = part * plan.partLength() * kElement;
        if constexpr (kForward) {
            forwardPart(plan, beam + at, kElement, stages.size() - 1);
        }
        middle(at, last.blocks / plan.parts());
        backwardPart(plan, beam + at, kElement, stages.size() - 1);
    }
    passOf<true>(first, place, place, 1);
}
void beamCorrelateFloat(const Plan<float>& plan, float* beam, const float* templ) {
    correlateFrom<true, float>(plan, beam, templ, beam);
}
void beamCorrelateDouble(const Plan<double>& plan, double* beam, const double* templ) {
    correlateFrom<true, double>(plan, beam, templ, beam);
}
void productBackwardFloat(const Plan<float>& plan, const float* spectrum, const float* templ,
                          float* beam) {
    correlateFrom<false>(plan, spectrum, templ, beam);
}
void productBackwardDouble(const Plan<double>& plan, const double* spectrum, const double* templ,
                           double* beam) {
    correlateFrom<false>(plan, spectrum, templ, beam);
}

} // namespace flcc::cpu::beam::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace flcc::cpu::beam {

HWY_EXPORT(columnsForwardFloat);
HWY_EXPORT(columnsForwardDouble);
HWY_EXPORT(columnsBackwardFloat);
HWY_EXPORT(columnsBackwardDouble);
HWY_EXPORT(beamForwardFloat);
HWY_EXPORT(beamForwardDouble);
HWY_EXPORT(conjugatesToFloat);
HWY_EXPORT(conjugatesToDouble);
HWY_EXPORT(beamBackwardFloat);
HWY_EXPORT(beamBackwardDouble);
HWY_EXPORT(beamCorrelateFloat);
HWY_EXPORT(beamCorrelateDouble);
HWY_EXPORT(productBackwardFloat);
HWY_EXPORT(productBackwardDouble);

namespace {

// The radices of a length. Twos are joined to eights. If a single two would be left, two fours
// replace it and an eight: a pass of radix 2 takes as long as one of radix 4, for half the work.
std::vector<int> radicesOf(std::int64_t length) {
    std::vector<int> result;
    const auto take = [&](int radix) {
        for (; length % radix == 0; length /= radix) {
            result.push_back(radix);
        }
    };
    int twos = 0;
    for (; length % 2 == 0; length /= 2) {
        ++twos;
    }
    const int rest = twos % 3; // 2: one four; 1: two fours replace an eight and a two
    const int eights = twos / 3 - (rest == 1 && twos > 1 ? 1 : 0);
    const int fours = rest == 2 ? 1 : (rest == 1 && twos > 1 ? 2 : 0);
    result.insert(result.end(), static_cast<std::size_t>(eights), 8);
    result.insert(result.end(), static_cast<std::size_t>(fours), 4);
    result.insert(result.end(), twos == 1 ? 1 : 0, 2);
    take(7);
    take(5);
    take(3);
    std::sort(result.begin(), result.end(), std::greater<>());
    if (result.empty()) {
        result.push_back(1);
    }
    return result;
}

} // namespace

template <class Real> Plan<Real>::Plan(std::int64_t length) : m_length(length) {
    // exp(-2 pi i k / length), rounded once. The angle is long double, since in double it has an
    // error of several roundings.
    std::vector<std::pair<Real, Real>> roots;
    for (std::int64_t k = 0; k < length; ++k) {
        const long double angle = -2 * std::numbers::pi_v<long double> *
                                  static_cast<long double>(k) / static_cast<long double>(length);
        roots.emplace_back(static_cast<Real>(std::cos(angle)), static_cast<Real>(std::sin(angle)));
    }
    std::int64_t block = length;
    for (const int radix : radicesOf(length)) {
        Stage stage{radix, length / block, block / radix, {}};
        for (std::int64_t j = 0; j < stage.step; ++j) {
            for (std::int64_t q = 1; q < radix; ++q) {
                const auto& [re, im] = roots[static_cast<std::size_t>(j * q * stage.blocks)];
                stage.twiddles.push_back(re);
                stage.twiddles.push_back(im);
            }
        }
        block = stage.step;
        m_stages.push_back(std::move(stage));
    }
}

template <class Real> std::int64_t Plan<Real>::position(std::int64_t frequency) const {
    std::int64_t position = 0;
    for (const Stage& stage : m_stages) {
        position += frequency % stage.radix * stage.step;
        frequency /= stage.radix;
    }
    return position;
}

template class Plan<float>;
template class Plan<double>;

void forwardColumns(const Plan<float>& plan, const Planes<const float>& from, float* beam) {
    HWY_DYNAMIC_DISPATCH(columnsForwardFloat)(plan, from, beam);
}
void forwardColumns(const Plan<double>& plan, const Planes<const double>& from, double* beam) {
    HWY_DYNAMIC_DISPATCH(columnsForwardDouble)(plan, from, beam);
}
void backwardColumns(const Plan<float>& plan, float* beam, const Planes<float>& to,
                     std::int64_t columns, std::int64_t others) {
    HWY_DYNAMIC_DISPATCH(columnsBackwardFloat)(plan, beam, to, columns, others);
}
void backwardColumns(const Plan<double>& plan, double* beam, const Planes<double>& to,
                     std::int64_t columns, std::int64_t others) {
    HWY_DYNAMIC_DISPATCH(columnsBackwardDouble)(plan, beam, to, columns, others);
}
void forward(const Plan<float>& plan, float* beam, std::int64_t step) {
    HWY_DYNAMIC_DISPATCH(beamForwardFloat)(plan, beam, step);
}
void forward(const Plan<double>& plan, double* beam, std::int64_t step) {
    HWY_DYNAMIC_DISPATCH(beamForwardDouble)(plan, beam, step);
}
void forwardConjugates(const Plan<double>& plan, double* beam, double scale, float* to) {
    HWY_DYNAMIC_DISPATCH(conjugatesToFloat)(plan, beam, scale, to);
}
void forwardConjugates(const Plan<double>& plan, double* beam, double scale, double* to) {
    HWY_DYNAMIC_DISPATCH(conjugatesToDouble)(plan, beam, scale, to);
}
void backward(const Plan<float>& plan, float* beam, std::int64_t step) {
    HWY_DYNAMIC_DISPATCH(beamBackwardFloat)(plan, beam, step);
}
void backward(const Plan<double>& plan, double* beam, std::int64_t step) {
    HWY_DYNAMIC_DISPATCH(beamBackwardDouble)(plan, beam, step);
}
void correlate(const Plan<float>& plan, float* beam, const float* templ) {
    HWY_DYNAMIC_DISPATCH(beamCorrelateFloat)(plan, beam, templ);
}
void correlate(const Plan<double>& plan, double* beam, const double* templ) {
    HWY_DYNAMIC_DISPATCH(beamCorrelateDouble)(plan, beam, templ);
}
void backwardProduct(const Plan<float>& plan, const float* spectrum, const float* templ,
                     float* beam) {
    HWY_DYNAMIC_DISPATCH(productBackwardFloat)(plan, spectrum, templ, beam);
}
void backwardProduct(const Plan<double>& plan, const double* spectrum, const double* templ,
                     double* beam) {
    HWY_DYNAMIC_DISPATCH(productBackwardDouble)(plan, spectrum, templ, beam);
}

} // namespace flcc::cpu::beam
#endif
