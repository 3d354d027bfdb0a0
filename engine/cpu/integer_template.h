#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "engine/base/tile_pool.h"
#include "engine/cpu/simd/kernels.h"
#include "engine/cpu/tile_loader.h"
#include "engine/method/canonical.h"
#include "engine/method/problem.h"

namespace flcc::cpu {

/// A template of few bits in steps of its quantum from near its mean, as the kernels in integers
/// read it, two by two, and its sums.
class IntegerTemplate {
  public:
    /// Empty where the template has more steps than 16 bits hold or a mask, and where none of the
    /// problem is done in single precision.
    [[nodiscard]] static std::optional<IntegerTemplate> of(const method::Problem& problem,
                                                           const method::MaskedView& templ);

    /// Bytes of what is kept of a template, if it is.
    [[nodiscard]] static std::int64_t bytes(const method::Problem& problem);

    /// Whether sums of products with voxels of a tile are exact in 32-bit integers: those of all
    /// parts of a panel, too, as the magnitudes of all its products together are.
    [[nodiscard]] bool fits(const CentredTile& tile) const {
        return tile.exactSums && fits(m_count, m_steps, tile.steps);
    }
    /// The same of `count` voxels whose magnitudes are known.
    [[nodiscard]] static bool fits(double count, double templSteps, double sceneSteps);

    /// Rows of (m.x + 1) / 2 pairs, the lower half first, and kSlack zeros.
    [[nodiscard]] const std::int32_t* pairs() const { return m_pairs.data(); }
    [[nodiscard]] double sum() const { return m_sum; }
    [[nodiscard]] double norm() const { return m_norm; } ///< ||b - mean||

  private:
    /// `x` is the template as `tile` says.
    IntegerTemplate(const CentredTile& tile, const base::Extents& m, const simd::FloatBox& x);

    std::vector<std::int32_t> m_pairs;
    double m_count = 0;
    double m_steps = 0; ///< largest magnitude
    double m_sum = 0;
    double m_norm = 1;
};

/// A template as every method keeps it.
struct TemplateForms {
    method::CanonicalTemplate canonical;
    std::optional<IntegerTemplate> integers;

    /// Those of a large template by two threads of the pool.
    /// **Errors**: as method::requireUsableTemplate().
    [[nodiscard]] static TemplateForms of(const method::Problem& problem,
                                          const method::MaskedView& templ, base::TilePool& pool);
    /// What that takes.
    [[nodiscard]] static double ns(const method::Problem& problem) {
        constexpr double kVoxelNs = 1.2;
        return kVoxelNs * problem.templates * static_cast<double>(base::voxelCount(problem.templ));
    }
};

} // namespace flcc::cpu
