#include "ui/job_text.h"

#include "engine/job/arguments.h"
#include "ui/text.h"

namespace flcc::ui {

io::PeakContext peakContext(const ResultEntry& result) {
    io::PeakContext context;
    context.scene = result.job->scene->source;
    context.templ =
        result.settings.crop ? base::toString(*result.settings.crop) : result.job->templ->source;
    context.sceneExtents = base::extentsOf(result.job->scene->pixels);
    context.templExtents = base::extentsOf(result.job->templ->pixels);
    context.geometry = result.job->scene->geometry;
    const method::Problem& problem = result.job->report.plan.problem;
    context.mask = result.job->mask ? result.job->mask->source : "";
    context.sceneMask = result.job->sceneMask ? result.job->sceneMask->source : "";
    context.extent = method::name(problem.extent);
    context.outside = method::name(problem.outside);
    if (result.job->report.audit) {
        context.audit = job::auditText(*result.job->report.audit);
    }
    return context;
}

job::Job jobOf(const Document& document, job::Job settings) {
    const SceneEntry& scene = document.scene();
    settings.scene = scene.path;
    settings.channel = scene.channel;
    settings.frame = scene.frame;
    settings.templ.clear();
    settings.crop.reset();
    settings.mask = document.mask() ? document.mask()->path : std::filesystem::path();
    settings.sceneMask =
        document.sceneMask() ? document.sceneMask()->path : std::filesystem::path();
    if (const auto& templ = document.templ()) {
        settings.templ = templ->path;
        settings.crop = templ->crop;
    }
    return settings;
}

QString commandLineOf(const Document& document, job::Job job) {
    QString before;
    const SceneEntry& scene = document.scene();
    if (!scene.sample.isEmpty()) {
        before = QStringLiteral("flcc-cli sample %1 --output %1 && ").arg(scene.sample);
        job.scene = toPath(scene.sample + QStringLiteral("/scene.mha"));
        if (!job.crop && job.templ.empty()) {
            job.templ = toPath(scene.sample + QStringLiteral("/template.mha"));
        }
    }
    return before + toQString(job::toCommandLine(job));
}

} // namespace flcc::ui
