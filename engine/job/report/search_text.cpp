// The statistics of a search as text.

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

} // namespace flcc::job
