#include <cmath>
#include <numeric>

#include "engine/base/spacing.h"
#include "engine/job/report.h"
#include "engine/job/report/export_report.h"
#include "engine/job/report/json_rows.h"

namespace flcc::job {

using namespace detail::json;

namespace {

using detail::json::toJson;

Json templatesJson(const JobReport& report) {
    Json list = Json::array();
    for (const TemplateReport& templ : report.templates) {
        const bool known = templ.form.residual != method::kUnknownResidual;
        list.push_back({{"number", list.size()},
                        {"source", templ.source},
                        {"extents", toJson(templ.extents)},
                        {"type", base::name(templ.type)},
                        {"reference", templ.reference ? toJson(*templ.reference) : Json(nullptr)},
                        {"masked", templ.masked},
                        {"weighted", templ.weighted},
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
            {"origin", toJson(report.geometry.origin)},
            {"direction", report.geometry.direction},
            {"unit", report.geometry.unit},
            {"unit_source", base::name(report.geometry.unitSource)},
            {"world_axes", axesJson(report.geometry)},
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

/// The sums over the scores of all templates of a bank; null for one template.
Json sumsJson(const method::ScoreSums& sums) {
    if (sums.count == 0) {
        return nullptr;
    }
    return {{"count", sums.count},       {"sum", sums.sum},           {"squares", sums.squares},
            {"rounding", sums.rounding}, {"exponent", sums.exponent}, {"any_range", sums.anyRange}};
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
            {"bound_largest_relative", map.facts.largestRelative},
            {"largest_rounding", map.facts.largestRounding},
            {"bank_sums", sumsJson(map.facts.scores)}};
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

/// The pose of a peak; null where templates were matched as they are.
Json poseJson(const std::optional<rotation::Pose>& pose) {
    if (!pose) {
        return nullptr;
    }
    const rotation::Quaternion& q = pose->turn;
    return {{"euler", toJson(rotation::eulerOf(q))}, // rot, tilt and psi of RELION
            {"quaternion", {q.w, q.x, q.y, q.z}},
            {"scale", pose->scale},
            {"mirrored", pose->mirrored}};
}

Json toJson(const PreparationReport& report) {
    const bool tilts = !report.tiltsFrom.empty();
    const auto text = [](const std::string& value) {
        return value.empty() ? Json(nullptr) : Json(value);
    };
    Json lens = nullptr;
    if (report.lens) {
        lens = {{"defocus_angstrom", report.lens->defocus},
                {"voltage_kv", report.lens->voltage},
                {"cs_mm", report.lens->cs},
                {"amplitude_contrast", report.lens->contrast},
                {"phase_shift", report.lens->phaseShift},
                {"flipped", report.flipped},
                {"file", text(report.ctfFrom)}};
    }
    return {
        {"band", report.band ? Json::array({report.band->low, report.band->high}) : Json(nullptr)},
        {"unit", report.unit},
        {"whiten", report.whiten},
        {"tilt_range",
         report.range ? Json::array({-report.range->from, report.range->to}) : Json(nullptr)},
        {"tilts", tilts ? Json({{"file", report.tiltsFrom},
                                {"count", report.tilts},
                                {"lowest", report.lowest},
                                {"highest", report.highest},
                                {"largest_dose", orNull(report.dose)}})
                        : Json(nullptr)},
        {"ctf", std::move(lens)},
        {"assumed", text(report.assumed)},
        {"box", toJson(report.points)},
        {"scene_filtered", report.scene},
        {"scene_ms", report.sceneMs},
        {"polarity", name(report.polarity)}};
}

Json toJson(const PrunedReport& pruned) {
    return {{"cell", pruned.edge},         {"placements", pruned.placements},
            {"nodes", pruned.nodes},       {"kept_nodes", pruned.kept},
            {"points", pruned.points},     {"pixel_comparisons", pruned.limits},
            {"scores", pruned.scores},     {"prepare_ms", pruned.prepareMs},
            {"search_ms", pruned.searchMs}};
}

Json toJson(const std::vector<SearchRow>& rows) {
    Json json = Json::array();
    for (const SearchRow& row : rows) {
        json.push_back({{"search", row.search},
                        {"verdict", plan::name(row.verdict)},
                        {"reason", row.reason},
                        {"predicted_ms", orNull(row.predictedMs)},
                        {"at_least", row.isMore},
                        {"measured_ms", orNull(row.measuredMs)}});
    }
    return json;
}

Json toJson(const PosesReport& poses) {
    const auto number = [](double value) { return value > 0 ? Json(value) : Json(nullptr); };
    return {{"members", poses.members},
            {"rotations", poses.turns},
            {"scales", poses.scales},
            {"mirror", poses.mirror},
            {"flat", poses.flat},
            {"symmetry", poses.symmetry},
            {"step", number(poses.step)},
            {"radius", number(poses.radius)},
            {"nside", poses.nside > 0 ? Json(poses.nside) : Json(nullptr)},
            {"in_plane", poses.inPlane > 0 ? Json(poses.inPlane) : Json(nullptr)},
            {"voxel_edges", toJson(poses.edges)},
            {"box", toJson(poses.box)},
            {"batch", poses.batch},
            {"memory_bytes", poses.memoryBytes},
            {"search", poses.search},
            {"searches", toJson(poses.searches)},
            {"pruned", poses.pruned ? toJson(*poses.pruned) : Json(nullptr)},
            {"predicted_ms", orNull(poses.predictedMs)},
            {"per_second", orNull(poses.perSecond)},
            {"refine_ms", orNull(poses.refineMs)},
            {"resumed_members", poses.kept},
            {"done_members", poses.done},
            {"unfinished", poses.isUnfinished()}};
}

Json toJson(const HandednessReport& hands) {
    return {{"verdict", name(hands.verdict)},
            {"reason", hands.reason},
            {"p", hands.p},
            {"places", hands.places},
            {"won", hands.won},
            {"alike", hands.alike},
            {"threshold", orNull(std::isfinite(hands.threshold) ? std::optional(hands.threshold)
                                                                : std::nullopt)},
            {"compared", hands.compared},
            {"above", hands.above},
            {"given_median", hands.givenMedian},
            {"mirrored_median", hands.mirroredMedian},
            {"given", hands.given},
            {"mirrored", hands.mirrored}};
}

Json toJson(const SearchReport& search) {
    return {{"members", search.members},     {"likeness", search.likeness},
            {"voxels", search.voxels},       {"mean", search.mean},
            {"deviation", search.deviation}, {"largest_z", search.largestZ},
            {"at", toJson(search.at)}};
}

Json toJson(const match::Peak& peak, std::size_t rank, std::optional<std::size_t> under,
            match::Decision decision) {
    return {{"rank", rank},
            {"score", peak.score},
            {"bound", peak.bound},
            {"status", base::name(peak.status)},
            {"corner", toJson(peak.corner)},
            {"centre", toJson(peak.centre)},
            {"world", toJson(peak.world)},
            {"shift", toJson(peak.shift)},
            {"curvature", toJson(peak.curvature)},
            {"placed_by", match::name(peak.placedBy)},
            {"error", peak.error ? toJson(*peak.error) : Json(nullptr)},
            {"template", peak.templ},
            {"pose", poseJson(peak.pose)},
            {"refinement", peak.refinement
                               ? Json{{"score", peak.refinement->score},
                                      {"searched", poseJson(peak.refinement->searched)},
                                      {"turn_error", toJson(peak.refinement->turnError)},
                                      {"scale_error", peak.refinement->scaleError},
                                      {"scale_ends", peak.refinement->scaleEnds}}
                               : Json(nullptr)},
            {"rival", orNull(peak.rival)},
            {"zscore", orNull(peak.zscore)},
            {"false_positives", orNull(peak.falsePositives)},
            {"overlap",
             under ? Json{{"share", peak.overlap->share}, {"under", *under}} : Json(nullptr)},
            {"sharpness", orNull(peak.sharpness)},
            {"search", peak.search ? Json{{"mean", peak.search->mean},
                                          {"deviation", peak.search->deviation},
                                          {"z", peak.search->z}}
                                   : Json(nullptr)},
            {"made_of", peak.madeOf},
            {"decision",
             decision == match::Decision::Undecided ? Json(nullptr) : Json(match::name(decision))},
            {"polarity", peak.dark ? Json(*peak.dark ? "dark" : "bright") : Json(nullptr)}};
}

/// Writes the rows of a plan and the chosen one.
void putPlan(Json& json, const plan::PlanReport& plan) {
    json["candidates"] = candidatesJson(plan.candidates);
    const plan::CandidateReport* const chosen = plan.chosen();
    json["chosen"] = chosen ? toJson(*chosen) : Json(nullptr);
    json["known"] = plan.known;
    const std::string date = plan::dateOf(plan.times.when);
    json["times"] = {{"from", plan::name(plan.times.kind)},
                     {"remembered", plan.times.remembered},
                     {"date", date.empty() ? Json(nullptr) : Json(date)},
                     {"sentence", plan::toText(plan.times)}};
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
            {"best",
             frame.best ? toJson(*frame.best, 1, {}, match::Decision::Undecided) : Json(nullptr)},
            {"peaks_incomplete",
             frame.peaksIncomplete.empty() ? Json(nullptr) : Json(frame.peaksIncomplete)},
            {"threshold", frame.threshold ? toJson(*frame.threshold) : Json(nullptr)}};
}

Json jsonOf(const JobReport& report) {
    Json json;
    if (!report.scenes.empty()) {
        json["version"] = kReportVersion;
        json["command"] = "match";
        for (const JobReport& scene : report.scenes) {
            json["scenes"].push_back(jsonOf(scene));
        }
        return json;
    }
    json["version"] = kReportVersion;
    json["command"] = "match";
    json["command_line"] = orNull(report.commandLine);
    json["unfinished"] = orNull(unfinishedText(report));
    json["job"] = settingsJson(report.jobFile);
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
    json["poses"] = report.poses ? toJson(*report.poses) : Json(nullptr);
    json["search"] = report.search ? toJson(*report.search) : Json(nullptr);
    json["handedness"] = report.handedness ? toJson(*report.handedness) : Json(nullptr);
    json["other_searches"] = Json::array();
    for (const OtherSearch& other : report.others) {
        json["other_searches"].push_back({{"of", other.of},
                                          {"predicted_ms", orNull(other.predictedMs)},
                                          {"measured_ms", orNull(other.ms)}});
    }
    json["preparation"] = report.preparation ? toJson(*report.preparation) : Json(nullptr);
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
    const std::vector<std::optional<std::size_t>> under = ranksUnder(report.peaks);
    for (std::size_t i = 0; i < report.peaks.size(); ++i) {
        json["peaks"].push_back(toJson(report.peaks[i], i + 1, under[i],
                                       report.decisions.of(match::keyOf(report.peaks[i]))));
    }
    json["truth"] = report.truth ? toJson(*report.truth) : Json(nullptr);
    json["threshold"] = report.threshold ? toJson(*report.threshold) : Json(nullptr);
    json["stack"] = report.stack ? toJson(*report.stack) : Json(nullptr);
    json["average"] = averageJson(report.averages);
    json["averages"] = averagesJson(report.averages);
    json["map_sha256"] = orNull(report.mapSha256);
    json["peaks_incomplete"] =
        report.peaksIncomplete.empty() ? Json(nullptr) : Json(report.peaksIncomplete);
    json["environment"] = environmentJson(report.environment, report.plan.calibrated);
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

std::string toJson(const JobReport& report) { return fileText(jsonOf(report)); }

} // namespace flcc::job
