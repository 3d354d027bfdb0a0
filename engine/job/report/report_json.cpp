#include <algorithm>
#include <new>
#include <numeric>

#include <nlohmann/json.hpp>

#include "engine/base/error.h"
#include "engine/base/spacing.h"
#include "engine/base/text.h"
#include "engine/job/convolve_job.h"
#include "engine/job/report.h"
#include "engine/job/report/text_file.h"

namespace flcc::job {

using base::Error;
using base::ErrorCode;
using Json = nlohmann::ordered_json;

namespace {

Json toJson(const base::Extents& extents) { return Json::array({extents.x, extents.y, extents.z}); }
Json toJson(const base::Index& index) { return Json::array({index.x, index.y, index.z}); }
Json toJson(const base::Point& point) { return Json::array({point[0], point[1], point[2]}); }
Json toJson(const Spread& spread) {
    return {{"min", spread.min}, {"median", spread.median}, {"max", spread.max}};
}

template <class T> Json orNull(const std::optional<T>& value) {
    return value ? Json(*value) : Json(nullptr);
}

Json toJson(const base::Box& box) {
    return {{"corner", toJson(box.corner)}, {"extents", toJson(box.extents)}};
}

Json templatesJson(const JobReport& report) {
    Json list = Json::array();
    for (const TemplateReport& templ : report.templates) {
        const bool known = templ.form.residual != method::kUnknownResidual;
        list.push_back({{"number", list.size()},
                        {"source", templ.source},
                        {"extents", toJson(templ.extents)},
                        {"type", base::name(templ.type)},
                        {"masked", templ.masked},
                        {"support", templ.support},
                        {"level", known ? Json(templ.form.level) : Json(nullptr)},
                        {"residual", known ? Json(templ.form.residual) : Json(nullptr)}});
    }
    return list;
}

/// The problem of one group of templates; `numbers` are theirs.
Json problemJson(const JobReport& report, const plan::PlanReport& plan,
                 const std::vector<int>& numbers) {
    const method::Problem& problem = plan.problem;
    return {{"operation", method::name(problem.operation)},
            {"extent", method::name(problem.extent)},
            {"scene", toJson(report.scene.x > 0 ? report.scene : problem.scene)},
            {"spacing", toJson(report.geometry.spacing)},
            {"unit", report.geometry.unit},
            {"unit_source", base::name(report.geometry.unitSource)},
            {"world_axes", report.geometry.axes == base::WorldAxes::Unnamed
                               ? Json(nullptr)
                               : Json(base::name(report.geometry.axes))},
            {"channels", report.channels > 0 ? Json(report.channels) : Json(nullptr)},
            {"region", report.region ? toJson(*report.region) : Json(nullptr)},
            {"template", toJson(problem.templ)},
            {"scene_type", base::name(problem.scenePixel)},
            {"template_type", base::name(problem.templPixel)},
            {"mask", problem.mask},
            {"support", numbers.size() == 1 && !report.templates.empty()
                            ? Json(report.templates[static_cast<std::size_t>(numbers[0])].support)
                            : Json(nullptr)},
            {"templates", problem.templates},
            {"scene_mask", problem.sceneMask},
            {"outside", method::name(problem.outside)},
            {"min_overlap", problem.minOverlap},
            {"statistics", method::name(problem.statistics)},
            {"partial_peaks", report.partialPeaks},
            {"promise", problem.promise},
            {"precision", method::name(problem.precision)},
            {"recompute", problem.recompute},
            {"planning", plan::name(plan.planning)},
            {"transforms", method::name(plan.limits.transforms)},
            {"thread_limit", plan.limits.threads},
            {"memory_limit", plan.limits.memoryBytes}};
}

/// Null if nothing ran, or is predicted to run, on devices.
Json toJson(const std::optional<method::DeviceTimes>& times) {
    if (!times) {
        return nullptr;
    }
    return {{"setup_ms", times->setup},     {"packing_ms", times->packing},
            {"upload_ms", times->upload},   {"uploads", times->uploads},
            {"compute_ms", times->compute}, {"download_ms", times->download},
            {"joining_ms", times->joining}, {"downloaded_bytes", times->downloaded},
            {"devices", times->devices},    {"one_after_the_other_ms", times->oneAfterTheOther()}};
}

/// All keys always; null where there is nothing to say.
Json toJson(const plan::CandidateReport& row) {
    Json json{{"method", row.candidate.method},
              {"device", row.candidate.device},
              {"tile", toJson(row.candidate.tile)},
              {"threads", row.candidate.threads},
              {"parts", row.candidate.parts},
              {"transforms", nullptr},
              {"in_flight", row.candidate.onDevice.inFlight},
              {"verdict", plan::name(row.verdict)},
              {"reason", row.reason},
              {"operations", nullptr},
              {"predicted_ms", nullptr},
              {"sample_ms", orNull(row.sampleMs)},
              {"expected_ms", orNull(row.expectedMs())},
              {"measured_ms", orNull(row.measuredMs)},
              {"host_bytes", nullptr},
              {"device_bytes", nullptr},
              {"error_bound", nullptr},
              {"fft_planning", nullptr},
              {"tiles_in_flight", nullptr},
              {"padding_waste", nullptr},
              {"device_times", nullptr}};
    if (row.candidate.transforms != method::Transforms::Auto) {
        json["transforms"] = method::name(row.candidate.transforms);
    }
    if (row.prediction) {
        json["device_times"] = toJson(row.prediction->onDevice.times);
        json["operations"] = row.prediction->operations;
        json["predicted_ms"] = row.prediction->ms;
        json["host_bytes"] = row.prediction->hostBytes;
        json["device_bytes"] = row.prediction->onDevice.bytes;
        json["error_bound"] = row.prediction->errorBound;
        json["tiles_in_flight"] = row.prediction->tilesInFlight;
        if (!row.prediction->fftPlanning.empty()) {
            json["fft_planning"] = row.prediction->fftPlanning;
            json["padding_waste"] = row.prediction->paddingWaste;
        }
    }
    return json;
}

Json toJson(const RunReport& run, double planningMs) {
    Json stages = Json::object();
    for (const auto& [stage, ms] : run.stagesMs) {
        stages[stage] = ms;
    }
    Json shares = Json::object();
    for (const auto& [stage, share] : stageShares(run)) {
        shares[stage] = share;
    }
    return {{"execute_ms", toJson(run.executeMs)},
            {"stream_ms", toJson(run.streamMs)},
            {"planning_ms", planningMs},
            {"read_ms", run.readMs},
            {"peaks_ms", run.peaksMs},
            {"write_ms", run.writeMs},
            {"stages_ms", stages},
            {"stage_shares", shares},
            {"device_times", toJson(run.times)},
            {"peak_host_bytes", run.peakHostBytes},
            {"threads", run.threads},
            {"device", run.device}};
}

Json toJson(const MapReport& map) {
    Json counts = Json::object();
    for (std::size_t i = 0; i < base::kStatusCount; ++i) {
        counts[std::string(base::name(static_cast<base::Status>(i)))] = map.facts.statusCounts[i];
    }
    return {{"min", map.statistics.minimum},
            {"max", map.statistics.maximum},
            {"mean", map.statistics.mean},
            {"std", map.statistics.standardDeviation},
            {"count", map.statistics.count},
            {"status", counts},
            {"over_range", map.facts.overRange},
            {"recomputed", map.facts.recomputed},
            {"recomputed_share", recomputedShare(map)},
            {"bound_kind", "empirical"}, // tests support the bound; parts are not proven
            {"bound_median", map.facts.boundMedian},
            {"bound_largest", map.facts.largestBound},
            {"best", map.best ? Json(map.best->value) : Json(nullptr)},
            {"occurrences", map.best ? Json(map.best->occurrences) : Json(nullptr)},
            {"occurrences_tolerance", map.best ? Json(map.best->tolerance) : Json(nullptr)},
            {"bound_largest_lowconf", map.facts.largestLowConf},
            {"largest_rounding", map.facts.largestRounding}};
}

Json toJson(const AuditReport& audit) {
    const bool off = audit.verdict == AuditVerdict::Off;
    const auto known = [&](double value) { return off ? Json(nullptr) : Json(value); };
    return {{"verdict", name(audit.verdict)},
            {"reason", audit.reason},
            {"checked", audit.checked},
            {"wrong_status", audit.wrongStatus},
            {"largest_deviation", known(audit.largestDeviation)},
            {"largest_over_bound", known(audit.largestOverBound)},
            {"median_over_bound", known(audit.medianOverBound)},
            {"ms", audit.ms}};
}

Json toJson(const match::Peak& peak, std::size_t rank) {
    return {{"rank", rank},
            {"score", peak.score},
            {"bound", peak.bound},
            {"status", base::name(peak.status)},
            {"corner", toJson(peak.corner)},
            {"centre", toJson(peak.centre)},
            {"world", toJson(peak.world)},
            {"shift", toJson(peak.shift)},
            {"curvature", toJson(peak.curvature)},
            {"template", peak.templ},
            {"rival", orNull(peak.rival)},
            {"zscore", orNull(peak.zscore)}};
}

Json toJson(const Environment& environment, bool calibrated) {
    Json versions = Json::object();
    for (const auto& [library, version] : environment.versions) {
        versions[library] = version;
    }
    return {{"versions", versions},
            {"processor", environment.processor},
            {"instructions", environment.instructions},
            {"devices", environment.devices},
            {"calibrated", calibrated}};
}

Json toJson(const ResultReport& result) {
    return {{"min", result.minimum},         {"max", result.maximum},
            {"mean", result.mean},           {"std", result.standardDeviation},
            {"count", result.count},         {"nan", result.nan},
            {"bound_largest", result.bound}, {"relative_bound_largest", result.relativeBound},
            {"repeated", result.repeated}};
}

/// Writes the rows of a plan and the chosen one.
void putPlan(Json& json, const plan::PlanReport& plan) {
    json["candidates"] = Json::array();
    for (const plan::CandidateReport& row : plan.candidates) {
        json["candidates"].push_back(toJson(row));
    }
    const plan::CandidateReport* const chosen = plan.chosen();
    json["chosen"] = chosen ? toJson(*chosen) : Json(nullptr);
    json["known"] = plan.known;
    json["critical_template_size"] = {{"predicted", orNull(plan.critical.predicted)},
                                      {"measured", orNull(plan.critical.measured)}};
}

Json toJson(const StreamReport& stream) {
    return {{"scene", stream.scene},
            {"scenes", stream.scenes},
            {"path", stream.source},
            {"plan_of", orNull(stream.planOf)},
            {"prepared_of", orNull(stream.preparedOf)},
            {"read_ahead", orNull(stream.readAhead)},
            {"in_flight", stream.inFlight}};
}

Json toJson(const FrameReport& frame) {
    Json counts = Json::object();
    for (std::size_t i = 0; i < base::kStatusCount; ++i) {
        counts[std::string(base::name(static_cast<base::Status>(i)))] = frame.facts.statusCounts[i];
    }
    return {{"frame", frame.frame},
            {"execute_ms", frame.executeMs},
            {"stream_ms", frame.streamMs},
            {"peaks_ms", frame.peaksMs},
            {"device", frame.device},
            {"min", frame.statistics.minimum},
            {"max", frame.statistics.maximum},
            {"mean", frame.statistics.mean},
            {"std", frame.statistics.standardDeviation},
            {"count", frame.statistics.count},
            {"status", counts},
            {"recomputed", frame.facts.recomputed},
            {"audit", name(frame.verdict)},
            {"peaks", frame.peaks},
            {"best", frame.best ? toJson(*frame.best, 1) : Json(nullptr)},
            {"peaks_incomplete",
             frame.peaksIncomplete.empty() ? Json(nullptr) : Json(frame.peaksIncomplete)}};
}

/// The part of a report that belongs to templates of `templ`: the report, one of its groups, or
/// either of these of the first scene.
const Json& partFor(const Json& report, const base::Extents& templ) {
    if (const auto scenes = report.find("scenes"); scenes != report.end()) {
        return partFor(scenes->at(0), templ);
    }
    const auto groups = report.find("groups");
    if (groups == report.end() || groups->empty()) {
        return report;
    }
    for (const Json& group : *groups) {
        if (group.at("problem").at("template") == toJson(templ)) {
            return group;
        }
    }
    throw Error(ErrorCode::Input, "the plan report has no plan for templates of " +
                                      base::toString(templ) + " voxels; make one that has");
}

/// An integer of the report, or `missing` where it has none. **Errors**: throws for another value.
std::int64_t integerAt(const Json& json, const char* key, std::int64_t missing) {
    const auto found = json.find(key);
    if (found == json.end()) {
        return missing;
    }
    if (!found->is_number_integer()) {
        throw std::invalid_argument("\"" + std::string(key) + "\" is not a whole number");
    }
    return found->get<std::int64_t>();
}

/// The candidate of a report. A key that no report has is an error: it may be a misspelt one, whose
/// value would silently be the default.
method::Candidate candidateOf(const Json& chosen) {
    const Json known = toJson(plan::CandidateReport{});
    for (const auto& [key, value] : chosen.items()) {
        if (!known.contains(key)) {
            throw std::invalid_argument("unknown key \"" + base::excerpt(key) + "\"");
        }
    }
    method::Candidate candidate;
    candidate.method = chosen.at("method").get<std::string>();
    candidate.device = chosen.at("device").get<std::string>();
    const Json& tile = chosen.at("tile");
    candidate.tile = {tile.at(0).get<std::int64_t>(), tile.at(1).get<std::int64_t>(),
                      tile.at(2).get<std::int64_t>()};
    constexpr std::int64_t kLongest = std::int64_t{1} << 32;
    for (const std::int64_t length : {candidate.tile.x, candidate.tile.y, candidate.tile.z}) {
        if (length < 1 || length > kLongest) {
            throw std::out_of_range("tile " + base::toString(candidate.tile));
        }
    }
    const std::int64_t threads = integerAt(chosen, "threads", 1);
    constexpr std::int64_t kMostThreads = 4096;
    if (threads < 1 || threads > kMostThreads) {
        throw std::out_of_range("threads " + std::to_string(threads));
    }
    candidate.threads = static_cast<int>(threads);
    constexpr std::int64_t kMostParts = 16;
    candidate.onDevice.inFlight = static_cast<int>(
        std::clamp<std::int64_t>(integerAt(chosen, "in_flight", 0), 0, kMostParts));
    const std::int64_t parts = integerAt(chosen, "parts", 0);
    constexpr std::int64_t kMostDecimated = std::int64_t{1} << 20;
    if (parts < 0 || parts > kMostDecimated) {
        throw std::out_of_range("parts " + std::to_string(parts));
    }
    candidate.parts = static_cast<int>(parts);
    if (const auto found = chosen.find("transforms"); found != chosen.end() && !found->is_null()) {
        const auto transforms = method::transformsNamed(found->get<std::string>());
        if (!transforms) {
            throw std::out_of_range("transforms " + base::excerpt(found->get<std::string>()));
        }
        candidate.transforms = *transforms;
    }
    return candidate;
}

const char* orientationName(io::Orientation orientation) {
    return orientation == io::Orientation::Stored ? "stored" : "applied";
}

Json inputsJson(const std::vector<InputReport>& inputs) {
    Json list = Json::array();
    for (const InputReport& input : inputs) {
        Json series = Json::array();
        for (const io::FileDigest& file : input.series) {
            series.push_back({{"path", file.path.string()}, {"sha256", file.sha256}});
        }
        list.push_back({{"role", input.role},
                        {"path", input.path},
                        {"sha256", input.sha256.empty() ? Json(nullptr) : Json(input.sha256)},
                        {"data_file", input.dataFile ? Json{{"path", input.dataFile->path.string()},
                                                            {"sha256", input.dataFile->sha256}}
                                                     : Json(nullptr)},
                        {"series", input.series.empty() ? Json(nullptr) : series},
                        {"orientation", orientationName(input.reading.orientation)},
                        {"image", input.reading.image ? Json(*input.reading.image) : Json(nullptr)},
                        {"note", input.note.empty() ? Json(nullptr) : Json(input.note)}});
    }
    return list;
}

Json jsonOf(const JobReport& report) {
    Json json;
    if (!report.scenes.empty()) {
        for (const JobReport& scene : report.scenes) {
            json["scenes"].push_back(jsonOf(scene));
        }
        return json;
    }
    std::vector<int> all(report.templates.size());
    std::iota(all.begin(), all.end(), 0);
    json["problem"] = problemJson(report, report.plan, all);
    if (report.groups.empty()) {
        putPlan(json, report.plan);
    } else { // each group has its own template extents and candidates
        json["problem"]["template"] = nullptr;
        json["problem"]["templates"] = report.templates.size();
        json["candidates"] = Json::array();
        json["chosen"] = nullptr;
    }
    double planningMs = report.groups.empty() ? report.plan.planningMs : 0;
    for (const GroupReport& group : report.groups) {
        planningMs += group.plan.planningMs;
    }
    json["run"] = report.run ? toJson(*report.run, planningMs) : Json(nullptr);
    if (!report.run) {
        json["planning_ms"] = planningMs;
    }
    json["map"] = report.map ? toJson(*report.map) : Json(nullptr);
    json["templates"] = templatesJson(report);
    json["groups"] = Json::array();
    for (const GroupReport& group : report.groups) {
        Json each{{"templates", group.templates},
                  {"map_bytes", group.mapBytes},
                  {"problem", problemJson(report, group.plan, group.templates)}};
        putPlan(each, group.plan);
        each["run"] = group.run ? toJson(*group.run, group.plan.planningMs) : Json(nullptr);
        each["map"] = group.map ? toJson(*group.map) : Json(nullptr);
        each["audit"] = group.audit ? toJson(*group.audit) : Json(nullptr);
        json["groups"].push_back(std::move(each));
    }
    json["audit"] = report.audit ? toJson(*report.audit) : Json(nullptr);
    json["peaks"] = Json::array();
    for (const match::Peak& peak : report.peaks) {
        json["peaks"].push_back(toJson(peak, json["peaks"].size() + 1));
    }
    json["peaks_incomplete"] =
        report.peaksIncomplete.empty() ? Json(nullptr) : Json(report.peaksIncomplete);
    json["environment"] = toJson(report.environment, report.plan.calibrated);
    json["inputs"] = inputsJson(report.inputs);
    json["warnings"] = report.warnings;
    json["frames"] = report.frames.empty() ? Json(nullptr) : Json::array();
    for (const FrameReport& frame : report.frames) {
        json["frames"].push_back(toJson(frame));
    }
    json["stream"] = report.stream ? toJson(*report.stream) : Json(nullptr);
    return json;
}

} // namespace

std::string toJson(const JobReport& report) {
    // A path may hold bytes that are no UTF-8; they are replaced, not thrown over.
    return jsonOf(report).dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}

std::string toJson(const ConvolveReport& report) {
    const filter::Problem& problem = report.problem;
    const KernelReport& kernel = report.kernel;
    Json json;
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
    json["candidates"] = Json::array();
    for (const plan::CandidateReport& row : report.candidates) {
        json["candidates"].push_back(toJson(row));
    }
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
    json["environment"] = toJson(report.environment, report.calibrated);
    json["inputs"] = inputsJson(report.inputs);
    return json.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}

method::Candidate chosenCandidate(const std::string& path, const base::Extents& templ) {
    const std::string text = detail::readTextFile(path, "plan report");
    if (base::nestsTooDeep(text)) {
        throw Error(ErrorCode::Input,
                    "the values of the plan report " + path + " are nested more than 100 deep");
    }
    try {
        const Json json = Json::parse(text);
        const Json& chosen = partFor(json, templ).at("chosen");
        if (chosen.is_null()) {
            throw Error(ErrorCode::Input, "the plan report " + path +
                                              " has no chosen candidate; make a plan that has one");
        }
        return candidateOf(chosen);
    } catch (const std::bad_alloc&) {
        throw;
    } catch (const std::exception& error) {
        if (const auto* own = dynamic_cast<const Error*>(&error)) {
            throw *own;
        }
        throw Error(ErrorCode::Input,
                    path + " is no report with a chosen candidate: " + base::excerpt(error.what()));
    }
}

} // namespace flcc::job
