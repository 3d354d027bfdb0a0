#include "ui/plan/job_text.h"

#include <algorithm>

#include "engine/job/any_job.h"
#include "engine/job/scene_grid.h"
#include "ui/base/text.h"

namespace flcc::ui {

io::PeakContext peakContext(const ResultEntry& result) {
    io::PeakContext context;
    context.scene = result.job->scene->source;
    for (std::size_t i = 0; i < result.job->templates.size(); ++i) {
        const job::SceneImage& templ = *result.job->templates[i];
        const auto& mask = result.job->masks[i];
        context.templates.push_back(
            {templ.source, templ.extents(), mask ? mask->source : "", templ.reference});
    }
    context.sceneExtents = result.job->report.scene;
    context.geometry = result.job->geometry;
    const method::Problem& problem = result.job->report.plan.problem;
    context.sceneMask = result.job->sceneMask ? result.job->sceneMask->source : "";
    context.extent = method::name(problem.extent);
    context.outside = method::name(problem.outside);
    context.operation = method::nameUnlessDefault(problem.operation);
    if (result.job->report.audit) {
        context.audit = job::auditText(*result.job->report.audit);
    }
    context.incomplete = result.job->report.peaksIncomplete;
    context.sha256 = result.job->scene->sha256;
    return context;
}

job::Job jobOf(const Document& document, job::Job settings) {
    const SceneEntry& scene = document.scenes().front();
    settings.scene = scene.path;
    settings.furtherScenes.clear();
    for (std::size_t i = 1; i < document.searchedScenes(); ++i) {
        settings.furtherScenes.push_back(document.scenes()[i].path);
    }
    if (settings.channel != job::kAllChannels) {
        settings.channel = scene.channel;
    }
    settings.frame = scene.frame;
    settings.reading = scene.reading;
    settings.spacing = document.spacing();
    settings.world = document.worldAxes();
    settings.templates.clear();
    settings.crops.clear();
    settings.masks.clear();
    for (const MaskEntry& mask : document.masks()) {
        settings.masks.push_back(mask.path);
    }
    settings.sceneMask =
        document.sceneMask() ? document.sceneMask()->path : std::filesystem::path();
    settings.resample = false;
    settings.ignoreDirections = std::ranges::any_of(
        document.templates(), [](const TemplateEntry& templ) { return templ.asStored; });
    const bool all = resamplesAll(document);
    for (const TemplateEntry& templ : document.templates()) {
        if (templ.crop) {
            settings.crops.push_back(*templ.crop);
        } else if (!templ.path.empty() && (all || !templ.resampled)) {
            settings.templates.push_back(templ.path);
            settings.resample = settings.resample || templ.resampled;
        }
    }
    return settings;
}

bool resamplesAll(const Document& document) {
    return std::ranges::all_of(document.templates(), [&document](const TemplateEntry& templ) {
        return templ.crop || templ.path.empty() || templ.resampled || !document.hasScene() ||
               (!base::spacingsDiffer(templ.image->geometry, document.geometry(),
                                      document.isVolume()) &&
                (templ.asStored || job::degreesOff(*templ.image, *document.scene().image) == 0));
    });
}

QString templateWithoutFile(const Document& document) {
    const QString sample = document.scenes().front().sample;
    const std::string own = "sample:" + sample.toStdString() + " (template)";
    const bool all = resamplesAll(document);
    for (const TemplateEntry& templ : document.templates()) {
        const bool isOwn = !sample.isEmpty() && templ.image->source == own;
        if ((!templ.crop && templ.path.empty() && !isOwn) || (templ.resampled && !all)) {
            return templ.name;
        }
    }
    return {};
}

QString sceneWithoutFile(const Document& document) {
    const auto made = std::ranges::find_if(document.scenes(), &SceneEntry::made);
    return made == document.scenes().end() ? QString() : made->name;
}

QString maskWithoutFile(const Document& document) {
    const auto& masks = document.masks();
    const bool templ =
        std::ranges::any_of(masks, [](const MaskEntry& mask) { return mask.path.empty(); });
    if (templ || (document.sceneMask() && document.sceneMask()->path.empty())) {
        return templ ? Document::tr("The drawn mask of the template is in no file, so a job cannot "
                                    "name it: save it first (File > Save mask).")
                     : Document::tr("The drawn mask of the scene is in no file, so a job cannot "
                                    "name it: save it first (File > Save mask of scene).");
    }
    return {};
}

QString reasonAgainstJobFile(const Document& document) {
    if (const QString unsaved = maskWithoutFile(document); !unsaved.isEmpty()) {
        return unsaved;
    }
    if (const QString templ = templateWithoutFile(document); !templ.isEmpty()) {
        return Document::tr("A job file cannot name the template %1, which is not in a file: save "
                            "it (Save template) and open it.")
            .arg(templ);
    }
    const QString scene = sceneWithoutFile(document);
    return scene.isEmpty() ? QString()
                           : Document::tr("A job file cannot name the scene %1, which is not in a "
                                          "file: show it and save it (File > Export > Scene), or "
                                          "remove it from the list.")
                                 .arg(scene);
}

QString commandLineOf(const Document& document, job::Job job) {
    QString before;
    const SceneEntry& scene = document.scenes().front();
    if (!scene.sample.isEmpty()) {
        before = QStringLiteral("flcc-cli sample %1 --output %1 && ").arg(scene.sample);
        job.scene = toPath(scene.sample + QStringLiteral("/scene.mha"));
        job.templates.clear();
        for (const TemplateEntry& templ : document.templates()) {
            if (!templ.crop) { // one without a path is the sample's own
                job.templates.push_back(templ.path.empty()
                                            ? toPath(scene.sample + QStringLiteral("/template.mha"))
                                            : templ.path);
            }
        }
    }
    return before + toQString(job::toCommandLine(job));
}

} // namespace flcc::ui
