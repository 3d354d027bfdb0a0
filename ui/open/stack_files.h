#pragma once

#include <QObject>

#include <filesystem>
#include <vector>

namespace flcc::ui {

class Document;
class RunController;

/// Flat files of equal extents and type as the slices of one volume, which no file holds.
class StackFiles : public QObject {
    Q_OBJECT

  public:
    StackFiles(Document& document, RunController& controller, QObject* parent)
        : QObject(parent), m_document(document), m_controller(controller) {}

    /// Offers to open the list of scenes, which are `paths`, as one stack if they are alike.
    void offer(const std::vector<std::filesystem::path>& paths);
    void open(const std::vector<std::filesystem::path>& paths);

  Q_SIGNALS:
    void opened(const QString& announcement);
    void failed(const QString& sentence);
    void offered(const QString& sentence, const std::vector<std::filesystem::path>& paths);

  private:
    Document& m_document;
    RunController& m_controller;
};

} // namespace flcc::ui
