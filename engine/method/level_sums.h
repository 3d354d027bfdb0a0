#pragma once

#include <cmath>

#include "engine/method/bounded.h"
#include "engine/method/operation.h"

namespace flcc::method {

/// Sums over the voxels of a placement that count: P and T less one level a.
struct LevelSums {
    Bounded products;     ///< sum (P - a)(T - a)
    Bounded panel;        ///< sum (P - a)
    Bounded panelSquares; ///< sum (P - a)^2
    Bounded count;
    Bounded templ;        ///< sum (T - a)
    Bounded templSquares; ///< sum (T - a)^2
    Bounded level;        ///< a

    [[nodiscard]] Quantities quantities() const {
        const Bounded two{2, 0};
        const Bounded square = count * level * level;
        return {.products = products + level * (panel + templ) + square,
                .panelSquares = panelSquares + two * level * panel + square,
                .templSquares = templSquares + two * level * templ + square,
                .covariance = products - panel * templ / count,
                .panelVariance = panelSquares - panel * panel / count,
                .templVariance = templSquares - templ * templ / count,
                .squaredDifferences = panelSquares + templSquares - two * products,
                .absoluteDifferences = {}};
    }
};

/// Computed sums of a placement, x = (P - c) / unit and t = T - a.
struct PlacementSums {
    double products = 0; ///< sum x t
    double panel = 0;    ///< sum x
    double squares = 0;  ///< sum x^2
};

/// What turns computed sums of the placements of a tile into LevelSums. Errors are bounds on those
/// of the computed sums, in `unit` or its square.
struct LevelFrame {
    /// The sums times unit or its square are whole numbers, with an error below 1/2: they are
    /// rounded to the nearest one and are exact then.
    bool exact = false;
    double unit = 1;
    double productsError = 0; ///< of sum x t, relative to ||x|| ||t|| of the placement
    double sumsError = 0;     ///< of sum x and sum x^2, relative to sums of magnitudes
    double tileProducts = 0;  ///< what adds to the error of sum x t, for all placements
    double tilePanel = 0;     ///< ... of sum x
    double tileSquares = 0;   ///< ... of sum x^2
    double templNorm = 0;     ///< ||t||
    double root = 0;          ///< sqrt(count)
    Bounded shift;            ///< c - a
    Bounded level;            ///< a
    Bounded count;
    Bounded templ;        ///< sum t
    Bounded templSquares; ///< sum t^2

    /// The sums over (P - c) in place of those over (P - a).
    template <bool Exact> [[nodiscard]] LevelSums measured(const PlacementSums& of) const {
        LevelSums sums{{}, {}, {}, count, templ, templSquares, level};
        const double square = unit * unit;
        if constexpr (Exact) {
            sums.products.value = std::nearbyint(of.products * unit);
            sums.panel.value = std::nearbyint(of.panel * unit);
            sums.panelSquares.value = std::nearbyint(of.squares * square);
        } else {
            const double most = 0.5 * (of.squares + std::abs(of.squares)) + tileSquares;
            const double size = std::sqrt(most) * (1 + 1e-3) * unit; // ||P - c||, at least
            sums.products = {of.products * unit,
                             tileProducts * unit + productsError * (size * templNorm)};
            sums.panel = {of.panel * unit, tilePanel * unit + sumsError * (size * root)};
            sums.panelSquares = {of.squares * square, (tileSquares + sumsError * most) * square};
        }
        return sums;
    }

    /// Turns sums over (P - c) into those over (P - a).
    void toLevel(LevelSums& sums) const {
        sums.products = sums.products + shift * sums.templ;
        sums.panelSquares =
            sums.panelSquares + Bounded{2, 0} * shift * sums.panel + sums.count * shift * shift;
        sums.panel = sums.panel + shift * sums.count;
    }

    template <bool Exact> [[nodiscard]] Quantities quantities(const PlacementSums& of) const {
        LevelSums sums = measured<Exact>(of);
        toLevel(sums);
        return sums.quantities();
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
