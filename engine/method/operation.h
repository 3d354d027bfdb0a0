#pragma once

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>
#include <span>
#include <string_view>

namespace flcc::method {

/// A number and a bound on its error. Operations add the rounding error that they make, found
/// exactly (by error-free transformations), so results of whole numbers below 2^53 keep the bound
/// 0. **Source**: Dekker's and Knuth's error-free transformations.
struct Bounded {
    double value = 0;
    double error = 0;
};

[[nodiscard]] inline Bounded operator-(const Bounded& a) { return {-a.value, a.error}; }

[[nodiscard]] inline Bounded operator+(const Bounded& a, const Bounded& b) {
    const double sum = a.value + b.value;
    const double second = sum - a.value;
    const double lost = (a.value - (sum - second)) + (b.value - second);
    return {sum, a.error + b.error + std::abs(lost)};
}

[[nodiscard]] inline Bounded operator-(const Bounded& a, const Bounded& b) { return a + -b; }

[[nodiscard]] inline Bounded operator*(const Bounded& a, const Bounded& b) {
    const double product = a.value * b.value;
    const double lost = std::fma(a.value, b.value, -product);
    return {product, std::abs(a.value) * b.error + std::abs(b.value) * a.error + a.error * b.error +
                         std::abs(lost)};
}

/// The error is infinite if the divisor may be 0; 0 / 0 is NaN.
[[nodiscard]] inline Bounded operator/(const Bounded& a, const Bounded& b) {
    const double quotient = a.value / b.value;
    const double least = std::abs(b.value) - b.error;
    const double lost = std::abs(std::fma(-quotient, b.value, a.value));
    const double error = (a.error + std::abs(quotient) * b.error + lost) / least;
    return {quotient, least > 0 ? error : INFINITY};
}

/// The root of a number that is not negative, though its value may be within its error. For an
/// error e of the square, the error of the root is at most both sqrt(e) and e / root; the smaller
/// of them is found without a branch, so that loops over Bounded become vectors.
[[nodiscard]] inline Bounded sqrt(const Bounded& a) {
    const double root = std::sqrt(0.5 * (a.value + std::abs(a.value)));
    const double error = a.error + std::abs(std::fma(-root, root, a.value));
    const double spread = std::sqrt(error);
    const double most = 0.5 * (root + spread + std::abs(root - spread)); // the larger of the two
    constexpr double kTiny = 1e-300; // 0 / 0 must be 0; squares of floats are far larger
    return {root, error / (most + kTiny)};
}

/// What the value of a placement is made of: sums over the support, P the panel and T the template
/// with means p and t; under weights w each term counts w times. In Quantities each has a bound on
/// its error; in QuantitiesOf<Linear> each is a linear form of the sums that the methods compute,
/// from which rows of placements get their values. **Units**: P and T are in units of their own
/// (ValueUnit), the same one where the operation compares them.
template <class Number> struct QuantitiesOf {
    Number products;            ///< sum P T
    Number panelSquares;        ///< sum P^2
    Number templSquares;        ///< sum T^2
    Number covariance;          ///< sum (P - p)(T - t)
    Number panelVariance;       ///< sum (P - p)^2
    Number templVariance;       ///< sum (T - t)^2
    Number squaredDifferences;  ///< sum (P - T)^2
    Number absoluteDifferences; ///< sum |P - T|
};
using Quantities = QuantitiesOf<Bounded>;

/// A sum of squares, at least.
[[nodiscard]] inline double least(const Bounded& squares) {
    const double least = squares.value - squares.error;
    return 0.5 * (least + std::abs(least)); // not negative, without a branch
}

/// The mean of sum P^2 and sum T^2, at least.
[[nodiscard]] inline double meanSquares(const Quantities& of) {
    return (least(of.panelSquares) + least(of.templSquares)) / 2;
}

/// sqrt(sum P^2 sum T^2), at least.
[[nodiscard]] inline double productOfNorms(const Quantities& of) {
    return std::sqrt(least(of.panelSquares)) * std::sqrt(least(of.templSquares));
}

/// What a value of a number of pixels squared is measured in, 2^exponent, for P and T in powers of
/// two of their own. In two factors, as one may overflow.
struct ValueUnit {
    double first = 1;
    double second = 1;
    double lost = 0; ///< rounding of a value too small for a double

    [[nodiscard]] static ValueUnit of(int exponent) {
        return {std::ldexp(1.0, exponent / 2), std::ldexp(1.0, exponent - exponent / 2),
                exponent < -800 ? std::numeric_limits<double>::denorm_min() : 0.0};
    }
    [[nodiscard]] double times(double value) const { return value * first * second; }
    /// Of a bound. That of 0, which has no error, stays 0.
    [[nodiscard]] double timesBound(double bound) const {
        return times(bound) + (bound > 0 ? lost : 0.0);
    }
};

/// The exponent of the power of two above a magnitude, within a range in which squares of sums over
/// any support stay far from overflow and underflow; 0 for 0.
[[nodiscard]] inline int unitExponent(long double magnitude) {
    constexpr int kMost = 1000;
    const int exponent = magnitude > 0 ? std::ilogb(magnitude) + 1 : 0;
    return exponent > kMost ? kMost : exponent < -kMost ? -kMost : exponent;
}

/// The bound of a value. Errors were added in double, each sum rounded.
[[nodiscard]] inline double boundOf(const Bounded& found) { return found.error * (1 + 1e-12); }

struct Linear; // shared/level_sums.h

/// Whether the best placement has the largest or the smallest value.
enum class Best : std::uint8_t { Largest, Smallest };

/// A match operation: everything that other code asks about it. Code asks for the property that it
/// needs, never which operation it is.
struct OperationTraits {
    std::string_view name;    ///< of `--operation`: "ssd"
    std::string_view label;   ///< where there is little room: "SSD"
    std::string_view title;   ///< "Sum of squared differences"
    std::string_view formula; ///< "sum (P - T)^2"
    std::string_view unit;    ///< "" for a pure number; "value^2", "value"
    double lowest = -1;       ///< of its range
    double highest = 1;
    Best best = Best::Largest;
    /// The least value of a peak that is listed unless a job says otherwise; the largest one where
    /// the smallest is best. An infinity lists the best `--max-peaks` ones.
    double threshold = 0.5;
    /// True: made of absoluteDifferences, which only a method by definition has.
    bool byDefinition = false;
    /// True if P and T are compared with each other, so that both need the same unit; else each
    /// side has its own.
    bool comparesSides = false;
    /// True for a sum that can also run over the channels of a colour image.
    bool sumsChannels = false;
    /// True if the value is the same for the scene a S + b and the template c T + d with a, c > 0.
    /// Then a panel is FLAT if and only if it is constant.
    bool ignoresContrast = false;
    /// True if the bound of a value is within the promise itself, as no magnitude exceeds 1. Else
    /// the promise is relative, see isPure().
    bool absolutePromise = false;
    /// True if sums over values are in kScoreUnit, and statistics and peaks read the floats of a
    /// map also where it has doubles. Else values may be of any magnitude.
    bool inScoreUnits = false;
    /// True if a map in double holds the exact values of integers.
    bool exactOfIntegers = true;
    /// True if the law of the values in a scene without objects is known (METHODS 6). Thresholds by
    /// false positives and by z, null templates and comparing both hands need it.
    bool hasLaw = false;
    /// True if poses, and places within a voxel, are refined from pixels (match/refine.h,
    /// match/place.h).
    bool refinesByPixels = false;
    /// True if a search over poses knows which of them cannot reach a threshold (engine/search).
    bool prunes = false;
    /// True if a peak of a small bank of poses is compared with all members of the bank.
    bool comparesMembers = false;
    /// True if `--statistics` and `--outside eibl` have a meaning: both choose the denominator.
    bool choosesDenominator = false;
    /// True if a heatmap begins at 0, else at the least value of the map.
    bool drawnFromZero = false;
    /// True if rows of placements are made by the row scorer (cpu/simd/row_scorer.h) from a
    /// template normalised to mean 0 and norm 1 (CanonicalTemplate), and placements that are no
    /// boxes by LccValues. The row scorer keeps 1 / sqrt(D) for further templates, records what
    /// recomputes a LOWCONF voxel, takes sums under a mask of the template and predicts its largest
    /// bound. False: rows are made by `linear`, or byDefinition.
    bool hasRowScorer = false;
    /// Time of a canonical value, in times of method::canonicalNs().
    double canonicalShare = 4;
    /// Nanoseconds of the reference definition (engine/reference) for a voxel of a panel.
    double definitionNs = 60;
    /// The value of a placement. NaN: it is undefined, the panel is FLAT. Null: hasRowScorer.
    Bounded (*finish)(const Quantities&) = nullptr;
    /// The same of linear forms, for whole rows. Null: byDefinition, or as finish.
    Linear (*linear)(const QuantitiesOf<Linear>&) = nullptr;

    /// True for a pure number; then `--promise` is absolute for values up to 1 and relative for
    /// larger ones. For others it is relative to sqrt(sum P^2 sum T^2),
    /// or where sides are compared to the mean of sum P^2 and sum T^2 (byDefinition: to
    /// sum |P| + sum |T|).
    [[nodiscard]] bool isPure() const { return unit.empty(); }
    /// True if peaks always have a threshold; else a job may list the best `--max-peaks` ones.
    [[nodiscard]] bool hasThreshold() const { return std::isfinite(threshold); }
    /// +1 or -1: times a value it is largest for the best placement.
    [[nodiscard]] double sign() const { return best == Best::Largest ? 1 : -1; }
    /// The largest of sign() * value.
    [[nodiscard]] double top() const { return best == Best::Largest ? highest : -lowest; }
};

/// The table of all operations, the default first, in the order of the help.
[[nodiscard]] std::span<const OperationTraits> operationTable();

/// A row of the table. The default is the first.
class Operation {
  public:
    constexpr Operation() = default;
    /// The row with that number.
    constexpr explicit Operation(std::size_t row) : m_row(static_cast<std::uint8_t>(row)) {}

    [[nodiscard]] const OperationTraits& traits() const { return operationTable()[m_row]; }
    friend constexpr bool operator==(const Operation&, const Operation&) = default;

  private:
    std::uint8_t m_row = 0;
};

[[nodiscard]] inline std::string_view name(Operation operation) { return operation.traits().name; }

/// The name for texts that leave out what a job has by default: empty for the default operation.
[[nodiscard]] inline std::string_view nameUnlessDefault(Operation operation) {
    return operation == Operation() ? std::string_view() : name(operation);
}
/// The same of a name that was read, of any operation.
[[nodiscard]] inline std::string_view nameUnlessDefault(std::string_view read) {
    return read == name(Operation()) ? std::string_view() : read;
}

/// The exponent of the unit of both sides for an operation that compares them, from those of each
/// side: the larger one, but for a pure number, which the smaller side decides too, the middle.
[[nodiscard]] inline int commonExponent(Operation operation, int panel, int templ) {
    return operation.traits().isPure() ? (panel + templ) / 2 : panel > templ ? panel : templ;
}

/// The operation of that name; empty if there is none.
[[nodiscard]] std::optional<Operation> operationNamed(std::string_view name);

} // namespace flcc::method
