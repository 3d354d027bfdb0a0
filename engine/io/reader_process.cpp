#include "engine/io/detail/reader_process.h"

#include <algorithm>
#include <array>
#include <cerrno>
#include <csignal>
#include <cstring>
#include <system_error>

#include <fcntl.h>
#include <poll.h>
#include <spawn.h>
#include <sys/mman.h>
#include <sys/pidfd.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "engine/base/error.h"
#include "engine/base/log.h"
#include "engine/io/detail/raw_file.h"

namespace flcc::io::detail {

namespace {

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
constexpr bool kLimitsMemory = false; // sanitizers reserve terabytes of addresses
#else
constexpr bool kLimitsMemory = true;
#endif

/// Bytes of messages that are kept; further ones cannot be written.
constexpr std::int64_t kMostErrors = 1 << 16;

std::string reasonOf(int error) { return std::generic_category().message(error); }

/// Not from PATH or a variable of the environment, which could name another program.
std::filesystem::path readerProgram() {
    if (!readerSetup().program.empty()) {
        return readerSetup().program;
    }
    std::error_code ignored;
    return std::filesystem::read_symlink("/proc/self/exe", ignored).parent_path() / "flcc-reader";
}

/// Lowers a limit of the process, which may have a lower one already.
bool limit(pid_t process, __rlimit_resource resource, std::int64_t soft, std::int64_t hard) {
    rlimit limits{};
    if (::prlimit(process, resource, nullptr, &limits) != 0) {
        return false;
    }
    const auto lower = [](rlim_t old, std::int64_t wanted) {
        return std::min(old, static_cast<rlim_t>(wanted));
    };
    limits = {lower(limits.rlim_cur, soft), lower(limits.rlim_max, hard)};
    return ::prlimit(process, resource, &limits, nullptr) == 0;
}

/// The process starts with the answer as standard output, `errors` as standard error, no other
/// descriptor, no blocked signal and a process group of its own.
int spawn(pid_t& process, const std::filesystem::path& program, std::vector<std::string> words,
          int answer, int errors) {
    posix_spawn_file_actions_t files{};
    posix_spawnattr_t attributes{};
    ::posix_spawn_file_actions_init(&files);
    ::posix_spawn_file_actions_addopen(&files, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
    ::posix_spawn_file_actions_adddup2(&files, answer, STDOUT_FILENO);
    ::posix_spawn_file_actions_adddup2(&files, errors, STDERR_FILENO);
    ::posix_spawn_file_actions_addclosefrom_np(&files, STDERR_FILENO + 1);
    ::posix_spawnattr_init(&attributes);
    sigset_t none{};
    sigset_t all{};
    ::sigemptyset(&none);
    ::sigfillset(&all);
    ::posix_spawnattr_setsigmask(&attributes, &none);
    ::posix_spawnattr_setsigdefault(&attributes, &all);
    ::posix_spawnattr_setpgroup(&attributes, 0);
    ::posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF |
                                                POSIX_SPAWN_SETPGROUP);
    std::vector<char*> pointers;
    for (std::string& word : words) {
        pointers.push_back(word.data());
    }
    pointers.push_back(nullptr);
    const int error =
        ::posix_spawn(&process, program.c_str(), &files, &attributes, pointers.data(), environ);
    ::posix_spawnattr_destroy(&attributes);
    ::posix_spawn_file_actions_destroy(&files);
    return error;
}

} // namespace

ReaderSetup& readerSetup() {
    static ReaderSetup setup;
    return setup;
}

void ReaderProcess::Kill::operator()() const { ::kill(-process, SIGKILL); }

ReaderProcess::ReaderProcess(std::filesystem::path path, Format format,
                             const std::vector<std::string>& arguments, const Limits& limits,
                             std::stop_token stop)
    : m_path(std::move(path)), m_format(format), m_limits(limits), m_stop(std::move(stop)),
      m_answer(-1), m_errors(::memfd_create("flcc-reader", MFD_CLOEXEC)) {
    throwIfStopped(m_stop);
    std::array<int, 2> ends{-1, -1};
    if (!m_errors.valid() || ::pipe2(ends.data(), O_CLOEXEC) != 0) {
        failInput(m_path, reasonOf(errno));
    }
    m_answer = base::Descriptor(ends[0]);
    const base::Descriptor theirs(ends[1]);
    ::fcntl(theirs.number(), F_SETPIPE_SZ, 1 << 20); // fewer changes between the processes
    const std::filesystem::path program = readerProgram();
    std::vector<std::string> words{program.string()};
    words.insert(words.end(), arguments.begin(), arguments.end());
    const int error =
        spawn(m_process, program, std::move(words), theirs.number(), m_errors.number());
    if (error != 0) {
        m_process = -1;
        failInput(m_path, std::string(name(format)) + " files are read by the program " +
                              shown(program) + ", which cannot be started (" + reasonOf(error) +
                              "); install it beside the program that you started");
    }
    // The process has not opened the file yet, and limits count what it used before.
    const bool limited =
        limit(m_process, RLIMIT_CORE, 0, 0) &&
        limit(m_process, RLIMIT_FSIZE, kMostErrors, kMostErrors) &&
        limit(m_process, RLIMIT_CPU, m_limits.seconds, m_limits.seconds + 5) &&
        (!kLimitsMemory || limit(m_process, RLIMIT_AS, m_limits.memory, m_limits.memory));
    if (!limited) {
        const std::string reason = reasonOf(errno);
        ::kill(-m_process, SIGKILL);
        ::waitpid(m_process, nullptr, 0);
        failEnded("its limits could not be set: " + reason);
    }
    m_kill.emplace(m_stop, Kill{m_process});
}

ReaderProcess::~ReaderProcess() {
    m_kill.reset(); // afterwards the number of the process may belong to another one
    if (m_process > 0) {
        ::kill(-m_process, SIGKILL);
        while (::waitpid(m_process, nullptr, 0) < 0 && errno == EINTR) {
        }
        logErrors();
    }
}

void ReaderProcess::read(void* target, std::int64_t count) {
    auto* out = static_cast<char*>(target);
    while (count > 0) {
        throwIfStopped(m_stop);
        const ssize_t got = ::read(m_answer.number(), out, static_cast<std::size_t>(count));
        if (got < 0 && errno == EINTR) {
            continue;
        }
        if (got <= 0) {
            throwIfStopped(m_stop); // it was killed for that
            failEnded(cause());
        }
        out += got;
        count -= got;
    }
}

std::string ReaderProcess::cause() const {
    constexpr int kPatience = 5000; // ms; it may have closed its output and go on
    const base::Descriptor handle(::pidfd_open(m_process, 0));
    pollfd wait{.fd = handle.number(), .events = POLLIN, .revents = 0};
    while (handle.valid() && ::poll(&wait, 1, kPatience) < 0 && errno == EINTR) {
    }
    ::kill(-m_process, SIGKILL);
    siginfo_t info{};
    if (::waitid(P_PID, static_cast<id_t>(m_process), &info, WEXITED | WNOWAIT) != 0) {
        return reasonOf(errno);
    }
    std::array<char, kMostErrors> errors{};
    const ssize_t length = ::pread(m_errors.number(), errors.data(), errors.size(), 0);
    const std::string_view text(errors.data(),
                                static_cast<std::size_t>(std::max<ssize_t>(0, length)));
    if (text.find("bad_alloc") != std::string_view::npos) {
        return "its limit of " + std::to_string(m_limits.memory >> 20) + " MiB of memory";
    }
    if (info.si_code == CLD_EXITED) {
        return "exit code " + std::to_string(info.si_status) + " before its answer was complete";
    }
    switch (info.si_status) {
    case SIGXCPU:
        return "its limit of " + std::to_string(m_limits.seconds) + " s of processor time";
    case SIGKILL:
        return "killed, by a user or because the machine has no memory left";
    default:
        return "signal " + std::to_string(info.si_status) + ", " + ::strsignal(info.si_status);
    }
}

void ReaderProcess::logErrors() const {
    std::array<char, 4096> errors{};
    const ssize_t length = ::pread(m_errors.number(), errors.data(), errors.size(), 0);
    if (length > 0) {
        base::log(base::LogLevel::Debug,
                  "flcc-reader: " + oneLine({errors.data(), static_cast<std::size_t>(length)}));
    }
}

void ReaderProcess::failEnded(const std::string& cause) const {
    throw base::Error(base::ErrorCode::Input, "the reader of " + std::string(name(m_format)) +
                                                  " files ended while it read " + shown(m_path) +
                                                  " (" + cause +
                                                  "); the file may be damaged or too large");
}

void ReaderProcess::failMemory() const {
    failEnded("its limit of " + std::to_string(m_limits.memory >> 20) + " MiB of memory");
}

void ReaderProcess::failAnswer(const std::string& fault) const {
    throw base::Error(base::ErrorCode::Input,
                      "the reader of " + std::string(name(m_format)) +
                          " files gave an invalid answer while it read " + shown(m_path) + " (" +
                          fault +
                          "); the file may be damaged, or flcc-reader belongs to another "
                          "version");
}

} // namespace flcc::io::detail
