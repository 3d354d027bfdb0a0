#pragma once

#include "engine/cpu/operation/operation_run.h"
#include "engine/method/shared/level_sums.h"
#include <memory>

namespace flcc::cpu {

/// Quantities of the placements of one tile after the other, in double: from correlations of x, x^2
/// and 1 (inside) with the template, its square and its support. Whole numbers stay exact:
/// transforms are rounded to the nearest one where their bound is below 1/2. One for each worker.
/// **Source**: Gholami (2.1), (2.2); engine/method/NUMERICS.md, sections 1 and 5.
class OperationSums final : public PlacementValues {
  public:
    explicit OperationSums(std::unique_ptr<Correlator> correlator)
        : m_sums(std::move(correlator)) {}

    [[nodiscard]] bool load(const GeneralRun& run, const OperationPrepared& templ,
                            const base::Box& out, const std::stop_token& stop,
                            StageClock& clock) override;
    void row(std::int64_t y, std::int64_t z, RowValues& to) override;

  private:
    /// Empty where whole numbers are not exact, or a bound is infinite.
    [[nodiscard]] std::optional<method::OperationValue> value(const base::Index& at) const;
    template <bool Exact>
    [[nodiscard]] method::Quantities quantities(const base::Index& at, double inside) const;
    void makeFrame();
    void decideExact();

    GeneralSums m_sums;
    const method::Problem* m_problem = nullptr;
    const OperationPrepared* m_templ = nullptr;
    method::LevelFrame m_level;
    bool m_apart = false; ///< the canonical values must decide: the sides are too far apart
    bool m_whole = false; ///< pixels of scene and template are whole numbers
};

} // namespace flcc::cpu
