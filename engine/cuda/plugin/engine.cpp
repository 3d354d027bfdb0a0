#include "engine/cuda/plugin/engine.h"

#include <dlfcn.h>

#include <memory>
#include <system_error>
#include <utility>

#include "engine/base/error.h"
#include "engine/base/log.h"

namespace flcc::cuda {

namespace {

constexpr const char* kFile = "flcc-cuda.so";

/// A version as text: "12.4" for 12040.
std::string versionText(std::int32_t version) {
    return std::to_string(version / 1000) + "." + std::to_string(version % 1000 / 10);
}

/// A sentence for users from `error`, the dynamic loader's message about `file`.
std::string loaderReason(const std::filesystem::path& file, const std::string& error) {
    const std::string missing = ": cannot open shared object file";
    const std::size_t end = error.find(missing);
    if (end != std::string::npos && error.compare(0, file.string().size(), file.string()) != 0) {
        return "the GPU engine needs the library " + error.substr(0, end) +
               ", which is not installed";
    }
    return "the GPU engine cannot be loaded: " + error;
}

/// Why there is no device; empty if the driver finds one.
std::string startReason(const PluginStart& start, const PluginTable& table) {
    if (start.driver == 0 && start.result != 0) {
        return "no NVIDIA driver is installed";
    }
    if (start.result == kDriverTooOld) {
        return "the NVIDIA driver is too old: it is for CUDA " + versionText(start.driver) +
               ", the GPU engine needs " + versionText(start.runtime);
    }
    if (start.result == kNoDevice || (start.result == 0 && start.devices < 1)) {
        return "the driver finds no NVIDIA GPU";
    }
    return start.result == 0
               ? std::string()
               : std::string("the driver does not start: ") + table.describeError(start.result);
}

/// Why the plug-in has no code for a device.
std::string codeReason(const PluginDevice& about) {
    const std::int32_t own = 10 * about.major + about.minor;
    const auto text = [](std::int32_t capability) {
        return std::to_string(capability / 10) + "." + std::to_string(capability % 10);
    };
    return own < about.oldestCode
               ? "its compute capability " + text(own) +
                     " is older than what the GPU engine was built for, " + text(about.oldestCode) +
                     " and newer"
               : "the GPU engine was built without code for its compute capability " + text(own);
}

/// The text of an error. An error of cuFFT gets its number too, since cuFFT's documentation lists
/// errors by number.
std::string errorText(const PluginTable& table, Result result) {
    const std::string words = table.describeError(result);
    return result > kTransformError
               ? words + " (cuFFT error " + std::to_string(result - kTransformError) + ")"
               : words;
}

const PluginTable*& standInTable() {
    static const PluginTable* table = nullptr;
    return table;
}

} // namespace

Engine::Engine(const PluginTable* table, std::string reason)
    : m_table(table), m_reason(std::move(reason)) {
    if (m_table == nullptr) {
        return;
    }
    m_start = m_table->start();
    m_reason = startReason(m_start, *m_table);
    for (std::int32_t number = 0; m_reason.empty() && number < m_start.devices; ++number) {
        DeviceFacts device;
        device.number = number;
        const Result result = m_table->describe(number, &device.about);
        if (result != 0) {
            device.about = {};
            const std::string name = "GPU " + std::to_string(number);
            name.copy(device.about.name, sizeof(device.about.name) - 1);
            device.reason = std::string("it does not answer: ") + m_table->describeError(result);
        } else if (!device.about.hasCode) {
            device.reason = codeReason(device.about);
        }
        m_devices.push_back(std::move(device));
    }
}

std::vector<std::filesystem::path> Engine::places() {
    std::error_code error;
    const auto program = std::filesystem::read_symlink("/proc/self/exe", error);
    if (error) {
        return {};
    }
    const std::filesystem::path folder = program.parent_path();
    return {folder / kFile, (folder / FLCC_PLUGIN_FOLDER / kFile).lexically_normal()};
}

const PluginTable* Engine::load(const std::vector<std::filesystem::path>& files,
                                std::string& reason) {
    std::string tried;
    for (const std::filesystem::path& file : files) {
        std::error_code error;
        if (!std::filesystem::exists(file, error)) {
            tried += (tried.empty() ? " in " : " or ") + file.parent_path().string();
            continue;
        }
        void* const library = dlopen(file.c_str(), RTLD_NOW | RTLD_LOCAL);
        if (library == nullptr) {
            const char* const text = dlerror();
            reason = loaderReason(file, text == nullptr ? "no reason given" : text);
            return nullptr;
        }
        const auto entry = reinterpret_cast<PluginEntry>(dlsym(library, kPluginEntry));
        const PluginTable* const table = entry == nullptr ? nullptr : entry(kPluginLayout);
        if (table == nullptr || table->layout != kPluginLayout) {
            reason = "the GPU engine " + file.string() +
                     " belongs to another version of FLCC; install both from one package or build";
            dlclose(library);
            return nullptr;
        }
        return table;
    }
    base::log(base::LogLevel::Info, std::string(kFile) + " is not there:" + tried);
    reason = "the GPU engine is not installed: " + std::string(kFile) + " is missing";
    return nullptr;
}

Engine& Engine::ofProcess() {
    static const std::unique_ptr<Engine> engine = [] {
        std::string reason;
        const PluginTable* const table =
            standInTable() != nullptr ? standInTable() : load(places(), reason);
        return std::make_unique<Engine>(table, reason);
    }();
    return *engine;
}

void Engine::standIn(const PluginTable* table) { standInTable() = table; }

std::string Engine::reason() const {
    if (!m_reason.empty()) {
        return m_reason;
    }
    std::string first;
    for (const DeviceFacts& device : m_devices) {
        const std::string reason = reasonAgainst(device.number);
        if (reason.empty()) {
            return {};
        }
        const std::lock_guard lock(m_lock);
        first = first.empty() && m_lost.contains(device.number) ? reason : first;
    }
    return first;
}

std::string Engine::reasonAgainst(std::int32_t number) const {
    if (!m_reason.empty()) {
        return m_reason;
    }
    {
        const std::lock_guard lock(m_lock);
        if (const auto lost = m_lost.find(number); lost != m_lost.end()) {
            return lost->second;
        }
    }
    for (const DeviceFacts& device : m_devices) {
        if (device.number == number) {
            return device.reason;
        }
    }
    return "there is no such device";
}

std::int64_t Engine::freeMemory(std::int32_t number) const {
    std::int64_t bytes = 0;
    return reasonAgainst(number).empty() && m_table->freeMemory(number, &bytes) == 0 ? bytes : 0;
}

std::string Engine::versions() const {
    return m_table == nullptr
               ? std::string()
               : "CUDA " + versionText(m_start.runtime) +
                     (m_start.driver == 0 ? ", no driver"
                                          : ", driver for " + versionText(m_start.driver));
}

void Engine::require(Result result, std::int32_t device, const std::string& what) {
    if (result == 0) {
        return;
    }
    const std::string id = "cuda:" + std::to_string(device);
    const std::string error = errorText(*m_table, result);
    if (m_table->isSticky(result)) {
        const std::lock_guard lock(m_lock);
        const auto [lost, first] = m_lost.try_emplace(
            device, "it failed in this process (" + error + "); start the program again to use it");
        if (first) {
            base::log(base::LogLevel::Warning, "device " + id + " is lost: " + what + ": " + error);
        }
    }
    throw base::Error(result == kOutOfMemory ? base::ErrorCode::Memory : base::ErrorCode::Device,
                      "device '" + id + "' failed: " + what + ": " + error);
}

} // namespace flcc::cuda
