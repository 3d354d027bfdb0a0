#include "ui/batch/batch_dialog.h"

#include <QCheckBox>
#include <QDragEnterEvent>
#include <QElapsedTimer>
#include <QFileDialog>
#include <QFormLayout>
#include <QHBoxLayout>
#include <QHeaderView>
#include <QLineEdit>
#include <QMimeData>
#include <QPushButton>
#include <QTableView>
#include <QUrl>
#include <QVBoxLayout>

#include <exception>
#include <mutex>
#include <utility>

#include "ui/base/option_names.h"
#include "ui/base/settings.h"
#include "ui/base/text.h"
#include "ui/batch/batch_job.h"
#include "ui/batch/batch_model.h"
#include "ui/open/opener.h"

namespace flcc::ui {
namespace {

namespace fs = std::filesystem;

const char* const kPurpose = "batch";

std::vector<fs::path> pathsOf(const QStringList& files) {
    std::vector<fs::path> paths;
    for (const QString& file : files) {
        paths.push_back(toPath(file));
    }
    return paths;
}

} // namespace

/// What the background thread tells of a run.
struct BatchDialog::SoFar {
    std::mutex mutex;
    std::vector<std::pair<std::size_t, job::BatchRow>> ended; ///< guarded: not shown yet
};

BatchDialog::BatchDialog(Document& document, RunController& controller,
                         std::function<job::Job()> job, QWidget* parent)
    : WorkDialog(controller, RunController::Task::Batch, QStringLiteral("batch"), tr("Many files"),
                 parent),
      m_document(document), m_job(std::move(job)), m_model(new BatchModel(this)) {
    setAcceptDrops(true);
    build();
    setStartText(tr("Run"));
    resize(720, 520);
    update();
}

BatchDialog::~BatchDialog() = default;

void BatchDialog::build() {
    auto* content = new QWidget(this);
    auto* column = new QVBoxLayout(content);
    column->setContentsMargins(0, 6, 0, 0);
    m_table = new QTableView(content);
    m_table->setObjectName(QStringLiteral("batchTable"));
    m_table->setAccessibleName(tr("Files"));
    m_table->setModel(m_model);
    m_table->setSelectionBehavior(QAbstractItemView::SelectRows);
    m_table->verticalHeader()->hide();
    m_table->setWordWrap(false);
    m_table->horizontalHeader()->setSectionResizeMode(BatchModel::State, QHeaderView::Stretch);
    m_table->setColumnWidth(BatchModel::File, 220);
    connect(m_table, &QTableView::doubleClicked, this, [this](const QModelIndex& index) {
        const auto row = static_cast<std::size_t>(index.row());
        Q_EMIT openRequested(pathText(m_model->rows()[row].file));
    });
    column->addWidget(m_table, 1);
    auto* buttons = new QHBoxLayout;
    const auto add = [&](const char* name, const QString& text, const QString& tip,
                         void (BatchDialog::*slot)()) {
        auto* button = new QPushButton(text, content);
        button->setObjectName(QLatin1String(name));
        button->setAccessibleName(text);
        button->setToolTip(tip);
        connect(button, &QPushButton::clicked, this, slot);
        buttons->addWidget(button);
        m_edits.push_back(button);
    };
    add("batchAddFiles", tr("Add &files …"), tr("Files may also be dropped on the list"),
        &BatchDialog::askFiles);
    add("batchAddFolder", tr("Add f&older …"), tr("Adds the images of a folder"),
        &BatchDialog::askFolder);
    add("batchRemove", tr("&Remove"), tr("Takes the selected files from the list"),
        &BatchDialog::removeRows);
    buttons->addStretch(1);
    column->addLayout(buttons);
    auto* form = new QFormLayout;
    m_folder = new QLineEdit(content);
    m_folder->setObjectName(QStringLiteral("batchFolder"));
    m_folder->setAccessibleName(tr("Results in"));
    m_folder->setToolTip(tr("Gets the job, its templates, NAME-peaks.csv of each file and "
                            "all-peaks.csv. What is done there by the same job is not done again"));
    connect(m_folder, &QLineEdit::textChanged, this, &BatchDialog::update);
    auto* line = new QHBoxLayout;
    line->addWidget(m_folder, 1);
    auto* browse = new QPushButton(tr("&Choose …"), content);
    browse->setObjectName(QStringLiteral("batchChoose"));
    browse->setAccessibleName(tr("Choose the folder of results"));
    browse->setToolTip(tr("Asks for the folder of results"));
    connect(browse, &QPushButton::clicked, this, &BatchDialog::askResults);
    m_edits.push_back(browse);
    line->addWidget(browse);
    form->addRow(tr("Results in"), line);
    m_maps = new QCheckBox(tr("Also the map of each file"), content);
    m_maps->setObjectName(QStringLiteral("batchMaps"));
    m_maps->setAccessibleName(m_maps->text());
    m_maps->setToolTip(tr("NAME-map.mha: the score of every placement"));
    form->addRow(QString(), m_maps);
    column->addLayout(form);
    addContent(content, 1);
}

void BatchDialog::addFiles(const std::vector<fs::path>& files) {
    try {
        m_model->add(job::batchFiles(files));
    } catch (const std::exception& error) {
        say(inWindowWords(error), true);
    }
    update();
}

void BatchDialog::setFolder(const QString& folder) { m_folder->setText(folder); }

void BatchDialog::askFiles() {
    auto* dialog = new QFileDialog(this, tr("Add files"), Settings::folder(QStringLiteral("open")),
                                   Opener::filters());
    dialog->setObjectName(QStringLiteral("batchFilesDialog"));
    dialog->setAttribute(Qt::WA_DeleteOnClose);
    dialog->setFileMode(QFileDialog::ExistingFiles);
    connect(dialog, &QFileDialog::filesSelected, this, [this](const QStringList& files) {
        Settings::rememberFolder(QStringLiteral("open"), files.value(0));
        addFiles(pathsOf(files));
    });
    dialog->open();
}

void BatchDialog::askFolder() {
    auto* dialog =
        new QFileDialog(this, tr("Add folder"), Settings::folder(QStringLiteral("open")));
    dialog->setObjectName(QStringLiteral("batchFolderDialog"));
    dialog->setAttribute(Qt::WA_DeleteOnClose);
    dialog->setFileMode(QFileDialog::Directory);
    connect(dialog, &QFileDialog::fileSelected, this,
            [this](const QString& folder) { addFiles({toPath(folder)}); });
    dialog->open();
}

void BatchDialog::askResults() {
    auto* dialog =
        new QFileDialog(this, tr("Folder of results"), Settings::folder(QLatin1String(kPurpose)));
    dialog->setObjectName(QStringLiteral("batchResultsDialog"));
    dialog->setAttribute(Qt::WA_DeleteOnClose);
    dialog->setFileMode(QFileDialog::Directory);
    connect(dialog, &QFileDialog::fileSelected, this, [this](const QString& folder) {
        Settings::rememberFolder(QLatin1String(kPurpose), folder + QChar('/'));
        setFolder(folder);
    });
    dialog->open();
}

void BatchDialog::removeRows() {
    std::vector<int> rows;
    for (const QModelIndex& index : m_table->selectionModel()->selectedRows()) {
        rows.push_back(index.row());
    }
    m_model->remove(std::move(rows));
    update();
}

void BatchDialog::update() {
    const bool files = !m_model->rows().empty();
    const bool folder = !m_folder->text().trimmed().isEmpty();
    setStartable(files && folder);
    if (!isStarted()) {
        say(tr("Searches every file for the templates of the window, with the fields of the Match "
               "panel. A file that fails stops no other one.") +
            QChar(' ') +
            (!files    ? tr("Add files first.")
             : !folder ? tr("Choose the folder of the results.")
                       : QString()));
    }
}

WorkDialog::Work BatchDialog::work() {
    BatchInputs inputs;
    inputs.job = m_job();
    inputs.inputs = m_document.inputs();
    if (m_document.hasScene()) {
        inputs.scene = m_document.geometry();
    }
    inputs.files = m_model->files();
    inputs.folder = toPath(m_folder->text().trimmed());
    inputs.maps = m_maps->isChecked();
    m_model->reset();
    m_soFar = std::make_shared<SoFar>();
    return [this, inputs, soFar = m_soFar](const std::stop_token& stop, const Tell& tell) {
        News news(tell);
        fs::create_directories(inputs.folder);
        const job::BatchReport report =
            job::runBatch(batchOf(inputs), stop, &news,
                          [&](const job::BatchRow& row, std::size_t number, std::size_t) {
                              const std::scoped_lock lock(soFar->mutex);
                              soFar->ended.emplace_back(number, row);
                          });
        return [this, report] { showEnd(report); };
    };
}

void BatchDialog::workingChanged(bool working) {
    for (QPushButton* each : m_edits) {
        each->setEnabled(!working);
    }
    m_folder->setEnabled(!working);
    m_maps->setEnabled(!working);
}

void BatchDialog::showSoFar() {
    if (!m_soFar) {
        return;
    }
    std::vector<std::pair<std::size_t, job::BatchRow>> ended;
    {
        const std::scoped_lock lock(m_soFar->mutex);
        ended.swap(m_soFar->ended);
    }
    for (const auto& [number, row] : ended) {
        m_model->setRow(number, row);
    }
    double ms = 0;
    std::int64_t measured = 0;
    std::int64_t left = 0;
    for (const job::BatchRow& row : m_model->rows()) {
        const bool waits = row.state == job::BatchState::Waiting;
        left += waits ? 1 : 0;
        if (!waits && !row.earlier) {
            ms += row.ms;
            ++measured;
        }
    }
    const auto all = std::ssize(m_model->rows());
    QString sentence = tr("File %1 of %2").arg(all - left + (left > 0 ? 1 : 0)).arg(all);
    if (measured > 0) {
        sentence +=
            tr(", about %1 left")
                .arg(durationText(ms / static_cast<double>(measured) * static_cast<double>(left)));
    }
    say(sentence);
}

void BatchDialog::showEnd(const job::BatchReport& report) {
    for (std::size_t i = 0; i < report.rows.size(); ++i) {
        m_model->setRow(i, report.rows[i]);
    }
    m_soFar.reset();
    const std::int64_t failed = report.count(job::BatchState::Failed);
    const std::int64_t done = report.count(job::BatchState::Done);
    std::int64_t peaks = 0;
    for (const job::BatchRow& row : report.rows) {
        peaks += row.peaks;
    }
    QString sentence =
        tr("%1 of %2 files are done, with %3 peaks.").arg(done).arg(report.rows.size()).arg(peaks);
    if (failed > 0) {
        sentence += tr(" %1 failed; Run tries them again.").arg(failed);
    }
    sentence += report.cancelled ? tr(" Run goes on with the others.")
                                 : tr(" All peaks are in all-peaks.csv.");
    say(sentence, failed > 0);
}

void BatchDialog::dragEnterEvent(QDragEnterEvent* event) {
    if (event->mimeData()->hasUrls() && !isStarted()) {
        event->acceptProposedAction();
    }
}

void BatchDialog::dropEvent(QDropEvent* event) {
    QStringList files;
    for (const QUrl& url : event->mimeData()->urls()) {
        if (url.isLocalFile()) {
            files << url.toLocalFile();
        }
    }
    event->acceptProposedAction();
    addFiles(pathsOf(files));
}

} // namespace flcc::ui
