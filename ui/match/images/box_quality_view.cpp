#include "ui/match/images/box_quality_view.h"

#include <QGridLayout>
#include <QImage>
#include <QLabel>
#include <QPixmap>

#include <algorithm>
#include <cmath>
#include <memory>
#include <utility>

#include "engine/base/stopwatch.h"
#include "engine/match/colour_map.h"
#include "ui/base/elided_label.h"
#include "ui/base/latest_work.h"
#include "ui/base/text.h"
#include "ui/base/theme.h"

namespace flcc::ui {
namespace {

using features::BoxFault;
using features::BoxQuality;
using features::BoxVerdict;

constexpr int kPictureSide = 50;

/// The slice through the middle of the scores, 0 to 1 in the colours of heatmaps.
QImage pictureOf(const BoxQuality& quality) {
    const base::Extents& extents = quality.scores.extents();
    const auto scores = quality.scores.view();
    QImage image(static_cast<int>(extents.x), static_cast<int>(extents.y), QImage::Format_RGB32);
    for (int y = 0; y < image.height(); ++y) {
        for (int x = 0; x < image.width(); ++x) {
            const float score = scores.at(x, y, extents.z / 2);
            const match::Colour c = std::isnan(score) ? match::kHatchDark
                                                      : match::colourAt(match::ColourMap::Viridis,
                                                                        static_cast<double>(score));
            image.setPixel(x, y, qRgb(c[0], c[1], c[2]));
        }
    }
    return image;
}

QString axisName(std::size_t axis) { return QString(QChar('x' + static_cast<char>(axis))); }

QString scoreText(double score) { return QString::number(score, 'f', 2); }

/// A few words, and the whole sentence.
std::pair<QString, QString> verdictTexts(const BoxQuality& quality, bool volume) {
    const QString axis = axisName(quality.slides);
    const QString voxels = voxelsWord(volume);
    switch (quality.fault) {
    case BoxFault::None:
        break;
    case BoxFault::Small:
        return {BoxQualityView::tr("Too small: fewer than two %1").arg(voxels),
                BoxQualityView::tr("A template needs at least two %1. Make the box larger.")
                    .arg(voxels)};
    case BoxFault::NotFinite:
        return {BoxQualityView::tr("Holds NaN: no score exists"),
                BoxQualityView::tr(
                    "The box holds NaN or an infinite value, so no score exists. Move the box.")};
    case BoxFault::Flat:
        return {BoxQualityView::tr("Flat: all %1 are equal").arg(voxels),
                BoxQualityView::tr(
                    "All %1 of the box have one value, so no score exists. Move the box.")
                    .arg(voxels)};
    case BoxFault::Slides:
        return {BoxQualityView::tr("Slides along %1, as on an edge").arg(axis),
                BoxQualityView::tr("The box looks the same when it is moved along %1, as on a line "
                                   "or an edge, so the position of a peak is not certain.")
                    .arg(axis)};
    case BoxFault::Repeats:
        return {
            BoxQualityView::tr("Repeats: %1 at %2 %3")
                .arg(scoreText(quality.second), QString::number(quality.distance, 'f', 0), voxels),
            BoxQualityView::tr("A place %1 %2 away looks like the box and scores %3.")
                .arg(QString::number(quality.distance, 'f', 0), voxels, scoreText(quality.second))};
    case BoxFault::Broad:
        return {BoxQualityView::tr("Broad peak along %1").arg(axis),
                BoxQualityView::tr("The main peak along %1 is most of the box, so positions are "
                                   "uncertain. A larger box has a sharper peak.")
                    .arg(axis)};
    case BoxFault::Weak:
        return {BoxQualityView::tr("Weak: hardly above the noise"),
                BoxQualityView::tr("The structure of the box is hardly above its noise. A copy "
                                   "with noise of its own scores about %1.")
                    .arg(scoreText(features::expectedScore(std::max(quality.contrast, 0.0))))};
    }
    return {BoxQualityView::tr("Distinctive"),
            BoxQualityView::tr("A match can tell the box from its surroundings.")};
}

QString numbersText(const BoxQuality& quality) {
    if (quality.scores.empty()) {
        return {};
    }
    QStringList sides;
    for (std::size_t a = 0; a < (quality.scores.extents().z > 1 ? 3U : 2U); ++a) {
        sides << QString::number(quality.width[a]);
    }
    const QString contrast =
        quality.contrast < 0 ? BoxQualityView::tr("unknown")
        : std::isinf(quality.contrast)
            ? BoxQualityView::tr("no noise")
            : BoxQualityView::tr("%1 × noise").arg(QString::number(quality.contrast, 'f', 1));
    return BoxQualityView::tr("Peak %1, second %2\nContrast %3")
        .arg(sides.join(QStringLiteral(" × ")), scoreText(quality.second), contrast);
}

} // namespace

BoxQualityView::BoxQualityView(Document& document, QWidget* parent)
    : QWidget(parent), m_document(document), m_work(new LatestWork(this)) {
    setObjectName(QStringLiteral("boxQuality"));
    setAccessibleName(tr("Quality of the box"));
    const auto label = [this](const char* name, const QString& tip) {
        auto* made = new QLabel(this);
        made->setObjectName(QLatin1String(name));
        made->setToolTip(tip);
        return made;
    };
    m_picture = label("boxQualityPicture",
                      tr("The score of the box with every place around it, up to one box away. A "
                         "good template has one small bright spot in the middle"));
    m_picture->setFixedSize(kPictureSide, kPictureSide);
    m_picture->setAccessibleName(tr("Self-correlation of the box"));
    m_verdict = new ElidedLabel(this);
    m_verdict->setObjectName(QStringLiteral("boxQualityVerdict"));
    m_verdict->setAccessibleName(tr("Whether a match can find the box again"));
    m_numbers = label("boxQualityNumbers",
                      tr("Peak: voxels around the box that score 0.5 or more. Second: the best "
                         "score beside that peak. Contrast: the structure of the box against its "
                         "noise"));
    auto* grid = new QGridLayout(this);
    grid->setContentsMargins(0, 0, 0, 0);
    grid->setHorizontalSpacing(8);
    grid->setVerticalSpacing(1);
    grid->addWidget(m_picture, 0, 0, 2, 1, Qt::AlignTop);
    grid->addWidget(m_verdict, 0, 1);
    grid->addWidget(m_numbers, 1, 1);
    grid->setColumnStretch(1, 1);
    for (QWidget* each : std::initializer_list<QWidget*>{m_picture, m_numbers}) {
        QSizePolicy kept = each->sizePolicy();
        kept.setRetainSizeWhenHidden(true);
        each->setSizePolicy(kept);
    }
    m_numbers->setForegroundRole(kMutedText);
    m_numbers->setText(QStringLiteral("\n")); // the height of two lines
    for (const auto signal : {&Document::boxChanged, &Document::sceneChanged, &Document::sceneShown,
                              &Document::masksChanged, &Document::templateChanged}) {
        connect(&m_document, signal, this, &BoxQualityView::request);
    }
    followTheme(this, [this] { colourVerdict(); });
    request();
}

void BoxQualityView::request() {
    const auto& box = m_document.box();
    if (!box || !m_document.hasScene()) {
        m_work->cancel();
        setVisible(false);
        return;
    }
    const auto mask = maskOf(*box);
    m_work->start([this, box = *box, mask, image = m_document.scene().image](
                      const std::stop_token& stop) -> std::function<void()> {
        const base::Stopwatch watch;
        auto quality = std::make_shared<BoxQuality>(
            features::boxQuality(base::viewOf(image->pixels), box, stop,
                                 mask ? mask->support.view() : base::View<const std::uint8_t>()));
        return [this, quality, masked = mask != nullptr, time = watch.ms()] {
            m_milliseconds = time;
            showQuality(*quality, masked);
        };
    });
}

/// The mask of the active template, if the box is where that template is drawn.
std::shared_ptr<const job::MaskImage> BoxQualityView::maskOf(const base::Box& box) const {
    const MaskEntry* mask = m_document.mask();
    const bool fits = mask != nullptr && mask->image->support.extents() == box.extents;
    return fits ? mask->image : nullptr;
}

void BoxQualityView::showQuality(const BoxQuality& quality, bool masked) {
    m_shown = quality.verdict;
    const auto [words, sentence] = verdictTexts(quality, m_document.isVolume());
    m_verdict->showText(
        masked ? tr("%1 (with the mask)").arg(words) : words,
        masked ? tr("%1 Only what the mask of the template takes in was judged.").arg(sentence)
               : sentence);
    const QString numbers = numbersText(quality);
    m_numbers->setText(numbers.isEmpty() ? QStringLiteral("\n") : numbers);
    m_numbers->setVisible(!numbers.isEmpty());
    QPixmap pixmap;
    if (!quality.scores.empty()) {
        const double ratio = devicePixelRatioF();
        const int side = static_cast<int>(std::lround(kPictureSide * ratio));
        pixmap = QPixmap::fromImage(
            pictureOf(quality).scaled(side, side, Qt::IgnoreAspectRatio, Qt::FastTransformation));
        pixmap.setDevicePixelRatio(ratio);
    }
    m_picture->setPixmap(pixmap);
    m_picture->setVisible(!pixmap.isNull());
    colourVerdict();
    setVisible(true);
    if (!m_work->isBusy()) {
        Q_EMIT shown();
    }
}

void BoxQualityView::colourVerdict() {
    const Accents& colours = accents();
    const QColor colour = m_shown == BoxVerdict::Good   ? colours.good
                          : m_shown == BoxVerdict::Fair ? colours.warning
                                                        : colours.bad;
    m_verdict->setStyleSheet(QStringLiteral("color: %1;").arg(colour.name()));
}

} // namespace flcc::ui
