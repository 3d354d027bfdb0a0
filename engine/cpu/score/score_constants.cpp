#include "engine/cpu/score/score_constants.h"

#include <limits>

namespace flcc::cpu {

namespace {

using base::Extents;

/// H in the error bound of window sums by additions (engine/method/NUMERICS.md, section 4).
double chainOf(const Extents& m) {
    return static_cast<double>(m.y > 1 ? m.y : 0) + static_cast<double>(m.z > 1 ? m.z : 0);
}

} // namespace

double sumsBound(const Extents& m) { return (8 + chainOf(m) / 2) * kUnitDouble; }

simd::ScoreConstants constantsOf(const method::Problem& problem, const CentredTile& tile,
                                 const BoundTerms& terms, double constant) {
    const Extents& m = problem.templ;
    const double chain = chainOf(m);
    simd::ScoreConstants constants;
    constants.count =
        static_cast<double>(m.x) * static_cast<double>(m.y) * static_cast<double>(m.z);
    constants.exactSums = tile.exactSums;
    constants.exactVariance =
        tile.exactSums && constants.count * constants.count * tile.steps * tile.steps < 0x1p53;
    constants.unit = tile.stepsPerUnit();
    // With exact sums, a smaller D would show the rounding of s1^2 / N; then the integers decide.
    constants.suspicious = tile.exactSums ? 0x1p-20 : 4 * (16 + chain) * kUnitDouble;
    constants.boundNumerator = terms.numerator;
    constants.boundWorst = terms.worst > 0 ? terms.worst : std::numeric_limits<double>::infinity();
    constants.boundScore = terms.score;
    constants.boundPanel = terms.panel;
    // With exact sums only the rounding of s1^2 / N remains: u53 K^2.
    constants.boundSquare = tile.exactSums ? kUnitDouble : sumsBound(m);
    constants.boundConstant = constant;
    constants.promise = problem.promise;
    constants.templSum = terms.templSum;
    constants.templLevel = terms.templLevel;
    constants.numeratorScale = 1 / (constants.count * terms.templNorm * constants.unit);
    return constants;
}

void setMasked(const MaskedSums& sums, const CentredTile& tile, double unit,
               simd::ScoreConstants& constants) {
    constants.hasSumErrors = true;
    constants.count = sums.mask->total();
    constants.exactSums = sums.whole;
    const double most = constants.count * tile.steps;
    constants.exactVariance = sums.whole && most * most < 0x1p53;
    constants.suspicious = 0;
    constants.boundSquare = 0; // varianceSquare counts the roundings
    constants.varianceOne = sums.one;
    constants.varianceRoot = sums.root;
    constants.varianceSquare = sums.square;
    // The scores are those of the voxels as they were loaded.
    constants.boundPanel += tile.exact ? 0 : unit;
}

} // namespace flcc::cpu
