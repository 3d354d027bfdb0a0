#include "engine/job/report/report_parts.h"

namespace flcc::job::detail::json {

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

} // namespace flcc::job::detail::json
