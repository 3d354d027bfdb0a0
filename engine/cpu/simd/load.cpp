#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "engine/cpu/simd/load.cpp"
#include <hwy/foreach_target.h> // IWYU pragma: keep

#include <hwy/highway.h>

#include "engine/cpu/simd/kernels.h"

HWY_BEFORE_NAMESPACE();
namespace flcc::cpu::simd::HWY_NAMESPACE {

namespace hn = hwy::HWY_NAMESPACE;

// Integers have no rounding and no NaN: the plain loop is vectorised by the compiler.
template <class T> RowFacts integerFacts(const T* row, std::int64_t count) {
    std::int64_t sum = 0;
    T minimum = std::numeric_limits<T>::max();
    T maximum = std::numeric_limits<T>::min();
    constexpr std::int64_t kRun = 16384; // a run's sum fits 32 bits
    for (std::int64_t from = 0; from < count; from += kRun) {
        const std::int64_t to = from + kRun < count ? from + kRun : count;
        std::int32_t part = 0;
        for (std::int64_t i = from; i < to; ++i) {
            part += row[i];
            minimum = row[i] < minimum ? row[i] : minimum;
            maximum = row[i] > maximum ? row[i] : maximum;
        }
        sum += part;
    }
    return {static_cast<double>(sum), static_cast<double>(minimum), static_cast<double>(maximum),
            0};
}

template <class T, class Real>
void loadInteger(const T* row, std::int64_t count, double reference, Real scale, Real* out) {
    const auto c = static_cast<std::int32_t>(reference);
    for (std::int64_t i = 0; i < count; ++i) {
        out[i] = static_cast<Real>(static_cast<std::int32_t>(row[i]) - c) * scale;
    }
}

RowFacts factsU8(const std::uint8_t* row, std::int64_t count) { return integerFacts(row, count); }
RowFacts factsU16(const std::uint16_t* row, std::int64_t count) { return integerFacts(row, count); }
RowFacts factsI16(const std::int16_t* row, std::int64_t count) { return integerFacts(row, count); }

void loadU8(const std::uint8_t* row, std::int64_t n, double c, float scale, float* out) {
    loadInteger(row, n, c, scale, out);
}
void loadU16(const std::uint16_t* row, std::int64_t n, double c, float scale, float* out) {
    loadInteger(row, n, c, scale, out);
}
void loadI16(const std::int16_t* row, std::int64_t n, double c, float scale, float* out) {
    loadInteger(row, n, c, scale, out);
}
void loadU8Double(const std::uint8_t* row, std::int64_t n, double c, double scale, double* out) {
    loadInteger(row, n, c, scale, out);
}
void loadU16Double(const std::uint16_t* row, std::int64_t n, double c, double scale, double* out) {
    loadInteger(row, n, c, scale, out);
}
void loadI16Double(const std::int16_t* row, std::int64_t n, double c, double scale, double* out) {
    loadInteger(row, n, c, scale, out);
}

// The last `count` voxels of a row in a vector, the other lanes 0. (MaskedLoad reads whole aligned
// vectors on some instruction sets.)
template <class D> hn::Vec<D> loadCut(D d, const float* row, std::int64_t count) {
    HWY_ALIGN float cut[hn::MaxLanes(D())] = {};
    std::copy_n(row, count, cut);
    return hn::Load(d, cut);
}

// The facts of a run, if all of it is finite: else its sum is not.
RowFacts factsOfFinite(const float* row, std::int64_t count) {
    const hn::ScalableTag<float> d;
    const hn::Half<decltype(d)> half;
    const hn::Repartition<double, decltype(d)> dd;
    const auto lanes = static_cast<std::int64_t>(hn::Lanes(d));
    auto low = hn::Zero(dd);
    auto high = hn::Zero(dd);
    auto minimum = hn::Set(d, row[0]);
    auto maximum = minimum;
    std::int64_t i = 0;
    for (; i + lanes <= count; i += lanes) {
        const auto v = hn::LoadU(d, row + i);
        low = hn::Add(low, hn::PromoteTo(dd, hn::LowerHalf(half, v)));
        high = hn::Add(high, hn::PromoteTo(dd, hn::UpperHalf(half, v)));
        minimum = hn::Min(minimum, v);
        maximum = hn::Max(maximum, v);
    }
    double sum = hn::GetLane(hn::SumOfLanes(dd, hn::Add(low, high)));
    float least = hn::GetLane(hn::MinOfLanes(d, minimum));
    float most = hn::GetLane(hn::MaxOfLanes(d, maximum));
    for (; i < count; ++i) {
        sum += static_cast<double>(row[i]);
        least = std::min(least, row[i]);
        most = std::max(most, row[i]);
    }
    return {sum, static_cast<double>(least), static_cast<double>(most), 0};
}

RowFacts factsF32(const float* row, std::int64_t count) {
    if (count > 0) {
        const RowFacts facts = factsOfFinite(row, count);
        if (facts.sum - facts.sum == 0) {
            return facts;
        }
    }
    const hn::ScalableTag<float> d;
    const hn::Half<decltype(d)> half;
    const hn::Repartition<double, decltype(d)> dd;
    const auto lanes = static_cast<std::int64_t>(hn::Lanes(d));
    const auto huge = hn::Set(d, std::numeric_limits<float>::max());
    auto low = hn::Zero(dd);
    auto high = hn::Zero(dd);
    auto minimum = hn::Set(d, std::numeric_limits<float>::infinity());
    auto maximum = hn::Set(d, -std::numeric_limits<float>::infinity());
    std::int64_t finite = 0;
    for (std::int64_t i = 0; i < count; i += lanes) {
        // The last vector is cut: its other lanes are 0 and no part of the run.
        const bool whole = i + lanes <= count;
        const auto inside = hn::FirstN(d, static_cast<std::size_t>(count - i));
        const auto v = whole ? hn::LoadU(d, row + i) : loadCut(d, row + i, count - i);
        auto good = hn::Le(hn::Abs(v), huge);
        if (!whole) {
            good = hn::And(good, inside);
        }
        finite += static_cast<std::int64_t>(hn::CountTrue(d, good));
        const auto kept = hn::IfThenElseZero(good, v);
        low = hn::Add(low, hn::PromoteTo(dd, hn::LowerHalf(half, kept)));
        high = hn::Add(high, hn::PromoteTo(dd, hn::UpperHalf(half, kept)));
        minimum = hn::IfThenElse(good, hn::Min(minimum, v), minimum);
        maximum = hn::IfThenElse(good, hn::Max(maximum, v), maximum);
    }
    RowFacts facts;
    facts.sum = hn::GetLane(hn::SumOfLanes(dd, hn::Add(low, high)));
    const float least = hn::GetLane(hn::MinOfLanes(d, minimum));
    const float most = hn::GetLane(hn::MaxOfLanes(d, maximum));
    facts.minimum = static_cast<double>(least);
    facts.maximum = static_cast<double>(most);
    facts.nonFinite = count - finite;
    return facts;
}

void loadF32(const float* row, std::int64_t count, double reference, float scale, float* out) {
    const hn::ScalableTag<float> d;
    const auto lanes = static_cast<std::int64_t>(hn::Lanes(d));
    const auto c = hn::Set(d, static_cast<float>(reference));
    const auto s = hn::Set(d, scale);
    const auto huge = hn::Set(d, std::numeric_limits<float>::max());
    const auto centre = [&](hn::Vec<decltype(d)> v) {
        return hn::IfThenElseZero(hn::Le(hn::Abs(v), huge), hn::Mul(hn::Sub(v, c), s));
    };
    std::int64_t i = 0;
    for (; i + lanes <= count; i += lanes) {
        hn::StoreU(centre(hn::LoadU(d, row + i)), d, out + i);
    }
    if (i < count) {
        HWY_ALIGN float cut[hn::MaxLanes(hn::ScalableTag<float>())];
        hn::Store(centre(loadCut(d, row + i, count - i)), d, cut);
        std::copy_n(cut, count - i, out + i);
    }
}

template <class V> void addBits(V seen, std::uint32_t& bits) {
    const hn::DFromV<V> di;
    HWY_ALIGN std::int32_t each[hn::MaxLanes(hn::DFromV<V>())];
    hn::Store(seen, di, each);
    for (const std::int32_t lane : each) {
        bits |= static_cast<std::uint32_t>(lane);
    }
}

// Whether all voxels are finite multiples of 2^exponent, which is far from the limits of a float.
bool allOnGrid(const float* row, std::int64_t count, int exponent, std::uint32_t& bits) {
    const hn::ScalableTag<float> d;
    const hn::RebindToSigned<decltype(d)> di;
    const auto lanes = static_cast<std::int64_t>(hn::Lanes(d));
    const auto down = hn::Set(d, std::ldexp(1.0F, -exponent));
    const auto up = hn::Set(d, std::ldexp(1.0F, exponent));
    auto seen = hn::Zero(di);
    auto differences = hn::Zero(d);
    for (std::int64_t i = 0; i < count; i += lanes) {
        const auto v = i + lanes <= count ? hn::LoadU(d, row + i) : loadCut(d, row + i, count - i);
        const auto steps = hn::ConvertTo(di, hn::Mul(v, down));
        differences = hn::Or(differences, hn::Xor(hn::Mul(hn::ConvertTo(d, steps), up), v));
        seen = hn::Or(seen, steps);
    }
    // The sign of a zero is no difference.
    if (!hn::AllTrue(d, hn::Eq(differences, hn::Zero(d)))) {
        return false;
    }
    addBits(seen, bits);
    return true;
}

void loadF32Double(const float* row, std::int64_t count, double reference, double scale,
                   double* out) {
    const hn::ScalableTag<double> d;
    const hn::Rebind<float, decltype(d)> df;
    const auto lanes = static_cast<std::int64_t>(hn::Lanes(d));
    const auto c = hn::Set(d, reference);
    const auto s = hn::Set(d, scale);
    const auto huge = hn::Set(d, static_cast<double>(std::numeric_limits<float>::max()));
    std::int64_t i = 0;
    for (; i + lanes <= count; i += lanes) {
        const auto v = hn::PromoteTo(d, hn::LoadU(df, row + i));
        const auto x = hn::Mul(hn::Sub(v, c), s);
        hn::StoreU(hn::IfThenElseZero(hn::Le(hn::Abs(v), huge), x), d, out + i);
    }
    for (; i < count; ++i) {
        const double x = (static_cast<double>(row[i]) - reference) * scale;
        out[i] = x - x == 0 ? x : 0.0;
    }
}

bool onGrid(const float* row, std::int64_t count, double quantum, std::uint32_t& bits) {
    const hn::ScalableTag<float> d;
    const hn::RebindToSigned<decltype(d)> di;
    const auto lanes = static_cast<std::int64_t>(hn::Lanes(d));
    // Two factors, as 1 / quantum alone may be beyond a float.
    const int exponent = std::ilogb(quantum);
    constexpr int kFar = 90; // the largest int times 2^90 is no infinity
    if (std::abs(exponent) < kFar && allOnGrid(row, count, exponent, bits)) {
        return true;
    }
    const int half = exponent / 2;
    const auto power = [&](int of) { return hn::Set(d, std::ldexp(1.0F, of)); };
    const auto down = power(-half);
    const auto downRest = power(half - exponent);
    const auto up = power(half);
    const auto upRest = power(exponent - half);
    const auto huge = hn::Set(d, std::numeric_limits<float>::max());
    auto seen = hn::Zero(di);
    for (std::int64_t i = 0; i < count; i += lanes) {
        const auto read =
            i + lanes <= count ? hn::LoadU(d, row + i) : loadCut(d, row + i, count - i);
        const auto v = hn::IfThenElseZero(hn::Le(hn::Abs(read), huge), read);
        const auto steps = hn::ConvertTo(di, hn::Mul(hn::Mul(v, down), downRest));
        const auto back = hn::Mul(hn::Mul(hn::ConvertTo(d, steps), up), upRest);
        if (!hn::AllTrue(d, hn::Eq(back, v))) {
            return false;
        }
        seen = hn::Or(seen, steps);
    }
    addBits(seen, bits);
    return true;
}

void pairsOf(const float* x, std::int64_t count, float steps, std::int32_t* out) {
    const hn::ScalableTag<float> d;
    const hn::RebindToSigned<decltype(d)> di;
    const auto lanes = static_cast<std::int64_t>(hn::Lanes(d));
    const auto scale = hn::Set(d, steps);
    const auto low = hn::Set(di, 0xffff);
    for (std::int64_t i = 0; i < count; i += lanes) {
        const auto here = hn::ConvertTo(di, hn::Mul(hn::LoadU(d, x + i), scale));
        const auto next = hn::ConvertTo(di, hn::Mul(hn::LoadU(d, x + i + 1), scale));
        hn::StoreU(hn::Or(hn::And(here, low), hn::ShiftLeft<16>(next)), di, out + i);
    }
}

void stepsOf(const float* x, std::int64_t count, float steps, std::int16_t* out) {
    const hn::ScalableTag<float> d;
    const hn::RebindToSigned<decltype(d)> di;
    const hn::Rebind<std::int16_t, decltype(d)> narrow;
    const auto lanes = static_cast<std::int64_t>(hn::Lanes(d));
    const auto scale = hn::Set(d, steps);
    for (std::int64_t i = 0; i < count; i += lanes) {
        const auto here = hn::ConvertTo(di, hn::Mul(hn::LoadU(d, x + i), scale));
        hn::StoreU(hn::DemoteTo(narrow, here), narrow, out + i);
    }
}

} // namespace flcc::cpu::simd::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace flcc::cpu::simd {

HWY_EXPORT(factsF32);
HWY_EXPORT(factsU8);
HWY_EXPORT(factsU16);
HWY_EXPORT(factsI16);
HWY_EXPORT(loadF32);
HWY_EXPORT(loadU8);
HWY_EXPORT(loadU16);
HWY_EXPORT(loadI16);
HWY_EXPORT(loadF32Double);
HWY_EXPORT(loadU8Double);
HWY_EXPORT(loadU16Double);
HWY_EXPORT(loadI16Double);
HWY_EXPORT(onGrid);
HWY_EXPORT(pairsOf);
HWY_EXPORT(stepsOf);

RowFacts rowFacts(const float* row, std::int64_t count) {
    return HWY_DYNAMIC_DISPATCH(factsF32)(row, count);
}
RowFacts rowFacts(const std::uint8_t* row, std::int64_t count) {
    return HWY_DYNAMIC_DISPATCH(factsU8)(row, count);
}
RowFacts rowFacts(const std::uint16_t* row, std::int64_t count) {
    return HWY_DYNAMIC_DISPATCH(factsU16)(row, count);
}
RowFacts rowFacts(const std::int16_t* row, std::int64_t count) {
    return HWY_DYNAMIC_DISPATCH(factsI16)(row, count);
}
void loadRow(const float* row, std::int64_t count, double reference, float scale, float* out) {
    HWY_DYNAMIC_DISPATCH(loadF32)(row, count, reference, scale, out);
}
void loadRow(const std::uint8_t* row, std::int64_t count, double reference, float scale,
             float* out) {
    HWY_DYNAMIC_DISPATCH(loadU8)(row, count, reference, scale, out);
}
void loadRow(const std::uint16_t* row, std::int64_t count, double reference, float scale,
             float* out) {
    HWY_DYNAMIC_DISPATCH(loadU16)(row, count, reference, scale, out);
}
void loadRow(const std::int16_t* row, std::int64_t count, double reference, float scale,
             float* out) {
    HWY_DYNAMIC_DISPATCH(loadI16)(row, count, reference, scale, out);
}
void loadRow(const float* row, std::int64_t count, double reference, double scale, double* out) {
    HWY_DYNAMIC_DISPATCH(loadF32Double)(row, count, reference, scale, out);
}
void loadRow(const std::uint8_t* row, std::int64_t count, double reference, double scale,
             double* out) {
    HWY_DYNAMIC_DISPATCH(loadU8Double)(row, count, reference, scale, out);
}
void loadRow(const std::uint16_t* row, std::int64_t count, double reference, double scale,
             double* out) {
    HWY_DYNAMIC_DISPATCH(loadU16Double)(row, count, reference, scale, out);
}
void loadRow(const std::int16_t* row, std::int64_t count, double reference, double scale,
             double* out) {
    HWY_DYNAMIC_DISPATCH(loadI16Double)(row, count, reference, scale, out);
}
bool isOnGrid(const float* row, std::int64_t count, double quantum, std::uint32_t& bits) {
    return HWY_DYNAMIC_DISPATCH(onGrid)(row, count, quantum, bits);
}
void loadPairs(const float* x, std::int64_t count, float steps, std::int32_t* out) {
    HWY_DYNAMIC_DISPATCH(pairsOf)(x, count, steps, out);
}
void loadSteps(const float* x, std::int64_t count, float steps, std::int16_t* out) {
    HWY_DYNAMIC_DISPATCH(stepsOf)(x, count, steps, out);
}

std::vector<std::string> instructionSets() {
    std::vector<std::string> names;
    for (std::int64_t target : hwy::SupportedAndGeneratedTargets()) {
        names.emplace_back(hwy::TargetName(target));
    }
    return names;
}

void forceInstructionSet(std::string_view name) {
    std::int64_t mask = 0;
    if (!name.empty()) {
        hwy::SetSupportedTargetsForTest(0);
        for (std::int64_t target : hwy::SupportedAndGeneratedTargets()) {
            if (name == hwy::TargetName(target)) {
                mask = target;
            }
        }
    }
    hwy::SetSupportedTargetsForTest(mask);
    hwy::GetChosenTarget().Update(hwy::SupportedTargets());
}

} // namespace flcc::cpu::simd
#endif
