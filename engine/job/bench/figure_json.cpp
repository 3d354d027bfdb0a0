#include <cmath>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include <nlohmann/json.hpp>

#include "engine/job/figure.h"
#include "engine/job/report.h"

namespace flcc::job {

namespace {

using Json = nlohmann::ordered_json;

Json mapsJson(const std::vector<Crossover>& maps) {
    const auto orNull = [](const std::optional<std::int64_t>& side) {
        return side ? Json(*side) : Json(nullptr);
    };
    Json list = Json::array();
    for (const Crossover& map : maps) {
        Json critical = Json::array();
        for (const CriticalSide& side : map.critical) {
            critical.push_back({{"scene", side.scene},
                                {"table_2_side", side.table},
                                {"predicted_side", orNull(side.predicted)},
                                {"measured_side", orNull(side.measured)}});
        }
        list.push_back({{"device", map.device},
                        {"operation", name(map.operation)},
                        {"volume", map.volume},
                        {"stream", map.stream},
                        {"scenes", map.scenes},
                        {"templates", map.templates},
                        {"methods", map.methods},
                        {"chosen", map.chosen},
                        {"critical", critical}});
    }
    return list;
}

} // namespace

std::string toJson(const std::vector<Crossover>& maps) {
    return Json{{"maps", mapsJson(maps)}}.dump() + "\n";
}

std::string toJson(const Figure& figure) {
    const FigureOptions& options = figure.options;
    Json json{{"figure", name(options.kind)}, {"operation", name(options.operation)},
              {"device", options.device},     {"threads", figure.threads},
              {"repeat", options.repeat},     {"quick", options.quick}};
    if (options.kind == FigureKind::Times) {
        json["scene"] = {figure.scene.x, figure.scene.y, figure.scene.z};
        json["templates"] = figure.templates;
        const auto milliseconds = [](const std::vector<double>& times) {
            Json list = Json::array();
            for (const double ms : times) {
                list.push_back(std::isnan(ms) ? Json(nullptr) : Json(ms));
            }
            return list;
        };
        Json curves = Json::array();
        for (const TimesCurve& curve : figure.curves) {
            curves.push_back({{"method", curve.method},
                              {"single_ms", milliseconds(curve.singleMs)},
                              {"stream_ms", milliseconds(curve.streamMs)},
                              {"not_run", curve.notRun}});
        }
        json["methods"] = curves;
    } else {
        json["maps"] = mapsJson(figure.maps);
    }
    const Environment around = environment();
    Json versions = Json::object();
    for (const auto& [library, version] : around.versions) {
        versions[library] = version;
    }
    json["environment"] = {{"versions", versions},
                           {"processor", around.processor},
                           {"instructions", around.instructions},
                           {"devices", around.devices}};
    return json.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}

} // namespace flcc::job
