#include "ui/features/blob_files.h"

#include <utility>

#include "engine/io/atomic_file.h"
#include "ui/base/text.h"

namespace flcc::ui {

void saveBlobList(const job::FeaturesResult& result, const std::vector<features::Blob>& blobs,
                  const base::Geometry& geometry, const QString& file,
                  const io::ProtectedFiles& inputs) {
    job::FeaturesResult listed;
    listed.job = result.job;
    listed.extents = result.extents;
    listed.geometry = geometry;
    listed.detection.blobs = blobs;
    listed.job.blobs = toPath(file);
    inputs.requireOther(listed.job.blobs);
    io::writeText(listed.job.blobs, job::blobsAsText(listed, job::chosenBlobFormat(listed.job)));
}

std::filesystem::path saveBlobJob(job::FeaturesJob job, const SceneEntry& scene,
                                  const QString& file, const io::ProtectedFiles& inputs) {
    job.image = scene.path;
    job.channel = scene.channel;
    job.frame = scene.frame;
    job.reading = scene.reading;
    job.blobs = toPath(file).replace_extension(".csv");
    inputs.requireOther(toPath(file));
    inputs.requireOther(job.blobs);
    io::writeText(toPath(file), job::toJobFile(job));
    return job.blobs;
}

} // namespace flcc::ui
