#include "ui/features_panel.h"

#include <QDoubleSpinBox>
#include <QFormLayout>
#include <QHBoxLayout>
#include <QHeaderView>
#include <QLabel>
#include <QLineEdit>
#include <QListWidget>
#include <QPointer>
#include <QPushButton>
#include <QSignalBlocker>
#include <QSlider>
#include <QTableWidget>
#include <QVBoxLayout>

#include <algorithm>
#include <cmath>
#include <utility>

#include "engine/base/error.h"
#include "engine/base/tile_pool.h"
#include "engine/features/pairs.h"
#include "engine/job/arguments.h"
#include "engine/job/features.h"
#include "ui/option_names.h"
#include "ui/text.h"
#include "ui/thumbnail.h"

namespace flcc::ui {

namespace {

constexpr int kSliderSteps = 1000;
constexpr int kIconSide = 64;
constexpr int kStartPercent = 20; ///< of the strongest blob, shown at first

/// Passes the progress to the window, and the maxima of each scale to the panel.
class BlobSink : public features::DetectorSink {
  public:
    using Found = std::function<void(std::vector<features::Blob>)>;
    BlobSink(job::JobSink* sink, Found found) : m_sink(sink), m_found(std::move(found)) {}
    void progress(double share) override { m_sink->progress(share); }
    void found(double, std::span<const features::Blob> blobs) override {
        m_found({blobs.begin(), blobs.end()});
    }

  private:
    job::JobSink* m_sink;
    Found m_found;
};

std::vector<viz::BlobMark> marksOf(const std::vector<features::Blob>& blobs) {
    std::vector<viz::BlobMark> marks;
    marks.reserve(blobs.size());
    for (const features::Blob& blob : blobs) {
        marks.push_back({blob.centre, blob.radius});
    }
    return marks;
}

QDoubleSpinBox* voxelField(const char* name, const QString& label, const QString& tip, double least,
                           double most, double value, QWidget* parent) {
    auto* box = new QDoubleSpinBox(parent);
    box->setObjectName(QLatin1String(name));
    box->setAccessibleName(label);
    box->setToolTip(tip);
    box->setDecimals(1);
    box->setRange(least, most);
    box->setValue(value);
    return box;
}

features::ChannelImage channelsOf(const job::SceneImage& scene) {
    return {{base::viewOf(scene.pixels)}, features::Channels::Grey};
}

} // namespace

FeaturesPanel::FeaturesPanel(Document& document, RunController& controller, ViewsPanel& views,
                             QWidget* parent)
    : QWidget(parent), m_document(document), m_controller(controller), m_views(views) {
    setObjectName(QStringLiteral("featuresPanel"));
    build();
    for (const auto signal : {&Document::sceneChanged, &Document::sceneShown}) {
        connect(&m_document, signal, this, &FeaturesPanel::clear);
    }
    connect(&m_controller, &RunController::started, this, &FeaturesPanel::updateButtons);
    connect(&m_controller, &RunController::finished, this, &FeaturesPanel::updateButtons);
    clear();
}

void FeaturesPanel::build() {
    auto* layout = new QHBoxLayout(this);
    layout->setContentsMargins(8, 4, 8, 4);
    layout->addWidget(buildSide());
    layout->addWidget(buildTable(), 1);
    m_best = new QListWidget(this);
    m_best->setObjectName(QStringLiteral("blobSuggestions"));
    m_best->setAccessibleName(tr("Suggested templates"));
    m_best->setToolTip(tr("Boxes that a match can find well, the best first. Double-click cuts "
                          "the box as template"));
    m_best->setViewMode(QListView::IconMode);
    m_best->setIconSize({kIconSide, kIconSide});
    m_best->setResizeMode(QListView::Adjust);
    m_best->setMovement(QListView::Static);
    layout->addWidget(m_best, 1);
    connect(m_best, &QListWidget::currentRowChanged, this, [this](int row) {
        if (row >= 0 && row < static_cast<int>(m_suggestions.size())) {
            const features::Suggestion& at = m_suggestions[static_cast<std::size_t>(row)];
            m_document.setBox(at.box);
            m_views.centreOn(m_detection->blobs[at.blob].centre);
        }
    });
    connect(m_best, &QListWidget::itemDoubleClicked, this, [this] {
        const int row = m_best->currentRow();
        useBox(m_suggestions[static_cast<std::size_t>(row)].box);
    });
}

QWidget* FeaturesPanel::buildSide() {
    auto* side = new QWidget(this);
    auto* form = new QFormLayout(side);
    form->setContentsMargins(0, 0, 0, 0);
    form->setVerticalSpacing(3);
    m_find = new QPushButton(tr("Find blobs"), side);
    m_find->setObjectName(QStringLiteral("findBlobs"));
    m_find->setAccessibleName(m_find->text());
    m_find->setToolTip(tr("Finds places of all sizes that differ from their surroundings"));
    m_first = voxelField("blobFirstScale", tr("Smallest scale"),
                         tr("Smallest scale, voxels; blobs are larger than it"),
                         features::kLeastSigma, 500, 2, side);
    m_last = voxelField("blobLastScale", tr("Largest scale"),
                        tr("Largest scale, voxels; blobs are smaller than it"), 1, 2000, 20, side);
    m_memory = new QLineEdit(side);
    m_memory->setObjectName(QStringLiteral("blobMemory"));
    m_memory->setAccessibleName(tr("Memory limit"));
    m_memory->setPlaceholderText(tr("what is free"));
    m_memory->setToolTip(tr("Memory that finding blobs may take beyond the scene, such as 4 GiB or "
                            "500 MB; empty: what the machine has free"));
    m_strength = new QSlider(Qt::Horizontal, side);
    m_strength->setObjectName(QStringLiteral("blobStrength"));
    m_strength->setAccessibleName(tr("Least strength"));
    m_strength->setToolTip(tr("Hides weaker blobs, without a new run"));
    m_strength->setRange(0, kSliderSteps);
    m_strength->setValue(kStartPercent * kSliderSteps / 100);
    m_strengthText = new QLabel(side);
    m_least = voxelField("blobLeastRadius", tr("Smallest radius shown"),
                         tr("Hides smaller blobs, without a new run; voxels"), 0, 9999, 0, side);
    m_most = voxelField("blobMostRadius", tr("Largest radius shown"),
                        tr("Hides larger blobs, without a new run; voxels"), 0, 9999, 9999, side);
    const auto row = [side](QWidget* a, QWidget* b) {
        auto* pair = new QHBoxLayout;
        pair->addWidget(a, 1);
        pair->addWidget(b, 1);
        (void)side;
        return pair;
    };
    m_use = new QPushButton(tr("Use as template"), side);
    m_use->setObjectName(QStringLiteral("blobTemplate"));
    m_use->setAccessibleName(m_use->text());
    m_use->setToolTip(tr("Cuts the box around the selected blob as template"));
    m_suggest = new QPushButton(tr("Suggest templates"), side);
    m_suggest->setObjectName(QStringLiteral("suggestTemplates"));
    m_suggest->setAccessibleName(m_suggest->text());
    m_suggest->setToolTip(tr("Ranks blobs by strength and by how well a match can tell them from "
                             "their surroundings"));
    form->addRow(m_find);
    form->addRow(tr("Scales"), row(m_first, m_last));
    form->addRow(tr("Memory limit"), m_memory);
    form->addRow(tr("Strength"), row(m_strength, m_strengthText));
    form->addRow(tr("Radius"), row(m_least, m_most));
    form->addRow(row(m_use, m_suggest));
    connect(m_find, &QPushButton::clicked, this, &FeaturesPanel::find);
    connect(m_use, &QPushButton::clicked, this, &FeaturesPanel::useSelected);
    connect(m_suggest, &QPushButton::clicked, this, &FeaturesPanel::suggest);
    connect(m_strength, &QSlider::valueChanged, this, &FeaturesPanel::applyFilter);
    for (QDoubleSpinBox* box : {m_least, m_most}) {
        connect(box, &QDoubleSpinBox::valueChanged, this, &FeaturesPanel::applyFilter);
    }
    return side;
}

QWidget* FeaturesPanel::buildTable() {
    auto* area = new QWidget(this);
    auto* column = new QVBoxLayout(area);
    column->setContentsMargins(0, 0, 0, 0);
    m_summary = new QLabel(area);
    m_summary->setObjectName(QStringLiteral("blobSummary"));
    m_table = new QTableWidget(0, 5, area);
    m_table->setObjectName(QStringLiteral("blobTable"));
    m_table->setAccessibleName(tr("Blobs"));
    m_table->setToolTip(tr("Select a row to centre every view on its blob; voxels, from 0"));
    m_table->setHorizontalHeaderLabels({tr("Strength"), tr("x"), tr("y"), tr("z"), tr("Radius")});
    m_table->setSelectionBehavior(QAbstractItemView::SelectRows);
    m_table->setSelectionMode(QAbstractItemView::SingleSelection);
    m_table->setEditTriggers(QAbstractItemView::NoEditTriggers);
    m_table->setAlternatingRowColors(true);
    m_table->verticalHeader()->setDefaultSectionSize(m_table->fontMetrics().height() + 6);
    // All columns are in sight also where the table is narrow.
    m_table->horizontalHeader()->setSectionResizeMode(QHeaderView::ResizeToContents);
    m_table->horizontalHeader()->setStretchLastSection(true);
    column->addWidget(m_summary);
    column->addWidget(m_table, 1);
    connect(m_table, &QTableWidget::itemSelectionChanged, this, [this] {
        const int row = selectedRow();
        if (row >= 0) {
            m_views.centreOn(m_shown[static_cast<std::size_t>(row)].centre);
        }
        draw();
        updateButtons();
    });
    return area;
}

void FeaturesPanel::find() {
    if (!m_document.hasScene()) {
        Q_EMIT statusMessage(tr("Open an image first."));
        return;
    }
    job::FeaturesJob job;
    try {
        const QString memory = m_memory->text().trimmed();
        job.memoryBytes = memory.isEmpty() ? 0 : job::parseSize(memory.toStdString());
    } catch (const base::Error& error) {
        Q_EMIT statusMessage(inWindowWords(error.what()));
        return;
    }
    clear();
    const auto scene = m_document.scene().image;
    job.detector.scales = {m_first->value(), m_last->value(), 12};
    job.detector.maxBlobs = 5000;
    job.detector.threads = base::availableThreads();
    job.detector.minStrength = 0.0; // the slider chooses
    const QPointer<FeaturesPanel> panel(this);
    const std::uint64_t run = m_run;
    m_controller.start(RunController::Task::Features, tr("finding blobs"),
                       [panel, run, scene, job](const std::stop_token& stop,
                                                job::JobSink* sink) -> RunController::Done {
                           const auto news = [panel, run](std::vector<features::Blob> blobs) {
                               // The controller ends before the panel does.
                               QMetaObject::invokeMethod(
                                   panel.data(),
                                   [panel, run, blobs = std::move(blobs)] {
                                       if (panel && panel->m_run == run) {
                                           panel->showRunning(blobs);
                                       }
                                   },
                                   Qt::QueuedConnection);
                           };
                           BlobSink watcher(sink, news);
                           job::requireFeaturesMemory(job, base::extentsOf(scene->pixels));
                           auto detection = std::make_shared<features::Detection>(
                               features::detect(channelsOf(*scene), job.detector, stop, &watcher));
                           return [panel, run, detection] {
                               if (panel && panel->m_run == run) {
                                   panel->onFound(detection);
                               }
                           };
                       });
}

void FeaturesPanel::showRunning(std::vector<features::Blob> blobs) {
    std::sort(blobs.begin(), blobs.end(),
              [](const auto& a, const auto& b) { return a.strength > b.strength; });
    const double least =
        blobs.empty() ? 0 : blobs.front().strength * m_strength->value() / kSliderSteps;
    std::erase_if(blobs, [least](const auto& blob) { return blob.strength < least; });
    m_summary->setText(tr("%n blobs so far", nullptr, static_cast<int>(blobs.size())));
    showMarks(blobs, {});
}

void FeaturesPanel::onFound(const std::shared_ptr<const features::Detection>& detection) {
    if (detection->cancelled) {
        clear();
        Q_EMIT statusMessage(tr("Finding blobs was cancelled."));
        return;
    }
    m_detection = detection;
    applyFilter();
    Q_EMIT statusMessage(tr("%n blobs found", nullptr, static_cast<int>(detection->blobs.size())));
}

void FeaturesPanel::clear() {
    ++m_run;
    m_detection.reset();
    m_suggestions.clear();
    m_best->clear();
    applyFilter();
}

void FeaturesPanel::applyFilter() {
    m_shown.clear();
    double least = 0;
    if (m_detection && !m_detection->blobs.empty()) {
        least = m_detection->blobs.front().strength * m_strength->value() / kSliderSteps;
        for (const features::Blob& blob : m_detection->blobs) {
            if (blob.strength >= least && blob.radius >= m_least->value() &&
                blob.radius <= m_most->value()) {
                m_shown.push_back(blob);
            }
        }
    }
    m_strengthText->setText(m_detection ? QString::number(least, 'g', 4) : QString());
    fillTable();
    draw();
    updateButtons();
}

void FeaturesPanel::fillTable() {
    const QSignalBlocker quiet(m_table);
    m_table->setRowCount(static_cast<int>(m_shown.size()));
    m_table->setColumnHidden(3, !m_document.isVolume());
    for (int row = 0; row < static_cast<int>(m_shown.size()); ++row) {
        const features::Blob& blob = m_shown[static_cast<std::size_t>(row)];
        const std::array<double, 5> values{blob.strength, blob.centre[0], blob.centre[1],
                                           blob.centre[2], blob.radius};
        for (int column = 0; column < 5; ++column) {
            auto* item = new QTableWidgetItem(
                QString::number(values[static_cast<std::size_t>(column)], 'f', 2));
            item->setTextAlignment(Qt::AlignRight | Qt::AlignVCenter);
            m_table->setItem(row, column, item);
        }
    }
    m_table->clearSelection();
    m_summary->setText(m_detection
                           ? tr("%1 of %2 blobs").arg(m_shown.size()).arg(m_detection->blobs.size())
                           : tr("No blobs yet"));
}

void FeaturesPanel::showMarks(const std::vector<features::Blob>& blobs,
                              std::optional<std::size_t> selected) {
    for (ViewFrame* frame : m_views.frames()) {
        frame->scene().setBlobs(marksOf(blobs), selected);
    }
}

void FeaturesPanel::draw() {
    const int row = selectedRow();
    const std::optional<std::size_t> selected =
        row < 0 ? std::nullopt : std::optional(static_cast<std::size_t>(row));
    showMarks(m_shown, selected);
}

int FeaturesPanel::selectedRow() const {
    const QList<QTableWidgetItem*> items = m_table->selectedItems();
    return items.isEmpty() ? -1 : items.front()->row();
}

void FeaturesPanel::updateButtons() {
    const bool working = m_controller.isWorking();
    m_find->setEnabled(m_document.hasScene() && !working);
    m_use->setEnabled(selectedRow() >= 0 && !working);
    m_suggest->setEnabled(m_detection && !m_detection->blobs.empty() && !working);
}

void FeaturesPanel::useSelected() {
    const int row = selectedRow();
    if (row >= 0) {
        useBox(
            features::boxAround(m_shown[static_cast<std::size_t>(row)], m_document.sceneExtents()));
    }
}

void FeaturesPanel::useBox(const base::Box& box) {
    m_document.setBox(box);
    Q_EMIT templateRequested();
}

void FeaturesPanel::suggest() {
    const auto scene = m_document.scene().image;
    const auto detection = m_detection;
    const QPointer<FeaturesPanel> panel(this);
    const std::uint64_t run = m_run;
    m_controller.start(RunController::Task::Features, tr("suggesting templates"),
                       [panel, run, scene, detection](const std::stop_token& stop,
                                                      job::JobSink*) -> RunController::Done {
                           const base::Image<float> grey = features::greyImage(channelsOf(*scene));
                           std::vector<features::Suggestion> suggestions;
                           if (!features::suggestTemplates(grey.view(), detection->blobs,
                                                           {.threads = base::availableThreads()},
                                                           stop, suggestions)) {
                               suggestions.clear();
                           }
                           return [panel, run, suggestions = std::move(suggestions)] {
                               if (panel && panel->m_run == run) {
                                   panel->onSuggested(suggestions);
                               }
                           };
                       });
}

void FeaturesPanel::onSuggested(std::vector<features::Suggestion> suggestions) {
    m_best->clear();
    m_suggestions = std::move(suggestions);
    const auto scene = m_document.scene().image;
    for (const features::Suggestion& at : m_suggestions) {
        const base::AnyView part = base::partOf(base::viewOf(scene->pixels), at.box);
        const QString text = tr("second %1").arg(at.second, 0, 'f', 2);
        auto* item = new QListWidgetItem(
            QIcon(QPixmap::fromImage(
                thumbnailOf(part, kIconSide).scaled(kIconSide, kIconSide, Qt::KeepAspectRatio))),
            text, m_best);
        item->setToolTip(tr("Box %1; strength %2; best score elsewhere %3; width of the peak %4 of "
                            "the box")
                             .arg(toQString(base::toString(at.box)))
                             .arg(m_detection->blobs[at.blob].strength, 0, 'g', 4)
                             .arg(at.second, 0, 'f', 2)
                             .arg(at.width, 0, 'f', 2));
    }
}

} // namespace flcc::ui
