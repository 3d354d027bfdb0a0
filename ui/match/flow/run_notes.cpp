#include "ui/match/flow/run_notes.h"

#include <QTime>

#include <algorithm>
#include <utility>

#include "engine/base/log.h"
#include "ui/base/option_names.h"
#include "ui/base/text.h"
#include "ui/document/document.h"
#include "ui/match/match_panel.h"

namespace flcc::ui {

RunNotes::RunNotes(Document& document, MatchPanel& panel, QObject* parent)
    : QObject(parent), m_document(document), m_panel(panel) {
    connect(&m_document, &Document::mapsReleased, this, &RunNotes::onMapsReleased);
}

void RunNotes::onMapsReleased(const QStringList& released, const QStringList& removed) {
    const QString why =
        tr("All maps together needed more than %1.").arg(bytesText(kMostResultBytes));
    QStringList said;
    if (!released.isEmpty()) {
        said << tr("Released the map of %1 and kept its peaks.", nullptr,
                   static_cast<int>(released.size()))
                    .arg(released.join(QStringLiteral(", ")));
    }
    if (!removed.isEmpty()) {
        said << tr("Removed the partial result %1.").arg(removed.join(QStringLiteral(", ")));
    }
    m_released = why + QChar(' ') + said.join(QChar(' '));
}

void RunNotes::say(MessageBar::Kind kind, const QString& text) {
    const QString released = std::exchange(m_released, {});
    if (!text.isEmpty() || !released.isEmpty()) {
        Q_EMIT message(kind, text + (text.isEmpty() || released.isEmpty() ? "" : " ") + released);
    }
}

void RunNotes::tellDevice(const job::JobReport& report) {
    if (!report.run) {
        return;
    }
    const job::RunReport& run = report.run.value();
    const QString name = m_panel.deviceName(run.device);
    if (run.device == "cpu" || name.isEmpty()) {
        Q_EMIT deviceUsed(tr("ran on %1, %2").arg(deviceText(run.device), threadsText(run.threads)),
                          tr("The device that ran the last job: %1")
                              .arg(toQString(report.environment.processor)));
    } else {
        Q_EMIT deviceUsed(tr("ran on %1, %2").arg(deviceText(run.device), name),
                          tr("The device that ran the last job: %1, with %2 of the CPU")
                              .arg(name, threadsText(run.threads)));
    }
}

void RunNotes::tellWarnings(const job::JobResult& all) {
    say(all.warnings.empty() ? MessageBar::Kind::Info : MessageBar::Kind::Warning,
        all.warnings.empty() ? QString() : inWindowWords(all.warnings.back()));
}

void RunNotes::logNotes(const job::JobResult& all, const job::JobResult& result) {
    for (const std::string& note : all.notes) {
        // Notes about reading were shown when the image was opened. tellWarnings() logs the warning
        // that it shows.
        if (note != result.scene->note && (all.warnings.empty() || note != all.warnings.back()) &&
            std::ranges::none_of(result.templates,
                                 [&](const auto& templ) { return templ->note == note; })) {
            base::log(base::LogLevel::Info, note);
        }
    }
}

QString RunNotes::titleOf(std::size_t scene, const job::Job& job,
                          const job::JobReport& report) const {
    const SceneEntry& of = m_document.scenes()[scene];
    QStringList parts{of.made ? of.name : of.name.section(QChar('.'), 0, 0)};
    const auto say = [&parts](bool applies, const QString& word) {
        parts << (applies ? QStringList(word) : QStringList());
    };
    say(report.templates.size() > 1, report.groups.empty()
                                         ? tr("%1 templates").arg(report.templates.size())
                                         : tr("%1 templates of %2 sizes")
                                               .arg(report.templates.size())
                                               .arg(report.groups.size()));
    const std::string_view operation = method::nameUnlessDefault(job.operation);
    say(!operation.empty(), toQString(operation));
    say(job.invert, tr("inverted"));
    say(report.poses.has_value(),
        report.poses ? tr("%1 poses").arg(report.poses->members) : QString());
    say(job.preparation != job::Preparation(), tr("filtered"));
    say(job.stream, tr("stream"));
    say(job.region.has_value(), tr("region"));
    say(!job.masks.empty() || !job.sceneMask.empty(), tr("masked"));
    say(job.extent != method::Extent::Valid, toQString(method::name(job.extent)));
    say(job.precision == method::Precision::Double, tr("double"));
    say(job.method != "auto", toQString(job.method));
    say(job.transforms == method::Transforms::Fftw, QStringLiteral("FFTW"));
    const QTime now = QTime::currentTime();
    QString title = (parts << now.toString(QStringLiteral("HH:mm"))).join(QStringLiteral(" · "));
    const auto taken = [this](const QString& name) {
        return std::ranges::any_of(m_document.results(),
                                   [&name](const ResultEntry& each) { return each.title == name; });
    };
    if (taken(title)) {
        parts.back() = now.toString(QStringLiteral("HH:mm:ss"));
        title = parts.join(QStringLiteral(" · "));
    }
    const QString base = title;
    for (int number = 2; taken(title); ++number) {
        title = QStringLiteral("%1 (%2)").arg(base).arg(number);
    }
    return title;
}

} // namespace flcc::ui
