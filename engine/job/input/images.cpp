// Images as a job reads, makes or cuts them.

#include <algorithm>
#include <utility>

#include "engine/base/error.h"
#include "engine/job/input/channels.h"
#include "engine/job/input/digests.h"
#include "engine/job/input/inputs.h"
#include "engine/job/input/limits.h"
#include "engine/job/input/masks.h"
#include "engine/job/input/world_axes.h"
#include "engine/job/report/text.h"
#include "engine/sample/sample.h"

namespace flcc::job {

using base::Error;
using base::ErrorCode;

std::shared_ptr<const SceneImage> loadImage(const std::filesystem::path& path,
                                            std::optional<int> channel, std::optional<int> frame,
                                            const std::stop_token& stop, std::int64_t memoryBytes,
                                            const io::Reading& reading) {
    if (channel == kAllChannels) {
        return detail::loadChannels(path, frame, stop, memoryBytes, reading);
    }
    io::LoadedImage loaded =
        io::readImage(path, detail::readOptions(channel, frame, memoryBytes, reading, stop));
    if (loaded.components.empty()) {
        return nullptr; // stopped
    }
    auto image = detail::sceneImageOf(std::move(loaded), path, stop);
    if (image) {
        image->reading = reading;
    }
    return image;
}

std::shared_ptr<SceneImage> detail::sceneImageOf(io::LoadedImage loaded,
                                                 const std::filesystem::path& path,
                                                 const std::stop_token& stop) {
    auto image = std::make_shared<SceneImage>();
    image->geometry = withAxes(loaded.info.geometry, worldAxesOf(loaded.info, path));
    image->directed = statesDirections(loaded.info, image->geometry);
    image->source = path.string();
    setDigests(*image, std::move(loaded.files), loaded.info.series);
    std::vector<std::string> notes = std::move(loaded.info.notes);
    image->resolution = loaded.info.resolution;
    image->opacity = opacityOf(loaded, image->source);
    io::ScalarImage scalar = io::toScalar(std::move(loaded), stop);
    if (stop.stop_requested()) {
        return nullptr;
    }
    image->pixels = std::move(scalar.pixels);
    if (!scalar.note.empty()) {
        notes.push_back(std::move(scalar.note));
    }
    for (const std::string& note : notes) {
        image->note += (image->note.empty() ? "" : "; ") + note;
    }
    return image;
}

io::Reading companionReading(const std::filesystem::path& path, const io::Reading& reading,
                             const std::stop_token& stop) {
    io::Reading own{.orientation = reading.orientation};
    if (reading == own) {
        return own;
    }
    io::ImageInfo info = io::readImageInfo(path, stop, own);
    if (reading.image && info.images > 1) {
        own.image = reading.image;
        info = io::readImageInfo(path, stop, own);
    }
    own.resolution = reading.resolution && info.resolution && info.extents.z == 1;
    return own;
}

std::shared_ptr<const SceneImage>
loadCompanion(const std::filesystem::path& path, std::optional<int> channel,
              std::optional<int> frame, const std::stop_token& stop, std::int64_t memoryBytes,
              const io::Reading& reading) {
    const io::Reading own = companionReading(path, reading, stop);
    if (!channel && !frame) {
        return loadImage(path, {}, {}, stop, memoryBytes, own);
    }
    const io::ImageInfo info = io::readImageInfo(path, stop, own);
    return loadImage(path, info.channels > 1 || channel == kAllChannels ? channel : std::nullopt,
                     info.frames > 1 ? frame : std::nullopt, stop, memoryBytes, own);
}

JobImages sampleImages(std::string_view name) {
    sample::Sample made = sample::makeSample(name);
    auto scene = std::make_shared<SceneImage>();
    auto templ = std::make_shared<SceneImage>();
    scene->source = "sample:" + made.name;
    templ->source = "sample:" + made.name + " (template)";
    scene->geometry = made.geometry;
    templ->geometry = made.geometry;
    templ->geometry.origin = {0, 0, 0};
    scene->pixels = std::move(made.scene);
    templ->pixels = std::move(made.templ);
    return {std::move(scene), {std::move(templ)}};
}

std::shared_ptr<const SceneImage> cutTemplate(const SceneImage& scene, const base::Box& crop,
                                              const std::optional<base::Spacing>& spacing) {
    const base::Extents extents = base::extentsOf(scene.pixels);
    if (!base::contains(extents, crop)) {
        throw detail::boxOutside("crop", crop, "scene", extents);
    }
    auto templ = std::make_shared<SceneImage>();
    templ->pixels = base::copyOf(base::partOf(base::viewOf(scene.pixels), crop));
    templ->geometry = base::movedTo(statedGeometry(scene, spacing), detail::pointOf(crop.corner));
    templ->directed = scene.directed;
    templ->channels = scene.channels;
    templ->source = scene.source + " [" + base::toString(crop) + "]";
    return templ;
}

} // namespace flcc::job
