#pragma once

#include <QCoreApplication>

#include <functional>

#include "ui/base/actions.h"
#include "ui/window/parts/parts.h"

namespace flcc::ui {

class JobLoader;

/// The menu File.
class FileMenu {
    Q_DECLARE_TR_FUNCTIONS(FileMenu)

  public:
    FileMenu(const Parts& parts, JobLoader& jobs);

    void fillRecent(); ///< lists the files that were opened last

  private:
    QAction* add(QMenu* menu, const Actions::Definition& definition, std::function<void()> slot);
    void addProject(QMenu* menu);
    void addOpening(QMenu* menu);
    void addTurning(QMenu* menu);
    void addSamples(QMenu* menu);
    void addTemplates(QMenu* menu);
    void addJobs(QMenu* menu);
    void addExports(QMenu* menu);
    void addSearchExports(QMenu* exports);
    void addPictures(QMenu* menu);

    const Parts& m_parts;
    JobLoader& m_jobs;
    QMenu* m_recent = nullptr;
};

} // namespace flcc::ui
