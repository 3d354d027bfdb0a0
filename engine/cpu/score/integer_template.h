#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "engine/base/tile_pool.h"
#include "engine/cpu/simd/kernels.h"
#include "engine/cpu/tile/tile_loader.h"
#include "engine/method/canonical.h"
#include "engine/method/problem.h"

namespace flcc::cpu {

/// A template of few bits as the integer kernels read it: its voxels as steps of its quantum,
/// counted from a level near its mean, in pairs, and sums over these steps
/// (engine/method/NUMERICS.md, section 7).
class IntegerTemplate {
  public:
    /// Empty if the problem is computed in double, or if the template has a mask, a voxel that is
    /// not finite, no quantum, or more steps than 16 bits hold.
    [[nodiscard]] static std::optional<IntegerTemplate> of(const method::Problem& problem,
                                                           const method::MaskedView& templ);

    /// Largest magnitude of a voxel, in steps.
    static constexpr double kMostSteps = 32767;

    /// Bytes of an integer template of the problem if there can be one, else 0.
    [[nodiscard]] static std::int64_t bytes(const method::Problem& problem);

    /// True if sums of products with the voxels of a tile are exact in 32-bit integers. The test is
    /// on the sum of the magnitudes of all products of a panel, so partial sums are exact too.
    [[nodiscard]] bool fits(const CentredTile& tile) const {
        return tile.exactSums && fits(m_count, m_steps, tile.steps);
    }
    /// The same for `count` voxels whose largest magnitudes, in steps, are given.
    [[nodiscard]] static bool fits(double count, double templSteps, double sceneSteps);

    /// Rows of (m.x + 1) / 2 pairs, the voxel with the smaller x in the lower half. kSlack zeros
    /// follow the last row.
    [[nodiscard]] const std::int32_t* pairs() const { return m_pairs.data(); }
    [[nodiscard]] double sum() const { return m_sum; }
    [[nodiscard]] double norm() const { return m_norm; } ///< ||b - mean||
    [[nodiscard]] double squares() const { return m_squares; }
    /// T = level() + quantum() b
    [[nodiscard]] double level() const { return m_level; }
    [[nodiscard]] double quantum() const { return m_quantum; }

  private:
    /// `x` holds the template in the frame `tile`.
    IntegerTemplate(const CentredTile& tile, const base::Extents& m, const simd::FloatBox& x);

    std::vector<std::int32_t> m_pairs;
    double m_count = 0;
    double m_steps = 0; ///< largest magnitude of a voxel, in steps
    double m_sum = 0;
    double m_norm = 1;
    double m_squares = 0;
    double m_level = 0;
    double m_quantum = 1;
};

/// The forms of a template that every method keeps.
struct TemplateForms {
    method::CanonicalTemplate canonical;
    std::optional<IntegerTemplate> integers;

    /// Makes both forms, those of a large template on two threads of the pool.
    /// **Errors**: as method::requireUsableTemplate().
    [[nodiscard]] static TemplateForms of(const method::Problem& problem,
                                          const method::MaskedView& templ, base::TilePool& pool);
    /// Predicted nanoseconds of of() for all templates of the problem.
    [[nodiscard]] static double ns(const method::Problem& problem) {
        constexpr double kVoxelNs = 1.2;
        return kVoxelNs * problem.templates * static_cast<double>(base::voxelCount(problem.templ));
    }
};

} // namespace flcc::cpu
