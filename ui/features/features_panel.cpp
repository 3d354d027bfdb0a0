#include "ui/features/features_panel.h"

#include <QAction>
#include <QComboBox>
#include <QDoubleSpinBox>
#include <QFormLayout>
#include <QHBoxLayout>
#include <QHeaderView>
#include <QLabel>
#include <QMenu>
#include <QPointer>
#include <QPushButton>
#include <QScrollArea>
#include <QSignalBlocker>
#include <QSlider>
#include <QStyle>
#include <QTableWidget>
#include <QVBoxLayout>

#include <algorithm>
#include <cmath>
#include <utility>

#include "engine/base/error.h"
#include "engine/base/tile_pool.h"
#include "engine/features/pairs.h"
#include "ui/base/option_names.h"
#include "ui/base/save_dialog.h"
#include "ui/base/text.h"
#include "ui/document/voxel_tips.h"
#include "ui/features/blob_files.h"
#include "ui/features/features_form.h"
#include "ui/features/features_image.h"
#include "ui/features/suggestion_list.h"
#include "ui/work/job_file.h"

namespace flcc::ui {

namespace {

constexpr int kSliderSteps = 1000;
constexpr std::int64_t kMostShown = 5000;
constexpr int kStartPercent = 20; ///< of the strongest blob, shown at first

enum class Kind { Both, Light, Dark }; ///< entries of the choice of blobs that are listed

/// Passes the progress to the window, and the maxima of each scale to the panel.
class BlobSink : public job::JobSink {
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
        marks.push_back({blob.centre, blob.radius, blob.edges});
    }
    return marks;
}

features::ChannelImage channelsOf(const job::SceneImage& scene) {
    return {{base::viewOf(scene.pixels)}, features::Channels::Grey};
}

} // namespace

FeaturesPanel::FeaturesPanel(Document& document, RunController& controller, ViewsPanel& views,
                             std::function<io::ProtectedFiles()> inputs, QWidget* parent)
    : QWidget(parent), m_document(document), m_controller(controller), m_views(views),
      m_inputs(std::move(inputs)) {
    setObjectName(QStringLiteral("featuresPanel"));
    build();
    setFocusProxy(m_table);
    auto* tips = new VoxelTips(m_document, this);
    std::vector<QWidget*> withUnit = m_form->scaleFields();
    withUnit.insert(withUnit.end(), {m_least, m_most, m_table});
    for (QWidget* widget : withUnit) {
        tips->set(widget, widget->toolTip());
    }
    for (const auto signal : {&Document::sceneChanged, &Document::sceneShown}) {
        connect(&m_document, signal, this, &FeaturesPanel::clear);
    }
    connect(&m_controller, &RunController::started, this, &FeaturesPanel::updateButtons);
    connect(&m_controller, &RunController::finished, this, &FeaturesPanel::updateButtons);
    clear();
}

void FeaturesPanel::build() {
    auto* area = new QScrollArea(this); // the fields are higher than the panel on a small screen
    area->setWidgetResizable(true);
    area->setFrameShape(QFrame::NoFrame);
    area->setWidget(buildSide());
    area->setSizePolicy(QSizePolicy::Maximum, QSizePolicy::Expanding);
    area->setMinimumWidth(area->widget()->minimumSizeHint().width() +
                          style()->pixelMetric(QStyle::PM_ScrollBarExtent));
    auto* wide = new QScrollArea(this); // all of it is wider than a small window leaves
    wide->setWidgetResizable(true);
    wide->setFrameShape(QFrame::NoFrame);
    auto* content = new QWidget(wide);
    wide->setWidget(content);
    auto* outer = new QHBoxLayout(this);
    outer->setContentsMargins(0, 0, 0, 0);
    outer->addWidget(wide);
    auto* layout = new QHBoxLayout(content);
    layout->setContentsMargins(8, 4, 8, 4);
    layout->addWidget(area);
    layout->addWidget(buildTable(), 3);
    m_best = new SuggestionList(this);
    auto* best = new QVBoxLayout;
    auto* buttons = new QHBoxLayout;
    buttons->addWidget(m_suggest, 1);
    buttons->addWidget(m_save);
    best->addLayout(buttons);
    best->addWidget(m_best, 1);
    layout->addLayout(best, 2);
    connect(m_best, &SuggestionList::chosen, this,
            [this](const base::Box& box, const base::Point& centre) {
                m_document.setBox(box);
                m_views.centreOn(centre);
            });
    connect(m_best, &SuggestionList::accepted, this, &FeaturesPanel::useBox);
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
    m_form = new FeaturesForm(side);
    m_strength = new QSlider(Qt::Horizontal, side);
    m_strength->setObjectName(QStringLiteral("blobStrength"));
    m_strength->setAccessibleName(tr("Least strength"));
    m_strength->setToolTip(tr("Hides weaker blobs, without a new run"));
    m_strength->setRange(0, kSliderSteps);
    m_strength->setValue(kStartPercent * kSliderSteps / 100);
    m_strengthText = new QLabel(side);
    m_least = voxelField("blobLeastRadius", tr("Smallest radius shown"),
                         tr("Hides smaller blobs, without a new run; %1"), 0, 9999, 0, side);
    m_most = voxelField("blobMostRadius", tr("Largest radius shown"),
                        tr("Hides larger blobs, without a new run; %1"), 0, 9999, 0, side);
    m_most->setSpecialValueText(tr("any"));
    m_kind = new QComboBox(side);
    m_kind->setObjectName(QStringLiteral("blobKind"));
    m_kind->setAccessibleName(tr("Light or dark blobs"));
    m_kind->setToolTip(
        tr("Lists blobs that are lighter or darker than what is around them, without "
           "a new run. Suggestions follow"));
    m_kind->addItems({tr("Light and dark"), tr("Light only"), tr("Dark only")});
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
    m_suggest->setToolTip(tr("Ranks the listed blobs by strength and by how well a match can tell "
                             "them from their surroundings"));
    m_pairs = new QPushButton(tr("Match …"), side);
    m_pairs->setObjectName(QStringLiteral("blobPairs"));
    m_pairs->setAccessibleName(tr("Match blobs of two scenes"));
    m_pairs->setToolTip(tr("Finds blobs of this scene and of another that look alike"));
    m_save = new QPushButton(tr("Save"), side);
    m_save->setObjectName(QStringLiteral("saveBlobs"));
    m_save->setAccessibleName(tr("Save blobs"));
    m_save->setToolTip(tr("Saves the listed blobs, or this search as a job file"));
    auto* menu = new QMenu(m_save);
    m_saveList = menu->addAction(tr("List of blobs …"), this, &FeaturesPanel::askList);
    menu->addAction(tr("Job file …"), this, &FeaturesPanel::askJobFile);
    menu->addAction(tr("Copy as command line"), this, [this] {
        if (hasFile()) {
            Q_EMIT statusMessage(copyCommandLine(namedJob("blobs.csv")));
        }
    });
    m_save->setMenu(menu);
    form->addRow(row(m_find, m_pairs));
    form->addRow(tr("Strength"), row(m_strength, m_strengthText));
    form->addRow(tr("Radius"), row(m_least, m_most));
    form->addRow(tr("Blobs"), m_kind);
    form->addRow(m_form);
    connect(m_find, &QPushButton::clicked, this, &FeaturesPanel::find);
    connect(m_pairs, &QPushButton::clicked, this, &FeaturesPanel::pairsRequested);
    connect(m_use, &QPushButton::clicked, this, &FeaturesPanel::useSelected);
    connect(m_suggest, &QPushButton::clicked, this, &FeaturesPanel::suggest);
    connect(m_strength, &QSlider::valueChanged, this, &FeaturesPanel::applyFilter);
    connect(m_kind, &QComboBox::currentIndexChanged, this, &FeaturesPanel::applyFilter);
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
    m_table->setToolTip(tr("Select a row to centre every view on its blob; %1, from 0"));
    m_table->setHorizontalHeaderLabels({tr("Strength"), tr("x"), tr("y"), tr("z"), tr("Radius")});
    m_table->setSelectionBehavior(QAbstractItemView::SelectRows);
    m_table->setSelectionMode(QAbstractItemView::SingleSelection);
    m_table->setEditTriggers(QAbstractItemView::NoEditTriggers);
    m_table->setAlternatingRowColors(true);
    m_table->verticalHeader()->setDefaultSectionSize(m_table->fontMetrics().height() + 6);
    // All columns are in sight also where the table is narrow.
    m_table->horizontalHeader()->setSectionResizeMode(QHeaderView::ResizeToContents);
    m_table->horizontalHeader()->setStretchLastSection(true);
    auto* head = new QHBoxLayout;
    head->addWidget(m_summary, 1);
    head->addWidget(m_use);
    column->addLayout(head);
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

void FeaturesPanel::findAs(const job::FeaturesJob& job) {
    m_form->setJob(job, m_document.sceneExtents());
    find();
    m_wanted = job.detector.minStrength;
}

void FeaturesPanel::find() {
    if (!m_document.hasScene()) {
        Q_EMIT statusMessage(tr("Open an image first."));
        return;
    }
    job::FeaturesJob job;
    try {
        job = this->job();
    } catch (const base::Error& error) {
        Q_EMIT statusMessage(inWindowWords(error));
        return;
    }
    clear();
    const SceneEntry scene = m_document.scene();
    job.scene = scene.path.empty() ? toPath(scene.name) : scene.path; // what a list names
    job.detector.maxBlobs = kMostShown;
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
                           auto result = std::make_shared<job::FeaturesResult>(job::runFeatures(
                               job, featuresImageOf(scene, job, stop), nullptr, stop, &watcher));
                           std::vector<char> light;
                           if (!result->cancelled) {
                               const base::Image<float> grey =
                                   features::greyImage(channelsOf(*scene.image));
                               for (const features::Blob& blob : result->detection.blobs) {
                                   light.push_back(features::isLight(grey.view(), blob) ? 1 : 0);
                               }
                           }
                           return [panel, run, result, light = std::move(light)] {
                               if (panel && panel->m_run == run) {
                                   panel->m_light = light;
                                   panel->onFound(result);
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

void FeaturesPanel::onFound(std::shared_ptr<const job::FeaturesResult> result) {
    if (result->cancelled) {
        clear();
        Q_EMIT statusMessage(tr("Finding blobs was cancelled."));
        return;
    }
    m_result = std::move(result);
    if (m_wanted && !m_result->detection.blobs.empty()) {
        const QSignalBlocker quiet(m_strength);
        m_strength->setValue(static_cast<int>(
            std::floor(*m_wanted / m_result->detection.blobs.front().strength * kSliderSteps)));
    }
    applyFilter();
    const features::Detection& detection = m_result->detection;
    std::int64_t beyond = 0;
    for (const features::ChannelFacts& channel : detection.channels) {
        beyond += channel.beyond;
    }
    const std::string why = features::whyEmpty(detection);
    Q_EMIT statusMessage(
        (why.empty() ? tr("%n blobs found", nullptr, static_cast<int>(detection.blobs.size()))
                     : toQString(why)) +
        (beyond > 0 ? tr("; %1 outliers lie beyond the levels").arg(beyond) : QString()));
}

void FeaturesPanel::clear() {
    ++m_run;
    m_wanted.reset();
    m_result.reset();
    m_light.clear();
    m_best->forget();
    applyFilter();
}

double FeaturesPanel::leastStrength() const {
    const bool none = !m_result || m_result->detection.blobs.empty();
    return none ? 0
                : m_result->detection.blobs.front().strength * m_strength->value() / kSliderSteps;
}

void FeaturesPanel::applyFilter() {
    m_shown.clear();
    const double least = leastStrength();
    if (m_result && !m_result->detection.blobs.empty()) {
        const std::vector<features::Blob>& blobs = m_result->detection.blobs;
        const auto kind = static_cast<Kind>(m_kind->currentIndex());
        for (std::size_t i = 0; i < blobs.size(); ++i) {
            const features::Blob& blob = blobs[i];
            if (blob.strength >= least && blob.radius >= m_least->value() &&
                (m_most->value() == 0 || blob.radius <= m_most->value()) &&
                (kind == Kind::Both || (m_light[i] != 0) == (kind == Kind::Light))) {
                m_shown.push_back(blob);
            }
        }
    }
    m_strengthText->setText(m_result ? QString::number(least, 'g', 4) : QString());
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
    m_summary->setText(
        m_result ? tr("%1 of %2 blobs").arg(m_shown.size()).arg(m_result->detection.blobs.size())
                 : tr("No blobs yet"));
}

void FeaturesPanel::showMarks(const std::vector<features::Blob>& blobs,
                              std::optional<std::size_t> selected) {
    m_views.setBlobs(marksOf(blobs), selected);
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
    m_pairs->setEnabled(m_document.hasScene() && !working);
    m_save->setEnabled(m_document.hasScene() && !working);
    m_saveList->setEnabled(!m_shown.empty());
    m_suggest->setEnabled(!m_shown.empty() && !working);
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

job::FeaturesJob FeaturesPanel::job() const {
    job::FeaturesJob job = m_form->job();
    job.spacing = m_document.spacing();
    return job;
}

void FeaturesPanel::suggest() {
    const auto scene = m_document.scene().image;
    const std::vector<features::Blob> listed = m_shown;
    const QPointer<FeaturesPanel> panel(this);
    const std::uint64_t run = m_run;
    m_controller.start(
        RunController::Task::Features, tr("suggesting templates"),
        [panel, run, scene, listed](const std::stop_token& stop,
                                    job::JobSink*) -> RunController::Done {
            const base::Image<float> grey = features::greyImage(channelsOf(*scene));
            std::vector<features::Suggestion> suggestions;
            if (!features::suggestTemplates(grey.view(), listed,
                                            {.threads = base::availableThreads()}, stop,
                                            suggestions)) {
                suggestions.clear();
            }
            return [panel, run, listed, scene, suggestions = std::move(suggestions)] {
                if (panel && panel->m_run == run) {
                    panel->m_best->setSuggestions(suggestions, listed, base::viewOf(scene->pixels));
                }
            };
        });
}

void FeaturesPanel::askList() {
    askWhereToSave(
        this,
        {tr("Save blobs"), tr("Blobs (*.csv *.tsv *.json);;3D Slicer (*.mrk.json)"),
         "blobListDialog", QStringLiteral("blobs.csv"), "export"},
        [this](const QString& file) {
            saveBlobList(*m_result, m_shown, m_document.geometry(), file, m_inputs());
            return tr("%n blobs saved", nullptr, static_cast<int>(m_shown.size()));
        },
        [this](const QString& sentence, bool) { Q_EMIT statusMessage(sentence); });
}

/// Says why a job cannot name the scene where it cannot.
bool FeaturesPanel::hasFile() {
    const bool named = !m_document.scene().path.empty();
    if (!named) {
        Q_EMIT statusMessage(unsavedScene(m_document.scene()));
    }
    return named;
}

job::FeaturesJob FeaturesPanel::namedJob(const std::filesystem::path& list) const {
    job::FeaturesJob wanted = job();
    putScene(wanted, m_document.scene());
    wanted.blobs = list;
    if (m_result) { // of the strength that the slider shows
        wanted.detector.maxBlobs = kMostShown;
        wanted.detector.minStrength = leastStrength();
    }
    return wanted;
}

void FeaturesPanel::askJobFile() {
    if (!hasFile()) {
        return;
    }
    askWhereToSave(
        this,
        {tr("Save job"), tr("Job (*.json)"), "blobJobDialog", QStringLiteral("features.json"),
         "job"},
        [this](const QString& file) {
            return saveJobFile(namedJob(toPath(file).replace_extension(".csv")), file, m_inputs());
        },
        [this](const QString& sentence, bool) { Q_EMIT statusMessage(sentence); });
}

} // namespace flcc::ui
