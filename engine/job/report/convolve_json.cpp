#include "engine/job/convolve_job.h"
#include "engine/job/report/export_report.h"
#include "engine/job/report/json_rows.h"

namespace flcc::job {

using namespace detail::json;

namespace {

using detail::json::toJson;

Json toJson(const ResultReport& result) {
    return {{"min", result.minimum},         {"max", result.maximum},
            {"mean", result.mean},           {"std", result.standardDeviation},
            {"count", result.count},         {"nan", result.nan},
            {"bound_largest", result.bound}, {"relative_bound_largest", result.relativeBound},
            {"repeated", result.repeated}};
}

} // namespace

std::string toJson(const ConvolveReport& report) {
    const filter::Problem& problem = report.problem;
    const KernelReport& kernel = report.kernel;
    Json json;
    json["version"] = kReportVersion;
    json["command"] = "convolve";
    json["command_line"] = orNull(report.commandLine);
    json["job"] = settingsJson(report.jobFile);
    json["problem"] = {{"operation", "convolve"},
                       {"extent", method::name(problem.extent)},
                       {"border", filter::name(problem.border)},
                       {"scene", toJson(report.scene)},
                       {"spacing", toJson(report.geometry.spacing)},
                       {"unit", report.geometry.unit},
                       {"unit_source", base::name(report.geometry.unitSource)},
                       {"region", report.region ? toJson(*report.region) : Json(nullptr)},
                       {"scene_type", base::name(problem.scenePixel)},
                       {"kernel",
                        {{"name", kernel.name},
                         {"extents", toJson(kernel.extents)},
                         {"separable_terms", kernel.terms},
                         {"rank_one_residual", kernel.residual},
                         {"sum_of_magnitudes", kernel.sumOfMagnitudes}}},
                       {"precision", method::name(problem.precision)},
                       {"planning", plan::name(report.planning)},
                       {"transforms", method::name(report.limits.transforms)},
                       {"thread_limit", report.limits.threads},
                       {"memory_limit", report.limits.memoryBytes}};
    json["candidates"] = candidatesJson(report.candidates);
    const bool chosen = !report.candidates.empty() &&
                        report.candidates.front().verdict == plan::CandidateVerdict::Chosen;
    json["chosen"] = chosen ? toJson(report.candidates.front()) : Json(nullptr);
    json["decompositions"] = nullptr;
    if (!report.decompositions.empty()) {
        Json rows = Json::array();
        for (const filter::Decomposition& row : report.decompositions) {
            rows.push_back({{"method", row.method},
                            {"operations", row.operations},
                            {"transfers", row.transfers},
                            {"values_of_a_part", row.values},
                            {"bytes_of_a_part", row.bytes}});
        }
        json["decompositions"] = {{"parts", report.parts}, {"rows", std::move(rows)}};
    }
    json["run"] = report.run ? toJson(*report.run, report.planningMs) : Json(nullptr);
    json["map"] = report.result ? toJson(*report.result) : Json(nullptr);
    json["map_sha256"] = orNull(report.mapSha256);
    json["frames"] = report.frames.empty() ? Json(nullptr) : Json::array();
    for (const ConvolvedFrame& frame : report.frames) {
        Json row{{"frame", frame.frame}, {"execute_ms", frame.executeMs}};
        row.update(toJson(frame.result));
        json["frames"].push_back(std::move(row));
    }
    json["stream"] = nullptr;
    if (!report.frames.empty()) {
        json["stream"] = {{"frames", report.frames.size()}, {"read_ahead", report.readAhead}};
    }
    json["environment"] = environmentJson(report.environment, report.calibrated);
    json["inputs"] = inputsJson(report.inputs);
    return fileText(json);
}

} // namespace flcc::job
