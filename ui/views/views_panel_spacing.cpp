#include <array>
#include <cmath>
#include <utility>

#include "ui/views/views_panel.h"

namespace flcc::ui {

/// Voxels have other sides now. What is shown of the scene stays; the document shows the result
/// again.
void ViewsPanel::onSpacingChanged() {
    const auto [grey, maximised] = std::pair(m_grey, m_maximised);
    showAgain();
    setGreyWindow(grey);
    m_maximised = maximised;
    arrange();
}

/// Shows the scene anew; the crosshair stays.
void ViewsPanel::showAgain() {
    base::Point crosshair = m_crosshair;
    const base::Extents before = m_slices.front()->extents();
    const base::Extents now = m_document.sceneExtents();
    onSceneChanged();
    onBoxChanged();
    onMasksChanged();
    // At the same place of a scene that was binned.
    const std::array<std::int64_t, 3> had{before.x, before.y, before.z};
    const std::array<std::int64_t, 3> has{now.x, now.y, now.z};
    for (std::size_t axis = 0; axis < 3; ++axis) {
        if (had[axis] > 0 && had[axis] != has[axis]) {
            crosshair[axis] = std::floor((crosshair[axis] + 0.5) * static_cast<double>(has[axis]) /
                                         static_cast<double>(had[axis]));
        }
    }
    setCrosshair(crosshair);
}

} // namespace flcc::ui
