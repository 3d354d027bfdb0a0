#pragma once

#include <QObject>
#include <QString>

#include "ui/window/parts/parts.h"

namespace flcc::ui {

/// The sentence that a file is open. After another scene it names the settings that stayed from the
/// scene before and offers to reset them, until the first run.
class OpenedNotice : public QObject {
    Q_OBJECT

  public:
    explicit OpenedNotice(const Parts& parts);

  private:
    void tell(const QString& announcement);
    void refresh();
    [[nodiscard]] QString sentence() const;
    void offerReset();

    const Parts& m_parts;
    bool m_newScene = false;
    QString m_announcement;
    QString m_shown; ///< the sentence that was made of it
};

} // namespace flcc::ui
