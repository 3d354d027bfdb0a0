#pragma once

#include <QObject>

#include <filesystem>
#include <functional>
#include <optional>
#include <utility>
#include <vector>

#include "engine/io/image_file.h"
#include "ui/document/document.h"
#include "ui/open/opening.h"
#include "ui/open/scene_files.h"

class QWidget;

namespace flcc::ui {

class RunController;
class StackFiles;
class TemplateSpacing;

/// Opens scenes, templates, masks and samples on the background thread and puts them into the
/// document.
class Opener : public QObject {
    Q_OBJECT

  public:
    /// The use of a file. Scene replaces all scenes, Template the active template, Mask all masks
    /// of templates. MoreScene, MoreTemplate and MoreMask add to the existing ones; for MoreScene
    /// only the header is read.
    enum class Target { Scene, MoreScene, Template, MoreTemplate, Mask, MoreMask, SceneMask };
    using Choice = OpenChoice;
    using Files = std::vector<std::pair<Target, std::filesystem::path>>;
    using Then = ThenOpened;

    Opener(Document& document, RunController& controller, QWidget& window);

    /// Asks for files, which become the list of scenes.
    void askScene();
    /// Asks for a folder with a DICOM series, which becomes the scene.
    void askSeries();
    /// As askScene(), but all are added.
    void askMoreScenes();
    /// Asks for a file of voxels without a header, and then what its bytes mean.
    void askRaw();
    /// Asks for files. The first replaces the active template, the others are added.
    void askTemplate();
    /// Likewise, but all are added.
    void askMoreTemplates();
    /// Asks for a mask. For templates, the user may choose one file for each template.
    void askMask(Target target);
    /// Opens `paths` as templates, one after the other. If `added` is false, the first replaces the
    /// active template.
    void openTemplates(const std::vector<std::filesystem::path>& paths, bool added);
    /// Opens `paths` as scenes, one after the other. If `added` is false, the first replaces all
    /// scenes.
    void openScenes(const std::vector<std::filesystem::path>& paths, bool added, Then then = {});
    /// As openScenes() and openSample(), for a user who may have to decide first what happens to
    /// templates and results.
    void offerScenes(const std::vector<std::filesystem::path>& paths, const Then& then = {});
    void offerSample(const QString& name);
    /// Shows scene `index` of the list; reads its pixels if they are not in memory.
    void showScene(int index, const Then& then = {});
    /// Removes scene `index` from the list. If it is the first scene, the second is shown.
    void removeScene(int index);
    /// Opens `paths` as masks of the templates; they replace all masks of templates.
    void openMasks(const std::vector<std::filesystem::path>& paths);
    /// Opens files one after the other, up to the first that cannot be opened.
    void openAll(Files files, const Choice& choice = {}, const Then& then = {});
    void open(Target target, const std::filesystem::path& path, const Choice& choice = {},
              Then then = {});
    void openSample(const QString& name, Then then = {});
    /// Whether pictures that are opened as scenes from now on are turned as their files say.
    void setOrientation(io::Orientation orientation) { m_orientation = orientation; }
    /// Warns of the first template whose spacing differs from that of the scene.
    void warnOfSpacings();
    /// True if the spacing of template `number` differs from that of the scene.
    [[nodiscard]] bool canResample(int number) const;
    /// Adds template `number` with the spacing of the scene; the old one stays beside it.
    void resampleTemplate(int number);
    /// Brings every opened template to the spacing of the scene.
    void keepStored(int number); ///< a template that was turned to the axes of the scene
    void resampleTemplates(const Then& then);

    /// Opens flat files of equal extents and type as the slices of one volume, which no file holds.
    void openStack(const std::vector<std::filesystem::path>& paths);

    /// Filters of the open dialog, all formats first: "All images (*.png ...);;PNG (*.png)...".
    [[nodiscard]] static QString filters();

  Q_SIGNALS:
    void opened(const QString& announcement);
    /// Emitted after opened() for a built-in sample.
    void sampleOpened();
    void warned(const QString& sentence);
    void failed(const QString& sentence);
    void sceneRemoved(const QString& sentence); ///< one undo step brings it back
    /// The spacing of template `number` differs from that of the scene; resampleTemplate() mends
    /// that.
    void resampleOffered(const QString& sentence, int number);
    void storedOffered(const QString& sentence, int number);
    /// What was to be opened as a scene is a project.
    void projectRequested(const std::filesystem::path& file, const flcc::ui::ThenOpened& then);
    /// The files of the list may be one stack: openStack().
    void stackOffered(const QString& sentence, const std::vector<std::filesystem::path>& paths);

  private:
    void askHow(const std::vector<std::filesystem::path>& paths, const SceneFiles::Fit& fit,
                const Then& then);
    /// Asks for files and passes them to `then`.
    void ask(const QString& purpose, const QString& title, bool several,
             const std::function<void(const std::vector<std::filesystem::path>&)>& then,
             const QString& filter = filters());
    /// Asks what the bytes of the file mean, and opens it.
    void askLayout(const std::filesystem::path& file);
    /// Asks which of several images behind the name `path` to open, then opens it.
    void askImage(Target target, const std::filesystem::path& path,
                  const std::vector<io::ImageChoice>& images, const Choice& choice,
                  const Then& then);
    /// Asks for image, channel and frame, as far as there are several and they are not chosen, then
    /// opens the file.
    void askChoice(Target target, const std::filesystem::path& path, const io::ImageInfo& info,
                   const Choice& known, const Then& then);
    void accept(Target target, const std::filesystem::path& path, const Choice& choice,
                const std::shared_ptr<const job::SceneImage>& image, const io::ImageInfo& info,
                const QImage& thumbnail);
    /// Keeps the templates while `paths` replace the scenes.
    void openKeepingTemplates(const std::vector<std::filesystem::path>& paths, const Then& then);
    void acceptTemplate(TemplateEntry entry, bool added);
    void acceptMask(Target target, MaskEntry entry, bool asStored);

    Document& m_document;
    RunController& m_controller;
    QWidget& m_window;
    SceneFiles* m_sceneFiles;
    StackFiles* m_stack;
    TemplateSpacing* m_spacing;
    io::Orientation m_orientation = io::Orientation::Applied;
};

} // namespace flcc::ui
