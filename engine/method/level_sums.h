#pragma once

#include <cmath>

#include "engine/method/bounded.h"
#include "engine/method/operation.h"

namespace flcc::method {

/// Sums over the voxels of a placement that count: P less a level c, and T less a level a.
struct LevelSums {
    Bounded products;     ///< sum (P - c)(T - a)
    Bounded panel;        ///< sum (P - c)
    Bounded panelSquares; ///< sum (P - c)^2
    Bounded count;
    Bounded templ;        ///< sum (T - a)
    Bounded templSquares; ///< sum (T - a)^2
    Bounded panelLevel;   ///< c
    Bounded templLevel;   ///< a

    /// Each side keeps its own level, so that none is lost beside the other; differences of the
    /// sides need the same level, a.
    [[nodiscard]] Quantities quantities() const {
        const Bounded two{2, 0};
        const Bounded shift = panelLevel - templLevel;
        const Bounded together = products + shift * templ; // sum (P - a)(T - a)
        return {.products = products + panelLevel * templ + templLevel * panel +
                            count * panelLevel * templLevel,
                .panelSquares = squares(panelSquares, panel, panelLevel),
                .templSquares = squares(templSquares, templ, templLevel),
                .covariance = products - panel * templ / count,
                .panelVariance = panelSquares - panel * panel / count,
                .templVariance = templSquares - templ * templ / count,
                .squaredDifferences =
                    squares(panelSquares, panel, shift) + templSquares - two * together,
                .absoluteDifferences = {}};
    }

  private:
    /// sum (v + level)^2 from sum v^2 and sum v
    [[nodiscard]] Bounded squares(const Bounded& of, const Bounded& sum,
                                  const Bounded& level) const {
        return of + Bounded{2, 0} * level * sum + count * level * level;
    }
};

/// Computed sums of a placement, x = (P - c) / unit and t = T - a.
struct PlacementSums {
    double products = 0; ///< sum x t
    double panel = 0;    ///< sum x
    double squares = 0;  ///< sum x^2
};

/// What turns computed sums of the placements of a tile into LevelSums of P / panelUnit and
/// T / templUnit: powers of two that keep squares from overflow and underflow. Errors are bounds on
/// those of the computed sums.
struct LevelFrame {
    /// The sums times their units are whole numbers, with an error below 1/2: they are rounded to
    /// the nearest one and are exact then.
    bool exact = false;
    double unit = 1;          ///< of x, in panelUnit
    double productUnit = 1;   ///< of x t, in panelUnit templUnit
    double productsError = 0; ///< of sum x t, relative to ||x|| ||t|| of the placement
    double sumsError = 0;     ///< of sum x and sum x^2, relative to sums of magnitudes
    double tileProducts = 0;  ///< what adds to the error of sum x t, for all placements
    double tilePanel = 0;     ///< ... of sum x
    double tileSquares = 0;   ///< ... of sum x^2
    double templNorm = 0;     ///< ||T - a||
    double root = 0;          ///< sqrt(count)
    Bounded panelLevel;       ///< c
    Bounded templLevel;       ///< a
    Bounded count;
    Bounded templ;        ///< sum (T - a)
    Bounded templSquares; ///< sum (T - a)^2
    ValueUnit value;      ///< panelUnit templUnit

    template <bool Exact> [[nodiscard]] LevelSums measured(const PlacementSums& of) const {
        LevelSums sums{{}, {}, {}, count, templ, templSquares, panelLevel, templLevel};
        const double square = unit * unit;
        if constexpr (Exact) {
            sums.products.value = std::nearbyint(of.products * productUnit);
            sums.panel.value = std::nearbyint(of.panel * unit);
            sums.panelSquares.value = std::nearbyint(of.squares * square);
        } else {
            const double most = 0.5 * (of.squares + std::abs(of.squares)) + tileSquares;
            const double size = std::sqrt(most) * (1 + 1e-3) * unit; // ||P - c||, at least
            sums.products = {of.products * productUnit,
                             tileProducts * productUnit + productsError * (size * templNorm)};
            sums.panel = {of.panel * unit, tilePanel * unit + sumsError * (size * root)};
            sums.panelSquares = {of.squares * square, (tileSquares + sumsError * most) * square};
        }
        return sums;
    }

    template <bool Exact> [[nodiscard]] Quantities quantities(const PlacementSums& of) const {
        return measured<Exact>(of).quantities();
    }
};

/// Computed sums of a row of placements of one frame.
struct SumsRow {
    const double* products = nullptr;
    const double* panel = nullptr;
    const double* squares = nullptr;
    std::int64_t count = 0;
};

/// Values of a row of placements as OperationTemplate::finish() makes them, without a status: a
/// value that is not finite is undefined, or must be found in another way.
struct ValueRow {
    double* value = nullptr;
    double* bound = nullptr;
    double* scale = nullptr;
};

} // namespace flcc::method
