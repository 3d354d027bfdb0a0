#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "engine/cpu/simd/score_float.cpp"
#include <hwy/foreach_target.h> // IWYU pragma: keep

#include <hwy/highway.h>

#include "engine/cpu/simd/kernels.h"
#include "engine/cpu/simd/tile_scores.h"

HWY_BEFORE_NAMESPACE();
namespace flcc::cpu::simd::HWY_NAMESPACE {

// Numerators with That less a level are those of LevelScores for lcc; a form of other operations
// has the level in its factors.
ScoreTally scoreFloat(const ScoreArguments<float>& a, const ScoreConstants& constants) {
    return a.finish != nullptr         ? scoreAll<RowFinisher<SingleScores>>(a, constants)
           : constants.hasSumErrors    ? scoreAll<RowScorer<MaskedScores>>(a, constants)
           : constants.templLevel == 0 ? scoreAll<RowScorer<SingleScores>>(a, constants)
                                       : scoreAll<RowScorer<LevelScores>>(a, constants);
}

} // namespace flcc::cpu::simd::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace flcc::cpu::simd {

HWY_EXPORT(scoreFloat);

ScoreTally scoreTile(const ScoreArguments<float>& arguments, const ScoreConstants& constants) {
    return HWY_DYNAMIC_DISPATCH(scoreFloat)(arguments, constants);
}

} // namespace flcc::cpu::simd
#endif
