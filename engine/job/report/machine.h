#pragma once

#include <cstdint>
#include <filesystem>
#include <stop_token>
#include <string>
#include <string_view>

namespace flcc::job::detail {

/// Bytes that this process can still allocate without swapping: the free memory of the system or of
/// its control group, and the buffers that the process keeps.
[[nodiscard]] std::int64_t availableMemory();

/// Bytes of the buffers that decoding an image may take beside its pixels: a job's memory limit; of
/// a job without one (0) 1 GiB, or an eighth of the free memory if that is more. A small file could
/// otherwise ask for all of it.
[[nodiscard]] std::int64_t bufferLimit(std::int64_t memoryBytes);

/// Free memory of the control groups (version 2) of a process: the least over the group that
/// `cgroupFile` (/proc/self/cgroup) names and all groups above it, below `root` (/sys/fs/cgroup).
/// INT64_MAX without a limit.
[[nodiscard]] std::int64_t groupMemory(const std::filesystem::path& cgroupFile,
                                       const std::filesystem::path& root);

/// Measures the largest rise of this process's resident memory since construction. The constructor
/// drops the buffers that base::keepFreedBuffers() keeps.
class PeakMeter {
  public:
    PeakMeter();
    [[nodiscard]] std::int64_t rise() const;

  private:
    std::int64_t m_start;
    std::int64_t m_peakBefore;
};

} // namespace flcc::job::detail
