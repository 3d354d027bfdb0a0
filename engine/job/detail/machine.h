#pragma once

#include <cstdint>
#include <filesystem>
#include <stop_token>
#include <string>
#include <string_view>

namespace flcc::job::detail {

/// Bytes this process may still take without swapping: what the system and its control group have
/// free, and the buffers it keeps.
[[nodiscard]] std::int64_t availableMemory();

/// What the control groups of version 2 leave to a process: the least of what `cgroupFile`
/// (/proc/self/cgroup) names and all groups above it, below `root` (/sys/fs/cgroup). INT64_MAX when
/// there is no limit.
[[nodiscard]] std::int64_t groupMemory(const std::filesystem::path& cgroupFile,
                                       const std::filesystem::path& root);

/// The rise of the resident memory of this process since the meter was made, at its highest. Making
/// one drops the buffers that base::keepFreedBuffers() keeps.
class PeakMeter {
  public:
    PeakMeter();
    [[nodiscard]] std::int64_t rise() const;

  private:
    std::int64_t m_start;
    std::int64_t m_peakBefore;
};

} // namespace flcc::job::detail
