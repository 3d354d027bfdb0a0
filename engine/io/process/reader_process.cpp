#include "engine/io/process/reader_process.h"

#include <algorithm>
#include <array>
#include <cerrno>
#include <csignal>
#include <cstring>
#include <system_error>

#include <fcntl.h>
#include <poll.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "engine/base/error.h"
#include "engine/base/log.h"
#include "engine/io/format/raw_file.h"
#include "engine/io/process/reader_protocol.h"

namespace flcc::io::detail {

namespace {

std::string reasonOf(int error) { return std::generic_category().message(error); }

/// Not from PATH or a variable of the environment, which could name another program.
std::filesystem::path readerProgram() {
    if (!readerSetup().program.empty()) {
        return readerSetup().program;
    }
    std::error_code ignored;
    return std::filesystem::read_symlink("/proc/self/exe", ignored).parent_path() / "flcc-reader";
}

/// A limit of the process to be.
struct Limit {
    __rlimit_resource resource;
    std::int64_t soft;
    std::int64_t hard;
};

/// Everything the new process needs between fork() and exec, where only functions that signal
/// handlers may call are allowed.
struct Launch {
    const char* program;
    char* const* words;
    std::array<Limit, 4> limits;
    std::size_t limitCount;
    int input;
    int answer;
    int errors;
    int failure; ///< where to write the error number if the program cannot be started
};

/// Runs in the new process: a process group of its own, no blocked or ignored signal, the limits,
/// the answer as standard output and no other descriptor than those.
[[noreturn]] void launch(const Launch& how) {
    bool good = ::setpgid(0, 0) == 0;
    for (int signal = 1; signal < NSIG; ++signal) {
        ::signal(signal, SIG_DFL);
    }
    sigset_t none{};
    ::sigemptyset(&none);
    ::sigprocmask(SIG_SETMASK, &none, nullptr);
    for (std::size_t i = 0; i < how.limitCount; ++i) {
        rlimit own{};
        good = good && ::getrlimit(how.limits[i].resource, &own) == 0;
        own.rlim_cur = std::min(own.rlim_cur, static_cast<rlim_t>(how.limits[i].soft));
        own.rlim_max = std::min(own.rlim_max, static_cast<rlim_t>(how.limits[i].hard));
        own.rlim_cur = std::min(own.rlim_cur, own.rlim_max);
        good = good && ::setrlimit(how.limits[i].resource, &own) == 0;
    }
    good = good && ::dup2(how.input, STDIN_FILENO) >= 0 && ::dup2(how.answer, STDOUT_FILENO) >= 0 &&
           ::dup2(how.errors, STDERR_FILENO) >= 0;
    (void)::close_range(STDERR_FILENO + 1, ~0U, CLOSE_RANGE_CLOEXEC);
    if (good) {
        ::execve(how.program, how.words, environ);
    }
    const int error = errno;
    [[maybe_unused]] const ssize_t written = ::write(how.failure, &error, sizeof(error));
    ::_exit(127);
}

/// Starts the process; -1 with errno.
pid_t start(const Launch& how) {
    sigset_t all{};
    sigset_t before{};
    ::sigfillset(&all);
    ::pthread_sigmask(SIG_SETMASK, &all, &before); // no handler of ours runs in the new process
    const pid_t process = ::fork();
    if (process == 0) {
        launch(how);
    }
    const int error = errno;
    ::pthread_sigmask(SIG_SETMASK, &before, nullptr);
    errno = error;
    return process;
}

/// The descriptor, as a number that is none of the standard streams.
base::Descriptor above(int number) {
    base::Descriptor given(number);
    return number >= 0 && number <= STDERR_FILENO
               ? base::Descriptor(::fcntl(number, F_DUPFD_CLOEXEC, STDERR_FILENO + 1))
               : std::move(given);
}

struct Pipe {
    base::Descriptor read{-1};
    base::Descriptor write{-1};

    explicit Pipe(int flags) {
        std::array<int, 2> ends{-1, -1};
        if (::pipe2(ends.data(), O_CLOEXEC | flags) == 0) {
            read = above(ends[0]);
            write = above(ends[1]);
        }
    }
    [[nodiscard]] bool valid() const { return read.valid() && write.valid(); }
};

/// Up to `count` bytes; fewer at the end of the pipe, or where it has no more now.
std::int64_t readAll(int file, void* target, std::size_t count) {
    std::size_t all = 0;
    while (all < count) {
        const ssize_t got = ::read(file, static_cast<char*>(target) + all, count - all);
        if (got == 0 || (got < 0 && errno != EINTR)) {
            break;
        }
        all += static_cast<std::size_t>(std::max<ssize_t>(0, got));
    }
    return static_cast<std::int64_t>(all);
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
      m_answer(-1), m_errors(-1) {
    throwIfStopped(m_stop);
    Pipe answer(0);
    Pipe errors(O_NONBLOCK); // messages beyond its capacity are lost
    Pipe failure(0);
    const base::Descriptor input = above(::open("/dev/null", O_RDONLY | O_CLOEXEC));
    if (!answer.valid() || !errors.valid() || !failure.valid() || !input.valid()) {
        failInput(m_path, errno);
    }
    ::fcntl(answer.write.number(), F_SETPIPE_SZ, 1 << 20); // fewer changes between the processes
    const std::filesystem::path program = readerProgram();
    std::vector<std::string> words{program.string()};
    words.insert(words.end(), arguments.begin(), arguments.end());
    std::vector<char*> pointers;
    for (std::string& word : words) {
        pointers.push_back(word.data());
    }
    pointers.push_back(nullptr);
    const Launch how{.program = program.c_str(),
                     .words = pointers.data(),
                     .limits = {{{RLIMIT_CORE, 0, 0},
                                 {RLIMIT_FSIZE, 0, 0}, // it writes no file
                                 {RLIMIT_CPU, m_limits.seconds, m_limits.seconds + 5},
                                 {RLIMIT_AS, m_limits.memory, m_limits.memory}}},
                     .limitCount = kLimitsMemory ? 4U : 3U,
                     .input = input.number(),
                     .answer = answer.write.number(),
                     .errors = errors.write.number(),
                     .failure = failure.write.number()};
    m_process = start(how);
    const int forkError = errno;
    answer.write = base::Descriptor(-1);
    errors.write = base::Descriptor(-1);
    failure.write = base::Descriptor(-1);
    int error = m_process < 0 ? forkError : 0;
    if (m_process > 0 && readAll(failure.read.number(), &error, sizeof(error)) > 0) {
        ::waitpid(m_process, nullptr, 0);
    }
    if (error != 0) {
        failInput(m_path, std::string(name(format)) + " files are read by the program " +
                              shown(program) + ", which cannot be started (" + reasonOf(error) +
                              "); install it beside the program that you started");
    }
    m_answer = std::move(answer.read);
    m_errors = std::move(errors.read);
    m_kill.emplace(m_stop, Kill{m_process});
}

ReaderProcess::~ReaderProcess() {
    m_kill.reset(); // afterwards the number of the process may belong to another one
    if (m_process > 0) {
        ::kill(-m_process, SIGKILL);
        while (::waitpid(m_process, nullptr, 0) < 0 && errno == EINTR) {
        }
        (void)takeErrors();
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
    const base::Descriptor handle(static_cast<int>(::syscall(SYS_pidfd_open, m_process, 0)));
    pollfd wait{.fd = handle.number(), .events = POLLIN, .revents = 0};
    while (handle.valid() && ::poll(&wait, 1, kPatience) < 0 && errno == EINTR) {
    }
    ::kill(-m_process, SIGKILL);
    siginfo_t info{};
    if (::waitid(P_PID, static_cast<id_t>(m_process), &info, WEXITED | WNOWAIT) != 0) {
        return reasonOf(errno);
    }
    const std::string text = takeErrors();
    if (text.find("bad_alloc") != std::string::npos) {
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

std::string ReaderProcess::takeErrors() const {
    std::string text(1 << 16, ' ');
    text.resize(static_cast<std::size_t>(readAll(m_errors.number(), text.data(), text.size())));
    if (!text.empty()) {
        base::log(base::LogLevel::Debug, "flcc-reader: " + oneLine(text.substr(0, 4096)));
    }
    return text;
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
