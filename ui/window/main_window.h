#pragma once

#include <QMainWindow>
#include <QPointer>

#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include "engine/job/convolve_job.h"
#include "engine/job/features.h"
#include "ui/base/actions.h"
#include "ui/base/message_bar.h"
#include "ui/base/settings.h"
#include "ui/document/document.h"
#include "ui/open/opener.h"
#include "ui/views/view_tools.h"
#include "ui/work/run_controller.h"

class QDockWidget;
class QMenu;
class QStackedWidget;
class QTabWidget;

namespace flcc::ui {

class DataPanel;
class BoxTool;
class Exporter;
class FeaturesPanel;
class FilterDialog;
class LogPanel;
class ManualWindow;
class MatchFlow;
class MaskBar;
class MaskPainter;
class MatchPanel;
class PairsDialog;
class PeaksPanel;
class ReportPanel;
class StartPage;
class StatusLine;
class ViewsPanel;

/// The main window. It creates the parts and connects them; each part does its own work.
class MainWindow : public QMainWindow {
    Q_OBJECT

  public:
    explicit MainWindow(QWidget* parent = nullptr);
    ~MainWindow() override;

    [[nodiscard]] Document& document() { return *m_document; }
    [[nodiscard]] RunController& controller() { return *m_controller; }
    [[nodiscard]] MatchPanel& matchPanel() { return *m_match; }
    [[nodiscard]] MatchFlow& flow() { return *m_flow; }
    [[nodiscard]] Opener& opener() { return *m_opener; }
    [[nodiscard]] Exporter& exporter() { return *m_exporter; }
    [[nodiscard]] ViewsPanel& views() { return *m_views; }
    [[nodiscard]] ViewTools& tools() { return *m_tools; }

    /// Reads a job file into the controls and opens its files. `run` then starts the job.
    void loadJob(const QString& file, bool run = false);
    /// Opens a file as a scene, or with `asTemplate` as a template if a scene is open.
    void openFile(const QString& file, bool asTemplate = false);
    void applyTheme(Theme theme);
    /// Shows a sentence above the views and adds it to the log.
    void tell(MessageBar::Kind kind, const QString& sentence);

  protected:
    void closeEvent(QCloseEvent* event) override;
    void dragEnterEvent(QDragEnterEvent* event) override;
    void dropEvent(QDropEvent* event) override;

  private:
    void fitToScreen();
    void buildCentre();
    void buildDocks();
    void connectParts();
    // main_window_jobs.cpp
    void openForJob(const std::filesystem::path& scene, const Opener::Choice& choice,
                    const std::function<void()>& then);
    void loadConvolveJob(const job::ConvolveJob& job);
    void loadFeaturesJob(const job::FeaturesJob& job);
    // main_window_menus.cpp, main_window_view_menus.cpp
    void buildMenus();
    void buildFileMenu();
    void buildEditMenu();
    void buildViewMenu();
    void buildHeatmapMenu();
    void buildLayersMenu();
    void buildVolumeMenu();
    void buildToolsMenu();
    void addBoxEntries(QMenu* menu);
    void addMachineEntries(QMenu* menu);
    void buildMatchMenu();
    void buildHelpMenu();
    void buildToolBar();
    void fillRecentMenu();
    void updateActions();
    void updateTitle();
    void showManual();
    void showKeySheet();
    void showSelfTest();
    void showCalibrate();
    void showFigures();
    void showFeatures();
    PairsDialog* showPairs();
    void showFilter();
    /// Undoes or redoes a change, unless it would change the scenes of a run.
    void stepBack(bool redo);
    void offerCalibration();
    void showAbout();
    void cutTemplate();
    void addCutTemplate();
    void copyCommandLine();
    void askJob();
    void askSlab();
    void addSwitch(QMenu* menu, Actions::Definition definition, bool initially,
                   const std::function<void(bool)>& apply);
    void addShapes(const job::Job& job);
    void askPlanReport();
    void showContextMenu(const QPoint& position);
    void stepThreshold(double step);
    void bringBackJob();
    void resetLayout();
    void requestThumbnails();
    void requestDeviceMemory();

    std::unique_ptr<Document> m_document;
    std::unique_ptr<RunController> m_controller;
    QStackedWidget* m_centre = nullptr;
    StartPage* m_start = nullptr;
    QWidget* m_work = nullptr;
    MessageBar* m_message = nullptr;
    ViewsPanel* m_views = nullptr;
    ViewTools* m_tools = nullptr;
    BoxTool* m_boxTool = nullptr;
    MaskPainter* m_painter = nullptr;
    MaskBar* m_maskBar = nullptr;
    DataPanel* m_data = nullptr;
    MatchPanel* m_match = nullptr;
    PeaksPanel* m_peaks = nullptr;
    FeaturesPanel* m_features = nullptr;
    ReportPanel* m_report = nullptr;
    LogPanel* m_log = nullptr;
    StatusLine* m_status = nullptr;
    MatchFlow* m_flow = nullptr;
    Opener* m_opener = nullptr;
    Exporter* m_exporter = nullptr;
    QDockWidget* m_dataDock = nullptr;
    QDockWidget* m_matchDock = nullptr;
    QDockWidget* m_bottomDock = nullptr;
    QTabWidget* m_tabs = nullptr;
    QMenu* m_recentMenu = nullptr;
    QMenu* m_contextMenu = nullptr;
    std::unique_ptr<Actions> m_actions;
    std::unique_ptr<ManualWindow> m_manual; ///< created when the manual is first opened
    std::vector<QAction*> m_toolActions;
    QPointer<FilterDialog> m_filter; ///< null: closed
    bool m_thumbnailsDone = false;
    bool m_quitting = false; ///< the user has confirmed to quit during a run
};

} // namespace flcc::ui
