#pragma once

#include "engine/cpu/operation/operation_run.h"

namespace flcc::cpu {

/// The status of a placement under weights, decided on the stored voxels.
[[nodiscard]] base::Status weightedStatus(const GeneralRun& run, const OperationPrepared& templ,
                                          const base::Index& corner);

/// Statuses of the placements of general tiles under weights, decided on the stored voxels; the
/// canonical value gives every score. Such tiles lie at the edge of the scene or of its mask.
class WeightedValues final : public PlacementValues {
  public:
    [[nodiscard]] bool load(const GeneralRun& run, const OperationPrepared& templ,
                            const base::Box& out, const std::stop_token& stop,
                            StageClock& clock) override;
    void row(std::int64_t y, std::int64_t z, RowValues& to) override;

  private:
    const GeneralRun* m_run = nullptr;
    const OperationPrepared* m_templ = nullptr;
    base::Index m_first; ///< the scene voxel under the template's first one at the first placement
};

} // namespace flcc::cpu
