// The statistics of a search, its hand, other searches beside it and overlaps of its peaks.

#include <array>
#include <cmath>
#include <functional>
#include <map>
#include <numeric>

#include "engine/job/report/report_parts.h"
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

std::string otherText(const OtherSearch& other) {
    return other.ms || other.predictedMs
               ? "the search for " + other.of + (other.ms ? " took " : " takes about ") +
                     fixed((other.ms ? *other.ms : *other.predictedMs) / 1000, 2) +
                     " s, beside that for the templates"
               : std::string();
}

double predictedMsOf(const std::vector<OtherSearch>& others) {
    return std::transform_reduce(
        others.begin(), others.end(), 0.0, std::plus<>(),
        [](const OtherSearch& other) { return other.predictedMs.value_or(0); });
}

double msOf(const std::vector<OtherSearch>& others) {
    return std::transform_reduce(others.begin(), others.end(), 0.0, std::plus<>(),
                                 [](const OtherSearch& other) { return other.ms.value_or(0); });
}

std::string handednessText(const HandednessReport& hands) {
    return std::string(name(hands.verdict)) + ": " + hands.reason + "; medians " +
           fixed(hands.givenMedian, 4) + " given and " + fixed(hands.mirroredMedian, 4) +
           " mirrored, the given curve is higher at " + fixed(100 * hands.above, 0) + " % of " +
           std::to_string(hands.compared) + " ranks";
}

std::vector<std::optional<std::size_t>> ranksUnder(const std::vector<match::Peak>& peaks) {
    using Place = std::array<std::int64_t, 4>; // corner and template
    const auto placeOf = [](const base::Index& corner, int templ) {
        return Place{corner.x, corner.y, corner.z, templ};
    };
    std::map<Place, std::size_t> ranks;
    for (std::size_t i = 0; i < peaks.size(); ++i) {
        ranks.emplace(placeOf(peaks[i].corner, peaks[i].templ), i + 1);
    }
    std::vector<std::optional<std::size_t>> under;
    for (const match::Peak& peak : peaks) {
        const auto found = peak.overlap
                               ? ranks.find(placeOf(peak.overlap->corner, peak.overlap->templ))
                               : ranks.end();
        under.push_back(found != ranks.end() ? std::optional(found->second) : std::nullopt);
    }
    return under;
}

std::string overlapText(const std::vector<match::Peak>& peaks) {
    constexpr std::size_t kNamed = 3;
    constexpr double kWorthIt = 0.01; // less is a rim
    const std::vector<std::optional<std::size_t>> under = ranksUnder(peaks);
    std::string text;
    std::size_t count = 0;
    for (std::size_t i = 0; i < peaks.size(); ++i) {
        if (under[i] && peaks[i].overlap->share >= kWorthIt && ++count <= kNamed) {
            text += (count > 1 ? ", peak " : "peak ") + std::to_string(i + 1) + " overlaps peak " +
                    std::to_string(*under[i]) + " by " + fixed(100 * peaks[i].overlap->share, 0) +
                    " %";
        }
    }
    if (count == 0) {
        return {};
    }
    text += count > kNamed
                ? ", and " + std::to_string(count - kNamed) + " more overlap better peaks"
                : std::string();
    return text + " of the smaller support; false positives of such peaks count peaks of noise, "
                  "but not maxima on the slope of the better peak's scores";
}

} // namespace flcc::job

namespace flcc::job::detail::json {

Json toJson(const SearchReport& search) {
    return {{"members", search.members},     {"likeness", search.likeness},
            {"voxels", search.voxels},       {"mean", search.mean},
            {"deviation", search.deviation}, {"largest_z", search.largestZ},
            {"at", toJson(search.at)}};
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

Json toJson(const std::vector<OtherSearch>& others) {
    Json list = Json::array();
    for (const OtherSearch& other : others) {
        list.push_back({{"of", other.of},
                        {"predicted_ms", orNull(other.predictedMs)},
                        {"measured_ms", orNull(other.ms)}});
    }
    return list;
}

} // namespace flcc::job::detail::json
