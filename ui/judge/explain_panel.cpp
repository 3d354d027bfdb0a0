#include "ui/judge/explain_panel.h"

#include <QApplication>
#include <QBoxLayout>
#include <QGridLayout>
#include <QLabel>
#include <QScrollArea>

#include <algorithm>
#include <cmath>
#include <utility>

#include "engine/base/error.h"
#include "ui/base/text.h"
#include "ui/base/theme.h"
#include "ui/judge/kept_source.h"
#include "ui/judge/panel_picture.h"
#include "ui/judge/pose_curve_view.h"
#include "ui/judge/profile_view.h"

namespace flcc::ui {
namespace {

constexpr int kBlinkMs = 350;
constexpr int kColumns = 3;
constexpr int kExplainMargin = 8;
constexpr int kGap = 8;
constexpr std::size_t kMostNamed = 4; ///< suppressed peaks with a link

} // namespace

ExplainPanel::ExplainPanel(Document& document, QWidget* parent)
    : QWidget(parent), m_document(document) {
    setObjectName(QStringLiteral("explainPanel"));
    setMinimumWidth(360);
    m_pictures = new QLabel(this);
    m_pictures->setObjectName(QStringLiteral("explainPictures"));
    m_pictures->setAlignment(Qt::AlignTop | Qt::AlignLeft);
    m_pictures->setToolTip(tr("The panel under the peak, the template brought to its brightness "
                              "and contrast, and the difference, in one scale of grey. B shows "
                              "panel and template in turns"));
    m_pictures->setMinimumHeight(1); // they follow the height and do not make it
    m_plots = new QWidget(this);
    m_profile = new ProfileView(m_plots);
    m_poseCurves = new PoseCurveView(m_plots);
    auto* plots = new QBoxLayout(QBoxLayout::LeftToRight, m_plots);
    plots->setContentsMargins(0, 0, 0, 0);
    plots->addWidget(m_profile);
    plots->addWidget(m_poseCurves);
    m_text = new QLabel(this);
    m_text->setObjectName(QStringLiteral("explainText"));
    m_text->setTextFormat(Qt::RichText);
    m_text->setWordWrap(true);
    m_text->setAlignment(Qt::AlignTop | Qt::AlignLeft);
    m_text->setTextInteractionFlags(Qt::TextBrowserInteraction);
    m_text->setMargin(2);
    auto* text = new QScrollArea(this);
    text->setFrameShape(QFrame::NoFrame);
    text->setWidgetResizable(true);
    text->setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
    text->setWidget(m_text);
    m_layout = new QGridLayout(this);
    m_layout->setContentsMargins(kExplainMargin, 4, kExplainMargin, 4);
    m_layout->setSpacing(kGap);
    m_layout->addWidget(m_pictures, 0, 0, Qt::AlignTop | Qt::AlignLeft);
    m_layout->addWidget(m_plots, 1, 0);
    m_layout->addWidget(text, 0, 2, 2, 1);
    m_layout->setColumnStretch(2, 1);
    m_layout->setRowStretch(1, 1);
    m_blink.setInterval(kBlinkMs);
    connect(&m_blink, &QTimer::timeout, this, [this] {
        m_swapped = !m_swapped;
        drawPictures();
    });
    connect(m_text, &QLabel::linkActivated, this, qOverload<const QString&>(&ExplainPanel::follow));
    connect(&m_document, &Document::peakSelected, this, qOverload<>(&ExplainPanel::follow));
    connect(&m_document, &Document::peaksReplaced, this, qOverload<>(&ExplainPanel::follow));
    clear();
    followTheme(this, [this] { follow(); });
}

void ExplainPanel::showEvent(QShowEvent* event) {
    QWidget::showEvent(event);
    follow();
}

void ExplainPanel::resizeEvent(QResizeEvent* event) {
    QWidget::resizeEvent(event);
    drawPictures();
}

void ExplainPanel::setBlinking(bool on) {
    m_swapped = false;
    on ? m_blink.start() : m_blink.stop();
    drawPictures();
}

void ExplainPanel::clear() {
    m_work.cancel();
    m_shown.reset();
    m_profile->clear();
    m_poseCurves->show({});
    m_pictures->setPixmap({});
    m_text->setText(coloured(tr("Select a peak to see why it is one."), accents().muted));
}

void ExplainPanel::follow() {
    const ResultEntry* result = m_document.result();
    const int number = m_document.selectedPeak();
    if (!isVisible()) {
        return;
    }
    if (result == nullptr || number < 0 || !m_document.hasScene()) {
        clear();
        return;
    }
    const match::Peak peak = result->job->peaks[static_cast<std::size_t>(number)];
    const auto source = keptSource(m_document);
    // Large enough for a panel of any height.
    constexpr int kSide = 256;
    m_work.start(
        [this, peak, source, job = result->job, scene = m_document.scene().image, id = result->id,
         outside = accents().card.rgb()](const std::stop_token& stop) -> std::function<void()> {
            Shown made{peak, picturesOf(*scene, *job, peak, kSide, outside), std::nullopt};
            std::shared_ptr<const job::KeptMap> kept;
            if (source && !source->settings.stream) {
                kept = source->map(stop);
                made.explanation =
                    kept ? job::explain(*kept, peak, job::thresholdsOf(source->settings), stop)
                         : std::nullopt;
            }
            if (stop.stop_requested()) {
                return {};
            }
            return [this, made = std::move(made), kept, id] {
                if (kept && m_document.result() != nullptr && m_document.result()->id == id &&
                    m_document.result()->job->map == kept->map) {
                    m_document.setKept(id, kept);
                }
                show(made);
            };
        });
}

void ExplainPanel::show(Shown shown) {
    m_shown = std::move(shown);
    m_plots->setVisible(m_shown->explanation.has_value());
    if (m_shown->explanation) {
        m_profile->show(m_shown->peak, *m_shown->explanation, m_document.isVolume());
        m_poseCurves->show(m_shown->explanation->poseCurves);
    } else {
        m_profile->clear();
        m_poseCurves->show({});
    }
    m_text->setText(textOf(*m_shown));
    drawPictures();
}

/// Small enough for the names of small pictures.
QFont ExplainPanel::nameFont() const {
    QFont small = font();
    small.setPointSizeF(0.85 * small.pointSizeF());
    return small;
}

int ExplainPanel::planes() const {
    return m_shown && m_document.result() != nullptr
               ? panelsOf(m_document.result()
                              ->job->templates[static_cast<std::size_t>(m_shown->peak.templ)]
                              ->extents())
               : 1;
}

/// Pixels of one picture: all fit the height, with the profile below those of an image, and take
/// less than half of the width.
int ExplainPanel::sideOf() const {
    const int room = height() - 8 - fontMetrics().height();
    const int high = planes() == 1 ? room - kGap - m_profile->minimumHeight()
                                   : (room - (planes() - 1) * 2) / planes();
    const int wide = (width() * 9 / 20 - 2 * kGap) / kColumns;
    return std::clamp(std::min(high, wide), 24, 256);
}

/// The profile lies below the pictures of an image, and beside those of a volume, which are three
/// times as high: the text has the rest of the width.
void ExplainPanel::placeProfile() {
    const bool below = planes() == 1;
    if ((m_layout->itemAtPosition(1, 0) != nullptr) == below) {
        return;
    }
    m_layout->removeWidget(m_plots);
    below ? m_layout->addWidget(m_plots, 1, 0) : m_layout->addWidget(m_plots, 0, 1, 2, 1);
    m_plots->setMaximumWidth(below ? QWIDGETSIZE_MAX : m_profile->minimumWidth());
    static_cast<QBoxLayout*>(m_plots->layout())
        ->setDirection(below ? QBoxLayout::LeftToRight : QBoxLayout::TopToBottom);
    m_layout->setHorizontalSpacing(below ? kGap / 2 : kGap);
}

/// Three columns: panel, template, difference; in a volume each with three planes below each other.
void ExplainPanel::drawPictures() {
    if (!m_shown || m_document.result() == nullptr) {
        return;
    }
    placeProfile();
    const PeakPictures& p = m_shown->pictures;
    const QFont small = nameFont();
    const QString whole = tr("difference");
    const bool narrow = QFontMetrics(small).horizontalAdvance(whole) > sideOf();
    const QString templ = narrow ? tr("templ.") : tr("template");
    const QPixmap pixmap =
        columnsOf({{m_swapped ? templ : tr("panel"), m_swapped ? &p.templ : &p.panel},
                   {templ, &p.templ},
                   {narrow ? tr("differ.") : whole, &p.difference}},
                  sideOf(), small, devicePixelRatioF());
    m_pictures->setFixedWidth(widthOfColumns(kColumns, sideOf())); // never cut by the parts beside
    m_pictures->setPixmap(pixmap);
}

/// The peak by its number in the list, or by its place.
QString ExplainPanel::linkTo(const match::Peak& peak) const {
    const auto& peaks = m_document.result()->job->peaks;
    const auto found = std::ranges::find(peaks, match::keyOf(peak), match::keyOf);
    // The label keeps the colour of links that it had first.
    const QString style = QStringLiteral("style=\"color:%1\"")
                              .arg(QApplication::palette().color(QPalette::Link).name());
    if (found != peaks.end()) {
        const auto number = found - peaks.begin();
        return tr("<a %1 href=\"peak:%2\">peak %3</a>").arg(style).arg(number).arg(number + 1);
    }
    return QStringLiteral("<a %1 href=\"at:%2,%3,%4\">%5</a>")
        .arg(style)
        .arg(peak.centre[0])
        .arg(peak.centre[1])
        .arg(peak.centre[2])
        .arg(cornerText(peak.corner, m_document.isVolume()));
}

QString ExplainPanel::textOf(const Shown& shown) const {
    const match::Peak& peak = shown.peak;
    QStringList lines;
    lines << tr("<b>Score %1</b> ± %2")
                     .arg(peak.score, 0, 'f', 4)
                     .arg(QString::number(peak.bound, 'g', 2)) +
                 (peak.zscore ? tr(", %1 deviations above the mean").arg(*peak.zscore, 0, 'f', 1)
                              : QString());
    if (peak.falsePositives) {
        lines << tr("%1 false positives expected with such a score")
                     .arg(*peak.falsePositives, 0, 'g', 2);
    }
    if (peak.overlap) {
        lines
            << tr("Overlaps a better peak by %1 % of the smaller template; false positives do not "
                  "count the slope of that peak's scores")
                   .arg(100 * peak.overlap->share, 0, 'f', 0);
    }
    if (peak.error) {
        lines << tr("Centre ± %1 %2, by least squares of the pixels")
                     .arg(QString::number(std::ranges::max(*peak.error), 'g', 2),
                          voxelsWord(m_document.isVolume()));
    }
    if (peak.refinement) {
        const bool flat = !m_document.isVolume();
        lines << tr("Refined: %1, score %2; searched: %3")
                     .arg(toQString(job::poseText(*peak.pose, flat)))
                     .arg(peak.refinement->score, 0, 'f', 4)
                     .arg(toQString(job::poseText(peak.refinement->searched, flat)));
        if (const double turn = std::ranges::max(peak.refinement->turnError); turn > 0) {
            lines << tr("Angle ± %1 degrees").arg(QString::number(turn, 'g', 2));
        }
        if (peak.refinement->scaleEnds) {
            lines << tr("The scale ends at the last one searched; a better one may lie beyond.");
        }
    }
    if (peak.search) {
        lines << tr("Over the search: mean %1, deviation %2, z %3")
                     .arg(peak.search->mean, 0, 'f', 4)
                     .arg(peak.search->deviation, 0, 'f', 4)
                     .arg(peak.search->z, 0, 'f', 1);
    }
    if (!shown.explanation) {
        lines << coloured(tr("The map of this result is not there: no profiles and neighbours."),
                          accents().muted);
        return lines.join(QStringLiteral("<br>"));
    }
    const job::Explanation& e = *shown.explanation;
    if (e.runnerUp) {
        lines << tr("Next best: %1, score %2")
                         .arg(linkTo(*e.runnerUp))
                         .arg(e.runnerUp->score, 0, 'f', 4) +
                     (peak.rival ? tr(" (contrast %1)").arg(*peak.rival, 0, 'f', 2) : QString());
    } else {
        lines << tr("There is no other peak.");
    }
    if (e.suppressed.empty()) {
        lines << tr("Suppressed: none");
    } else {
        QStringList named;
        for (std::size_t i = 0; i < std::min(e.suppressed.size(), kMostNamed); ++i) {
            named << QStringLiteral("%1 (%2)")
                         .arg(linkTo(e.suppressed[i]))
                         .arg(e.suppressed[i].score, 0, 'f', 3);
        }
        if (e.suppressed.size() > kMostNamed) {
            named << QStringLiteral("…");
        }
        lines << tr("Suppressed: %1").arg(named.join(QStringLiteral(", ")));
    }
    lines << tr("Panel: mean %1, deviation %2")
                 .arg(numberText(e.panelMean), numberText(e.panelDeviation));
    lines << tr("Template: mean %1, deviation %2")
                 .arg(numberText(e.templateMean), numberText(e.templateDeviation));
    lines << tr("Panel ≈ %1 × template %2 %3")
                 .arg(numberText(shown.pictures.gain),
                      shown.pictures.offset < 0 ? QStringLiteral("−") : QStringLiteral("+"),
                      numberText(std::abs(shown.pictures.offset)));
    return lines.join(QStringLiteral("<br>"));
}

void ExplainPanel::follow(const QString& link) {
    if (link.startsWith(QStringLiteral("peak:"))) {
        Q_EMIT peakRequested(link.mid(5).toInt());
    } else if (link.startsWith(QStringLiteral("at:"))) {
        const QStringList numbers = link.mid(3).split(QChar(','));
        Q_EMIT placeRequested({numbers.value(0).toDouble(), numbers.value(1).toDouble(),
                               numbers.value(2).toDouble()});
    }
}

} // namespace flcc::ui
