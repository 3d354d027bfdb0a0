#include "engine/job/kinds/result_comparison.h"

#include <algorithm>
#include <cmath>
#include <optional>

#include "engine/io/image_file.h"
#include "engine/job/report/text.h"

namespace flcc::job::detail {

using json::Json;
using std::filesystem::path;

namespace {

double numberAt(const Json& json, const char* key) {
    const Json value = json.value(key, Json());
    return value.is_number() ? value.get<double>() : std::nan("");
}

std::string peakText(const Json& peak) {
    return "score " + shortest(numberAt(peak, "score")) + " at corner " +
           peak.value("corner", Json()).dump() + ", template " +
           peak.value("template", Json()).dump();
}

/// The bound on the error of any score of a map.
double boundOf(const Json& map) {
    const double usual = numberAt(map, "bound_largest");
    const double low = numberAt(map, "bound_largest_lowconf");
    return std::max(std::isnan(usual) ? 0 : usual, std::isnan(low) ? 0 : low);
}

/// Compares with the voxels of the map's file. Empty if there is none that fits.
std::optional<Found> compareVoxels(const path& file, const base::AnyView& now, double bound,
                                   const std::stop_token& stop) {
    std::error_code error;
    if (file.empty() || !std::filesystem::exists(file, error)) {
        return {};
    }
    const io::LoadedImage loaded = io::readImage(file, {.stop = stop});
    if (loaded.components.size() != 1 ||
        base::extentsOf(loaded.components.front()) != base::extentsOf(now)) {
        return Found{Replay::Verdict::Different,
                     "the map in " + file.string() + " has other extents"};
    }
    const base::AnyView before = base::viewOf(loaded.components.front());
    const base::Extents n = base::extentsOf(now);
    double largest = 0;
    base::Index where;
    for (base::Index at; at.z < n.z; ++at.z) {
        for (at.y = 0; at.y < n.y && !stop.stop_requested(); ++at.y) {
            for (at.x = 0; at.x < n.x; ++at.x) {
                const double a = base::valueAt(before, at);
                const double b = base::valueAt(now, at);
                const bool same = a == b || (std::isnan(a) && std::isnan(b));
                const double off = same ? 0 : std::abs(a - b);
                if (!(off <= bound)) {
                    return Found{Replay::Verdict::Different,
                                 "voxel " + base::toString(at) + " of the map was " + shortest(a) +
                                     "; now it is " + shortest(b) + ", and the bound is " +
                                     shortest(bound)};
                }
                if (off > largest) {
                    largest = off;
                    where = at;
                }
            }
        }
    }
    if (largest == 0) {
        return Found{Replay::Verdict::WithinBounds,
                     "the scores of the map are the same, but statuses differ"};
    }
    return Found{Replay::Verdict::WithinBounds,
                 "the map differs most at voxel " + base::toString(where) + ", by " +
                     shortest(largest) + ", bound " + shortest(bound)};
}

Found compareStatistics(const Json& before, const Json& now, double bound) {
    Found found{Replay::Verdict::Identical, "the statistics of the map are the same"};
    for (const char* const key : {"min", "max", "mean", "std", "count", "nan"}) {
        const double a = numberAt(before, key);
        const double b = numberAt(now, key);
        if (std::isnan(a) && std::isnan(b)) { // maps of scores do not count NaN here
            continue;
        }
        const bool counts = std::string_view(key) == "count" || std::string_view(key) == "nan";
        if (!(std::abs(a - b) <= (counts ? 0 : bound))) {
            return {Replay::Verdict::Different, std::string(key) + " of the map was " +
                                                    shortest(a) + "; now it is " + shortest(b)};
        }
        if (a != b && found.verdict == Replay::Verdict::Identical) {
            found = {Replay::Verdict::WithinBounds, std::string(key) + " of the map differs by " +
                                                        shortest(std::abs(a - b)) + ", bound " +
                                                        shortest(bound)};
        }
    }
    return found;
}

Found otherFrames(const Json& before, const Json& now) {
    return {Replay::Verdict::Different, "there were " + std::to_string(before.size()) +
                                            " frames; now there are " + std::to_string(now.size())};
}

} // namespace

Found comparePeaks(const Json& before, const Json& now) {
    Found found;
    for (std::size_t i = 0; i < std::max(before.size(), now.size()); ++i) {
        const std::string which = "peak " + std::to_string(i + 1);
        if (i >= before.size() || i >= now.size()) {
            const bool more = i >= before.size();
            return {Replay::Verdict::Different, which + (more ? " is new: " : " is missing: ") +
                                                    peakText(more ? now[i] : before[i])};
        }
        const double off = std::abs(numberAt(before[i], "score") - numberAt(now[i], "score"));
        const double bound = numberAt(before[i], "bound") + numberAt(now[i], "bound");
        const bool same = before[i].value("corner", Json()) == now[i].value("corner", Json()) &&
                          before[i].value("template", Json()) == now[i].value("template", Json());
        if (!same || !(off <= bound)) {
            return {Replay::Verdict::Different,
                    which + " was " + peakText(before[i]) + "; now it is " + peakText(now[i])};
        }
        const bool equal =
            off == 0 && before[i].value("centre", Json()) == now[i].value("centre", Json());
        if (!equal && found.sentence.empty()) {
            found = {Replay::Verdict::WithinBounds,
                     which + " differs by " + shortest(off) + ", bound " + shortest(bound)};
        }
    }
    if (found.sentence.empty() && !before.empty()) {
        found.sentence = std::to_string(now.size()) +
                         (now.size() == 1 ? " peak is" : " peaks are") + " the same";
    }
    return found;
}

Found compareMaps(const Json& before, const Json& now, const std::optional<MapAgain>& again,
                  const std::stop_token& stop) {
    const Json mapBefore = before.value("map", Json());
    const Json mapNow = now.value("map", Json());
    if (!mapBefore.is_object() || !mapNow.is_object()) {
        return {};
    }
    const double bound = boundOf(mapBefore) + boundOf(mapNow);
    const Json digest = before.value("map_sha256", Json());
    if (digest.is_string() && again) {
        if (digest.get<std::string>() == again->digest) {
            return {Replay::Verdict::Identical, "the map of " +
                                                    base::toString(base::extentsOf(again->values)) +
                                                    " voxels is the same, bit for bit"};
        }
        if (const auto found = compareVoxels(again->file, again->values, bound, stop)) {
            return *found;
        }
    }
    Found found = compareStatistics(mapBefore, mapNow, bound);
    if (digest.is_string() && found.verdict == Replay::Verdict::Identical) {
        found = {Replay::Verdict::WithinBounds,
                 "some voxels of the map differ (its statistics do not); keep the file of the map "
                 "to learn which"};
    }
    return found;
}

Found compareFrames(const Json& before, const Json& now) {
    if (!before.is_array() || !now.is_array()) {
        return {};
    }
    if (before.size() != now.size()) {
        return otherFrames(before, now);
    }
    Found worst;
    for (std::size_t i = 0; i < before.size(); ++i) {
        const auto list = [](const Json& frame) {
            const Json best = frame.value("best", Json());
            return best.is_object() ? Json::array({best}) : Json::array();
        };
        const std::string where = "frame " + std::to_string(i) + ": ";
        if (before[i].value("peaks", Json()) != now[i].value("peaks", Json())) {
            return {Replay::Verdict::Different,
                    where + "it had " + before[i].value("peaks", Json()).dump() +
                        " peaks; now it has " + now[i].value("peaks", Json()).dump()};
        }
        Found found = comparePeaks(list(before[i]), list(now[i]));
        if (found.verdict > worst.verdict) {
            worst = {found.verdict, where + found.sentence};
        }
    }
    if (worst.sentence.empty()) {
        worst.sentence = "the peaks of " + std::to_string(now.size()) + " frames are the same";
    }
    return worst;
}

Found compareRows(const std::string& word, const Json& before, const Json& now) {
    for (std::size_t i = 0; i < std::max(before.size(), now.size()); ++i) {
        const std::string which = word + " " + std::to_string(i + 1);
        if (i >= before.size() || i >= now.size()) {
            const bool more = i >= before.size();
            return {Replay::Verdict::Different, which + (more ? " is new: " : " is missing: ") +
                                                    (more ? now[i] : before[i]).dump()};
        }
        if (nlohmann::json(before[i]) != nlohmann::json(now[i])) { // in any order of keys
            return {Replay::Verdict::Different, which + " was " + before[i].dump() +
                                                    "; now it is " + now[i].dump() +
                                                    " (no bound is stated for a " + word + ")"};
        }
    }
    return {Replay::Verdict::Identical, std::to_string(now.size()) + " " + word +
                                            (now.size() == 1 ? " is" : "s are") + " the same"};
}

Found compareConvolvedFrames(const Json& before, const Json& now) {
    if (!before.is_array() || !now.is_array()) {
        return {};
    }
    if (before.size() != now.size()) {
        return otherFrames(before, now);
    }
    Found worst;
    for (std::size_t i = 0; i < now.size(); ++i) {
        const Found found =
            compareStatistics(before[i], now[i], boundOf(before[i]) + boundOf(now[i]));
        if (found.verdict > worst.verdict) {
            worst = {found.verdict, "frame " + std::to_string(i) + ": " + found.sentence};
        }
    }
    if (worst.sentence.empty()) {
        worst.sentence = "the statistics of " + std::to_string(now.size()) + " frames are the same";
    }
    return worst;
}

Found compareDigests(const std::string& name, const Json& before, const Json& now) {
    if (!before.is_string()) {
        return {};
    }
    return before == now
               ? Found{Replay::Verdict::Identical,
                       "the map of " + name + " is the same, bit for bit"}
               : Found{Replay::Verdict::Different, "some voxels of the map of " + name + " differ"};
}

} // namespace flcc::job::detail
