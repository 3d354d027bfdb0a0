#include "engine/job/knowledge.h"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <charconv>
#include <chrono>
#include <cstdlib>
#include <mutex>
#include <new>
#include <optional>
#include <thread>
#include <tuple>
#include <utility>

#include "engine/base/error.h"
#include "engine/base/log.h"
#include "engine/base/open_file.h"
#include "engine/base/tile_pool.h"
#include "engine/io/atomic_file.h"
#include "engine/io/digest.h"

namespace flcc::job {

namespace {

namespace fs = std::filesystem;

constexpr std::string_view kMagic = "FLCC knowledge 1 ";
constexpr std::size_t kDigest = 64;
/// Larger than any wisdom and measurements can be.
constexpr off_t kLargest = 32 << 20;

using base::Descriptor;

fs::path knowledgeFolder() {
    for (const auto& [variable, below] :
         {std::pair{"XDG_CACHE_HOME", "flcc"}, std::pair{"HOME", ".cache/flcc"}}) {
        const char* const value = std::getenv(variable);
        if (value != nullptr && fs::path(value).is_absolute()) {
            return fs::path(value) / below;
        }
    }
    return {};
}

const std::string& key() {
    static const std::string key = plan::machineKey();
    return key;
}

/// The head, then the text that the digest covers: key, a zero byte, knowledge.
std::string wrapped(const plan::Knowledge& knowledge) {
    const std::string body = key() + '\0' + plan::toText(knowledge);
    return std::string(kMagic) + std::to_string(body.size()) + " " + io::textDigest(body) + "\n" +
           body;
}

/// Content of a file, or the reason why it is not used.
struct Reading {
    std::optional<plan::Knowledge> knowledge;
    std::string fault;
};

Reading unwrapped(std::string_view text) {
    if (text.empty()) {
        return {{}, "it is empty"};
    }
    if (!text.starts_with(kMagic)) {
        return {{}, "it was not written by this program or is of another version"};
    }
    text.remove_prefix(kMagic.size());
    std::size_t length = 0;
    const auto [rest, error] = std::from_chars(text.data(), text.data() + text.size(), length);
    text.remove_prefix(static_cast<std::size_t>(rest - text.data()));
    if (error != std::errc{} || text.size() < kDigest + 2 || text[0] != ' ' ||
        text[kDigest + 1] != '\n' || text.size() != kDigest + 2 + length) {
        return {{}, "it is cut off or damaged"};
    }
    const std::string_view digest = text.substr(1, kDigest);
    const std::string_view body = text.substr(kDigest + 2);
    if (io::textDigest(body) != digest) {
        return {{}, "its checksum is wrong"};
    }
    const std::size_t end = body.find('\0');
    if (end == std::string_view::npos || body.substr(0, end) != key()) {
        return {{}, "it belongs to another machine or version"};
    }
    Reading reading{plan::knowledgeFromText(body.substr(end + 1)), {}};
    reading.fault = reading.knowledge ? "" : "it holds impossible values";
    return reading;
}

/// The bytes of an ordinary file of sensible size, or why there are none.
std::pair<std::string, std::string> bytesOf(const fs::path& file) {
    // A pipe would wait, a link may lead anywhere.
    const Descriptor in(::open(file.c_str(), O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC));
    struct stat facts {};
    if (!in.valid() || ::fstat(in.number(), &facts) != 0) {
        return {{}, "it is a link or cannot be read"};
    }
    if (!S_ISREG(facts.st_mode)) {
        return {{}, "it is not an ordinary file"};
    }
    if (facts.st_size > kLargest) {
        return {{}, "it is too large"};
    }
    std::string bytes(static_cast<std::size_t>(facts.st_size), '\0');
    std::size_t filled = 0;
    while (filled < bytes.size()) {
        const ssize_t got = ::read(in.number(), bytes.data() + filled, bytes.size() - filled);
        if (got <= 0) {
            return {{}, "it cannot be read to its end"};
        }
        filled += static_cast<std::size_t>(got);
    }
    return {std::move(bytes), {}};
}

Reading readFile(const fs::path& file) {
    auto [bytes, fault] = bytesOf(file);
    return fault.empty() ? unwrapped(bytes) : Reading{{}, std::move(fault)};
}

/// Properties that change when a file is changed or replaced.
using Stamp = std::tuple<std::string, ino_t, off_t, time_t, long>;

std::optional<Stamp> stampOf(const fs::path& file) {
    struct stat facts {};
    if (file.empty() || ::lstat(file.c_str(), &facts) != 0) {
        return std::nullopt;
    }
    return Stamp{file.string(), facts.st_ino, facts.st_size, facts.st_mtim.tv_sec,
                 facts.st_mtim.tv_nsec};
}

void logMiss(const fs::path& file, const std::string& fault) {
    base::log(base::LogLevel::Warning,
              "saved measurements are not used: " + file.string() + ": " + fault);
}

/// Holds the lock of the folder; not valid when it is not to be had within a second or two.
Descriptor lockFolder(const fs::path& folder) {
    Descriptor lock(::open((folder / "lock").c_str(), O_CREAT | O_RDWR | O_CLOEXEC | O_NOFOLLOW,
                           S_IRUSR | S_IWUSR));
    constexpr int kTries = 200;
    for (int i = 0; lock.valid() && i < kTries; ++i) {
        if (::flock(lock.number(), LOCK_EX | LOCK_NB) == 0) {
            return lock;
        }
        std::this_thread::sleep_for(std::chrono::milliseconds(10));
    }
    return Descriptor(-1);
}

void writeLocked(const fs::path& file, const std::function<void(plan::Knowledge&)>& change) {
    const Descriptor lock = lockFolder(file.parent_path());
    if (!lock.valid()) {
        throw base::Error(base::ErrorCode::Output, "the folder cannot be locked");
    }
    plan::Knowledge now;
    if (stampOf(file)) {
        if (Reading reading = readFile(file); reading.knowledge) {
            now = std::move(*reading.knowledge);
        } else if (std::error_code ignored; !fs::is_regular_file(fs::symlink_status(file))) {
            fs::remove(file, ignored); // a link is replaced, not followed
        }
    }
    change(now);
    io::writeText(file, wrapped(now));
}

/// Knowledge of this process; guarded by the mutex.
struct Known {
    std::mutex mutex;
    std::optional<Stamp> last; ///< of the file that was read last
    std::shared_ptr<const plan::Knowledge> all = std::make_shared<plan::Knowledge>();
    plan::Knowledge learnt; ///< problems, and with `wisdom` FFTW's plans, that are not in the file
    bool wisdom = false;    ///< FFTW found plans that are not in the file
    fs::path learntFor;     ///< the file they belong to
};

Known& known() {
    static Known all;
    return all;
}

/// How many NothingKept live.
std::atomic<int>& forgetting() {
    static std::atomic<int> count = 0;
    return count;
}

void addTo(plan::Knowledge& knowledge, const plan::Knowledge& learnt) {
    for (const plan::KnownProblem& problem : learnt.problems) {
        knowledge.remember(problem);
    }
}

/// Brings `all` up to date with the file. The mutex is held.
void refresh(Known& now, const fs::path& file) {
    if (now.learntFor != file) { // the environment was changed
        now.learnt = {};
        now.wisdom = false;
        now.learntFor = file;
    }
    const std::optional<Stamp> stamp = stampOf(file);
    if (stamp == now.last) {
        return;
    }
    now.last = stamp;
    Reading reading = stamp ? readFile(file) : Reading{};
    if (!reading.fault.empty()) {
        logMiss(file, reading.fault);
    }
    plan::Knowledge all = reading.knowledge ? std::move(*reading.knowledge) : plan::Knowledge{};
    addTo(all, now.learnt);
    now.all = std::make_shared<plan::Knowledge>(std::move(all));
    plan::useWisdom(*now.all);
    if (now.wisdom) { // what FFTW knew beyond the file was replaced by the file's
        plan::keepWisdom(now.learnt);
    }
}

} // namespace

fs::path knowledgeFile() {
    const fs::path folder = knowledgeFolder();
    constexpr std::size_t kShort = 16;
    return folder.empty() ? fs::path()
                          : folder / ("machine-" + io::textDigest(key()).substr(0, kShort));
}

NothingKept::NothingKept() { ++forgetting(); }
NothingKept::~NothingKept() { --forgetting(); }

std::shared_ptr<const plan::Knowledge> knowledge() {
    if (forgetting() > 0) {
        return std::make_shared<const plan::Knowledge>();
    }
    Known& now = known();
    const std::lock_guard guard(now.mutex);
    refresh(now, knowledgeFile());
    return now.all;
}

void learn(plan::KnownProblem problem, bool wisdom) {
    if (forgetting() > 0) {
        return;
    }
    problem.when = std::chrono::duration_cast<std::chrono::seconds>(
                       std::chrono::system_clock::now().time_since_epoch())
                       .count();
    Known& now = known();
    const std::lock_guard guard(now.mutex);
    refresh(now, knowledgeFile());
    now.learnt.remember(problem);
    if (wisdom) {
        now.wisdom = true;
        plan::keepWisdom(now.learnt);
    }
    plan::Knowledge all = *now.all;
    all.remember(problem);
    now.all = std::make_shared<plan::Knowledge>(std::move(all));
}

bool keepLearnt() {
    if (forgetting() > 0) {
        return true;
    }
    Known& now = known();
    plan::Knowledge learnt;
    bool wisdom = false;
    {
        const std::lock_guard guard(now.mutex);
        refresh(now, knowledgeFile());
        learnt = std::exchange(now.learnt, {});
        wisdom = std::exchange(now.wisdom, false);
    }
    if (learnt.problems.empty() && !wisdom) {
        return true;
    }
    const bool kept = updateKnowledge([&](plan::Knowledge& knowledge) {
        addTo(knowledge, learnt);
        if (wisdom) {
            plan::keepWisdom(learnt); // FFTW may know another file's alone by now
            plan::keepWisdom(knowledge);
        }
    });
    if (!kept) {
        const std::lock_guard guard(now.mutex);
        addTo(learnt, now.learnt); // newer, where another thread went on
        now.learnt = std::move(learnt);
        if (wisdom || now.wisdom) {
            now.wisdom = true;
            plan::keepWisdom(now.learnt);
        }
        now.last.reset(); // another thread may have read the file without them
    }
    return kept;
}

bool updateKnowledge(const std::function<void(plan::Knowledge&)>& change) {
    const fs::path file = knowledgeFile();
    if (file.empty()) {
        return false;
    }
    try {
        std::error_code ignored;
        fs::create_directories(file.parent_path(), ignored);
        writeLocked(file, change);
        return true;
    } catch (const std::bad_alloc&) {
        throw;
    } catch (const std::exception& error) {
        base::log(base::LogLevel::Info,
                  "new measurements could not be saved in " + file.string() + ": " + error.what());
        return false;
    }
}

Calibrated calibrate(int threads, double seconds, std::stop_token stop,
                     const plan::CalibrationProgress& progress) {
    base::TilePool pool(threads > 0 ? threads : base::availableThreads());
    Calibrated result;
    const auto known = knowledge();
    std::optional<plan::Knowledge> learnt =
        plan::calibrate(*known, seconds, pool, std::move(stop), progress);
    if (!learnt) {
        result.cancelled = true;
        return result;
    }
    result.model = *learnt->model;
    if (updateKnowledge([&](plan::Knowledge& now) { now = std::move(*learnt); })) {
        result.file = knowledgeFile();
        Known& now = job::known();
        const std::lock_guard guard(now.mutex);
        now.learnt.problems.clear(); // times that the old cost model was measured beside
        now.last.reset();
    }
    return result;
}

} // namespace flcc::job
