#include "engine/job/listing.h"

#include <algorithm>
#include <cmath>

#include <nlohmann/json.hpp>

#include "engine/base/error.h"
#include "engine/io/atomic_file.h"
#include "engine/io/image_file.h"
#include "engine/job/detail/text.h"
#include "engine/plan/planner.h"
#include "engine/sample/sample.h"

namespace flcc::job {

using Json = nlohmann::ordered_json;

namespace {

std::string dump(const Json& json) {
    return json.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}

/// `x,y,z,cx,cy,cz,template` of every planted copy; the corner is that of the nearest placement.
std::string truthText(const sample::Sample& sample) {
    const base::Extents templ = base::extentsOf(sample.templ);
    const base::Point half{static_cast<double>(templ.x - 1) / 2,
                           static_cast<double>(templ.y - 1) / 2,
                           static_cast<double>(templ.z - 1) / 2};
    std::string text = "x,y,z,cx,cy,cz,template\n";
    for (const base::Point& centre : sample.centres) {
        for (std::size_t axis = 0; axis < 3; ++axis) {
            text += std::to_string(std::llround(centre[axis] - half[axis])) + ",";
        }
        for (const double coordinate : centre) {
            text += detail::shortest(coordinate) + ",";
        }
        text += "0\n";
    }
    return text;
}

} // namespace

std::string imageInfoJson(const std::filesystem::path& path) {
    const io::ImageInfo info = io::readImageInfo(path);
    Json metadata = Json::object();
    for (const auto& [key, value] : info.metadata) {
        metadata[key] = value;
    }
    return dump({{"path", path.string()},
                 {"format", info.format},
                 {"extents", {info.extents.x, info.extents.y, info.extents.z}},
                 {"type", base::name(info.pixel)},
                 {"components", info.components},
                 {"channels", info.channels},
                 {"frames", info.frames},
                 {"spacing", info.geometry.spacing},
                 {"origin", info.geometry.origin},
                 {"direction", info.geometry.direction},
                 {"unit", info.geometry.unit},
                 {"metadata", metadata}});
}

std::string devicesText() {
    std::string text;
    for (const plan::Device& device : plan::devices()) {
        text += device.id + ": " + device.name;
        if (device.usable) {
            text += ", " + std::to_string(device.threads) +
                    (device.threads == 1 ? " thread, " : " threads, ") + device.instructions +
                    ", " + detail::bytesText(device.memoryFree) + " free of " +
                    detail::bytesText(device.memoryTotal);
        } else {
            text += " cannot be used: " + device.reason;
        }
        text += "\n";
    }
    return text;
}

std::string devicesJson() {
    Json list = Json::array();
    for (const plan::Device& device : plan::devices()) {
        list.push_back({{"id", device.id},
                        {"name", device.name},
                        {"usable", device.usable},
                        {"reason", device.usable ? Json(nullptr) : Json(device.reason)},
                        {"threads", device.threads},
                        {"instructions", device.instructions},
                        {"memory_total", device.memoryTotal},
                        {"memory_free", device.memoryFree}});
    }
    return dump(list);
}

std::string samplesText() {
    std::string text;
    for (const sample::SampleInfo& info : sample::sampleList()) {
        std::string name(info.name);
        name.resize(std::max<std::size_t>(name.size() + 1, 12), ' ');
        text += name + std::to_string(info.extents.x) + "x" + std::to_string(info.extents.y) +
                (info.extents.z > 1 ? "x" + std::to_string(info.extents.z) : "") + "  " +
                std::string(info.title) + "\n";
    }
    return text;
}

std::vector<std::filesystem::path> writeSample(std::string_view name,
                                               const std::filesystem::path& folder) {
    const sample::Sample made = sample::makeSample(name);
    std::error_code error;
    std::filesystem::create_directories(folder, error);
    if (!std::filesystem::is_directory(folder)) {
        throw base::Error(base::ErrorCode::Output, "cannot make the folder " + folder.string() +
                                                       (error ? ": " + error.message() : ""));
    }
    base::Geometry own = made.geometry;
    own.origin = {0, 0, 0};
    const auto scene = folder / "scene.mha";
    const auto templ = folder / "template.mha";
    const auto truth = folder / "truth.csv";
    io::writeImage(scene, base::viewOf(made.scene), made.geometry);
    io::writeImage(templ, base::viewOf(made.templ), own);
    io::writeText(truth, truthText(made));
    return {scene, templ, truth};
}

} // namespace flcc::job
