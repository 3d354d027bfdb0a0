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
#include "ui/plan/display_memory.h"
#include "ui/plan/plan_exactness.h"
#include "ui/plan/plan_model.h"
#include "ui/plan/plan_numbers.h"
#include "ui/plan/plan_others.h"

namespace flcc::ui {
namespace {

/// Whether the search leaves out placements, so that the plan is that of another one.
bool isPruned(const job::JobReport& report) { return report.poses && report.poses->prunes(); }

QString searchName(const job::JobReport& report) {
    return toQString(report.poses->searches.front().search);
}

constexpr int kGap = 3;
constexpr int kLeastLines = 2; // of the rest, the audit's verdict first, where there is no room

} // namespace

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
    m_numbers = new PlanNumbers(this);
    m_display = new DisplayMemory(this);
    connect(m_display, &DisplayMemory::releaseRequested, this, &PlanCard::releaseDisplayRequested);

    m_times = makeLabel("planTimesFrom");
    m_times->setTextFormat(Qt::RichText);
    m_times->setToolTip(tr("A run corrects the time that is remembered. Time again forgets it and "
                           "measures anew"));
    connect(m_times, &QLabel::linkActivated, this, &PlanCard::timeAgainRequested);
    m_groups = makeLabel("planGroups");
    m_exactness = makeLabel("planExactness");
    m_exactness->setTextFormat(Qt::RichText);
    m_calibration = makeLabel("planCalibration");
    m_calibration->setTextFormat(Qt::RichText);
    m_calibration->setToolTip(
        tr("Times are predicted with built-in constants. For better predictions, calibrate this "
           "machine (Tools > Calibrate this machine)"));
    connect(m_calibration, &QLabel::linkActivated, this, &PlanCard::calibrateRequested);
    for (QLabel* label :
         {m_headline, m_detail, m_times, m_scenes, m_exactness, m_groups, m_calibration}) {
        label->setWordWrap(true);
    }
    for (QLabel* quiet : {m_detail, m_scenes, m_calibration}) {
        quiet->setForegroundRole(kMutedText);
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
    m_others = new PlanOthers(rest);
    m_rest = new QVBoxLayout(rest);
    m_rest->setContentsMargins(0, 0, 0, 0);
    m_rest->setSpacing(kGap);
    m_rest->addWidget(m_exactness);
    m_rest->addWidget(m_times);
    m_rest->addWidget(m_groups);
    m_rest->addWidget(m_others);
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
    followTheme(this, [this] { colour(); });
    showNothing(tr("The plan appears here."));
}

QLabel* PlanCard::makeLabel(const char* name, Qt::Alignment alignment) {
    auto* made = new QLabel(this);
    made->setObjectName(QLatin1String(name));
    made->setAlignment(alignment | Qt::AlignVCenter);
    return made;
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

void PlanCard::colour() {
    setStyleSheet(QStringLiteral("#planCard { background: %1; border: 1px solid %2; "
                                 "border-radius: 6px; }")
                      .arg(accents().card.name(), accents().line.name()));
    if (m_report) {
        showReport(job::JobReport(*m_report), QString(m_refusal)); // its texts carry colours
    } else {
        showTexts();
    }
}

/// Call after every change of the shown texts.
void PlanCard::finish() {
    m_area->setVisible(
        m_open && (!m_exactness->isHidden() || !m_groups->isHidden() || m_others->count() > 0));
    showTexts();
    Q_EMIT contentChanged();
}

void PlanCard::setMostOthers(int count) { m_others->setMost(count); }

void PlanCard::setHeadline(const QString& headline, QColor Accents::*colour) {
    m_headline->setText(headline);
    m_headlineColour = colour;
}

void PlanCard::showNothing(const QString& hint) {
    m_report.reset();
    m_hint = hint;
    setFixes({});
    m_others->clear();
    setHeadline(tr("No plan yet"), &Accents::muted);
    m_detail->hide(); // the line has the hint
    m_scenes->hide();
    m_numbers->hide();
    m_times->hide();
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

void PlanCard::showRunning(const plan::PlanReport* plan) {
    const plan::CandidateReport* const chosen = plan != nullptr ? plan->chosen() : nullptr;
    showNothing(chosen != nullptr ? tr("Running: %1 on %2, %3")
                                        .arg(candidateText(chosen->candidate),
                                             deviceText(chosen->candidate.device),
                                             threadsText(chosen->candidate.threads))
                                  : tr("Running: the plan is being made …"));
    setHeadline(tr("Running …"), &Accents::muted);
    finish();
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
    if (report.poses) { // the plans are of batches
        predicted = report.poses->chosenMs().value_or(predicted);
    }
    predicted += job::predictedMsOf(report.others);
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
    m_numbers->showPredicted(predicted, memory);
    m_numbers->showParts(sum, report.run ? report.run->times : std::nullopt);
    m_numbers->show();
    showScenes(predicted, predicted); // each prepares its own
    m_numbers->showMeasured(report);
}

void PlanCard::showReport(const job::JobReport& report, const QString& refusal) {
    m_report = report;
    m_refusal = refusal;
    m_others->clear();
    showTimes((report.groups.empty() ? report.plan : report.groups.front().plan).times);
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
        m_times->hide();
    } else {
        const QString bank = report.poses ? tr("%L1 orientations: ").arg(report.poses->members)
                             : report.templates.size() > 1
                                 ? tr("%1 templates: ").arg(report.templates.size())
                                 : QString();
        const bool unfinished = job::isUnfinished(report);
        setHeadline(
            (unfinished ? tr("Unfinished: %1; ").arg(searchedText(report)) : bank) +
                tr("%1 on %2, %3")
                    .arg(isPruned(report) ? tr("%1 search").arg(searchName(report))
                                          : candidateText(chosen->candidate),
                         deviceText(report.run ? report.run->device : chosen->candidate.device),
                         threadsText(chosen->candidate.threads)),
            unfinished ? &Accents::warning : nullptr);
        const std::string& why =
            isPruned(report) ? report.poses->searches.front().reason : chosen->reason;
        m_detail->setText(toQString(why));
        m_detail->setVisible(!why.empty());
        showNumbers(report, *chosen);
    }
    m_calibration->setVisible(!report.plan.calibrated);
    showExactness(report);
    m_others->showCandidates(report.plan);
    finish();
    Q_EMIT reportShown();
}

void PlanCard::showNumbers(const job::JobReport& report, const plan::CandidateReport& chosen) {
    m_numbers->setVisible(chosen.prediction.has_value());
    if (chosen.prediction) {
        // Of a search over poses the plan is one of a batch.
        const bool poses = report.poses && report.poses->chosenMs();
        const double all = (poses ? *report.poses->chosenMs() : chosen.expectedMs().value_or(0)) +
                           job::predictedMsOf(report.others);
        m_numbers->showPredicted(
            all, (poses ? report.poses->memoryBytes : chosen.prediction->hostBytes) +
                     (m_sceneCount - 1) * method::mapBytes(report.plan.problem));
        m_numbers->showParts(chosen.prediction->onDevice.times,
                             report.run ? report.run->times : std::nullopt);
        showScenes(all, std::max(0.0, all - chosen.prediction->setupMs));
    }
    m_numbers->showMeasured(report);
}

/// Where the predicted time comes from, with a link to measure it anew.
void PlanCard::showTimes(const plan::TimesFrom& times) {
    m_times->setVisible(times.kind != plan::TimesFrom::Kind::Model);
    m_times->setText(QStringLiteral("%1 · <a href='again' style='color:%2'>%3</a>")
                         .arg(tr("Time: %1").arg(toQString(plan::toText(times))).toHtmlEscaped(),
                              palette().color(QPalette::Link).name(), tr("Time again")));
}

void PlanCard::setScenes(int count, int types) {
    m_sceneCount = count;
    m_numbers->setScenes(count);
    m_sceneTypes = types;
}

/// Several scenes: shows how often they are planned, the total time, and the time of each further
/// scene.
void PlanCard::showScenes(double firstMs, double furtherMs) {
    const bool several = m_sceneCount > 1;
    m_scenes->setVisible(several);
    const QString planned = m_sceneTypes > 1
                                ? tr("planned once for each of %1 pixel types").arg(m_sceneTypes)
                                : tr("planned once");
    m_scenes->setText(tr("%1 scenes, %2: %3 in all")
                          .arg(QString::number(m_sceneCount), planned,
                               durationText(firstMs + (m_sceneCount - 1) * furtherMs)));
    m_numbers->showFurther(furtherMs);
}

void PlanCard::showExactness(const job::JobReport& report) {
    const PlanExactness shown = PlanExactness::of(report);
    m_exactness->setVisible(!shown.text.isEmpty());
    m_exactness->setText(shown.text);
    m_exactness->setToolTip(shown.tip);
}

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
            QStringList parts{m_report->poses ? tr("%L1 orientations: %2")
                                                    .arg(m_report->poses->members)
                                                    .arg(toQString(chosen->candidate.label()))
                              : bank ? tr("%1 templates: %2")
                                           .arg(m_report->templates.size())
                                           .arg(toQString(chosen->candidate.label()))
                              : groups ? tr("%1 sizes").arg(m_report->groups.size())
                                       : toQString(chosen->candidate.label())};
            const bool ran = m_report->run.has_value();
            const bool unfinished = job::isUnfinished(*m_report);
            if (unfinished) {
                colour = &accents().warning;
                parts = QStringList{tr("unfinished: %1").arg(searchedText(*m_report)),
                                    toQString(chosen->candidate.label())};
            }
            if (isPruned(*m_report)) {
                parts = QStringList{tr("%L1 orientations: %2 search")
                                        .arg(m_report->poses->members)
                                        .arg(searchName(*m_report))};
            }
            parts << (unfinished ? tr("stopped after %1").arg(m_numbers->timeText(ran))
                      : ran      ? tr("ran %1").arg(m_numbers->timeText(ran))
                                 : m_numbers->timeText(ran));
            parts << m_numbers->memoryText(ran);
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

void PlanCard::setDisplayBytes(std::int64_t bytes) {
    if (m_display->setBytes(bytes)) {
        Q_EMIT contentChanged();
    }
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

void PlanCard::showTexts() {
    showLine();
    m_calibration->setText(
        tr("not calibrated (%1)")
            .arg(QStringLiteral("<a href='calibrate' style='color:%1'>%2</a>")
                     .arg(palette().color(QPalette::Link).name(), tr("calibrate this machine"))));
    const QColor headline = m_headlineColour != nullptr ? accents().*m_headlineColour
                                                        : palette().color(QPalette::WindowText);
    m_headline->setStyleSheet(QStringLiteral("color: %1;").arg(headline.name()));
}

} // namespace flcc::ui
