#include "engine/job/listing.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include <nlohmann/json.hpp>

#include "engine/base/error.h"
#include "engine/io/atomic_file.h"
#include "engine/io/image_file.h"
#include "engine/job/input/world_axes.h"
#include "engine/job/options/options.h"
#include "engine/job/output/outputs.h"
#include "engine/job/report/json_rows.h"
#include "engine/job/report/text.h"
#include "engine/plan/planner.h"
#include "engine/sample/sample.h"

namespace flcc::job {

using Json = nlohmann::ordered_json;

namespace {

std::string dump(const Json& json) { return detail::json::fileText(json); }

/// `x,y,z,cx,cy,cz,template` of every planted copy; x,y,z is the corner of the nearest placement.
/// Of turned copies also the columns of poses that lists of peaks have.
std::string truthText(const sample::Sample& sample) {
    const base::Extents templ = base::extentsOf(sample.templ);
    const base::Point half{static_cast<double>(templ.x - 1) / 2,
                           static_cast<double>(templ.y - 1) / 2,
                           static_cast<double>(templ.z - 1) / 2};
    std::string text = "x,y,z,cx,cy,cz,template";
    text += sample.poses.empty() ? "\n" : ",scale,phi,theta,psi\n";
    for (std::size_t i = 0; i < sample.centres.size(); ++i) {
        const base::Point& centre = sample.centres[i];
        for (std::size_t axis = 0; axis < 3; ++axis) {
            text += std::to_string(std::llround(centre[axis] - half[axis])) + ",";
        }
        for (const double coordinate : centre) {
            text += detail::shortest(coordinate) + ",";
        }
        text += "0";
        if (!sample.poses.empty()) {
            const rotation::Pose& pose = sample.poses[i];
            const base::Point euler = rotation::eulerOf(pose.turn);
            for (const double value : {pose.scale, euler[0], euler[1], euler[2]}) {
                text += "," + detail::shortest(value);
            }
        }
        text += "\n";
    }
    return text;
}

/// Makes a folder and its parents. The destructor removes those that are still empty.
class NewFolders {
  public:
    explicit NewFolders(const std::filesystem::path& folder) {
        std::error_code error;
        for (auto at = std::filesystem::absolute(folder, error).lexically_normal();
             !error && !std::filesystem::exists(at, error) && at.has_relative_path();
             at = at.parent_path()) {
            m_made.push_back(at);
        }
        std::filesystem::create_directories(folder, error);
        if (!std::filesystem::is_directory(folder)) {
            throw base::Error(base::ErrorCode::Output, "cannot make the folder " + folder.string() +
                                                           (error ? ": " + error.message() : ""));
        }
    }
    ~NewFolders() {
        std::error_code ignored;
        for (const std::filesystem::path& folder : m_made) {
            std::filesystem::remove(folder, ignored); // only when it is empty
        }
    }
    NewFolders(const NewFolders&) = delete;
    NewFolders& operator=(const NewFolders&) = delete;

  private:
    std::vector<std::filesystem::path> m_made; // the innermost first
};

} // namespace

std::string imageInfoJson(const std::filesystem::path& path, bool verify,
                          const io::Reading& reading, const std::stop_token& stop) {
    const io::ImageInfo info =
        verify ? io::verifyImage(path, stop, reading) : io::readImageInfo(path, stop, reading);
    if (info.format.empty()) {
        return {};
    }
    const std::string axes(base::name(worldAxesOf(info, path)));
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
                 {"images", info.images},
                 {"image", info.image},
                 {"spacing", info.geometry.spacing},
                 {"origin", info.geometry.origin},
                 {"direction", info.geometry.direction},
                 // Origin and direction are in LPS where the axes have a name.
                 {"axes", axes.empty() ? Json(nullptr) : Json("LPS")},
                 {"world_axes", axes.empty() ? Json(nullptr) : Json(axes)},
                 {"unit", info.geometry.unit},
                 {"resolution_mm", info.resolution ? Json(*info.resolution) : Json(nullptr)},
                 {"complete", info.complete ? Json(true) : Json(nullptr)},
                 {"metadata", metadata},
                 {"files", info.files},
                 {"skipped_files", info.skippedFiles},
                 {"notes", info.notes}});
}

io::Reading readingOf(const GivenOptions& options) {
    Job job;
    detail::matchOptions().set(job, options);
    return job.reading;
}

std::string devicesText() {
    std::string text;
    for (const plan::Device& device : plan::devices()) {
        text += device.id + ": " + device.name;
        if (device.usable) {
            const std::string threads = device.threads > 0
                                            ? std::to_string(device.threads) +
                                                  (device.threads == 1 ? " thread, " : " threads, ")
                                            : std::string();
            text += ", " + threads + device.instructions + ", " +
                    detail::bytesText(device.memoryFree) + " free of " +
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
        name.resize(std::max<std::size_t>(name.size() + 1, 18), ' ');
        text += name + std::to_string(info.extents.x) + "x" + std::to_string(info.extents.y) +
                (info.extents.z > 1 ? "x" + std::to_string(info.extents.z) : "") + "  " +
                std::string(info.title);
        std::string options;
        for (const auto& [option, value] : {std::pair(" --rotations ", info.rotations),
                                            {" --scales ", info.scales},
                                            {" --mask ", info.mask}}) {
            options += value.empty() ? "" : option + std::string(value);
        }
        text += options.empty() ? "" : "; found by match" + options;
        text += "\n";
    }
    return text;
}

std::vector<std::filesystem::path> writeSample(std::string_view name,
                                               const std::filesystem::path& folder,
                                               const std::stop_token& stop) {
    const sample::Sample made = sample::makeSample(name);
    if (stop.stop_requested()) {
        return {};
    }
    const NewFolders folders(folder);
    base::Geometry own = made.geometry;
    own.origin = {0, 0, 0};
    const std::vector<std::filesystem::path> names{folder / "scene.mha", folder / "template.mha",
                                                   folder / "truth.csv"};
    detail::OutputFiles files;
    const bool written = files.add(names[0], [&](const io::AtomicFile& file) {
        return io::writeImage(file, base::viewOf(made.scene), made.geometry, {}, stop).has_value();
    }) && files.add(names[1], [&](const io::AtomicFile& file) {
        return io::writeImage(file, base::viewOf(made.templ), own, {}, stop).has_value();
    }) && files.add(names[2], [&](const io::AtomicFile& file) {
        io::writeText(file, truthText(made));
        return true;
    });
    if (!written || stop.stop_requested()) {
        return {};
    }
    files.commit();
    return names;
}

} // namespace flcc::job
