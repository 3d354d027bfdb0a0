#pragma once

#include <QWidget>

#include "engine/base/log.h"

class QPlainTextEdit;

namespace flcc::ui {

/// Shows the program's log. It is the log's only listener, so there can be one panel at a time.
class LogPanel : public QWidget {
    Q_OBJECT

  public:
    explicit LogPanel(QWidget* parent = nullptr);
    ~LogPanel() override;
    void add(base::LogLevel level, const QString& line);

  private:
    QPlainTextEdit* m_text = nullptr;
};

} // namespace flcc::ui
