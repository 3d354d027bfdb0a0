#include "ui/main_window.h"

#include <QApplication>
#include <QCloseEvent>
#include <QDockWidget>
#include <QDragEnterEvent>
#include <QMenu>
#include <QMimeData>
#include <QScreen>
#include <QStackedWidget>
#include <QStatusBar>
#include <QTabWidget>
#include <QToolBar>
#include <QVBoxLayout>

#include <exception>
#include <functional>
#include <map>
#include <mutex>
#include <string>
#include <string_view>

#include "engine/base/error.h"
#include "engine/base/log.h"
#include "engine/job/arguments.h"
#include "engine/job/mask_shape.h"
#include "engine/plan/planner.h"
#include "engine/sample/sample.h"
#include "ui/box_tool.h"
#include "ui/data_panel.h"
#include "ui/exporter.h"
#include "ui/features_panel.h"
#include "ui/filter_dialog.h"
#include "ui/focused_field.h"
#include "ui/log_panel.h"
#include "ui/manual.h"
#include "ui/manual_window.h"
#include "ui/mask_bar.h"
#include "ui/mask_painter.h"
#include "ui/match_flow.h"
#include "ui/match_panel.h"
#include "ui/open_question.h"
#include "ui/opener.h"
#include "ui/option_names.h"
#include "ui/peaks_panel.h"
#include "ui/plan_card.h"
#include "ui/report_panel.h"
#include "ui/settings.h"
#include "ui/start_page.h"
#include "ui/status_line.h"
#include "ui/text.h"
#include "ui/theme.h"
#include "ui/thumbnail.h"
#include "ui/views_panel.h"

namespace flcc::ui {
namespace {

/// The samples are as noisy as real data; the threshold for new data expects clearer copies.
constexpr double kSampleThreshold = 0.2;

/// Made once in the life of the process: making a sample takes some tens of milliseconds.
/// **Threads**: any. **Errors**: as makeSample().
QImage thumbnailOfSample(std::string_view name) {
    static std::mutex lock;
    static std::map<std::string, QImage, std::less<>> pictures;
    const std::lock_guard guard(lock);
    const auto known = pictures.find(name);
    if (known != pictures.end()) {
        return known->second;
    }
    const sample::Sample made = sample::makeSample(name);
    return pictures.emplace(name, thumbnailOf(base::viewOf(made.scene), 320)).first->second;
}

} // namespace

MainWindow::MainWindow(QWidget* parent)
    : QMainWindow(parent), m_document(std::make_unique<Document>()),
      m_controller(std::make_unique<RunController>()) {
    setObjectName(QStringLiteral("mainWindow"));
    setWindowIcon(programIcon());
    setAcceptDrops(true);
    base::setLogLevel(base::LogLevel::Info);
    buildCentre();
    buildDocks();
    m_flow = new MatchFlow(*m_document, *m_controller, *m_match, *m_views, this);
    m_opener = new Opener(*m_document, *m_controller, *this);
    m_exporter = new Exporter(*m_document, *m_controller, *m_flow, *m_views, *this);
    m_status = new StatusLine(*statusBar(), *m_document, *m_views);
    m_actions = std::make_unique<Actions>(*this, *m_views);
    buildMenus();
    connectParts();
    resize(1360, 860);
    restoreGeometry(Settings::windowGeometry());
    fitToScreen();
    restoreState(Settings::windowState());
    updateActions();
    updateTitle();
    requestThumbnails();
    offerCalibration();
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
    column->addWidget(m_message);
    column->addWidget(m_maskBar);
    column->addWidget(m_centre, 1);
    setCentralWidget(frame);
}

void MainWindow::buildDocks() {
    setCorner(Qt::BottomRightCorner, Qt::RightDockWidgetArea);
    setCorner(Qt::BottomLeftCorner, Qt::BottomDockWidgetArea);
    const auto dock = [this](const QString& title, const char* name, QWidget* content,
                             Qt::DockWidgetArea area) {
        auto* made = new QDockWidget(title, this);
        made->setObjectName(QLatin1String(name));
        made->setWidget(content);
        addDockWidget(area, made);
        return made;
    };
    m_data = new DataPanel(*m_document, this);
    m_dataDock = dock(tr("Data"), "dataDock", m_data, Qt::LeftDockWidgetArea);
    m_match = new MatchPanel(*m_document, plan::devices(plan::DeviceDetail::Names), this);
    m_matchDock = dock(tr("Match"), "matchDock", m_match, Qt::RightDockWidgetArea);
    m_tabs = new QTabWidget(this);
    m_tabs->setObjectName(QStringLiteral("resultTabs"));
    m_tabs->setDocumentMode(true);
    m_peaks = new PeaksPanel(*m_document, m_tabs);
    m_features = new FeaturesPanel(
        *m_document, *m_controller, *m_views, [this] { return m_exporter->inputs(); }, m_tabs);
    m_report = new ReportPanel(m_tabs);
    m_log = new LogPanel(m_tabs);
    m_tabs->addTab(m_peaks, tr("Peaks"));
    m_tabs->addTab(m_report, tr("Plan report"));
    m_tabs->addTab(m_log, tr("Log"));
    m_tabs->addTab(m_features, tr("Blobs"));
    setManualPage(*m_match, "matching");
    setManualPage(*m_peaks, "results-and-peaks");
    setManualPage(*m_report, "matching");
    setManualPage(*m_features, "blobs");
    m_tabs->setTabToolTip(0, tr("Peaks of the result that is shown"));
    m_tabs->setTabToolTip(1, tr("Every candidate of the plan, and why it was chosen or not"));
    m_tabs->setTabToolTip(2, tr("Messages of the program"));
    m_tabs->setTabToolTip(3,
                          tr("Places that differ from their surroundings, to cut templates from"));
    // Where a tab is switched while another tab's page has the focus, the page's list gets it,
    // never its text field: letters are keys.
    connect(m_tabs, &QTabWidget::currentChanged, this, [this] {
        QWidget* const page = m_tabs->currentWidget();
        if (page->isAncestorOf(QApplication::focusWidget()) && page->focusProxy() != nullptr) {
            page->setFocus();
        }
    });
    m_bottomDock = dock(tr("Results"), "resultsDock", m_tabs, Qt::BottomDockWidgetArea);
    resetLayout();
}

/// Docks as at the first start: visible, in their places, in their sizes.
void MainWindow::resetLayout() {
    for (QDockWidget* dock : {m_dataDock, m_matchDock, m_bottomDock}) {
        dock->setFloating(false);
        dock->show();
    }
    addDockWidget(Qt::LeftDockWidgetArea, m_dataDock);
    addDockWidget(Qt::RightDockWidgetArea, m_matchDock);
    addDockWidget(Qt::BottomDockWidgetArea, m_bottomDock);
    resizeDocks({m_dataDock, m_matchDock}, {210, 310}, Qt::Horizontal);
    resizeDocks({m_bottomDock}, {200}, Qt::Vertical);
}

void MainWindow::connectParts() {
    connect(m_start, &StartPage::openRequested, m_opener, &Opener::askScene);
    connect(m_start, &StartPage::fileRequested, this,
            [this](const QString& file) { m_opener->offerScenes({toPath(file)}); });
    connect(m_start, &StartPage::sampleRequested, m_opener, &Opener::offerSample);

    connect(m_document.get(), &Document::sceneChanged, this, [this] {
        m_message->hide();
        if (m_document->hasScene()) {
            m_centre->setCurrentWidget(m_views);
            if (m_views->frames()[0]->widget() != nullptr) {
                m_views->frames()[0]->widget()->setFocus();
            }
        }
        m_status->showPosition(std::nullopt);
        updateTitle();
        updateActions();
        fillRecentMenu();
    });
    connect(m_document.get(), &Document::sceneShown, this, [this] {
        m_status->showPosition(std::nullopt);
        updateTitle();
    });
    for (const auto signal :
         {&Document::scenesChanged, &Document::boxChanged, &Document::templateChanged,
          &Document::masksChanged, &Document::resultShown, &Document::resultsChanged}) {
        connect(m_document.get(), signal, this, &MainWindow::updateActions);
    }
    connect(m_document.get(), &Document::resultShown, this,
            [this] { m_status->showPosition(std::nullopt); });
    connect(m_document.get(), &Document::spacingChanged, this, [this] {
        tell(MessageBar::Kind::Info,
             tr("%1 has the spacing %2.")
                 .arg(m_document->scene().name,
                      spacingText(m_document->geometry(), m_document->isVolume())));
        m_opener->warnOfSpacings();
    });

    connect(m_opener, &Opener::opened, this,
            [this](const QString& text) { tell(MessageBar::Kind::Info, text); });
    connect(m_opener, &Opener::sampleOpened, this,
            [this] { m_match->setThreshold(kSampleThreshold); });
    connect(m_opener, &Opener::warned, this,
            [this](const QString& text) { tell(MessageBar::Kind::Warning, text); });
    connect(m_opener, &Opener::failed, this,
            [this](const QString& text) { tell(MessageBar::Kind::Error, text); });
    connect(m_opener, &Opener::resampleOffered, this, [this](const QString& text, int number) {
        tell(MessageBar::Kind::Warning, text);
        m_message->offer(
            text, tr("Resample the template"),
            [this, number] { m_opener->resampleTemplate(number); }, {}, MessageBar::Kind::Warning);
    });
    connect(m_opener, &Opener::stackOffered, this,
            [this](const QString& text, const std::vector<std::filesystem::path>& paths) {
                tell(MessageBar::Kind::Info, text);
                m_message->offer(text, tr("Open as one stack"),
                                 [this, paths] { m_opener->openStack(paths); }, {});
            });
    connect(m_exporter, &Exporter::saved, this,
            [this](const QString& text) { tell(MessageBar::Kind::Info, text); });
    connect(m_exporter, &Exporter::failed, this,
            [this](const QString& text) { tell(MessageBar::Kind::Error, text); });
    connect(m_flow, &MatchFlow::message, this, &MainWindow::tell);
    connect(m_flow, &MatchFlow::deviceUsed, m_status, &StatusLine::setDevice);
    connect(m_flow, &MatchFlow::unverifiedChanged, m_status, &StatusLine::showUnverified);
    connect(m_flow, &MatchFlow::reportChanged, this, [this] {
        m_report->setReport(m_flow->report());
        updateActions();
    });

    connect(m_match, &MatchPanel::cutRequested, this, &MainWindow::cutTemplate);
    connect(m_match, &MatchPanel::addCutRequested, this, &MainWindow::addCutTemplate);
    connect(m_match, &MatchPanel::addScenesRequested, m_opener, &Opener::askMoreScenes);
    connect(m_match, &MatchPanel::removeSceneRequested, m_opener, &Opener::removeScene);
    const auto showScene = [this](int scene) { m_opener->showScene(scene); };
    connect(m_match, &MatchPanel::sceneChosen, m_opener, showScene);
    connect(m_data, &DataPanel::sceneChosen, m_opener, showScene);
    connect(m_match, &MatchPanel::openTemplateRequested, m_opener, &Opener::askTemplate);
    connect(m_match, &MatchPanel::addTemplatesRequested, m_opener, &Opener::askMoreTemplates);
    connect(m_match, &MatchPanel::saveTemplateRequested, m_exporter, &Exporter::saveTemplate);
    connect(m_match, &MatchPanel::openMaskRequested, m_opener,
            [this] { m_opener->askMask(Opener::Target::Mask); });
    connect(m_match, &MatchPanel::openSceneMaskRequested, m_opener,
            [this] { m_opener->askMask(Opener::Target::SceneMask); });
    const auto showRegion = [this] { m_views->setRegion(m_match->settings().region); };
    connect(m_match, &MatchPanel::regionTyped, m_views, &ViewsPanel::setRegion);
    connect(m_match, &MatchPanel::readinessChanged, this, &MainWindow::updateActions);
    connect(m_match, &MatchPanel::settingsChanged, this, showRegion);
    for (const auto signal :
         {&Document::sceneChanged, &Document::sceneShown, &Document::spacingChanged}) {
        connect(m_document.get(), signal, this, showRegion);
    }
    connect(m_match, &MatchPanel::deviceMemoryRequested, this, &MainWindow::requestDeviceMemory);
    connect(m_match, &MatchPanel::openPlanReportRequested, this, &MainWindow::askPlanReport);
    connect(m_match, &MatchPanel::thresholdChanged, m_peaks, &PeaksPanel::setThreshold);
    connect(m_match, &MatchPanel::problem, this,
            [this](const QString& sentence) { tell(MessageBar::Kind::Error, sentence); });
    m_peaks->setThreshold(m_match->threshold());
    connect(m_match, &MatchPanel::thresholdChanged, m_views, &ViewsPanel::setScoreThreshold);
    m_views->setScoreThreshold(m_match->threshold());

    connect(m_peaks, &PeaksPanel::visiblePeaksChanged, m_views, &ViewsPanel::setVisiblePeaks);
    connect(m_peaks, &PeaksPanel::peakActivated, this, [this](int peak) {
        const ResultEntry* result = m_document->result();
        if (result != nullptr && peak >= 0) {
            m_views->centreOn(result->job->peaks[static_cast<std::size_t>(peak)].centre);
        }
    });
    connect(m_peaks, &PeaksPanel::statusMessage, this,
            [this](const QString& text) { tell(MessageBar::Kind::Info, text); });
    connect(m_features, &FeaturesPanel::templateRequested, this, &MainWindow::cutTemplate);
    connect(m_features, &FeaturesPanel::pairsRequested, this, &MainWindow::showPairs);
    connect(m_features, &FeaturesPanel::statusMessage, this,
            [this](const QString& text) { tell(MessageBar::Kind::Info, text); });
    connect(m_report, &ReportPanel::statusMessage, this,
            [this](const QString& text) { tell(MessageBar::Kind::Info, text); });
    connect(m_peaks, &PeaksPanel::allPeaksRequested, m_flow, &MatchFlow::showAllPeaks);
    connect(m_peaks, &PeaksPanel::exportRequested,
            findChild<QAction*>(QStringLiteral("exportPeaks")), &QAction::trigger);
    connect(m_flow, &MatchFlow::peaksCounted, m_peaks, &PeaksPanel::setTotal);
    connect(m_data, &DataPanel::resultChosen, this, &MainWindow::bringBackJob);
    connect(m_data, &DataPanel::sceneMenuRequested, this, [this](QMenu* menu) {
        menu->addAction(findChild<QAction*>(QStringLiteral("setSpacing")));
    });
    // A peak was selected in a view or in the table: move the slices of a volume to it.
    connect(m_document.get(), &Document::peakSelected, this, [this](int peak) {
        const ResultEntry* result = m_document->result();
        if (peak >= 0 && result != nullptr && m_document->isVolume()) {
            m_views->setCrosshair(result->job->peaks[static_cast<std::size_t>(peak)].centre);
        }
        updateActions();
    });

    connect(&m_match->planCard(), &PlanCard::calibrateRequested, this, &MainWindow::showCalibrate);
    connect(&m_match->planCard(), &PlanCard::releaseDisplayRequested, m_views,
            &ViewsPanel::releaseDisplay);
    connect(m_views, &ViewsPanel::displayBytesChanged, &m_match->planCard(),
            &PlanCard::setDisplayBytes);

    connect(m_tools, &ViewTools::hovered, m_status, &StatusLine::showPosition);
    connect(m_tools, &ViewTools::toolChanged, m_maskBar,
            [this](Tool tool) { m_maskBar->setVisible(tool == Tool::Mask); });
    connect(m_tools, &ViewTools::regionDragged, this, [this](const base::Box& region, bool done) {
        m_views->setRegion(region);
        if (done) {
            m_match->setRegion(region);
        }
    });
    connect(m_tools, &ViewTools::maskDrawn, m_painter, &MaskPainter::stroke);
    connect(m_painter, &MaskPainter::message, this,
            [this](const QString& text) { tell(MessageBar::Kind::Info, text); });
    connect(m_maskBar, &MaskBar::saveRequested, m_exporter, &Exporter::saveMask);
    connect(m_tools, &ViewTools::objectClicked, m_boxTool, &BoxTool::fitTo);
    connect(m_tools, &ViewTools::objectClickWithdrawn, m_boxTool, &BoxTool::withdraw);
    connect(m_boxTool, &BoxTool::fitted, m_views, [this] { m_views->showBox(false); });
    connect(m_boxTool, &BoxTool::message, this,
            [this](const QString& text) { tell(MessageBar::Kind::Info, text); });
    connect(m_tools, &ViewTools::contextMenuRequested, this, &MainWindow::showContextMenu);
    connect(m_status, &StatusLine::cancelRequested, m_flow, &MatchFlow::cancel);
    connect(m_controller.get(), &RunController::started, this,
            [this](RunController::Task task, const QString& title) {
                if (!RunController::isBackground(task)) {
                    m_status->showWork(title);
                }
                if (task == RunController::Task::Run) {
                    m_message->hide(); // it was about something earlier
                    if (m_tabs->currentWidget() == m_features) {
                        m_tabs->setCurrentWidget(m_peaks); // where the result will be
                    }
                }
                updateActions();
            });
    connect(m_controller.get(), &RunController::phaseChanged, this, [this](const QString& phase) {
        if (m_controller->isWorking()) {
            m_status->showPhase(phase);
        }
    });
    connect(m_controller.get(), &RunController::progressChanged, this, [this](double share) {
        if (m_controller->isWorking()) {
            m_status->showProgress(share);
        }
    });
    connect(m_controller.get(), &RunController::finished, this, [this] {
        m_status->hideWork();
        updateActions();
        if (!m_document->hasScene() && !m_thumbnailsDone && !m_controller->isBusy()) {
            requestThumbnails();
        }
    });
}

void MainWindow::tell(MessageBar::Kind kind, const QString& sentence) {
    m_message->show(kind, sentence);
    base::log(kind == MessageBar::Kind::Info      ? base::LogLevel::Info
              : kind == MessageBar::Kind::Warning ? base::LogLevel::Warning
                                                  : base::LogLevel::Error,
              sentence.toStdString());
}

void MainWindow::requestThumbnails() {
    m_controller->start(RunController::Task::Preview, {},
                        [this](const std::stop_token& stop, job::JobSink*) -> RunController::Done {
                            std::vector<std::pair<QString, QImage>> pictures;
                            for (const sample::SampleInfo& info : sample::sampleList()) {
                                if (stop.stop_requested()) {
                                    break;
                                }
                                try {
                                    pictures.emplace_back(toQString(info.name),
                                                          thumbnailOfSample(info.name));
                                } catch (const std::exception& error) {
                                    base::log(base::LogLevel::Warning,
                                              "no thumbnail of the sample " +
                                                  std::string(info.name) + ": " + error.what());
                                }
                            }
                            // If other work stopped this, the thumbnails are requested again.
                            return [this, pictures, done = !stop.stop_requested()] {
                                m_thumbnailsDone = done;
                                for (const auto& [name, picture] : pictures) {
                                    m_start->setThumbnail(name, picture);
                                }
                            };
                        });
}

/// Runs in the background, because waking a GPU may take a second.
void MainWindow::requestDeviceMemory() {
    if (m_controller->isWorking()) {
        return; // the run has the memory, and the answer would come after it
    }
    m_controller->start(RunController::Task::Preview, {},
                        [this](const std::stop_token&, job::JobSink*) -> RunController::Done {
                            return
                                [this, devices = plan::devices()] { m_match->setDevices(devices); };
                        });
}

/// Shows the job of the shown result in the Match panel, so that it can be run again.
void MainWindow::bringBackJob() {
    const ResultEntry* result = m_document->result();
    if (result != nullptr && !m_controller->isPending(RunController::Task::Run)) {
        const ResultEntry entry = *result;
        m_document->bringBack(entry.inputs);
        m_match->setSettings(entry.settings);
    }
}

void MainWindow::cutTemplate() {
    commitFocusedField();
    try {
        m_document->cutTemplate();
    } catch (const base::Error& error) {
        tell(MessageBar::Kind::Error, inWindowWords(error.what()));
    }
}

void MainWindow::addCutTemplate() {
    commitFocusedField();
    try {
        m_document->addCutTemplate();
    } catch (const base::Error& error) {
        tell(MessageBar::Kind::Error, inWindowWords(error.what()));
    }
}

void MainWindow::openFile(const QString& file, bool asTemplate) {
    const auto target =
        asTemplate && m_document->hasScene() ? Opener::Target::Template : Opener::Target::Scene;
    m_opener->open(target, toPath(file));
}

void MainWindow::applyTheme(Theme theme) {
    ui::applyTheme(theme);
    m_actions->refreshTheme();
    m_message->refreshTheme();
    m_start->refreshTheme();
    m_data->update();
    m_views->refreshTheme();
    m_match->refreshTheme();
    m_peaks->refreshTheme();
    m_report->refreshTheme();
    m_status->refreshTheme();
    m_match->planCard().refreshTheme();
    if (m_filter) {
        m_filter->refreshTheme();
    }
    if (m_manual) {
        m_manual->refreshTheme();
    }
}

void MainWindow::updateTitle() {
    setWindowTitle(m_document->hasScene() ? tr("%1 — FLCC").arg(m_document->scene().name)
                                          : tr("FLCC"));
}

void MainWindow::closeEvent(QCloseEvent* event) {
    if (m_controller->isPending(RunController::Task::Run) && !m_quitting) {
        event->ignore();
        askBeforeQuitting(*this, [this] {
            m_quitting = true;
            close();
        });
        return;
    }
    Settings::setWindow(saveGeometry(), saveState());
    m_controller->cancel();
    if (m_manual) {
        m_manual->close();
    }
    event->accept();
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
    if (event->modifiers().testFlag(Qt::ShiftModifier) && m_document->hasScene()) {
        m_opener->openTemplates(files, false);
    } else {
        m_opener->offerScenes(files);
    }
}

} // namespace flcc::ui
