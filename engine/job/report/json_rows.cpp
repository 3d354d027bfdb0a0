#include "engine/job/report/json_rows.h"

#include "engine/base/text.h"

namespace flcc::job::detail::json {

namespace {

Json spreadJson(const Spread& spread) {
    return {{"min", spread.min}, {"median", spread.median}, {"max", spread.max}};
}

/// Null if nothing ran, or is predicted to run, on devices.
Json timesJson(const std::optional<method::DeviceTimes>& times) {
    if (!times) {
        return nullptr;
    }
    return {{"setup_ms", times->setup},     {"packing_ms", times->packing},
            {"upload_ms", times->upload},   {"uploads", times->uploads},
            {"compute_ms", times->compute}, {"download_ms", times->download},
            {"joining_ms", times->joining}, {"downloaded_bytes", times->downloaded},
            {"devices", times->devices},    {"one_after_the_other_ms", times->oneAfterTheOther()}};
}

const char* orientationName(io::Orientation orientation) {
    return orientation == io::Orientation::Stored ? "stored" : "applied";
}

} // namespace

Json toJson(const base::Extents& extents) { return Json::array({extents.x, extents.y, extents.z}); }
Json toJson(const base::Index& index) { return Json::array({index.x, index.y, index.z}); }
Json toJson(const base::Point& point) { return Json::array({point[0], point[1], point[2]}); }
Json toJson(const base::Box& box) {
    return {{"corner", toJson(box.corner)}, {"extents", toJson(box.extents)}};
}

Json orNull(const std::string& text) { return text.empty() ? Json(nullptr) : Json(text); }

Json axesJson(const base::Geometry& geometry) {
    return geometry.axes == base::WorldAxes::Unnamed ? Json(nullptr)
                                                     : Json(base::name(geometry.axes));
}

/// All keys always; null where there is nothing to say.
Json toJson(const plan::CandidateReport& row) {
    Json json{{"method", row.candidate.method},
              {"device", row.candidate.device},
              {"tile", toJson(row.candidate.tile)},
              {"threads", row.candidate.threads},
              {"parts", row.candidate.parts},
              {"transforms", nullptr},
              {"in_flight", row.candidate.onDevice.inFlight},
              {"verdict", plan::name(row.verdict)},
              {"reason", row.reason},
              {"operations", nullptr},
              {"predicted_ms", nullptr},
              {"sample_ms", orNull(row.sampleMs)},
              {"expected_ms", orNull(row.expectedMs())},
              {"measured_ms", orNull(row.measuredMs)},
              {"host_bytes", nullptr},
              {"device_bytes", nullptr},
              {"error_bound", nullptr},
              {"fft_planning", nullptr},
              {"tiles_in_flight", nullptr},
              {"padding_waste", nullptr},
              {"device_times", nullptr}};
    if (row.candidate.transforms != method::Transforms::Auto) {
        json["transforms"] = method::name(row.candidate.transforms);
    }
    if (row.prediction) {
        json["device_times"] = timesJson(row.prediction->onDevice.times);
        json["operations"] = row.prediction->operations;
        json["predicted_ms"] = row.prediction->ms;
        json["host_bytes"] = row.prediction->hostBytes;
        json["device_bytes"] = row.prediction->onDevice.bytes;
        json["error_bound"] = row.prediction->errorBound;
        json["tiles_in_flight"] = row.prediction->tilesInFlight;
        if (!row.prediction->fftPlanning.empty()) {
            json["fft_planning"] = row.prediction->fftPlanning;
            json["padding_waste"] = row.prediction->paddingWaste;
        }
    }
    return json;
}

Json candidatesJson(const std::vector<plan::CandidateReport>& rows) {
    Json list = Json::array();
    for (const plan::CandidateReport& row : rows) {
        list.push_back(toJson(row));
    }
    return list;
}

Json toJson(const RunReport& run, double planningMs) {
    Json stages = Json::object();
    for (const auto& [stage, ms] : run.stagesMs) {
        stages[stage] = ms;
    }
    Json shares = Json::object();
    for (const auto& [stage, share] : stageShares(run)) {
        shares[stage] = share;
    }
    return {{"execute_ms", spreadJson(run.executeMs)},
            {"stream_ms", spreadJson(run.streamMs)},
            {"planning_ms", planningMs},
            {"read_ms", run.readMs},
            {"peaks_ms", run.peaksMs},
            {"write_ms", run.writeMs},
            {"stages_ms", stages},
            {"stage_shares", shares},
            {"device_times", timesJson(run.times)},
            {"peak_host_bytes", run.peakHostBytes},
            {"threads", run.threads},
            {"device", run.device}};
}

namespace {

/// What is assumed of an input, and how its name is stored.
std::string noteOf(const InputReport& input) {
    const std::string bytes =
        base::isUtf8(input.path)
            ? ""
            : "the name is no UTF-8: after \"bytes:\", % and two digits stand for a byte";
    return input.note + (input.note.empty() || bytes.empty() ? "" : "; ") + bytes;
}

} // namespace

Json inputsJson(const std::vector<InputReport>& inputs) {
    Json list = Json::array();
    for (const InputReport& input : inputs) {
        Json series = Json::array();
        for (const io::FileDigest& file : input.series) {
            series.push_back({{"path", file.path.string()}, {"sha256", file.sha256}});
        }
        list.push_back({{"role", input.role},
                        {"path", input.path},
                        {"sha256", orNull(input.sha256)},
                        {"data_file", input.dataFile ? Json{{"path", input.dataFile->path.string()},
                                                            {"sha256", input.dataFile->sha256}}
                                                     : Json(nullptr)},
                        {"series", input.series.empty() ? Json(nullptr) : series},
                        {"orientation", orientationName(input.reading.orientation)},
                        {"image", orNull(input.reading.image)},
                        {"part", input.reading.part ? toJson(*input.reading.part) : Json(nullptr)},
                        {"note", orNull(noteOf(input))},
                        {"counts", orNull(input.counts)}});
    }
    return list;
}

Json environmentJson(const Environment& environment) {
    Json versions = Json::object();
    for (const auto& [library, version] : environment.versions) {
        versions[library] = version;
    }
    return {{"versions", versions},
            {"processor", environment.processor},
            {"instructions", environment.instructions}};
}

Json environmentJson(const Environment& environment, bool calibrated) {
    Json json = environmentJson(environment);
    json["devices"] = environment.devices;
    json["calibrated"] = calibrated;
    return json;
}

namespace {

template <class Change> void changeTexts(Json& json, const Change& change) {
    if (json.is_string()) {
        json = change(json.get_ref<const std::string&>());
    } else if (json.is_structured()) {
        for (Json& each : json) {
            changeTexts(each, change);
        }
    }
}

} // namespace

Json stored(Json json) {
    changeTexts(json, [](const std::string& text) { return base::storedText(text); });
    return json;
}

Json restored(Json json) {
    changeTexts(json, [](const std::string& text) { return base::restoredText(text); });
    return json;
}

std::string fileText(const Json& report) {
    // Keys of libraries and the like may come from files, too.
    return stored(report).dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}

} // namespace flcc::job::detail::json
