#include "ui/base/menu_choices.h"

#include <QActionGroup>
#include <QMenu>
#include <QSettings>

namespace flcc::ui {

void addChoices(QMenu* menu, QObject* owner, const QString& key, const QStringList& names,
                const std::function<void(int)>& chosen, const QString& name) {
    auto* group = new QActionGroup(owner);
    const int current = key.isEmpty() ? 0 : QSettings().value(key, 0).toInt();
    for (int i = 0; i < names.size(); ++i) {
        QAction* action = menu->addAction(names[i]);
        action->setObjectName(name.isEmpty() ? QString() : choiceName(name, i));
        action->setCheckable(true);
        action->setActionGroup(group);
        action->setChecked(i == current);
        QObject::connect(action, &QAction::triggered, owner, [key, chosen, i] {
            if (!key.isEmpty()) {
                QSettings().setValue(key, i);
            }
            chosen(i);
        });
    }
    chosen(current);
}

} // namespace flcc::ui
