#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <mutex>
#include <string>
#include <vector>

#include "engine/cuda/plugin/plugin.h"

namespace flcc::cuda {

/// A device as the driver describes it.
struct DeviceFacts {
    std::int32_t number = 0;
    PluginDevice about;
    std::int32_t together = 1; ///< number of devices that share a map, this one included
    std::string reason;        ///< why it cannot be used; empty if it can

    [[nodiscard]] std::string id() const { return "cuda:" + std::to_string(number); }
    [[nodiscard]] std::string name() const { return about.name; }
    /// Peak multiply-adds in float per nanosecond, with all multiprocessors at the full clock: 64
    /// per cycle and multiprocessor for compute capabilities 7.x and 8.0, else 128.
    [[nodiscard]] double peakMultiplyAdds() const {
        const bool half = about.major == 7 || (about.major == 8 && about.minor == 0);
        return (half ? 64.0 : 128.0) * about.processors * about.gigahertz;
    }
    /// The rate of multiply-adds in double relative to float: 1/2 on devices made for double
    /// precision, which have compute capability 6.0, 7.0, ... 10.0, and 1/64 on all others.
    [[nodiscard]] double doubleShare() const {
        const bool made = about.minor == 0 && about.major >= 6 && about.major <= 10;
        return made ? 0.5 : 1.0 / 64;
    }
};

/// The devices that the plug-in finds, and its table of functions. Turns error codes of the plug-in
/// into base::Error with a sentence.
///
/// **Threads**: any. Calls for one stream come from one thread at a time.
class Engine {
  public:
    /// `table`: of the plug-in, or of a test's stand-in for it. If it is null, `reason` says why.
    explicit Engine(const PluginTable* table, std::string reason = {});
    Engine(const Engine&) = delete;
    Engine& operator=(const Engine&) = delete;

    /// Loads the first of `files` that exists, for the life of the process. If that fails, returns
    /// null and sets `reason`; nothing is thrown.
    [[nodiscard]] static const PluginTable* load(const std::vector<std::filesystem::path>& files,
                                                 std::string& reason);
    /// The files to try as plug-in: beside the program, then in the library folder.
    [[nodiscard]] static std::vector<std::filesystem::path> places();

    /// The engine of this process. The first call loads the plug-in.
    [[nodiscard]] static Engine& ofProcess();
    /// For tests: ofProcess() uses `table` instead of a plug-in. Call it before the first
    /// ofProcess().
    static void standIn(const PluginTable* table);

    /// Why no device can be used; empty if at least one can. Not empty either after sticky errors
    /// have ended the use of all devices.
    [[nodiscard]] std::string reason() const;
    /// Every device that the driver finds, usable or not.
    [[nodiscard]] const std::vector<DeviceFacts>& devices() const { return m_devices; }
    /// Why device `number` cannot be used now; empty if it can.
    [[nodiscard]] std::string reasonAgainst(std::int32_t number) const;
    /// Free bytes of the device's memory; 0 if the device does not report them.
    [[nodiscard]] std::int64_t freeMemory(std::int32_t number) const;
    /// CUDA and driver: "CUDA 13.0, driver for 13.0"; empty without a plug-in.
    [[nodiscard]] std::string versions() const;

    [[nodiscard]] const PluginTable& table() const { return *m_table; }

    /// Throws if `result` is an error. `what` names the failed call in the message. **Errors**:
    /// Memory if there is too little memory, else Device. A sticky error (sticky_errors.h) also
    /// ends the use of the device in this process.
    void require(Result result, std::int32_t device, const std::string& what);

  private:
    const PluginTable* m_table = nullptr;
    std::string m_reason;
    PluginStart m_start;
    std::vector<DeviceFacts> m_devices;
    mutable std::mutex m_lock; // guards m_lost
    std::map<std::int32_t, std::string> m_lost;
};

} // namespace flcc::cuda
