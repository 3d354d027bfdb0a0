#pragma once

#include <QString>
#include <QStringList>

#include <functional>

class QMenu;
class QObject;

namespace flcc::ui {

/// Fills a submenu with choices of which one is checked, remembered under `key` unless that is
/// empty. `chosen` is called at once, and for each choice of the user.
/// Actions are named choiceName(name, i) unless `name` is empty.
void addChoices(QMenu* menu, QObject* owner, const QString& key, const QStringList& names,
                const std::function<void(int)>& chosen, const QString& name = {});
[[nodiscard]] inline QString choiceName(const QString& name, int choice) {
    return name + QString::number(choice);
}

} // namespace flcc::ui
