#pragma once

#include <QObject>

#include <filesystem>
#include <functional>
#include <optional>
#include <utility>
#include <vector>

#include "engine/io/image_file.h"
#include "ui/document.h"

class QWidget;

namespace flcc::ui {

class RunController;

/// Opens scenes, templates, masks and samples on the background thread and puts them into the
/// document.
class Opener : public QObject {
    Q_OBJECT

  public:
    /// What is read from a file. Scene replaces all scenes, Template the active one, Mask all masks
    /// of templates; MoreScene, of which the header is read alone, MoreTemplate and MoreMask add to
    /// those there are.
    enum class Target { Scene, MoreScene, Template, MoreTemplate, Mask, MoreMask, SceneMask };
    struct Choice {
        std::optional<int> channel;
        std::optional<int> frame;
    };
    using Files = std::vector<std::pair<Target, std::filesystem::path>>;
    /// Told whether it worked, after the document changed.
    using Then = std::function<void(bool opened)>;

    Opener(Document& document, RunController& controller, QWidget& window);

    /// Several files may be chosen: they are the list of scenes then.
    void askScene();
    /// Likewise, but all are added.
    void askMoreScenes();
    /// Several files may be chosen; the first one replaces the active template.
    void askTemplate();
    /// Likewise, but all are added.
    void askMoreTemplates();
    /// For the templates several files may be chosen: one each.
    void askMask(Target target);
    /// All of `paths`, one after the other, as templates: the first one replaces the active one,
    /// unless it is to be `added` too.
    void openTemplates(const std::vector<std::filesystem::path>& paths, bool added);
    /// Likewise as scenes: the first one replaces all there are, unless it is to be `added` too.
    void openScenes(const std::vector<std::filesystem::path>& paths, bool added, Then then = {});
    /// Shows scene `index` of the list, reading it where its pixels are not in memory.
    void showScene(int index, Then then = {});
    /// Takes scene `index` out of the list; in the place of the first one the next is shown.
    void removeScene(int index);
    /// Masks of the templates, in the place of those there are.
    void openMasks(const std::vector<std::filesystem::path>& paths);
    /// Files one after the other, up to the first that cannot be opened.
    void openAll(Files files, const Choice& choice = {}, const Then& then = {});
    void open(Target target, const std::filesystem::path& path, const Choice& choice = {},
              Then then = {});
    void openSample(const QString& name, Then then = {});

    /// Extensions of the open dialog, all formats first: "All images (*.png ...);;PNG (*.png)...".
    [[nodiscard]] static QString filters();

  Q_SIGNALS:
    void opened(const QString& announcement);
    /// After opened(), for a built-in sample.
    void sampleOpened();
    void warned(const QString& sentence);
    void failed(const QString& sentence);

  private:
    /// `then` gets the files.
    void ask(const QString& purpose, const QString& title, bool several,
             const std::function<void(const std::vector<std::filesystem::path>&)>& then);
    /// A question for channel and frame; the answer opens the file.
    void askChoice(Target target, const std::filesystem::path& path, const io::ImageInfo& info,
                   const Choice& known, const Then& then);
    void accept(Target target, const std::filesystem::path& path, const Choice& choice,
                const std::shared_ptr<const job::SceneImage>& image, const io::ImageInfo& info);
    void addScene(const std::filesystem::path& path, const Then& then);
    [[nodiscard]] bool acceptScene(const std::filesystem::path& path, const io::ImageInfo& info);
    void acceptTemplate(TemplateEntry entry, bool added);
    void acceptMask(Target target, MaskEntry entry);

    Document& m_document;
    RunController& m_controller;
    QWidget& m_window;
};

} // namespace flcc::ui
