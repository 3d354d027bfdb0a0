#include "engine/io/atomic_file.h"

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <cstdio>
#include <mutex>
#include <set>
#include <string>
#include <system_error>

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "engine/base/descriptor.h"
#include "engine/base/error.h"
#include "engine/io/detail/reading.h"

namespace flcc::io {

namespace {

namespace fs = std::filesystem;
using base::Descriptor;

[[noreturn]] void failOutput(const fs::path& path, const std::string& reason) {
    throw base::Error(base::ErrorCode::Output,
                      "cannot write " + detail::shown(path) + ": " + reason);
}

std::string reasonOf(int error) { return std::generic_category().message(error); }

/// Follows a link, so that the file is replaced and not the link. Throws for a path that is not a
/// regular file.
fs::path resolved(const fs::path& target) {
    std::error_code error;
    const auto status = fs::status(target, error);
    if (fs::is_directory(status)) {
        failOutput(target, "it is a folder");
    }
    if (fs::exists(status) && !fs::is_regular_file(status)) {
        failOutput(target, "it is not an ordinary file");
    }
    if (!fs::is_symlink(target, error) || !fs::exists(status)) {
        return target;
    }
    const fs::path real = fs::canonical(target, error);
    if (error) {
        failOutput(target, error.message());
    }
    return real;
}

fs::path folderOf(const fs::path& path) {
    return path.has_parent_path() ? path.parent_path() : fs::path(".");
}

/// That a new name survives a power cut is the folder's part, and some file systems do not allow to
/// ask for it.
void syncFolder(const fs::path& file) {
    const Descriptor folder(::open(folderOf(file).c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
    if (folder.valid()) {
        (void)::fsync(folder.number());
    }
}

/// The temporary files there are, for abandonAtomicFiles().
struct Temporaries {
    std::mutex mutex;
    bool abandoned = false; // guarded by the mutex, as is:
    std::set<fs::path> paths;

    void requireInUse(const fs::path& target) const {
        if (abandoned) {
            failOutput(target, "the program is ending");
        }
    }
};

/// Never destroyed: a thread may still ask for it while the process ends.
Temporaries& temporaries() {
    static auto* const all = new Temporaries;
    return *all;
}

} // namespace

AtomicFile::AtomicFile(fs::path target) : m_target(resolved(target)) {
    static std::atomic<unsigned> counter{0};
    const fs::path folder = folderOf(m_target);
    std::error_code error;
    if (!fs::is_directory(folder, error)) {
        failOutput(m_target, "there is no folder " + detail::shown(folder));
    }
    Temporaries& all = temporaries();
    const std::lock_guard lock(all.mutex);
    all.requireInUse(m_target);
    // A short name of its own: the target's may already be as long as a name can be.
    for (int attempt = 0; attempt < 100; ++attempt) {
        const std::string number = std::to_string(::getpid()) + "-" + std::to_string(counter++);
        m_temporary = folder / (".flcc-" + number + m_target.extension().string());
        const Descriptor file(::open(m_temporary.c_str(), O_CREAT | O_EXCL | O_WRONLY | O_CLOEXEC,
                                     S_IRUSR | S_IWUSR | S_IRGRP | S_IWGRP | S_IROTH | S_IWOTH));
        if (file.valid()) {
            all.paths.insert(m_temporary);
            struct stat before {};
            if (::stat(m_target.c_str(), &before) == 0) {
                (void)::fchmod(file.number(), before.st_mode & 0777U);
            }
            return;
        }
        if (errno != EEXIST) {
            failOutput(m_target, reasonOf(errno));
        }
    }
    failOutput(m_target, "no temporary name is free in " + detail::shown(folder));
}

AtomicFile::~AtomicFile() {
    if (!m_committed || m_exchanged) {
        std::error_code ignored;
        fs::remove(m_temporary, ignored);
    }
    const std::lock_guard lock(temporaries().mutex);
    temporaries().paths.erase(m_temporary);
}

void AtomicFile::flush() const {
    const Descriptor file(::open(m_temporary.c_str(), O_RDONLY | O_CLOEXEC));
    if (!file.valid() || ::fsync(file.number()) != 0) {
        failOutput(m_target, reasonOf(errno));
    }
}

void AtomicFile::rename() {
    struct stat before {};
    const bool there = ::lstat(m_target.c_str(), &before) == 0;
    m_exchanged = there && S_ISREG(before.st_mode) &&
                  ::renameat2(AT_FDCWD, m_temporary.c_str(), AT_FDCWD, m_target.c_str(),
                              RENAME_EXCHANGE) == 0;
    if (!m_exchanged && ::rename(m_temporary.c_str(), m_target.c_str()) != 0) {
        failOutput(m_target, reasonOf(errno));
    }
    m_created = !there;
    m_committed = true;
}

void AtomicFile::giveBack() noexcept {
    if (m_exchanged) {
        (void)::renameat2(AT_FDCWD, m_temporary.c_str(), AT_FDCWD, m_target.c_str(),
                          RENAME_EXCHANGE);
    } else if (m_created) {
        (void)::rename(m_target.c_str(), m_temporary.c_str());
    }
    m_committed = false;
    m_exchanged = false;
}

void AtomicFile::commit() {
    flush();
    {
        const std::lock_guard lock(temporaries().mutex);
        temporaries().requireInUse(m_target);
        rename();
    }
    syncFolder(m_target);
}

void AtomicFile::commitAll(const std::vector<std::unique_ptr<AtomicFile>>& files) {
    for (const auto& file : files) {
        file->flush();
    }
    {
        const std::lock_guard lock(temporaries().mutex);
        for (auto file = files.begin(); file != files.end(); ++file) {
            try {
                temporaries().requireInUse((*file)->m_target);
                (*file)->rename();
            } catch (...) {
                std::for_each(files.begin(), file, [](const auto& done) { done->giveBack(); });
                throw;
            }
        }
    }
    for (const auto& file : files) {
        syncFolder(file->m_target);
    }
}

void abandonAtomicFiles() noexcept {
    Temporaries& all = temporaries();
    const std::lock_guard lock(all.mutex);
    all.abandoned = true;
    for (const fs::path& path : all.paths) {
        (void)::unlink(path.c_str());
    }
}

void writeText(const AtomicFile& file, std::string_view text) {
    const Descriptor out(::open(file.temporary().c_str(), O_WRONLY | O_CLOEXEC));
    if (!out.valid()) {
        failOutput(file.target(), reasonOf(errno));
    }
    while (!text.empty()) {
        const ssize_t written = ::write(out.number(), text.data(), text.size());
        if (written < 0 && errno != EINTR) {
            failOutput(file.target(), reasonOf(errno));
        }
        text.remove_prefix(written > 0 ? static_cast<std::size_t>(written) : 0);
    }
}

void writeText(const fs::path& path, std::string_view text) {
    AtomicFile file(path);
    writeText(file, text);
    file.commit();
}

} // namespace flcc::io
