#pragma once

#include <cstdint>
#include <vector>

#include "engine/cpu/operation/operation_run.h"

namespace flcc::cpu {

/// Decides FLAT for placements of a tile, on the stored voxels (engine/method/NUMERICS.md, section
/// 2). One for each worker.
class FlatPanels {
  public:
    /// Takes the placements `out` of a template. What it is given must outlive its use.
    void start(const GeneralRun& run, const OperationPrepared& templ, const base::Box& out);
    /// `whole`: all voxels of the support lie inside.
    [[nodiscard]] bool isFlat(const base::Index& at, bool whole);

  private:
    [[nodiscard]] bool isConstantPanel(const base::Index& at, const base::Index& corner, bool zero);
    [[nodiscard]] bool isZeroNear(const base::Index& at) const;

    const GeneralRun* m_run = nullptr;
    const OperationPrepared* m_templ = nullptr;
    base::Box m_out;
    base::Index m_first; ///< the scene voxel under the template's first one at the first placement
    std::vector<std::uint8_t> m_flat; ///< result of flatPanels(); empty until needed
};

} // namespace flcc::cpu
