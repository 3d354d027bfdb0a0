#include "ui/match/fields/run_bar.h"

#include <QHBoxLayout>
#include <QPushButton>

#include "ui/base/theme.h"
#include "ui/match/fields/match_fields.h"

namespace flcc::ui {

RunBar::RunBar(QWidget* parent) : QWidget(parent) {
    m_plan = new QPushButton(tr("Plan"), this);
    m_plan->setObjectName(QStringLiteral("planButton"));
    m_plan->setAccessibleName(tr("Plan"));
    m_plan->setIcon(icon(QStringLiteral("plan")));
    m_plan->setToolTip(tr("Plans the run without starting it"));
    m_run = new QPushButton(this);
    m_run->setObjectName(QStringLiteral("runButton"));
    m_run->setDefault(true);
    connect(m_plan, &QPushButton::clicked, this, &RunBar::planRequested);
    connect(m_run, &QPushButton::clicked, this, [this] {
        if (m_running) {
            Q_EMIT cancelRequested();
        } else {
            Q_EMIT runRequested();
        }
    });
    auto* row = new QHBoxLayout(this);
    row->setContentsMargins(kFormMargin, 8, kFormMargin, 8);
    row->setSpacing(8);
    row->addWidget(m_plan, 1);
    row->addWidget(m_run, 2);
}

void RunBar::setRunning(bool running, bool keeps) {
    m_running = running;
    m_keeps = keeps;
    m_run->setText(!running ? tr("Run") : keeps ? tr("Pause") : tr("Cancel"));
    m_run->setAccessibleName(m_run->text());
    m_run->setIcon(icon(running ? QStringLiteral("cancel") : QStringLiteral("run")));
}

void RunBar::setCancelling() {
    if (m_running) {
        m_run->setText(m_keeps ? tr("Pausing …") : tr("Cancelling …"));
        m_run->setEnabled(false);
    }
}

void RunBar::setReady(bool ready, const QString& reason) {
    m_plan->setEnabled(ready && !m_running);
    m_run->setEnabled((ready && reason.isEmpty()) || m_running);
    m_run->setToolTip(m_running && m_keeps
                          ? tr("Stops the search and keeps its finished part: Run goes on (Esc)")
                      : m_running         ? tr("Cancels the run and keeps its partial result (Esc)")
                      : !reason.isEmpty() ? reason
                                          : tr("Finds the template in the scene (Ctrl+Return)"));
}

} // namespace flcc::ui
