#include <algorithm>
#include <cstdio>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <nlohmann/json.hpp>

#include "engine/base/median.h"
#include "engine/job/benchmark.h"
#include "engine/job/report.h"
#include "engine/job/report/text.h"
#include "engine/plan/planner.h"

namespace flcc::job {

namespace {

using base::Extents;
using detail::fixed;

std::string sizeText(const Extents& extents) {
    return base::isFlat2D(extents) ? std::to_string(extents.x) + "x" + std::to_string(extents.y)
                                   : base::toString(extents);
}

} // namespace

std::string benchmarkVersions() {
    std::string text;
    for (const auto& [library, version] : environment().versions) {
        text += (text.empty() ? "" : "; ") + library + " " + version;
    }
    return text;
}

std::string benchmarkHead() {
    const std::vector<std::pair<std::string, bool>> columns{
        {"device", true},
        {"scene", true},
        {"type", true},
        {"template", true},
        {"templates", false},
        {"method", true},
        {"threads", false},
        {"single, ms", false},
        {"stream, ms", false},
        {"upload, ms", false},
        {"compute, ms", false},
        {"download, ms", false},
        {"stream / largest", false},
        {"transforms, ms", false},
        {"compute / transforms", false},
        {"predicted, ms", false},
        {"multiply-adds, G/s", false},
        {"measured peak, G/s", false},
        {"bandwidth x intensity, G/s", false},
        {"of the lesser, %", false},
        {"error of " + std::to_string(kBenchmarkChecked) + " voxels", false},
        {"empirical bound", false}};
    std::string names = "|";
    std::string rule = "|";
    for (const auto& [name, left] : columns) {
        names += " " + name + " |";
        rule += left ? "---|" : "---:|";
    }
    return names + "\n" + rule + "\n";
}

std::string toMarkdown(const BenchmarkRow& row) {
    const Extents& tile = row.candidate.tile;
    std::string text = "| " + row.deviceName + " (" + row.candidate.device + ") | " +
                       sizeText(row.problem.scene) + " | " +
                       std::string(base::name(row.problem.scenePixel)) + " | " +
                       sizeText(row.problem.templ) + " | " + std::to_string(row.problem.templates) +
                       " | " + row.candidate.label() + (tile.x > 0 ? " " + sizeText(tile) : "") +
                       " | " + std::to_string(row.candidate.threads) + " | ";
    if (!row.notRun.empty()) {
        return text + "not run: " + row.notRun + " | | | | | | | | | | | | | | |\n";
    }
    const auto add = [&text](const std::optional<double>& value, int digits) {
        text += (value ? fixed(*value, digits) : "-") + " | ";
    };
    const double stream = base::median(row.streamMs);
    const std::optional<double> up = row.stageMs("upload");
    const std::optional<double> down = row.stageMs("download");
    const std::optional<double> kernel = row.stageMs("kernel");
    std::optional<double> overLargest;
    if (up && down && kernel) { // these stages overlap
        overLargest = stream / std::max({*up, *down, row.computeMs()});
    }
    std::optional<double> overTransforms;
    if (row.transformsMs && *row.transformsMs > 0) {
        overTransforms = row.computeMs() / *row.transformsMs;
    }
    std::optional<double> peak;
    std::optional<double> ofLesser;
    const std::optional<double> memory = row.multiplyAddsOfMemory();
    if (row.limits) {
        peak = row.limits->multiplyAdds;
        const method::Traits traits = plan::traitsOf(row.candidate);
        if (traits.byDefinition && !traits.axisByAxis) { // others do fewer than the definition has
            ofLesser = 100 * row.multiplyAdds() / std::min(*peak, *memory);
        }
    }
    add(base::median(row.singleMs), 3);
    add(stream, 3);
    add(up, 3);
    add(row.computeMs(), 3);
    add(down, 3);
    add(overLargest, 2);
    add(row.transformsMs, 3);
    add(overTransforms, 2);
    add(row.predictedMs, 3);
    add(row.multiplyAdds(), 1);
    add(peak, 1);
    add(memory, 1);
    add(ofLesser, 1);
    const auto brief = [](double value) {
        char buffer[32];
        std::snprintf(buffer, sizeof(buffer), "%.1e", value);
        return std::string(buffer);
    };
    return text + brief(row.largestError) + " | " + brief(row.largestBound) +
           (row.sound() ? "" : " WRONG") + " |\n";
}

std::string toJson(const std::vector<BenchmarkRow>& rows) {
    using Json = nlohmann::ordered_json;
    const auto extents = [](const Extents& e) { return Json::array({e.x, e.y, e.z}); };
    Json list = Json::array();
    for (const BenchmarkRow& row : rows) {
        Json stages = Json::object();
        for (const auto& [name, ms] : row.stagesMs) {
            stages[name] = ms;
        }
        list.push_back(
            {{"device", row.candidate.device},
             {"device_name", row.deviceName},
             {"peak_multiply_adds_per_ns", row.peakMultiplyAdds},
             {"measured_multiply_adds_per_ns",
              row.limits ? Json(row.limits->multiplyAdds) : Json(nullptr)},
             {"measured_bytes_per_ns", row.limits ? Json(row.limits->bytes) : Json(nullptr)},
             {"scene", extents(row.problem.scene)},
             {"pixel", base::name(row.problem.scenePixel)},
             {"template", extents(row.problem.templ)},
             {"templates", row.problem.templates},
             {"method", row.candidate.method},
             {"tile", extents(row.candidate.tile)},
             {"threads", row.candidate.threads},
             {"not_run", row.notRun},
             {"failed", row.failed},
             {"predicted_ms", row.predictedMs},
             {"single_ms", row.singleMs},
             {"stream_ms", row.streamMs},
             {"stages_ms", stages},
             {"transforms_ms", row.transformsMs ? Json(*row.transformsMs) : Json(nullptr)},
             {"recomputed", row.recomputed},
             {"low_confidence", row.lowConf},
             {"largest_error", row.largestError},
             {"largest_bound", row.largestBound},
             {"sound", row.sound()}});
    }
    const Environment around = environment();
    Json versions = Json::object();
    for (const auto& [library, version] : around.versions) {
        versions[library] = version;
    }
    const Json json{{"versions", versions},
                    {"processor", around.processor},
                    {"instructions", around.instructions},
                    {"devices", around.devices},
                    {"rows", list}};
    return json.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}

} // namespace flcc::job
