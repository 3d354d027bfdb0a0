#include "ui/window/main_window.h"

#include <QCloseEvent>
#include <QDragEnterEvent>
#include <QMimeData>
#include <QScreen>
#include <QStackedWidget>
#include <QStatusBar>
#include <QVBoxLayout>

#include <filesystem>
#include <vector>

#include "engine/base/log.h"
#include "ui/base/actions.h"
#include "ui/base/overlay.h"
#include "ui/base/settings.h"
#include "ui/base/text.h"
#include "ui/base/theme.h"
#include "ui/compare/compare_panel.h"
#include "ui/judge/judge.h"
#include "ui/match/images/mask_bar.h"
#include "ui/match/match_flow.h"
#include "ui/match/match_panel.h"
#include "ui/open/data_panel.h"
#include "ui/open/open_question.h"
#include "ui/open/opener.h"
#include "ui/open/start_page.h"
#include "ui/project/project_commands.h"
#include "ui/project/project_keeper.h"
#include "ui/project/project_opener.h"
#include "ui/project/project_views.h"
#include "ui/results/exporter.h"
#include "ui/results/particle_export.h"
#include "ui/results/peaks_panel.h"
#include "ui/views/box_tool.h"
#include "ui/views/mask_painter.h"
#include "ui/views/views_panel.h"
#include "ui/window/menus/main_menus.h"
#include "ui/window/parts/action_states.h"
#include "ui/window/parts/connections.h"
#include "ui/window/parts/dialogs.h"
#include "ui/window/parts/docks.h"
#include "ui/window/parts/edit_commands.h"
#include "ui/window/parts/job_loader.h"
#include "ui/window/parts/parts.h"
#include "ui/window/parts/sample_thumbnails.h"
#include "ui/window/parts/status_line.h"

namespace flcc::ui {

MainWindow::MainWindow(QWidget* parent)
    : QMainWindow(parent), m_document(std::make_unique<Document>()),
      m_controller(std::make_unique<RunController>()) {
    setObjectName(QStringLiteral("mainWindow"));
    setWindowIcon(programIcon());
    setAcceptDrops(true);
    base::setLogLevel(base::LogLevel::Info);
    buildCentre();
    buildParts();
    connect(m_document.get(), &Document::sceneChanged, this, &MainWindow::followScene);
    connect(m_document.get(), &Document::sceneShown, this, &MainWindow::updateTitle);
    connect(m_keeper, &ProjectKeeper::stateChanged, this, &MainWindow::updateTitle);
    connect(m_controller.get(), &RunController::finished, this,
            [this] { m_thumbnails->request(); });
    resize(1360, 860);
    restoreGeometry(Settings::windowGeometry());
    fitToScreen();
    restoreState(Settings::windowState());
    updateActions(*m_parts);
    updateTitle();
    m_thumbnails->request();
    m_dialogs->offerCalibration();
}

void MainWindow::fitToScreen() {
    const QSize room = screen()->availableGeometry().size();
    if (size() != size().boundedTo(room)) {
        resize(size().boundedTo(room));
        setWindowState(windowState() | Qt::WindowMaximized); // the frame has to fit, too
    }
}

MainWindow::~MainWindow() {
    // Hide first: a field that loses the focus reads the document, which is destroyed before the
    // field.
    hide();
    // End the background thread before the parts that its work uses.
    m_controller.reset();
}

void MainWindow::buildCentre() {
    m_centre = new QStackedWidget(this);
    m_centre->setObjectName(QStringLiteral("centre"));
    auto* frame = new QWidget(this);
    auto* column = new QVBoxLayout(frame);
    column->setContentsMargins(0, 0, 0, 0);
    column->setSpacing(0);
    m_message = new MessageBar(frame);
    m_start = new StartPage(this);
    m_views = new ViewsPanel(*m_document, this);
    m_tools = new ViewTools(*m_document, *m_views, this);
    m_boxTool = new BoxTool(*m_document, this);
    m_painter = new MaskPainter(*m_document, this);
    m_maskBar = new MaskBar(*m_document, *m_painter, frame);
    m_centre->addWidget(m_start);
    m_centre->addWidget(m_views);
    column->addWidget(m_centre, 1);
    setCentralWidget(frame);
    auto* bars = new Overlay(*frame, {m_message, m_maskBar});
    const auto overViews = [this, bars] { bars->setOver(m_centre->currentWidget() == m_views); };
    connect(m_centre, &QStackedWidget::currentChanged, this, overViews);
    overViews();
    for (ViewFrame* view : m_views->frames()) {
        if (view->widget() != nullptr) {
            m_message->leaveAtPress(*view->widget());
        }
    }
}

void MainWindow::buildParts() {
    m_docks = new Docks(
        *this, *m_document, *m_controller, *m_views, [this] { return m_exporter->inputs(); },
        [this] { return m_flow->currentJob().peaksUnknowns; });
    m_judge = new Judge(*m_document, this);
    m_flow = new MatchFlow(*m_document, *m_controller, m_docks->match(), *m_views, this);
    m_opener = new Opener(*m_document, *m_controller, *this);
    m_exporter = new Exporter(*m_document, *m_controller, *m_flow, *m_views, *this);
    m_particles = new ParticleExport(*m_document, *m_exporter, *this);
    buildProjects();
    m_status = new StatusLine(*statusBar(), *m_document, *m_views);
    m_actions = std::make_unique<Actions>(*this, *m_views);
    m_parts.reset(new Parts{*this,
                            *m_document,
                            *m_controller,
                            *m_message,
                            *m_start,
                            *m_views,
                            *m_tools,
                            *m_boxTool,
                            *m_painter,
                            *m_maskBar,
                            *m_docks,
                            m_docks->data(),
                            m_docks->match(),
                            m_docks->peaks(),
                            m_docks->explain(),
                            m_docks->gallery(),
                            m_docks->cockpit(),
                            m_docks->compare(),
                            m_docks->features(),
                            m_docks->report(),
                            *m_judge,
                            *m_flow,
                            *m_opener,
                            *m_exporter,
                            *m_particles,
                            *m_projects,
                            *m_status,
                            *m_actions});
    m_commands = std::make_unique<EditCommands>(*m_parts);
    m_dialogs = std::make_unique<Dialogs>(*m_parts);
    m_jobs = std::make_unique<JobLoader>(*m_parts, *m_commands, *m_dialogs);
    m_menus = std::make_unique<MainMenus>(*m_parts, *m_commands, *m_dialogs, *m_jobs);
    m_connections = std::make_unique<Connections>(*m_parts, *m_commands, *m_dialogs, *m_jobs);
    m_thumbnails = std::make_unique<SampleThumbnails>(*m_parts);
}

void MainWindow::buildProjects() {
    m_keeper = new ProjectKeeper(
        *m_document,
        {[this] { return m_docks->match().settings(); }, [this] { return viewsText(*m_views); }},
        this);
    m_projectOpener = new ProjectOpener(
        *m_document, *m_controller, *m_keeper,
        [this](const job::Project& project) {
            m_docks->match().setSettings(project.settings);
            applyViews(*m_views, toQString(project.views));
        },
        *this);
    m_projects = new ProjectCommands(*m_document, *m_keeper, *m_projectOpener, *this);
    const auto info = [this](const QString& text) { tell(MessageBar::Kind::Info, text); };
    const auto error = [this](const QString& text) { tell(MessageBar::Kind::Error, text); };
    connect(m_keeper, &ProjectKeeper::saved, this, info);
    connect(m_keeper, &ProjectKeeper::failed, this, error);
    connect(m_projectOpener, &ProjectOpener::opened, this, info);
    connect(m_projectOpener, &ProjectOpener::failed, this, error);
    connect(&m_docks->match(), &MatchPanel::settingsChanged, m_keeper, &ProjectKeeper::noteChange);
    connect(m_opener, &Opener::projectRequested, m_projects,
            [this](const std::filesystem::path& file, const Opener::Then& then) {
                m_projects->open(file, then);
            });
}

MatchPanel& MainWindow::matchPanel() { return m_docks->match(); }

void MainWindow::loadJob(const QString& file, bool run) { m_jobs->load(file, run); }

void MainWindow::followScene() {
    m_message->hide();
    if (m_document->hasScene()) {
        m_centre->setCurrentWidget(m_views);
        if (m_views->frames()[0]->widget() != nullptr) {
            m_views->frames()[0]->widget()->setFocus();
        }
    }
    updateTitle();
    updateActions(*m_parts);
    m_menus->fillRecent();
}

void MainWindow::tell(MessageBar::Kind kind, const QString& sentence) {
    m_message->tell(kind, sentence);
}

void MainWindow::openFile(const QString& file, bool asTemplate) {
    if (asTemplate && m_document->hasScene()) {
        m_opener->open(Opener::Target::Template, toPath(file));
    } else {
        m_opener->openScenes({toPath(file)}, false);
    }
}

void MainWindow::updateTitle() {
    setWindowTitle(m_document->hasScene() ? tr("%1 — FLCC").arg(m_projects->title()) : tr("FLCC"));
}

void MainWindow::closeEvent(QCloseEvent* event) {
    if (m_controller->isPending(RunController::Task::Run) && !m_endsRun && !m_quitting) {
        event->ignore();
        askBeforeQuitting(*this, [this] {
            m_endsRun = true;
            close();
        });
        return;
    }
    if (!m_quitting && m_keeper->isModified()) {
        event->ignore();
        m_projects->askBeforeLosing(tr("Quit"), [this] { closeAtOnce(); });
        return;
    }
    if (!m_keeper->isModified()) {
        m_keeper->throwAway(); // all of it is saved
    }
    Settings::setWindow(saveGeometry(), saveState());
    m_controller->cancel();
    m_dialogs->closeManual();
    event->accept();
}

void MainWindow::storeUnsaved() {
    if (!m_quitting && isVisible()) { // not after the questions of closeEvent()
        m_keeper->storeNow();
    }
}

void MainWindow::closeAtOnce() {
    m_quitting = true;
    close();
}

void MainWindow::dragEnterEvent(QDragEnterEvent* event) {
    for (const QUrl& url : event->mimeData()->urls()) {
        if (url.isLocalFile()) {
            event->acceptProposedAction();
            return;
        }
    }
}

void MainWindow::dropEvent(QDropEvent* event) {
    std::vector<std::filesystem::path> files;
    for (const QUrl& url : event->mimeData()->urls()) {
        if (url.isLocalFile()) {
            // Not toLocalFile(), which loses the bytes of a name that is no UTF-8.
            const QByteArray bytes =
                QByteArray::fromPercentEncoding(url.path(QUrl::FullyEncoded).toLatin1());
            files.emplace_back(bytes.toStdString());
        }
    }
    if (files.empty()) {
        return;
    }
    event->acceptProposedAction();
    if (files.size() == 1 && m_docks->compare().takes(files.front())) {
        m_docks->showCompare();
        m_docks->compare().compareWith(files.front());
    } else if (event->modifiers().testFlag(Qt::ShiftModifier) && m_document->hasScene()) {
        m_opener->openTemplates(files, false);
    } else {
        m_opener->offerScenes(files);
    }
}

} // namespace flcc::ui
