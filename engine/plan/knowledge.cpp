#include "engine/plan/knowledge.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <mutex>
#include <new>
#include <stdexcept>
#include <utility>

#include <nlohmann/json.hpp>

#include "engine/base/text.h"
#include "engine/cpu/transform/fft_plan.h"
#include "engine/plan/detail/sampling.h"
#include "engine/plan/planner.h"

namespace flcc::plan {

namespace {

using Json = nlohmann::ordered_json;

/// Part of machineKey(). Raise it when the meaning of stored knowledge changes: older files are
/// then ignored.
constexpr int kVersion = 13;
constexpr std::int64_t kLongestAxis = std::int64_t{1} << 32;
/// The end of the year 9999, in seconds since 1970.
constexpr std::int64_t kLatest = 253'402'300'799;

Json toJson(const base::Extents& extents) { return Json::array({extents.x, extents.y, extents.z}); }

/// Extents from JSON. **Errors**: throws if a length is below `least`; pass 0 where "no tile" is
/// allowed.
base::Extents extentsOf(const Json& json, std::int64_t least = 1) {
    const base::Extents extents{json.at(0).get<std::int64_t>(), json.at(1).get<std::int64_t>(),
                                json.at(2).get<std::int64_t>()};
    for (const std::int64_t length : {extents.x, extents.y, extents.z}) {
        if (length < least || length > kLongestAxis) {
            throw std::out_of_range("extents");
        }
    }
    return extents;
}

double positive(const Json& json) {
    const double value = json.get<double>();
    if (!(value >= 0) || value > 1e15) {
        throw std::out_of_range("a time or rate");
    }
    return value;
}

Json modelJson(const method::CostModel& model) {
    Json json{{"calibrated", model.calibrated}};
    for (const auto& constant : method::CostModel::constants()) {
        json[std::string(constant.name)] = model.*constant.value;
    }
    Json lengths = Json::array();
    for (const method::LengthTime& time : model.transformTimes) {
        lengths.push_back(
            {{"length", time.length}, {"row_ns", time.rowNs}, {"column_ns", time.columnNs}});
    }
    json["transform_times"] = lengths;
    Json shapes = Json::array();
    for (const method::ShapeTime& time : model.shapeTimes) {
        shapes.push_back({{"points", toJson(time.points)},
                          {"tile_ns", time.tileNs},
                          {"prepare_ns", time.prepareNs}});
    }
    json["shape_times"] = shapes;
    Json rates = Json::object();
    for (const method::InstructionRate& rate : model.instructionRates) {
        rates[rate.instructions] = rate.multiplyAddsPerNs;
    }
    json["multiply_adds_per_ns_by_instructions"] = rates;
    return json;
}

method::CostModel modelOf(const Json& json) {
    method::CostModel model;
    model.calibrated = json.at("calibrated").get<bool>();
    for (const auto& constant : method::CostModel::constants()) {
        model.*constant.value = positive(json.at(std::string(constant.name)));
    }
    if (!(model.multiplyAddsPerNs > 0 && model.threadEfficiency > 0 && model.cacheBytes > 0)) {
        throw std::out_of_range("a rate");
    }
    model.transformTimes.clear();
    for (const Json& time : json.at("transform_times")) {
        model.transformTimes.push_back({time.at("length").get<std::int64_t>(),
                                        positive(time.at("row_ns")),
                                        positive(time.at("column_ns"))});
    }
    if (model.transformTimes.empty()) {
        throw std::out_of_range("no times of transforms");
    }
    for (const Json& time : json.at("shape_times")) {
        model.shapeTimes.push_back({extentsOf(time.at("points")), positive(time.at("tile_ns")),
                                    positive(time.at("prepare_ns"))});
    }
    for (const auto& [name, rate] : json.at("multiply_adds_per_ns_by_instructions").items()) {
        model.instructionRates.push_back({name, positive(rate)});
    }
    return model;
}

Json problemJson(const KnownProblem& problem) {
    Json timings = Json::array();
    for (const Timing& timing : problem.timings) {
        Json one{{"method", timing.candidate.method},
                 {"device", timing.candidate.device},
                 {"tile", toJson(timing.candidate.tile)},
                 {"threads", timing.candidate.threads},
                 {"in_flight", timing.candidate.onDevice.inFlight},
                 {"parts", timing.candidate.parts},
                 {"transforms", method::name(timing.candidate.transforms)},
                 {"ms", timing.ms}};
        if (!timing.runs.empty()) {
            one["runs"] = timing.runs;
        }
        timings.push_back(std::move(one));
    }
    return {{"key", problem.key}, {"when", problem.when}, {"timings", timings}};
}

KnownProblem problemOf(const Json& json) {
    KnownProblem problem{
        json.at("key").get<std::string>(), {}, json.value("when", std::int64_t{0})};
    if (problem.when < 0 || problem.when > kLatest) {
        throw std::out_of_range("a date");
    }
    for (const Json& timing : json.at("timings")) {
        const auto transforms = method::transformsNamed(timing.value("transforms", "auto"));
        problem.timings.push_back({{.method = timing.at("method").get<std::string>(),
                                    .device = timing.at("device").get<std::string>(),
                                    .tile = extentsOf(timing.at("tile"), 0),
                                    .threads = timing.at("threads").get<int>(),
                                    .onDevice = {.inFlight = timing.value("in_flight", 0)},
                                    .parts = timing.value("parts", 0),
                                    .transforms = transforms.value()},
                                   positive(timing.at("ms"))});
        for (const Json& ms : timing.value("runs", Json::array())) {
            problem.timings.back().runs.push_back(positive(ms));
        }
        if (problem.timings.back().runs.size() > kMostRuns) {
            throw std::out_of_range("runs");
        }
    }
    return problem;
}

/// The class of a scene's content in a key. Two scenes of one class take about the same time; finer
/// classes would time scenes again that are alike.
std::string contentKey(const method::SceneStatistics& statistics) {
    const auto powersOfFour = [](double value) {
        return std::to_string(std::lround(std::log2(std::max(1.0, value)) / 2));
    };
    constexpr double kParts = 8; // 0 only where no panel is flat
    return "flat " + std::to_string(std::lround(std::ceil(kParts * statistics.flatShare))) +
           " contrast " + powersOfFour(method::predictedK(statistics)) + " levels " +
           powersOfFour(std::min(statistics.steps, 1e18)) +
           (statistics.nonFinite > 0 ? " non-finite" : "");
}

} // namespace

// Other work on the machine only ever makes a run longer, so the least of several runs is nearest
// to what the machine can do. Older runs are forgotten, so that a machine that has become slower is
// followed after kMostRuns runs. A sample, which is extrapolated, does not count beside a run.
void Timing::addRun(double runMs) {
    runs.push_back(runMs);
    if (runs.size() > kMostRuns) {
        runs.erase(runs.begin());
    }
    ms = *std::min_element(runs.begin(), runs.end());
}

// The samples of one planning err together: all were timed in the same busy moment, and on the same
// part of the scene. A run therefore corrects the other samples too. The choice stays, whatever a
// busy moment does to a run: a method that changed from run to run would change the last digits of
// the scores, and samples that were timed beside each other compare methods better than runs.
void KnownProblem::correct(const method::Candidate& ran, double runMs) {
    const auto own = std::find_if(timings.begin(), timings.end(),
                                  [&](const Timing& one) { return one.candidate == ran; });
    if (own == timings.end()) {
        timings.push_back({ran, runMs, {runMs}});
        return;
    }
    const double before = own->ms;
    own->addRun(runMs);
    if (!(before > 0)) {
        return;
    }
    for (Timing& other : timings) {
        if (other.runs.empty()) {
            other.ms *= own->ms / before;
        }
    }
}

const KnownProblem* Knowledge::find(std::string_view key) const {
    const auto found = std::find_if(problems.begin(), problems.end(),
                                    [&](const KnownProblem& one) { return one.key == key; });
    return found == problems.end() ? nullptr : &*found;
}

void Knowledge::remember(KnownProblem problem) {
    std::erase_if(problems, [&](const KnownProblem& one) { return one.key == problem.key; });
    problems.push_back(std::move(problem));
    if (problems.size() > kMostKnownProblems) {
        problems.erase(problems.begin(),
                       problems.end() - static_cast<std::ptrdiff_t>(kMostKnownProblems));
    }
}

std::string problemKey(const method::Problem& problem, const method::Limits& limits,
                       std::string_view planning, std::string_view method, std::string_view device,
                       const base::Extents& tile, const method::SceneStatistics* statistics) {
    // The binding names all fields, so that a new one in Problem does not compile until it is here.
    const auto& [operation, extent, scene, templ, scenePixel, templPixel, promise, precision,
                 recompute, outside, minOverlap, mask, weights, ownMasks, sceneMask, windowSums,
                 templates, searchSums, residual, onDevice] = problem;
    const auto& [map, runs] = onDevice;
    std::string key;
    const auto add = [&](std::string_view part) {
        key += key.empty() ? "" : " ";
        key += part;
    };
    add(name(operation));
    add(name(extent));
    add(base::toString(scene));
    add(base::toString(templ));
    add(base::name(scenePixel));
    add(base::name(templPixel));
    add(Json(promise).dump());
    add(name(precision));
    add(recompute ? "recompute" : "keep");
    add(name(outside));
    add(Json(minOverlap).dump());
    add(weights ? "weights" : mask ? "mask" : "box");
    if (ownMasks) {
        add("own-masks");
    }
    add(sceneMask ? "scene-mask" : "scene");
    add(name(windowSums));
    add(std::to_string(templates) + (templates == 1 ? " template" : " templates"));
    if (searchSums) {
        add("search-sums");
    }
    add(residual.isWithin(precision) ? "product" : "general");
    add(map ? "map" : "peaks");
    add(std::to_string(runs) + (runs == 1 ? " run" : " runs"));
    add(std::to_string(limits.threads));
    add(name(limits.transforms));
    add(planning);
    add(method);
    add(device);
    add(base::toString(tile));
    if (statistics != nullptr) {
        add(contentKey(*statistics));
    }
    return key;
}

std::string machineKey() {
    const std::vector<Device> all = devices(DeviceDetail::Names);
    const Device& cpu = all.front();
    std::string key = cpu.name + "\n" + cpu.instructions + "\n" + std::to_string(cpu.threads) +
                      " threads\nknowledge " + std::to_string(kVersion) + "\nflcc " FLCC_VERSION;
    for (const Device& device : all) {
        if (device.usable && device.id != cpu.id) {
            key += "\n" + device.id + " " + device.name;
        }
    }
    for (const auto& [library, version] : libraryVersions()) {
        key += "\n" + library + " " + version;
    }
    return key;
}

std::string toText(const Knowledge& knowledge) {
    Json json;
    json["model"] = knowledge.model ? modelJson(*knowledge.model) : Json(nullptr);
    json["wisdom_single"] = knowledge.wisdomSingle;
    json["wisdom_double"] = knowledge.wisdomDouble;
    json["problems"] = Json::array();
    for (const KnownProblem& problem : knowledge.problems) {
        json["problems"].push_back(problemJson(problem));
    }
    return json.dump(1, ' ', false, Json::error_handler_t::replace);
}

std::optional<Knowledge> knowledgeFromText(std::string_view text) {
    if (base::nestsTooDeep(text)) {
        return std::nullopt;
    }
    try {
        const Json json = Json::parse(text);
        Knowledge knowledge;
        if (const Json& model = json.at("model"); !model.is_null()) {
            knowledge.model = modelOf(model);
        }
        knowledge.wisdomSingle = json.at("wisdom_single").get<std::string>();
        knowledge.wisdomDouble = json.at("wisdom_double").get<std::string>();
        for (const Json& problem : json.at("problems")) {
            knowledge.problems.push_back(problemOf(problem));
        }
        return knowledge;
    } catch (const std::bad_alloc&) {
        throw;
    } catch (const std::exception&) { // malformed JSON, or a value out of range
        return std::nullopt;
    }
}

void useWisdom(const Knowledge& knowledge) {
    static std::mutex lock;
    static std::pair<std::string, std::string> used;
    const std::lock_guard guard(lock);
    const std::pair wisdom{knowledge.wisdomSingle, knowledge.wisdomDouble};
    if (wisdom == used) {
        return;
    }
    used = wisdom;
    cpu::forgetWisdom(); // so that plans depend on this wisdom alone, not on earlier runs
    (void)cpu::importWisdom({knowledge.wisdomSingle, knowledge.wisdomDouble});
}

void keepWisdom(Knowledge& knowledge) {
    (void)cpu::importWisdom({knowledge.wisdomSingle, knowledge.wisdomDouble});
    cpu::FftWisdom wisdom = cpu::exportWisdom();
    knowledge.wisdomSingle = std::move(wisdom.single);
    knowledge.wisdomDouble = std::move(wisdom.inDouble);
}

std::string toJson(const method::CostModel& model) { return modelJson(model).dump(2) + "\n"; }

} // namespace flcc::plan
