#include "ui/features/blob_files.h"

#include <utility>

#include "engine/io/atomic_file.h"
#include "ui/base/text.h"
#include "ui/work/job_file.h"

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
    io::AtomicFile out(listed.job.blobs);
    job::writeBlobs(out, listed, io::ListFormat::Auto);
    out.commit();
}

QString saveBlobJob(job::FeaturesJob job, const SceneEntry& scene, const QString& file,
                    const io::ProtectedFiles& inputs) {
    putScene(job, scene);
    job.blobs = toPath(file).replace_extension(".csv");
    return saveJobFile(job, file, inputs);
}

} // namespace flcc::ui
