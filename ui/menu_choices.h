#pragma once

#include <QString>
#include <QStringList>

#include <functional>

class QMenu;
class QObject;

namespace flcc::ui {

/// Fills a submenu with choices of which one is checked, remembered under `key` unless that is
/// empty. `chosen` is called at once, and for each choice of the user.
void addChoices(QMenu* menu, QObject* owner, const QString& key, const QStringList& names,
                const std::function<void(int)>& chosen);

} // namespace flcc::ui
