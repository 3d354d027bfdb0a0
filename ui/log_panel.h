#pragma once

#include <QWidget>

#include "engine/base/log.h"

class QPlainTextEdit;

namespace flcc::ui {

/// The program's log as it grows. One at a time takes the log's listener.
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
