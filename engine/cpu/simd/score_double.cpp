#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "engine/cpu/simd/score_double.cpp"
#include <hwy/foreach_target.h> // IWYU pragma: keep

#include <hwy/highway.h>

#include "engine/cpu/simd/kernels.h"
#include "engine/cpu/simd/tile_scores.h"

HWY_BEFORE_NAMESPACE();
namespace flcc::cpu::simd::HWY_NAMESPACE {

// Numerators with That less a level are those of LevelScores for lcc; a form of other operations
// has the level in its factors.
ScoreTally scoreDouble(const ScoreArguments<double>& a, const ScoreConstants& constants) {
    return a.finish != nullptr         ? scoreAll<RowFinisher<DoubleScores>>(a, constants)
           : constants.hasSumErrors    ? scoreAll<RowScorer<DoubleMaskedScores>>(a, constants)
           : constants.templLevel == 0 ? scoreAll<RowScorer<DoubleScores>>(a, constants)
                                       : scoreAll<RowScorer<DoubleLevelScores>>(a, constants);
}

} // namespace flcc::cpu::simd::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace flcc::cpu::simd {

HWY_EXPORT(scoreDouble);

ScoreTally scoreTile(const ScoreArguments<double>& arguments, const ScoreConstants& constants) {
    return HWY_DYNAMIC_DISPATCH(scoreDouble)(arguments, constants);
}

} // namespace flcc::cpu::simd
#endif
