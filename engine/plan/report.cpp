#include "engine/plan/report.h"

#include <algorithm>
#include <array>
#include <chrono>
#include <cstdio>

namespace flcc::plan {

std::string_view name(TimesFrom::Kind kind) {
    constexpr std::array<std::string_view, 4> kNames{"model", "sample", "whole", "run"};
    return kNames[static_cast<std::size_t>(kind)];
}

std::string dateOf(std::int64_t secondsSince1970) {
    if (secondsSince1970 == 0) {
        return {};
    }
    const std::chrono::year_month_day day(std::chrono::floor<std::chrono::days>(
        std::chrono::sys_seconds(std::chrono::seconds(secondsSince1970))));
    std::array<char, 32> text{};
    std::snprintf(text.data(), text.size(), "%04d-%02u-%02u", static_cast<int>(day.year()),
                  static_cast<unsigned>(day.month()), static_cast<unsigned>(day.day()));
    return text.data();
}

std::string toText(const TimesFrom& from) {
    const std::string date = dateOf(from.when);
    const std::string earlier = !from.remembered ? std::string()
                                : date.empty()   ? " earlier"
                                                 : " on " + date;
    switch (from.kind) {
    case TimesFrom::Kind::Sample:
        return "timed on a sample of the scene" + earlier;
    case TimesFrom::Kind::Whole:
        return "timed on the whole problem" + earlier;
    case TimesFrom::Kind::Run:
        return "timed in a run" + earlier;
    case TimesFrom::Kind::Model:
        break;
    }
    return "predicted by the cost model";
}

const CandidateReport* PlanReport::chosen() const {
    const auto found =
        std::find_if(candidates.begin(), candidates.end(), [](const CandidateReport& row) {
            return row.verdict == CandidateVerdict::Chosen;
        });
    return found == candidates.end() ? nullptr : &*found;
}

} // namespace flcc::plan
