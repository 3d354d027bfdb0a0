#pragma once

#include <QWidget>

#include <optional>

#include "engine/job/report.h"
#include "ui/plan/plan_model.h"

class QPlainTextEdit;
class QTableView;
class QToolButton;

namespace flcc::ui {

/// The whole plan report: the candidates as a table, and the report as text, which Copy copies to
/// the clipboard.
class ReportPanel : public QWidget {
    Q_OBJECT

  public:
    explicit ReportPanel(QWidget* parent = nullptr);
    void setReport(const std::optional<job::JobReport>& report);
    [[nodiscard]] QString text() const;

  Q_SIGNALS:
    void statusMessage(const QString& text);

  private:
    PlanModel* m_model = nullptr;
    QTableView* m_table = nullptr;
    QPlainTextEdit* m_text = nullptr;
    QToolButton* m_copy = nullptr;
};

} // namespace flcc::ui
