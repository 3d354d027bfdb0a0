#include "engine/job/output/outputs.h"

#include <unistd.h>

#include <algorithm>
#include <cctype>
#include <string>
#include <utility>

#include "engine/base/error.h"
#include "engine/base/stopwatch.h"
#include "engine/io/heatmap_file.h"
#include "engine/io/image_file.h"
#include "engine/job/options/export_options.h"
#include "engine/job/output/export_files.h"
#include "engine/job/output/match_drawing.h"
#include "engine/job/output/output_table.h"
#include "engine/match/search_statistics.h"

namespace flcc::job::detail {

using base::Error;
using base::ErrorCode;
using std::filesystem::path;

namespace {

std::string extensionOf(const path& file) {
    std::string extension = file.extension().string();
    std::transform(extension.begin(), extension.end(), extension.begin(),
                   [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
    return extension;
}

void requireExtension(const path& file, const char* option, const char* known) {
    const std::string extension = extensionOf(file);
    const std::string list = known;
    if (extension.empty() || (" " + list + " ").find(" " + extension + " ") == std::string::npos) {
        throw Error(ErrorCode::CommandLine, std::string(option) + " " + file.string() +
                                                ": the extension must be one of " + list);
    }
}

} // namespace

base::View<const std::uint8_t> numbersOf(const base::Image<base::Status>& status) {
    static_assert(sizeof(base::Status) == 1);
    return {reinterpret_cast<const std::uint8_t*>(status.data()), status.extents()};
}

io::PeakContext peakContext(const Job& job, const JobResult& result) {
    const method::Problem& problem = result.report.plan.problem;
    std::vector<io::PeakTemplate> templates;
    for (std::size_t i = 0; i < result.templates.size(); ++i) {
        const SceneImage& templ = *result.templates[i];
        templates.push_back({templ.source, templ.extents(),
                             result.masks[i] ? result.masks[i]->source : "", templ.reference,
                             i < job.species.size() ? job.species[i] : ""});
    }
    return {.scene = result.scene->source,
            .templates = std::move(templates),
            .sceneMask = result.sceneMask ? result.sceneMask->source : "",
            .sceneExtents = result.scene->extents(),
            .geometry = result.geometry,
            .extent = std::string(method::name(problem.extent)),
            .outside = std::string(method::name(problem.outside)),
            .operation = std::string(method::nameUnlessDefault(problem.operation)),
            .audit = result.report.audit ? auditText(*result.report.audit) : "",
            .incomplete = result.report.peaksIncomplete,
            .sha256 = result.scene->sha256,
            .unknowns = job.peaksUnknowns,
            .poses = job.poses.any()};
}

namespace {

bool writeHeatmap(const io::AtomicFile& file, const Job& job, const JobResult& result,
                  const std::stop_token& stop) {
    const match::HeatmapScale scale = heatmapScale(result.report);
    return io::writeHeatmap(file, result.map->value.view(), result.map->status.view(),
                            drawnSlice(result, job.slice), scale, stop);
}

} // namespace

void requireFolder(const path& file) {
    const path folder = file.has_parent_path() ? file.parent_path() : path(".");
    std::error_code error;
    if (!std::filesystem::is_directory(folder, error)) {
        throw Error(ErrorCode::Output, "cannot write " + file.string() + ": the folder " +
                                           folder.string() + " does not exist");
    }
    if (::access(folder.c_str(), W_OK | X_OK) != 0) {
        throw Error(ErrorCode::Output, "cannot write " + file.string() + ": the folder " +
                                           folder.string() + " is read-only");
    }
    if (std::filesystem::is_directory(file, error)) {
        throw Error(ErrorCode::Output,
                    "cannot write " + file.string() + ": it is a folder; add a file name");
    }
}

bool OutputFiles::add(const path& target, const Write& write) {
    auto file = std::make_unique<io::AtomicFile>(target);
    const bool written = write(*file);
    m_files.push_back(std::move(file));
    return written;
}

const io::AtomicFile& OutputFiles::open(const path& target) {
    return *m_files.emplace_back(std::make_unique<io::AtomicFile>(target));
}

void OutputFiles::addMade(const path& target, const std::string& text) {
    (void)add(target, [&](const io::AtomicFile& file) {
        io::writeText(file, text);
        return true;
    });
}

bool OutputFiles::addImage(const path& target, const base::AnyView& pixels,
                           const base::Geometry& geometry, std::vector<std::string>& notes,
                           const std::stop_token& stop) {
    return target.empty() || add(target, [&](const io::AtomicFile& file) {
               const auto dropped = io::writeImage(file, pixels, geometry, {}, stop);
               for (const std::string& note : dropped.value_or(std::vector<std::string>{})) {
                   notes.push_back(target.filename().string() + ": " + note);
               }
               return dropped.has_value();
           });
}

void requireOwnOutputs(const io::ProtectedFiles& inputs, const std::vector<path>& outputs) {
    requireOwnFiles(inputs, outputs);
    for (const path& output : outputs) {
        requireFolder(output);
    }
}

void OutputFiles::commit() {
    io::AtomicFile::commitAll(m_files);
    for (const path& file : m_withdrawn) {
        std::error_code failed;
        if (std::filesystem::is_regular_file(file, failed) &&
            !std::filesystem::remove(file, failed)) {
            throw base::Error(base::ErrorCode::Output,
                              "the older file " + file.string() +
                                  " cannot be removed: " + failed.message());
        }
    }
}

namespace {

/// Throws for outputs that templates of different extents cannot have, because their placements
/// differ.
void requireNoMap(const Job& job, const Inputs& inputs) {
    if (inputs.groups.size() < 2) {
        return;
    }
    for (const OutputRow& row : outputTable()) {
        if (row.ofMap && !row.in(job).empty()) {
            const auto extents = [&](std::size_t group) {
                const int number = inputs.groups[group].front();
                return "template " + std::to_string(number) + " has " +
                       base::toString(inputs.templates[static_cast<std::size_t>(number)].extents());
            };
            throw Error(ErrorCode::Problem, std::string(row.option) +
                                                " needs templates of equal extents, because the "
                                                "map has one placement grid, but " +
                                                extents(0) + " and " + extents(1) +
                                                " voxels; leave the option out to get peaks only");
        }
    }
}

} // namespace

void requireWritableOutputs(const Job& job, const Inputs& inputs, bool images) {
    const auto ask = [&](const path& file, const auto& require) {
        if (!file.empty()) {
            require();
            requireFolder(file);
        }
    };
    requireNoMap(job, inputs);
    ask(job.report, [&] { requireExtension(job.report, "--report", ".json .html .txt"); });
    if (images) {
        const method::Problem problem = inputs.problem(job, inputs.groups.front());
        const base::Extents map = method::mapExtents(problem);
        const bool inDouble = problem.precision == method::Precision::Double;
        ask(job.map, [&] {
            io::requireWritable(
                job.map, inDouble ? base::PixelType::Float64 : base::PixelType::Float32, map);
        });
        ask(job.status, [&] { io::requireWritable(job.status, base::PixelType::UInt8, map); });
        ask(job.index, [&] { io::requireWritable(job.index, base::PixelType::Int32, map); });
        ask(job.searchMaps, [&] {
            for (const path& one : searchMapFiles(job.searchMaps)) {
                io::requireWritable(one, base::PixelType::Float32, map);
            }
        });
        ask(job.templateOut, [&] {
            const base::AnyImage& templ = inputs.templates.front().image->pixels;
            io::requireWritable(job.templateOut, base::pixelType(templ), problem.templ);
        });
        for (const path* list : {&job.peaks, &job.allPeaks}) {
            ask(*list, [&] {
                const io::ListPlace place{.scene = inputs.scene->source,
                                          .extents = inputs.scene->extents(),
                                          .geometry = inputs.geometry,
                                          .unknowns = job.peaksUnknowns};
                io::requireListable(io::chosenListFormat(job.peaksFormat, *list, "--peaks-format"),
                                    place, true);
                io::requireConsistent(place);
            });
        }
        ask(job.heatmap, [&] { requireExtension(job.heatmap, "--heatmap", ".png"); });
        requireExportFiles(job, inputs);
        if (job.slice && (*job.slice < 0 || *job.slice >= map.z)) {
            throw Error(ErrorCode::CommandLine, "--slice " + std::to_string(*job.slice) +
                                                    " lies outside the map, which has " +
                                                    std::to_string(map.z) + " slices");
        }
    }
}

bool needsMap(const Job& job) {
    return isPage(job.report) || std::ranges::any_of(outputTable(), [&job](const OutputRow& row) {
               return row.ofMap && !row.in(job).empty();
           });
}

bool writeOutputs(const Job& job, JobResult& result, OutputFiles& files,
                  const std::stop_token& stop, const std::function<void(double)>& progress) {
    const base::Stopwatch watch;
    std::vector<std::function<bool()>> steps;
    const auto image = [&](const path& target, const base::AnyView& pixels,
                           const base::Geometry& geometry) {
        steps.emplace_back(
            [&, pixels] { return files.addImage(target, pixels, geometry, result.notes, stop); });
    };
    const auto file = [&](const path& target, const OutputFiles::Write& write) {
        steps.emplace_back([&, write] { return target.empty() || files.add(target, write); });
    };
    if (result.map) {
        image(job.map, method::scoresOf(*result.map), result.mapGeometry);
        image(job.status, numbersOf(result.map->status), result.mapGeometry);
    }
    if (result.index) {
        image(job.index, result.index->view(), result.mapGeometry);
    }
    const auto names = searchMapFiles(job.searchMaps); // outlive the steps
    if (result.search && !job.searchMaps.empty()) {
        image(names[0], result.search->mean.view(), result.mapGeometry);
        image(names[1], result.search->deviation.view(), result.mapGeometry);
        image(names[2], result.search->z.view(), result.mapGeometry);
    }
    const SceneImage& templ = *result.templates.front();
    if (!job.templateOut.empty() && templ.opacity) {
        result.notes.push_back(job.templateOut.filename().string() +
                               ": the opacity of the template is not stored; it needs a --mask");
    }
    image(job.templateOut, base::viewOf(templ.pixels), templ.geometry);
    file(job.comparison, [&](const io::AtomicFile& out) {
        io::writeList(out, differenceList(*result.report.truth),
                      io::chosenListFormat(io::ListFormat::Auto, job.comparison, "--comparison"));
        return true;
    });
    file(job.heatmap,
         [&](const io::AtomicFile& out) { return writeHeatmap(out, job, result, stop); });
    addExportSteps(steps, job, result, files, stop);
    // After the boxes: the list says which row has which.
    file(job.peaks, [&](const io::AtomicFile& out) {
        io::PositionList list = io::peakList(result.peaks, peakContext(job, result));
        if (result.report.stack && !job.exports.stack.empty()) {
            io::addStackColumn(list, result.report.stack->ranks);
        }
        const io::ListFormat format =
            io::chosenListFormat(job.peaksFormat, job.peaks, "--peaks-format");
        io::writeList(out, list, format);
        for (const std::string& note : io::listNotes(list, format)) {
            result.notes.push_back(job.peaks.filename().string() + ": " + note);
        }
        return true;
    });
    steps.emplace_back([&] {
        result.report.run->writeMs = watch.ms();
        files.addText(job.report, [&] { return reportText(job, result); });
        return true;
    });
    double done = 0;
    for (const auto& step : steps) {
        if (stop.stop_requested() || !step()) {
            return false;
        }
        progress(++done / static_cast<double>(steps.size() + 1));
    }
    return !stop.stop_requested();
}

} // namespace flcc::job::detail
