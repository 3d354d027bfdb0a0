#pragma once

#include <QCoreApplication>

#include <functional>

#include "ui/base/actions.h"
#include "ui/window/parts/parts.h"

namespace flcc::ui {

/// The menu of the 3D view and of the orientation of volumes.
class VolumeMenu {
    Q_DECLARE_TR_FUNCTIONS(VolumeMenu)

  public:
    explicit VolumeMenu(const Parts& parts);

  private:
    void addChoicesOfView(QMenu* menu);
    void addParts(QMenu* menu);
    void addSides(QMenu* menu);
    void addOrientation(QMenu* menu);
    void followViews();
    void addSwitch(QMenu* menu, Actions::Definition definition, bool initially,
                   const std::function<void(bool)>& apply);
    void askSlab();

    const Parts& m_parts;
};

} // namespace flcc::ui
