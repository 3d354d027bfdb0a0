// The statistics of a search, and its hand, as text.

#include "engine/job/report.h"
#include "engine/job/report/text.h"

namespace flcc::job {

using detail::fixed;

std::string searchText(const SearchReport& search) {
    return "likeness of the members " + fixed(search.likeness, 2) + ", mean score " +
           fixed(search.mean, 4) + ", mean deviation " + fixed(search.deviation, 4) +
           ", largest z " + fixed(search.largestZ, 2) + "; " + std::to_string(search.voxels) +
           " placements";
}

bool isAlike(const SearchReport& search) {
    constexpr double kMost = 0.5; // the mean takes half of the best score of an object
    return search.likeness >= kMost;
}

std::string likenessWarning(const SearchReport& search) {
    return "the members of the search are alike (likeness " + fixed(search.likeness, 2) +
           "), as with a symmetric template: at an object the mean over the search is about this "
           "part of the best score, so z hides the object; judge by the score";
}

std::string handsTimeText(const JobReport& report) {
    const bool ran = report.run && report.run->handsMs > 0;
    const double ms = ran ? report.run->handsMs : report.handsPredictedMs.value_or(0);
    return "the search for the mirrored templates " + std::string(ran ? "took " : "takes about ") +
           fixed(ms / 1000, 2) + " s, beside that for the templates";
}

std::string handednessText(const HandednessReport& hands) {
    return std::string(name(hands.verdict)) + ": " + hands.reason + "; medians " +
           fixed(hands.givenMedian, 4) + " given and " + fixed(hands.mirroredMedian, 4) +
           " mirrored, the given curve is higher at " + fixed(100 * hands.above, 0) + " % of " +
           std::to_string(hands.compared) + " ranks";
}

} // namespace flcc::job
