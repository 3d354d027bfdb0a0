#include "engine/method/operation.h"

#include <array>

namespace flcc::method {

namespace {

constexpr double kEndless = std::numeric_limits<double>::infinity();

/// Divides by the norms of panel and template; NaN where one of them is certainly 0.
Bounded normalised(const Bounded& value, const Quantities& of) {
    const Bounded norms = sqrt(of.panelSquares) * sqrt(of.templSquares);
    const bool zero = norms.value == 0 && norms.error == 0;
    return zero ? Bounded{std::numeric_limits<double>::quiet_NaN(), 0} : value / norms;
}

// One entry an operation. Sums that a finish does not read cost nothing in a method by definition.
const std::array kTable{
    OperationTraits{.name = "lcc",
                    .label = "LCC",
                    .title = "Local correlation coefficient",
                    .formula = "sum (P - p)(T - t) / sqrt(sum (P - p)^2 sum (T - t)^2)",
                    .unit = ""},
    OperationTraits{.name = "correlation",
                    .label = "Correlation",
                    .title = "Correlation",
                    .formula = "sum P T",
                    .unit = "value^2",
                    .lowest = -kEndless,
                    .highest = kEndless,
                    .threshold = -kEndless,
                    .finish = [](const Quantities& of) { return of.products; }},
    OperationTraits{.name = "covariance",
                    .label = "Covariance",
                    .title = "Covariance",
                    .formula = "sum (P - p)(T - t)",
                    .unit = "value^2",
                    .lowest = -kEndless,
                    .highest = kEndless,
                    .threshold = -kEndless,
                    .finish = [](const Quantities& of) { return of.covariance; }},
    OperationTraits{.name = "cosine",
                    .label = "Cosine",
                    .title = "Cosine",
                    .formula = "sum P T / sqrt(sum P^2 sum T^2)",
                    .unit = "",
                    .threshold = -kEndless,
                    .finish = [](const Quantities& of) { return normalised(of.products, of); }},
    OperationTraits{.name = "ssd",
                    .label = "SSD",
                    .title = "Sum of squared differences",
                    .formula = "sum (P - T)^2",
                    .unit = "value^2",
                    .lowest = 0,
                    .highest = kEndless,
                    .best = Best::Smallest,
                    .threshold = kEndless,
                    .finish = [](const Quantities& of) { return of.squaredDifferences; }},
    OperationTraits{
        .name = "nssd",
        .label = "NSSD",
        .title = "Normalised sum of squared differences",
        .formula = "sum (P - T)^2 / sqrt(sum P^2 sum T^2)",
        .unit = "",
        .lowest = 0,
        .highest = kEndless,
        .best = Best::Smallest,
        .threshold = kEndless,
        .finish = [](const Quantities& of) { return normalised(of.squaredDifferences, of); }},
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
