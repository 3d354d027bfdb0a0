#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "engine/base/extents.h"

namespace flcc::cpu {

/// One axis of Karas Algorithm 1. If the template is cut into several blocks, they are as long as
/// the output blocks, so that the scene segment for output block i and template block j depends on
/// i + j alone. An axis with one block has all outputs that one transform can give.
struct BlockedAxis {
    std::int64_t points = 1;
    std::int64_t block = 1;   ///< voxels of a template block; the last may be shorter
    std::int64_t outputs = 1; ///< placements of an output block, also the step between segments
    std::int64_t templateBlocks = 1;
    std::int64_t outputBlocks = 1;

    [[nodiscard]] std::int64_t segments() const { return outputBlocks + templateBlocks - 1; }
};

/// How a template and a map are cut into blocks for transforms of `points`.
class TemplateBlocks {
  public:
    TemplateBlocks(const base::Extents& scene, const base::Extents& templ,
                   const base::Extents& points);

    /// The same cut for a box of `placements` alone.
    [[nodiscard]] TemplateBlocks of(const base::Extents& placements) const;

    [[nodiscard]] const BlockedAxis& x() const { return m_axes[0]; }
    [[nodiscard]] const BlockedAxis& y() const { return m_axes[1]; }
    [[nodiscard]] const BlockedAxis& z() const { return m_axes[2]; }
    /// The axis along which output blocks are computed in order: z of a volume, y of an image.
    [[nodiscard]] std::size_t slowest() const { return m_slowest; }
    [[nodiscard]] const BlockedAxis& slow() const { return m_axes[m_slowest]; }

    [[nodiscard]] std::int64_t templateBlocks() const;
    [[nodiscard]] std::int64_t outputBlocks() const;
    [[nodiscard]] std::int64_t segments() const;
    /// Number of segments, and of output blocks, in one layer across the slowest axis.
    [[nodiscard]] std::int64_t segmentsOfLayer() const { return segments() / slow().segments(); }
    [[nodiscard]] std::int64_t blocksOfLayer() const {
        return outputBlocks() / slow().outputBlocks;
    }

    /// The boxes of the template's blocks, x fastest.
    [[nodiscard]] std::vector<base::Box> templateBoxes(const base::Extents& templ) const;

  private:
    std::array<BlockedAxis, 3> m_axes;
    std::size_t m_slowest;
};

} // namespace flcc::cpu
