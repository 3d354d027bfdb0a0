#include "engine/job/report/facts.h"

#include <array>

#include "engine/job/report/export_report.h"
#include "engine/job/report/report_parts.h"

namespace flcc::job::detail {

namespace {

using Lines = std::vector<std::string>;

constexpr auto kProblem = static_cast<unsigned>(Told::Problem);
constexpr auto kResults = static_cast<unsigned>(Told::Results);
constexpr auto kSummary = static_cast<unsigned>(Told::Summary);
constexpr auto kPage = static_cast<unsigned>(Told::Page);

/// The JSON of a member that a report may lack.
template <auto kMember> json::Json memberJson(const JobReport& report) {
    const auto& value = report.*kMember;
    return value ? json::toJson(*value) : json::Json(nullptr);
}

/// The line of such a member.
template <auto kMember, auto kText> Lines memberLines(const JobReport& report) {
    const auto& value = report.*kMember;
    return value ? Lines{kText(*value)} : Lines{};
}

/// A text that may be empty.
template <auto kText> Lines textLines(const JobReport& report) {
    std::string text = kText(report);
    return text.empty() ? Lines{} : Lines{std::move(text)};
}

Lines otherLines(const JobReport& report) {
    Lines lines;
    for (const OtherSearch& other : report.others) {
        if (std::string line = otherText(other); !line.empty()) {
            lines.push_back(std::move(line));
        }
    }
    return lines;
}

json::Json groupsJson(const JobReport& report) {
    json::Json groups = json::Json::array();
    for (const GroupReport& group : report.groups) {
        json::Json each{{"templates", group.templates},
                        {"map_bytes", group.mapBytes},
                        {"problem", json::problemJson(report, group.plan, group.templates)}};
        json::putPlan(each, group.plan);
        each["run"] =
            group.run ? json::toJson(*group.run, group.plan.planningMs) : json::Json(nullptr);
        each["map"] = group.map ? json::toJson(*group.map) : json::Json(nullptr);
        each["audit"] = group.audit ? json::toJson(*group.audit) : json::Json(nullptr);
        groups.push_back(std::move(each));
    }
    return groups;
}

json::Json peaksJson(const JobReport& report) {
    json::Json peaks = json::Json::array();
    const std::vector<std::optional<std::size_t>> under = ranksUnder(report.peaks);
    for (std::size_t i = 0; i < report.peaks.size(); ++i) {
        peaks.push_back(json::toJson(report.peaks[i], i + 1, under[i],
                                     report.decisions.of(match::keyOf(report.peaks[i]))));
    }
    return peaks;
}

Lines peakCount(const JobReport& report) {
    return report.frames.empty() && report.run ? Lines{std::to_string(report.peaks.size())}
                                               : Lines{};
}

Lines truthLines(const JobReport& report) {
    std::string text = report.truth ? comparisonText(*report.truth) : std::string();
    if (text.ends_with('\n')) {
        text.pop_back();
    }
    return text.empty() ? Lines{} : Lines{std::move(text)};
}

json::Json framesJson(const JobReport& report) {
    json::Json frames = json::Json::array();
    for (const FrameReport& frame : report.frames) {
        frames.push_back(json::toJson(frame));
    }
    return report.frames.empty() ? json::Json(nullptr) : frames;
}

constexpr std::array kFacts{
    Fact{"map", memberJson<&JobReport::map>},
    Fact{"templates", json::templatesJson},
    Fact{"poses", memberJson<&JobReport::poses>, "Poses", memberLines<&JobReport::poses, posesText>,
         kProblem | kSummary | kPage},
    Fact{"other_searches", [](const JobReport& report) { return json::toJson(report.others); },
         "Beside", otherLines, kProblem | kPage},
    Fact{"search", memberJson<&JobReport::search>, "Search",
         memberLines<&JobReport::search, searchText>, kProblem | kSummary | kPage},
    Fact{"preparation", memberJson<&JobReport::preparation>, "Prepared",
         memberLines<&JobReport::preparation, preparationText>, kProblem | kSummary | kPage},
    Fact{"groups", groupsJson},
    Fact{"peaks", peaksJson, "Peaks", peakCount, kPage},
    Fact{"", nullptr, "Judged", textLines<decisionsText>, kResults},
    Fact{"threshold", memberJson<&JobReport::threshold>, "Threshold",
         memberLines<&JobReport::threshold, thresholdText>, kResults | kPage},
    Fact{"", nullptr, "Overlap",
         [](const JobReport& report) {
             return textLines<[](const JobReport& one) { return overlapText(one.peaks); }>(report);
         },
         kResults},
    Fact{"handedness", memberJson<&JobReport::handedness>, "Hand",
         memberLines<&JobReport::handedness, handednessText>, kResults | kPage},
    Fact{"truth", memberJson<&JobReport::truth>, "Truth", truthLines, kResults},
    Fact{"peaks_incomplete",
         [](const JobReport& report) { return json::orNull(report.peaksIncomplete); },
         "The list of peaks is incomplete",
         textLines<[](const JobReport& report) { return report.peaksIncomplete; }>, kResults},
    Fact{"audit", memberJson<&JobReport::audit>, "Audit", memberLines<&JobReport::audit, auditText>,
         kPage},
    Fact{"stack", memberJson<&JobReport::stack>},
    Fact{"average", [](const JobReport& report) { return json::averageJson(report.averages); }},
    Fact{"averages", [](const JobReport& report) { return json::averagesJson(report.averages); }},
    Fact{"map_sha256", [](const JobReport& report) { return json::orNull(report.mapSha256); }},
    Fact{"environment",
         [](const JobReport& report) {
             return json::environmentJson(report.environment, report.plan.calibrated);
         }},
    Fact{"inputs", [](const JobReport& report) { return json::inputsJson(report.inputs); }},
    Fact{"warnings", [](const JobReport& report) { return json::Json(report.warnings); }},
    Fact{"frames", framesJson},
    Fact{"stream", memberJson<&JobReport::stream>},
};

} // namespace

std::span<const Fact> facts() { return kFacts; }

std::vector<ToldLine> linesOf(const JobReport& report, Told where) {
    std::vector<ToldLine> told;
    for (const Fact& fact : kFacts) {
        if ((fact.told & static_cast<unsigned>(where)) != 0) {
            for (std::string& line : fact.lines(report)) {
                told.push_back({fact.title, std::move(line)});
            }
        }
    }
    return told;
}

} // namespace flcc::job::detail
