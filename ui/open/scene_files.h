#pragma once

#include <QObject>

#include <filesystem>
#include <vector>

#include "ui/document/document.h"
#include "ui/open/opening.h"

namespace flcc::ui {

class RunController;

/// The files in the list of scenes. The header of a file is read when it is added, its pixels when
/// it is shown.
class SceneFiles : public QObject {
    Q_OBJECT

  public:
    SceneFiles(Document& document, RunController& controller, QObject* parent)
        : QObject(parent), m_document(document), m_controller(controller) {}

    /// Appends a file to the list.
    void add(const std::filesystem::path& path, const ThenOpened& then);
    /// Shows scene `index` of the list; reads its pixels if they are not in memory.
    void show(int index, const ThenOpened& then);
    /// Removes scene `index` from the list. If it is the first scene, the second is shown.
    void remove(int index);
    /// What the headers of files allow. A file that cannot be read is reported when it is opened.
    struct Fit {
        bool list = false;     ///< all can be in one list with the first scene
        bool templates = true; ///< one of the templates fits into all
    };
    [[nodiscard]] static Fit fit(const std::vector<std::filesystem::path>& paths,
                                 const SceneEntry& first,
                                 const std::vector<base::Extents>& templates,
                                 const std::stop_token& stop);

  Q_SIGNALS:
    void opened(const QString& announcement);
    void warned(const QString& sentence);
    void failed(const QString& sentence);
    void removed(const QString& sentence); ///< one undo step brings it back

  private:
    void take(int index);
    [[nodiscard]] bool accept(const std::filesystem::path& path, const io::ImageInfo& info);

    Document& m_document;
    RunController& m_controller;
};

} // namespace flcc::ui
