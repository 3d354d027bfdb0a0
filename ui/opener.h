#pragma once

#include <QObject>

#include <filesystem>
#include <functional>
#include <optional>

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
    /// What is read from a file.
    enum class Target { Scene, Template, Mask, SceneMask };
    struct Choice {
        std::optional<int> channel;
        std::optional<int> frame;
    };
    /// Told whether it worked, after the document changed.
    using Then = std::function<void(bool opened)>;

    Opener(Document& document, RunController& controller, QWidget& window);

    /// Asks for a file.
    void askScene();
    void askTemplate();
    void askMask(Target target);
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
    void ask(Target target, const QString& purpose, const QString& title);
    /// A question for channel and frame; the answer opens the file.
    void askChoice(Target target, const std::filesystem::path& path, const io::ImageInfo& info,
                   const Choice& known, const Then& then);
    void accept(Target target, const std::filesystem::path& path, const Choice& choice,
                const std::shared_ptr<const job::SceneImage>& image, const io::ImageInfo& info);
    void acceptTemplate(TemplateEntry entry);
    void acceptMask(Target target, MaskEntry entry);

    Document& m_document;
    RunController& m_controller;
    QWidget& m_window;
};

} // namespace flcc::ui
