#include "ui/plan/plan_card.h"

#include <QEvent>
#include <QGridLayout>
#include <QLabel>
#include <QPushButton>
#include <QScrollArea>
#include <QVBoxLayout>

#include <algorithm>
#include <set>
#include <string>

#include "engine/base/error.h"
#include "engine/job/job.h"
#include "engine/match/colour_map.h"
#include "ui/base/option_names.h"
#include "ui/base/settings.h"
#include "ui/base/text.h"
#include "ui/base/theme.h"
#include "ui/plan/plan_model.h"

namespace flcc::ui {
namespace {

constexpr int kGap = 3;
constexpr int kLeastLines = 2; // of the rest, the audit's verdict first, where there is no room

} // namespace

QString PlanCard::coloured(const QString& text, const QColor& colour) {
    return QStringLiteral("<span style='color:%1'>%2</span>")
        .arg(colour.name(), text.toHtmlEscaped());
}

PlanCard::PlanCard(QWidget* parent) : QFrame(parent) {
    setObjectName(QStringLiteral("planCard"));
    setAccessibleName(tr("Plan"));
    m_open = Settings::flag(QStringLiteral("match/openPlan"), false);
    auto* top = new QWidget(this);
    m_top = new QVBoxLayout(top);
    m_top->setContentsMargins(0, 0, 0, 0);
    m_top->setSpacing(kGap);
    m_line = makeLabel("planLine");
    m_line->setWordWrap(true);
    m_line->setTextFormat(Qt::RichText);
    m_line->setAccessibleName(tr("Plan in one line"));
    m_line->setTextInteractionFlags(Qt::LinksAccessibleByMouse | Qt::LinksAccessibleByKeyboard);
    connect(m_line, &QLabel::linkActivated, this, [this] {
        setOpen(!m_open);
        Settings::setFlag(QStringLiteral("match/openPlan"), m_open);
    });
    m_fixes = new QWidget(top);
    m_fixes->setObjectName(QStringLiteral("planFixes"));
    (new QVBoxLayout(m_fixes))->setContentsMargins(0, 0, 0, 0);
    m_fixes->layout()->setSpacing(kGap);
    m_fixes->hide();
    m_top->addWidget(m_line);
    m_top->addWidget(m_fixes);
    m_headline = makeLabel("planHeadline");
    QFont bold = font();
    bold.setBold(true);
    m_headline->setFont(bold);
    m_detail = makeLabel("planDetail");
    m_scenes = makeLabel("planScenes");
    makeNumbers();
    makeDisplay();

    m_groups = makeLabel("planGroups");
    m_exactness = makeLabel("planExactness");
    m_exactness->setTextFormat(Qt::RichText);
    m_calibration = makeLabel("planCalibration");
    m_calibration->setTextFormat(Qt::RichText);
    m_calibration->setToolTip(
        tr("Times are predicted with built-in constants. For better predictions, calibrate this "
           "machine (Tools > Calibrate this machine)"));
    connect(m_calibration, &QLabel::linkActivated, this, &PlanCard::calibrateRequested);
    for (QLabel* label : {m_headline, m_detail, m_scenes, m_exactness, m_groups, m_calibration}) {
        label->setWordWrap(true);
    }

    auto* head = new QWidget(this);
    m_headWidget = head;
    m_head = new QVBoxLayout(head);
    m_head->setContentsMargins(0, 0, 0, 0);
    m_head->setSpacing(kGap);
    for (QWidget* part : std::initializer_list<QWidget*>{m_headline, m_detail, m_scenes, m_numbers,
                                                         m_display, m_calibration}) {
        m_head->addWidget(part);
    }

    m_area = new QScrollArea(this);
    m_area->setObjectName(QStringLiteral("planRest"));
    m_area->setFrameShape(QFrame::NoFrame);
    m_area->setWidgetResizable(true);
    m_area->setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
    m_area->setMinimumHeight(1);
    auto* rest = new QWidget(m_area);
    m_others = new QVBoxLayout;
    m_others->setContentsMargins(0, 0, 0, 0);
    m_others->setSpacing(1);
    m_rest = new QVBoxLayout(rest);
    m_rest->setContentsMargins(0, 0, 0, 0);
    m_rest->setSpacing(kGap);
    m_rest->addWidget(m_exactness);
    m_rest->addWidget(m_groups);
    m_rest->addLayout(m_others);
    m_rest->addStretch(1);
    m_area->setWidget(rest);
    m_area->viewport()->setAutoFillBackground(false);
    rest->setAutoFillBackground(false);
    rest->installEventFilter(this);

    auto* layout = new QVBoxLayout(this);
    layout->setContentsMargins(10, 8, 10, 8);
    layout->setSpacing(kGap);
    layout->addWidget(top);
    layout->addWidget(head);
    layout->addWidget(m_area, 1);
    head->setVisible(m_open);
    showNothing(tr("The plan appears here."));
}

QLabel* PlanCard::makeLabel(const char* name, Qt::Alignment alignment) {
    auto* made = new QLabel(this);
    made->setObjectName(QLatin1String(name));
    made->setAlignment(alignment | Qt::AlignVCenter);
    return made;
}

/// Time and memory, predicted and measured.
void PlanCard::makeNumbers() {
    m_numbers = new QWidget(this);
    auto* grid = new QGridLayout(m_numbers);
    grid->setContentsMargins(0, 2, 0, 2);
    grid->setHorizontalSpacing(10);
    grid->setVerticalSpacing(2);
    grid->setColumnStretch(1, 1);
    grid->setColumnStretch(2, 1);
    auto* predicted = makeLabel("planPredictedHead", Qt::AlignRight);
    predicted->setText(tr("predicted"));
    m_measuredHead = makeLabel("planMeasuredHead", Qt::AlignRight);
    m_measuredHead->setText(tr("measured"));
    auto* time = makeLabel("planTimeHead");
    time->setText(tr("Time"));
    auto* memory = makeLabel("planMemoryHead");
    memory->setText(tr("Memory"));
    m_timePredicted = makeLabel("planTimePredicted", Qt::AlignRight);
    m_timeMeasured = makeLabel("planTimeMeasured", Qt::AlignRight);
    m_streamHead = makeLabel("planStreamHead");
    m_streamHead->setText(tr("Next scene"));
    m_streamPredicted = makeLabel("planStreamPredicted", Qt::AlignRight);
    m_streamMeasured = makeLabel("planStreamMeasured", Qt::AlignRight);
    m_streamPredicted->setToolTip(
        tr("Predicted time of each further scene. The templates are already prepared. Reading and "
           "writing files is not included"));
    m_streamMeasured->setToolTip(tr(
        "Measured time of the run with the scene that is shown, without preparing the templates"));
    m_memoryPredicted = makeLabel("planMemoryPredicted", Qt::AlignRight);
    m_memoryMeasured = makeLabel("planMemoryMeasured", Qt::AlignRight);
    m_timePredicted->setToolTip(
        tr("Predicted time to prepare and run, without reading and writing files"));
    m_timeMeasured->setToolTip(
        tr("Measured time to prepare and run, without reading and writing files"));
    m_memoryPredicted->setToolTip(tr("Predicted largest memory without the scene: map, status and "
                                     "buffers. With several scenes, the maps of all scenes"));
    m_memoryMeasured->setToolTip(
        tr("Measured increase of the program's largest memory during the run"));
    grid->addWidget(predicted, 0, 1);
    grid->addWidget(m_measuredHead, 0, 2);
    grid->addWidget(time, 1, 0);
    grid->addWidget(m_timePredicted, 1, 1);
    grid->addWidget(m_timeMeasured, 1, 2);
    grid->addWidget(m_streamHead, 2, 0);
    grid->addWidget(m_streamPredicted, 2, 1);
    grid->addWidget(m_streamMeasured, 2, 2);
    int row = 3;
    constexpr std::array<const char*, 3> kParts{"Upload", "Compute", "Download"};
    const std::array<QString, 3> words{tr("Upload"), tr("Compute"), tr("Download")};
    const std::array<QString, 3> tips{
        tr("Time of copies of the scene to the GPU. One copy serves all templates of one size if "
           "they fit into the GPU's memory. Copies and computation overlap, so the run takes less "
           "than the sum"),
        tr("Time of the kernels on the GPU. Copies and computation overlap"),
        tr("Time of copies of the map from the GPU. Copies and computation overlap")};
    for (std::size_t i = 0; i < m_parts.size(); ++i, ++row) {
        PartRow& part = m_parts[i];
        const QString name = QStringLiteral("plan") + QLatin1String(kParts[i]);
        part.head = makeLabel(qPrintable(name + QStringLiteral("Head")));
        part.head->setText(words[i]);
        part.head->setToolTip(tips[i]);
        part.predicted = makeLabel(qPrintable(name + QStringLiteral("Predicted")), Qt::AlignRight);
        part.measured = makeLabel(qPrintable(name + QStringLiteral("Measured")), Qt::AlignRight);
        grid->addWidget(part.head, row, 0);
        grid->addWidget(part.predicted, row, 1);
        grid->addWidget(part.measured, row, 2);
    }
    grid->addWidget(memory, row, 0);
    grid->addWidget(m_memoryPredicted, row, 1);
    grid->addWidget(m_memoryMeasured, row, 2);
}

int PlanCard::leastHeight(int width) const {
    const int full = fullHeight(width);
    if (!m_open) {
        return full;
    }
    return std::min(full, headHeight(width) + kGap + kLeastLines * fontMetrics().lineSpacing());
}

int PlanCard::fullHeight(int width) const {
    const int head = headHeight(width);
    return m_area->isHidden() ? head : head + kGap + m_rest->totalHeightForWidth(innerWidth(width));
}

int PlanCard::innerWidth(int width) const {
    const QMargins margins = layout()->contentsMargins();
    return width - margins.left() - margins.right() - 2 * frameWidth();
}

int PlanCard::headHeight(int width) const {
    const QMargins margins = layout()->contentsMargins();
    const int inner = innerWidth(width);
    return margins.top() + margins.bottom() + 2 * frameWidth() + m_top->totalHeightForWidth(inner) +
           (m_open ? kGap + m_head->totalHeightForWidth(inner) : 0);
}

bool PlanCard::event(QEvent* event) {
    const bool done = QFrame::event(event);
    if (event->type() == QEvent::LayoutRequest) {
        Q_EMIT contentChanged();
    }
    return done;
}

bool PlanCard::eventFilter(QObject* watched, QEvent* event) {
    if (event->type() == QEvent::LayoutRequest) {
        Q_EMIT contentChanged();
    }
    return QFrame::eventFilter(watched, event);
}

void PlanCard::resizeEvent(QResizeEvent* event) {
    QFrame::resizeEvent(event);
    // Texts that wrap beside a scroll bar are too high without it: Qt would keep the bar.
    const bool whole = height() >= fullHeight(width());
    m_area->setVerticalScrollBarPolicy(whole ? Qt::ScrollBarAlwaysOff : Qt::ScrollBarAsNeeded);
}

/// Call after every change of the shown texts.
void PlanCard::finish() {
    m_area->setVisible(
        m_open && (!m_exactness->isHidden() || !m_groups->isHidden() || m_others->count() > 0));
    applyTheme();
    Q_EMIT contentChanged();
}

void PlanCard::setHeadline(const QString& headline, QColor Accents::*colour) {
    m_headline->setText(headline);
    m_headlineColour = colour;
}

void PlanCard::showNothing(const QString& hint) {
    m_report.reset();
    m_hint = hint;
    setFixes({});
    clearOthers();
    setHeadline(tr("No plan yet"), &Accents::muted);
    m_detail->hide(); // the line has the hint
    m_scenes->hide();
    m_numbers->hide();
    m_exactness->hide();
    m_groups->hide();
    m_calibration->hide();
    finish();
}

void PlanCard::showPlanning() {
    if (!m_report) {
        showNothing(tr("Planning in the background …"));
        setHeadline(tr("Planning …"), &Accents::muted);
        finish();
    } else {
        m_detail->setText(tr("Planning again in the background …"));
        m_detail->show();
        setFixes({});
        finish();
    }
}

void PlanCard::showProblem(const QString& sentence) {
    showNothing(sentence);
    setHeadline(tr("Cannot run"), &Accents::bad);
    finish();
}

/// Templates of several sizes: the plan of each size, and the sums.
void PlanCard::showGroups(const job::JobReport& report) {
    QStringList lines;
    double predicted = 0;
    std::optional<method::DeviceTimes> sum; // of the sizes that a GPU does
    std::int64_t maps = 0;
    for (const job::GroupReport& group : report.groups) {
        maps += group.mapBytes;
    }
    std::int64_t memory = 0;
    for (const job::GroupReport& group : report.groups) {
        const plan::CandidateReport& chosen = *group.plan.chosen();
        predicted += chosen.expectedMs().value_or(0);
        if (chosen.prediction) {
            memory = std::max(memory, chosen.prediction->hostBytes + maps - group.mapBytes);
            if (chosen.prediction->onDevice.times) {
                sum = sum.value_or(method::DeviceTimes{});
                sum->add(*chosen.prediction->onDevice.times);
            }
        }
        lines << tr("%1: %2, %3")
                     .arg(extentsText(group.plan.problem.templ), candidateText(chosen.candidate),
                          durationText(chosen.expectedMs().value_or(0)));
    }
    const plan::CandidateReport& first = *report.groups.front().plan.chosen();
    setHeadline(tr("%1 templates of %2 sizes on %3, %4")
                    .arg(report.templates.size())
                    .arg(report.groups.size())
                    .arg(deviceText(first.candidate.device), threadsText(first.candidate.threads)),
                nullptr);
    lines << tr("Templates of different sizes give peaks only, no map.");
    m_groups->setText(lines.join(QChar('\n')));
    m_groups->show();
    m_detail->hide();
    m_timePredicted->setText(durationText(predicted));
    m_memoryPredicted->setText(bytesText(memory));
    showParts(sum, report.run ? report.run->times : std::nullopt);
    m_numbers->show();
    showScenes(predicted, predicted); // each prepares its own
    showMeasured(report);
}

void PlanCard::showReport(const job::JobReport& report, const QString& refusal) {
    m_report = report;
    m_refusal = refusal;
    clearOthers();
    if (!report.groups.empty() && !job::refusal(report)) {
        showGroups(report);
        m_calibration->setVisible(!report.plan.calibrated);
        showExactness(report);
        finish();
        Q_EMIT reportShown();
        return;
    }
    // With several groups, show the refused one.
    const auto refused = std::ranges::find_if(report.groups, [](const job::GroupReport& group) {
        return group.plan.chosen() == nullptr;
    });
    if (refused != report.groups.end()) {
        job::JobReport one = report;
        one.plan = refused->plan;
        one.groups.clear();
        showReport(one);
        m_report = report;
        return;
    }
    m_groups->hide();
    const plan::CandidateReport* chosen = report.plan.chosen();
    if (chosen == nullptr) {
        setHeadline(tr("Refused: no candidate can do this job"), &Accents::bad);
        m_detail->setText(
            tr("Change the memory limit, the method or the tile: see the reasons below."));
        m_detail->show();
        m_scenes->hide();
        m_numbers->hide();
    } else {
        const QString bank = report.templates.size() > 1
                                 ? tr("%1 templates: ").arg(report.templates.size())
                                 : QString();
        setHeadline(
            bank + tr("%1 on %2, %3")
                       .arg(candidateText(chosen->candidate),
                            deviceText(report.run ? report.run->device : chosen->candidate.device),
                            threadsText(chosen->candidate.threads)),
            nullptr);
        m_detail->setText(toQString(chosen->reason));
        m_detail->setVisible(!chosen->reason.empty());
        showNumbers(report, *chosen);
    }
    m_calibration->setVisible(!report.plan.calibrated);
    showExactness(report);
    showOthers(report.plan);
    finish();
    Q_EMIT reportShown();
}

void PlanCard::showNumbers(const job::JobReport& report, const plan::CandidateReport& chosen) {
    m_numbers->setVisible(chosen.prediction.has_value());
    if (chosen.prediction) {
        const double all = chosen.expectedMs().value_or(0);
        m_timePredicted->setText(durationText(all));
        m_memoryPredicted->setText(
            bytesText(chosen.prediction->hostBytes +
                      (m_sceneCount - 1) * method::mapBytes(report.plan.problem)));
        showParts(chosen.prediction->onDevice.times, report.run ? report.run->times : std::nullopt);
        showScenes(all, std::max(0.0, all - chosen.prediction->setupMs));
    }
    showMeasured(report);
}

/// Shows upload, compute and download times of a GPU.
void PlanCard::showParts(const std::optional<method::DeviceTimes>& predicted,
                         const std::optional<method::DeviceTimes>& measured) {
    using Times = method::DeviceTimes;
    constexpr std::array<double Times::*, 3> kTimes{&Times::upload, &Times::compute,
                                                    &Times::download};
    const int uploads =
        std::max(predicted ? predicted->uploads : 1, measured ? measured->uploads : 1);
    m_parts.front().head->setText(uploads > 1 ? tr("Upload, %1 times").arg(uploads) : tr("Upload"));
    for (std::size_t i = 0; i < m_parts.size(); ++i) {
        const auto show = [time = kTimes[i]](QLabel* label, const std::optional<Times>& times) {
            label->setVisible(times.has_value());
            label->setText(times ? durationText((*times).*time) : QString());
        };
        show(m_parts[i].predicted, predicted);
        show(m_parts[i].measured, measured);
        m_parts[i].head->setVisible(predicted || measured);
    }
}

void PlanCard::setScenes(int count, int types) {
    m_sceneCount = count;
    m_sceneTypes = types;
}

/// Several scenes: shows how often they are planned, the total time, and the time of each further
/// scene.
void PlanCard::showScenes(double firstMs, double furtherMs) {
    const bool several = m_sceneCount > 1;
    m_scenes->setVisible(several);
    m_streamHead->setVisible(several);
    m_streamPredicted->setVisible(several);
    const QString planned = m_sceneTypes > 1
                                ? tr("planned once for each of %1 pixel types").arg(m_sceneTypes)
                                : tr("planned once");
    m_scenes->setText(tr("%1 scenes, %2: %3 in all")
                          .arg(QString::number(m_sceneCount), planned,
                               durationText(firstMs + (m_sceneCount - 1) * furtherMs)));
    m_streamPredicted->setText(durationText(furtherMs));
}

void PlanCard::showMeasured(const job::JobReport& report) {
    const bool ran = report.run.has_value();
    m_timeMeasured->setText(ran ? durationText(report.run->executeMs.median) : QString());
    m_memoryMeasured->setText(ran ? bytesText(report.run->peakHostBytes) : QString());
    for (QLabel* label : {m_measuredHead, m_timeMeasured, m_memoryMeasured}) {
        label->setVisible(ran);
    }
    m_streamMeasured->setText(ran ? durationText(report.run->streamMs.median) : QString());
    m_streamMeasured->setVisible(ran && m_sceneCount > 1);
}

/// How far the scores of a run can be trusted.
void PlanCard::showExactness(const job::JobReport& report) {
    std::vector<job::MapReport> maps;
    if (report.map) {
        maps.push_back(*report.map);
    }
    for (const job::GroupReport& group : report.groups) {
        if (group.map) {
            maps.push_back(*group.map);
        }
    }
    m_exactness->setVisible(!maps.empty());
    if (maps.empty()) {
        return;
    }
    const auto countOf = [&maps](base::Status status) {
        std::int64_t count = 0;
        for (const job::MapReport& map : maps) {
            count += map.facts.statusCounts[static_cast<std::size_t>(status)];
        }
        return count;
    };
    QStringList lines;
    QString tip;
    if (report.audit) {
        const bool failed = report.audit->verdict == job::AuditVerdict::Failed;
        const bool passed = report.audit->verdict == job::AuditVerdict::Passed;
        const QColor colour = failed ? accents().bad : passed ? accents().good : accents().muted;
        const QString all = tr("Self-audit %1").arg(toQString(job::auditText(*report.audit)));
        lines << coloured(passed ? tr("Self-audit passed: largest deviation %1")
                                       .arg(report.audit->largestDeviation, 0, 'g', 2)
                                 : all,
                          colour);
        tip = all + QChar('\n');
    }
    const bool recompute = report.plan.problem.recompute;
    tip += (recompute ? tr("Scores whose empirical error bound breaks the promise of %1 were "
                           "recomputed in double.")
                      : tr("Recompute in double is off: scores whose empirical error bound breaks "
                           "the promise of %1 are marked LOWCONF."))
               .arg(report.plan.problem.promise, 0, 'g', 6);
    const std::int64_t lowConf = countOf(base::Status::LowConf);
    if (lowConf > 0) {
        const match::Colour& pink = match::kLowConf;
        lines << coloured(QStringLiteral("■ "), QColor(pink[0], pink[1], pink[2])) +
                     coloured(tr("LOWCONF: %1 scores, pink in the heatmap").arg(lowConf),
                              accents().warning);
        tip += QChar(' ') +
               tr("LOWCONF: the empirical error bound of these scores breaks the promise. Turn on "
                  "Recompute in double, choose the precision Double, or set a larger promise.");
    }
    if (recompute) {
        const auto most = std::ranges::max_element(maps, {}, job::recomputedShare);
        lines << tr("Recomputed in double: %1 of the scores")
                     .arg(percentText(job::recomputedShare(*most)));
    }
    const std::int64_t partial = countOf(base::Status::Partial);
    if (partial > 0) {
        lines
            << tr("PARTIAL: %1 scores of placements that leave the scene or its mask").arg(partial);
    }
    m_exactness->setText(lines.join(QStringLiteral("<br>")));
    m_exactness->setToolTip(tip);
}

QString PlanCard::text() const {
    QString all;
    for (const QLabel* label : findChildren<QLabel*>()) {
        if (label->isVisibleTo(this)) {
            all += label->text() + QChar('\n');
        }
    }
    return all;
}

void PlanCard::refreshTheme() {
    if (m_report) {
        showReport(job::JobReport(*m_report), QString(m_refusal)); // its texts carry colours
    } else {
        applyTheme();
    }
}

void PlanCard::applyTheme() {
    const Accents& a = accents();
    showLine();
    m_calibration->setText(
        tr("not calibrated (%1)")
            .arg(QStringLiteral("<a href='calibrate' style='color:%1'>%2</a>")
                     .arg(palette().color(QPalette::Link).name(), tr("calibrate this machine"))));
    const QColor headline =
        m_headlineColour != nullptr ? a.*m_headlineColour : palette().color(QPalette::WindowText);
    m_headline->setStyleSheet(QStringLiteral("color: %1;").arg(headline.name()));
    setStyleSheet(QStringLiteral("#planCard { background: %1; border: 1px solid %2; "
                                 "border-radius: 6px; }")
                      .arg(a.card.name(), a.line.name()));
    for (QLabel* quiet : {m_detail, m_scenes, m_calibration}) {
        quiet->setStyleSheet(QStringLiteral("color: %1;").arg(a.muted.name()));
    }
    for (const char* name :
         {"planPredictedHead", "planMeasuredHead", "planTimeHead", "planStreamHead",
          "planUploadHead", "planComputeHead", "planDownloadHead", "planMemoryHead"}) {
        findChild<QLabel*>(QLatin1String(name))
            ->setStyleSheet(QStringLiteral("color: %1;").arg(a.muted.name()));
    }
}

} // namespace flcc::ui
