#pragma once

#include <algorithm>
#include <cstdint>
#include <optional>
#include <stop_token>

#include "engine/base/tile_pool.h"
#include "engine/io/image_file.h"
#include "engine/job/parts.h"
#include "engine/job/report/machine.h"

namespace flcc::job::detail {

/// The threads that a job may use.
[[nodiscard]] inline int threadsOf(const Common& job) {
    return job.threads > 0 ? job.threads : base::availableThreads();
}

/// The memory that a job may use now.
[[nodiscard]] inline std::int64_t memoryOf(const Common& job) {
    return job.memoryBytes > 0 ? job.memoryBytes : availableMemory();
}

/// How a job reads an image with digests; `memoryBytes` as in Common.
[[nodiscard]] inline io::ReadOptions readOptions(std::optional<int> channel,
                                                 std::optional<int> frame, std::int64_t memoryBytes,
                                                 const io::Reading& reading,
                                                 const std::stop_token& stop) {
    return {.channel = channel,
            .frame = frame,
            .maxBytes = std::max<std::int64_t>(1, availableMemory()),
            .maxBufferBytes = bufferLimit(memoryBytes),
            .stop = stop,
            .digests = true,
            .reading = reading};
}
[[nodiscard]] inline io::ReadOptions readOptions(const Common& job, const std::stop_token& stop) {
    return readOptions(job.channel, job.frame, job.memoryBytes, job.reading, stop);
}

} // namespace flcc::job::detail
