#pragma once

#include <QCoreApplication>
#include <QString>

#include "engine/job/job.h"

namespace flcc::ui {

/// How far the scores of a run can be trusted.
struct PlanExactness {
    Q_DECLARE_TR_FUNCTIONS(PlanExactness)

  public:
    QString text; ///< rich text; empty: the report has no scores
    QString tip;

    [[nodiscard]] static PlanExactness of(const job::JobReport& report);
};

} // namespace flcc::ui
