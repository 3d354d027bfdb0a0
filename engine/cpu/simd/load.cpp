#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "engine/cpu/simd/load.cpp"
#include <hwy/foreach_target.h> // IWYU pragma: keep

#include <hwy/cache_control.h>
#include <hwy/highway.h>

#include "engine/cpu/simd/kernels.h"

HWY_BEFORE_NAMESPACE();
namespace flcc::cpu::simd::HWY_NAMESPACE {

namespace hn = hwy::HWY_NAMESPACE;

// Calls `use(row, y, z)` for every row.
template <class T, class Use>
HWY_INLINE void forRows(const base::View<const T>& voxels, Use&& use) {
    const base::Extents& n = voxels.extents();
    for (std::int64_t z = 0; z < n.z; ++z) {
        for (std::int64_t y = 0; y < n.y; ++y) {
            use(voxels.row(y, z), y, z);
        }
    }
}

template <class Real>
HWY_INLINE Real* rowOf(const VoxelBox<Real>& box, std::int64_t y, std::int64_t z) {
    return box.data + z * box.sliceStride + y * box.rowStride;
}

// Prefetches the row kRowsAhead ahead. The processor's own prefetching fails for short rows that
// lie far apart.
template <class T>
HWY_INLINE void prefetchAhead(const base::View<const T>& voxels, std::int64_t y, std::int64_t z) {
    constexpr std::int64_t kRowsAhead = 6;
    constexpr auto kLine = static_cast<std::int64_t>(base::kAlignment / sizeof(T));
    if (y + kRowsAhead < voxels.extents().y) {
        const T* const row = voxels.row(y + kRowsAhead, z);
        for (std::int64_t x = 0; x < voxels.extents().x; x += kLine) {
            hwy::Prefetch(row + x);
        }
    }
}

// The compiler vectorises this plain loop, since integers have no rounding and no NaN.
template <class T> VoxelFacts integerFacts(const base::View<const T>& voxels) {
    std::int64_t sum = 0;
    T minimum = std::numeric_limits<T>::max();
    T maximum = std::numeric_limits<T>::min();
    const std::int64_t count = voxels.extents().x;
    forRows(voxels, [&](const T* row, std::int64_t y, std::int64_t z) {
        prefetchAhead(voxels, y, z);
        constexpr std::int64_t kRun = 16384; // the sum of a run fits 32 bits
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
    });
    return {static_cast<double>(sum), static_cast<double>(minimum), static_cast<double>(maximum),
            0};
}

template <class T, class Real>
void loadInteger(const base::View<const T>& voxels, double reference, Real scale,
                 const VoxelBox<Real>& to) {
    const auto c = static_cast<std::int32_t>(reference);
    const std::int64_t count = voxels.extents().x;
    forRows(voxels, [&](const T* row, std::int64_t y, std::int64_t z) {
        Real* const out = rowOf(to, y, z);
        for (std::int64_t i = 0; i < count; ++i) {
            out[i] = static_cast<Real>(static_cast<std::int32_t>(row[i]) - c) * scale;
        }
    });
}

VoxelFacts factsU8(const base::View<const std::uint8_t>& voxels) { return integerFacts(voxels); }
VoxelFacts factsU16(const base::View<const std::uint16_t>& voxels) { return integerFacts(voxels); }
VoxelFacts factsI16(const base::View<const std::int16_t>& voxels) { return integerFacts(voxels); }

void loadU8(const base::View<const std::uint8_t>& voxels, double c, float scale,
            const FloatBox& to) {
    loadInteger(voxels, c, scale, to);
}
void loadU16(const base::View<const std::uint16_t>& voxels, double c, float scale,
             const FloatBox& to) {
    loadInteger(voxels, c, scale, to);
}
void loadI16(const base::View<const std::int16_t>& voxels, double c, float scale,
             const FloatBox& to) {
    loadInteger(voxels, c, scale, to);
}
void loadU8Double(const base::View<const std::uint8_t>& voxels, double c, double scale,
                  const DoubleBox& to) {
    loadInteger(voxels, c, scale, to);
}
void loadU16Double(const base::View<const std::uint16_t>& voxels, double c, double scale,
                   const DoubleBox& to) {
    loadInteger(voxels, c, scale, to);
}
void loadI16Double(const base::View<const std::int16_t>& voxels, double c, double scale,
                   const DoubleBox& to) {
    loadInteger(voxels, c, scale, to);
}

// A vector of the last `count` voxels of a row, 0 in its other lanes. MaskedLoad would read whole
// vectors on some instruction sets.
template <class D> hn::Vec<D> loadCut(D d, const float* row, std::int64_t count) {
    HWY_ALIGN float cut[hn::MaxLanes(D())] = {};
    std::copy_n(row, count, cut);
    return hn::Load(d, cut);
}

// Facts of voxels, right only if all are finite. If one is not, the sum is not finite either.
VoxelFacts factsOfFinite(const base::View<const float>& voxels) {
    const hn::ScalableTag<float> d;
    const hn::Half<decltype(d)> half;
    const hn::Repartition<double, decltype(d)> dd;
    const auto lanes = static_cast<std::int64_t>(hn::Lanes(d));
    const std::int64_t count = voxels.extents().x;
    const std::int64_t whole = count / lanes * lanes;
    auto low = hn::Zero(dd);
    auto high = hn::Zero(dd);
    auto minimum = hn::Set(d, voxels.data()[0]);
    auto maximum = minimum;
    const auto addUp = [&](hn::Vec<decltype(d)> v) {
        low = hn::Add(low, hn::PromoteTo(dd, hn::LowerHalf(half, v)));
        high = hn::Add(high, hn::PromoteTo(dd, hn::UpperHalf(half, v)));
    };
    const auto see = [&](hn::Vec<decltype(d)> v) {
        minimum = hn::Min(minimum, v);
        maximum = hn::Max(maximum, v);
    };
    forRows(voxels, [&](const float* row, std::int64_t y, std::int64_t z) {
        prefetchAhead(voxels, y, z);
        for (std::int64_t i = 0; i < whole; i += lanes) {
            const auto v = hn::LoadU(d, row + i);
            addUp(v);
            see(v);
        }
        if (whole < count) {
            addUp(loadCut(d, row + whole, count - whole));
            if (whole > 0) { // reads some voxels twice
                see(hn::LoadU(d, row + count - lanes));
            } else {
                for (std::int64_t i = 0; i < count; ++i) {
                    see(hn::Set(d, row[i]));
                }
            }
        }
    });
    return {hn::GetLane(hn::SumOfLanes(dd, hn::Add(low, high))),
            static_cast<double>(hn::GetLane(hn::MinOfLanes(d, minimum))),
            static_cast<double>(hn::GetLane(hn::MaxOfLanes(d, maximum))), 0};
}

VoxelFacts factsF32(const base::View<const float>& voxels) {
    const VoxelFacts facts = factsOfFinite(voxels);
    if (facts.sum - facts.sum == 0) {
        return facts;
    }
    const hn::ScalableTag<float> d;
    const hn::Half<decltype(d)> half;
    const hn::Repartition<double, decltype(d)> dd;
    const auto lanes = static_cast<std::int64_t>(hn::Lanes(d));
    const std::int64_t count = voxels.extents().x;
    const auto huge = hn::Set(d, std::numeric_limits<float>::max());
    auto low = hn::Zero(dd);
    auto high = hn::Zero(dd);
    auto minimum = hn::Set(d, std::numeric_limits<float>::infinity());
    auto maximum = hn::Set(d, -std::numeric_limits<float>::infinity());
    std::int64_t finite = 0;
    forRows(voxels, [&](const float* row, std::int64_t, std::int64_t) {
        for (std::int64_t i = 0; i < count; i += lanes) {
            // The last vector may be incomplete: its other lanes are no part of the row.
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
    });
    return {hn::GetLane(hn::SumOfLanes(dd, hn::Add(low, high))),
            static_cast<double>(hn::GetLane(hn::MinOfLanes(d, minimum))),
            static_cast<double>(hn::GetLane(hn::MaxOfLanes(d, maximum))),
            base::voxelCount(voxels.extents()) - finite};
}

void loadF32(const base::View<const float>& voxels, double reference, float scale,
             const FloatBox& to) {
    const hn::ScalableTag<float> d;
    const auto lanes = static_cast<std::int64_t>(hn::Lanes(d));
    const std::int64_t count = voxels.extents().x;
    const auto c = hn::Set(d, static_cast<float>(reference));
    const auto s = hn::Set(d, scale);
    const auto huge = hn::Set(d, std::numeric_limits<float>::max());
    const auto centre = [&](hn::Vec<decltype(d)> v) {
        return hn::IfThenElseZero(hn::Le(hn::Abs(v), huge), hn::Mul(hn::Sub(v, c), s));
    };
    forRows(voxels, [&](const float* row, std::int64_t y, std::int64_t z) {
        float* const out = rowOf(to, y, z);
        std::int64_t i = 0;
        for (; i + lanes <= count; i += lanes) {
            hn::StoreU(centre(hn::LoadU(d, row + i)), d, out + i);
        }
        if (i < count && i > 0) { // writes some voxels twice
            hn::StoreU(centre(hn::LoadU(d, row + count - lanes)), d, out + count - lanes);
        } else if (i < count) {
            HWY_ALIGN float cut[hn::MaxLanes(hn::ScalableTag<float>())];
            hn::Store(centre(loadCut(d, row, count)), d, cut);
            std::copy_n(cut, count, out);
        }
    });
}

template <class V> void addBits(V seen, std::uint32_t& bits) {
    const hn::DFromV<V> di;
    HWY_ALIGN std::int32_t each[hn::MaxLanes(hn::DFromV<V>())];
    hn::Store(seen, di, each);
    for (const std::int32_t lane : each) {
        bits |= static_cast<std::uint32_t>(lane);
    }
}

// True if `good(row)` holds for every row. Stops at the first row for which it does not.
template <class Good> HWY_INLINE bool everyRow(const base::View<const float>& voxels, Good&& good) {
    const base::Extents& n = voxels.extents();
    for (std::int64_t z = 0; z < n.z; ++z) {
        for (std::int64_t y = 0; y < n.y; ++y) {
            if (!good(voxels.row(y, z))) {
                return false;
            }
        }
    }
    return true;
}

// True if all voxels are finite multiples of 2^exponent, which must be far from the limits of a
// float.
bool allOnGrid(const base::View<const float>& voxels, int exponent, std::uint32_t beyond,
               std::uint32_t& bits) {
    const hn::ScalableTag<float> d;
    const hn::RebindToSigned<decltype(d)> di;
    const auto lanes = static_cast<std::int64_t>(hn::Lanes(d));
    const std::int64_t count = voxels.extents().x;
    const auto down = hn::Set(d, std::ldexp(1.0F, -exponent));
    const auto up = hn::Set(d, std::ldexp(1.0F, exponent));
    const auto wrong = hn::Set(di, static_cast<std::int32_t>(beyond));
    auto seen = hn::Zero(di);
    const bool good = everyRow(voxels, [&](const float* row) {
        auto differences = hn::Zero(d);
        const auto look = [&](hn::Vec<decltype(d)> v) {
            const auto steps = hn::ConvertTo(di, hn::Mul(v, down));
            differences = hn::Or(differences, hn::Xor(hn::Mul(hn::ConvertTo(d, steps), up), v));
            seen = hn::Or(seen, steps);
        };
        std::int64_t i = 0;
        for (; i + lanes <= count; i += lanes) {
            look(hn::LoadU(d, row + i));
        }
        if (i < count) {
            look(i > 0 ? hn::LoadU(d, row + count - lanes) : loadCut(d, row, count));
        }
        // The shift removes the sign bit, so that -0 equals 0. Differences are compared as bits,
        // because a processor may treat subnormal numbers as 0.
        return hn::AllTrue(di,
                           hn::Eq(hn::ShiftLeft<1>(hn::BitCast(di, differences)), hn::Zero(di))) &&
               hn::AllTrue(di, hn::Eq(hn::And(seen, wrong), hn::Zero(di)));
    });
    if (good) {
        addBits(seen, bits);
    }
    return good;
}

void loadF32Double(const base::View<const float>& voxels, double reference, double scale,
                   const DoubleBox& to) {
    const hn::ScalableTag<double> d;
    const hn::Rebind<float, decltype(d)> df;
    const auto lanes = static_cast<std::int64_t>(hn::Lanes(d));
    const std::int64_t count = voxels.extents().x;
    const auto c = hn::Set(d, reference);
    const auto s = hn::Set(d, scale);
    const auto huge = hn::Set(d, static_cast<double>(std::numeric_limits<float>::max()));
    forRows(voxels, [&](const float* row, std::int64_t y, std::int64_t z) {
        double* const out = rowOf(to, y, z);
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
    });
}

bool onGrid(const base::View<const float>& voxels, double quantum, std::uint32_t beyond,
            std::uint32_t& bits) {
    const hn::ScalableTag<float> d;
    const hn::RebindToSigned<decltype(d)> di;
    const auto lanes = static_cast<std::int64_t>(hn::Lanes(d));
    const std::int64_t count = voxels.extents().x;
    // Two factors, as 1 / quantum alone may overflow a float.
    const int exponent = std::ilogb(quantum);
    constexpr int kFar = 90; // the largest int times 2^90 is finite
    if (std::abs(exponent) < kFar && allOnGrid(voxels, exponent, beyond, bits)) {
        return true;
    }
    const int half = exponent / 2;
    const auto power = [&](int of) { return hn::Set(d, std::ldexp(1.0F, of)); };
    const auto down = power(-half);
    const auto downRest = power(half - exponent);
    const auto up = power(half);
    const auto upRest = power(exponent - half);
    const auto huge = hn::Set(d, std::numeric_limits<float>::max());
    const auto wrong = hn::Set(di, static_cast<std::int32_t>(beyond));
    auto seen = hn::Zero(di);
    const bool good = everyRow(voxels, [&](const float* row) {
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
        return hn::AllTrue(di, hn::Eq(hn::And(seen, wrong), hn::Zero(di)));
    });
    if (good) {
        addBits(seen, bits);
    }
    return good;
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

void sumsOf(const std::int16_t* steps, std::int64_t count, StepSums& sums) {
    const hn::ScalableTag<std::int16_t> d;
    const hn::RepartitionToWide<decltype(d)> wide;
    const hn::RepartitionToWide<decltype(wide)> widest;
    const auto lanes = static_cast<std::int64_t>(hn::Lanes(d));
    const auto one = hn::Set(d, 1);
    auto values = hn::Zero(widest);
    auto squares = hn::Zero(widest);
    // 32 bits hold the sum of two products of steps below 2^15, not of more.
    const auto widen = [&](auto products, auto& to) HWY_ATTR {
        const hn::Half<decltype(wide)> half;
        to = hn::Add(to, hn::PromoteTo(widest, hn::LowerHalf(half, products)));
        to = hn::Add(to, hn::PromoteTo(widest, hn::UpperHalf(half, products)));
    };
    const auto add = [&](auto v, auto by, auto& to) HWY_ATTR {
        auto odd = hn::Zero(wide);
        widen(hn::ReorderWidenMulAccumulate(wide, v, by, hn::Zero(wide), odd), to);
        widen(odd, to);
    };
    std::int64_t i = 0;
    for (; i + lanes <= count; i += lanes) {
        const auto v = hn::LoadU(d, steps + i);
        add(v, one, values);
        add(v, v, squares);
    }
    sums.values += hn::GetLane(hn::SumOfLanes(widest, values));
    sums.squares += hn::GetLane(hn::SumOfLanes(widest, squares));
    for (; i < count; ++i) {
        const std::int64_t step = steps[i];
        sums.values += step;
        sums.squares += step * step;
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
HWY_EXPORT(sumsOf);

VoxelFacts voxelFacts(const base::View<const float>& voxels) {
    return HWY_DYNAMIC_DISPATCH(factsF32)(voxels);
}
VoxelFacts voxelFacts(const base::View<const std::uint8_t>& voxels) {
    return HWY_DYNAMIC_DISPATCH(factsU8)(voxels);
}
VoxelFacts voxelFacts(const base::View<const std::uint16_t>& voxels) {
    return HWY_DYNAMIC_DISPATCH(factsU16)(voxels);
}
VoxelFacts voxelFacts(const base::View<const std::int16_t>& voxels) {
    return HWY_DYNAMIC_DISPATCH(factsI16)(voxels);
}
void loadVoxels(const base::View<const float>& voxels, double reference, float scale,
                const FloatBox& to) {
    HWY_DYNAMIC_DISPATCH(loadF32)(voxels, reference, scale, to);
}
void loadVoxels(const base::View<const std::uint8_t>& voxels, double reference, float scale,
                const FloatBox& to) {
    HWY_DYNAMIC_DISPATCH(loadU8)(voxels, reference, scale, to);
}
void loadVoxels(const base::View<const std::uint16_t>& voxels, double reference, float scale,
                const FloatBox& to) {
    HWY_DYNAMIC_DISPATCH(loadU16)(voxels, reference, scale, to);
}
void loadVoxels(const base::View<const std::int16_t>& voxels, double reference, float scale,
                const FloatBox& to) {
    HWY_DYNAMIC_DISPATCH(loadI16)(voxels, reference, scale, to);
}
void loadVoxels(const base::View<const float>& voxels, double reference, double scale,
                const DoubleBox& to) {
    HWY_DYNAMIC_DISPATCH(loadF32Double)(voxels, reference, scale, to);
}
void loadVoxels(const base::View<const std::uint8_t>& voxels, double reference, double scale,
                const DoubleBox& to) {
    HWY_DYNAMIC_DISPATCH(loadU8Double)(voxels, reference, scale, to);
}
void loadVoxels(const base::View<const std::uint16_t>& voxels, double reference, double scale,
                const DoubleBox& to) {
    HWY_DYNAMIC_DISPATCH(loadU16Double)(voxels, reference, scale, to);
}
void loadVoxels(const base::View<const std::int16_t>& voxels, double reference, double scale,
                const DoubleBox& to) {
    HWY_DYNAMIC_DISPATCH(loadI16Double)(voxels, reference, scale, to);
}
bool isOnGrid(const base::View<const float>& voxels, double quantum, std::uint32_t beyond,
              std::uint32_t& bits) {
    return HWY_DYNAMIC_DISPATCH(onGrid)(voxels, quantum, beyond, bits);
}
void loadPairs(const float* x, std::int64_t count, float steps, std::int32_t* out) {
    HWY_DYNAMIC_DISPATCH(pairsOf)(x, count, steps, out);
}
void loadSteps(const float* x, std::int64_t count, float steps, std::int16_t* out) {
    HWY_DYNAMIC_DISPATCH(stepsOf)(x, count, steps, out);
}
void addSteps(const std::int16_t* steps, std::int64_t count, StepSums& sums) {
    HWY_DYNAMIC_DISPATCH(sumsOf)(steps, count, sums);
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
