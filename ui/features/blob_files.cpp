#include "ui/features/blob_files.h"

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
    io::AtomicFile out(listed.job.blobs);
    job::writeBlobs(out, listed, io::ListFormat::Auto);
    out.commit();
}

} // namespace flcc::ui
