#include "engine/job/output/export_files.h"

#include <algorithm>

#include "engine/base/error.h"
#include "engine/io/digest.h"
#include "engine/io/drawing.h"
#include "engine/io/image_file.h"
#include "engine/job/boxes.h"
#include "engine/job/options/export_options.h"

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
            .subvoxel = job.exports.subvoxel,
            .references = referencesOf(result),
            .edges = result.geometry.spacing};
}

/// Adds what the format of `target` cannot store to the notes. False if cancelled.
bool addBoxes(OutputFiles& files, const path& target, const base::Image<float>& boxes,
              std::int64_t members, JobResult& result, const std::stop_token& stop) {
    return target.empty() || files.add(target, [&](const io::AtomicFile& file) {
        const auto dropped = writeBoxes(file, boxes.view(), members, result.geometry, stop);
        for (const std::string& note : dropped.value_or(std::vector<std::string>{})) {
            result.notes.push_back(target.filename().string() + ": " + note);
        }
        return dropped.has_value();
    });
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

match::Average averagedOf(const Job& job, JobResult& result, const std::stop_token& stop) {
    const match::PanelOptions options = panelOptions(job, result);
    match::Average average =
        match::averageOf(base::viewOf(result.scene->pixels), result.peaks, options, stop);
    if (!stop.stop_requested() && average.count > 0) {
        result.report.average = reportOf(average, options, result.geometry);
        result.report.average->file =
            (job.exports.average.empty() ? job.exports.averageVariance : job.exports.average)
                .string();
    }
    return average;
}

bool hasAverage(const Exports& exports) {
    return !exports.average.empty() || !exports.averageVariance.empty();
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
        withdrawBoxes(files, {job.exports.stack}, result.notes);
        return true;
    }
    return addBoxes(files, job.exports.stack, panels.voxels, members, result, stop);
}

bool writeAverage(const Job& job, JobResult& result, OutputFiles& files,
                  const std::stop_token& stop) {
    const match::Average average = averagedOf(job, result, stop);
    if (stop.stop_requested()) {
        return false;
    }
    if (average.count == 0) {
        withdrawBoxes(files, {job.exports.average, job.exports.averageVariance}, result.notes);
        if (!job.exports.average.empty()) {
            files.withdraw(madeOfFile(job.exports.average));
        }
        return true;
    }
    const base::Image<float> mean = floatsOf(average.mean);
    if (!job.exports.average.empty()) {
        files.addText(madeOfFile(job.exports.average), [&] {
            return toText(madeOf(base::AnyView(mean.view()), result.scene->source,
                                 base::viewOf(result.scene->pixels), result.peaks, average.taken));
        });
    }
    return addBoxes(files, job.exports.average, mean, 0, result, stop) &&
           addBoxes(files, job.exports.averageVariance, floatsOf(average.variance), 0, result,
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
        (void)averagedOf(job, result, stop);
    }
    return !stop.stop_requested();
}

void withdrawBoxes(OutputFiles& files, const std::vector<std::filesystem::path>& targets,
                   std::vector<std::string>& notes) {
    for (const std::filesystem::path& target : targets) {
        std::error_code ignored;
        if (!target.empty()) {
            notes.push_back(target.filename().string() +
                            " is not written: no peak has its box inside the scene" +
                            (std::filesystem::exists(target, ignored)
                                 ? "; the older file of this name is removed"
                                 : ""));
            files.withdraw(target);
        }
    }
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
    for (const path* file : {&asked.stack, &asked.average, &asked.averageVariance}) {
        if (!file->empty()) {
            Extents size = boxSize(job.exports.size, largestOf(templates), inputs.scene->extents());
            size.z += file == &asked.stack ? 1 : 0; // several boxes make a volume
            io::requireWritable(*file, base::PixelType::Float32, size);
            requireFolder(*file);
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
        steps.emplace_back([&, stop] { return writeAverage(job, result, files, stop); });
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
