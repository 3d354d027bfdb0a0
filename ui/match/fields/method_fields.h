#pragma once

#include "ui/match/fields/field_group.h"
#include <filesystem>

class QToolButton;

namespace flcc::ui {

class ElidedLabel;

/// What the planner decides unless a person or an earlier plan report does.
class MethodFields : public FieldGroup {
    Q_OBJECT

  public:
    MethodFields(FoldingForm& form, job::Job& job, OptionFields& options);

    /// Sets the report whose chosen candidate is run; empty: no report.
    void setPlanReport(const std::filesystem::path& report);
    /// What a plan report decides cannot be chosen beside it.
    void showPlanReport();

  Q_SIGNALS:
    void openPlanReportRequested();
    void replayChanged(bool replays); ///< whether a plan report decides

  private:
    void addPlanReport();

    OptionFields& m_options;
    ElidedLabel* m_planReport = nullptr;
    QToolButton* m_openPlanReport = nullptr;
    QToolButton* m_clearPlanReport = nullptr;
};

} // namespace flcc::ui
