#include "engine/method/operation.h"

#include <array>
#include <cmath>

#include "engine/method/shared/level_sums.h"

namespace flcc::method {

namespace {

constexpr double kEndless = std::numeric_limits<double>::infinity();

/// Divides by the norms of panel and template; NaN where one of them is certainly 0.
Bounded normalised(const Bounded& value, const Quantities& of) {
    const Bounded norms = sqrt(of.panelSquares) * sqrt(of.templSquares);
    return norms.value + norms.error > 0 ? value / norms : Bounded{std::nan(""), 0};
}
Linear normalised(const Linear& value, const QuantitiesOf<Linear>&) {
    Linear made = value;
    made.normalised = true;
    return made;
}

/// An entry whose values `Finish` makes of sums that correlations give.
template <class Finish> constexpr OperationTraits finishedBy(OperationTraits traits, Finish) {
    traits.finish = [](const Quantities& of) { return Finish{}(of); };
    traits.linear = [](const QuantitiesOf<Linear>& of) { return Finish{}(of); };
    return traits;
}

// One entry an operation. Sums that a finish does not read cost nothing, in rows and in a method by
// definition.
const std::array kTable{
    OperationTraits{.name = "lcc",
                    .label = "LCC",
                    .title = "Local correlation coefficient",
                    .formula = "sum (P - p)(T - t) / sqrt(sum (P - p)^2 sum (T - t)^2)",
                    .unit = "",
                    .ignoresContrast = true,
                    .absolutePromise = true,
                    .inScoreUnits = true,
                    .exactOfIntegers = false,
                    .hasLaw = true,
                    .refinesByPixels = true,
                    .prunes = true,
                    .comparesMembers = true,
                    .choosesDenominator = true,
                    .drawnFromZero = true,
                    .hasRowScorer = true,
                    .canonicalShare = 1,
                    .definitionNs = 8},
    finishedBy(OperationTraits{.name = "correlation",
                               .label = "Correlation",
                               .title = "Correlation",
                               .formula = "sum P T",
                               .unit = "value^2",
                               .lowest = -kEndless,
                               .highest = kEndless,
                               .threshold = -kEndless},
               [](const auto& of) { return of.products; }),
    finishedBy(OperationTraits{.name = "covariance",
                               .label = "Covariance",
                               .title = "Covariance",
                               .formula = "sum (P - p)(T - t)",
                               .unit = "value^2",
                               .lowest = -kEndless,
                               .highest = kEndless,
                               .threshold = -kEndless},
               [](const auto& of) { return of.covariance; }),
    finishedBy(OperationTraits{.name = "cosine",
                               .label = "Cosine",
                               .title = "Cosine",
                               .formula = "sum P T / sqrt(sum P^2 sum T^2)",
                               .unit = "",
                               .threshold = -kEndless},
               [](const auto& of) { return normalised(of.products, of); }),
    finishedBy(OperationTraits{.name = "ssd",
                               .label = "SSD",
                               .title = "Sum of squared differences",
                               .formula = "sum (P - T)^2",
                               .unit = "value^2",
                               .lowest = 0,
                               .highest = kEndless,
                               .best = Best::Smallest,
                               .threshold = kEndless,
                               .comparesSides = true,
                               .sumsChannels = true},
               [](const auto& of) { return of.squaredDifferences; }),
    finishedBy(OperationTraits{.name = "nssd",
                               .label = "NSSD",
                               .title = "Normalised sum of squared differences",
                               .formula = "sum (P - T)^2 / sqrt(sum P^2 sum T^2)",
                               .unit = "",
                               .lowest = 0,
                               .highest = kEndless,
                               .best = Best::Smallest,
                               .threshold = kEndless,
                               .comparesSides = true},
               [](const auto& of) { return normalised(of.squaredDifferences, of); }),
    OperationTraits{.name = "sad",
                    .label = "SAD",
                    .title = "Sum of absolute differences",
                    .formula = "sum |P - T|",
                    .unit = "value",
                    .lowest = 0,
                    .highest = kEndless,
                    .best = Best::Smallest,
                    .threshold = kEndless,
                    .byDefinition = true,
                    .comparesSides = true,
                    .sumsChannels = true,
                    .finish = [](const Quantities& of) { return of.absoluteDifferences; }},
};

} // namespace

std::span<const OperationTraits> operationTable() { return kTable; }

std::optional<Operation> operationNamed(std::string_view name) {
    for (std::size_t row = 0; row < kTable.size(); ++row) {
        if (kTable[row].name == name) {
            return Operation(row);
        }
    }
    return std::nullopt;
}

} // namespace flcc::method
