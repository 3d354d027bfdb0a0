#include <QHBoxLayout>
#include <QLabel>
#include <QPushButton>
#include <QScrollArea>
#include <QVBoxLayout>

#include <set>
#include <string>

#include "engine/base/error.h"
#include "engine/job/job.h"
#include "ui/base/option_names.h"
#include "ui/base/text.h"
#include "ui/plan/plan_card.h"
#include "ui/plan/plan_model.h"

// The line of the plan with its buttons, and the candidates that were not chosen.

namespace flcc::ui {

void PlanCard::setOpen(bool open) {
    m_open = open;
    m_headWidget->setVisible(open);
    finish();
}

/// Method, time, memory and device in one line; a refusal with its reason.
void PlanCard::showLine() {
    const QColor* colour = &accents().muted;
    if (m_report) {
        const plan::CandidateReport* chosen = m_report->plan.chosen();
        const std::optional<base::Error> refused =
            m_refusal.isEmpty() ? job::refusal(*m_report) : std::nullopt;
        if (refused || chosen == nullptr) {
            m_lineText = refused               ? inWindowWords(*refused)
                         : m_refusal.isEmpty() ? m_headline->text()
                                               : m_refusal;
            colour = &accents().bad;
        } else {
            colour = nullptr;
            const bool groups = !m_report->groups.empty();
            const bool bank = !groups && m_report->templates.size() > 1;
            QStringList parts{bank ? tr("%1 templates: %2")
                                         .arg(m_report->templates.size())
                                         .arg(toQString(chosen->candidate.label()))
                              : groups ? tr("%1 sizes").arg(m_report->groups.size())
                                       : toQString(chosen->candidate.label())};
            const bool ran = m_report->run.has_value();
            parts << (ran ? tr("ran %1").arg(m_timeMeasured->text()) : m_timePredicted->text());
            parts << (ran ? m_memoryMeasured->text() : m_memoryPredicted->text());
            parts << deviceText(ran ? m_report->run->device : chosen->candidate.device);
            m_lineText = parts.join(QStringLiteral(", "));
        }
    } else {
        const bool problem = m_headlineColour == &Accents::bad;
        colour = problem ? &accents().bad : &accents().muted;
        m_lineText = m_hint;
    }
    QString text = m_lineText.toHtmlEscaped();
    if (colour != nullptr) {
        text = QStringLiteral("<span style='color:%1'>%2</span>").arg(colour->name(), text);
    }
    if (m_report) {
        text += QStringLiteral(" · <a href='why' style='color:%1'>%2</a>")
                    .arg(palette().color(QPalette::Link).name(), m_open ? tr("less") : tr("why"));
    }
    m_line->setText(text);
    m_line->setToolTip(m_report
                           ? tr("%1. Click why for the candidates and the reasons").arg(m_lineText)
                           : m_lineText);
}

void PlanCard::setFixes(const std::vector<PlanFix>& fixes) {
    qDeleteAll(m_fixes->findChildren<QPushButton*>(QString(), Qt::FindDirectChildrenOnly));
    for (const PlanFix& fix : fixes) {
        auto* button = new QPushButton(fix.text, m_fixes);
        button->setObjectName(QStringLiteral("planFix%1").arg(m_fixes->layout()->count()));
        button->setAccessibleName(fix.text);
        button->setToolTip(fix.tip);
        connect(
            button, &QPushButton::clicked, this, [this, fix] { Q_EMIT fixChosen(fix); },
            Qt::QueuedConnection); // the button goes with the plan that it changes
        m_fixes->layout()->addWidget(button);
    }
    m_fixes->setVisible(!fixes.empty());
    Q_EMIT contentChanged();
}

void PlanCard::focusFixes() {
    auto* first = m_fixes->findChild<QPushButton*>(QStringLiteral("planFix0"));
    (first != nullptr ? static_cast<QWidget*>(first) : m_line)->setFocus(Qt::TabFocusReason);
}

void PlanCard::makeDisplay() {
    m_display = new QWidget(this);
    auto* row = new QHBoxLayout(m_display);
    row->setContentsMargins(0, 0, 0, 0);
    m_displayText = makeLabel("planDisplay");
    m_displayText->setToolTip(
        tr("Memory of the views, beside scene and map: textures, and coarse copies of a large "
           "scene and its heatmap"));
    auto* release = new QPushButton(tr("Release"), m_display);
    release->setObjectName(QStringLiteral("releaseDisplay"));
    release->setAccessibleName(tr("Release the memory of the views"));
    release->setToolTip(tr("Drop the coarse copies. Zoomed out, the views then show every n-th "
                           "pixel until another scene or result is shown"));
    connect(release, &QPushButton::clicked, this, &PlanCard::releaseDisplayRequested);
    row->addWidget(m_displayText, 1);
    row->addWidget(release);
    m_display->hide();
}

void PlanCard::setDisplayBytes(std::int64_t bytes) {
    m_displayText->setText(tr("Display: %1 more").arg(bytesText(bytes)));
    if (m_display->isHidden() == (bytes > 0)) {
        m_display->setVisible(bytes > 0);
        Q_EMIT contentChanged();
    }
}

void PlanCard::clearOthers() {
    while (QLayoutItem* item = m_others->takeAt(0)) {
        delete item->widget();
        delete item;
    }
}

/// `named`: show the device, because the candidates are for several devices.
void PlanCard::addOther(const plan::CandidateReport& row, bool named) {
    const bool slower = row.verdict == plan::CandidateVerdict::Slower;
    auto* label = new QLabel(m_area->widget());
    label->setObjectName(QStringLiteral("planOther%1").arg(m_others->count() + 1));
    label->setTextFormat(Qt::RichText);
    const QString what =
        slower && row.prediction
            ? tr("%1: %2").arg(verdictText(row.verdict), durationText(row.expectedMs().value_or(0)))
            : verdictText(row.verdict);
    const QString candidate = candidateText(row.candidate);
    QString text =
        (named ? tr("%1 on %2").arg(candidate, deviceText(row.candidate.device)) : candidate)
            .toHtmlEscaped() +
        QStringLiteral(" — ") + coloured(what, slower ? accents().warning : accents().bad);
    if (!slower) {
        text += QStringLiteral(": ") + coloured(inWindowWords(row.reason), accents().muted);
    } else if (row.prediction && row.prediction->onDevice.times) {
        text += QChar(' ') + coloured(partsText(*row.prediction->onDevice.times), accents().muted);
    }
    label->setText(text);
    label->setToolTip(inWindowWords(row.reason));
    label->setWordWrap(true);
    m_others->addWidget(label);
    label->show();
}

void PlanCard::showOthers(const plan::PlanReport& report) {
    // The best one of each other device, the best slower one of each method, and refusals whose
    // reason was not named yet.
    std::vector<const plan::CandidateReport*> rows;
    std::set<std::string> devices;
    std::set<std::string> methods;
    std::set<std::string> reasons;
    for (const plan::CandidateReport& row : report.candidates) {
        const bool first = devices.insert(row.candidate.device).second;
        if (row.verdict == plan::CandidateVerdict::Chosen) {
            continue;
        }
        const bool news = row.verdict == plan::CandidateVerdict::Slower
                              ? methods.insert(row.candidate.label()).second
                              : reasons.insert(row.reason).second;
        if (first || news) {
            rows.push_back(&row);
        }
    }
    const bool named = devices.size() > 1;
    std::set<std::string> waiting = devices; // which are named before a second row of another
    if (const plan::CandidateReport* chosen = report.chosen()) {
        waiting.erase(chosen->candidate.device);
    }
    for (std::size_t i = 0; i < rows.size(); ++i) {
        const bool own = waiting.erase(rows[i]->candidate.device) > 0;
        if (own || m_others->count() + static_cast<int>(waiting.size()) < m_mostOthers) {
            addOther(*rows[i], named);
        }
    }
    const auto left =
        std::ssize(report.candidates) - m_others->count() - (report.chosen() != nullptr ? 1 : 0);
    if (left > 0) {
        auto* label = new QLabel(tr("and %1 more in the plan report").arg(left), m_area->widget());
        label->setStyleSheet(QStringLiteral("color: %1;").arg(accents().muted.name()));
        m_others->addWidget(label);
        label->show();
    }
}

} // namespace flcc::ui
