#include "ui/window/parts/status_line.h"

#include <QHBoxLayout>
#include <QLabel>
#include <QProgressBar>
#include <QStatusBar>
#include <QTimer>
#include <QToolButton>

#include <algorithm>
#include <cmath>

#include "ui/base/text.h"
#include "ui/base/theme.h"
#include "ui/document/document.h"
#include "ui/views/views_panel.h"

namespace flcc::ui {
namespace {

constexpr int kTickMs = 1000;
constexpr int kHintMs = 6000;

} // namespace

StatusLine::StatusLine(QStatusBar& bar, Document& document, ViewsPanel& views)
    : QWidget(&bar), m_document(document), m_views(views) {
    setObjectName(QStringLiteral("statusLine"));
    auto* row = new QHBoxLayout(this);
    row->setContentsMargins(8, 1, 4, 1);
    row->setSpacing(12);
    setLayout(row);
    m_hint = label("statusHint", tr("What the tool does"), QString());
    m_hintEnd = new QTimer(this);
    m_hintEnd->setSingleShot(true);
    m_hintEnd->setInterval(kHintMs);
    connect(m_hintEnd, &QTimer::timeout, this, &StatusLine::endHint);
    m_index = label("statusIndex", tr("Voxel under the cursor, counted from 0"), tr("0000, 0000"));
    m_world = label("statusWorld", tr("World position of the voxel under the cursor"), QString());
    m_value = label("statusValue", tr("Scene value of the voxel under the cursor"), QString());
    m_score = label("statusScore",
                    tr("Score of the template centred on the voxel under the cursor"), QString());
    m_view = label("statusView",
                   tr("Device pixels per voxel, and slice of the active view, counted from 0"),
                   QString());
    endHint();
    row->addStretch(1);
    m_device = label("statusDevice", tr("The device that ran the last job"), QString());
    m_device->setForegroundRole(kMutedText);
    m_unverified = label(
        "statusUnverified",
        tr("The scores of a GPU are verified when the CPU has recomputed all peaks and 64 scores"),
        QString());
    m_unverified->setText(tr("not yet verified"));
    m_unverified->hide();
    m_unfinished = label(
        "statusUnfinished",
        tr("Somebody stopped the search of the result that is shown. Its scores and peaks are "
           "the best of the orientations that were searched before"),
        QString());
    m_unfinished->hide();
    connect(&m_document, &Document::resultShown, this, &StatusLine::showUnfinished);
    m_work = label("statusWork", tr("Current work"), QString());
    m_progress = new QProgressBar(this);
    m_progress->setObjectName(QStringLiteral("statusProgress"));
    m_progress->setAccessibleName(tr("Progress"));
    m_progress->setToolTip(tr("Progress of the current phase"));
    m_progress->setRange(0, 1000);
    m_progress->setFixedWidth(150);
    m_progress->setMaximumHeight(fontMetrics().height() + 2);
    row->addWidget(m_progress);
    m_cancel = new QToolButton(this);
    m_cancel->setObjectName(QStringLiteral("statusCancel"));
    m_cancel->setAccessibleName(tr("Cancel"));
    m_cancel->setToolTip(tr("Cancels the current work (Esc)"));
    m_cancel->setAutoRaise(true);
    m_cancel->setIcon(icon(QStringLiteral("cancel")));
    m_cancel->setIconSize({14, 14});
    m_cancel->setFocusPolicy(Qt::TabFocus);
    connect(m_cancel, &QToolButton::clicked, this, &StatusLine::cancelRequested);
    row->addWidget(m_cancel);
    // The bar keeps its height when work begins: the views above would be resized.
    setMinimumHeight(m_cancel->sizeHint().height() + 2);
    bar.setSizeGripEnabled(false);
    bar.addPermanentWidget(this, 1);
    m_tick = new QTimer(this);
    m_tick->setInterval(kTickMs);
    connect(m_tick, &QTimer::timeout, this, &StatusLine::updateWork);
    hideWork();
    followTheme(this, [this] {
        for (QLabel* warning : {m_unverified, m_unfinished}) {
            warning->setStyleSheet(QStringLiteral("color: %1;").arg(accents().warning.name()));
        }
    });
    connect(&m_document, &Document::worldAxesChanged, this, [this] { showPosition(std::nullopt); });
    connect(&m_views, &ViewsPanel::valuesShown, this, [this] { showPosition(std::nullopt); });
    connect(&m_views, &ViewsPanel::viewChanged, this, &StatusLine::updateView);
    connect(&m_views, &ViewsPanel::activeFrameChanged, this, &StatusLine::updateView);
    connect(&m_views, &ViewsPanel::crosshairMoved, this, [this] {
        showPosition(std::nullopt);
        updateView();
    });
}

QLabel* StatusLine::label(const char* name, const QString& tip, const QString& widest) {
    auto* made = new QLabel(this);
    made->setObjectName(QLatin1String(name));
    made->setAccessibleName(tip);
    made->setToolTip(tip);
    // A text never makes the window wider: it is clipped where there is no room.
    made->setMinimumWidth(widest.isEmpty() ? 1 : fontMetrics().horizontalAdvance(widest));
    static_cast<QHBoxLayout*>(layout())->addWidget(made);
    return made;
}

void StatusLine::showHint(const QString& sentence) {
    m_hint->setText(sentence);
    for (QLabel* each : {m_index, m_world, m_value, m_score, m_view}) {
        each->hide();
    }
    m_hint->show();
    m_hintEnd->start();
}

void StatusLine::endHint() {
    m_hint->hide();
    for (QLabel* each : {m_index, m_world, m_value, m_score, m_view}) {
        each->show();
    }
}

void StatusLine::showPosition(const std::optional<base::Point>& voxel) {
    if (!m_document.hasScene()) {
        for (QLabel* each : {m_index, m_world, m_value, m_score}) {
            each->clear();
        }
        return;
    }
    const base::Point point = voxel.value_or(m_views.crosshair());
    const base::Index index{std::llround(point[0]), std::llround(point[1]), std::llround(point[2])};
    const base::Extents extents = m_document.sceneExtents();
    if (!base::contains(extents, {index, {1, 1, 1}})) {
        return;
    }
    const bool volume = m_document.isVolume();
    const job::SceneImage& scene = *m_document.scene().image;
    const base::Geometry geometry = m_document.geometry();
    QString text = QStringLiteral("%1, %2").arg(index.x).arg(index.y);
    const base::Point world =
        base::toWorld(geometry, {static_cast<double>(index.x), static_cast<double>(index.y),
                                 static_cast<double>(index.z)});
    QString place = numberText(world[0]) + QStringLiteral(", ") + numberText(world[1]);
    if (volume) {
        text += QStringLiteral(", %1").arg(index.z);
        place += QStringLiteral(", ") + numberText(world[2]);
    }
    m_index->setText(text);
    const QString axes = toQString(base::name(geometry.axes));
    m_world->setText(place + QChar(' ') + unitText(geometry) +
                     (axes.isEmpty() ? QString() : QChar(' ') + axes));
    m_world->setToolTip(
        tr("World position of the voxel under the cursor%1")
            .arg(geometry.axes == base::WorldAxes::Ras
                     ? tr(" to the right, to the front (anterior) and up (superior)")
                 : geometry.axes == base::WorldAxes::Lps
                     ? tr(" to the left, to the back (posterior) and up (superior)")
                     : QString()));
    m_value->setText(
        tr("value %1").arg(numberText(base::valueAt(base::viewOf(scene.pixels), index))));
    m_score->setText(scoreText(point));
}

QString StatusLine::scoreText(const base::Point& point) const {
    // During a run, only finished regions may be read, so no score is shown until the map is
    // complete.
    const method::MatchMap* map = m_views.showsRunningMap() ? nullptr : m_views.shownMap();
    if (map == nullptr) {
        return {};
    }
    const base::Extents templ = m_views.shownTemplate();
    // The placement whose centre is nearest; that of an even template lies between voxels.
    const auto start = [](double centre, std::int64_t length) {
        return std::llround(centre - static_cast<double>(length - 1) / 2);
    };
    const base::Index first = m_views.shownCorner();
    const base::Index corner{start(point[0], templ.x) - first.x, start(point[1], templ.y) - first.y,
                             start(point[2], templ.z) - first.z};
    const ResultEntry* result = m_document.result();
    const method::Operation operation =
        result != nullptr ? result->settings.operation : method::Operation();
    const QString label = toQString(operation.traits().label);
    if (!base::contains(map->value.extents(), {corner, {1, 1, 1}})) {
        return result != nullptr && result->settings.region
                   ? tr("%1: template leaves the region").arg(label)
                   : tr("%1: template leaves the scene").arg(label);
    }
    const base::Status status = map->status.view().at(corner);
    if (!base::hasValue(status)) {
        return label + QChar(' ') + toQString(base::name(status));
    }
    if (m_views.shownValues() != SearchValues::Score) {
        const method::MatchMap& scores = *result->job->map;
        return tr("%1 %2 · %3 %4")
            .arg(nameOf(m_views.shownValues()))
            .arg(map->value.view().at(corner), 0, 'f', 4)
            .arg(label)
            .arg(scores.value.view().at(corner), 0, 'f', 4);
    }
    const double value = map->exact.data() != nullptr
                             ? map->exact.view().at(corner)
                             : static_cast<double>(map->value.view().at(corner));
    QString text = label + QChar(' ') +
                   (operation.traits().isPure() ? QString::number(value, 'f', 4)
                                                : QString::number(value, 'g', 8));
    if (status != base::Status::Ok) {
        text += QChar(' ') + toQString(base::name(status));
    }
    return text;
}

void StatusLine::updateView() {
    const ViewFrame* frame = m_views.activeFrame();
    if (!m_document.hasScene() || frame->slice() == nullptr) {
        m_view->clear();
        return;
    }
    const viz::SliceScene& slice = *frame->slice();
    QString text = tr("zoom %1 %").arg(slice.zoom() * 100, 0, 'f', slice.zoom() < 0.1 ? 1 : 0);
    if (slice.sliceCount() > 1) {
        text += tr(" · slice %1 of 0–%2").arg(slice.slice()).arg(slice.sliceCount() - 1);
    }
    m_view->setText(text);
}

void StatusLine::setDevice(const QString& device, const QString& tip) {
    m_device->setText(device);
    m_device->setToolTip(tip);
}

void StatusLine::showWork(const QString& title) {
    m_title = title;
    m_phase.clear();
    m_toSearch = 0;
    m_since.start();
    m_phaseSince.start();
    m_share = 0;
    m_tick->start();
    m_progress->hide();
    m_work->show();
    m_cancel->show();
    updateWork();
}

void StatusLine::showPhase(const QString& phase) {
    m_phase = phase;
    m_toSearch = 0;
    m_phaseSince.start();
    m_share = 0;
    m_progress->hide();
    updateWork();
}

void StatusLine::showProgress(double share) {
    m_share = share;
    m_progress->setValue(static_cast<int>(std::lround(share * 1000)));
    m_progress->setVisible(m_work->isVisible() && share > 0);
    updateWork();
}

void StatusLine::showSearched(std::int64_t members, std::int64_t of) {
    if (m_toSearch == 0) {
        m_firstSearched = members;
        m_searchSince.start();
    }
    m_searched = members;
    m_searchMs = m_searchSince.elapsed();
    m_toSearch = of;
    updateWork();
}

/// "1,200 of 7,112 orientations, 412 a second".
QString StatusLine::searchedText() const {
    if (m_toSearch == 0) {
        return {};
    }
    const QString text = tr(", %L1 of %L2 orientations").arg(m_searched).arg(m_toSearch);
    if (m_searched == m_firstSearched || m_searchMs < 200) {
        return text;
    }
    const double speed =
        1000 * static_cast<double>(m_searched - m_firstSearched) / static_cast<double>(m_searchMs);
    return tr("%1, %L2 a second")
        .arg(text)
        .arg(speed, 0, speed < 10 ? 'g' : 'f', speed < 10 ? 2 : 0);
}

/// Work with unknown progress shows its seconds instead of a busy bar, whose animation would
/// recompose every view of the window all the time.
void StatusLine::updateWork() {
    QString text = m_phase.isEmpty() ? m_title : tr("%1: %2").arg(m_title, m_phase);
    text += searchedText();
    const qint64 seconds = m_since.elapsed() / 1000;
    if (seconds >= 2) {
        text = tr("%1, %2 s").arg(text).arg(seconds);
    }
    m_work->setText(text + remainingText());
}

/// The remaining time of the phase at its pace so far; empty until it can be estimated.
QString StatusLine::remainingText() const {
    constexpr double kLeastShare = 0.02;
    constexpr qint64 kLeastMs = 1'500;
    const qint64 spent = m_phaseSince.elapsed();
    if (m_share < kLeastShare || m_share >= 1 || spent < kLeastMs) {
        return {};
    }
    const double left = static_cast<double>(spent) * (1 - m_share) / m_share;
    const double seconds = std::max(1.0, std::round(left / 1000));
    return tr(", about %1 left")
        .arg(seconds < 120 ? tr("%1 s").arg(seconds) : durationText(1000 * seconds));
}

void StatusLine::showUnfinished() {
    const ResultEntry* result = m_document.result();
    const bool unfinished = result != nullptr && job::isUnfinished(result->job->report);
    m_unfinished->setVisible(unfinished);
    m_unfinished->setText(
        unfinished ? tr("unfinished: %1").arg(ui::searchedText(result->job->report)) : QString());
}

void StatusLine::showUnverified(bool unverified) { m_unverified->setVisible(unverified); }

void StatusLine::hideWork() {
    m_tick->stop();
    m_work->hide();
    m_progress->hide();
    m_cancel->hide();
}

} // namespace flcc::ui
