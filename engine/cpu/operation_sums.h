#pragma once

#include <array>
#include <memory>
#include <optional>

#include "engine/cpu/correlator.h"
#include "engine/cpu/operation_run.h"
#include "engine/cpu/support_loader.h"

namespace flcc::cpu {

/// Quantities of the placements of one tile after the other from correlations of the tile, in
/// double: x, x^2 and 1 (inside) with the template, its square and its support. Whole numbers stay
/// exact: transforms are rounded to the nearest one where their bound is below 1/2. One for each
/// worker. **Source**: METHODS 3.8; engine/method/NUMERICS.md, section 1.
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

  private:
    [[nodiscard]] double sum(std::int64_t slot, const base::Index& at) const;
    [[nodiscard]] method::Bounded known(std::int64_t slot, const base::Index& at, double unit,
                                        double tileError, double magnitude) const;
    void decideExact();

    std::unique_ptr<Correlator> m_own;
    const method::Problem* m_problem = nullptr;
    const OperationPrepared* m_templ = nullptr;
    SupportFrame m_frame;
    std::array<simd::DoubleBox, Correlator::kOutputs> m_boxes{}; ///< those that are computed
    double m_insideNorm = 0;
    bool m_partial = false; ///< part of the footprint lies outside the scene or its mask
    bool m_whole = false;   ///< pixels of scene and template are whole numbers
    bool m_exact = false;   ///< all sums of this tile are whole numbers without an error
};

} // namespace flcc::cpu
