#pragma once

#include <cmath>

#include "engine/base/host_device.h"

/// The value of a panel of an operation that is a linear form of sums, and the bound on its error.
/// Plain functions that compile for CPU and GPU. They are always inlined, so that vector code gets
/// them for its own instruction set. **Source**: NUMERICS.md, section 5.
namespace flcc::method::shared {

/// A bound on an error: one + root sqrt(s2) + squares s2.
struct FinishError {
    double one = 0;
    double root = 0;
    double squares = 0;

    [[nodiscard]] FLCC_HOST_DEVICE bool isZero() const {
        return one == 0 && root == 0 && squares == 0;
    }
};

/// The constants of a tile that turn the sums s1 of x, s2 of x^2 and num of x times the template
/// over a panel into its value:
///
///     form = one + panel s1 + squares s2 + products num,  value = form or form / sqrt(energy)
///     energy = energyOne + energyPanel s1 + s2            (sum P^2 in units of x^2)
///
/// with bounds on the errors of both.
struct FinishConstants {
    double one = 0;
    double panel = 0;
    double squares = 0;
    double products = 0;
    FinishError error;
    /// True: the value is form / sqrt(energy), and the promise is on 1 or the value, if that is
    /// larger. Where energy may be 0, the panel may be FLAT.
    bool normalised = false;
    double energyOne = 0;
    double energyPanel = 0;
    FinishError energyError;
    double rounding = 0; ///< of the last operations of a value, relative
    /// The promise is on scaleOne + scaleEnergy energy + scaleRoot sqrt(energy).
    double scaleOne = 0;
    double scaleEnergy = 0;
    double scaleRoot = 0;
    double lowest = 0; ///< of the range of values
    double highest = 0;
    /// Not 0: numerators times this factor are whole numbers with an error below 1/2. They are
    /// rounded, and `products` is the factor of the rounded ones.
    double wholeProducts = 0;
};

/// What depends on how sums were computed and where values are stored.
struct FinishLimits {
    double promise = 1e-4;
    double sumsError = 0; ///< of s1 and of s2
    double tiny = 0;      ///< an energy below this may have lost its last digits
    double most = 0;      ///< larger magnitudes are left to the canonical value
};

/// What is known of a value, or of the worst one of a row.
struct FinishBound {
    double bound = 0;
    double relative = 0; ///< the bound divided by what the promise is on
    double most = 0;     ///< the same for all smaller values, too
    bool open = false;   ///< the energy may be 0
};

enum class FinishStatus {
    Ok,
    LowConf,
    Flat, ///< the energy is exactly 0
    Open  ///< the sums do not decide: ask for the canonical value
};

[[nodiscard, gnu::always_inline]] FLCC_HOST_DEVICE inline double
finishErrorOf(const FinishError& error, double square, double sumsError) {
    const double most = (square > 0 ? square : 0.0) + sumsError;
    return error.one + error.root * std::sqrt(most) + error.squares * most;
}

/// The bound of values of magnitude `value` at most over panels with a sum x^2 of at most `square`
/// and an energy of at least `energy`. `kNormalised` is FinishConstants::normalised.
template <bool kNormalised>
[[nodiscard, gnu::always_inline]] FLCC_HOST_DEVICE inline FinishBound
boundOfFinish(const FinishConstants& constants, const FinishLimits& limits, double square,
              double energy, double value) {
    constexpr double kAbove = 1.0001; // covers the roundings of the bound itself
    const double spread = finishErrorOf(constants.energyError, square, limits.sumsError);
    const double form = kAbove * finishErrorOf(constants.error, square, limits.sumsError);
    FinishBound made;
    if (kNormalised) {
        made.open = !(energy > 4 * spread && energy > limits.tiny);
        const double share = constants.rounding + 0.54 * kAbove * spread / energy;
        const double top = form / std::sqrt(energy);
        made.bound = top + share * value;
        made.relative = made.bound / (value > 1 ? value : 1.0);
        made.most = top + share;
    } else {
        const double least = energy - spread > 0 ? energy - spread : 0.0;
        made.bound = form + constants.rounding * value;
        const double scale = constants.scaleOne + constants.scaleEnergy * least +
                             constants.scaleRoot * std::sqrt(least);
        made.relative = made.bound == 0 ? 0 : made.bound / scale;
        made.most = made.relative;
    }
    return made;
}

/// The status of a value with that bound.
[[nodiscard, gnu::always_inline]] FLCC_HOST_DEVICE inline FinishStatus
statusOfFinish(const FinishConstants& constants, const FinishLimits& limits,
               const FinishBound& known, double energy, double value) {
    const bool usual = !known.open && std::fabs(value) <= limits.most;
    if (usual && known.relative <= limits.promise) {
        return FinishStatus::Ok;
    }
    if (usual && std::isfinite(known.bound)) {
        return FinishStatus::LowConf;
    }
    return known.open && energy == 0 && constants.energyError.isZero() ? FinishStatus::Flat
                                                                       : FinishStatus::Open;
}

struct BoxFinish {
    double value = 0; ///< 0 if the status is Flat or Open
    double bound = 0;
    FinishStatus status = FinishStatus::Ok;
};

/// The value of one panel from its sums, in double.
[[nodiscard, gnu::always_inline]] FLCC_HOST_DEVICE inline BoxFinish
finishBox(const FinishConstants& constants, const FinishLimits& limits, double s1, double s2,
          double num) {
    const FinishConstants& c = constants;
    const double products = c.wholeProducts != 0 ? std::rint(num * c.wholeProducts) : num;
    const double form = c.products * products + (c.panel * s1 + (c.squares * s2 + c.one));
    const double energy = c.energyPanel * s1 + (s2 + c.energyOne);
    double value = c.normalised ? form / std::sqrt(energy) : form;
    value = value < c.lowest ? c.lowest : value > c.highest ? c.highest : value;
    const double magnitude = std::fabs(value);
    const FinishBound known = c.normalised ? boundOfFinish<true>(c, limits, s2, energy, magnitude)
                                           : boundOfFinish<false>(c, limits, s2, energy, magnitude);
    BoxFinish made;
    made.bound = known.bound;
    made.status = statusOfFinish(c, limits, known, energy, value);
    const bool kept = made.status == FinishStatus::Ok || made.status == FinishStatus::LowConf;
    made.value = kept ? value : 0.0;
    return made;
}

} // namespace flcc::method::shared
