#include <algorithm>
#include <cstdint>
#include <cstring>

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "engine/cpu/simd/differences.cpp"
#include <hwy/foreach_target.h> // IWYU pragma: keep

#include <hwy/highway.h>

#include "engine/cpu/simd/kernels.h"

HWY_BEFORE_NAMESPACE();
namespace flcc::cpu::simd::HWY_NAMESPACE {

namespace hn = hwy::HWY_NAMESPACE;

using Counts = hn::ScalableTag<std::uint16_t>;

// The sums of four differences for the placements of a vector. x86 has one instruction for it,
// which this version of Highway does not offer.
#if HWY_TARGET == HWY_AVX3
HWY_INLINE hn::Vec<Counts> sumsOfFour(const std::uint8_t* from, std::uint32_t quad) {
    const __m512i order = _mm512_setr_epi64(0, 1, 1, 2, 2, 3, 3, 4);
    const __m512i voxels = _mm512_permutexvar_epi64(order, _mm512_loadu_si512(from));
    // Of each 128 bits the quadruples 0, 1, 1, 2: voxels 0 to 7 and 4 to 11.
    return {_mm512_dbsad_epu8(_mm512_set1_epi32(static_cast<int>(quad)), voxels, 0x94)};
}
#elif HWY_TARGET == HWY_AVX2
HWY_INLINE hn::Vec<Counts> sumsOfFour(const std::uint8_t* from, std::uint32_t quad) {
    const __m256i voxels =
        _mm256_permute4x64_epi64(_mm256_loadu_si256(reinterpret_cast<const __m256i*>(from)), 0x94);
    return hn::Vec<Counts>{
        _mm256_mpsadbw_epu8(voxels, _mm256_set1_epi32(static_cast<int>(quad)), 0)};
}
#elif HWY_TARGET == HWY_SSE4
HWY_INLINE hn::Vec<Counts> sumsOfFour(const std::uint8_t* from, std::uint32_t quad) {
    const __m128i voxels = _mm_loadu_si128(reinterpret_cast<const __m128i*>(from));
    return hn::Vec<Counts>{_mm_mpsadbw_epu8(voxels, _mm_set1_epi32(static_cast<int>(quad)), 0)};
}
#else
HWY_INLINE hn::Vec<Counts> sumsOfFour(const std::uint8_t* from, std::uint32_t quad) {
    const Counts d;
    const hn::Rebind<std::uint8_t, Counts> bytes;
    auto sums = hn::Zero(d);
    for (int i = 0; i < 4; ++i) {
        const auto voxels = hn::PromoteTo(d, hn::LoadU(bytes, from + i));
        const auto value = hn::Set(d, static_cast<std::uint16_t>(quad >> (8 * i) & 0xffU));
        sums = hn::Add(sums, hn::Sub(hn::Max(voxels, value), hn::Min(voxels, value)));
    }
    return sums;
}
#endif

void addQuads(const QuadArguments& a) {
    const Counts d;
    const auto lanes = static_cast<std::int64_t>(hn::Lanes(d));
    std::int64_t x = 0;
    for (; x + 4 * lanes <= a.length + lanes; x += 4 * lanes) {
        auto s0 = hn::LoadU(d, a.sums + x);
        auto s1 = hn::LoadU(d, a.sums + x + lanes);
        auto s2 = hn::LoadU(d, a.sums + x + 2 * lanes);
        auto s3 = hn::LoadU(d, a.sums + x + 3 * lanes);
        for (std::int64_t i = 0; i < a.count; ++i) {
            const std::uint8_t* const from = a.row + a.quads[i].offset + x;
            const std::uint32_t values = a.quads[i].values;
            s0 = hn::Add(s0, sumsOfFour(from, values));
            s1 = hn::Add(s1, sumsOfFour(from + lanes, values));
            s2 = hn::Add(s2, sumsOfFour(from + 2 * lanes, values));
            s3 = hn::Add(s3, sumsOfFour(from + 3 * lanes, values));
        }
        hn::StoreU(s0, d, a.sums + x);
        hn::StoreU(s1, d, a.sums + x + lanes);
        hn::StoreU(s2, d, a.sums + x + 2 * lanes);
        hn::StoreU(s3, d, a.sums + x + 3 * lanes);
    }
    for (; x < a.length; x += lanes) {
        auto sum = hn::LoadU(d, a.sums + x);
        for (std::int64_t i = 0; i < a.count; ++i) {
            sum = hn::Add(sum, sumsOfFour(a.row + a.quads[i].offset + x, a.quads[i].values));
        }
        hn::StoreU(sum, d, a.sums + x);
    }
}

} // namespace flcc::cpu::simd::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace flcc::cpu::simd {

HWY_EXPORT(addQuads);

void addQuadDifferences(const QuadArguments& arguments) {
    HWY_DYNAMIC_DISPATCH(addQuads)(arguments);
}

} // namespace flcc::cpu::simd
#endif
