#include "ui/plan/plan_others.h"

#include <QLabel>
#include <QVBoxLayout>

#include <set>
#include <string>
#include <vector>

#include "ui/base/option_names.h"
#include "ui/base/text.h"
#include "ui/base/theme.h"
#include "ui/plan/plan_model.h"

namespace flcc::ui {

PlanOthers::PlanOthers(QWidget* parent) : QWidget(parent) {
    m_rows = new QVBoxLayout(this);
    m_rows->setContentsMargins(0, 0, 0, 0);
    m_rows->setSpacing(1);
}

int PlanOthers::count() const { return m_rows->count(); }

void PlanOthers::clear() {
    while (QLayoutItem* item = m_rows->takeAt(0)) {
        delete item->widget();
        delete item;
    }
    hide();
}

/// `named`: show the device, because the candidates are for several devices.
void PlanOthers::add(const plan::CandidateReport& row, bool named) {
    const bool slower = row.verdict == plan::CandidateVerdict::Slower;
    auto* label = new QLabel(this);
    label->setObjectName(QStringLiteral("planOther%1").arg(m_rows->count() + 1));
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
    m_rows->addWidget(label);
    label->show();
}

void PlanOthers::showCandidates(const plan::PlanReport& report) {
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
        if (own || m_rows->count() + static_cast<int>(waiting.size()) < m_most) {
            add(*rows[i], named);
        }
    }
    const auto left =
        std::ssize(report.candidates) - m_rows->count() - (report.chosen() != nullptr ? 1 : 0);
    if (left > 0) {
        auto* label = new QLabel(tr("and %1 more in the plan report").arg(left), this);
        label->setForegroundRole(kMutedText);
        m_rows->addWidget(label);
        label->show();
    }
    setVisible(count() > 0);
}

} // namespace flcc::ui
