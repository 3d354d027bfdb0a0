#include "engine/io/files/temporary_name.h"

#include <algorithm>
#include <array>
#include <atomic>
#include <cerrno>
#include <charconv>
#include <csignal>
#include <cstdint>
#include <ctime>
#include <memory>
#include <mutex>
#include <optional>
#include <set>
#include <string_view>
#include <utility>

#include <dirent.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "engine/base/open_file.h"

namespace flcc::io::detail {

namespace {

using base::Descriptor;

constexpr std::string_view kBegin = ".flcc-";
constexpr std::string_view kEnd = ".tmp";

/// A process: its number, and when it started in ticks since the start of the system.
struct Process {
    std::uint64_t number = 0;
    std::uint64_t start = 0;
};

struct Name {
    Process process;
    std::uint64_t machine = 0;
};

/// The first bytes of a small file of the system; empty if it cannot be read.
template <std::size_t Size>
std::string_view contentOf(const char* file, std::array<char, Size>& to) {
    const Descriptor in(::open(file, O_RDONLY | O_CLOEXEC));
    const ssize_t got = in.valid() ? ::read(in.number(), to.data(), to.size()) : 0;
    return {to.data(), got > 0 ? static_cast<std::size_t>(got) : 0};
}

/// Takes a number from the front of `text`; nullopt, and `text` unchanged, if there is none.
std::optional<std::uint64_t> takeNumber(std::string_view& text, int base = 10) {
    std::uint64_t number = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number, base);
    if (error != std::errc{}) {
        return std::nullopt;
    }
    text.remove_prefix(static_cast<std::size_t>(end - text.data()));
    return number;
}

/// When the process started; nullopt if there is no such process or the system does not tell.
std::optional<std::uint64_t> startOf(std::uint64_t process) {
    const std::string file = "/proc/" + std::to_string(process) + "/stat";
    std::array<char, 1024> buffer{};
    std::string_view text = contentOf(file.c_str(), buffer);
    // The name of the program stands in parentheses and may hold any character. The state, which
    // follows it, is field 3; the start is field 22.
    text.remove_prefix(std::min(text.size(), text.rfind(')') + 1));
    for (int field = 3; field <= 22; ++field) {
        text.remove_prefix(std::min(text.size(), text.find(' ')));
        text.remove_prefix(std::min<std::size_t>(text.size(), 1));
    }
    return takeNumber(text);
}

std::uint64_t mixed(std::uint64_t hash, std::string_view text) {
    for (const char c : text) { // FNV-1a
        hash = (hash ^ static_cast<unsigned char>(c)) * 0x100000001b3U;
    }
    return hash;
}

std::uint64_t thisMachine() {
    static const std::uint64_t machine = [] {
        std::array<char, 64> boot{};
        std::array<char, 64> space{};
        const ssize_t length = ::readlink("/proc/self/ns/pid", space.data(), space.size());
        std::uint64_t hash = 0xcbf29ce484222325U;
        hash = mixed(hash, contentOf("/proc/sys/kernel/random/boot_id", boot));
        hash = mixed(hash, {space.data(), length > 0 ? static_cast<std::size_t>(length) : 0});
        return hash & 0xffffffffU;
    }();
    return machine;
}

Process thisProcess() {
    const auto number = static_cast<std::uint64_t>(::getpid());
    return {number, startOf(number).value_or(0)};
}

bool takeText(std::string_view& text, std::string_view expected) {
    const bool there = text.starts_with(expected);
    text.remove_prefix(there ? expected.size() : 0);
    return there;
}

std::optional<Name> parsed(std::string_view text) {
    const auto number = [&](int base) { return takeNumber(text, base); };
    const auto dash = [&] { return takeText(text, "-"); };
    Name name;
    std::optional<std::uint64_t> process;
    std::optional<std::uint64_t> start;
    std::optional<std::uint64_t> machine;
    const bool good = takeText(text, kBegin) && (process = number(10)) && dash() &&
                      (start = number(10)) && dash() && (machine = number(16)) && dash() &&
                      number(10) && text == kEnd;
    return good ? std::optional(Name{{*process, *start}, *machine}) : std::nullopt;
}

/// False only if the process is certainly gone.
bool mayLive(const Process& process) {
    if (::kill(static_cast<pid_t>(process.number), 0) != 0 && errno == ESRCH) {
        return false;
    }
    const std::optional<std::uint64_t> start = startOf(process.number);
    return !start || process.start == 0 || *start == process.start;
}

bool isAbandoned(const Name& name, const struct stat& facts) {
    constexpr std::time_t kWeek = 7 * 24 * 3600;
    return name.machine == thisMachine() ? !mayLive(name.process)
                                         : std::time(nullptr) - facts.st_mtim.tv_sec > kWeek;
}

/// True the first time that it is called for a folder.
bool isNew(int folder) {
    static std::mutex mutex;
    static std::set<std::pair<dev_t, ino_t>> known; // guarded by the mutex
    struct stat facts {};
    const std::lock_guard lock(mutex);
    return ::fstat(folder, &facts) == 0 && known.emplace(facts.st_dev, facts.st_ino).second;
}

struct CloseFolder {
    void operator()(DIR* folder) const { ::closedir(folder); }
};

} // namespace

std::string temporaryName() {
    static std::atomic<unsigned> counter{0};
    std::array<char, 16> machine{};
    const auto end =
        std::to_chars(machine.data(), machine.data() + machine.size(), thisMachine(), 16);
    const Process process = thisProcess();
    std::string name(kBegin);
    name += std::to_string(process.number) + "-" + std::to_string(process.start) + "-";
    name.append(machine.data(), end.ptr);
    name += "-" + std::to_string(counter++);
    name += kEnd;
    return name;
}

void removeAbandoned(const std::filesystem::path& folder) {
    const std::unique_ptr<DIR, CloseFolder> open(::opendir(folder.c_str()));
    if (!open || !isNew(::dirfd(open.get()))) {
        return;
    }
    while (const dirent* const entry = ::readdir(open.get())) {
        const std::optional<Name> name = parsed(entry->d_name);
        struct stat facts {};
        if (name &&
            ::fstatat(::dirfd(open.get()), entry->d_name, &facts, AT_SYMLINK_NOFOLLOW) == 0 &&
            S_ISREG(facts.st_mode) && facts.st_uid == ::geteuid() && isAbandoned(*name, facts)) {
            (void)::unlinkat(::dirfd(open.get()), entry->d_name, 0);
        }
    }
}

} // namespace flcc::io::detail
