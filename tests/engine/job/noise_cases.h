#pragma once

#include <array>
#include <cstdint>
#include <utility>

#include "engine/base/image.h"
#include "engine/base/random.h"
#include "engine/job/job.h"

namespace flcc::test {

inline base::Image<float> gaussian(const base::Extents& extents, std::uint64_t seed) {
    base::Image<float> image(extents);
    base::Random random(seed);
    for (std::int64_t i = 0; i < image.count(); ++i) {
        image.data()[i] = static_cast<float>(random.normal());
    }
    return image;
}

/// Means of 3 voxels along each axis, `times` times; the outermost voxels stay.
inline base::Image<float> smooth(base::Image<float> image, int times) {
    const base::Extents extents = image.extents();
    const std::array<std::int64_t, 3> steps{1, extents.x, extents.x * extents.y};
    for (int time = 0; time < times; ++time) {
        for (std::size_t axis = 0; axis < (extents.z > 1 ? 3U : 2U); ++axis) {
            base::Image<float> next(extents);
            const std::int64_t step = steps[axis];
            for (std::int64_t i = 0; i < image.count(); ++i) {
                const bool inside = i >= step && i + step < image.count();
                const float* const at = image.data() + i;
                next.data()[i] = inside ? (at[-step] + at[0] + at[step]) / 3 : at[0];
            }
            image = std::move(next);
        }
    }
    return image;
}

/// The job of a search with the images of `images`.
inline job::JobResult searched(const job::JobImages& images, const job::Job& options) {
    job::Job job = options;
    job.planning = plan::Planning::Estimate;
    job.audit = job::Audit::Off;
    job.maxPeaks = 1'000'000;
    return job::runJob(job, images);
}

} // namespace flcc::test
