#include "ui/match/flow/field_history.h"

#include <QUndoStack>

#include "engine/job/any_job.h"
#include "engine/job/kept_map.h"
#include "ui/base/option_faces.h"
#include "ui/base/text.h"
#include "ui/document/value_command.h"
#include "ui/match/match_panel.h"

namespace flcc::ui {
namespace {

/// Typing and turning a wheel pause less.
constexpr qint64 kPauseMs = 1500;

/// The options in which two jobs differ.
std::vector<std::string> changedOptions(const job::Job& a, const job::Job& b) {
    std::vector<std::string> changed;
    for (const job::CommandOption& option : job::optionsOf("match")) {
        if (job::optionValues(a, option.name) != job::optionValues(b, option.name)) {
            changed.push_back(option.name);
        }
    }
    return changed;
}

QString labelOf(const std::string& option) {
    const OptionFace* const face = faceOf(option);
    return face == nullptr ? toQString(option) : faceText(face->label).remove(QChar('&'));
}

} // namespace

FieldHistory::FieldHistory(Document& document, MatchPanel& panel, QObject* parent)
    : QObject(parent), m_document(document), m_panel(panel), m_recorded(panel.settings()) {
    connect(&panel, &MatchPanel::settingsReplaced, this,
            [this] { m_recorded = m_panel.settings(); });
    connect(&panel, &MatchPanel::settingsEdited, this, [this] { m_option.clear(); });
    connect(&panel, &MatchPanel::settingsChanged, this, &FieldHistory::note);
}

void FieldHistory::note() {
    const job::Job now = m_panel.settings();
    job::Job before = m_recorded;
    m_recorded = now;
    if (m_applying || !m_document.hasScene()) {
        return;
    }
    if (m_document.result() != nullptr) { // its list follows, which is a step of its own
        before = job::withThresholds(before, job::thresholdsOf(now));
    }
    const std::vector<std::string> changed = changedOptions(before, now);
    if (changed.empty()) {
        return;
    }
    QUndoStack& stack = m_document.undoStack();
    const bool goesOn = changed.size() == 1 && changed.front() == m_option && m_since.isValid() &&
                        m_since.elapsed() < kPauseMs && stack.index() == m_index;
    m_gesture = goesOn ? m_gesture : m_document.newGesture();
    m_option = changed.size() == 1 ? changed.front() : std::string();
    const QString text =
        changed.size() == 1 ? labelOf(changed.front()) : tr("fields of the Match panel");
    stack.push(new ValueCommand<job::Job>({text, Document::kFieldStep, m_gesture}, before, now,
                                          [this](const job::Job& job) { apply(job); }));
    m_since.restart();
    m_index = stack.index();
}

void FieldHistory::apply(const job::Job& job) {
    if (m_panel.settings() == job) { // just typed
        return;
    }
    m_applying = true;
    // Thresholds of the shown result are steps of its list.
    m_panel.setSettings(m_document.result() == nullptr
                            ? job
                            : job::withThresholds(job, job::thresholdsOf(m_panel.settings())));
    m_applying = false;
}

} // namespace flcc::ui
