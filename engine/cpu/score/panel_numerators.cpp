#include "engine/cpu/score/panel_numerators.h"

#include <algorithm>

namespace flcc::cpu {

namespace {

using base::Extents;

/// The box of voxels under some panels.
base::Box seenByAll(const std::vector<simd::LowPanel>& panels, const Extents& m) {
    base::Index from = panels.front().at;
    base::Index to = from;
    for (const simd::LowPanel& panel : panels) {
        const base::Index& at = panel.at;
        from = {std::min(from.x, at.x), std::min(from.y, at.y), std::min(from.z, at.z)};
        to = {std::max(to.x, at.x), std::max(to.y, at.y), std::max(to.z, at.z)};
    }
    return {from, {to.x - from.x + m.x, to.y - from.y + m.y, to.z - from.z + m.z}};
}

template <class Voxel>
std::int64_t offset(const simd::VoxelBox<Voxel>& box, const base::Index& at) {
    return at.z * box.sliceStride + at.y * box.rowStride + at.x;
}

} // namespace

PanelNumerators::PanelNumerators(const AgainInput& input, const CentredTile& tile,
                                 const std::vector<simd::LowPanel>& panels)
    : m_input(input), m_m(input.templ.extents()), m_scale(static_cast<float>(tile.stepsPerUnit())) {
    // Measured nanoseconds: of a panel, of a voxel of it in double and in integers, and of
    // converting a scene voxel to 16-bit steps (engine/cpu/simd/README.md).
    constexpr double kPanelNs = 50;
    constexpr double kVoxelNs = 0.08;
    constexpr double kIntegerNs = 0.025;
    constexpr double kStepNs = 0.25;
    const auto all = static_cast<double>(panels.size());
    const auto count = static_cast<double>(base::voxelCount(m_m));
    m_ns = all * (kPanelNs + kVoxelNs * count);
    if (input.integers != nullptr && input.integers->fits(tile)) {
        m_seen = seenByAll(panels, m_m);
        m_steps = {input.steps, m_seen.extents.x, m_seen.extents.x * m_seen.extents.y};
        const double ns = all * (kPanelNs + kIntegerNs * count) +
                          kStepNs * static_cast<double>(base::voxelCount(m_seen.extents));
        m_integers = ns < m_ns;
        m_ns = std::min(m_ns, ns);
    }
}

void PanelNumerators::prepare() const {
    if (!m_integers) {
        return;
    }
    for (std::int64_t z = 0; z < m_seen.extents.z; ++z) {
        for (std::int64_t y = 0; y < m_seen.extents.y; ++y) {
            const base::Index from{m_seen.corner.x, m_seen.corner.y + y, m_seen.corner.z + z};
            simd::loadSteps(m_input.x.data + offset(m_input.x, from), m_seen.extents.x, m_scale,
                            m_steps.data + offset(m_steps, {0, y, z}));
        }
    }
}

void PanelNumerators::of(const simd::LowPanel* first, std::size_t count,
                         std::array<double, simd::kPanels>& to) {
    for (std::size_t i = 0; i < count; ++i) {
        const base::Index& at = first[i].at;
        const base::Index& corner = m_seen.corner;
        m_at[i] = m_integers ? offset(m_steps, {at.x - corner.x, at.y - corner.y, at.z - corner.z})
                             : offset(m_input.x, at);
    }
    if (m_integers) {
        simd::panelProducts(m_steps, m_at, m_input.integers->pairs(), m_m, to);
    } else {
        simd::panelProducts(m_input.x, m_at, m_input.templ.values().data(), m_m, to);
    }
}

} // namespace flcc::cpu
