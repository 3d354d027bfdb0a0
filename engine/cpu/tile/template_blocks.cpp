#include "engine/cpu/tile/template_blocks.h"

#include <algorithm>

namespace flcc::cpu {

namespace {

std::int64_t parts(std::int64_t length, std::int64_t part) { return (length + part - 1) / part; }

BlockedAxis axisOf(std::int64_t n, std::int64_t m, std::int64_t points) {
    BlockedAxis axis;
    axis.points = points;
    const std::int64_t map = n - m + 1;
    if (points >= m && (points >= 2 * m - 1 || points >= n)) {
        axis.block = m;
        axis.outputs = std::min(points - m + 1, map);
    } else {
        axis.block = (points + 1) / 2;
        axis.outputs = axis.block;
        axis.templateBlocks = parts(m, axis.block);
    }
    axis.outputBlocks = parts(map, axis.outputs);
    return axis;
}

} // namespace

TemplateBlocks::TemplateBlocks(const base::Extents& scene, const base::Extents& templ,
                               const base::Extents& points)
    : m_axes{axisOf(scene.x, templ.x, points.x), axisOf(scene.y, templ.y, points.y),
             axisOf(scene.z, templ.z, points.z)},
      m_slowest(scene.z > 1 ? 2 : 1) {}

TemplateBlocks TemplateBlocks::of(const base::Extents& placements) const {
    TemplateBlocks part = *this;
    const std::array<std::int64_t, 3> lengths{placements.x, placements.y, placements.z};
    for (std::size_t i = 0; i < lengths.size(); ++i) {
        part.m_axes[i].outputBlocks = parts(lengths[i], m_axes[i].outputs);
    }
    return part;
}

std::int64_t TemplateBlocks::templateBlocks() const {
    return x().templateBlocks * y().templateBlocks * z().templateBlocks;
}

std::int64_t TemplateBlocks::outputBlocks() const {
    return x().outputBlocks * y().outputBlocks * z().outputBlocks;
}

std::int64_t TemplateBlocks::segments() const {
    return x().segments() * y().segments() * z().segments();
}

std::vector<base::Box> TemplateBlocks::templateBoxes(const base::Extents& templ) const {
    std::vector<base::Box> boxes;
    for (std::int64_t k = 0; k < z().templateBlocks; ++k) {
        for (std::int64_t j = 0; j < y().templateBlocks; ++j) {
            for (std::int64_t i = 0; i < x().templateBlocks; ++i) {
                const base::Index corner{i * x().block, j * y().block, k * z().block};
                boxes.push_back({corner,
                                 {std::min(x().block, templ.x - corner.x),
                                  std::min(y().block, templ.y - corner.y),
                                  std::min(z().block, templ.z - corner.z)}});
            }
        }
    }
    return boxes;
}

} // namespace flcc::cpu
