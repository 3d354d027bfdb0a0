#pragma once

#include <QImage>
#include <QString>

#include <memory>
#include <vector>

#include "engine/job/project.h"
#include "ui/document/document.h"

// The document as a project, and back.

namespace flcc::ui {

/// A project whose pictures are not encoded yet, which takes longer than the GUI thread has.
struct ProjectSnapshot {
    job::Project project;
    std::vector<QImage> ofScenes; ///< thumbnails, one for each scene and result
    std::vector<QImage> ofResults;
};

/// What the document holds now. `settings`: the fields of the Match panel; `views`: a JSON object
/// of how the views show it. **Cost**: of copies of lists; voxels are shared.
[[nodiscard]] ProjectSnapshot snapshotOf(const Document& document, const job::Job& settings,
                                         const QString& views);

/// With its pictures. **Threads**: any.
[[nodiscard]] job::Project projectOf(ProjectSnapshot snapshot);

/// The project without what is selected and how it is shown, which is no work.
[[nodiscard]] job::Project workOf(job::Project project);

/// The document of a project. `images`: of each scene its pixels, null where they are not in
/// memory. **Threads**: any.
[[nodiscard]] DocumentState
stateOf(const job::Project& project,
        const std::vector<std::shared_ptr<const job::SceneImage>>& images);

/// "2 results, 3 templates and 14 decisions".
[[nodiscard]] QString contentText(const job::Project& project);

} // namespace flcc::ui
