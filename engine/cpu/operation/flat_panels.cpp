#include "engine/cpu/operation/flat_panels.h"

#include <algorithm>

#include "engine/cpu/score/support_run.h"

namespace flcc::cpu {

using base::Extents;
using base::Index;
using method::Outside;

void FlatPanels::start(const GeneralRun& run, const OperationPrepared& templ,
                       const base::Box& out) {
    m_run = &run;
    m_templ = &templ;
    m_out = out;
    m_first = seenBy(run.problem, out).corner;
    m_flat.clear();
}

bool FlatPanels::isFlat(const Index& at, bool whole) {
    const bool overlap = m_run->problem.outside == Outside::Overlap;
    const Index corner{m_first.x + at.x, m_first.y + at.y, m_first.z + at.z};
    return isConstantPanel(at, corner, !whole && !overlap) ||
           (!whole && overlap && isTemplateConstant(m_run->scene, *m_templ->weights(), corner));
}

/// True if a panel is constant on the voxels inside; with `zero`, if these are all 0. The panel's
/// voxels are compared only if the box around its support is not constant and the support is not
/// that box.
bool FlatPanels::isConstantPanel(const Index& at, const Index& corner, bool zero) {
    const Extents& extents = m_out.extents;
    const method::MaskedView& scene = m_run->scene;
    if (m_flat.empty()) {
        m_flat = flatPanels(scene.pixels, {m_first, footprint(m_out, m_run->problem.templ).extents},
                            m_run->problem.templ);
    }
    if (m_flat[static_cast<std::size_t>((at.z * extents.y + at.y) * extents.x + at.x)] != 0) {
        return !zero || isZeroNear(corner);
    }
    const bool box = m_templ->canonical().support().empty() && scene.mask.data() == nullptr;
    return !box && isConstant(scene, m_templ->weights()->runs(), corner, zero);
}

/// True if the scene voxel nearest to `at` is 0.
bool FlatPanels::isZeroNear(const Index& at) const {
    return std::visit(
        [&](const auto& pixels) {
            const Extents& n = pixels.extents();
            return pixels.at({std::clamp<std::int64_t>(at.x, 0, n.x - 1),
                              std::clamp<std::int64_t>(at.y, 0, n.y - 1),
                              std::clamp<std::int64_t>(at.z, 0, n.z - 1)}) == 0;
        },
        m_run->scene.pixels);
}

} // namespace flcc::cpu
