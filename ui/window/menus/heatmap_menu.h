#pragma once

#include <QCoreApplication>

#include <functional>

#include "ui/base/actions.h"
#include "ui/window/parts/parts.h"

namespace flcc::ui {

/// The menu Heatmap, and the switches for what the views draw over the scene: View > Layers.
class HeatmapMenu {
    Q_DECLARE_TR_FUNCTIONS(HeatmapMenu)

  public:
    explicit HeatmapMenu(const Parts& parts);

  private:
    QAction* add(QMenu* menu, const Actions::Definition& definition,
                 std::function<void(bool)> slot);
    void addOverlay(QMenu* menu);
    void addLayers();

    const Parts& m_parts;
};

} // namespace flcc::ui
