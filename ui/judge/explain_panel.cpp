#include "ui/judge/explain_panel.h"

#include <QApplication>
#include <QHBoxLayout>
#include <QLabel>
#include <QPainter>
#include <QScrollArea>

#include <algorithm>
#include <cmath>
#include <utility>

#include "engine/base/error.h"
#include "ui/base/text.h"
#include "ui/base/theme.h"
#include "ui/judge/kept_source.h"
#include "ui/judge/panel_picture.h"
#include "ui/judge/profile_view.h"

namespace flcc::ui {
namespace {

constexpr int kBlinkMs = 350;
constexpr int kColumnGap = 6;
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
    m_profile = new ProfileView(this);
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
    auto* layout = new QHBoxLayout(this);
    layout->setContentsMargins(8, 4, 8, 4);
    layout->addWidget(m_pictures);
    layout->addWidget(m_profile, 2);
    layout->addWidget(text, 3);
    m_blink.setInterval(kBlinkMs);
    connect(&m_blink, &QTimer::timeout, this, [this] {
        m_swapped = !m_swapped;
        drawPictures();
    });
    connect(m_text, &QLabel::linkActivated, this, qOverload<const QString&>(&ExplainPanel::follow));
    connect(&m_document, &Document::peakSelected, this, qOverload<>(&ExplainPanel::follow));
    connect(&m_document, &Document::peaksReplaced, this, qOverload<>(&ExplainPanel::follow));
    clear();
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
    if (m_shown->explanation) {
        m_profile->show(m_shown->peak, *m_shown->explanation, m_document.isVolume());
    } else {
        m_profile->clear();
    }
    m_text->setText(textOf(*m_shown));
    drawPictures();
}

/// Pixels of one picture: all fit the height, and leave room beside them.
int ExplainPanel::sideOf() const {
    const int panels =
        m_shown ? panelsOf(m_document.result() != nullptr
                               ? m_document.result()
                                     ->job->templates[static_cast<std::size_t>(m_shown->peak.templ)]
                                     ->extents()
                               : base::Extents{1, 1, 1})
                : 1;
    const int line = fontMetrics().height();
    const int high = (height() - 8 - line - (panels - 1) * 2) / panels;
    return std::clamp(std::min(high, width() / 2 / 3 - kColumnGap), 24, 256);
}

/// Three columns: panel, template, difference; in a volume each with three planes below each other.
void ExplainPanel::drawPictures() {
    if (!m_shown || m_document.result() == nullptr) {
        return;
    }
    const int side = sideOf();
    const double ratio = devicePixelRatioF();
    const int line = fontMetrics().height();
    const PeakPictures& p = m_shown->pictures;
    const int panels = std::max(
        1, static_cast<int>(std::lround(static_cast<double>(p.panel.width()) / p.panel.height())));
    const QSize size(3 * side + 2 * kColumnGap, line + panels * (side + 2) - 2);
    QPixmap pixmap(size * ratio);
    pixmap.setDevicePixelRatio(ratio);
    pixmap.fill(Qt::transparent);
    QPainter painter(&pixmap);
    const std::array<const QImage*, 3> pictures{m_swapped ? &p.templ : &p.panel, &p.templ,
                                                &p.difference};
    const std::array<QString, 3> names{m_swapped ? tr("template") : tr("panel"), tr("template"),
                                       tr("difference")};
    for (std::size_t i = 0; i < 3; ++i) {
        const int left = static_cast<int>(i) * (side + kColumnGap);
        painter.setPen(QApplication::palette().color(QPalette::WindowText));
        painter.drawText(QRect(left, 0, side, line), Qt::AlignCenter,
                         fontMetrics().elidedText(names[i], Qt::ElideRight, side));
        const QImage& picture = *pictures[i];
        const int square = picture.height();
        for (int panel = 0; panel < panels; ++panel) {
            // The planes lie side by side in the picture, with the same gap between them.
            const int from = panels > 1 ? panel * (picture.width() - square) / (panels - 1) : 0;
            painter.drawImage(QRect(left, line + panel * (side + 2), side, side), picture,
                              QRect(from, 0, square, square));
        }
    }
    m_pictures->setFixedWidth(size.width()); // never cut by the parts beside it
    m_pictures->setPixmap(pixmap);
}

/// The peak by its number in the list, or by its place.
QString ExplainPanel::linkTo(const match::Peak& peak) const {
    const auto& peaks = m_document.result()->job->peaks;
    const auto found = std::ranges::find(peaks, match::keyOf(peak), match::keyOf);
    if (found != peaks.end()) {
        const auto number = found - peaks.begin();
        return tr("<a href=\"peak:%1\">peak %2</a>").arg(number).arg(number + 1);
    }
    return QStringLiteral("<a href=\"at:%1,%2,%3\">%4</a>")
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

void ExplainPanel::refreshTheme() {
    m_profile->update();
    follow();
}

} // namespace flcc::ui
