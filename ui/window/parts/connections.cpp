#include "ui/window/parts/connections.h"

#include <QAction>
#include <QMainWindow>
#include <QMenu>
#include <QUndoStack>

#include <algorithm>
#include <filesystem>
#include <functional>
#include <vector>

#include "engine/plan/planner.h"
#include "engine/sample/sample.h"
#include "ui/base/message_bar.h"
#include "ui/base/text.h"
#include "ui/compare/compare_panel.h"
#include "ui/document/document.h"
#include "ui/features/features_panel.h"
#include "ui/judge/cockpit_panel.h"
#include "ui/judge/explain_panel.h"
#include "ui/judge/judge.h"
#include "ui/match/images/mask_bar.h"
#include "ui/match/match_flow.h"
#include "ui/match/match_panel.h"
#include "ui/open/data_panel.h"
#include "ui/open/opener.h"
#include "ui/open/start_page.h"
#include "ui/plan/plan_card.h"
#include "ui/results/exporter.h"
#include "ui/results/peaks_panel.h"
#include "ui/results/report_panel.h"
#include "ui/views/box_tool.h"
#include "ui/views/mask_painter.h"
#include "ui/views/view_tools.h"
#include "ui/views/views_panel.h"
#include "ui/window/parts/action_states.h"
#include "ui/window/parts/dialogs.h"
#include "ui/window/parts/docks.h"
#include "ui/window/parts/edit_commands.h"
#include "ui/window/parts/job_loader.h"
#include "ui/window/parts/opened_notice.h"
#include "ui/window/parts/status_line.h"
#include "ui/work/run_controller.h"

namespace flcc::ui {
Connections::Connections(const Parts& parts, EditCommands& commands, Dialogs& dialogs,
                         JobLoader& jobs)
    : m_parts(parts), m_commands(commands), m_dialogs(dialogs), m_jobs(jobs) {
    connectStartPage();
    connectDocument();
    connectMessages();
    connectOffers();
    connectFlow();
    connectOpening();
    connectRegion();
    connectMatchPanel();
    connectPeaks();
    connectJudging();
    connectComparing();
    connectPanels();
    connectTools();
    connectRuns();
}

void Connections::connectStartPage() {
    StartPage& start = m_parts.start;
    QObject::connect(&start, &StartPage::openRequested, &m_parts.opener, &Opener::askScene);
    QObject::connect(&start, &StartPage::fileRequested, &m_parts.opener,
                     [this](const QString& file) { m_parts.opener.offerScenes({toPath(file)}); });
    QObject::connect(&start, &StartPage::sampleRequested, &m_parts.opener, &Opener::offerSample);
    QObject::connect(&m_parts.opener, &Opener::sampleOpened, &m_parts.match, [this] {
        const std::string name = m_parts.document.scene().sample.toStdString();
        const auto& samples = sample::sampleList();
        const auto info = std::ranges::find(samples, name, &sample::SampleInfo::name);
        if (info != samples.end()) { // what finds its copies
            job::Job settings = m_parts.match.settings();
            settings.poses.rotations = info->rotations;
            settings.poses.scales = info->scales;
            m_parts.match.setSettings(settings);
        }
    });
}

void Connections::connectDocument() {
    Document& document = m_parts.document;
    for (const auto signal :
         {&Document::scenesChanged, &Document::boxChanged, &Document::templateChanged,
          &Document::masksChanged, &Document::resultShown, &Document::resultsChanged}) {
        QObject::connect(&document, signal, &m_parts.window, [this] { updateActions(m_parts); });
    }
    const auto forgetPosition = [this] { m_parts.status.showPosition(std::nullopt); };
    for (const auto signal :
         {&Document::sceneChanged, &Document::sceneShown, &Document::resultShown}) {
        QObject::connect(&document, signal, &m_parts.window, forgetPosition);
    }
    QObject::connect(&document, &Document::spacingChanged, &m_parts.window, [this] {
        const Document& changed = m_parts.document;
        m_parts.message.tell(
            MessageBar::Kind::Info,
            tr("%1 has the spacing %2.")
                .arg(changed.scene().name, spacingText(changed.geometry(), changed.isVolume())));
        m_parts.opener.warnOfSpacings();
    });
    QObject::connect(
        &document, &Document::decisionsCarried, &m_parts.window,
        [this](qint64 number, const QString& from) {
            m_parts.message.tell(
                MessageBar::Kind::Info,
                number == 1
                    ? tr("One decision on %1 holds for the peak at the same place.").arg(from)
                    : tr("%1 decisions on %2 hold for the peaks at the same places.")
                          .arg(number)
                          .arg(from));
        });
    // A peak was selected in a view or in the table: move the slices of a volume to it.
    QObject::connect(&document, &Document::peakSelected, &m_parts.window, [this](int peak) {
        const ResultEntry* result = m_parts.document.result();
        if (peak >= 0 && result != nullptr && m_parts.document.isVolume()) {
            m_parts.views.setCrosshair(result->job->peaks[static_cast<std::size_t>(peak)].centre);
        }
        updateActions(m_parts);
    });
}

/// Sentences of the parts, for the bar above the views.
void Connections::connectMessages() {
    const auto telling = [this](MessageBar::Kind kind) {
        return [this, kind](const QString& text) { m_parts.message.tell(kind, text); };
    };
    QMainWindow* const window = &m_parts.window;
    const auto info = telling(MessageBar::Kind::Info);
    const auto error = telling(MessageBar::Kind::Error);
    new OpenedNotice(m_parts);
    QObject::connect(&m_parts.opener, &Opener::warned, window, telling(MessageBar::Kind::Warning));
    QObject::connect(&m_parts.opener, &Opener::failed, window, error);
    QObject::connect(&m_parts.exporter, &Exporter::saved, window, info);
    QObject::connect(&m_parts.exporter, &Exporter::failed, window, error);
    QObject::connect(&m_parts.flow, &MatchFlow::message, &m_parts.message, &MessageBar::tell);
    QObject::connect(&m_parts.match, &MatchPanel::problem, window, error);
    QObject::connect(&m_parts.peaks, &PeaksPanel::statusMessage, window, info);
    QObject::connect(&m_parts.features, &FeaturesPanel::statusMessage, window, info);
    QObject::connect(&m_parts.report, &ReportPanel::statusMessage, window, info);
    QObject::connect(&m_parts.painter, &MaskPainter::message, window, info);
    QObject::connect(&m_parts.boxTool, &BoxTool::message, window, info);
}

/// Sentences with a button.
void Connections::connectOffers() {
    Opener* const opener = &m_parts.opener;
    QObject::connect(opener, &Opener::resampleOffered, &m_parts.window,
                     [this, opener](const QString& text, int number) {
                         m_parts.message.tell(MessageBar::Kind::Warning, text);
                         m_parts.message.offer(
                             text, tr("Resample the template"),
                             [opener, number] { opener->resampleTemplate(number); }, {},
                             MessageBar::Kind::Warning);
                     });
    QObject::connect(opener, &Opener::storedOffered, &m_parts.window,
                     [this, opener](const QString& text, int number) {
                         m_parts.message.tell(MessageBar::Kind::Info, text);
                         m_parts.message.offer(
                             text, tr("Keep its axes as stored"),
                             [opener, number] { opener->keepStored(number); }, {},
                             MessageBar::Kind::Info);
                     });
    QObject::connect(opener, &Opener::sceneRemoved, &m_parts.window, [this](const QString& text) {
        m_parts.message.tell(MessageBar::Kind::Info, text);
        m_parts.message.offer(text, tr("Undo"), [this] { m_commands.stepBack(false); }, {});
        // The button undoes that step, and no later one.
        QObject::connect(
            &m_parts.document.undoStack(), &QUndoStack::indexChanged, &m_parts.message,
            [bar = &m_parts.message, text] { // also when the window closes
                if (bar->sentence() == text) {
                    bar->hide();
                }
            },
            Qt::SingleShotConnection);
    });
    QObject::connect(
        opener, &Opener::stackOffered, &m_parts.window,
        [this, opener](const QString& text, const std::vector<std::filesystem::path>& paths) {
            m_parts.message.tell(MessageBar::Kind::Info, text);
            m_parts.message.offer(text, tr("Open as one stack"),
                                  [opener, paths] { opener->openStack(paths); }, {});
        });
}

void Connections::connectFlow() {
    MatchFlow& flow = m_parts.flow;
    QObject::connect(&flow, &MatchFlow::deviceUsed, &m_parts.status, &StatusLine::setDevice);
    QObject::connect(&flow, &MatchFlow::unverifiedChanged, &m_parts.status,
                     &StatusLine::showUnverified);
    QObject::connect(&flow, &MatchFlow::reportChanged, &m_parts.window, [this] {
        m_parts.report.setReport(m_parts.flow.report());
        updateActions(m_parts);
    });
    QObject::connect(&flow, &MatchFlow::peaksCounted, &m_parts.peaks, &PeaksPanel::setTotal);
    QObject::connect(&m_parts.status, &StatusLine::cancelRequested, &flow, &MatchFlow::cancel);
}

/// What the Match panel opens and saves.
void Connections::connectOpening() {
    MatchPanel& match = m_parts.match;
    Opener* const opener = &m_parts.opener;
    const auto showScene = [opener](int scene) { opener->showScene(scene); };
    QObject::connect(&match, &MatchPanel::addScenesRequested, opener, &Opener::askMoreScenes);
    QObject::connect(&match, &MatchPanel::removeSceneRequested, opener, &Opener::removeScene);
    QObject::connect(&match, &MatchPanel::sceneChosen, opener, showScene);
    QObject::connect(&m_parts.data, &DataPanel::sceneChosen, opener, showScene);
    QObject::connect(&match, &MatchPanel::openTemplateRequested, opener, &Opener::askTemplate);
    QObject::connect(&match, &MatchPanel::addTemplatesRequested, opener, &Opener::askMoreTemplates);
    QObject::connect(&match, &MatchPanel::openMaskRequested, opener,
                     [opener] { opener->askMask(Opener::Target::Mask); });
    QObject::connect(&match, &MatchPanel::openSceneMaskRequested, opener,
                     [opener] { opener->askMask(Opener::Target::SceneMask); });
    QObject::connect(&match, &MatchPanel::saveTemplateRequested, &m_parts.exporter,
                     &Exporter::saveTemplate);
    QObject::connect(&match, &MatchPanel::openPlanReportRequested, &m_parts.window,
                     [this] { m_jobs.askPlanReport(); });
}

/// The views outline the region.
void Connections::connectRegion() {
    const auto showRegion = [this] { m_parts.views.setRegion(m_parts.match.settings().region); };
    QObject::connect(&m_parts.match, &MatchPanel::regionTyped, &m_parts.views,
                     &ViewsPanel::setRegion);
    QObject::connect(&m_parts.match, &MatchPanel::settingsChanged, &m_parts.window, showRegion);
    for (const auto signal :
         {&Document::sceneChanged, &Document::sceneShown, &Document::spacingChanged}) {
        QObject::connect(&m_parts.document, signal, &m_parts.window, showRegion);
    }
    QObject::connect(&m_parts.tools, &ViewTools::regionDragged, &m_parts.window,
                     [this](const base::Box& region, bool done) {
                         m_parts.views.setRegion(region);
                         if (done) {
                             m_parts.match.setRegion(region);
                         }
                     });
}

void Connections::connectMatchPanel() {
    MatchPanel& match = m_parts.match;
    QMainWindow* const window = &m_parts.window;
    QObject::connect(&match, &MatchPanel::cutRequested, window,
                     [this] { m_commands.cutTemplate(); });
    QObject::connect(&match, &MatchPanel::addCutRequested, window,
                     [this] { m_commands.addCutTemplate(); });
    QObject::connect(&match, &MatchPanel::readinessChanged, window,
                     [this] { updateActions(m_parts); });
    QObject::connect(&match, &MatchPanel::deviceMemoryRequested, window,
                     [this] { requestDeviceMemory(); });
    QObject::connect(&match, &MatchPanel::thresholdChanged, &m_parts.peaks,
                     &PeaksPanel::setThreshold);
    m_parts.peaks.setThreshold(match.threshold());
    QObject::connect(&match, &MatchPanel::thresholdChanged, &m_parts.views,
                     &ViewsPanel::setScoreThreshold);
    m_parts.views.setScoreThreshold(match.threshold());
    for (const auto signal : {&Document::resultShown, &Document::peaksReplaced}) {
        QObject::connect(&m_parts.document, signal, &match, [this] {
            const ResultEntry* const result = m_parts.document.result();
            if (result != nullptr && result->job->report.threshold) {
                m_parts.match.showFoundThreshold(result->job->report.threshold->least());
            }
        });
    }
    PlanCard& card = match.planCard();
    QObject::connect(&card, &PlanCard::calibrateRequested, window,
                     [this] { m_dialogs.showCalibrate(); });
    QObject::connect(&card, &PlanCard::releaseDisplayRequested, &m_parts.views,
                     &ViewsPanel::releaseDisplay);
    QObject::connect(&m_parts.views, &ViewsPanel::displayBytesChanged, &card,
                     &PlanCard::setDisplayBytes);
}

void Connections::connectPeaks() {
    PeaksPanel& peaks = m_parts.peaks;
    QObject::connect(&peaks, &PeaksPanel::visiblePeaksChanged, &m_parts.views,
                     &ViewsPanel::setVisiblePeaks);
    QObject::connect(&peaks, &PeaksPanel::peakActivated, &m_parts.window, [this](int peak) {
        const ResultEntry* result = m_parts.document.result();
        if (result != nullptr && peak >= 0) {
            m_parts.views.centreOn(result->job->peaks[static_cast<std::size_t>(peak)].centre);
        }
    });
    QObject::connect(&peaks, &PeaksPanel::selectionChanged, &m_parts.views,
                     &ViewsPanel::setChosenPeaks);
    QObject::connect(&peaks, &PeaksPanel::allPeaksRequested, &m_parts.flow,
                     &MatchFlow::showAllPeaks);
    QObject::connect(&peaks, &PeaksPanel::exportRequested,
                     m_parts.window.findChild<QAction*>(QStringLiteral("exportPeaks")),
                     &QAction::trigger);
}

void Connections::connectJudging() {
    Judge& judge = m_parts.judge;
    QMainWindow* const window = &m_parts.window;
    QObject::connect(&m_parts.tools, &ViewTools::peakPlaced, &judge, &Judge::addAt);
    QObject::connect(&m_parts.tools, &ViewTools::peaksSwept, &judge, &Judge::sweep);
    QObject::connect(&m_parts.tools, &ViewTools::peaksLassoed, window,
                     [this](const std::vector<int>& peaks, bool more) {
                         m_parts.peaks.selectPeaks(peaks, more);
                         const auto all = std::ssize(m_parts.peaks.selectedPeaks());
                         m_parts.status.showHint(
                             all == 0
                                 ? tr("No peak lies inside the lasso.")
                                 : tr("%1 selected: Space keeps, X rejects, U marks as unsure.")
                                       .arg(peaksText(all)));
                     });
    QObject::connect(&judge, &Judge::told, window, [this](const QString& sentence) {
        m_parts.message.tell(MessageBar::Kind::Info, sentence);
    });
    QObject::connect(&judge, &Judge::hinted, window,
                     [this](const QString& sentence) { m_parts.status.showHint(sentence); });
    QObject::connect(&judge, &Judge::refused, window, [this](const QString& sentence) {
        m_parts.message.tell(MessageBar::Kind::Error, sentence);
    });
    const auto showThresholds = [this](const job::Job& listed) {
        if (m_parts.match.settings().operation == listed.operation) {
            m_parts.match.setSettings(
                job::withThresholds(m_parts.match.settings(), job::thresholdsOf(listed)));
        }
    };
    // Undo of a threshold: the panel shows what the list was made with.
    QObject::connect(
        &m_parts.document, &Document::thresholdsReturned, window,
        [this, showThresholds] { showThresholds(m_parts.document.result()->settings); });
    QObject::connect(&m_parts.explain, &ExplainPanel::peakRequested, window, [this](int peak) {
        m_parts.document.selectPeak(peak);
        Q_EMIT m_parts.peaks.peakActivated(peak);
    });
    QObject::connect(&m_parts.explain, &ExplainPanel::placeRequested, &m_parts.views,
                     &ViewsPanel::centreOn);
    CockpitPanel& cockpit = m_parts.cockpit;
    QObject::connect(&cockpit, &CockpitPanel::thresholdsChosen, window, showThresholds);
    QObject::connect(&cockpit, &CockpitPanel::belowChanged, &m_parts.views,
                     &ViewsPanel::setPeaksBelow);
    QObject::connect(&cockpit, &CockpitPanel::refused, &judge, &Judge::refused);
    QObject::connect(&m_parts.match, &MatchPanel::thresholdChanged, &cockpit,
                     &CockpitPanel::setThreshold);
    cockpit.setThreshold(m_parts.match.threshold());
    QObject::connect(&m_parts.document, &Document::peaksReplaced, window,
                     [this] { updateActions(m_parts); });
}

void Connections::connectComparing() {
    ComparePanel& compare = m_parts.compare;
    QObject::connect(&compare, &ComparePanel::compared, &m_parts.views, &ViewsPanel::setCompared);
    QObject::connect(&compare, &ComparePanel::wiped, &m_parts.views, &ViewsPanel::setWipe);
    QObject::connect(&compare, &ComparePanel::placeRequested, &m_parts.views,
                     &ViewsPanel::centreOn);
    QObject::connect(&compare, &ComparePanel::thresholdRequested, &m_parts.cockpit,
                     &CockpitPanel::takeAt);
    QObject::connect(&compare, &ComparePanel::told, &m_parts.judge, &Judge::told);
    QObject::connect(&compare, &ComparePanel::refused, &m_parts.judge, &Judge::refused);
}

void Connections::connectPanels() {
    QMainWindow* const window = &m_parts.window;
    QObject::connect(&m_parts.features, &FeaturesPanel::templateRequested, window,
                     [this] { m_commands.cutTemplate(); });
    QObject::connect(&m_parts.features, &FeaturesPanel::pairsRequested, window,
                     [this] { m_dialogs.showPairs(); });
    QObject::connect(&m_parts.data, &DataPanel::resultChosen, window,
                     [this] { m_commands.bringBackJob(); });
    QObject::connect(&m_parts.data, &DataPanel::sceneMenuRequested, window, [this](QMenu* menu) {
        menu->addAction(m_parts.window.findChild<QAction*>(QStringLiteral("setSpacing")));
    });
    QObject::connect(&m_parts.maskBar, &MaskBar::saveRequested, &m_parts.exporter,
                     &Exporter::saveMask);
}

void Connections::connectTools() {
    ViewTools& tools = m_parts.tools;
    QObject::connect(&tools, &ViewTools::hovered, &m_parts.status, &StatusLine::showPosition);
    QObject::connect(&tools, &ViewTools::toolChanged, &m_parts.maskBar,
                     [this](Tool tool) { m_parts.maskBar.setVisible(tool == Tool::Mask); });
    QObject::connect(&tools, &ViewTools::toolChanged, &m_parts.window, [this](Tool tool) {
        if (tool == Tool::Lasso) {
            m_parts.status.showHint(
                tr("Drag around peaks to select them (Ctrl: further ones); then Space keeps, X "
                   "rejects, U marks as unsure"));
        } else if (tool == Tool::Sweep) {
            m_parts.status.showHint(
                tr("Drag over peaks to reject them (Ctrl: takes rejections back)"));
        }
    });
    QObject::connect(&tools, &ViewTools::maskDrawn, &m_parts.painter, &MaskPainter::stroke);
    QObject::connect(&tools, &ViewTools::objectClicked, &m_parts.boxTool, &BoxTool::fitTo);
    QObject::connect(&tools, &ViewTools::objectClickWithdrawn, &m_parts.boxTool,
                     &BoxTool::withdraw);
    QObject::connect(&m_parts.boxTool, &BoxTool::fitted, &m_parts.views,
                     [this] { m_parts.views.showBox(false); });
}

void Connections::connectRuns() {
    RunController& controller = m_parts.controller;
    QObject::connect(&controller, &RunController::started, &m_parts.window,
                     [this](RunController::Task task, const QString& title) {
                         if (!RunController::isBackground(task)) {
                             m_parts.status.showWork(title);
                         }
                         if (task == RunController::Task::Run) {
                             m_parts.message.hide();        // it was about something earlier
                             m_parts.docks.leaveFeatures(); // the result will be among the peaks
                         }
                         updateActions(m_parts);
                     });
    QObject::connect(&controller, &RunController::phaseChanged, &m_parts.window,
                     [this](const QString& phase) {
                         if (m_parts.controller.isWorking()) {
                             m_parts.status.showPhase(phase);
                         }
                     });
    QObject::connect(&controller, &RunController::progressChanged, &m_parts.window,
                     [this](double share) {
                         if (m_parts.controller.isWorking()) {
                             m_parts.status.showProgress(share);
                         }
                     });
    QObject::connect(&controller, &RunController::searchedChanged, &m_parts.window,
                     [this](std::int64_t members, std::int64_t of) {
                         if (m_parts.controller.isWorking()) {
                             m_parts.status.showSearched(members, of);
                         }
                     });
    QObject::connect(&controller, &RunController::finished, &m_parts.window, [this] {
        m_parts.status.hideWork();
        updateActions(m_parts);
    });
}

/// Runs in the background, because waking a GPU may take a second.
void Connections::requestDeviceMemory() {
    if (m_parts.controller.isWorking()) {
        return; // the run has the memory, and the answer would come after it
    }
    m_parts.controller.start(RunController::Task::Preview, {},
                             [this](const std::stop_token&, job::JobSink*) -> RunController::Done {
                                 return [this, devices = plan::devices()] {
                                     m_parts.match.setDevices(devices);
                                 };
                             });
}

} // namespace flcc::ui
