#include "ui/judge/average_dialog.h"

#include <QApplication>
#include <QComboBox>
#include <QDialogButtonBox>
#include <QHBoxLayout>
#include <QLabel>
#include <QPushButton>
#include <QSignalBlocker>
#include <QVBoxLayout>

#include <algorithm>
#include <array>
#include <cmath>

#include "engine/base/error.h"
#include "engine/job/boxes.h"
#include "ui/base/option_names.h"
#include "ui/base/text.h"
#include "ui/base/theme.h"
#include "ui/judge/panel_picture.h"
#include "ui/judge/ring_view.h"
#include "ui/results/peaks_panel.h"

namespace flcc::ui {
namespace {

constexpr int kSide = 120; ///< pixels of a picture
constexpr std::array kAll{AverageDialog::Of::Kept, AverageDialog::Of::Selected,
                          AverageDialog::Of::NotRejected};

} // namespace

AverageDialog::AverageDialog(Document& document, PeaksPanel& peaks, QWidget* parent)
    : QDialog(parent), m_document(document), m_peaks(peaks) {
    setObjectName(QStringLiteral("averageDialog"));
    setWindowTitle(tr("Average of peaks"));
    buildChoices();
    m_pictures = new QLabel(this);
    m_pictures->setObjectName(QStringLiteral("averagePictures"));
    m_pictures->setAlignment(Qt::AlignTop | Qt::AlignLeft);
    m_pictures->setToolTip(
        tr("The mean of the panels under the peaks, the template they were found "
           "with, and the variance of the panels: bright where they differ"));
    m_rings = new RingView(this);
    m_text = new QLabel(this);
    m_text->setObjectName(QStringLiteral("averageText"));
    m_text->setWordWrap(true);
    m_text->setTextFormat(Qt::RichText);
    m_text->setTextInteractionFlags(Qt::TextSelectableByMouse);
    m_use = new QPushButton(tr("Use as template"), this);
    m_use->setObjectName(QStringLiteral("averageUse"));
    m_use->setToolTip(tr("Replaces the active template by the average; Ctrl+Z brings it back"));
    m_search = new QPushButton(tr("Search again with the average"), this);
    m_search->setObjectName(QStringLiteral("averageSearch"));
    m_search->setToolTip(tr("Replaces the active template by the average and runs the search"));
    m_search->setDefault(true);
    auto* buttons = new QDialogButtonBox(QDialogButtonBox::Close, this);
    buttons->addButton(m_use, QDialogButtonBox::ActionRole);
    buttons->addButton(m_search, QDialogButtonBox::ActionRole);
    auto* choices = new QHBoxLayout;
    auto* label = new QLabel(tr("Average"), this);
    label->setBuddy(m_which);
    choices->addWidget(label);
    choices->addWidget(m_which);
    choices->addWidget(m_templLabel);
    choices->addWidget(m_templ);
    choices->addStretch(1);
    auto* row = new QHBoxLayout;
    row->addWidget(m_pictures);
    row->addWidget(m_rings, 1);
    auto* layout = new QVBoxLayout(this);
    layout->addLayout(choices);
    layout->addLayout(row, 1);
    layout->addWidget(m_text);
    layout->addWidget(buttons);
    connect(buttons, &QDialogButtonBox::rejected, this, &QDialog::reject);
    connect(m_use, &QPushButton::clicked, this, [this] {
        if (makeTemplate()) {
            Q_EMIT told(tr("%1 is the template now.").arg(m_document.templ()->name));
        }
    });
    connect(m_search, &QPushButton::clicked, this, [this] {
        if (makeTemplate()) {
            accept();
            Q_EMIT searchRequested();
        }
    });
    for (const auto signal :
         {&Document::resultShown, &Document::peaksReplaced, &Document::decisionsChanged}) {
        connect(&m_document, signal, this, &AverageDialog::choose);
    }
    connect(&m_peaks, &PeaksPanel::selectionChanged, this, &AverageDialog::choose);
    followTheme(this, [this] { drawPictures(); });
}

AverageDialog::~AverageDialog() = default;

void AverageDialog::buildChoices() {
    m_which = new QComboBox(this);
    m_which->setObjectName(QStringLiteral("averageOf"));
    m_which->setAccessibleName(tr("Which peaks are averaged"));
    m_which->setToolTip(tr("Which peaks are averaged. Those whose box leaves the scene are left "
                           "out"));
    for (std::size_t i = 0; i < kAll.size(); ++i) {
        m_which->addItem(QString());
    }
    m_templLabel = new QLabel(tr("of template"), this);
    m_templ = new QComboBox(this);
    m_templ->setObjectName(QStringLiteral("averageTemplate"));
    m_templ->setAccessibleName(tr("Template whose peaks are averaged"));
    m_templ->setToolTip(tr("Peaks of this template are averaged; the average replaces it"));
    m_templLabel->setBuddy(m_templ);
    connect(m_which, &QComboBox::activated, this, [this] {
        m_chosen = true;
        follow();
    });
    connect(m_templ, &QComboBox::activated, this, &AverageDialog::choose);
}

AverageDialog::Of AverageDialog::which() const {
    return kAll[static_cast<std::size_t>(std::max(m_which->currentIndex(), 0))];
}

int AverageDialog::templ() const { return std::max(m_templ->currentIndex(), 0); }

std::vector<match::Peak> AverageDialog::peaksOf(Of which, int templ) const {
    const ResultEntry& result = *m_document.result();
    const std::vector<int>& shown = m_document.peakChoice().shown;
    const std::vector<int> numbers = which == Of::Selected ? m_peaks.selectedPeaks() : shown;
    std::vector<match::Peak> peaks;
    for (const int number : numbers) {
        const match::Peak& peak = result.job->peaks[static_cast<std::size_t>(number)];
        const match::Decision decision = result.decisions.of(match::keyOf(peak));
        const bool meant = which == Of::Kept          ? decision == match::Decision::Keep
                           : which == Of::NotRejected ? decision != match::Decision::Reject
                                                      : true;
        if (meant && peak.templ == templ) {
            peaks.push_back(peak);
        }
    }
    return peaks;
}

/// Counts the peaks of each choice. Until a person chooses: several selected ones, or kept ones, or
/// all but rejected ones.
void AverageDialog::choose() {
    const ResultEntry* result = m_document.result();
    if (!isVisible()) {
        return;
    }
    if (result == nullptr) {
        clear(tr("There are no peaks: run a search first."));
        return;
    }
    const auto count = static_cast<int>(result->job->templates.size());
    if (m_templ->count() != count) {
        m_templ->clear();
        for (int i = 0; i < count; ++i) {
            m_templ->addItem(QString::number(i));
        }
    }
    m_templ->setVisible(count > 1);
    m_templLabel->setVisible(count > 1);
    const auto number = [&](Of which) { return std::ssize(peaksOf(which, templ())); };
    m_which->setItemText(0, tr("Kept peaks (%1)").arg(number(Of::Kept)));
    m_which->setItemText(1, tr("Selected peaks (%1)").arg(number(Of::Selected)));
    m_which->setItemText(2, tr("All but rejected peaks (%1)").arg(number(Of::NotRejected)));
    if (!m_chosen) {
        m_which->setCurrentIndex(number(Of::Selected) > 1 ? 1 : number(Of::Kept) > 0 ? 0 : 2);
    }
    follow();
}

void AverageDialog::showEvent(QShowEvent* event) {
    QDialog::showEvent(event);
    m_chosen = false;
    choose();
}

void AverageDialog::follow() {
    const ResultEntry* result = m_document.result();
    if (!isVisible() || result == nullptr || !m_document.hasScene()) {
        return;
    }
    std::vector<match::Peak> peaks = peaksOf(which(), templ());
    if (peaks.empty()) {
        clear(tr("No such peaks: keep some with Space, or select rows of the table or cells of the "
                 "gallery."));
        return;
    }
    m_use->setEnabled(false);
    m_search->setEnabled(false);
    m_work.start([this, peaks = std::move(peaks), job = result->job,
                  scene = m_document.scene().image,
                  templ = templ()](const std::stop_token& stop) -> std::function<void()> {
        try {
            auto made = std::make_shared<Made>();
            made->job = job;
            made->templ = templ;
            const match::PanelOptions options{
                .size = job->templates[static_cast<std::size_t>(templ)]->extents(),
                .normalise = match::Normalise::None,
                .subvoxel = true,
                .references = job::referencesOf(*job),
                .edges = job->geometry.spacing};
            made->average = match::averageOf(base::viewOf(scene->pixels), peaks, options, stop);
            match::requireBoxes(made->average);
            if (stop.stop_requested()) {
                return {};
            }
            const base::Image<float> mean = job::floatsOf(made->average.mean);
            made->madeOf = std::make_shared<job::MadeOf>(
                job::madeOf(base::AnyView(mean.view()), scene->source, base::viewOf(scene->pixels),
                            peaks, made->average.taken));
            made->report = job::reportOf(made->average, options, job->geometry);
            return [this, made] { take(made); };
        } catch (const base::Error& error) {
            return [this, sentence = inWindowWords(error)] { clear(sentence); };
        }
    });
}

void AverageDialog::clear(const QString& why) {
    m_work.cancel();
    m_made.reset();
    m_rings->clear();
    m_pictures->setPixmap({});
    m_text->setText(why.toHtmlEscaped());
    m_use->setEnabled(false);
    m_search->setEnabled(false);
}

void AverageDialog::take(std::shared_ptr<const Made> made) {
    const ResultEntry* result = m_document.result();
    if (result == nullptr || result->job->scene != made->job->scene) {
        return;
    }
    m_made = std::move(made);
    m_rings->show(m_made->average.halves, m_document.isVolume());
    m_text->setText(textOf(*m_made));
    m_use->setEnabled(true);
    m_search->setEnabled(true);
    drawPictures();
}

QString AverageDialog::textOf(const Made& made) const {
    const job::AverageReport& report = made.report;
    QString text = tr("<b>Mean of %1</b>").arg(peaksText(report.count));
    if (report.leftOut > 0) {
        text += tr("; the boxes of %1 leave the scene").arg(peaksText(report.leftOut));
    }
    if (report.inverted > 0) {
        text += tr("; %1 dark ones inverted").arg(report.inverted);
    }
    text += tr("<br>Mean variance: %1 (deviation %2)")
                .arg(numberText(report.meanVariance), numberText(std::sqrt(report.meanVariance)));
    if (!report.halves.frequency.empty()) {
        const QString unit = m_document.isVolume() ? tr("voxels") : tr("pixels");
        text += QStringLiteral("<br>");
        text += report.halves.resolution
                    ? tr("Halves agree down to %1 %2%3")
                          .arg(QString::number(*report.halves.resolution, 'f', 2), unit,
                               report.resolution && report.unit != "px"
                                   ? QStringLiteral(" (%1 %2)")
                                         .arg(QString::number(*report.resolution, 'g', 4),
                                              unitText(made.job->geometry))
                                   : QString())
                    : tr("Halves agree down to 2 %1, the finest there is").arg(unit);
        text += tr(" (0.143); one template placed both, so this is the best case");
    }
    return text;
}

/// Mean and template with the contrast of each, the variance from 0.
void AverageDialog::drawPictures() {
    if (!m_made) {
        return;
    }
    const QRgb outside = accents().card.rgb();
    const auto& templ = m_made->job->templates[static_cast<std::size_t>(m_made->templ)]->pixels;
    const auto pictureOf = [&](const base::AnyView& view, bool fromZero) {
        viz::GreyWindow window = viz::autoWindow(view, 0, 100);
        window.low = fromZero ? 0 : window.low;
        return boxPicture(valuesOf(view, {{0, 0, 0}, base::extentsOf(view)}), base::extentsOf(view),
                          window, kSide, outside);
    };
    const QImage mean = pictureOf(m_made->average.mean.view(), false);
    const QImage before = pictureOf(base::viewOf(templ), false);
    const QImage variance = pictureOf(m_made->average.variance.view(), true);
    m_pictures->setPixmap(
        columnsOf({{tr("mean"), &mean}, {tr("template"), &before}, {tr("variance"), &variance}},
                  kSide, font(), devicePixelRatioF()));
}

/// One undo step. Where the window still has the templates of the result, the one whose peaks were
/// averaged is replaced, else the active one.
bool AverageDialog::makeTemplate() {
    if (!m_made || !m_document.hasScene()) {
        return false;
    }
    TemplateEntry entry;
    auto image = std::make_shared<job::SceneImage>();
    image->pixels = job::floatsOf(m_made->average.mean);
    image->madeOf = m_made->madeOf;
    image->geometry = job::boxGeometry(m_made->job->geometry);
    entry.name = tr("average of %1").arg(peaksText(m_made->average.count));
    image->source = entry.name.toStdString();
    entry.image = std::move(image);
    if (m_document.templates().size() == m_made->job->templates.size()) {
        m_document.setActiveTemplate(m_made->templ);
    }
    m_document.setTemplate(std::move(entry));
    return true;
}

} // namespace flcc::ui
