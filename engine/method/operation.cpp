#include "engine/method/operation.h"

#include <algorithm>
#include <array>

#include "engine/base/widest.h"
#include "engine/method/level_sums.h"

namespace flcc::method {

namespace {

constexpr double kEndless = std::numeric_limits<double>::infinity();

/// Divides by the norms of panel and template; NaN where one of them is certainly 0.
Bounded normalised(const Bounded& value, const Quantities& of) {
    const Bounded norms = sqrt(of.panelSquares) * sqrt(of.templSquares);
    // 0 / 0 is NaN; without a branch, so that rows become vectors.
    const double above = norms.value + norms.error > 0 ? value.value : 0.0;
    return Bounded{above, value.error} / norms;
}

/// What the promise is multiplied with.
enum class Scale { One, ProductOfNorms, MeanSquares };

/// The loop of a row. `Finish` is a function without data.
template <class Finish, bool Exact, Scale Of> struct RowLoop {
    const OperationTraits& traits;
    const LevelFrame& frame;
    const SumsRow& sums;
    const ValueRow& to;

    void operator()() const {
        const LevelFrame own = frame; // copies: what is written changes nothing of them
        const SumsRow from = sums;
        const ValueRow out = to;
        const double lowest = traits.lowest;
        const double highest = traits.highest;
#pragma GCC ivdep
        for (std::int64_t x = 0; x < from.count; ++x) {
            const Quantities of =
                own.template quantities<Exact>({from.products[x], from.panel[x], from.squares[x]});
            const Bounded found = Finish{}(of);
            const double least = found.value < lowest ? lowest : found.value;
            const double value = least > highest ? highest : least;
            if constexpr (Of == Scale::One) {
                out.value[x] = value;
                out.bound[x] = boundOf(found);
                out.scale[x] = std::abs(value) > 1 ? std::abs(value) : 1.0;
            } else {
                const double scale =
                    Of == Scale::MeanSquares ? meanSquares(of) : productOfNorms(of);
                out.value[x] = own.value.times(value);
                out.bound[x] = own.value.timesBound(boundOf(found));
                out.scale[x] = own.value.times(scale);
            }
        }
    }
};

template <class Finish>
void finishRowOf(const OperationTraits& traits, const LevelFrame& frame, const SumsRow& sums,
                 const ValueRow& to) {
    const auto run = [&]<bool Exact>(std::bool_constant<Exact>) {
        if (traits.isPure()) {
            base::inWidest(RowLoop<Finish, Exact, Scale::One>{traits, frame, sums, to});
        } else if (traits.comparesSides) {
            base::inWidest(RowLoop<Finish, Exact, Scale::MeanSquares>{traits, frame, sums, to});
        } else {
            base::inWidest(RowLoop<Finish, Exact, Scale::ProductOfNorms>{traits, frame, sums, to});
        }
    };
    frame.exact ? run(std::true_type{}) : run(std::false_type{});
}

/// An entry whose values `Finish` makes of the sums of correlations.
template <class Finish> constexpr OperationTraits finishedBy(OperationTraits traits, Finish) {
    traits.finish = [](const Quantities& of) { return Finish{}(of); };
    traits.finishRow = finishRowOf<Finish>;
    return traits;
}

// One entry an operation. Sums that a finish does not read cost nothing, in rows and in a method by
// definition.
const std::array kTable{
    OperationTraits{.name = "lcc",
                    .label = "LCC",
                    .title = "Local correlation coefficient",
                    .formula = "sum (P - p)(T - t) / sqrt(sum (P - p)^2 sum (T - t)^2)",
                    .unit = ""},
    finishedBy(OperationTraits{.name = "correlation",
                               .label = "Correlation",
                               .title = "Correlation",
                               .formula = "sum P T",
                               .unit = "value^2",
                               .lowest = -kEndless,
                               .highest = kEndless,
                               .threshold = -kEndless},
               [](const Quantities& of) { return of.products; }),
    finishedBy(OperationTraits{.name = "covariance",
                               .label = "Covariance",
                               .title = "Covariance",
                               .formula = "sum (P - p)(T - t)",
                               .unit = "value^2",
                               .lowest = -kEndless,
                               .highest = kEndless,
                               .threshold = -kEndless},
               [](const Quantities& of) { return of.covariance; }),
    finishedBy(OperationTraits{.name = "cosine",
                               .label = "Cosine",
                               .title = "Cosine",
                               .formula = "sum P T / sqrt(sum P^2 sum T^2)",
                               .unit = "",
                               .threshold = -kEndless},
               [](const Quantities& of) { return normalised(of.products, of); }),
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
               [](const Quantities& of) { return of.squaredDifferences; }),
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
               [](const Quantities& of) { return normalised(of.squaredDifferences, of); }),
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
