#include "ui/features/pairs_dialog.h"

#include <QComboBox>
#include <QDoubleSpinBox>
#include <QHBoxLayout>
#include <QHeaderView>
#include <QLabel>
#include <QPushButton>
#include <QSignalBlocker>
#include <QTableWidget>

#include <array>
#include <exception>
#include <utility>

#include "engine/base/error.h"
#include "engine/io/atomic_file.h"
#include "ui/base/option_names.h"
#include "ui/base/save_dialog.h"
#include "ui/base/settings.h"
#include "ui/base/text.h"
#include "ui/base/theme.h"
#include "ui/document/thumbnail.h"
#include "ui/document/voxel_tips.h"
#include "ui/features/features_image.h"
#include "ui/open/opener.h"
#include "ui/views/views_panel.h"
#include "ui/work/job_file.h"

namespace flcc::ui {

namespace {

constexpr int kPictureSide = 1024;

PairsView::Side sideOf(const job::FeaturesImage& image, const QString& title) {
    const base::AnyView view = base::viewOf(*image.components.front());
    return {thumbnailOf(view, kPictureSide), base::extentsOf(*image.components.front()), title};
}

} // namespace

/// What the background thread hands over.
struct PairsDialog::Found {
    std::shared_ptr<job::FeaturesResult> result;
    PairsView::Side first;
    PairsView::Side second;
};

PairsDialog::PairsDialog(Document& document, RunController& controller, ViewsPanel& views,
                         Window window, QWidget* parent)
    : WorkDialog(controller, RunController::Task::Features, QStringLiteral("pairs"),
                 tr("Match blobs of two scenes"), parent),
      m_document(document), m_views(views), m_window(std::move(window)),
      m_result(std::make_shared<job::FeaturesResult>()) {
    auto* choice = new QWidget(this);
    auto* row = new QHBoxLayout(choice);
    row->setContentsMargins(0, 6, 0, 6);
    m_scene = new QComboBox(choice);
    m_scene->setObjectName(QStringLiteral("pairsScene"));
    m_scene->setAccessibleName(tr("Second scene"));
    m_scene->setToolTip(tr("Scene whose blobs are compared with those of the shown scene"));
    m_scene->setSizeAdjustPolicy(QComboBox::AdjustToMinimumContentsLengthWithIcon);
    m_scene->setMinimumContentsLength(20);
    m_least = new QDoubleSpinBox(choice);
    m_least->setObjectName(QStringLiteral("pairsLeastScore"));
    m_least->setAccessibleName(tr("Least score"));
    m_least->setToolTip(tr("Least score (LCC) of the surroundings of both blobs of a pair"));
    m_least->setRange(-1, 1);
    m_least->setSingleStep(0.05);
    m_least->setValue(job::FeaturesJob{}.minScore);
    row->addWidget(new QLabel(tr("Match with"), choice));
    row->addWidget(m_scene, 1);
    m_open = new QPushButton(tr("Open …"), choice);
    m_open->setObjectName(QStringLiteral("pairsOpen"));
    m_open->setAccessibleName(tr("Open second image"));
    m_open->setToolTip(tr("Takes an image file as second scene; it may have other extents"));
    connect(m_open, &QPushButton::clicked, this, &PairsDialog::askScene);
    row->addWidget(m_open);
    row->addWidget(new QLabel(tr("least score"), choice));
    row->addWidget(m_least);
    addContent(choice, 0);
    m_view = new PairsView(this);
    addContent(m_view, 3);
    m_table = new QTableWidget(0, 8, this);
    m_table->setObjectName(QStringLiteral("pairsTable"));
    m_table->setAccessibleName(tr("Pairs"));
    (new VoxelTips(m_document, this))
        ->set(m_table, tr("Select a row to see its line; %1, from 0. Ratio: how much larger the "
                          "blob is in the second scene. Turn: degrees, to the next ten"));
    m_table->setHorizontalHeaderLabels({tr("Score"), tr("x"), tr("y"), tr("z"), tr("x, second"),
                                        tr("y, second"), tr("z, second"), tr("Ratio, turn")});
    m_table->setSelectionBehavior(QAbstractItemView::SelectRows);
    m_table->setSelectionMode(QAbstractItemView::SingleSelection);
    m_table->setEditTriggers(QAbstractItemView::NoEditTriggers);
    m_table->setAlternatingRowColors(true);
    m_table->horizontalHeader()->setSectionResizeMode(QHeaderView::Stretch);
    addContent(m_table, 2);
    setStartText(tr("Match"));
    m_saveList = addButton("Save", tr("Save pairs …"));
    m_saveList->setIcon(icon(QStringLiteral("save")));
    m_saveJob = addButton("SaveJob", tr("Save job …"));
    m_saveJob->setIcon(icon(QStringLiteral("save")));
    m_saveJob->setToolTip(tr("Saves this search as a file for flcc-cli features --job"));
    m_copy = addButton("CopyLine", tr("Copy command line"));
    m_copy->setIcon(icon(QStringLiteral("copy")));
    m_copy->setToolTip(tr("Copies this search as a command line of flcc-cli"));
    m_saveList->setEnabled(false);
    connect(m_saveList, &QPushButton::clicked, this, [this] { askFile(false); });
    connect(m_saveJob, &QPushButton::clicked, this, [this] { askFile(true); });
    connect(m_copy, &QPushButton::clicked, this, [this] {
        try {
            say(copyCommandLine(namedJob("pairs.csv")), false);
        } catch (const base::Error& error) {
            say(inWindowWords(error), true);
        }
    });
    connect(m_view, &PairsView::selectedByMouse, m_table,
            [this](int line) { line < 0 ? m_table->clearSelection() : m_table->selectRow(line); });
    connect(m_table, &QTableWidget::itemSelectionChanged, this, [this] {
        const QList<QTableWidgetItem*> items = m_table->selectedItems();
        select(items.isEmpty() ? -1 : items.front()->row());
    });
    for (const auto signal : {&Document::scenesChanged, &Document::sceneShown}) {
        connect(&m_document, signal, this, &PairsDialog::fillScenes);
    }
    fillScenes();
    say(tr("Blobs of both scenes whose surroundings look alike are joined by a line."));
    resize(900, 760);
}

/// The other scenes of the list, then files.
void PairsDialog::fillScenes() {
    const QSignalBlocker quiet(m_scene);
    m_scene->clear();
    for (int i = 0; i < static_cast<int>(m_document.scenes().size()); ++i) {
        const SceneEntry& entry = m_document.scenes()[static_cast<std::size_t>(i)];
        if (i != m_document.activeScene() && (entry.image || !entry.path.empty())) {
            m_scene->addItem(entry.name, i);
        }
    }
    for (std::size_t i = 0; i < m_files.size(); ++i) {
        m_scene->addItem(pathText(m_files[i].filename()), -1 - static_cast<int>(i));
    }
    setStartable(m_document.hasScene() && m_scene->count() > 0);
}

void PairsDialog::askScene() {
    auto* dialog = new QFileDialog(this, tr("Open second image"),
                                   Settings::folder(QStringLiteral("open")), Opener::filters());
    dialog->setObjectName(QStringLiteral("pairsOpenDialog"));
    dialog->setAttribute(Qt::WA_DeleteOnClose);
    dialog->setFileMode(QFileDialog::ExistingFile);
    connect(dialog, &QFileDialog::fileSelected, this, &PairsDialog::addFile);
    dialog->open();
}

void PairsDialog::addFile(const QString& file) {
    m_files.push_back(toPath(file));
    fillScenes();
    m_scene->setCurrentIndex(m_scene->count() - 1);
}

void PairsDialog::setLeastScore(double score) { m_least->setValue(score); }

std::optional<SceneEntry> PairsDialog::second() const {
    if (m_scene->currentIndex() < 0) {
        return std::nullopt;
    }
    const int number = m_scene->currentData().toInt();
    if (number >= 0) {
        return m_document.scenes().at(static_cast<std::size_t>(number));
    }
    SceneEntry entry;
    entry.path = m_files.at(static_cast<std::size_t>(-1 - number));
    entry.name = m_scene->currentText();
    return entry;
}

job::FeaturesJob PairsDialog::job() const {
    job::FeaturesJob job = m_window.job();
    job.minScore = m_least->value();
    return job;
}

void PairsDialog::workingChanged(bool working) {
    m_scene->setEnabled(!working);
    m_open->setEnabled(!working);
    m_least->setEnabled(!working);
    m_saveList->setEnabled(false); // until there are pairs
    m_saveJob->setEnabled(!working);
    m_copy->setEnabled(!working);
}

WorkDialog::Work PairsDialog::work() {
    job::FeaturesJob job;
    try {
        job = this->job();
    } catch (const base::Error& error) { // is shown as if the work had failed
        return
            [error](const std::stop_token&, const Tell&) -> std::function<void()> { throw error; };
    }
    return [this, job, first = m_document.scene(), second = second().value()](
               const std::stop_token& stop, const Tell& tell) -> std::function<void()> {
        News sink(tell);
        sink.doing("reading");
        auto found = std::make_shared<Found>();
        const job::FeaturesImage a = featuresImageOf(first, job, stop);
        const job::FeaturesImage b = featuresImageOf(second, job, stop);
        if (!a.components.empty() && !b.components.empty()) {
            found->first = sideOf(a, first.name);
            found->second = sideOf(b, second.name);
            found->result =
                std::make_shared<job::FeaturesResult>(job::runFeatures(job, a, &b, stop, &sink));
            // The list names both files.
            found->result->job.scene = first.path.empty() ? toPath(first.name) : first.path;
            found->result->job.match = second.path.empty() ? toPath(second.name) : second.path;
        }
        return [this, found] { showPairs(found); };
    };
}

void PairsDialog::showPairs(const std::shared_ptr<Found>& found) {
    if (!found->result || found->result->cancelled) {
        say(tr("Stopped before the pairs were found."));
        return;
    }
    m_result = found->result;
    m_view->setSides(std::move(found->first), std::move(found->second));
    std::vector<PairsView::Line> lines;
    for (const features::Pair& pair : pairs()) {
        lines.push_back({m_result->detection.blobs[pair.a].centre, pair.place});
    }
    m_view->setLines(std::move(lines));
    fillTable();
    m_saveList->setEnabled(!pairs().empty());
    say(tr("%1 pairs of %2 blobs in the first scene and %3 in the second")
            .arg(pairs().size())
            .arg(m_result->detection.blobs.size())
            .arg(m_result->matchDetection.blobs.size()));
}

void PairsDialog::fillTable() {
    const QSignalBlocker quiet(m_table);
    m_table->setRowCount(static_cast<int>(pairs().size()));
    for (const int column : {3, 6}) {
        m_table->setColumnHidden(column, m_result->extents.z == 1);
    }
    for (int row = 0; row < static_cast<int>(pairs().size()); ++row) {
        const features::Pair& pair = pairs()[static_cast<std::size_t>(row)];
        const features::Blob& a = m_result->detection.blobs[pair.a];
        const features::Blob& b = m_result->matchDetection.blobs[pair.b];
        const std::array<double, 7> values{pair.score,    a.centre[0],   a.centre[1],  a.centre[2],
                                           pair.place[0], pair.place[1], pair.place[2]};
        for (int column = 0; column < 8; ++column) {
            const QString text =
                column < 7 ? QString::number(values.at(static_cast<std::size_t>(column)), 'f',
                                             column == 0 ? 3 : 2)
                           : tr("%1, %2°").arg(b.sigma / a.sigma, 0, 'f', 2).arg(pair.turn);
            auto* item = new QTableWidgetItem(text);
            item->setTextAlignment(Qt::AlignRight | Qt::AlignVCenter);
            m_table->setItem(row, column, item);
        }
    }
    m_table->clearSelection();
}

void PairsDialog::select(int row) {
    m_view->select(row);
    if (row >= 0) {
        m_views.centreOn(
            m_result->detection.blobs[pairs()[static_cast<std::size_t>(row)].a].centre);
    }
}

void PairsDialog::askFile(bool jobFile) {
    const SaveQuestion question =
        jobFile ? SaveQuestion{tr("Save job"), tr("Job (*.json)"), "pairsJobDialog",
                               QStringLiteral("pairs.json"), "job"}
                : SaveQuestion{tr("Save pairs"), tr("Pairs (*.csv *.tsv)"), "pairsListDialog",
                               QStringLiteral("pairs.csv"), "export"};
    askWhereToSave(
        this, question,
        [this, jobFile](const QString& file) { return jobFile ? saveJob(file) : saveList(file); },
        [this](const QString& sentence, bool failed) { say(sentence, failed); });
}

QString PairsDialog::saveList(const QString& file) {
    m_window.inputs().requireOther(toPath(file));
    const bool tabs = file.endsWith(QStringLiteral(".tsv"), Qt::CaseInsensitive);
    io::writeText(toPath(file), job::pairsAsText(*m_result, tabs ? '\t' : ','));
    return tr("Saved as %1").arg(file);
}

job::FeaturesJob PairsDialog::namedJob(const std::filesystem::path& list) const {
    const SceneEntry& first = m_document.scene();
    const std::optional<SceneEntry> other = second();
    if (first.path.empty() || !other || other->path.empty()) {
        throw base::Error(base::ErrorCode::Problem,
                          "a job needs two scenes that are in files; save a scene first "
                          "(File > Export > Scene)");
    }
    job::FeaturesJob job = this->job();
    putScene(job, first);
    job.match = other->path;
    job.pairs = list;
    return job;
}

/// The job writes its pairs beside the job file.
QString PairsDialog::saveJob(const QString& file) {
    return saveJobFile(namedJob(toPath(file).replace_extension(".csv")), file, m_window.inputs());
}

} // namespace flcc::ui
