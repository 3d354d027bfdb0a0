#include "engine/job/detail/machine.h"

#include <malloc.h>
#include <openssl/evp.h>

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

/// A SHA-256 in the making.
class Digest {
  public:
    Digest()
        : m_context(EVP_MD_CTX_new(), EVP_MD_CTX_free),
          m_good(m_context && EVP_DigestInit_ex(m_context.get(), EVP_sha256(), nullptr) == 1) {}

    void add(const void* bytes, std::size_t count) {
        m_good = m_good && EVP_DigestUpdate(m_context.get(), bytes, count) == 1;
    }

    /// 64 hexadecimal digits; empty when it could not be computed.
    [[nodiscard]] std::string text() {
        std::array<unsigned char, EVP_MAX_MD_SIZE> digest{};
        unsigned int length = 0;
        if (!m_good || EVP_DigestFinal_ex(m_context.get(), digest.data(), &length) != 1) {
            return {};
        }
        constexpr std::string_view kDigits = "0123456789abcdef";
        std::string text;
        for (unsigned int i = 0; i < length; ++i) {
            text += kDigits[digest[i] >> 4U];
            text += kDigits[digest[i] & 15U];
        }
        return text;
    }

  private:
    std::unique_ptr<EVP_MD_CTX, void (*)(EVP_MD_CTX*)> m_context;
    bool m_good;
};

/// The digest's text. **Errors**: Internal when there is none.
std::string finished(Digest& digest, const std::string& what) {
    std::string text = digest.text();
    if (text.empty()) {
        throw base::Error(base::ErrorCode::Internal,
                          "the SHA-256 of " + what + " could not be computed");
    }
    return text;
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
    // Freed memory that is kept would be taken again without a rise.
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

std::string fileDigest(const std::filesystem::path& path, const std::stop_token& stop) {
    std::ifstream in(path, std::ios::binary);
    if (!in) {
        throw base::Error(base::ErrorCode::Input, "cannot read " + path.string());
    }
    Digest digest;
    std::vector<char> block(1 << 20);
    while (in) {
        if (stop.stop_requested()) {
            return {};
        }
        in.read(block.data(), static_cast<std::streamsize>(block.size()));
        digest.add(block.data(), static_cast<std::size_t>(in.gcount()));
    }
    return finished(digest, path.string());
}

std::string textDigest(std::string_view text) {
    Digest digest;
    digest.add(text.data(), text.size());
    return finished(digest, "a text");
}

} // namespace flcc::job::detail
