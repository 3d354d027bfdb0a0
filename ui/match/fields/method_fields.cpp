#include "ui/match/fields/method_fields.h"

#include <QComboBox>
#include <QToolButton>

#include <array>

#include "engine/plan/planner.h"
#include "ui/base/elided_label.h"
#include "ui/base/text.h"
#include "ui/base/theme.h"

namespace flcc::ui {

namespace {

/// What a plan report decides beside device and threads, in the order of the form.
constexpr std::array kDecided{"planning", "method", "tile", "transforms"};

} // namespace

MethodFields::MethodFields(FoldingForm& form, job::Job& job, OptionFields& options)
    : FieldGroup(form, job), m_options(options) {
    m_form.addSection(tr("Method and planning"), "Method", false);
    for (const char* const option : kDecided) {
        m_options.addRow(m_form, option);
    }
    auto& methods = m_options.field<QComboBox>("method");
    for (const method::Method* method : plan::methods()) {
        methods.setItemText(methods.findData(toQString(method->name())),
                            toQString(method->traits().title));
    }
    addPlanReport();
}

void MethodFields::addPlanReport() {
    const QString tip =
        tr("Runs the candidate chosen in an earlier plan report, which then decides "
           "device, method, tile, threads, transforms and planning");
    m_planReport = new ElidedLabel(&m_form);
    m_planReport->setObjectName(QStringLiteral("planReport"));
    m_planReport->setAccessibleName(tr("Plan report"));
    m_openPlanReport = m_form.smallButton("openPlanReport", icon(QStringLiteral("open")),
                                          tr("Choose plan report"), tip);
    m_clearPlanReport = m_form.smallButton("clearPlanReport", icon(QStringLiteral("close")),
                                           tr("No plan report"), tr("Plans anew instead"));
    connect(m_openPlanReport, &QToolButton::clicked, this, &MethodFields::openPlanReportRequested);
    connect(m_clearPlanReport, &QToolButton::clicked, this, [this] { setPlanReport({}); });
    m_form.addRowWithButtons(tr("Replay"), tip, m_planReport,
                             {m_openPlanReport, m_clearPlanReport});
}

void MethodFields::setPlanReport(const std::filesystem::path& report) {
    if (report == m_job.planReport) {
        return;
    }
    m_job.planReport = report;
    showPlanReport();
    Q_EMIT changed();
}

void MethodFields::showPlanReport() {
    const bool replays = !m_job.planReport.empty();
    m_planReport->showText(replays ? pathText(m_job.planReport.filename()) : tr("none"));
    if (replays) {
        m_planReport->setToolTip(pathText(m_job.planReport));
    }
    m_clearPlanReport->setEnabled(replays);
    for (const char* const option : kDecided) {
        m_options.field<QWidget>(option).setEnabled(!replays);
    }
    Q_EMIT replayChanged(replays);
}

} // namespace flcc::ui
