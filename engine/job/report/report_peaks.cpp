#include "engine/job/report/report_peaks.h"

#include <algorithm>
#include <string>
#include <vector>

#include <nlohmann/json.hpp>

#include "engine/base/error.h"
#include "engine/base/text.h"
#include "engine/io/peak_file.h"
#include "engine/job/report/text_file.h"
#include "engine/match/place.h"
#include "engine/method/operation.h"

namespace flcc::job::detail {

namespace {

using base::Error;
using base::ErrorCode;
using Json = nlohmann::json;

template <class T> std::optional<T> valueAt(const Json& json, const char* key) {
    const auto found = json.find(key);
    return found == json.end() || found->is_null() ? std::nullopt : std::optional(found->get<T>());
}

base::Extents extentsAt(const Json& json) {
    const auto n = json.get<std::array<std::int64_t, 3>>();
    return {n[0], n[1], n[2]};
}

std::optional<rotation::Pose> poseAt(const Json& json) {
    if (json.is_null()) {
        return std::nullopt;
    }
    const auto q = json.at("quaternion").get<std::array<double, 4>>();
    return rotation::Pose{
        {q[0], q[1], q[2], q[3]}, json.at("scale").get<double>(), json.at("mirrored").get<bool>()};
}

base::Status statusAt(const Json& json) {
    const auto text = json.get<std::string>();
    for (std::size_t i = 0; i < base::kStatusCount; ++i) {
        if (base::name(static_cast<base::Status>(i)) == text) {
            return static_cast<base::Status>(i);
        }
    }
    throw Error(ErrorCode::Input, "\"" + base::excerpt(text) + "\" is no status");
}

match::PlacedBy placedAt(const Json& json) {
    const auto text = json.at("placed_by").get<std::string>();
    for (const match::PlacedBy by :
         {match::PlacedBy::Pixels, match::PlacedBy::Surface, match::PlacedBy::Axes}) {
        if (match::name(by) == text) {
            return by;
        }
    }
    return match::PlacedBy::Voxel;
}

match::Decision decisionAt(const Json& json) {
    const std::string text = valueAt<std::string>(json, "decision").value_or("undecided");
    if (const auto decision = match::decisionNamed(text)) {
        return *decision;
    }
    throw Error(ErrorCode::Input, "\"" + base::excerpt(text) + "\" is no decision");
}

match::Peak peakAt(const Json& json) {
    match::Peak peak;
    peak.score = json.at("score").get<double>();
    peak.bound = json.at("bound").get<double>();
    peak.status = statusAt(json.at("status"));
    const auto corner = json.at("corner").get<std::array<std::int64_t, 3>>();
    peak.corner = {corner[0], corner[1], corner[2]};
    peak.centre = json.at("centre").get<base::Point>();
    peak.world = json.at("world").get<base::Point>();
    peak.shift = json.at("shift").get<base::Point>();
    peak.error = valueAt<base::Point>(json, "error");
    peak.placedBy = placedAt(json);
    peak.templ = json.at("template").get<int>();
    peak.pose = poseAt(json.value("pose", Json()));
    if (const Json refined = json.value("refinement", Json()); !refined.is_null()) {
        peak.refinement = match::Refinement{
            poseAt(refined.at("searched")).value_or(rotation::Pose{}),
            refined.at("score").get<double>(), refined.at("turn_error").get<base::Point>(),
            refined.at("scale_error").get<double>(), refined.at("scale_ends").get<bool>()};
    }
    peak.rival = valueAt<double>(json, "rival");
    peak.zscore = valueAt<double>(json, "zscore");
    peak.falsePositives = valueAt<double>(json, "false_positives");
    peak.sharpness = valueAt<double>(json, "sharpness");
    if (const Json search = json.value("search", Json()); !search.is_null()) {
        peak.search =
            match::PeakSearch{search.at("mean").get<double>(), search.at("deviation").get<double>(),
                              search.at("z").get<double>()};
    }
    peak.madeOf = json.value("made_of", false);
    if (const auto sign = valueAt<std::string>(json, "polarity")) {
        peak.dark = *sign == "dark";
    }
    return peak;
}

io::PeakContext contextOf(const Json& report) {
    const Json& problem = report.at("problem");
    io::PeakContext context;
    context.sceneExtents = extentsAt(problem.at("scene"));
    context.extent = problem.at("extent").get<std::string>();
    context.outside = problem.value("outside", "");
    const auto operation = problem.at("operation").get<std::string>();
    context.operation = method::nameUnlessDefault(operation);
    context.incomplete = valueAt<std::string>(report, "peaks_incomplete").value_or("");
    context.geometry.spacing = problem.at("spacing").get<base::Point>();
    context.geometry.unit = problem.at("unit").get<std::string>();
    const auto source = problem.at("unit_source").get<std::string>();
    for (const base::UnitSource each : {base::UnitSource::Header, base::UnitSource::User}) {
        if (base::name(each) == source) {
            context.geometry.unitSource = each;
        }
    }
    context.geometry.origin = problem.at("origin").get<base::Point>();
    context.geometry.direction = problem.at("direction").get<std::array<double, 9>>();
    std::vector<std::string> masks;
    for (const Json& input : report.at("inputs")) {
        const auto role = input.at("role").get<std::string>();
        const auto path = input.at("path").get<std::string>();
        if (role == "scene") {
            context.scene = path;
            context.sha256 = valueAt<std::string>(input, "sha256").value_or("");
        } else if (role == "scene-mask") {
            context.sceneMask = path;
        } else if (role == "mask") {
            masks.push_back(path);
        }
    }
    std::vector<std::string> species;
    if (const Json stated = report.value("job", Json::object()).value("species", Json());
        stated.is_array()) {
        species = stated.get<std::vector<std::string>>();
    }
    for (const Json& templ : report.at("templates")) {
        const bool masked = templ.at("masked").get<bool>();
        const std::size_t number = context.templates.size();
        context.templates.push_back({templ.at("source").get<std::string>(),
                                     extentsAt(templ.at("extents")),
                                     masked && masks.size() == 1 ? masks.front() : "",
                                     valueAt<base::Point>(templ, "reference"),
                                     number < species.size() ? species[number] : ""});
    }
    context.poses = !report.value("poses", Json()).is_null();
    return context;
}

io::PositionList listOf(const Json& report, const io::ListPlace& place) {
    if (!report.value("stream", Json()).is_null() && report.at("peaks").empty()) {
        throw Error(ErrorCode::Input, "it is the report of a stream, whose peaks are in the list "
                                      "that --peaks wrote");
    }
    io::PeakContext context = contextOf(report);
    context.unknowns = place.unknowns;
    std::vector<match::Peak> peaks;
    std::vector<match::Decision> decisions;
    for (const Json& peak : report.at("peaks")) {
        peaks.push_back(peakAt(peak));
        decisions.push_back(decisionAt(peak));
        const int templ = peaks.back().templ;
        if (templ < 0 || templ >= std::ssize(context.templates)) {
            throw Error(ErrorCode::Input, "a peak is of template " + std::to_string(templ) +
                                              " of " + std::to_string(context.templates.size()));
        }
    }
    const bool judged = std::ranges::any_of(
        decisions, [](match::Decision each) { return each != match::Decision::Undecided; });
    io::PositionList list =
        judged ? io::peakList(peaks, decisions, context) : io::peakList(peaks, context);
    list.format = io::ListFormat::Json;
    if (!place.scene.empty()) {
        list.place.scene = place.scene;
        list.place.geometry = place.geometry;
    }
    return list;
}

} // namespace

std::optional<io::PositionList> peaksOfReport(const std::filesystem::path& file,
                                              const io::ListPlace& place) {
    if (file.extension() != ".json") {
        return std::nullopt;
    }
    const std::string text = readTextFile(file, "list");
    if (base::nestsTooDeep(text)) {
        return std::nullopt;
    }
    const Json report = Json::parse(text, nullptr, false);
    if (!report.is_object() || !report.contains("problem") || !report.contains("peaks")) {
        return std::nullopt;
    }
    const std::string is = file.string() + " is no report of a finished match: ";
    try {
        return listOf(report, place);
    } catch (const Json::exception& error) {
        throw Error(ErrorCode::Input, is + base::excerpt(error.what()));
    } catch (const Error& error) {
        throw error.within(is);
    }
}

} // namespace flcc::job::detail
