#include "ui/window/parts/opened_notice.h"

#include <QMainWindow>

#include "ui/base/message_bar.h"
#include "ui/match/changed_settings.h"
#include "ui/match/match_panel.h"
#include "ui/open/opener.h"
#include "ui/work/run_controller.h"

namespace flcc::ui {

OpenedNotice::OpenedNotice(const Parts& parts) : QObject(&parts.window), m_parts(parts) {
    connect(&parts.opener, &Opener::opened, this, &OpenedNotice::tell);
    connect(&parts.document, &Document::sceneChanged, this, [this] { m_newScene = true; });
    connect(&parts.match, &MatchPanel::settingsChanged, this, &OpenedNotice::refresh);
    connect(&parts.controller, &RunController::started, this, [this](RunController::Task task) {
        m_newScene = m_newScene && task != RunController::Task::Run;
    });
}

QString OpenedNotice::sentence() const {
    std::set<Section> changed = changedSections(m_parts.match.settings());
    changed.erase(Section::Computation); // of the machine, not of a scene
    const QString kept = m_newScene ? textOf(changed) : QString();
    return kept.isEmpty() ? m_announcement
                          : tr("%1 — settings kept from before: %2.").arg(m_announcement, kept);
}

void OpenedNotice::tell(const QString& announcement) {
    m_announcement = announcement;
    m_shown = sentence();
    m_parts.message.tell(MessageBar::Kind::Info, m_shown);
    offerReset();
}

/// Settings come after the announcement where a sample or a job has its own.
void OpenedNotice::refresh() {
    if (m_newScene && m_parts.message.isVisible() && m_parts.message.sentence() == m_shown) {
        m_shown = sentence();
        m_parts.message.show(MessageBar::Kind::Info, m_shown);
        offerReset();
    }
}

void OpenedNotice::offerReset() {
    if (m_shown != m_announcement) {
        m_parts.message.offer(m_shown, tr("Reset settings"),
                              [this] { m_parts.match.editSettings({}); }, {});
    }
}

} // namespace flcc::ui
