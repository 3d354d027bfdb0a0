#pragma once

#include <array>
#include <memory>
#include <optional>

#include "engine/cpu/operation/operation_run.h"
#include "engine/cpu/tile/correlator.h"
#include "engine/cpu/tile/support_loader.h"
#include "engine/method/level_sums.h"

namespace flcc::cpu {

/// Quantities of the placements of one tile after the other, in double: from correlations of x, x^2
/// and 1 (inside) with the template, its square and its support. Whole numbers stay exact:
/// transforms are rounded to the nearest one where their bound is below 1/2. One for each worker.
/// **Source**: Gholami (2.1), (2.2); engine/method/NUMERICS.md, sections 1 and 5.
class OperationSums final : public PlacementValues {
  public:
    explicit OperationSums(std::unique_ptr<Correlator> correlator) : m_own(std::move(correlator)) {}

    /// Correlates the tile `out`. False: stopped.
    [[nodiscard]] bool load(const method::Problem& problem, const OperationPrepared& templ,
                            const method::MaskedView& scene, const base::Box& out,
                            const std::stop_token& stop) override;

    /// The value at a placement of the tile; `scale` as OperationValue. Empty if the canonical
    /// value must decide: whole numbers that are not exact, or an infinite bound.
    [[nodiscard]] std::optional<method::OperationValue> value(const base::Index& at) const override;

    [[nodiscard]] int exponent() const override { return m_exponent; }

    [[nodiscard]] bool row(std::int64_t, std::int64_t, RowValues&) const override { return false; }

  private:
    [[nodiscard]] double sum(std::int64_t slot, const base::Index& at) const;
    template <bool Exact>
    [[nodiscard]] method::Quantities quantities(const base::Index& at, double inside) const;
    void load(const method::MaskedView& scene, const base::Box& seen);
    void makeFrame();
    void decideExact();

    std::unique_ptr<Correlator> m_own;
    const method::Problem* m_problem = nullptr;
    const OperationPrepared* m_templ = nullptr;
    SupportFrame m_frame;
    method::LevelFrame m_level;
    std::array<simd::DoubleBox, Correlator::kOutputs> m_boxes{}; ///< those that are computed
    double m_insideNorm = 0;
    bool m_partial = false; ///< part of the footprint lies outside the scene or its mask
    int m_exponent = 0;
    bool m_apart = false; ///< the canonical values must decide: the sides are too far apart
    bool m_whole = false; ///< pixels of scene and template are whole numbers
};

} // namespace flcc::cpu
