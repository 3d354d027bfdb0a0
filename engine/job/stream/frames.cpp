#include "engine/job/stream/frames.h"

#include <algorithm>
#include <utility>

#include "engine/job/input/digests.h"
#include "engine/job/input/inputs.h"
#include "engine/job/input/limits.h"
#include "engine/job/input/world_axes.h"

namespace flcc::job::detail {

/// Colour needs one more value for each voxel, beside the values that were read.
std::int64_t readBytes(const io::ImageInfo& info) {
    const std::int64_t value = base::byteCount(info.extents, base::bytesPerVoxel(info.pixel));
    return info.components == 1 ? value
                                : value * info.components + base::byteCount(info.extents, 8);
}

void requireFlatRegion(const PlannedJob& job) {
    if (job.stream && job.region && (job.region->corner.z != 0 || job.region->extents.z != 1)) {
        throw base::Error(base::ErrorCode::CommandLine,
                          base::Message("region-not-flat",
                                        "the region {region} is not flat; {--stream} takes the "
                                        "same box of every frame: give it as X,Y:W,H",
                                        {{"region", base::toString(*job.region)}}));
    }
}

Frames::Frames(const Common& job, std::shared_ptr<const SceneImage> stack,
               const std::stop_token& stop)
    : m_path(job.scene), m_reading(job.reading), m_stack(std::move(stack)) {
    if (m_stack) {
        m_frame = base::extentsOf(m_stack->pixels);
        m_count = static_cast<int>(std::exchange(m_frame.z, 1));
        m_geometry = statedGeometry(*m_stack, job.spacing, job.world);
        m_bytes = base::byteCount(m_frame, base::bytesPerVoxel(base::pixelType(m_stack->pixels)));
        return;
    }
    m_reader.emplace(m_path, readOptions(job, stop));
    m_count = m_reader->count();
    m_frame = m_reader->info().extents;
    m_geometry = withAxes(m_reader->info().geometry,
                          job.world ? job.world : worldAxesOf(m_reader->info(), m_path));
    if (job.spacing) {
        m_geometry = base::withSpacing(m_geometry, *job.spacing, m_frame);
        m_stated = true;
    }
    m_bytes = readBytes(m_reader->info());
}

base::Extents Frames::extents() const { return {m_frame.x, m_frame.y, m_count}; }

std::shared_ptr<const SceneImage> Frames::load(int number, const std::stop_token& stop) {
    if (m_reader) {
        io::LoadedImage loaded = m_reader->read(number, stop);
        if (loaded.components.empty()) {
            return nullptr;
        }
        if (m_stated) {
            loaded.info.geometry = base::movedTo(m_geometry, {0, 0, static_cast<double>(number)});
        }
        auto image = sceneImageOf(std::move(loaded), m_path, stop);
        if (image) {
            image->reading = m_reading;
        }
        return image;
    }
    auto frame = std::make_shared<SceneImage>();
    frame->pixels =
        base::copyOf(base::partOf(base::viewOf(m_stack->pixels), {{0, 0, number}, m_frame}));
    frame->geometry = base::movedTo(m_geometry, {0, 0, static_cast<double>(number)});
    frame->directed = m_stack->directed;
    frame->source = m_stack->source;
    frame->note = m_stack->note;
    return frame;
}

std::shared_ptr<const SceneImage> Frames::cut(const base::Box& crop, const std::stop_token& stop) {
    if (crop.extents.z > 1) {
        throw flatNeeded(crop.extents);
    }
    if (!base::contains(extents(), crop)) {
        throw boxOutside("crop", crop, "stack", extents());
    }
    const auto frame = load(static_cast<int>(crop.corner.z), stop);
    if (!frame) {
        return nullptr;
    }
    auto templ = std::make_shared<SceneImage>();
    const base::Index corner{crop.corner.x, crop.corner.y, 0};
    templ->pixels = base::copyOf(base::partOf(base::viewOf(frame->pixels), {corner, crop.extents}));
    templ->geometry = base::movedTo(frame->geometry, pointOf(corner));
    templ->directed = frame->directed;
    templ->source = frame->source + " [" + base::toString(crop) + "]";
    return templ;
}

void Frames::addDigests(InputReport& scene, const std::stop_token& stop) {
    if (!m_reader) {
        scene.sha256 = m_stack->sha256;
        scene.dataFile = m_stack->dataFile;
        scene.series = m_stack->series;
        return;
    }
    setDigests(scene, m_reader->digests(stop), m_reader->info().series);
}

} // namespace flcc::job::detail
