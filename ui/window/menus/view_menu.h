#pragma once

#include <QCoreApplication>

#include <functional>

#include "ui/base/actions.h"
#include "ui/window/parts/parts.h"

namespace flcc::ui {

/// The menu View but for its layers.
class ViewMenu {
    Q_DECLARE_TR_FUNCTIONS(ViewMenu)

  public:
    explicit ViewMenu(const Parts& parts);

  private:
    void add(QMenu* menu, const Actions::Definition& definition, std::function<void(bool)> slot);
    void addZoom(QMenu* menu);
    void addSlices(QMenu* menu);
    void addPreferences(QMenu* menu);
    void addThemes(QMenu* menu);
    void addTabs(QMenu* menu);
    void addLayout(QMenu* menu);

    const Parts& m_parts;
};

} // namespace flcc::ui
