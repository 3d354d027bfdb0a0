#include "ui/features/features_image.h"

#include "engine/io/image_file.h"

namespace flcc::ui {

namespace {

constexpr int kColours = 3;

bool hasColours(const SceneEntry& scene, const job::FeaturesJob& job, const std::stop_token& stop) {
    return job.channels != features::Channels::Grey && !scene.made && !scene.path.empty() &&
           !scene.channel &&
           io::readImageInfo(scene.path, stop, scene.reading).components >= kColours;
}

} // namespace

job::FeaturesImage featuresImageOf(const SceneEntry& scene, const job::FeaturesJob& job,
                                   const std::stop_token& stop) {
    if (scene.image && !hasColours(scene, job, stop)) {
        return job::featuresImage(scene.image);
    }
    job::FeaturesJob reading = job;
    reading.scene = scene.path;
    reading.channel = scene.channel;
    reading.frame = scene.frame;
    reading.reading = scene.reading;
    return job::loadFeaturesImage(reading, scene.path, stop);
}

} // namespace flcc::ui
