#include "engine/job/report/machine.h"

#include <malloc.h>

#include <algorithm>
#include <array>
#include <fstream>
#include <limits>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "engine/base/allocation.h"
#include "engine/base/error.h"

namespace flcc::job::detail {

namespace {

/// The number behind `key` in a file of lines such as "VmRSS:  1234 kB", in bytes.
std::optional<std::int64_t> kilobytes(const char* file, std::string_view key) {
    std::ifstream in(file);
    std::string word;
    while (in >> word) {
        if (word == key) {
            std::int64_t value = 0;
            return in >> value ? std::optional(value * 1024) : std::nullopt;
        }
    }
    return std::nullopt;
}

std::optional<std::int64_t> numberIn(const std::filesystem::path& file) {
    std::ifstream in(file);
    std::int64_t value = 0;
    return in >> value ? std::optional(value) : std::nullopt;
}

std::int64_t ownMemory(std::string_view key) {
    return kilobytes("/proc/self/status", key).value_or(0);
}

} // namespace

std::int64_t availableMemory() {
    const std::int64_t available = kilobytes("/proc/meminfo", "MemAvailable:")
                                       .value_or(std::numeric_limits<std::int64_t>::max());
    const std::int64_t left =
        std::min(available, groupMemory("/proc/self/cgroup", "/sys/fs/cgroup"));
    const auto kept = static_cast<std::int64_t>(base::keptBytes());
    return left > std::numeric_limits<std::int64_t>::max() - kept ? left : left + kept;
}

std::int64_t bufferLimit(std::int64_t memoryBytes) {
    constexpr std::int64_t kLeast = std::int64_t{1} << 30;
    return memoryBytes > 0 ? memoryBytes : std::max(kLeast, availableMemory() / 8);
}

std::int64_t groupMemory(const std::filesystem::path& cgroupFile,
                         const std::filesystem::path& root) {
    // "0::/user.slice/session.scope"; the path may climb ("/../..") out of a group that this
    // process sees as the root.
    std::filesystem::path group = "/";
    std::ifstream in(cgroupFile);
    for (std::string line; std::getline(in, line);) {
        if (line.starts_with("0::/")) {
            group = std::filesystem::path(line.substr(3)).lexically_normal();
        }
    }
    std::int64_t left = std::numeric_limits<std::int64_t>::max();
    while (true) {
        const std::filesystem::path folder = root / group.relative_path();
        const auto limit = numberIn(folder / "memory.max"); // none where it says "max"
        const auto used = numberIn(folder / "memory.current");
        if (limit && used) {
            left = std::min(left, std::max<std::int64_t>(0, *limit - *used));
        }
        if (!group.has_relative_path()) {
            return left;
        }
        group = group.parent_path();
    }
}

PeakMeter::PeakMeter() {
    // Kept buffers would be reused without a rise of the resident memory.
    base::dropKeptBuffers();
    malloc_trim(0);
    // 5 sets the highest resident memory back to the present one; where it may not, the rise shows
    // only beyond the old peak.
    std::ofstream("/proc/self/clear_refs") << 5;
    m_start = ownMemory("VmRSS:");
    m_peakBefore = ownMemory("VmHWM:");
}

std::int64_t PeakMeter::rise() const {
    const std::int64_t peak = ownMemory("VmHWM:");
    const std::int64_t highest = peak > m_peakBefore ? peak : ownMemory("VmRSS:");
    return std::max<std::int64_t>(0, highest - m_start);
}

} // namespace flcc::job::detail
