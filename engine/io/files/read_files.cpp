#include "engine/io/files/read_files.h"

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <system_error>
#include <thread>

#include <fcntl.h>
#include <sys/stat.h>

#include "engine/io/files/paths.h"

namespace flcc::io::detail {

namespace {

constexpr std::int64_t kBlock = std::int64_t{1} << 20;

/// Up to `count` bytes from `at`; 0 at the end alone.
std::int64_t readAt(int file, void* target, std::int64_t count, std::int64_t at,
                    const std::filesystem::path& path) {
    while (true) {
        const ssize_t got = ::pread(file, target, static_cast<std::size_t>(count), at);
        if (got >= 0) {
            return got;
        }
        if (errno != EINTR) {
            failInput(path, errno);
        }
    }
}

/// Until a further write gives the file another time: the clock that Linux stamps files with steps
/// every 10 ms or faster.
void waitForAnotherTime(const timespec& modified) {
    using namespace std::chrono;
    constexpr nanoseconds kStep = milliseconds(20);
    const nanoseconds then = seconds(modified.tv_sec) + nanoseconds(modified.tv_nsec);
    const nanoseconds age = system_clock::now().time_since_epoch() - then;
    if (age < kStep) {
        std::this_thread::sleep_for(std::min(kStep, kStep - age));
    }
}

} // namespace

template <class Status> ReadFiles::Identity ReadFiles::identityOf(const Status& status) {
    return {.device = status.st_dev,
            .number = status.st_ino,
            .bytes = status.st_size,
            .seconds = status.st_mtim.tv_sec,
            .nanoseconds = status.st_mtim.tv_nsec};
}

void ReadFiles::add(const std::filesystem::path& path) {
    if (std::ranges::find(m_files, path, &Open::path) != m_files.end()) {
        return; // a header may name itself
    }
    (void)requireRegularFile(path);
    base::Descriptor file(::open(path.c_str(), O_RDONLY | O_NONBLOCK | O_CLOEXEC));
    struct stat status {};
    if (!file.valid() || ::fstat(file.number(), &status) != 0) {
        failInput(path, errno);
    }
    waitForAnotherTime(status.st_mtim);
    if (::fstat(file.number(), &status) != 0) {
        failInput(path, errno);
    }
    m_files.emplace_back(path, std::move(file), identityOf(status));
}

void ReadFiles::addFolder(const std::filesystem::path& folder) {
    std::error_code error;
    std::vector<std::filesystem::path> paths;
    for (std::filesystem::directory_iterator at(folder, error), end; !error && at != end;
         at.increment(error)) {
        paths.push_back(at->path());
    }
    if (error) {
        failInput(folder, error.message());
    }
    std::sort(paths.begin(), paths.end());
    std::for_each(paths.begin(), paths.end(), [this](const auto& path) { addUnopened(path); });
}

void ReadFiles::addUnopened(const std::filesystem::path& path) {
    struct stat status {};
    if (std::ranges::find(m_files, path, &Open::path) != m_files.end() ||
        ::stat(path.c_str(), &status) != 0 || !S_ISREG(status.st_mode)) {
        return;
    }
    waitForAnotherTime(status.st_mtim);
    if (::stat(path.c_str(), &status) == 0) {
        m_files.emplace_back(path, base::Descriptor(-1), identityOf(status));
    }
}

bool ReadFiles::keepOnly(const std::vector<std::string>& names) {
    std::vector<std::string> sorted = names;
    std::sort(sorted.begin(), sorted.end());
    sorted.erase(std::unique(sorted.begin(), sorted.end()), sorted.end());
    m_files.remove_if([&](const Open& open) {
        return !std::binary_search(sorted.begin(), sorted.end(), open.path.filename().string());
    });
    return m_files.size() == sorted.size();
}

void ReadFiles::requireSame(const Open& open) {
    struct stat own {};
    struct stat named {};
    if ((open.file.valid() &&
         (::fstat(open.file.number(), &own) != 0 || identityOf(own) != open.before)) ||
        ::stat(open.path.c_str(), &named) != 0 || identityOf(named) != open.before) {
        failInput(open.path,
                  "it was changed while it was read; try again after it is written completely");
    }
}

std::vector<FileDigest> ReadFiles::digests(const std::stop_token& stop) {
    std::vector<FileDigest> all;
    std::vector<char> block(static_cast<std::size_t>(kBlock));
    for (Open& open : m_files) {
        const bool late = !open.file.valid();
        if (late) {
            requireSame(open); // a pipe in its place would block
            open.file = base::Descriptor(::open(open.path.c_str(), O_RDONLY | O_CLOEXEC));
            if (!open.file.valid()) {
                failInput(open.path, errno);
            }
            requireSame(open);
        }
        FileStream rest(open.path, open.hashed, this, stop);
        while (rest.read(block.data(), kBlock) > 0) {
        }
        all.push_back({open.path, open.digest.text()});
        if (late) {
            open.file = base::Descriptor(-1); // a series has more files than a process may open
        }
    }
    // Of all files at the end: a header belongs to the voxels beside it.
    std::for_each(m_files.begin(), m_files.end(), requireSame);
    return all;
}

FileStream::FileStream(const std::filesystem::path& path, std::int64_t offset, ReadFiles* files,
                       std::stop_token stop)
    : m_path(path), m_own(-1), m_stop(std::move(stop)) {
    if (files != nullptr) {
        const auto found = std::ranges::find_if(files->m_files, [&](const ReadFiles::Open& open) {
            return open.file.valid() && open.path == path;
        });
        m_open = found == files->m_files.end() ? nullptr : &*found;
    }
    if (m_open == nullptr) {
        m_own = base::Descriptor(::open(path.c_str(), O_RDONLY | O_NONBLOCK | O_CLOEXEC));
        if (!m_own.valid()) {
            failInput(path, errno);
        }
        m_at = offset;
        return;
    }
    m_at = std::min(offset, m_open->hashed);
    skip(offset - m_at);
}

std::int64_t FileStream::read(void* target, std::int64_t count) {
    auto* out = static_cast<char*>(target);
    std::int64_t all = 0;
    while (all < count) {
        throwIfStopped(m_stop);
        const std::int64_t got = readAt(m_open != nullptr ? m_open->file.number() : m_own.number(),
                                        out + all, std::min(kBlock, count - all), m_at, m_path);
        if (got == 0) {
            break;
        }
        if (m_open != nullptr && m_at + got > m_open->hashed) {
            const std::int64_t known = m_open->hashed - m_at; // before this stream began
            m_open->digest.add(out + all + known, static_cast<std::size_t>(got - known));
            m_open->hashed += got - known;
        }
        m_at += got;
        all += got;
    }
    return all;
}

void FileStream::skip(std::int64_t count) {
    if (m_open == nullptr) {
        m_at += count;
        return;
    }
    if (const std::int64_t known = std::min(count, m_open->hashed - m_at); known > 0) {
        m_at += known;
        count -= known;
    }
    std::vector<char> block(static_cast<std::size_t>(std::min(count, kBlock)));
    while (count > 0) {
        const std::int64_t got = read(block.data(), std::min(count, kBlock));
        if (got == 0) {
            m_at += count; // beyond the end, where read() finds nothing
            return;
        }
        count -= got;
    }
}

} // namespace flcc::io::detail
