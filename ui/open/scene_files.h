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
    /// False if a header says that a file cannot be in the list of `first`. A file that cannot be
    /// read is reported when it is added.
    [[nodiscard]] static bool fit(const std::vector<std::filesystem::path>& paths,
                                  const SceneEntry& first, const std::stop_token& stop);

  Q_SIGNALS:
    void opened(const QString& announcement);
    void warned(const QString& sentence);
    void failed(const QString& sentence);

  private:
    [[nodiscard]] bool accept(const std::filesystem::path& path, const io::ImageInfo& info);

    Document& m_document;
    RunController& m_controller;
};

} // namespace flcc::ui
