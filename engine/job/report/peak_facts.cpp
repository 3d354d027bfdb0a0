// What the peaks of a report say together: decisions, and the scores that colours tell apart.

#include <algorithm>
#include <set>

#include "engine/job/report.h"

namespace flcc::job {

double largestOfOthers(const JobReport& report) {
    const double all = report.map->statistics.maximum;
    constexpr double kLeastBound = 1e-6;
    std::set<int> copied; // templates whose own place was left out
    bool left = false;
    double most = report.threshold ? report.threshold->least() : 0;
    for (const match::Peak& peak : report.peaks) {
        const bool exact = peak.score >= 1 - std::max(peak.bound, kLeastBound);
        if (peak.madeOf || (exact && copied.insert(peak.templ).second)) {
            left = true;
        } else {
            most = std::max(most, peak.score);
        }
    }
    return left && most > 0 ? std::min(most, all) : all;
}

std::string decisionText(match::Decision decision) {
    return decision == match::Decision::Undecided ? std::string()
                                                  : std::string(match::name(decision));
}

std::string decisionsText(const JobReport& report) {
    const auto counts = report.decisions.counts(report.peaks);
    const auto count = [&counts](match::Decision decision) {
        return counts[static_cast<std::size_t>(decision)];
    };
    if (count(match::Decision::Undecided) == static_cast<std::int64_t>(report.peaks.size())) {
        return {};
    }
    return std::to_string(count(match::Decision::Keep)) + " kept, " +
           std::to_string(count(match::Decision::Reject)) + " rejected, " +
           std::to_string(count(match::Decision::Unsure)) + " unsure, " +
           std::to_string(count(match::Decision::Undecided)) + " undecided";
}

} // namespace flcc::job
