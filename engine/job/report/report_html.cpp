#include "engine/job/report/report_html.h"

#include <algorithm>
#include <filesystem>
#include <numeric>
#include <utility>

#include "engine/base/spacing.h"
#include "engine/base/text.h"
#include "engine/job/exports.h"
#include "engine/job/report/export_report.h"
#include "engine/job/report/facts.h"
#include "engine/job/report/text.h"
#include "engine/job/report/told_peaks.h"

namespace flcc::job {

namespace detail {

namespace {

using Row = std::vector<std::string>;

constexpr std::size_t kMostRows = 500; // of the table of peaks

// Paper is white and black; columns of numbers line up; nothing breaks in the middle of a picture.
constexpr const char* kStyle = R"(
@page { size: A4; margin: 15mm; }
* { box-sizing: border-box; }
body { font: 10pt/1.4 "DejaVu Sans", Arial, Helvetica, sans-serif; color: #1a1a1a; background: #fff;
       max-width: 190mm; margin: 8mm auto; padding: 0 5mm; }
h1 { font-size: 16pt; margin: 0 0 2mm; }
h2 { font-size: 12pt; margin: 7mm 0 2mm; border-bottom: 0.3mm solid #999; break-after: avoid; }
p { margin: 1mm 0 2mm; }
table { border-collapse: collapse; font-size: 8.5pt; margin: 1mm 0 2mm; }
th, td { text-align: left; padding: 0.6mm 2.5mm 0.6mm 0; vertical-align: top; }
table.files td { overflow-wrap: anywhere; }
th { border-bottom: 0.3mm solid #666; font-weight: bold; }
td.n, th.n { text-align: right; font-variant-numeric: tabular-nums; white-space: nowrap; }
tr { break-inside: avoid; }
thead { display: table-header-group; }
tr.chosen td { font-weight: bold; }
details { font-size: 8.5pt; }
summary { cursor: pointer; color: #444; }
code { font: 8.5pt "DejaVu Sans Mono", monospace; overflow-wrap: anywhere; white-space: pre-wrap; }
figure { margin: 2mm 0; break-inside: avoid; }
figure svg { max-width: 100%; height: auto; }
figcaption { font-size: 8.5pt; color: #444; }
.side { display: flex; gap: 4mm; align-items: flex-start; }
.side figure { flex: 1 1 0; min-width: 0; }
.gallery { display: flex; flex-wrap: wrap; gap: 3mm; }
.gallery figure { margin: 0; text-align: center; }
.gallery img { height: 18mm; max-width: 40mm; image-rendering: pixelated; border: 0.2mm solid #999; margin: 0 0.3mm; }
.warning { border-left: 1mm solid #c60; padding-left: 2mm; }
@media print { body { margin: 0; padding: 0; max-width: none; } }
)";

std::string escaped(const std::string& text) {
    std::string safe;
    for (const char letter : base::isUtf8(text) ? text : base::visibleText(text)) {
        safe += letter == '&'   ? "&amp;"
                : letter == '<' ? "&lt;"
                : letter == '>' ? "&gt;"
                : letter == '"' ? "&quot;"
                                : std::string(1, letter);
    }
    return safe;
}

std::string milliseconds(double ms) { return fixed(ms, ms < 100 ? 2 : 0); }

/// A table; the columns whose numbers are in `numbers` are set to the right.
std::string table(const Row& head, const std::vector<Row>& rows, std::vector<std::size_t> numbers,
                  std::size_t bold = static_cast<std::size_t>(-1)) {
    const auto isNumber = [&](std::size_t column) {
        return std::ranges::find(numbers, column) != numbers.end();
    };
    const auto cells = [&](const Row& row, const char* tag) {
        std::string text;
        for (std::size_t i = 0; i < row.size(); ++i) {
            text += std::string("<") + tag + (isNumber(i) ? " class=\"n\">" : ">") +
                    escaped(row[i]) + "</" + tag + ">";
        }
        return text;
    };
    std::string text = "<table>\n";
    text += head.empty() ? "" : "<thead><tr>" + cells(head, "th") + "</tr></thead>\n";
    text += "<tbody>\n";
    for (std::size_t i = 0; i < rows.size(); ++i) {
        text += (i == bold ? "<tr class=\"chosen\">" : "<tr>") + cells(rows[i], "td") + "</tr>\n";
    }
    return text + "</tbody>\n</table>\n";
}

std::string paragraph(const std::string& text) { return "<p>" + escaped(text) + "</p>\n"; }

std::string figure(const std::string& picture, const std::string& caption) {
    return picture.empty() ? std::string()
                           : "<figure>\n" + picture + "<figcaption>" + escaped(caption) +
                                 "</figcaption>\n</figure>\n";
}

std::string summaryHtml(const JobReport& report) {
    const method::Problem& problem = report.plan.problem;
    const base::Geometry& geometry = report.geometry;
    std::vector<Row> rows{
        {"Operation", std::string(method::name(problem.operation)) + ", " +
                          std::string(method::name(problem.extent)) + " placements, " +
                          std::string(method::name(problem.precision)) + " precision"},
        {"Scene", base::toString(report.scene) + " " + std::string(base::name(problem.scenePixel)) +
                      ", voxels of " + shortest(geometry.spacing[0]) + " x " +
                      shortest(geometry.spacing[1]) + " x " + shortest(geometry.spacing[2]) + " " +
                      geometry.unit}};
    if (report.region) {
        rows.push_back({"Region", base::toString(*report.region)});
    }
    for (std::size_t i = 0; i < report.templates.size(); ++i) {
        const TemplateReport& templ = report.templates[i];
        rows.push_back(
            {"Template " + std::to_string(i),
             templ.source + ", " + base::toString(templ.extents) + " " +
                 std::string(base::name(templ.type)) +
                 (templ.masked ? ", masked: " + std::to_string(templ.support) + " voxels count"
                               : std::string()) +
                 (templ.weighted ? " by weights" : "")});
    }
    for (auto& [title, line] : linesOf(report, Told::Page)) {
        rows.push_back({std::string(title), std::move(line)});
    }
    std::string text = table({}, rows, {});
    if (isUnfinished(report)) {
        text = "<p class=\"warning\">This search is " + escaped(unfinishedText(report)) +
               ".</p>\n" + text;
    }
    for (const std::string& warning : report.warnings) {
        text += "<p class=\"warning\">" + escaped(warning) + "</p>\n";
    }
    if (!report.peaksIncomplete.empty()) {
        text += "<p class=\"warning\">The list of peaks is incomplete: " +
                escaped(report.peaksIncomplete) + "</p>\n";
    }
    return text;
}

std::string galleryHtml(const PagePictures& pictures) {
    if (pictures.gallery.empty()) {
        return {};
    }
    std::string text = "<h2>Gallery</h2>\n<div class=\"gallery\">\n";
    for (const PagePanel& panel : pictures.gallery) {
        text += "<figure>";
        for (const std::string& image : panel.images) {
            text += "<img alt=\"\" src=\"" + image + "\">";
        }
        text += "<figcaption>" + escaped(panel.caption) + "</figcaption></figure>\n";
    }
    return text + "</div>\n" +
           (pictures.galleryNote.empty() ? std::string() : paragraph(pictures.galleryNote));
}

std::string peaksHtml(const JobReport& report) {
    if (report.peaks.empty()) {
        return {};
    }
    std::vector<Row> rows = toldPeaks(report, ToldIn::Page, kMostRows);
    const Row head = std::move(rows.front());
    rows.erase(rows.begin());
    const std::string judged = decisionsText(report);
    std::vector<std::size_t> numbers(head.size() - 1);
    std::iota(numbers.begin(), numbers.end(), std::size_t{0});
    std::string text = "<h2>Peaks</h2>\n" +
                       (judged.empty() ? std::string() : paragraph("Judged: " + judged + ".")) +
                       table(head, rows, numbers);
    if (report.peaks.size() > kMostRows) {
        text += paragraph("... and " + std::to_string(report.peaks.size() - kMostRows) +
                          " more; the JSON report and the list of peaks have all.");
    }
    if (const std::string overlaps = overlapText(report.peaks); !overlaps.empty()) {
        text += paragraph("Overlap: " + overlaps + ".");
    }
    return text + paragraph("Voxels count from 0; x, y, z are the geometric centre with its "
                            "sub-voxel shift, +- its standard error along the worst axis; corner "
                            "is the voxel under the template's first voxel; false "
                            "pos. are those expected at or above the score in the whole search.");
}

std::string framesHtml(const JobReport& report) {
    if (report.frames.empty()) {
        return {};
    }
    std::vector<Row> rows;
    for (const FrameReport& frame : report.frames) {
        rows.push_back({std::to_string(frame.frame), std::to_string(frame.peaks),
                        frame.best ? fixed(frame.best->score, 4) : "",
                        frame.best ? fixed(frame.best->centre[0], 2) : "",
                        frame.best ? fixed(frame.best->centre[1], 2) : "",
                        milliseconds(frame.executeMs), std::string(name(frame.verdict))});
    }
    return "<h2>Frames</h2>\n" + table({"frame", "peaks", "best score", "x", "y", "ms", "audit"},
                                       rows, {0, 1, 2, 3, 4, 5});
}

Row candidateRow(const plan::CandidateReport& row) {
    const auto ms = [](const std::optional<double>& value) {
        return value ? milliseconds(*value) : std::string();
    };
    return {row.candidate.label(),
            row.candidate.device,
            row.candidate.tile.x > 0 ? base::toString(row.candidate.tile) : "",
            std::string(plan::name(row.verdict)),
            ms(row.expectedMs()),
            ms(row.measuredMs),
            row.prediction ? bytesText(row.prediction->hostBytes) : "",
            row.reason};
}

/// Adds a candidate that cannot run to the row of those with the same reason, or as a row.
void addRefused(std::vector<Row>& rows, Row row) {
    constexpr std::size_t kMethod = 0;
    constexpr std::size_t kDevice = 1;
    constexpr std::size_t kTile = 2;
    constexpr std::size_t kVerdict = 3;
    const auto alike = std::ranges::find_if(rows, [&](const Row& other) {
        return other[kDevice] == row[kDevice] && other[kVerdict] == row[kVerdict] &&
               other.back() == row.back();
    });
    if (alike == rows.end()) {
        rows.push_back(std::move(row));
        return;
    }
    if ((", " + (*alike)[kMethod] + ", ").find(", " + row[kMethod] + ", ") == std::string::npos) {
        (*alike)[kMethod] += ", " + row[kMethod];
    }
    if ((*alike)[kTile] != row[kTile]) {
        (*alike)[kTile].clear();
    }
}

/// The chosen candidate and why others cannot run; those that are slower are folded away, because
/// they fill pages of paper.
std::string planHtml(const plan::PlanReport& plan) {
    std::vector<Row> slower;
    std::vector<Row> rows;
    std::size_t chosen = static_cast<std::size_t>(-1);
    if (const plan::CandidateReport* const row = plan.chosen()) {
        chosen = 0;
        rows.push_back(candidateRow(*row));
    }
    for (const plan::CandidateReport& row : plan.candidates) {
        if (row.verdict == plan::CandidateVerdict::Slower) {
            slower.push_back(candidateRow(row));
        } else if (&row != plan.chosen()) {
            addRefused(rows, candidateRow(row));
        }
    }
    const Row head{"method",        "device",       "tile",   "verdict",
                   "predicted, ms", "measured, ms", "memory", "reason"};
    const std::vector<std::size_t> numbers{4, 5, 6};
    std::string text = table(head, rows, numbers, chosen);
    if (!slower.empty()) {
        text += "<details>\n<summary>" + std::to_string(slower.size()) +
                (slower.size() == 1 ? " slower candidate" : " slower candidates") + "</summary>\n" +
                table(head, slower, numbers) + "</details>\n";
    }
    return text;
}

std::string plansHtml(const JobReport& report) {
    std::string text = "<h2>Plan</h2>\n";
    if (report.groups.empty()) {
        return text + planHtml(report.plan);
    }
    for (const GroupReport& group : report.groups) {
        text += paragraph("Templates of " + base::toString(group.plan.problem.templ) + " voxels");
        text += planHtml(group.plan);
    }
    return text;
}

std::string stagesHtml(const JobReport& report) {
    if (!report.run) {
        return {};
    }
    const RunReport& run = *report.run;
    std::vector<Row> rows{{"reading", milliseconds(run.readMs), ""},
                          {"planning", milliseconds(report.plan.planningMs), ""},
                          {"matching", milliseconds(run.executeMs.median), ""}};
    const auto shares = stageShares(run);
    for (const auto& [stage, share] : shares) {
        if (stage != "peaks") {
            const auto ms =
                std::ranges::find(run.stagesMs, stage, [](const auto& each) { return each.first; });
            rows.push_back({"  of it, all threads: " + stage,
                            ms == run.stagesMs.end() ? "" : milliseconds(ms->second),
                            fixed(100 * share, 1)});
        }
    }
    rows.push_back({"finding peaks", milliseconds(run.peaksMs), ""});
    rows.push_back({"writing", milliseconds(run.writeMs), ""});
    return "<h2>Stages</h2>\n" + table({"stage", "ms", "share, %"}, rows, {1, 2}) +
           paragraph(std::to_string(run.threads) +
                     (run.threads == 1 ? " thread on " : " threads on ") + run.device +
                     "; the memory rose by " + bytesText(run.peakHostBytes));
}

std::string environmentHtml(const Environment& environment) {
    std::vector<Row> rows{{"processor", environment.processor},
                          {"instructions", environment.instructions}};
    for (const std::string& device : environment.devices) {
        rows.push_back({"device", device});
    }
    for (const auto& [library, version] : environment.versions) {
        rows.push_back({library, version});
    }
    return "<h2>Environment</h2>\n" + table({}, rows, {});
}

std::string inputsHtml(const JobReport& report) {
    std::vector<Row> rows;
    for (const InputReport& input : report.inputs) {
        rows.push_back(
            {input.role, input.path, input.sha256,
             input.counts + (input.counts.empty() || input.note.empty() ? "" : "; ") + input.note});
        if (input.dataFile) {
            rows.push_back({"", input.dataFile->path.string(), input.dataFile->sha256, ""});
        }
        for (const io::FileDigest& file : input.series) {
            rows.push_back({"", file.path.string(), file.sha256, ""});
        }
    }
    std::string text = "<h2>Inputs</h2>\n" + table({"role", "file", "SHA-256", "note"}, rows, {});
    text.replace(text.find("<table>"), 7, "<table class=\"files\">");
    if (!report.mapSha256.empty()) {
        text +=
            "<p>Map (scores and statuses), SHA-256: <code>" + report.mapSha256 + "</code></p>\n";
    }
    return text;
}

/// The peaks beside true positions.
std::string truthHtml(const JobReport& report) {
    if (!report.truth) {
        return {};
    }
    std::string text = "<h2>Truth</h2>\n" + paragraph("True positions: " + report.truth->nameB);
    const std::string lines = countsText(*report.truth);
    for (std::size_t from = 0; from < lines.size();) {
        const std::size_t end = std::min(lines.find('\n', from), lines.size());
        text += paragraph(lines.substr(from, end - from));
        from = end + 1;
    }
    if (report.truth->table) {
        std::vector<Row> rows = speciesRows(*report.truth->table);
        const Row head = rows.front();
        rows.erase(rows.begin());
        std::vector<std::size_t> numbers(head.size() - 1);
        std::iota(numbers.begin(), numbers.end(), std::size_t{1});
        text += table(head, rows, numbers) + paragraph(speciesScore(*report.truth->table));
    }
    return text;
}

std::string commandHtml(const JobReport& report) {
    return report.commandLine.empty()
               ? std::string()
               : "<h2>Command line</h2>\n<p><code>" + escaped(report.commandLine) + "</code></p>\n";
}

} // namespace

std::string pageOf(const JobReport& report, const PagePictures& pictures) {
    const std::string scene =
        report.inputs.empty()
            ? std::string("scene")
            : std::filesystem::path(report.inputs.front().path).filename().string();
    std::string page = "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
                       "<title>FLCC: " +
                       std::string(isUnfinished(report) ? "unfinished search of " : "") +
                       escaped(scene) + "</title>\n<style>" + kStyle +
                       "</style>\n</head>\n<body>\n";
    page += "<h1>Template matching: " + escaped(scene) +
            (isUnfinished(report) ? " (unfinished)" : "") + "</h1>\n" + summaryHtml(report);
    const std::string slice = pictures.slice.empty() ? "" : ", " + pictures.slice;
    if (!pictures.scene.empty()) {
        page +=
            "<h2>Scene and heatmap</h2>\n<div class=\"side\">\n" +
            figure(pictures.scene, "Scene with the listed peaks" + slice) +
            figure(pictures.heatmap, "Score of each placement at the centre of its panel" + slice) +
            "</div>\n";
    }
    page += galleryHtml(pictures) + peaksHtml(report) + truthHtml(report) + framesHtml(report);
    if (!pictures.hands.empty()) {
        page += "<h2>Handedness</h2>\n" + paragraph(handednessText(*report.handedness)) +
                figure(pictures.hands, "Scores of the best peaks of both hands, best first");
    }
    const std::string exports = exportsText(report);
    if (!exports.empty()) {
        page += "<h2>Particles</h2>\n<p><code>" + escaped(exports) + "</code></p>\n";
    }
    if (!pictures.histogram.empty()) {
        page += "<h2>Scores</h2>\n" +
                figure(pictures.histogram, "Histogram of all scores on a logarithmic axis");
    }
    return page + plansHtml(report) + stagesHtml(report) + commandHtml(report) +
           inputsHtml(report) + environmentHtml(report.environment) + "</body>\n</html>\n";
}

} // namespace detail

std::string toHtml(const JobReport& report) { return detail::pageOf(report, {}); }

} // namespace flcc::job
