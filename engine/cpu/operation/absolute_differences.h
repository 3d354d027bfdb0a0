#pragma once

#include <vector>

#include "engine/cpu/operation/operation_run.h"

namespace flcc::cpu {

/// sum |P - T| of the placements of a tile (Gholami (2.1)): 8-bit pixels four at a time in 16-bit
/// sums that are emptied in time, integers of 16 bits in 32-bit sums, others in double. Voxels that
/// count under panels that leave the scene or its mask, or hold NaN or Inf, are counted by the same
/// sums. With Outside::Overlap, tiles with such panels are left to the canonical value.
class AbsoluteDifferences final : public PlacementValues {
  public:
    AbsoluteDifferences(const base::Extents& m, const base::Extents& tile);

    [[nodiscard]] bool load(const GeneralRun& run, const OperationPrepared& templ,
                            const base::Box& out, const std::stop_token& stop,
                            StageClock& clock) override;
    void row(std::int64_t y, std::int64_t z, RowValues& to) override;

    [[nodiscard]] static std::int64_t bytes(const base::Extents& m, const base::Extents& tile);

  private:
    [[nodiscard]] std::optional<method::OperationValue> value(const base::Index& at) const;

    base::Extents m_out{0, 0, 0};
    bool m_known = false;         ///< the tile has values
    double m_most = 0;            ///< larger values are left to the canonical value
    double m_error = 0;           ///< of a value, relative
    double m_lost = 0;            ///< what adds to the bound of a value
    double m_templMagnitude = 0;  ///< sum |T|
    double m_count = 0;           ///< voxels of the template's support
    std::vector<double> m_values; ///< of the tile, x fastest
    std::vector<double> m_inside; ///< voxels inside the scene and its mask; empty: all are
    std::vector<double> m_bad;    ///< voxels that are not finite; empty: none is
    std::vector<double> m_room;   ///< the voxels of a footprint
};

} // namespace flcc::cpu
