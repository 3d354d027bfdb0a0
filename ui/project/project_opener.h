#pragma once

#include <QObject>
#include <QString>
#include <QStringList>

#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <vector>

#include "engine/job/project.h"
#include "ui/document/document.h"
#include "ui/project/unsaved_work.h"

class QWidget;

namespace flcc::ui {

class ProjectKeeper;
class RunController;

/// Opens projects: reads the file on the background thread, offers unsaved work, looks for the
/// files of the scenes and asks for those that are not there, reads the pixels of the scenes that
/// have to be in memory, and fills the document. Nothing is written.
class ProjectOpener : public QObject {
    Q_OBJECT

  public:
    /// What a project has beside the document: fields of the Match panel, the views.
    using Show = std::function<void(const job::Project& project)>;

    ProjectOpener(Document& document, RunController& controller, ProjectKeeper& keeper, Show show,
                  QWidget& window);

    void open(const std::filesystem::path& file, std::function<void(bool opened)> then = {});
    /// An earlier version of the project `file`, as unsaved work on it.
    void openEarlier(const std::filesystem::path& version, const std::filesystem::path& file,
                     std::function<void(bool opened)> then);
    /// Work that was not saved in any file.
    void recover(const std::filesystem::path& base, std::function<void(bool opened)> then = {});

  Q_SIGNALS:
    void opened(const QString& sentence);
    void failed(const QString& sentence);

  private:
    /// A project on its way into the document.
    struct Opening {
        std::filesystem::path file; ///< empty: unsaved work of no file
        job::Project project;
        std::optional<job::Project> unsaved; ///< the same with unsaved work
        std::shared_ptr<UnsavedWork> work;
        bool recovered = false;
        QString readOnly;                            ///< why it cannot be written over
        std::vector<job::FoundFile> files;           ///< of each scene
        std::vector<std::filesystem::path> mended{}; ///< folders where files were found
        std::vector<std::shared_ptr<const job::SceneImage>> images{};
        QStringList notes{};
        std::function<void(bool)> then;
    };
    using Way = std::shared_ptr<Opening>;

    void read(const Way& way, const std::function<void()>& reading);
    void offerUnsaved(const Way& way);
    void look(const Way& way);
    void askForFiles(const Way& way);
    void askForFile(const Way& way, std::size_t scene);
    void load(const Way& way);
    static void leaveOutVoxelless(Opening& way);
    void loadPixels(Opening& way, const std::stop_token& stop) const;
    void finish(const Way& way);
    void end(const Way& way, const QString& sentence);

    Document& m_document;
    RunController& m_controller;
    ProjectKeeper& m_keeper;
    Show m_show;
    QWidget& m_window;
};

} // namespace flcc::ui
