#pragma once

#include <QObject>
#include <QString>

#include <filesystem>
#include <functional>

class QMenu;
class QWidget;

namespace flcc::ui {

class Document;
class ProjectKeeper;
class ProjectOpener;

/// What menus and the closing window do with projects, with the questions that belong to it.
class ProjectCommands : public QObject {
    Q_OBJECT

  public:
    ProjectCommands(Document& document, ProjectKeeper& keeper, ProjectOpener& opener,
                    QWidget& window);

    void askOpen();
    /// Opens a project, after a question where unsaved work would go.
    void open(const std::filesystem::path& file, const std::function<void(bool)>& then = {});
    void save(const std::function<void(bool saved)>& then = {}); ///< asks for a name without one
    void saveAs(const std::function<void(bool saved)>& then = {});
    /// Calls `then` if nothing is unsaved, when it is saved, or when the person gives it up.
    void askBeforeLosing(const QString& title, const std::function<void()>& then);
    void fillEarlier(QMenu& menu);
    /// Asks what happens to unsaved work that a session before left in the folder of the keeper.
    void offerLeft();

    /// "grid7.flcc", "picture.png", with a mark of what is not saved: "grid7.flcc (modified)".
    [[nodiscard]] QString title() const;

  Q_SIGNALS:
    void failed(const QString& sentence);

  private:
    [[nodiscard]] std::function<void(bool)> afterOpening(const std::function<void(bool)>& then);

    Document& m_document;
    ProjectKeeper& m_keeper;
    ProjectOpener& m_opener;
    QWidget& m_window;
};

} // namespace flcc::ui
