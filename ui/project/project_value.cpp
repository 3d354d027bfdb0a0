#include "ui/project/project_value.h"

#include <QBuffer>

#include <algorithm>
#include <utility>

#include "ui/base/text.h"

namespace flcc::ui {
namespace {

std::string text(const QString& of) { return of.toStdString(); }

std::string pngOf(const QImage& image) {
    QByteArray bytes;
    QBuffer buffer(&bytes);
    buffer.open(QIODevice::WriteOnly);
    return !image.isNull() && image.save(&buffer, "PNG") ? bytes.toStdString() : std::string();
}

QImage imageOf(const std::string& png) {
    return png.empty() ? QImage() : QImage::fromData(QByteArray::fromStdString(png), "PNG");
}

job::ProjectTemplate stored(const TemplateEntry& of) {
    return {of.image,       text(of.name), of.path,   of.crop,
            text(of.place), of.resampled,  of.stored, of.asStored};
}

TemplateEntry restored(const job::ProjectTemplate& of) {
    return {of.image,     toQString(of.name), of.path,    of.crop, toQString(of.place),
            of.resampled, of.stored,          of.asStored};
}

job::ProjectMask stored(const MaskEntry& of) { return {of.image, text(of.name), of.path}; }

MaskEntry restored(const job::ProjectMask& of) { return {of.image, toQString(of.name), of.path}; }

job::ProjectInputs stored(const RunInputs& of) {
    job::ProjectInputs made;
    for (const TemplateEntry& each : of.templates) {
        made.templates.push_back(stored(each));
    }
    made.active = of.active;
    for (const MaskEntry& each : of.masks) {
        made.masks.push_back(stored(each));
    }
    if (of.sceneMask) {
        made.sceneMask = stored(*of.sceneMask);
    }
    return made;
}

RunInputs restored(const job::ProjectInputs& of) {
    RunInputs made;
    for (const job::ProjectTemplate& each : of.templates) {
        made.templates.push_back(restored(each));
    }
    made.active = of.active;
    for (const job::ProjectMask& each : of.masks) {
        made.masks.push_back(restored(each));
    }
    if (of.sceneMask) {
        made.sceneMask = restored(*of.sceneMask);
    }
    return made;
}

job::ProjectScene stored(const SceneEntry& of) {
    job::ProjectScene made;
    made.name = text(of.name);
    if (!of.path.empty()) {
        made.file = {std::filesystem::absolute(of.path).lexically_normal(), of.identity};
    }
    made.sample = text(of.sample);
    made.channel = of.channel;
    made.frame = of.frame;
    made.reading = of.reading;
    made.type = of.type;
    made.extents = of.extents;
    made.made = of.made;
    made.aside = of.aside;
    made.origin = of.origin;
    // What a file holds is read from it.
    made.image = of.path.empty() && of.sample.isEmpty() ? of.image : nullptr;
    return made;
}

SceneEntry restored(const job::ProjectScene& of, std::shared_ptr<const job::SceneImage> image) {
    SceneEntry made{std::move(image), toQString(of.name), of.file.path, toQString(of.sample),
                    of.channel,       of.frame,           of.type};
    made.thumbnail = imageOf(of.picture);
    made.made = of.made;
    made.origin = of.origin;
    made.extents = of.extents;
    made.aside = of.aside;
    made.missing = of.missing;
    made.identity = of.file.identity;
    made.reading = of.reading;
    return made;
}

job::ProjectResult stored(const ResultEntry& of) {
    job::ProjectResult made;
    made.result = of;
    made.result.kept.reset();
    made.title = text(of.title);
    made.scene = of.scene;
    made.run = of.run;
    made.id = of.id;
    made.inputs = stored(of.inputs);
    return made;
}

/// The result without its map. `image`: of its scene, if that is in memory.
ResultEntry restored(const job::ProjectResult& of,
                     const std::shared_ptr<const job::SceneImage>& image) {
    ResultEntry made;
    static_cast<job::Result&>(made) = of.result;
    if (image) {
        auto with = std::make_shared<job::JobResult>(*of.result.job);
        with->scene = image;
        made.job = std::move(with);
    }
    made.title = toQString(of.title);
    made.scene = of.scene;
    made.run = of.run;
    made.id = of.id;
    made.inputs = restored(of.inputs);
    made.thumbnail = imageOf(of.picture);
    made.mapReleased = of.result.job->report.map.has_value();
    return made;
}

QString counted(std::int64_t number, const QString& one, const QString& several) {
    return number == 1 ? one : several.arg(number);
}

} // namespace

ProjectSnapshot snapshotOf(const Document& document, const job::Job& settings,
                           const QString& views) {
    ProjectSnapshot made;
    job::Project& project = made.project;
    const DocumentState state = document.state();
    for (const SceneEntry& each : state.scenes) {
        project.scenes.push_back(stored(each));
        made.ofScenes.push_back(each.thumbnail);
    }
    project.activeScene = state.activeScene;
    project.spacing = state.spacing;
    project.axes = state.worldAxes;
    project.box = state.box;
    project.inputs = stored(state.inputs);
    project.settings = settings;
    for (const ResultEntry& each : state.results) {
        project.results.push_back(stored(each));
        made.ofResults.push_back(each.thumbnail);
    }
    project.shownResult = state.shownResult;
    project.selectedPeak = state.selectedPeak;
    project.views = text(views);
    return made;
}

job::Project projectOf(ProjectSnapshot snapshot) {
    for (std::size_t i = 0; i < snapshot.project.scenes.size(); ++i) {
        snapshot.project.scenes[i].picture = pngOf(snapshot.ofScenes[i]);
    }
    for (std::size_t i = 0; i < snapshot.project.results.size(); ++i) {
        snapshot.project.results[i].picture = pngOf(snapshot.ofResults[i]);
    }
    return std::move(snapshot.project);
}

job::Project workOf(job::Project project) {
    project.activeScene = 0;
    project.shownResult = -1;
    project.selectedPeak = -1;
    project.views = "{}";
    for (job::ProjectScene& each : project.scenes) {
        each.picture.clear(); // made when the pixels are read
        each.file.identity.reset();
    }
    for (job::ProjectResult& each : project.results) {
        each.picture.clear();
    }
    return project;
}

DocumentState stateOf(const job::Project& project,
                      const std::vector<std::shared_ptr<const job::SceneImage>>& images) {
    DocumentState state;
    for (std::size_t i = 0; i < project.scenes.size(); ++i) {
        state.scenes.push_back(restored(project.scenes[i], images[i]));
    }
    state.activeScene = project.activeScene;
    state.spacing = project.spacing;
    state.worldAxes = project.axes;
    state.box = project.box;
    state.inputs = restored(project.inputs);
    for (const job::ProjectResult& each : project.results) {
        const auto scene = static_cast<std::size_t>(each.scene);
        state.results.push_back(
            restored(each, project.scenes[scene].missing ? nullptr : images[scene]));
    }
    state.shownResult = project.shownResult;
    state.selectedPeak = project.selectedPeak;
    return state;
}

QString contentText(const job::Project& project) {
    return Document::tr("%1, %2 and %3")
        .arg(counted(std::ssize(project.results), Document::tr("one result"),
                     Document::tr("%1 results")),
             counted(std::ssize(project.inputs.templates), Document::tr("one template"),
                     Document::tr("%1 templates")),
             counted(job::decisionsIn(project), Document::tr("one decision"),
                     Document::tr("%1 decisions")));
}

} // namespace flcc::ui
