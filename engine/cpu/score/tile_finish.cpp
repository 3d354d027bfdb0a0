#include "engine/cpu/score/tile_finish.h"

#include <algorithm>
#include <cmath>

#include "engine/cpu/tile/box_sums.h"
#include "engine/method/shared/level_sums.h"

namespace flcc::cpu {

namespace {

using method::Bounded;
using method::Linear;

/// The template as the numerators saw it: T = level + unit w.
struct Side {
    double level = 0;
    double unit = 1;
    double sum = 0;     ///< of w
    double squares = 0; ///< of w
    bool exact = false; ///< the sums are exact
};

Side sideOf(const method::CanonicalTemplate& templ, const BoundTerms& terms) {
    if (terms.integers != nullptr) {
        return {terms.integers->level(), terms.integers->quantum(), terms.integers->sum(),
                terms.integers->squares(), true};
    }
    const method::WeightFrame& frame = templ.weightFrame();
    return {frame.level, frame.unit, frame.sum, frame.squares, frame.whole};
}

/// True for a magnitude whose squares, and sums of them, are far from the limits of the type in
/// which values are computed.
bool isUsual(double magnitude) {
    constexpr int kMost = 200;
    return magnitude == 0 || std::abs(std::ilogb(magnitude)) < kMost;
}

/// Adds to the bound of a form, whose factors and sums have errors.
class Errors {
  public:
    /// `exact`: whole numbers stay below 2^53.
    Errors(const Linear& form, double rootCount, double sums, double squares, bool exact)
        : m_rootCount(rootCount), m_sums(sums), m_squares(squares),
          m_operations(exact && form.constant.error == 0 && form.panel.error == 0 &&
                               form.squares.error == 0 && form.products.error == 0
                           ? 0
                           : 4 * kUnitDouble) {
        add(form.constant, form.panel, form.squares);
    }

    /// A factor of numerators of at most `size` times sqrt(s2), with errors of their own.
    void add(const Bounded& products, double size, double one, double root) {
        m_error.one += std::abs(products.value) * one;
        m_error.root += size * (products.error + m_operations * std::abs(products.value)) +
                        std::abs(products.value) * root;
    }
    /// The bound, divided by `unit`.
    [[nodiscard]] method::shared::FinishError in(double unit) const {
        return {m_error.one / unit, m_error.root / unit, m_error.squares / unit};
    }

  private:
    /// A constant, a factor of s1 and one of s2.
    void add(const Bounded& constant, const Bounded& panel, const Bounded& squares) {
        m_error.one += constant.error + m_operations * std::abs(constant.value);
        m_error.root +=
            m_rootCount * (panel.error + (m_sums + m_operations) * std::abs(panel.value));
        m_error.squares += squares.error + (m_squares + m_operations) * std::abs(squares.value);
    }

    double m_rootCount;
    double m_sums;    ///< the error of s1, relative to the sum of magnitudes
    double m_squares; ///< the error of s2, relative
    double m_operations;
    method::shared::FinishError m_error;
};

/// True if whole numbers made of these sums stay below 2^53.
bool isWhole(const CentredTile& tile, const Side& side, double count) {
    const double inTile = count * (tile.steps * tile.steps + std::pow(tile.level - side.level, 2));
    const double panel = inTile + count * side.level * side.level;
    const double templ = side.squares * side.unit * side.unit + count * side.level * side.level;
    return tile.quantum == 1 && tile.exactSums && 8 * (panel + templ) < 0x1p53;
}

} // namespace

std::optional<method::shared::FinishConstants>
finishOf(const method::Problem& problem, const method::CanonicalTemplate& templ,
         const CentredTile& tile, const BoundTerms& terms, const FinishPrecision& precision) {
    const method::OperationTraits& traits = problem.operation.traits();
    const Side side = sideOf(templ, terms);
    const auto count = static_cast<double>(templ.count());
    const double root = std::sqrt(count);
    const bool integers = terms.integers != nullptr;
    for (const double magnitude : {tile.unit, tile.level, side.unit, side.level}) {
        if (!isUsual(magnitude)) {
            return std::nullopt;
        }
    }
    const double unit = tile.unit;
    // Numerators in double that are whole numbers are rounded to the nearest one.
    const bool inWhole = templ.weightFrame().whole && base::isInteger(problem.scenePixel) &&
                         base::bytesPerVoxel(problem.scenePixel) <= 4;
    const double one = terms.worst > 0 ? std::min(terms.worst, terms.numerator) : terms.numerator;
    const double perRoot = terms.panel + (one < terms.numerator ? 0 : terms.score);
    const bool rounds = precision.inDouble && inWhole && terms.templLevel == 0 &&
                        isWhole(tile, side, count) &&
                        (terms.wholeSums || (one + perRoot * root) * unit * side.unit < 0.25);
    if (precision.storesDoubles && inWhole && !rounds) {
        return std::nullopt;
    }
    const bool exact = rounds || (integers && side.unit == 1 && isWhole(tile, side, count));
    // A numerator times this is sum (P - c)(T - a).
    const double ofProducts = rounds ? 1 : integers ? tile.quantum * side.unit : unit * side.unit;
    const double norm = std::sqrt(side.squares) * side.unit;
    const double templError = side.exact ? 0 : 4 * count * kUnitDouble;
    const bool isLong = base::isInteger(problem.scenePixel) && !inWhole && !tile.exactSums;
    method::LevelSumsOf<Linear> sums;
    sums.products = Linear({ofProducts, 0}, {}, {});
    sums.panel = Linear({}, {unit, 0}, {});
    sums.panelSquares = Linear({}, {}, {unit * unit, 0});
    sums.count = Bounded{count, 0};
    sums.templ = Bounded{side.sum * side.unit, templError * norm * root};
    sums.templSquares = Bounded{side.squares * side.unit * side.unit, templError * norm * norm};
    sums.panelLevel = Bounded{tile.level, isLong ? std::abs(tile.level) * kUnitDouble : 0};
    sums.templLevel = Bounded{side.level, 0};
    const method::QuantitiesOf<Linear> of = sums.quantities();
    const Linear form = traits.linear(of);
    const Bounded energyOfTempl = of.templSquares.constant;
    if (!form.defined) {
        return std::nullopt;
    }

    const double voxel = tile.exact ? 0 : 2 * (precision.inDouble ? kUnitDouble : kUnitSingle);
    const double added = tile.exactSums ? 0 : boxSumsError(problem.templ) + kUnitDouble;
    Errors errors(form, root, voxel + added, 2 * voxel + added, exact);
    const double size = rounds     ? unit * side.unit
                        : integers ? std::sqrt(side.squares) * unit / tile.quantum
                                   : 1;
    const bool free = rounds || integers;
    errors.add(form.products, size, free ? 0 : one, free ? 0 : perRoot);
    const Errors energy(of.panelSquares, root, voxel + added, 2 * voxel + added, exact);

    method::shared::FinishConstants made;
    made.normalised = form.normalised;
    made.lowest = traits.lowest;
    made.highest = traits.highest;
    made.energyOne = of.panelSquares.constant.value / (unit * unit);
    made.energyPanel = of.panelSquares.panel.value / (unit * unit);
    made.energyError = energy.in(unit * unit);
    made.rounding = precision.storesDoubles ? 0 : kUnitSingle;
    const double least = method::least(energyOfTempl);
    double by = 1; // divides the form
    if (form.normalised) {
        constexpr double kFar = 1e36; // energies are converted to float
        if (!(energyOfTempl.value > 4 * energyOfTempl.error) || made.energyOne > kFar) {
            return std::nullopt;
        }
        by = unit * std::sqrt(energyOfTempl.value);
        made.rounding += (precision.inDouble ? 8 * kUnitDouble : 5 * kUnitSingle) +
                         0.54 * energyOfTempl.error / energyOfTempl.value;
    } else if (traits.comparesSides) {
        made.scaleOne = least / 2;
        made.scaleEnergy = unit * unit / 2;
    } else {
        made.scaleRoot = unit * std::sqrt(least);
    }
    made.error = errors.in(by);
    if (!precision.storesDoubles && unit * side.unit < 0x1p-60) {
        made.error.one += 0x1p-149; // of floats near 0
    }
    made.one = form.constant.value / by;
    made.products = form.products.value / by;
    made.squares = form.squares.value / by;
    made.panel = form.panel.value / by + made.products * terms.templLevel;
    made.wholeProducts = rounds ? unit * side.unit : 0;
    return made;
}

} // namespace flcc::cpu
