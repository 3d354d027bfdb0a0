#include <algorithm>
#include <array>

#include <fmt/format.h>

#include "engine/base/spacing.h"
#include "engine/job/report/export_report.h"
#include "engine/job/report/facts.h"
#include "engine/job/report/text.h"
#include "engine/job/report/told_peaks.h"

namespace flcc::job {

using detail::brief;
using detail::bytesText;
using detail::fixed;
using detail::Told;

namespace {

std::string milliseconds(double ms) { return fixed(ms, ms < 100 ? 2 : 0); }

/// Extents without the axes that do not matter: "64x32" for an image.
std::string shown(const base::Extents& extents, bool flat) {
    const std::string text = std::to_string(extents.x) + "x" + std::to_string(extents.y);
    return flat ? text : text + "x" + std::to_string(extents.z);
}

/// The tile of a candidate, "2 of 1500x760" for parts; empty without a tile.
std::string tileText(const method::Candidate& candidate, bool flat) {
    return (candidate.parts > 0 ? std::to_string(candidate.parts) + " of " : "") +
           (candidate.tile.x > 0 ? shown(candidate.tile, flat) : "");
}

/// "1.2 G".
std::string countText(double count) {
    constexpr std::string_view kPrefixes = " kMGTPE";
    std::size_t prefix = 0;
    while (count >= 1000 && prefix + 1 < kPrefixes.size()) {
        count /= 1000;
        ++prefix;
    }
    return fixed(count, prefix == 0 ? 0 : 1) + (prefix == 0 ? "" : " ") +
           (prefix == 0 ? "" : std::string(1, kPrefixes[prefix]));
}

std::string percent(double share) {
    return (share < 0.1 ? brief(100 * share) : fixed(100 * share, 0)) + " %";
}

using Row = std::vector<std::string>;

/// Rows in columns of equal width; the first `left` columns and the last one start flush left.
std::string table(const std::vector<Row>& rows, std::size_t left) {
    std::vector<std::size_t> widths(rows.front().size());
    for (const Row& row : rows) {
        for (std::size_t i = 0; i < row.size(); ++i) {
            widths[i] = std::max(widths[i], row[i].size());
        }
    }
    std::string text;
    for (const Row& row : rows) {
        std::string line = " ";
        for (std::size_t i = 0; i < row.size(); ++i) {
            const std::string space(widths[i] - row[i].size(), ' ');
            const bool last = i + 1 == row.size();
            line += " " + (i < left || last ? row[i] + (last ? "" : space) : space + row[i]);
            line += last ? "" : " ";
        }
        text += line.substr(0, line.find_last_not_of(' ') + 1) + "\n";
    }
    return text;
}

/// How voxels outside the scene or its mask count; empty if no panel can leave them.
std::string outsideText(const JobReport& report) {
    const method::Problem& problem = report.plan.problem;
    std::string text = problem.sceneMask ? ", scene masked" : "";
    if (problem.sceneMask || problem.extent != method::Extent::Valid) {
        text += ", outside " + std::string(method::name(problem.outside));
        if (problem.outside == method::Outside::Overlap) {
            text += " of at least " + detail::shortest(problem.minOverlap);
        }
        text += report.partialPeaks ? ", partial peaks" : "";
    }
    return problem.statistics == method::WindowStatistics::Auto
               ? text
               : text + ", statistics " + std::string(method::name(problem.statistics));
}

std::string templateText(const TemplateReport& templ, method::Precision precision, bool flat) {
    return shown(templ.extents, flat) + " " + std::string(base::name(templ.type)) +
           (templ.masked ? ", masked: " + std::to_string(templ.support) + " voxels" : "") +
           (templ.weighted ? " by weights" : "") +
           (templ.form.residual <= method::largestResidual(precision)
                ? ", separable about " + brief(templ.form.level, 6) + " (residual " +
                      brief(templ.form.residual) + ")"
                : "");
}

std::string templatesText(const JobReport& report, bool flat) {
    const std::vector<TemplateReport>& templates = report.templates;
    const method::Precision precision = report.plan.problem.precision;
    if (templates.size() == 1) {
        return "Template  " + templateText(templates.front(), precision, flat) + "\n";
    }
    std::string text = "Templates " + std::to_string(templates.size()) + "\n";
    for (std::size_t i = 0; i < templates.size(); ++i) {
        text += "  " + std::to_string(i) + ": " + templateText(templates[i], precision, flat) +
                ", " + templates[i].source + "\n";
    }
    return text;
}

/// "Scene 1: b.mha; by the plan and prepared templates of scene 0".
std::string streamText(const StreamReport& stream) {
    std::string text = "Scene " + std::to_string(stream.scene) + ": " + stream.source;
    if (stream.planOf) {
        text += std::string("; uses the plan ") +
                (stream.preparedOf ? "and prepared templates " : "") + "of scene " +
                std::to_string(*stream.planOf);
    }
    if (stream.inFlight > 1) {
        text += "; " + std::to_string(stream.inFlight) + " scenes were processed at once";
    } else if (stream.readAhead) {
        text += *stream.readAhead ? "; the next scene was read meanwhile"
                                  : "; not enough memory to read the next scene meanwhile";
    }
    return text + "\n";
}

/// The parts of all scenes, an empty line between them.
template <class Part>
std::string scenesText(const std::vector<JobReport>& scenes, const Part& part) {
    std::string text;
    for (const JobReport& scene : scenes) {
        text += (text.empty() ? "" : "\n") + part(scene);
    }
    return text;
}

/// "0.5 x 0.5 um (header)".
std::string spacingText(const base::Geometry& geometry, bool flat) {
    std::string text;
    for (std::size_t axis = 0; axis < (flat ? 2U : 3U); ++axis) {
        text += (axis > 0 ? " x " : "") + detail::shortest(geometry.spacing[axis]);
    }
    const std::string axes(base::name(geometry.axes));
    return text + " " + geometry.unit + " (" + std::string(base::name(geometry.unitSource)) + ")" +
           (axes.empty() ? "" : ", world positions in " + axes);
}

/// "Poses     36 rotations": a title and what it tells of.
std::string problemLines(const JobReport& report) {
    std::string text;
    for (const auto& [title, line] : detail::linesOf(report, Told::Problem)) {
        text += fmt::format("{:<10}{}\n", title, line);
    }
    return text;
}

/// "Poses: 36 rotations".
std::string linesText(const JobReport& report, Told where) {
    std::string text;
    for (const auto& [title, line] : detail::linesOf(report, where)) {
        text += std::string(title) + ": " + line + "\n";
    }
    return text;
}

std::string problemText(const JobReport& report) {
    const method::Problem& problem = report.plan.problem;
    const bool flat = base::isFlat2D(problem.scene);
    const base::Extents& whole = report.scene.x > 0 ? report.scene : problem.scene;
    std::string text =
        (isUnfinished(report) ? "This search is " + unfinishedText(report) + ".\n\n" : "") +
        (report.stream ? streamText(*report.stream) : "") + "Scene     " + shown(whole, flat) +
        " " + std::string(base::name(problem.scenePixel)) + "\n" + "Spacing   " +
        spacingText(report.geometry, flat) + "\n" +
        (report.region ? "Region    " + base::toString(*report.region) + "\n" : "") +
        templatesText(report, flat) + problemLines(report) + "Result    " +
        std::string(method::name(problem.operation)) +
        (report.channels > 0 ? " over " + std::to_string(report.channels) + " channels" : "") +
        ", extent " + std::string(method::name(problem.extent)) + outsideText(report) + ", " +
        std::string(method::name(problem.precision)) + " precision, promise " +
        detail::shortest(problem.promise) + (problem.recompute ? "" : ", recomputing off") + "\n";
    for (const InputReport& input : report.inputs) {
        text += input.role + ": " + input.path + (input.counts.empty() ? "" : ", " + input.counts) +
                (input.sha256.empty() ? "" : " (SHA-256 " + input.sha256 + ")") +
                (input.dataFile ? ", voxels: " + input.dataFile->path.string() + " (SHA-256 " +
                                      input.dataFile->sha256 + ")"
                                : "") +
                (input.series.empty() ? ""
                                      : ", " + std::to_string(input.series.size()) +
                                            " files (their SHA-256 are in the JSON report)") +
                "\n";
    }
    for (const std::string& warning : report.warnings) {
        text += "Warning: " + warning + "\n";
    }
    return text;
}

Row candidateRow(const plan::CandidateReport& row, bool flat) {
    const bool tiled = row.candidate.tile.x > 0;
    const auto& prediction = row.prediction;
    const bool fourier = prediction && !prediction->fftPlanning.empty();
    return {std::string(plan::name(row.verdict)),
            row.candidate.label(),
            row.candidate.device,
            tiled ? tileText(row.candidate, flat) : "-",
            std::to_string(row.candidate.threads),
            prediction ? countText(prediction->operations) : "-",
            row.expectedMs() ? milliseconds(*row.expectedMs()) : "-",
            prediction ? milliseconds(prediction->ms) : "-",
            row.measuredMs ? milliseconds(*row.measuredMs) : "-",
            prediction ? bytesText(prediction->hostBytes) : "-",
            fourier ? percent(prediction->paddingWaste) : "-",
            fourier ? prediction->fftPlanning : "-",
            row.reason};
}

std::string criticalText(const plan::PlanReport& plan) {
    const auto& [predicted, measured] = plan.critical;
    if (!predicted && !measured) {
        return {};
    }
    const auto side = [&](const std::optional<std::int64_t>& length) {
        const bool flat = base::isFlat2D(plan.problem.scene);
        return length ? shown({*length, *length, *length}, flat) : std::string("none");
    };
    return "  direct is fastest for templates smaller than: " + side(predicted) + " (predicted)" +
           (measured ? ", " + side(measured) + " (measured)" : "") + "\n";
}

/// The candidates on GPUs with transfers and compute apart.
std::string partsText(const plan::PlanReport& plan) {
    std::vector<Row> rows{{"GPU candidate", "device", "tile", "upload ms", "compute ms",
                           "download ms", "host ms", "setup ms", "side by side ms",
                           "one after the other ms", "uploads"}};
    std::string again;
    std::string kept;
    for (const plan::CandidateReport& row : plan.candidates) {
        if (!row.prediction || !row.prediction->onDevice.times) {
            continue;
        }
        const method::DeviceTimes& times = *row.prediction->onDevice.times;
        const bool tiled = row.candidate.tile.x > 0;
        rows.push_back({row.candidate.method, row.candidate.device,
                        tiled ? shown(row.candidate.tile, base::isFlat2D(plan.problem.scene)) : "-",
                        milliseconds(times.upload), milliseconds(times.compute),
                        milliseconds(times.download), milliseconds(times.packing + times.joining),
                        milliseconds(times.setup), milliseconds(row.prediction->ms),
                        milliseconds(times.oneAfterTheOther()), std::to_string(times.uploads)});
        if (times.uploads == 0) {
            kept = "  0 uploads: templates of another size left the scene on the device\n";
        }
        if (times.uploads > 1) {
            again = "  more than one upload: the device memory cannot hold the data of all "
                    "templates at once, so the scene is uploaded for each template\n";
        }
    }
    return rows.size() > 1
               ? "  predicted by the cost model (\"one after the other\": Karas (33)):\n" +
                     table(rows, 3) + again + kept
               : "";
}

std::string planText(const plan::PlanReport& plan) {
    std::vector<Row> rows{{"verdict", "method", "device", "tile", "threads", "operations",
                           "predicted ms", "model ms", "measured ms", "memory", "padding",
                           "FFT plan", "reason"}};
    for (const plan::CandidateReport& row : plan.candidates) {
        rows.push_back(candidateRow(row, base::isFlat2D(plan.problem.scene)));
    }
    return "\nPlan (" + std::string(plan::name(plan.planning)) + ", " +
           milliseconds(plan.planningMs) + " ms, " + std::to_string(plan.limits.threads) +
           " threads, " +
           (plan.limits.memoryBytes == INT64_MAX
                ? "no memory limit"
                : "at most " + bytesText(plan.limits.memoryBytes)) +
           ", " + (plan.calibrated ? "calibrated" : "not calibrated") + ", time " +
           plan::toText(plan.times) + ")\n" + table(rows, 4) + partsText(plan) + criticalText(plan);
}

/// Times of a run on devices: transfers and computing, and their sum without overlap.
std::string timesText(const char* head, const std::optional<method::DeviceTimes>& times) {
    if (!times) {
        return {};
    }
    const std::string in =
        times->uploads == 0
            ? "the scene was on the device"
            : "in " + milliseconds(times->upload) + " ms for " + std::to_string(times->uploads) +
                  (times->uploads == 1 ? " upload" : " uploads") + " of the scene";
    return std::string("  ") + head + ": " + in + ", compute " + milliseconds(times->compute) +
           " ms" +
           (times->devices > 1 ? " on " + std::to_string(times->devices) + " devices" : "") +
           ", out " + milliseconds(times->download) + " ms for " + bytesText(times->downloaded) +
           ", host " + milliseconds(times->packing + times->joining) + " ms, setup " +
           milliseconds(times->setup) + " ms; one after the other (Karas (33)) " +
           milliseconds(times->oneAfterTheOther()) + " ms\n";
}

/// `poses`: of a search over poses, of which `chosen` is one batch; else null.
std::string runText(const RunReport& run, const plan::CandidateReport* chosen,
                    const PosesReport* poses) {
    std::string text = "\nRun on " + run.device + " with " + std::to_string(run.threads) +
                       " threads: " + milliseconds(run.executeMs.median) + " ms";
    if (run.executeMs.min < run.executeMs.max) {
        text +=
            " (" + milliseconds(run.executeMs.min) + " to " + milliseconds(run.executeMs.max) + ")";
    }
    const std::optional<double> predicted = poses != nullptr    ? poses->predictedMs
                                            : chosen != nullptr ? chosen->expectedMs()
                                                                : std::nullopt;
    if (predicted) {
        text += ", predicted " + milliseconds(*predicted) + " ms";
    }
    text += "\n  stream " + milliseconds(run.streamMs.median) + " ms, reading " +
            milliseconds(run.readMs) + " ms, peaks " + milliseconds(run.peaksMs) + " ms, writing " +
            milliseconds(run.writeMs) + " ms, memory " + bytesText(run.peakHostBytes) + "\n";
    text += timesText("on the device", run.times);
    if (chosen && chosen->prediction && run.times) {
        text += timesText("predicted", chosen->prediction->onDevice.times);
    }
    if (!run.stagesMs.empty()) {
        text += "  stages, summed over threads:";
        for (const auto& [stage, ms] : run.stagesMs) {
            text += " " + stage + " " + milliseconds(ms) + " ms";
        }
        text += "\n  shares:";
        for (const auto& [stage, share] : stageShares(run)) {
            text += " " + stage + " " + percent(share);
        }
        text += "\n";
    }
    return text;
}

std::string mapText(const MapReport& map) {
    std::string text = "\nMap  min " + fixed(map.statistics.minimum, 4) + "  max " +
                       fixed(map.statistics.maximum, 4) + "  mean " +
                       fixed(map.statistics.mean, 4) + "  std " +
                       fixed(map.statistics.standardDeviation, 4) + "\n ";
    for (std::size_t i = 0; i < base::kStatusCount; ++i) {
        if (map.facts.statusCounts[i] > 0) {
            text += " " + std::string(base::name(static_cast<base::Status>(i))) + " " +
                    std::to_string(map.facts.statusCounts[i]);
        }
    }
    const std::int64_t lowConf =
        map.facts.statusCounts[static_cast<std::size_t>(base::Status::LowConf)];
    text += "\n  recomputed in double: " + std::to_string(map.facts.recomputed) + " (" +
            percent(recomputedShare(map)) + " of the scores)";
    if (map.best) {
        text += "\n  best value " + detail::shortest(map.best->value) + ", reached by " +
                std::to_string(map.best->occurrences) +
                (map.best->occurrences == 1 ? " placement" : " placements") +
                (map.best->tolerance > 0 ? " within " + detail::shortest(map.best->tolerance)
                                         : std::string());
    }
    if (lowConf > 0) {
        text += "\n  LOWCONF: " + std::to_string(lowConf) +
                " voxels whose empirical error bound is above the promise";
    }
    return text + "\n";
}

std::string peaksText(const JobReport& report, std::size_t shown) {
    const std::vector<match::Peak>& peaks = report.peaks;
    std::string text = "Peaks: " + std::to_string(peaks.size());
    text += peaks.empty() ? "\n"
                          : ", geometric centres in voxels\n" +
                                table(detail::toldPeaks(report, detail::ToldIn::Text, shown), 0);
    if (peaks.size() > shown) {
        text += "  ... and " + std::to_string(peaks.size() - shown) + " more\n";
    }
    return text + linesText(report, Told::Results);
}

/// The frames of a stream, the first ones as a table.
std::string framesText(const JobReport& report, std::size_t shown) {
    const std::vector<FrameReport>& frames = report.frames;
    std::int64_t peaks = 0;
    std::vector<Row> rows{{"frame", "peaks", "best", "x", "y", "ms"}};
    for (std::size_t i = 0; i < frames.size(); ++i) {
        const FrameReport& frame = frames[i];
        peaks += frame.peaks;
        if (i < shown) {
            const auto best = [&](auto text) { return frame.best ? text(*frame.best) : "-"; };
            rows.push_back({std::to_string(frame.frame), std::to_string(frame.peaks),
                            best([](const match::Peak& peak) { return fixed(peak.score, 4); }),
                            best([](const match::Peak& peak) { return fixed(peak.centre[0], 2); }),
                            best([](const match::Peak& peak) { return fixed(peak.centre[1], 2); }),
                            milliseconds(frame.executeMs)});
        }
    }
    std::string text = "Frames: " + std::to_string(frames.size()) + ", " + std::to_string(peaks) +
                       (peaks == 1 ? " peak" : " peaks") + ", the best one of each in voxels\n" +
                       table(rows, 0);
    if (frames.size() > shown) {
        text += "  ... and " + std::to_string(frames.size() - shown) + " more\n";
    }
    return text + linesText(report, Told::Results);
}

/// "0, 2".
std::string numbersText(const std::vector<int>& numbers) {
    std::string text;
    for (const int number : numbers) {
        text += (text.empty() ? "" : ", ") + std::to_string(number);
    }
    return text;
}

/// "tiled 64x64 on cpu".
std::string chosenText(const plan::PlanReport& plan) {
    const plan::CandidateReport* const chosen = plan.chosen();
    if (chosen == nullptr) {
        return "nothing";
    }
    const method::Candidate& candidate = chosen->candidate;
    return candidate.label() +
           (candidate.tile.x > 0 ? " " + tileText(candidate, base::isFlat2D(plan.problem.scene))
                                 : "") +
           " on " + candidate.device;
}

std::string environmentText(const Environment& environment) {
    std::string text = "\n" + environment.processor + ", " + environment.instructions + "\n";
    for (const auto& [library, version] : environment.versions) {
        text +=
            (library == environment.versions.front().first ? "" : ", ") + library + " " + version;
    }
    return text + "\n";
}

} // namespace

std::vector<std::pair<std::string, double>> stageShares(const RunReport& run) {
    // The stages are summed over the threads; finding peaks is one thread's work.
    std::vector<std::pair<std::string, double>> shares = run.stagesMs;
    shares.emplace_back("peaks", run.peaksMs);
    double sum = 0;
    for (const auto& [stage, ms] : shares) {
        sum += ms;
    }
    for (auto& [stage, share] : shares) {
        share = sum > 0 ? share / sum : 0;
    }
    return shares;
}

/// "Mask: soft.mrc, by weights of 0.02 to 1"; one line a mask.
std::string masksText(const JobReport& report) {
    std::string text;
    for (const InputReport& input : report.inputs) {
        text += input.counts.empty() ? ""
                                     : (input.role == "mask" ? "Mask: " : "Scene mask: ") +
                                           input.path + ", " + input.counts + "\n";
    }
    return text;
}

std::string toSummary(const JobReport& report) {
    if (!report.scenes.empty()) {
        return scenesText(report.scenes, toSummary);
    }
    if (!report.run || report.plan.chosen() == nullptr) {
        return {};
    }
    double planningMs = report.groups.empty() ? report.plan.planningMs : 0;
    std::string methods = report.groups.empty() ? chosenText(report.plan) : "";
    for (const GroupReport& group : report.groups) {
        planningMs += group.plan.planningMs;
        methods += (methods.empty() ? "" : "; ") + chosenText(group.plan);
    }
    if (report.poses && report.poses->prunes()) {
        methods = "a " + report.poses->searches.front().search + " search";
    }
    return (report.stream ? streamText(*report.stream) : "") + masksText(report) +
           linesText(report, Told::Summary) +
           (report.frames.empty() ? peaksText(report, 10) : framesText(report, 10)) +
           detail::exportsText(report) + "Done by " + methods + ", " +
           std::to_string(report.run->threads) +
           (report.run->threads == 1 ? " thread, in " : " threads, in ") +
           milliseconds(report.run->executeMs.median) +
           (report.frames.empty() ? " ms" : " ms for a frame") + " (planned in " +
           milliseconds(planningMs) + " ms)\n";
}

std::string auditText(const AuditReport& audit) {
    std::string text(name(audit.verdict));
    if (!audit.reason.empty()) {
        text += "; " + audit.reason;
    }
    if (audit.verdict == AuditVerdict::Off) {
        return text;
    }
    return text + "; " + std::to_string(audit.checked) +
           " scores compared with the definition; largest deviation " +
           brief(audit.largestDeviation) + " (" + brief(audit.largestOverBound) +
           " of its empirical bound; median " + brief(audit.medianOverBound) + ")";
}

std::string toText(const JobReport& report) {
    if (!report.scenes.empty()) {
        return scenesText(report.scenes, toText);
    }
    std::string text = problemText(report);
    if (report.groups.empty()) {
        text += planText(report.plan);
    }
    for (const GroupReport& group : report.groups) {
        text += "\nTemplates " + numbersText(group.templates) + " of " +
                base::toString(group.plan.problem.templ) + " voxels" + planText(group.plan);
        text += group.run
                    ? runText(*group.run, report.poses ? nullptr : group.plan.chosen(), nullptr)
                    : "";
        text += group.map ? mapText(*group.map) : "";
    }
    if (report.run) {
        text += runText(*report.run, report.groups.empty() ? report.plan.chosen() : nullptr,
                        report.poses ? &*report.poses : nullptr);
    }
    if (report.map) {
        text += mapText(*report.map);
    }
    if (report.audit) {
        text += "Audit: " + auditText(*report.audit) + "\n";
    }
    if (report.run) {
        text += "\n" + (report.frames.empty() ? peaksText(report, 20) : framesText(report, 20));
        text += detail::exportsText(report);
    }
    return text + environmentText(report.environment);
}

} // namespace flcc::job
