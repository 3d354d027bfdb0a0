#include "engine/io/atomic_file.h"

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <mutex>
#include <new>
#include <string>
#include <system_error>
#include <thread>
#include <type_traits>

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "engine/base/error.h"
#include "engine/io/files/paths.h"
#include "engine/io/files/temporary_name.h"
#include "engine/io/format/reading.h"

namespace flcc::io {

namespace fs = std::filesystem;
using base::Descriptor;

/// All AtomicFile objects, for abandonAtomicFiles(): a list that needs no allocation, so that a
/// file is on it before it exists.
struct Temporaries {
    /// A file without a name keeps a descriptor, and a process has about 1000 of them. Further
    /// files get temporary names, as a run over many scenes needs.
    static constexpr int kMostWithoutName = 100;

    std::mutex mutex;       // guards the members below
    bool abandoned = false; // no file may be made or committed any more
    int withoutName = 0;
    AtomicFile* first = nullptr;

    void add(AtomicFile& file) {
        file.m_next = first;
        if (first != nullptr) {
            first->m_before = &file;
        }
        first = &file;
    }

    void remove(AtomicFile& file) {
        (file.m_before != nullptr ? file.m_before->m_next : first) = file.m_next;
        if (file.m_next != nullptr) {
            file.m_next->m_before = file.m_before;
        }
        withoutName -= file.hasNoName() ? 1 : 0;
    }

    void abandon() noexcept {
        abandoned = true;
        for (AtomicFile* file = first; file != nullptr; file = file->m_next) {
            file->removeName();
        }
    }
};

namespace {

using detail::failOutput;

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

constexpr mode_t kMode = S_IRUSR | S_IWUSR | S_IRGRP | S_IWGRP | S_IROTH | S_IWOTH;

/// The list needs neither constructor nor destructor: a thread may use it while the process ends,
/// and a lack of memory may end the process before main().
constinit Temporaries allTemporaries;
static_assert(std::is_trivially_destructible_v<Temporaries>);

Temporaries& temporaries() { return allTemporaries; }

void requireInUse(const Temporaries& all, const fs::path& target) {
    if (all.abandoned) {
        failOutput(target, "the program is ending");
    }
}

} // namespace

fs::path outputTarget(const fs::path& path) {
    std::error_code error;
    const auto status = fs::status(path, error);
    if (fs::is_directory(status)) {
        failOutput(path, "it is a folder");
    }
    if (fs::exists(status) && !fs::is_regular_file(status)) {
        failOutput(path, "it is not an ordinary file");
    }
    constexpr int kMostLinks = 40; // as the system
    fs::path target = path;
    for (int links = 0; fs::is_symlink(target, error); ++links) {
        const fs::path next = fs::read_symlink(target, error);
        if (error || links == kMostLinks) {
            failOutput(path, error ? error.message() : "it leads through too many links");
        }
        target = next.is_absolute() ? next : target.parent_path() / next;
    }
    return target;
}

AtomicFile::AtomicFile(fs::path target)
    : m_target(outputTarget(target)), m_name(folderOf(m_target) / detail::temporaryName()) {
    const fs::path folder = folderOf(m_target);
    std::error_code error;
    if (!fs::is_directory(folder, error)) {
        failOutput(m_target, "there is no folder " + detail::shown(folder));
    }
    detail::removeAbandoned(folder);
    Temporaries& all = temporaries();
    const std::lock_guard lock(all.mutex);
    requireInUse(all, m_target);
    // What was written is read again: flcc-reader cannot open a descriptor of this process, and the
    // HDF5 library none of its own.
    const bool read = detail::extensionOf(m_target) == ".h5";
    if (read || all.withoutName >= Temporaries::kMostWithoutName || !openWithoutName(folder)) {
        openNamed();
    }
    all.withoutName += hasNoName() ? 1 : 0;
    all.add(*this);
}

AtomicFile::~AtomicFile() {
    const std::lock_guard lock(temporaries().mutex);
    removeName();
    temporaries().remove(*this);
}

/// False where the file system, or a system without /proc, cannot.
bool AtomicFile::openWithoutName(const fs::path& folder) {
    Descriptor file(::open(folder.c_str(), O_TMPFILE | O_WRONLY | O_CLOEXEC, kMode));
    if (!file.valid()) {
        return false; // openNamed() finds out why, if it cannot make a file either
    }
    m_temporary = "/proc/self/fd/" + std::to_string(file.number());
    if (::access(m_temporary.c_str(), F_OK) != 0) {
        return false;
    }
    keepPermissions(file.number());
    m_file = std::move(file);
    return true;
}

void AtomicFile::openNamed() {
    m_temporary = m_name;
    const Descriptor file(::open(m_name.c_str(), O_CREAT | O_EXCL | O_WRONLY | O_CLOEXEC, kMode));
    if (!file.valid()) {
        failOutput(m_target, errno);
    }
    m_named = true;
    keepPermissions(file.number());
}

void AtomicFile::keepPermissions(int file) const {
    struct stat before {};
    if (::stat(m_target.c_str(), &before) == 0) {
        (void)::fchmod(file, before.st_mode & 0777U);
    }
}

void AtomicFile::removeName() noexcept {
    if (m_named) {
        (void)::unlink(m_name.c_str());
        m_named = false;
    }
}

void AtomicFile::flush() const {
    const Descriptor named(hasNoName() ? -1 : ::open(m_name.c_str(), O_RDONLY | O_CLOEXEC));
    const int file = hasNoName() ? m_file.number() : named.number();
    if (file < 0 || ::fsync(file) != 0) {
        failOutput(m_target, errno);
    }
}

/// Gives a file without a name this one; false if another file has it.
bool AtomicFile::link(const fs::path& name) const {
    if (::linkat(AT_FDCWD, m_temporary.c_str(), AT_FDCWD, name.c_str(), AT_SYMLINK_FOLLOW) == 0) {
        return true;
    }
    if (errno != EEXIST) {
        failOutput(m_target, errno);
    }
    return false;
}

void AtomicFile::rename() {
    if (hasNoName()) {
        if (link(m_target)) {
            m_created = true;
            return;
        }
        // A link cannot replace a file. The temporary name exists for this moment only.
        if (!link(m_name)) {
            failOutput(m_target, EEXIST);
        }
        m_named = true;
    }
    struct stat before {};
    const bool there = ::lstat(m_target.c_str(), &before) == 0;
    m_exchanged =
        there && S_ISREG(before.st_mode) &&
        ::renameat2(AT_FDCWD, m_name.c_str(), AT_FDCWD, m_target.c_str(), RENAME_EXCHANGE) == 0;
    if (m_exchanged) {
        return;
    }
    if (::rename(m_name.c_str(), m_target.c_str()) != 0) {
        failOutput(m_target, errno);
    }
    m_named = false;
    m_created = !there;
}

void AtomicFile::giveBack() noexcept {
    if (m_exchanged) { // then the temporary name is that of the new file
        (void)::renameat2(AT_FDCWD, m_name.c_str(), AT_FDCWD, m_target.c_str(), RENAME_EXCHANGE);
    } else if (m_created) {
        (void)::unlink(m_target.c_str());
    }
    m_exchanged = false;
    m_created = false;
}

void AtomicFile::commit() {
    flush();
    {
        const std::lock_guard lock(temporaries().mutex);
        requireInUse(temporaries(), m_target);
        rename();
        removeName();
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
                requireInUse(temporaries(), (*file)->m_target);
                (*file)->rename();
            } catch (...) {
                std::for_each(files.begin(), file, [](const auto& done) { done->giveBack(); });
                throw;
            }
        }
        // The replaced files.
        std::for_each(files.begin(), files.end(), [](const auto& file) { file->removeName(); });
    }
    for (const auto& file : files) {
        syncFolder(file->m_target);
    }
}

void abandonAtomicFiles(std::chrono::milliseconds atMost) noexcept {
    Temporaries& all = temporaries();
    const auto end = std::chrono::steady_clock::now() + atMost;
    std::unique_lock lock(all.mutex, std::try_to_lock);
    while (!lock.owns_lock() && std::chrono::steady_clock::now() < end) {
        std::this_thread::sleep_for(std::chrono::milliseconds(1));
        (void)lock.try_lock();
    }
    if (lock.owns_lock()) {
        all.abandon();
    }
}

void writeText(const AtomicFile& file, std::string_view text) {
    const Descriptor out(::open(file.temporary().c_str(), O_WRONLY | O_CLOEXEC));
    if (!out.valid()) {
        failOutput(file.target(), errno);
    }
    while (!text.empty()) {
        const ssize_t written = ::write(out.number(), text.data(), text.size());
        if (written < 0 && errno != EINTR) {
            failOutput(file.target(), errno);
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
