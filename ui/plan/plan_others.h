#pragma once

#include <QWidget>

#include "engine/plan/planner.h"

class QVBoxLayout;

namespace flcc::ui {

/// The candidates of a plan that were not chosen, and why.
class PlanOthers : public QWidget {
    Q_OBJECT

  public:
    explicit PlanOthers(QWidget* parent = nullptr);

    /// Number of candidates that are named; the plan report has all.
    void setMost(int count) { m_most = count; }
    void showCandidates(const plan::PlanReport& report);
    void clear();
    [[nodiscard]] int count() const;

  private:
    void add(const plan::CandidateReport& row, bool named);

    QVBoxLayout* m_rows = nullptr;
    int m_most = 4;
};

} // namespace flcc::ui
