#pragma once

#include "engine/cpu/operation/flat_panels.h"
#include "engine/cpu/operation/operation_run.h"
#include "engine/method/shared/panel_score.h"

namespace flcc::cpu {

/// Local correlation coefficients of the placements of general tiles, with bounds on their errors
/// (engine/method/NUMERICS.md, sections 1 and 5). FLAT is decided on the stored voxels.
class LccValues final : public PlacementValues {
  public:
    explicit LccValues(std::unique_ptr<Correlator> correlator) : m_sums(std::move(correlator)) {}

    [[nodiscard]] bool load(const GeneralRun& run, const OperationPrepared& templ,
                            const base::Box& out, const std::stop_token& stop,
                            StageClock& clock) override;
    void row(std::int64_t y, std::int64_t z, RowValues& to) override;
    [[nodiscard]] CentredTile tile() const override { return m_sums.frame().tile; }
    [[nodiscard]] std::int64_t overRange() const override { return m_overRange; }

  private:
    void makeFrame();
    [[nodiscard]] method::OperationValue value(const base::Index& at,
                                               const method::shared::PanelFrame& frame);

    GeneralSums m_sums;
    const GeneralRun* m_run = nullptr;
    const OperationPrepared* m_templ = nullptr;
    base::Box m_out;
    base::Index m_first; ///< the scene voxel under the template's first one at the first placement
    method::shared::PanelFrame m_frame;
    FlatPanels m_flat;
    std::int64_t m_overRange = 0;
};

} // namespace flcc::cpu
