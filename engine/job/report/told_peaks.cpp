#include "engine/job/report/told_peaks.h"

#include <algorithm>
#include <array>

#include "engine/base/spacing.h"
#include "engine/job/report/text.h"

namespace flcc::job::detail {

namespace {

/// What is told of a peak: a column of the tables in texts and pages.
struct ToldColumn {
    const char* title; ///< of world coordinates the unit follows
    /// False where the column would say nothing in this report, or is not told in such a place.
    bool (*isThere)(const JobReport&, ToldIn);
    /// The cell of peak `i` of the report; empty where it has no such value.
    std::string (*of)(const JobReport&, std::size_t i, ToldIn);
};

const match::Peak& peakOf(const JobReport& report, std::size_t i) { return report.peaks[i]; }

bool always(const JobReport& /*report*/, ToldIn /*where*/) { return true; }
bool inPages(const JobReport& /*report*/, ToldIn where) { return where == ToldIn::Page; }
bool isFlat(const JobReport& report) {
    return base::isFlat2D(report.scene.x > 0 ? report.scene : report.plan.problem.scene);
}
bool hasDepth(const JobReport& report, ToldIn /*where*/) { return !isFlat(report); }
bool hasSearch(const JobReport& report, ToldIn /*where*/) { return report.search.has_value(); }
bool searchInPages(const JobReport& report, ToldIn where) {
    return report.search && where == ToldIn::Page;
}

template <std::size_t kAxis>
std::string centre(const JobReport& report, std::size_t i, ToldIn /*where*/) {
    return fixed(peakOf(report, i).centre[kAxis], 2);
}

template <std::size_t kAxis>
std::string world(const JobReport& report, std::size_t i, ToldIn /*where*/) {
    return fixed(peakOf(report, i).world[kAxis], 3);
}

constexpr std::array kColumns{
    ToldColumn{"rank", always,
               [](const JobReport&, std::size_t i, ToldIn) { return std::to_string(i + 1); }},
    ToldColumn{"score", always,
               [](const JobReport& report, std::size_t i, ToldIn) {
                   return fixed(peakOf(report, i).score, 4);
               }},
    ToldColumn{"corner", inPages,
               [](const JobReport& report, std::size_t i, ToldIn) {
                   return base::toString(peakOf(report, i).corner);
               }},
    ToldColumn{"x", always, centre<0>},
    ToldColumn{"y", always, centre<1>},
    ToldColumn{"z", hasDepth, centre<2>},
    ToldColumn{"x, ", inPages, world<0>},
    ToldColumn{"y, ", inPages, world<1>},
    ToldColumn{"z, ",
               [](const JobReport& report, ToldIn where) {
                   return where == ToldIn::Page && !isFlat(report);
               },
               world<2>},
    ToldColumn{"z-score", always,
               [](const JobReport& report, std::size_t i, ToldIn) {
                   const auto& value = peakOf(report, i).zscore;
                   return value ? fixed(*value, 1) : std::string();
               }},
    ToldColumn{"false pos.", always,
               [](const JobReport& report, std::size_t i, ToldIn) {
                   const auto& value = peakOf(report, i).falsePositives;
                   return value ? brief(*value) : std::string();
               }},
    ToldColumn{"rival", inPages,
               [](const JobReport& report, std::size_t i, ToldIn) {
                   const auto& value = peakOf(report, i).rival;
                   return value ? fixed(*value, 3) : std::string();
               }},
    ToldColumn{"z of search", hasSearch,
               [](const JobReport& report, std::size_t i, ToldIn where) {
                   const auto& search = peakOf(report, i).search;
                   return search ? fixed(search->z, where == ToldIn::Page ? 2 : 1) : std::string();
               }},
    ToldColumn{"pose",
               [](const JobReport& report, ToldIn /*where*/) { return report.poses.has_value(); },
               [](const JobReport& report, std::size_t i, ToldIn) {
                   return poseText(peakOf(report, i), base::isFlat2D(report.plan.problem.scene));
               }},
    ToldColumn{
        "template",
        [](const JobReport& report, ToldIn /*where*/) { return report.templates.size() > 1; },
        [](const JobReport& report, std::size_t i, ToldIn) {
            return std::to_string(peakOf(report, i).templ);
        }},
    ToldColumn{"status", inPages,
               [](const JobReport& report, std::size_t i, ToldIn) {
                   return std::string(base::name(peakOf(report, i).status));
               }},
    ToldColumn{"+- voxels", always,
               [](const JobReport& report, std::size_t i, ToldIn) {
                   return placeErrorText(peakOf(report, i));
               }},
    ToldColumn{"search mean", searchInPages,
               [](const JobReport& report, std::size_t i, ToldIn) {
                   const auto& search = peakOf(report, i).search;
                   return search ? fixed(search->mean, 4) : std::string();
               }},
    ToldColumn{"search deviation", searchInPages,
               [](const JobReport& report, std::size_t i, ToldIn) {
                   const auto& search = peakOf(report, i).search;
                   return search ? fixed(search->deviation, 4) : std::string();
               }},
    ToldColumn{
        "decision",
        [](const JobReport& report, ToldIn /*where*/) { return !decisionsText(report).empty(); },
        [](const JobReport& report, std::size_t i, ToldIn) {
            return decisionText(report.decisions.of(match::keyOf(peakOf(report, i))));
        }},
};

} // namespace

std::vector<std::vector<std::string>> toldPeaks(const JobReport& report, ToldIn where,
                                                std::size_t most) {
    std::vector<std::vector<std::string>> rows(1 + std::min(most, report.peaks.size()));
    for (const ToldColumn& column : kColumns) {
        if (!column.isThere(report, where)) {
            continue;
        }
        const std::string title = column.title;
        rows.front().push_back(title.ends_with(", ") ? title + report.geometry.unit : title);
        for (std::size_t i = 0; i + 1 < rows.size(); ++i) {
            rows[i + 1].push_back(column.of(report, i, where));
        }
    }
    return rows;
}

} // namespace flcc::job::detail
