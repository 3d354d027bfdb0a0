#pragma once

#include <cmath>

#include "engine/method/operation.h"

namespace flcc::method {

/// A linear form of the sums of a placement: sum x t, sum x and sum x^2, x = P less its level and t
/// = T less its level. Only forms are made of it: a product of two that are no constants is not
/// `defined`.
struct Linear {
    Bounded products; ///< factor of sum x t
    Bounded panel;    ///< of sum x
    Bounded squares;  ///< of sum x^2
    Bounded constant;
    /// The form is divided by sqrt(sum P^2 sum T^2).
    bool normalised = false;
    bool defined = true;

    Linear() = default;
    Linear(const Bounded& value) : constant(value) {}
    Linear(const Bounded& ofProducts, const Bounded& ofPanel, const Bounded& ofSquares)
        : products(ofProducts), panel(ofPanel), squares(ofSquares) {}

    [[nodiscard]] bool isConstant() const {
        return products.value == 0 && panel.value == 0 && squares.value == 0;
    }
    /// Every factor after `change`.
    template <class Change> [[nodiscard]] Linear each(Change&& change) const {
        Linear made = *this;
        for (Bounded* const factor : {&made.products, &made.panel, &made.squares, &made.constant}) {
            *factor = change(*factor);
        }
        return made;
    }
};

[[nodiscard]] inline Linear operator+(const Linear& a, const Linear& b) {
    Linear sum(a.products + b.products, a.panel + b.panel, a.squares + b.squares);
    sum.constant = a.constant + b.constant;
    sum.defined = a.defined && b.defined;
    return sum;
}
[[nodiscard]] inline Linear operator-(const Linear& a, const Linear& b) {
    return a + b.each([](const Bounded& factor) { return -factor; });
}
[[nodiscard]] inline Linear operator*(const Linear& a, const Linear& b) {
    const Linear& form = b.isConstant() ? a : b;
    const Bounded by = (b.isConstant() ? b : a).constant;
    Linear product = form.each([&](const Bounded& factor) { return factor * by; });
    product.defined = a.defined && b.defined && (a.isConstant() || b.isConstant());
    return product;
}
[[nodiscard]] inline Linear operator/(const Linear& a, const Linear& b) {
    Linear quotient = a.each([&](const Bounded& factor) { return factor / b.constant; });
    quotient.defined = a.defined && b.defined && b.isConstant();
    return quotient;
}

/// Sums over the voxels of a placement that count: P less a level c, and T less a level a.
template <class Number> struct LevelSumsOf {
    Number products;     ///< sum (P - c)(T - a)
    Number panel;        ///< sum (P - c)
    Number panelSquares; ///< sum (P - c)^2
    Number count;
    Number templ;        ///< sum (T - a)
    Number templSquares; ///< sum (T - a)^2
    Number panelLevel;   ///< c
    Number templLevel;   ///< a

    /// Each side keeps its own level, so that none is lost beside the other; differences of the
    /// sides need the same level, a.
    [[nodiscard]] QuantitiesOf<Number> quantities() const {
        const Number two = Bounded{2, 0};
        const Number shift = panelLevel - templLevel;
        const Number together = products + shift * templ; // sum (P - a)(T - a)
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
    [[nodiscard]] Number squares(const Number& of, const Number& sum, const Number& level) const {
        const Number two = Bounded{2, 0};
        return of + two * level * sum + count * level * level;
    }
};
using LevelSums = LevelSumsOf<Bounded>;

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

} // namespace flcc::method
