#include "ui/base/actions.h"

#include <QMenu>
#include <QWidget>

#include <utility>

#include "ui/base/theme.h"

namespace flcc::ui {

QAction* Actions::add(QMenu* menu, const Definition& definition, std::function<void(bool)> slot) {
    auto* action = new QAction(definition.text, &m_window);
    action->setCheckable(definition.checkable);
    QObject::connect(action, &QAction::triggered, &m_window,
                     [call = std::move(slot)](bool checked) { call(checked); });
    adopt(menu, action, definition);
    return action;
}

void Actions::adopt(QMenu* menu, QAction* action, const Definition& definition) {
    action->setObjectName(QLatin1String(definition.name));
    action->setShortcuts(definition.keys);
    QString tip = definition.tip;
    if (!definition.keys.isEmpty()) {
        tip +=
            QStringLiteral(" (%1)").arg(definition.keys.first().toString(QKeySequence::NativeText));
    }
    action->setToolTip(tip);
    action->setWhatsThis(definition.tip);
    if (definition.icon != nullptr) {
        action->setIcon(icon(QLatin1String(definition.icon)));
        action->setIconVisibleInMenu(true);
    }
    if (definition.scope == Scope::Views) {
        action->setShortcutContext(Qt::WidgetWithChildrenShortcut);
        m_views.addAction(action);
    } else {
        m_window.addAction(action);
    }
    if (menu != nullptr) {
        menu->addAction(action);
        menu->setToolTipsVisible(true);
    }
    m_actions.push_back(action);
}

} // namespace flcc::ui
