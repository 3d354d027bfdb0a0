#include "ui/judge/cockpit_panel.h"

#include <QGuiApplication>
#include <QHBoxLayout>
#include <QLabel>
#include <QPushButton>
#include <QVBoxLayout>

#include <algorithm>
#include <cmath>
#include <memory>
#include <utility>

#include "engine/base/error.h"
#include "ui/base/option_names.h"
#include "ui/base/text.h"
#include "ui/base/theme.h"
#include "ui/judge/hand_view.h"
#include "ui/judge/histogram_view.h"

namespace flcc::ui {
namespace {

constexpr int kBins = 240;

/// How many scores lie within half of `width` of `score`, where nothing is found.
double expectedIn(const std::vector<match::ScoreLaw>& laws, double score, double width) {
    double sum = 0;
    for (const match::ScoreLaw& law : laws) {
        if (law.exists()) {
            sum += law.scoresAbove(score - width / 2) - law.scoresAbove(score + width / 2);
        }
    }
    return sum;
}

} // namespace

CockpitPanel::CockpitPanel(Document& document, QWidget* parent)
    : QWidget(parent), m_document(document) {
    setObjectName(QStringLiteral("cockpitPanel"));
    m_view = new HistogramView(this);
    m_view->setObjectName(QStringLiteral("scoreHistogram"));
    m_view->setAccessibleName(tr("Threshold in the histogram of scores"));
    m_view->setToolTip(tr("Drag the line, or move it with Left and Right (Shift: ten steps)"));
    m_numbers = new QLabel(this);
    m_numbers->setObjectName(QStringLiteral("cockpitNumbers"));
    m_numbers->setTextFormat(Qt::RichText);
    m_numbers->setMinimumWidth(1);
    m_law = new QLabel(this);
    m_law->setObjectName(QStringLiteral("cockpitLaw"));
    m_law->setAccessibleName(tr("Law of the false positives"));
    m_law->setTextFormat(Qt::PlainText);
    m_law->setWordWrap(true);
    m_law->setContentsMargins(8, 0, 8, 4);
    m_law->hide();
    m_legend = new QLabel(this);
    m_legend->setObjectName(QStringLiteral("cockpitLegend"));
    m_legend->setTextFormat(Qt::RichText);
    m_suggest = new QPushButton(this);
    m_suggest->setObjectName(QStringLiteral("cockpitSuggest"));
    m_suggest->setAccessibleName(tr("Suggested threshold"));
    m_suggest->setToolTip(tr("Sets the threshold at which one false positive is expected in the "
                             "whole search"));
    m_suggest->hide();
    auto* bar = new QHBoxLayout;
    bar->setContentsMargins(8, 4, 8, 4);
    bar->addWidget(m_numbers, 1);
    bar->addWidget(m_legend);
    bar->addWidget(m_suggest);
    auto* layout = new QVBoxLayout(this);
    layout->setContentsMargins(0, 0, 0, 0);
    layout->setSpacing(0);
    layout->addLayout(bar);
    layout->addWidget(m_law);
    m_hand = new HandView(this);
    auto* views = new QHBoxLayout;
    views->setSpacing(1);
    views->addWidget(m_view, 3);
    views->addWidget(m_hand, 2);
    layout->addLayout(views, 1);
    setFocusProxy(m_view);
    connect(m_suggest, &QPushButton::clicked, this, [this] {
        takeAt(std::ceil(m_suggestion / stepOf() - 1e-9) * stepOf()); // not below it
    });
    connect(m_view, &HistogramView::pressed, this, [this] { m_gesture = m_document.newGesture(); });
    connect(m_view, &HistogramView::thresholdMoved, this, &CockpitPanel::take);
    connect(m_view, &HistogramView::hovered, this, &CockpitPanel::showNumbers);
    connect(&m_document, &Document::resultShown, this, &CockpitPanel::followResult);
    connect(&m_document, &Document::peaksReplaced, this, &CockpitPanel::followPeaks);
    followTheme(this, [this] { showLegend(); });
    followResult();
}

/// The smallest change of a threshold that the Match panel can show.
double CockpitPanel::stepOf() const {
    const ResultEntry* result = m_document.result();
    return result != nullptr && !result->settings.operation.traits().isPure() ? 0.1 : 0.001;
}

/// The threshold of the list that is shown: a stricter one of the panel filters it.
double CockpitPanel::current() const {
    const ResultEntry* result = m_document.result();
    if (result == nullptr) {
        return m_threshold;
    }
    const double listed = job::thresholdOf(*result);
    return result->settings.operation.traits().hasThreshold() ? std::max(listed, m_threshold)
                                                              : listed;
}

void CockpitPanel::setThreshold(double score) {
    m_threshold = score;
    if (!m_step.isBusy()) {
        followPeaks();
    }
}

void CockpitPanel::showEvent(QShowEvent* event) {
    QWidget::showEvent(event);
    count();
    showBelow();
}

void CockpitPanel::hideEvent(QHideEvent* event) {
    QWidget::hideEvent(event);
    Q_EMIT belowChanged({});
}

void CockpitPanel::followResult() {
    m_step.cancel();
    m_count.cancel();
    m_counted = false;
    m_pool = {};
    m_view->setSurvivors({});
    m_view->setHistogram({});
    m_source.reset();
    const ResultEntry* const result = m_document.result();
    m_hand->show(result != nullptr ? result->job->report.handedness : std::nullopt);
    if (isVisible()) {
        count();
    }
    showNumbers(std::nullopt);
}

void CockpitPanel::followPeaks() {
    const ResultEntry* result = m_document.result();
    if (result != nullptr && m_counted) {
        const job::PeakThresholds now = job::thresholdsOf(result->settings);
        if (now.minDistance != m_pool.thresholds.minDistance ||
            now.distanceUnit != m_pool.thresholds.distanceUnit ||
            now.maxOverlap != m_pool.thresholds.maxOverlap ||
            now.partialPeaks != m_pool.thresholds.partialPeaks) {
            m_counted = false; // other peaks suppress each other
            count();
        }
    }
    m_view->setThreshold(current(), stepOf());
    showBelow();
    showNumbers(std::nullopt);
}

/// Counts scores and peaks once for each map.
void CockpitPanel::count() {
    m_source = keptSource(m_document);
    if (m_counted || !m_source || m_count.isBusy() || !isVisible()) {
        return;
    }
    m_count.start([this, source = *m_source](const std::stop_token& stop) -> std::function<void()> {
        try {
            const auto kept = source.map(stop);
            if (!kept) {
                return {};
            }
            auto histogram = histogramOf(*kept, kBins, stop);
            auto pool =
                histogram ? poolOf(*kept, job::thresholdsOf(source.settings), stop) : std::nullopt;
            if (!pool) {
                return {};
            }
            return
                [this, source, kept, histogram = std::move(*histogram), pool = std::move(*pool)] {
                    if (isStill(m_document, source)) {
                        m_document.setKept(source.id, kept);
                        showCounts(histogram, pool);
                    }
                };
        } catch (const base::Error& error) {
            return [this, sentence = inWindowWords(error)] { Q_EMIT refused(sentence); };
        }
    });
}

void CockpitPanel::showCounts(const ScoreHistogram& histogram, const PeakPool& pool) {
    m_counted = true;
    m_pool = pool;
    m_view->setHistogram(histogram);
    m_view->setSurvivors(
        [this](double score) { return static_cast<double>(m_pool.survivors(score)); });
    showLaw();
    followPeaks();
}

match::SearchLaw CockpitPanel::law() const {
    const ResultEntry* result = m_document.result();
    return result != nullptr && result->job->report.threshold ? result->job->report.threshold->law
                                                              : match::SearchLaw();
}

/// The law of the noise over the histogram, and what it suggests.
void CockpitPanel::showLaw() {
    const match::SearchLaw known = law();
    m_suggest->setVisible(known.exists());
    m_law->setVisible(known.exists());
    if (!known.exists()) {
        m_view->setLaw({}, {});
        m_view->setSuggestion(std::nullopt);
        return;
    }
    const double width = m_view->histogram().width();
    m_view->setLaw([known, width](double score) { return expectedIn(known.maps, score, width); },
                   [known](double score) { return known.falsePositives(score); });
    const job::ThresholdReport& report = *m_document.result()->job->report.threshold;
    QStringList sentences{tr("Law: %1").arg(toQString(job::lawText(report.law)))};
    for (const std::string& warning : report.warnings) {
        sentences += inWindowWords(warning);
    }
    m_law->setText(sentences.join(QChar('\n')));
    m_suggestion = known.thresholdFor(1);
    m_view->setSuggestion(m_suggestion);
    m_suggest->setText(tr("Suggested: %1").arg(m_suggestion, 0, 'f', 3));
}

/// Takes the peaks that reach a threshold from the map and lists them.
void CockpitPanel::take(double score) {
    std::optional<KeptSource> source = keptSource(m_document);
    if (!source) {
        return;
    }
    job::PeakThresholds wanted = job::thresholdsOf(source->settings);
    const double rounded = std::round(score / stepOf()) * stepOf();
    wanted.threshold = rounded;
    wanted.falsePositives.reset();
    wanted.zscore.reset();
    m_view->setThreshold(rounded, stepOf());
    // The pool mostly holds the list: then it is shown in the frame of the mouse.
    if (m_counted && source->kept) {
        if (auto found =
                job::stricterPeaks(*source->kept, m_pool.list, m_pool.thresholds, wanted)) {
            m_step.cancel();
            list(*source, source->kept, std::move(*found), wanted, m_gesture);
            return;
        }
    }
    m_step.start([this, source = std::move(*source), wanted,
                  gesture = m_gesture](const std::stop_token& stop) -> std::function<void()> {
        try {
            const auto kept = source.map(stop);
            job::FoundPeaks found =
                kept ? job::extractPeaks(*kept, wanted, stop) : job::FoundPeaks();
            if (!kept || stop.stop_requested()) {
                return {};
            }
            return [this, source, kept, wanted, gesture, found = std::move(found)]() mutable {
                if (isStill(m_document, source)) {
                    list(source, kept, std::move(found), wanted, gesture);
                }
            };
        } catch (const base::Error& error) {
            return [this, sentence = inWindowWords(error)] { Q_EMIT refused(sentence); };
        }
    });
}

void CockpitPanel::takeAt(double score) {
    m_gesture = m_document.newGesture();
    take(std::floor(score / stepOf() + 1e-9) * stepOf()); // a peak with this score stays
}

void CockpitPanel::list(const KeptSource& source, const std::shared_ptr<const job::KeptMap>& kept,
                        job::FoundPeaks found, const job::PeakThresholds& thresholds, int gesture) {
    const job::Job settings = job::withThresholds(source.settings, thresholds);
    m_document.replacePeaks({std::move(found), settings}, kept, gesture);
    m_threshold = thresholds.threshold;
    Q_EMIT thresholdsChosen(settings);
    followPeaks();
}

void CockpitPanel::showBelow() {
    if (isVisible() && m_counted) {
        const auto above = static_cast<std::size_t>(m_pool.survivors(current()));
        Q_EMIT belowChanged(
            m_pool.below(current(), std::clamp(2 * above, kLeastBelow, kMostBelow)));
    }
}

/// At the threshold, or at the score under the cursor.
void CockpitPanel::showNumbers(std::optional<double> score) {
    const ResultEntry* result = m_document.result();
    if (result == nullptr) {
        m_numbers->setText(tr("No result yet: choose a template and press Run."));
        return;
    }
    if (!keptSource(m_document)) {
        m_numbers->setText(
            result->job->report.groups.empty()
                ? tr("The map of this result is not there; run again to move the threshold both "
                     "ways.")
                : tr("Templates of several sizes have a map each, which is not kept: lower the "
                     "threshold in the Match panel and run again for more peaks."));
        return;
    }
    if (!m_counted) {
        m_numbers->setText(tr("Counting scores …"));
        return;
    }
    const double at = score.value_or(current());
    const std::int64_t survivors = m_pool.survivors(at);
    const bool more = m_pool.full && survivors == std::ssize(m_pool.list.peaks);
    QString text = tr("%1 <b>%2</b> · <b>%3%4</b> survive")
                       .arg(score ? tr("at") : tr("threshold"),
                            QString::number(at, 'f', stepOf() < 0.01 ? 3 : 1),
                            more ? tr("more than ") : QString(), peaksText(survivors));
    const auto listed = std::ssize(result->job->peaks);
    if (const match::SearchLaw known = law(); known.exists()) {
        text += tr(" · <b>%1</b> false positives expected")
                    .arg(QString::number(known.falsePositives(at), 'g', 2));
    }
    if (!score && listed < survivors) {
        text += tr(" (%1 listed)").arg(listed);
    }
    m_numbers->setText(text);
}

void CockpitPanel::showLegend() {
    const QPalette now = QGuiApplication::palette();
    const auto sign = [](const QColor& colour, const QString& text) {
        return coloured(QStringLiteral("■ "), colour) + text;
    };
    m_legend->setText(sign(now.color(QPalette::Highlight), tr("voxels")) +
                      QStringLiteral("&nbsp;&nbsp;") + sign(accents().good, tr("peaks")) +
                      QStringLiteral("&nbsp;&nbsp;") + sign(now.color(QPalette::Text), tr("law")) +
                      QStringLiteral("&nbsp;&nbsp;") + sign(accents().bad, tr("false positives")));
}

} // namespace flcc::ui
