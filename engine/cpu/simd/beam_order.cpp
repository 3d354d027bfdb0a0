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

// Rearranges beams: moves rows into lanes and separates the spectra of two real lines. Also sums
// energies of lines.
HWY_BEFORE_NAMESPACE();
namespace flcc::cpu::beam::HWY_NAMESPACE {

// The vector type with 64-bit elements.
template <class V> using Halves = hn::Repartition<std::uint64_t, hn::DFromV<V>>;

// Interleaves the 128-bit blocks of two vectors: `a` gets the even blocks of both, `b` the odd
// ones.
template <class V> HWY_INLINE void exchangeBlocks(V& a, V& b) {
    const Halves<V> h;
    const hn::DFromV<V> d;
    const auto x = hn::BitCast(h, a);
    const auto y = hn::BitCast(h, b);
    a = hn::BitCast(d, hn::OddEvenBlocks(hn::SwapAdjacentBlocks(y), x));
    b = hn::BitCast(d, hn::OddEvenBlocks(y, hn::SwapAdjacentBlocks(x)));
}

// Interleaves the lower, or the upper, 64-bit halves of the blocks of two vectors.
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

// Transposes, within every block, a square of as many rows as a block has values.
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

// Transposes a square of as many rows as a vector has lanes.
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

// Transposes kLines values of each of kLines elements.
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

// Sums the energies of kLines lines from the squares of half of their frequencies.
template <class Real> class LineEnergies {
  public:
    HWY_INLINE LineEnergies() {
        for (auto& sum : m_sums) {
            sum = hn::Zero(Tag<Real>());
        }
    }
    // A frequency that is not its own negative counts twice, for its conjugate.
    HWY_INLINE void add(std::int64_t lane, Vector<Real> re, Vector<Real> im,
                        const Conjugates& place) {
        const auto square = hn::MulAdd(re, re, hn::Mul(im, im));
        auto& sum = m_sums[static_cast<std::size_t>(lane) / kLanes<Real>];
        sum = hn::MulAdd(hn::Set(Tag<Real>(), place.at == place.mirrored ? Real{1} : Real{2}),
                         square, sum);
    }
    HWY_INLINE void store(Real* sums) const {
        for (std::size_t i = 0; i < kVectors; ++i) {
            hn::StoreU(m_sums[i], Tag<Real>(), sums + i * kLanes<Real>);
        }
    }

  private:
    static constexpr std::size_t kVectors = static_cast<std::size_t>(kLines) / kLanes<Real>;
    Vector<Real> m_sums[kVectors];
};

// Calls `visit` with two functions that add the energies of the real and of the imaginary half. The
// energies go to `sums`, if it is not null.
template <class Real, class Visit> HWY_INLINE void withEnergies(Real* sums, Visit&& visit) {
    if (sums == nullptr) {
        visit([](auto&&...) {}, [](auto&&...) {});
        return;
    }
    LineEnergies<Real> real;
    LineEnergies<Real> imaginary;
    visit([&](auto&&... square) { real.add(square...); },
          [&](auto&&... square) { imaginary.add(square...); });
    real.store(sums);
    imaginary.store(sums + kLines);
}

// takeApart(): A = Z(k) + conj Z(-k) and B = -i (Z(k) - conj Z(-k)) in all lanes. whole() is the
// way back.
template <class Real>
HWY_INLINE void halves(const Real* beam, const std::vector<Conjugates>& places, Real* real,
                       Real* imaginary, Real* sums) {
    const Tag<Real> d;
    constexpr auto kStep = signedOf(kLanes<Real>);
    withEnergies(sums, [&](auto&& countReal, auto&& countImaginary) {
        Real* a = real;
        Real* b = imaginary;
        for (const Conjugates& place : places) {
            const Real* const z = beam + place.at * kElement;
            const Real* const mirrored = beam + place.mirrored * kElement;
            for (std::int64_t lane = 0; lane < kLines; lane += kStep) {
                const auto re = hn::Load(d, z + lane);
                const auto im = hn::Load(d, z + kLines + lane);
                const auto mirroredRe = hn::Load(d, mirrored + lane);
                const auto mirroredIm = hn::Load(d, mirrored + kLines + lane);
                const auto aRe = hn::Add(re, mirroredRe);
                const auto aIm = hn::Sub(im, mirroredIm);
                const auto bRe = hn::Add(im, mirroredIm);
                const auto bIm = hn::Sub(mirroredRe, re);
                hn::Store(aRe, d, a + lane);
                hn::Store(aIm, d, a + kLines + lane);
                hn::Store(bRe, d, b + lane);
                hn::Store(bIm, d, b + kLines + lane);
                countReal(lane, aRe, aIm, place);
                countImaginary(lane, bRe, bIm, place);
            }
            a += kElement;
            b += kElement;
        }
    });
}
void halvesOfFloat(const float* beam, const std::vector<Conjugates>& places, float* real,
                   float* imaginary, float* sums) {
    halves(beam, places, real, imaginary, sums);
}
void halvesOfDouble(const double* beam, const std::vector<Conjugates>& places, double* real,
                    double* imaginary, double* sums) {
    halves(beam, places, real, imaginary, sums);
}
template <class Real>
HWY_INLINE void whole(const Real* real, const Real* imaginary,
                      const std::vector<Conjugates>& places, Real* beam, Real* sums) {
    const Tag<Real> d;
    constexpr auto kStep = signedOf(kLanes<Real>);
    withEnergies(sums, [&](auto&& countReal, auto&& countImaginary) {
        const Real* a = real;
        const Real* b = imaginary;
        for (const Conjugates& place : places) {
            Real* const z = beam + place.at * kElement;
            Real* const mirrored = beam + place.mirrored * kElement;
            for (std::int64_t lane = 0; lane < kLines; lane += kStep) {
                const auto aRe = hn::Load(d, a + lane);
                const auto aIm = hn::Load(d, a + kLines + lane);
                const auto bRe = hn::Load(d, b + lane);
                const auto bIm = hn::Load(d, b + kLines + lane);
                // If both places are one, either store is right: imaginary parts are rounding
                // errors there.
                hn::Store(hn::Add(aRe, bIm), d, mirrored + lane);
                hn::Store(hn::Sub(bRe, aIm), d, mirrored + kLines + lane);
                hn::Store(hn::Sub(aRe, bIm), d, z + lane);
                hn::Store(hn::Add(bRe, aIm), d, z + kLines + lane);
                countReal(lane, aRe, aIm, place);
                countImaginary(lane, bRe, bIm, place);
            }
            a += kElement;
            b += kElement;
        }
    });
}
void wholeOfFloat(const float* real, const float* imaginary, const std::vector<Conjugates>& places,
                  float* beam, float* sums) {
    whole(real, imaginary, places, beam, sums);
}
void wholeOfDouble(const double* real, const double* imaginary,
                   const std::vector<Conjugates>& places, double* beam, double* sums) {
    whole(real, imaginary, places, beam, sums);
}

template <class Real>
HWY_INLINE void energiesOf(const Real* half, const std::vector<Conjugates>& places, Real* sums) {
    const Tag<Real> d;
    constexpr auto kStep = signedOf(kLanes<Real>);
    LineEnergies<Real> energies;
    for (const Conjugates& place : places) {
        for (std::int64_t lane = 0; lane < kLines; lane += kStep) {
            energies.add(lane, hn::Load(d, half + lane), hn::Load(d, half + kLines + lane), place);
        }
        half += kElement;
    }
    energies.store(sums);
}
void energiesOfFloat(const float* half, const std::vector<Conjugates>& places, float* sums) {
    energiesOf(half, places, sums);
}
void energiesOfDouble(const double* half, const std::vector<Conjugates>& places, double* sums) {
    energiesOf(half, places, sums);
}

template <class Real>
HWY_INLINE Crossing<Real> crossingOf(const base::View<const Real>& box, Real* sums) {
    const Tag<Real> d;
    constexpr auto kStep = signedOf(kLanes<Real>);
    const base::Extents& n = box.extents();
    const std::int64_t whole = n.x / kStep * kStep;
    Crossing<Real> most;
    for (std::int64_t y = 0; y < n.y; ++y) {
        std::fill_n(sums, n.z > 1 ? n.x : 0, Real{0});
        for (std::int64_t z = 0; z < n.z; ++z) {
            const Real* const row = box.row(y, z);
            auto squares = hn::Zero(d);
            Real rest = 0;
            for (std::int64_t i = 0; i < whole; i += kStep) {
                const auto v = hn::LoadU(d, row + i);
                squares = hn::MulAdd(v, v, squares);
                if (n.z > 1) {
                    hn::StoreU(hn::MulAdd(v, v, hn::LoadU(d, sums + i)), d, sums + i);
                }
            }
            for (std::int64_t i = whole; i < n.x; ++i) {
                rest += row[i] * row[i];
                if (n.z > 1) {
                    sums[i] += row[i] * row[i];
                }
            }
            most.row = std::max(most.row, rest + hn::GetLane(hn::SumOfLanes(d, squares)));
        }
        if (n.z > 1) {
            most.pillar = std::max(most.pillar, *std::max_element(sums, sums + n.x));
        }
    }
    return most;
}
Crossing<float> crossingFloat(const base::View<const float>& box, float* sums) {
    return crossingOf(box, sums);
}
Crossing<double> crossingDouble(const base::View<const double>& box, double* sums) {
    return crossingOf(box, sums);
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
HWY_EXPORT(crossingFloat);
HWY_EXPORT(crossingDouble);
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
               float* imaginary, float* sums) {
    HWY_DYNAMIC_DISPATCH(halvesOfFloat)(beam, places, real, imaginary, sums);
}
void takeApart(const double* beam, const std::vector<Conjugates>& places, double* real,
               double* imaginary, double* sums) {
    HWY_DYNAMIC_DISPATCH(halvesOfDouble)(beam, places, real, imaginary, sums);
}
void putTogether(const float* real, const float* imaginary, const std::vector<Conjugates>& places,
                 float* beam, float* sums) {
    HWY_DYNAMIC_DISPATCH(wholeOfFloat)(real, imaginary, places, beam, sums);
}
void putTogether(const double* real, const double* imaginary, const std::vector<Conjugates>& places,
                 double* beam, double* sums) {
    HWY_DYNAMIC_DISPATCH(wholeOfDouble)(real, imaginary, places, beam, sums);
}
void energies(const float* half, const std::vector<Conjugates>& places, float* sums) {
    HWY_DYNAMIC_DISPATCH(energiesOfFloat)(half, places, sums);
}
void energies(const double* half, const std::vector<Conjugates>& places, double* sums) {
    HWY_DYNAMIC_DISPATCH(energiesOfDouble)(half, places, sums);
}
Crossing<float> crossing(const base::View<const float>& box, float* sums) {
    return HWY_DYNAMIC_DISPATCH(crossingFloat)(box, sums);
}
Crossing<double> crossing(const base::View<const double>& box, double* sums) {
    return HWY_DYNAMIC_DISPATCH(crossingDouble)(box, sums);
}
void addProduct(const float* templ, const float* beam, std::int64_t count, float* sum) {
    HWY_DYNAMIC_DISPATCH(addProductsFloat)(templ, beam, count, sum);
}
void addProduct(const double* templ, const double* beam, std::int64_t count, double* sum) {
    HWY_DYNAMIC_DISPATCH(addProductsDouble)(templ, beam, count, sum);
}

} // namespace flcc::cpu::beam
#endif
