#include <numeric>

#include "engine/job/report/export_report.h"
#include "engine/job/report/facts.h"
#include "engine/job/report/report_parts.h"

namespace flcc::job {

using namespace detail::json;

namespace {

/// The problem with its plan, and how it ran.
void putRun(Json& json, const JobReport& report) {
    std::vector<int> all(report.templates.size());
    std::iota(all.begin(), all.end(), 0);
    json["problem"] = detail::json::problemJson(report, report.plan, all);
    double planningMs = report.plan.planningMs;
    if (report.groups.empty()) {
        putPlan(json, report.plan);
    } else { // each group has its own template extents and candidates
        json["problem"]["template"] = nullptr;
        json["problem"]["templates"] = report.templates.size();
        json["candidates"] = Json::array();
        json["chosen"] = nullptr;
        planningMs = 0;
    }
    for (const GroupReport& group : report.groups) {
        planningMs += group.plan.planningMs;
    }
    json["run"] = report.run ? detail::json::toJson(*report.run, planningMs) : Json(nullptr);
    if (!report.run) {
        json["planning_ms"] = planningMs;
    }
}

Json jsonOf(const JobReport& report) {
    Json json{{"version", kReportVersion}, {"command", "match"}};
    for (const JobReport& scene : report.scenes) {
        json["scenes"].push_back(jsonOf(scene));
    }
    if (!report.scenes.empty()) {
        return json;
    }
    json["command_line"] = orNull(report.commandLine);
    json["unfinished"] = orNull(unfinishedText(report));
    json["job"] = settingsJson(report.jobFile);
    putRun(json, report);
    for (const detail::Fact& fact : detail::facts()) {
        if (!fact.key.empty()) {
            json[std::string(fact.key)] = fact.json(report);
        }
    }
    return json;
}

} // namespace

std::string toJson(const JobReport& report) { return fileText(jsonOf(report)); }

} // namespace flcc::job
