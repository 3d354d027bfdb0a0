#include <algorithm>
#include <cmath>
#include <cstdint>
#include <vector>

#include "engine/cpu/simd/beam.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "engine/cpu/simd/beam_order.cpp"
#include <hwy/foreach_target.h> // IWYU pragma: keep

#include <hwy/highway.h>

#include "engine/cpu/simd/butterflies.h"

// What moves the values of beams: rows into lanes, and the spectra of two real lines apart; and
// what they add up to.
HWY_BEFORE_NAMESPACE();
namespace flcc::cpu::beam::HWY_NAMESPACE {

// Halves of 64 bits of a vector.
template <class V> using Halves = hn::Repartition<std::uint64_t, hn::DFromV<V>>;

// Blocks of 128 bits: those of the same number in both vectors side by side, first the even ones.
template <class V> HWY_INLINE void exchangeBlocks(V& a, V& b) {
    const Halves<V> h;
    const hn::DFromV<V> d;
    const auto x = hn::BitCast(h, a);
    const auto y = hn::BitCast(h, b);
    a = hn::BitCast(d, hn::OddEvenBlocks(hn::SwapAdjacentBlocks(y), x));
    b = hn::BitCast(d, hn::OddEvenBlocks(y, hn::SwapAdjacentBlocks(x)));
}

// The lower halves of the blocks of both in turn, and the upper ones.
template <class V> HWY_INLINE V lowerHalves(V low, V high) {
    const Halves<V> h;
    return hn::BitCast(hn::DFromV<V>(),
                       hn::InterleaveLower(h, hn::BitCast(h, low), hn::BitCast(h, high)));
}
template <class V> HWY_INLINE V upperHalves(V low, V high) {
    const Halves<V> h;
    return hn::BitCast(hn::DFromV<V>(),
                       hn::InterleaveUpper(h, hn::BitCast(h, low), hn::BitCast(h, high)));
}

// Within every block the transpose of as many rows as it has values.
HWY_INLINE void transposeBlocks(Vector<float> (&rows)[kLanes<float>]) {
    const Tag<float> d;
    for (std::size_t i = 0; i < kLanes<float>; i += 4) {
        const auto low = hn::InterleaveLower(d, rows[i], rows[i + 1]);
        const auto high = hn::InterleaveUpper(d, rows[i], rows[i + 1]);
        const auto nextLow = hn::InterleaveLower(d, rows[i + 2], rows[i + 3]);
        const auto nextHigh = hn::InterleaveUpper(d, rows[i + 2], rows[i + 3]);
        rows[i] = lowerHalves(low, nextLow);
        rows[i + 1] = upperHalves(low, nextLow);
        rows[i + 2] = lowerHalves(high, nextHigh);
        rows[i + 3] = upperHalves(high, nextHigh);
    }
}
HWY_INLINE void transposeBlocks(Vector<double> (&rows)[kLanes<double>]) {
    for (std::size_t i = 0; i < kLanes<double>; i += 2) {
        const auto low = lowerHalves(rows[i], rows[i + 1]);
        rows[i + 1] = upperHalves(rows[i], rows[i + 1]);
        rows[i] = low;
    }
}

// As many rows as a vector has lanes become their transpose.
template <class V, std::size_t kCount> HWY_INLINE void transposeSquare(V (&rows)[kCount]) {
    const hn::DFromV<V> d;
    constexpr std::size_t kInBlock = 16 / sizeof(hn::TFromD<hn::DFromV<V>>);
    constexpr std::size_t kBlocks = kCount / kInBlock;
    transposeBlocks(rows);
    // Row kInBlock j + p now holds, of rows kInBlock j .. kInBlock j + kInBlock - 1, the columns
    // kInBlock b + p in its block b.
    if constexpr (kBlocks == 2) {
        for (std::size_t p = 0; p < kInBlock; ++p) {
            exchangeBlocks(rows[p], rows[kInBlock + p]);
        }
    } else if constexpr (kBlocks == 4) {
        for (std::size_t p = 0; p < kInBlock; ++p) {
            for (std::size_t j = 0; j < 2; ++j) {
                V& low = rows[kInBlock * j + p];
                V& high = rows[kInBlock * (j + 2) + p];
                const V both = hn::ConcatLowerLower(d, high, low);
                high = hn::ConcatUpperUpper(d, high, low);
                low = both;
            }
            exchangeBlocks(rows[p], rows[kInBlock + p]);
            exchangeBlocks(rows[2 * kInBlock + p], rows[3 * kInBlock + p]);
        }
    }
}

// kLines elements, of each kLines values, become their transpose.
template <class Real> HWY_INLINE void turnElements(const Real* from, Real* to) {
    const Tag<Real> d;
    constexpr std::size_t kCount = kLanes<Real>;
    constexpr auto kStep = signedOf(kCount);
    for (std::int64_t row = 0; row < kLines; row += kStep) {
        for (std::int64_t column = 0; column < kLines; column += kStep) {
            Vector<Real> square[kCount];
            for (std::size_t i = 0; i < kCount; ++i) {
                square[i] = hn::Load(d, from + (row + signedOf(i)) * kElement + column);
            }
            transposeSquare(square);
            for (std::size_t i = 0; i < kCount; ++i) {
                hn::Store(square[i], d, to + (column + signedOf(i)) * kElement + row);
            }
        }
    }
}

template <class Real>
HWY_INLINE void turnBeams(const Real* beams, std::int64_t apart, std::int64_t groups, Real* beam) {
    for (std::int64_t group = 0; group < groups; ++group) {
        const Real* const from = beams + group * apart;
        Real* const to = beam + group * kLines * kElement;
        turnElements(from, to);
        turnElements(from + kLines, to + kLines);
    }
}
void turnFloat(const float* beams, std::int64_t apart, std::int64_t groups, float* beam) {
    turnBeams(beams, apart, groups, beam);
}
void turnDouble(const double* beams, std::int64_t apart, std::int64_t groups, double* beam) {
    turnBeams(beams, apart, groups, beam);
}

template <class Real>
HWY_INLINE void turnBeamsBack(const Real* beam, std::int64_t groups, Real* beams,
                              std::int64_t apart) {
    for (std::int64_t group = 0; group < groups; ++group) {
        const Real* const from = beam + group * kLines * kElement;
        Real* const to = beams + group * apart;
        turnElements(from, to);
        turnElements(from + kLines, to + kLines);
    }
}
void turnFloatBack(const float* beam, std::int64_t groups, float* beams, std::int64_t apart) {
    turnBeamsBack(beam, groups, beams, apart);
}
void turnDoubleBack(const double* beam, std::int64_t groups, double* beams, std::int64_t apart) {
    turnBeamsBack(beam, groups, beams, apart);
}

// A = Z(k) + conj Z(-k) and B = -i (Z(k) - conj Z(-k)) of all lanes, and back.
template <class Real>
HWY_INLINE void halves(const Real* beam, const std::vector<Conjugates>& places, Real* real,
                       Real* imaginary) {
    const Tag<Real> d;
    constexpr auto kStep = signedOf(kLanes<Real>);
    for (const Conjugates& place : places) {
        const Real* const z = beam + place.at * kElement;
        const Real* const mirrored = beam + place.mirrored * kElement;
        for (std::int64_t lane = 0; lane < kLines; lane += kStep) {
            const auto re = hn::Load(d, z + lane);
            const auto im = hn::Load(d, z + kLines + lane);
            const auto mirroredRe = hn::Load(d, mirrored + lane);
            const auto mirroredIm = hn::Load(d, mirrored + kLines + lane);
            hn::Store(hn::Add(re, mirroredRe), d, real + lane);
            hn::Store(hn::Sub(im, mirroredIm), d, real + kLines + lane);
            hn::Store(hn::Add(im, mirroredIm), d, imaginary + lane);
            hn::Store(hn::Sub(mirroredRe, re), d, imaginary + kLines + lane);
        }
        real += kElement;
        imaginary += kElement;
    }
}
void halvesOfFloat(const float* beam, const std::vector<Conjugates>& places, float* real,
                   float* imaginary) {
    halves(beam, places, real, imaginary);
}
void halvesOfDouble(const double* beam, const std::vector<Conjugates>& places, double* real,
                    double* imaginary) {
    halves(beam, places, real, imaginary);
}
template <class Real>
HWY_INLINE void whole(const Real* real, const Real* imaginary,
                      const std::vector<Conjugates>& places, Real* beam) {
    const Tag<Real> d;
    constexpr auto kStep = signedOf(kLanes<Real>);
    for (const Conjugates& place : places) {
        Real* const z = beam + place.at * kElement;
        Real* const mirrored = beam + place.mirrored * kElement;
        for (std::int64_t lane = 0; lane < kLines; lane += kStep) {
            const auto aRe = hn::Load(d, real + lane);
            const auto aIm = hn::Load(d, real + kLines + lane);
            const auto bRe = hn::Load(d, imaginary + lane);
            const auto bIm = hn::Load(d, imaginary + kLines + lane);
            // Where both are one place either does: imaginary parts are rounding errors there.
            hn::Store(hn::Add(aRe, bIm), d, mirrored + lane);
            hn::Store(hn::Sub(bRe, aIm), d, mirrored + kLines + lane);
            hn::Store(hn::Sub(aRe, bIm), d, z + lane);
            hn::Store(hn::Add(bRe, aIm), d, z + kLines + lane);
        }
        real += kElement;
        imaginary += kElement;
    }
}
void wholeOfFloat(const float* real, const float* imaginary, const std::vector<Conjugates>& places,
                  float* beam) {
    whole(real, imaginary, places, beam);
}
void wholeOfDouble(const double* real, const double* imaginary,
                   const std::vector<Conjugates>& places, double* beam) {
    whole(real, imaginary, places, beam);
}

template <class Real>
HWY_INLINE void energiesOf(const Real* half, std::int64_t length, Real* sums) {
    const Tag<Real> d;
    constexpr auto kStep = signedOf(kLanes<Real>);
    const Real* const last = half + length / 2 * kElement;
    for (std::int64_t lane = 0; lane < kLines; lane += kStep) {
        const auto square = [&](const Real* element) {
            const auto re = hn::Load(d, element + lane);
            const auto im = hn::Load(d, element + kLines + lane);
            return hn::MulAdd(re, re, hn::Mul(im, im));
        };
        // Those between have conjugates.
        auto between = hn::Zero(d);
        for (const Real* element = half + kElement; element < last; element += kElement) {
            between = hn::Add(between, square(element));
        }
        auto sum = hn::Add(square(half), hn::Add(between, between));
        if (length > 1) {
            const auto end = square(last);
            sum = hn::Add(sum, length % 2 == 0 ? end : hn::Add(end, end));
        }
        hn::Store(sum, d, sums + lane);
    }
}
void energiesOfFloat(const float* half, std::int64_t length, float* sums) {
    energiesOf(half, length, sums);
}
void energiesOfDouble(const double* half, std::int64_t length, double* sums) {
    energiesOf(half, length, sums);
}

template <class Real>
HWY_INLINE Real largestOf(const Real* box, std::int64_t rowStride, std::int64_t rows,
                          std::int64_t columns) {
    const Tag<Real> d;
    constexpr auto kStep = signedOf(kLanes<Real>);
    auto most = hn::Zero(d);
    Real rest = 0;
    for (std::int64_t y = 0; y < rows; ++y) {
        const Real* const row = box + y * rowStride;
        std::int64_t x = 0;
        for (; x + kStep <= columns; x += kStep) {
            most = hn::Max(most, hn::Abs(hn::LoadU(d, row + x)));
        }
        for (; x < columns; ++x) {
            rest = std::max(rest, std::abs(row[x]));
        }
    }
    return std::max(rest, hn::GetLane(hn::MaxOfLanes(d, most)));
}
float largestFloat(const float* box, std::int64_t rowStride, std::int64_t rows,
                   std::int64_t columns) {
    return largestOf(box, rowStride, rows, columns);
}
double largestDouble(const double* box, std::int64_t rowStride, std::int64_t rows,
                     std::int64_t columns) {
    return largestOf(box, rowStride, rows, columns);
}

HWY_INLINE void storeAs(Vector<double> v, double* to) { hn::Store(v, Tag<double>(), to); }
HWY_INLINE void storeAs(Vector<double> v, float* to) {
    const hn::Rebind<float, Tag<double>> narrow;
    hn::Store(hn::DemoteTo(narrow, v), narrow, to);
}

template <class To>
HWY_INLINE void conjugatesOf(const double* beam, std::int64_t count, double scale, To* to) {
    const Tag<double> d;
    constexpr auto kStep = signedOf(kLanes<double>);
    const auto re = hn::Set(d, scale);
    const auto im = hn::Set(d, -scale);
    for (std::int64_t element = 0; element < count; element += kElement) {
        for (std::int64_t lane = element; lane < element + kLines; lane += kStep) {
            storeAs(hn::Mul(re, hn::Load(d, beam + lane)), to + lane);
            storeAs(hn::Mul(im, hn::Load(d, beam + lane + kLines)), to + lane + kLines);
        }
    }
}
void conjugatesToFloat(const double* beam, std::int64_t count, double scale, float* to) {
    conjugatesOf(beam, count, scale, to);
}
void conjugatesToDouble(const double* beam, std::int64_t count, double scale, double* to) {
    conjugatesOf(beam, count, scale, to);
}

template <class Real>
HWY_INLINE void addProducts(const Real* templ, const Real* beam, std::int64_t count, Real* sum) {
    const Tag<Real> d;
    constexpr auto kStep = signedOf(kLanes<Real>);
    for (std::int64_t element = 0; element < count; element += kElement) {
        for (std::int64_t lane = element; lane < element + kLines; lane += kStep) {
            const auto aRe = hn::Load(d, templ + lane);
            const auto aIm = hn::Load(d, templ + lane + kLines);
            const auto bRe = hn::Load(d, beam + lane);
            const auto bIm = hn::Load(d, beam + lane + kLines);
            const auto re = hn::MulAdd(aRe, bRe, hn::Load(d, sum + lane));
            const auto im = hn::MulAdd(aRe, bIm, hn::Load(d, sum + lane + kLines));
            hn::Store(hn::NegMulAdd(aIm, bIm, re), d, sum + lane);
            hn::Store(hn::MulAdd(aIm, bRe, im), d, sum + lane + kLines);
        }
    }
}
void addProductsFloat(const float* templ, const float* beam, std::int64_t count, float* sum) {
    addProducts(templ, beam, count, sum);
}
void addProductsDouble(const double* templ, const double* beam, std::int64_t count, double* sum) {
    addProducts(templ, beam, count, sum);
}

} // namespace flcc::cpu::beam::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace flcc::cpu::beam {

HWY_EXPORT(turnFloat);
HWY_EXPORT(turnDouble);
HWY_EXPORT(turnFloatBack);
HWY_EXPORT(turnDoubleBack);
HWY_EXPORT(halvesOfFloat);
HWY_EXPORT(halvesOfDouble);
HWY_EXPORT(wholeOfFloat);
HWY_EXPORT(wholeOfDouble);
HWY_EXPORT(energiesOfFloat);
HWY_EXPORT(energiesOfDouble);
HWY_EXPORT(largestFloat);
HWY_EXPORT(largestDouble);
HWY_EXPORT(conjugatesToFloat);
HWY_EXPORT(conjugatesToDouble);
HWY_EXPORT(addProductsFloat);
HWY_EXPORT(addProductsDouble);

void turn(const float* beams, std::int64_t apart, std::int64_t groups, float* beam) {
    HWY_DYNAMIC_DISPATCH(turnFloat)(beams, apart, groups, beam);
}
void turn(const double* beams, std::int64_t apart, std::int64_t groups, double* beam) {
    HWY_DYNAMIC_DISPATCH(turnDouble)(beams, apart, groups, beam);
}
void turnBack(const float* beam, std::int64_t groups, float* beams, std::int64_t apart) {
    HWY_DYNAMIC_DISPATCH(turnFloatBack)(beam, groups, beams, apart);
}
void turnBack(const double* beam, std::int64_t groups, double* beams, std::int64_t apart) {
    HWY_DYNAMIC_DISPATCH(turnDoubleBack)(beam, groups, beams, apart);
}
void takeApart(const float* beam, const std::vector<Conjugates>& places, float* real,
               float* imaginary) {
    HWY_DYNAMIC_DISPATCH(halvesOfFloat)(beam, places, real, imaginary);
}
void takeApart(const double* beam, const std::vector<Conjugates>& places, double* real,
               double* imaginary) {
    HWY_DYNAMIC_DISPATCH(halvesOfDouble)(beam, places, real, imaginary);
}
void putTogether(const float* real, const float* imaginary, const std::vector<Conjugates>& places,
                 float* beam) {
    HWY_DYNAMIC_DISPATCH(wholeOfFloat)(real, imaginary, places, beam);
}
void putTogether(const double* real, const double* imaginary, const std::vector<Conjugates>& places,
                 double* beam) {
    HWY_DYNAMIC_DISPATCH(wholeOfDouble)(real, imaginary, places, beam);
}
void energies(const float* half, std::int64_t length, float* sums) {
    HWY_DYNAMIC_DISPATCH(energiesOfFloat)(half, length, sums);
}
void energies(const double* half, std::int64_t length, double* sums) {
    HWY_DYNAMIC_DISPATCH(energiesOfDouble)(half, length, sums);
}
float largest(const float* box, std::int64_t rowStride, std::int64_t rows, std::int64_t columns) {
    return HWY_DYNAMIC_DISPATCH(largestFloat)(box, rowStride, rows, columns);
}
double largest(const double* box, std::int64_t rowStride, std::int64_t rows, std::int64_t columns) {
    return HWY_DYNAMIC_DISPATCH(largestDouble)(box, rowStride, rows, columns);
}
void storeConjugates(const double* beam, std::int64_t count, double scale, float* to) {
    HWY_DYNAMIC_DISPATCH(conjugatesToFloat)(beam, count, scale, to);
}
void storeConjugates(const double* beam, std::int64_t count, double scale, double* to) {
    HWY_DYNAMIC_DISPATCH(conjugatesToDouble)(beam, count, scale, to);
}
void addProduct(const float* templ, const float* beam, std::int64_t count, float* sum) {
    HWY_DYNAMIC_DISPATCH(addProductsFloat)(templ, beam, count, sum);
}
void addProduct(const double* templ, const double* beam, std::int64_t count, double* sum) {
    HWY_DYNAMIC_DISPATCH(addProductsDouble)(templ, beam, count, sum);
}

} // namespace flcc::cpu::beam
#endif
