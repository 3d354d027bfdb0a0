#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <utility>

#include <nlohmann/json.hpp>

#include "engine/base/error.h"
#include "engine/base/text.h"
#include "engine/io/image_file.h"
#include "engine/job/input/limits.h"
#include "engine/job/kept_map.h"
#include "engine/job/match/kept_images.h"
#include "engine/job/report/json_rows.h"
#include "engine/job/report/text_file.h"
#include "engine/match/search_statistics.h"

// A kept map from the files that a run wrote.

namespace flcc::job {

using base::Error;
using base::ErrorCode;
using std::filesystem::path;

namespace {

using detail::json::Json;

[[noreturn]] void refuseFiles(const std::string& sentence) {
    throw Error(ErrorCode::Input, sentence);
}

void requireOutputs(const Job& job) {
    const auto refuse = [](const std::string& sentence) {
        throw Error(ErrorCode::CommandLine, sentence);
    };
    if (job.stream || !job.furtherScenes.empty()) {
        refuse(
            "the map of one scene can be loaded again, not the maps of frames or several scenes");
    }
    if (job.map.empty() || job.status.empty() || job.report.empty()) {
        refuse("a map can be loaded again if its job wrote --map, --status and --report");
    }
}

/// The pixels of one component in a type that the run wrote. Empty if cancelled.
base::AnyImage readOutput(const path& file, const base::Extents& extents,
                          const std::stop_token& stop) {
    io::LoadedImage loaded = io::readImage(file, detail::readOptions({}, {}, 0, {}, stop));
    if (loaded.components.empty()) {
        return {};
    }
    if (loaded.components.size() > 1 || loaded.info.extents != extents) {
        refuseFiles(file.string() + " is not of the run: the job gives a map of " +
                    base::toString(extents) + " voxels");
    }
    return std::move(loaded.components.front());
}

template <class T> base::Image<T> imageOf(base::AnyImage pixels, const path& file) {
    if (auto* const image = std::get_if<base::Image<T>>(&pixels)) {
        return std::move(*image);
    }
    refuseFiles(file.string() + " has another pixel type than the run writes");
}

std::shared_ptr<const method::MatchMap> readMap(const Job& job, const method::Problem& problem,
                                                const std::stop_token& stop) {
    const base::Extents extents = method::mapExtents(problem);
    auto map = std::make_shared<method::MatchMap>();
    base::AnyImage scores = readOutput(job.map, extents, stop);
    const base::AnyImage read =
        stop.stop_requested() ? base::AnyImage() : readOutput(job.status, extents, stop);
    if (stop.stop_requested()) {
        return nullptr;
    }
    if (problem.precision == method::Precision::Double) {
        map->exact = imageOf<double>(std::move(scores), job.map);
        map->value = base::Image<float>(extents);
        std::transform(map->exact.data(), map->exact.data() + map->exact.count(), map->value.data(),
                       [](double score) { return static_cast<float>(score); });
    } else {
        map->value = imageOf<float>(std::move(scores), job.map);
    }
    const auto* const numbers = std::get_if<base::Image<std::uint8_t>>(&read);
    if (numbers == nullptr ||
        std::any_of(numbers->data(), numbers->data() + numbers->count(),
                    [](std::uint8_t number) { return number >= base::kStatusCount; })) {
        refuseFiles(job.status.string() + " holds no statuses of a map");
    }
    map->status = base::Image<base::Status>(extents);
    std::transform(numbers->data(), numbers->data() + numbers->count(), map->status.data(),
                   [](std::uint8_t number) { return static_cast<base::Status>(number); });
    return map;
}

/// Null if cancelled.
std::shared_ptr<const match::SearchMaps> readSearch(const Job& job, const base::Extents& extents,
                                                    const std::stop_token& stop) {
    auto maps = std::make_shared<match::SearchMaps>();
    const auto names = searchMapFiles(job.searchMaps);
    const std::array<base::Image<float>*, 3> images{&maps->mean, &maps->deviation, &maps->z};
    for (std::size_t i = 0; i < names.size(); ++i) {
        base::AnyImage read = readOutput(names[i], extents, stop);
        if (stop.stop_requested()) {
            return nullptr;
        }
        *images[i] = imageOf<float>(std::move(read), names[i]);
    }
    return maps;
}

/// A number of a report, in which null stands for infinity.
double numberAt(const Json& json, const char* key) {
    const Json& value = json.at(key);
    return value.is_null() ? std::numeric_limits<double>::infinity() : value.get<double>();
}

method::MapFacts factsOf(const Json& json) {
    method::MapFacts facts;
    for (std::size_t i = 0; i < base::kStatusCount; ++i) {
        json.at("status")
            .at(std::string(base::name(static_cast<base::Status>(i))))
            .get_to(facts.statusCounts[i]);
    }
    json.at("over_range").get_to(facts.overRange);
    json.at("recomputed").get_to(facts.recomputed);
    facts.boundMedian = numberAt(json, "bound_median");
    facts.largestBound = numberAt(json, "bound_largest");
    facts.largestLowConf = numberAt(json, "bound_largest_lowconf");
    facts.largestRelative = numberAt(json, "bound_largest_relative");
    facts.largestRounding = numberAt(json, "largest_rounding");
    if (const Json& sums = json.at("bank_sums"); !sums.is_null()) {
        facts.scores = {.count = sums.at("count").get<std::int64_t>(),
                        .sum = numberAt(sums, "sum"),
                        .squares = numberAt(sums, "squares"),
                        .rounding = numberAt(sums, "rounding"),
                        .anyRange = sums.at("any_range").get<bool>(),
                        .exponent = sums.at("exponent").get<int>()};
    }
    return facts;
}

/// The digests of the files of a report's inputs, in their order.
std::vector<Json> digestsOf(const Json& inputs) {
    std::vector<Json> digests;
    for (const Json& input : inputs) {
        digests.push_back(input.at("sha256"));
        if (!input.at("data_file").is_null()) {
            digests.push_back(input.at("data_file").at("sha256"));
        }
        for (const Json& file : input.at("series")) {
            digests.push_back(file.at("sha256"));
        }
    }
    return digests;
}

/// The statistics of a map, as its run computed them.
match::MapStatistics statisticsOf(const method::MatchMap& map, method::Operation operation,
                                  const std::stop_token& stop) {
    if (operation.traits().inScoreUnits) {
        return match::mapStatistics(map.value.view(), map.status.view(), stop);
    }
    match::SearchedMap values{};
    values.value = map.value.view();
    values.exact = map.exact.view();
    values.status = map.status.view();
    return match::valueStatistics(values, stop);
}

void requireSame(const match::MapStatistics& statistics, const Json& json, const Job& job) {
    if (statistics.count != json.at("count").get<std::int64_t>() ||
        statistics.minimum != numberAt(json, "min") ||
        statistics.maximum != numberAt(json, "max") ||
        statistics.standardDeviation != numberAt(json, "std")) {
        refuseFiles("the map " + job.map.string() + " is not that of the report " +
                    job.report.string());
    }
}

void requireSame(const method::Problem& problem, const Json& json, const Job& job) {
    const bool same = json.at("operation") == method::name(problem.operation) &&
                      json.at("extent") == method::name(problem.extent) &&
                      json.at("outside") == method::name(problem.outside) &&
                      json.at("min_overlap") == problem.minOverlap &&
                      json.at("precision") == method::name(problem.precision) &&
                      json.at("templates") == problem.templates;
    if (!same) {
        refuseFiles("the report " + job.report.string() + " is of another job");
    }
}

std::shared_ptr<const KeptMap> load(const Job& job, const Json& report,
                                    const std::stop_token& stop) {
    auto images = std::make_shared<KeptImages>();
    images->job = job;
    images->inputs = detail::readInputs(job, {}, "", stop);
    if (stop.stop_requested()) {
        return nullptr;
    }
    const detail::Inputs& inputs = images->inputs;
    if (digestsOf(report.at("inputs")) != digestsOf(detail::json::inputsJson(inputs.reports))) {
        refuseFiles("the scene, a template or a mask was changed after the run of the report " +
                    job.report.string());
    }
    if (inputs.groups.size() != 1) {
        throw Error(ErrorCode::CommandLine, "templates of different extents have no map");
    }
    auto kept = std::make_shared<KeptMap>();
    kept->problem = inputs.problem(job, inputs.groups.front());
    requireSame(kept->problem, report.at("problem"), job);
    const base::Index first = method::firstPlacement(kept->problem);
    const base::Index corner = inputs.sceneCorner();
    const base::Index shift = inputs.shiftOf(inputs.groups.front());
    kept->corner = {corner.x + first.x + shift.x, corner.y + first.y + shift.y,
                    corner.z + first.z + shift.z};
    kept->map = readMap(job, kept->problem, stop);
    if (!kept->map) {
        return nullptr;
    }
    const std::int64_t count = inputs.countOf(inputs.groups.front());
    if (count > 1 || inputs.bankOf(inputs.groups.front())) {
        if (job.index.empty()) {
            throw Error(
                ErrorCode::CommandLine,
                "the map of several templates can be loaded again if its job wrote --index");
        }
        base::AnyImage index = readOutput(job.index, kept->map->value.extents(), stop);
        if (stop.stop_requested()) {
            return nullptr;
        }
        auto numbers = imageOf<std::int32_t>(std::move(index), job.index);
        for (std::int64_t i = 0; i < numbers.count(); ++i) {
            const bool scored = base::hasValue(kept->map->status.data()[i]);
            if (numbers.data()[i] < (scored ? 0 : -1) || numbers.data()[i] >= count) {
                refuseFiles(job.index.string() + " names a template that the job does not have");
            }
        }
        kept->index = std::make_shared<base::Image<std::int32_t>>(std::move(numbers));
    }
    if (!job.searchMaps.empty()) {
        kept->search = readSearch(job, kept->map->value.extents(), stop);
    }
    const Json& map = report.at("map");
    KeptPart part{0, statisticsOf(*kept->map, kept->problem.operation, stop), factsOf(map), {}};
    if (stop.stop_requested()) {
        return nullptr;
    }
    requireSame(part.statistics, map, job);
    if (const Json threshold = report.value("threshold", Json()); threshold.is_object()) {
        part.nullScores = threshold.value("null_scores", std::vector<double>());
        if (const Json check = threshold.value("null_check", Json()); check.is_object()) {
            part.check = {.likeness = check.value("likeness", 0.0),
                          .peaks = check.value("peaks", std::int64_t{0}),
                          .matched = check.value("matched", std::int64_t{0}),
                          .ratio = check.value("ratio", 0.0),
                          .withdrawn = check.value("withdrawn", false)};
        }
    }
    kept->parts.push_back(std::move(part));
    kept->images = std::move(images);
    return kept;
}

} // namespace

std::shared_ptr<const KeptMap> loadKeptMap(const Job& job, const std::stop_token& stop) {
    requireOutputs(job);
    const std::string text = detail::readTextFile(job.report, "report");
    if (base::nestsTooDeep(text)) {
        refuseFiles("the values of the report " + job.report.string() +
                    " are nested more than 100 deep, or one has more than 10000 keys");
    }
    try {
        return load(job, Json::parse(text), stop);
    } catch (const Json::exception& error) {
        refuseFiles(job.report.string() +
                    " is no report of a finished match: " + base::excerpt(error.what()));
    }
}

} // namespace flcc::job
