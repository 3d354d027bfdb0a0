#include <utility>

#include "ui/views_panel.h"

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
    const base::Point crosshair = m_crosshair;
    onSceneChanged();
    onBoxChanged();
    onMasksChanged();
    setCrosshair(crosshair);
}

} // namespace flcc::ui
