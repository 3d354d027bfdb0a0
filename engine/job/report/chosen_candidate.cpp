#include <algorithm>
#include <new>
#include <stdexcept>

#include "engine/base/error.h"
#include "engine/base/text.h"
#include "engine/job/report.h"
#include "engine/job/report/json_rows.h"
#include "engine/job/report/text_file.h"

namespace flcc::job {

using base::Error;
using base::ErrorCode;
using namespace detail::json;

namespace {

using detail::json::toJson;

/// The part of a report that belongs to templates of `templ`: the report, one of its groups, or
/// either of these of the first scene.
const Json& partFor(const Json& report, const base::Extents& templ) {
    if (const auto scenes = report.find("scenes"); scenes != report.end()) {
        return partFor(scenes->at(0), templ);
    }
    const auto groups = report.find("groups");
    if (groups == report.end() || groups->empty()) {
        return report;
    }
    for (const Json& group : *groups) {
        if (group.at("problem").at("template") == toJson(templ)) {
            return group;
        }
    }
    throw Error(ErrorCode::Input, "the plan report has no plan for templates of " +
                                      base::toString(templ) + " voxels; make one that has");
}

/// An integer of the report, or `missing` where it has none. **Errors**: throws for another value.
std::int64_t integerAt(const Json& json, const char* key, std::int64_t missing) {
    const auto found = json.find(key);
    if (found == json.end()) {
        return missing;
    }
    if (!found->is_number_integer()) {
        throw std::invalid_argument("\"" + std::string(key) + "\" is not a whole number");
    }
    return found->get<std::int64_t>();
}

} // namespace

method::Candidate detail::json::candidateOf(const Json& row) {
    const Json known = toJson(plan::CandidateReport{});
    for (const auto& [key, value] : row.items()) {
        if (!known.contains(key)) {
            throw std::invalid_argument("unknown key \"" + base::excerpt(key) + "\"");
        }
    }
    method::Candidate candidate;
    candidate.method = row.at("method").get<std::string>();
    candidate.device = row.at("device").get<std::string>();
    const Json& tile = row.at("tile");
    candidate.tile = {tile.at(0).get<std::int64_t>(), tile.at(1).get<std::int64_t>(),
                      tile.at(2).get<std::int64_t>()};
    constexpr std::int64_t kLongest = std::int64_t{1} << 32;
    for (const std::int64_t length : {candidate.tile.x, candidate.tile.y, candidate.tile.z}) {
        if (length < 1 || length > kLongest) {
            throw std::out_of_range("tile " + base::toString(candidate.tile));
        }
    }
    const std::int64_t threads = integerAt(row, "threads", 1);
    constexpr std::int64_t kMostThreads = 4096;
    if (threads < 1 || threads > kMostThreads) {
        throw std::out_of_range("threads " + std::to_string(threads));
    }
    candidate.threads = static_cast<int>(threads);
    constexpr std::int64_t kMostParts = 16;
    candidate.onDevice.inFlight =
        static_cast<int>(std::clamp<std::int64_t>(integerAt(row, "in_flight", 0), 0, kMostParts));
    const std::int64_t parts = integerAt(row, "parts", 0);
    constexpr std::int64_t kMostDecimated = std::int64_t{1} << 20;
    if (parts < 0 || parts > kMostDecimated) {
        throw std::out_of_range("parts " + std::to_string(parts));
    }
    candidate.parts = static_cast<int>(parts);
    if (const auto found = row.find("transforms"); found != row.end() && !found->is_null()) {
        const auto transforms = method::transformsNamed(found->get<std::string>());
        if (!transforms) {
            throw std::out_of_range("transforms " + base::excerpt(found->get<std::string>()));
        }
        candidate.transforms = *transforms;
    }
    return candidate;
}

method::Candidate chosenCandidate(const std::string& path, const base::Extents& templ) {
    const std::string text = detail::readTextFile(path, "plan report");
    if (base::nestsTooDeep(text)) {
        throw Error(ErrorCode::Input,
                    "the values of the plan report " + path +
                        " are nested more than 100 deep, or one has more than 10000 keys");
    }
    try {
        const Json json = Json::parse(text);
        const Json& chosen = partFor(json, templ).at("chosen");
        if (chosen.is_null()) {
            throw Error(ErrorCode::Input, "the plan report " + path +
                                              " has no chosen candidate; make a plan that has one");
        }
        return candidateOf(chosen);
    } catch (const std::bad_alloc&) {
        throw;
    } catch (const std::exception& error) {
        if (const auto* own = dynamic_cast<const Error*>(&error)) {
            throw *own;
        }
        throw Error(ErrorCode::Input,
                    path + " is no report with a chosen candidate: " + base::excerpt(error.what()));
    }
}

} // namespace flcc::job
