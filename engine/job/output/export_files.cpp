#include "engine/job/output/export_files.h"

#include <algorithm>

#include "engine/base/error.h"
#include "engine/io/digest.h"
#include "engine/io/drawing.h"
#include "engine/io/image_file.h"
#include "engine/job/boxes.h"
#include "engine/job/options/export_options.h"
#include "engine/job/output/averages.h"

namespace flcc::job::detail {

using base::Error;
using base::ErrorCode;
using base::Extents;
using std::filesystem::path;

namespace {

Extents largestOf(const std::vector<Extents>& templates) {
    Extents size{0, 0, 0};
    for (const Extents& templ : templates) {
        size = {std::max(size.x, templ.x), std::max(size.y, templ.y), std::max(size.z, templ.z)};
    }
    return size;
}

match::PanelOptions panelOptions(const Job& job, const JobResult& result) {
    std::vector<Extents> templates;
    for (const auto& templ : result.templates) {
        templates.push_back(templ->extents());
    }
    return {.size = boxSize(job.exports.size, largestOf(templates), result.scene->extents()),
            .normalise = job.exports.normalise,
            .subvoxel = job.exports.subvoxel || job.exports.turned,
            .turnedBack = job.exports.turned,
            .references = referencesOf(result),
            .edges = result.geometry.spacing};
}

match::Panels cutStack(const Job& job, JobResult& result, const std::stop_token& stop) {
    const match::PanelOptions options = panelOptions(job, result);
    match::Panels panels =
        match::cutPanels(base::viewOf(result.scene->pixels), result.peaks, options, stop);
    if (!stop.stop_requested()) {
        result.report.stack = reportOf(panels, options);
        result.report.stack->file = job.exports.stack.string();
    }
    return panels;
}

/// The templates of the result, each with its peaks.
AverageSource averageSource(const Job& job, const JobResult& result) {
    AverageSource source{.scene = base::viewOf(result.scene->pixels),
                         .sceneSource = result.scene->source,
                         .geometry = result.geometry,
                         .peaks = result.peaks,
                         .templates = {},
                         .options = panelOptions(job, result)};
    for (const auto& templ : result.templates) {
        source.templates.push_back(
            {.number = static_cast<int>(source.templates.size()),
             .size = boxSize(job.exports.size, templ->extents(), result.scene->extents()),
             .peaks = {}});
    }
    for (std::size_t i = 0; i < result.peaks.size(); ++i) {
        source.templates.at(static_cast<std::size_t>(result.peaks[i].templ)).peaks.push_back(i);
    }
    return source;
}

/// Puts the averages into the report, and with `files` writes them. False if cancelled.
bool average(const Job& job, JobResult& result, OutputFiles* files, const std::stop_token& stop) {
    auto made = makeAverages(job.exports, averageSource(job, result), files, result.notes, stop);
    if (made) {
        result.report.averages = std::move(*made);
    }
    return made.has_value();
}

bool writeStack(const Job& job, JobResult& result, OutputFiles& files,
                const std::stop_token& stop) {
    const match::Panels panels = cutStack(job, result, stop);
    if (stop.stop_requested()) {
        return false;
    }
    noteLeftOut(*result.report.stack, result.notes);
    const auto members = static_cast<std::int64_t>(panels.taken.size());
    if (members == 0) {
        withdrawBoxes(files, job.exports.stack, "no peak", result.notes);
        return true;
    }
    return addBoxes(files, job.exports.stack, panels.voxels, members, result.geometry, result.notes,
                    stop);
}

void addVoxels(io::Digest& digest, const base::AnyView& image) {
    std::visit(
        [&](const auto& view) {
            digest.add(view.data(), static_cast<std::size_t>(base::voxelCount(view.extents())) *
                                        sizeof(*view.data()));
        },
        image);
}

bool isText(const path& report) { return report.extension() == ".txt"; }

} // namespace

std::string imageDigest(const base::AnyView& image) {
    io::Digest digest;
    addVoxels(digest, image);
    return digest.text();
}

std::string mapDigest(const method::MatchMap& map) {
    io::Digest digest;
    addVoxels(digest, method::scoresOf(map));
    digest.add(map.status.data(), static_cast<std::size_t>(map.status.count()));
    return digest.text();
}

bool reportBoxes(const Job& job, JobResult& result, const std::stop_token& stop) {
    if (result.cancelled) {
        return false;
    }
    if (!job.exports.stack.empty() && result.scene) {
        (void)cutStack(job, result, stop);
    }
    if (hasAverage(job.exports) && result.scene) {
        (void)average(job, result, nullptr, stop);
    }
    return !stop.stop_requested();
}

void requireExportFiles(const Job& job, const Inputs& inputs) {
    const Exports& asked = job.exports;
    if (!asked.figure.empty()) {
        io::requireDrawable(asked.figure);
        requireFolder(asked.figure);
    }
    std::vector<Extents> templates;
    for (const TemplateInput& templ : inputs.templates) {
        templates.push_back(templ.extents());
    }
    const Extents scene = inputs.scene->extents();
    const auto require = [](const path& file, const Extents& size) {
        io::requireWritable(file, base::PixelType::Float32, size);
        requireFolder(file);
    };
    if (!asked.stack.empty()) {
        Extents size = boxSize(asked.size, largestOf(templates), scene);
        ++size.z; // several boxes make a volume
        require(asked.stack, size);
    }
    for (const path* file : {&asked.average, &asked.averageVariance}) {
        for (std::size_t i = 0; i < templates.size() && !file->empty(); ++i) {
            require(templates.size() > 1 ? averageFile(*file, static_cast<int>(i)) : *file,
                    boxSize(asked.size, templates[i], scene));
        }
    }
}

void addExportSteps(std::vector<std::function<bool()>>& steps, const Job& job, JobResult& result,
                    OutputFiles& files, const std::stop_token& stop) {
    if (!job.exports.figure.empty()) {
        steps.emplace_back([&] {
            return files.add(job.exports.figure, [&](const io::AtomicFile& file) {
                io::writeDrawing(file, drawingOf(result, job.slice));
                return true;
            });
        });
    }
    if (!job.exports.stack.empty()) {
        steps.emplace_back([&, stop] { return writeStack(job, result, files, stop); });
    }
    if (hasAverage(job.exports)) {
        steps.emplace_back([&, stop] { return average(job, result, &files, stop); });
    }
    if (!job.report.empty() && result.map) {
        steps.emplace_back([&] {
            result.report.mapSha256 = mapDigest(*result.map);
            return true;
        });
    }
}

std::string reportText(const Job& job, const JobResult& result) {
    const auto& chosen = result.report.threshold; // of lcc, by the law of the scores
    const double threshold = chosen ? chosen->value : thresholdOf(job);
    return isPage(job.report) ? toHtml(result, threshold, job.slice)
                              : reportText(job, result.report);
}

std::string reportText(const Job& job, const JobReport& report) {
    return isPage(job.report)   ? toHtml(report)
           : isText(job.report) ? toText(report)
                                : toJson(report);
}

} // namespace flcc::job::detail
