#pragma once

#include <QMainWindow>

#include <memory>

#include "ui/base/message_bar.h"
#include "ui/base/settings.h"
#include "ui/document/document.h"
#include "ui/open/opener.h"
#include "ui/views/view_tools.h"
#include "ui/work/run_controller.h"

class QStackedWidget;

namespace flcc::ui {

class Actions;
class BoxTool;
class Connections;
class Dialogs;
class Docks;
class EditCommands;
class Exporter;
class JobLoader;
class MainMenus;
class MaskBar;
class MaskPainter;
class MatchFlow;
class Judge;
class MatchPanel;
class SampleThumbnails;
class StartPage;
class StatusLine;
class ViewsPanel;
class ParticleExport;
class ProjectCommands;
class ProjectKeeper;
class ProjectOpener;
struct Parts;

/// The main window. It owns the parts; each part does its own work, and Connections join them.
class MainWindow : public QMainWindow {
    Q_OBJECT

  public:
    explicit MainWindow(QWidget* parent = nullptr);
    ~MainWindow() override;

    [[nodiscard]] Document& document() { return *m_document; }
    [[nodiscard]] RunController& controller() { return *m_controller; }
    [[nodiscard]] MatchPanel& matchPanel();
    [[nodiscard]] MatchFlow& flow() { return *m_flow; }
    [[nodiscard]] Opener& opener() { return *m_opener; }
    [[nodiscard]] Exporter& exporter() { return *m_exporter; }
    [[nodiscard]] ProjectKeeper& keeper() { return *m_keeper; }
    [[nodiscard]] ProjectCommands& projects() { return *m_projects; }
    [[nodiscard]] ParticleExport& particles() { return *m_particles; }
    [[nodiscard]] ViewsPanel& views() { return *m_views; }
    [[nodiscard]] ViewTools& tools() { return *m_tools; }

    /// Reads a job file into the controls and opens its files. `run` then starts the job.
    void loadJob(const QString& file, bool run = false);
    /// Opens a file as a scene, or with `asTemplate` as a template if a scene is open.
    void openFile(const QString& file, bool asTemplate = false);
    /// Stores what is not saved, before the program ends without a question.
    void storeUnsaved();
    /// Closes without a question, as a program does that was started for one run.
    void closeAtOnce();
    /// Shows a sentence above the views and adds it to the log.
    void tell(MessageBar::Kind kind, const QString& sentence);

  protected:
    void closeEvent(QCloseEvent* event) override;
    void dragEnterEvent(QDragEnterEvent* event) override;
    void dropEvent(QDropEvent* event) override;

  private:
    void buildCentre();
    void buildParts();
    void buildProjects();
    void fitToScreen();
    void followScene();
    void updateTitle();

    std::unique_ptr<Document> m_document;
    std::unique_ptr<RunController> m_controller;
    QStackedWidget* m_centre = nullptr;
    StartPage* m_start = nullptr;
    MessageBar* m_message = nullptr;
    ViewsPanel* m_views = nullptr;
    ViewTools* m_tools = nullptr;
    BoxTool* m_boxTool = nullptr;
    MaskPainter* m_painter = nullptr;
    MaskBar* m_maskBar = nullptr;
    Docks* m_docks = nullptr;
    Judge* m_judge = nullptr;
    StatusLine* m_status = nullptr;
    MatchFlow* m_flow = nullptr;
    Opener* m_opener = nullptr;
    Exporter* m_exporter = nullptr;
    ParticleExport* m_particles = nullptr;
    ProjectKeeper* m_keeper = nullptr;
    ProjectOpener* m_projectOpener = nullptr;
    ProjectCommands* m_projects = nullptr;
    std::unique_ptr<Actions> m_actions;
    std::unique_ptr<Parts> m_parts;
    std::unique_ptr<EditCommands> m_commands;
    std::unique_ptr<Dialogs> m_dialogs;
    std::unique_ptr<JobLoader> m_jobs;
    std::unique_ptr<MainMenus> m_menus;
    std::unique_ptr<Connections> m_connections;
    std::unique_ptr<SampleThumbnails> m_thumbnails;
    bool m_endsRun = false;  ///< the user has confirmed to quit during a run
    bool m_quitting = false; ///< the questions before quitting are answered
};

} // namespace flcc::ui
