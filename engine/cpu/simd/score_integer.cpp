#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "engine/cpu/simd/score_integer.cpp"
#include <hwy/foreach_target.h> // IWYU pragma: keep

#include <hwy/highway.h>

#include "engine/cpu/simd/kernels.h"
#include "engine/cpu/simd/tile_scores.h"

HWY_BEFORE_NAMESPACE();
namespace flcc::cpu::simd::HWY_NAMESPACE {

ScoreTally scoreInteger(const ScoreArguments<float, std::int32_t>& a,
                        const ScoreConstants& constants) {
    return a.finish != nullptr ? scoreAll<RowFinisher<IntegerScores>>(a, constants)
                               : scoreAll<RowScorer<IntegerScores>>(a, constants);
}

} // namespace flcc::cpu::simd::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace flcc::cpu::simd {

HWY_EXPORT(scoreInteger);

ScoreTally scoreTile(const ScoreArguments<float, std::int32_t>& arguments,
                     const ScoreConstants& constants) {
    return HWY_DYNAMIC_DISPATCH(scoreInteger)(arguments, constants);
}

} // namespace flcc::cpu::simd
#endif
