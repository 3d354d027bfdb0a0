#include "engine/job/output/export_files.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "engine/base/error.h"
#include "engine/io/digest.h"
#include "engine/io/drawing.h"
#include "engine/io/image_file.h"
#include "engine/job/options/export_options.h"

namespace flcc::job::detail {

using base::Error;
using base::ErrorCode;
using base::Extents;
using std::filesystem::path;

namespace {

std::vector<Extents> extentsOf(const JobResult& result) {
    std::vector<Extents> all;
    for (const auto& templ : result.templates) {
        all.push_back(templ->extents());
    }
    return all;
}

match::PanelOptions panelOptions(const Job& job, const JobResult& result) {
    return {.size = boxSize(job.exports.size, extentsOf(result), result.scene->extents()),
            .normalise = job.exports.normalise,
            .subvoxel = job.exports.subvoxel};
}

/// The scene's spacing and unit without its place: boxes lie everywhere.
base::Geometry boxGeometry(const JobResult& result) {
    base::Geometry geometry;
    geometry.spacing = result.geometry.spacing;
    geometry.unit = result.geometry.unit;
    geometry.unitSource = result.geometry.unitSource;
    return geometry;
}

base::Image<float> floatsOf(const base::Image<double>& image) {
    base::Image<float> floats(image.extents());
    std::transform(image.data(), image.data() + image.count(), floats.data(),
                   [](double value) { return static_cast<float>(value); });
    return floats;
}

bool writeStack(const Job& job, JobResult& result, OutputFiles& files,
                const std::stop_token& stop) {
    const match::PanelOptions options = panelOptions(job, result);
    const match::Panels panels =
        match::cutPanels(base::viewOf(result.scene->pixels), result.peaks, options, stop);
    if (stop.stop_requested()) {
        return false;
    }
    result.report.stack = StackReport{.file = job.exports.stack.string(),
                                      .size = options.size,
                                      .count = static_cast<std::int64_t>(panels.taken.size()),
                                      .leftOut = panels.leftOut,
                                      .normalise = options.normalise,
                                      .subvoxel = options.subvoxel};
    noteLeftOut(*result.report.stack, result.notes);
    if (panels.taken.empty()) {
        return true;
    }
    return files.addStack(job.exports.stack, base::AnyView(panels.voxels.view()),
                          static_cast<std::int64_t>(panels.taken.size()), boxGeometry(result),
                          result.notes, stop);
}

/// Of voxels that have one length on all axes.
std::optional<double> inUnits(const std::optional<double>& voxels, const JobResult& result,
                              const Extents& size) {
    const base::Point& spacing = result.geometry.spacing;
    const bool cubic = spacing[0] == spacing[1] && (size.z == 1 || spacing[0] == spacing[2]);
    return voxels && cubic ? std::optional(*voxels * spacing[0]) : std::nullopt;
}

bool writeAverage(const Job& job, JobResult& result, OutputFiles& files,
                  const std::stop_token& stop) {
    const match::PanelOptions options = panelOptions(job, result);
    const match::Average average =
        match::averageOf(base::viewOf(result.scene->pixels), result.peaks, options, stop);
    if (stop.stop_requested()) {
        return false;
    }
    const path& named =
        job.exports.average.empty() ? job.exports.averageVariance : job.exports.average;
    const double* const variances = average.variance.data();
    result.report.average = AverageReport{
        .file = named.string(),
        .size = options.size,
        .count = average.count,
        .leftOut = average.leftOut,
        .normalise = options.normalise,
        .meanVariance = std::accumulate(variances, variances + average.variance.count(), 0.0) /
                        static_cast<double>(average.variance.count()),
        .halves = average.halves,
        .resolution = inUnits(average.halves.resolution, result, options.size),
        .unit = result.geometry.unit};
    const base::Image<float> mean = floatsOf(average.mean);
    const base::Image<float> variance = floatsOf(average.variance);
    const base::Geometry geometry = boxGeometry(result);
    return files.addImage(job.exports.average, base::AnyView(mean.view()), geometry, result.notes,
                          stop) &&
           files.addImage(job.exports.averageVariance, base::AnyView(variance.view()), geometry,
                          result.notes, stop);
}

bool isText(const path& report) { return report.extension() == ".txt"; }

} // namespace

namespace {

void addVoxels(io::Digest& digest, const base::AnyView& image) {
    std::visit(
        [&](const auto& view) {
            digest.add(view.data(), static_cast<std::size_t>(base::voxelCount(view.extents())) *
                                        sizeof(*view.data()));
        },
        image);
}

} // namespace

Extents boxSize(const std::optional<Extents>& asked, const std::vector<Extents>& templates,
                const Extents& scene) {
    Extents size{0, 0, 0};
    for (const Extents& templ : templates) {
        size = {std::max(size.x, templ.x), std::max(size.y, templ.y), std::max(size.z, templ.z)};
    }
    if (asked) {
        size = *asked;
        if (size.z == 0 && !base::isFlat2D(scene) && size.x != size.y) {
            throw Error(ErrorCode::Problem,
                        base::Message("box-without-z",
                                      "boxes of a volume need three edges; give {--stack-size} "
                                      "NxNxN, or N for all edges"));
        }
        size.z = size.z > 0 ? size.z : base::isFlat2D(scene) ? 1 : size.x;
    }
    if (size.x > scene.x || size.y > scene.y || size.z > scene.z) {
        throw Error(ErrorCode::Problem,
                    base::Message("box-larger-than-scene",
                                  "boxes of {size} do not fit into the scene of {scene}; give a "
                                  "smaller {--stack-size}",
                                  {{"size", size}, {"scene", scene}}));
    }
    return size;
}

void noteLeftOut(const StackReport& stack, std::vector<std::string>& notes) {
    const std::string name = path(stack.file).filename().string();
    if (stack.leftOut > 0) {
        notes.push_back(name + ": " + std::to_string(stack.leftOut) +
                        (stack.leftOut == 1 ? " peak is" : " peaks are") +
                        " left out, because the box leaves the scene");
    }
    if (stack.count == 0) {
        notes.push_back(name + " is not written: no peak has its box inside the scene");
    }
}

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
            Extents size = boxSize(asked.size, templates, inputs.scene->extents());
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
    if (!job.exports.average.empty() || !job.exports.averageVariance.empty()) {
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
