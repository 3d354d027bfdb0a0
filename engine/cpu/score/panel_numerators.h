#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "engine/cpu/score/tile_scorer.h"

namespace flcc::cpu {

/// Numerators of single panels of a tile, by the definition.
class PanelNumerators {
  public:
    /// Chooses the cheaper computation for all of `panels`: in double or in integers.
    PanelNumerators(const AgainInput& input, const CentredTile& tile,
                    const std::vector<simd::LowPanel>& panels);

    [[nodiscard]] double ns() const { return m_ns; }
    /// Null if the numerators are computed in double, from That.
    [[nodiscard]] const IntegerTemplate* integers() const {
        return m_integers ? m_input.integers : nullptr;
    }

    /// Must be called before of().
    void prepare() const;

    /// Numerators of the `count` panels from `first` on; `count` is at most simd::kPanels.
    void of(const simd::LowPanel* first, std::size_t count, std::array<double, simd::kPanels>& to);

  private:
    const AgainInput& m_input;
    base::Extents m_m;
    float m_scale;
    base::Box m_seen{}; ///< voxels that are converted to steps
    simd::StepBox m_steps;
    bool m_integers = false;
    double m_ns = 0;
    std::array<std::int64_t, simd::kPanels> m_at{};
};

} // namespace flcc::cpu
