#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <mutex>
#include <string>
#include <vector>

#include "engine/cuda/plugin.h"

namespace flcc::cuda {

/// A device as the driver describes it.
struct DeviceFacts {
    std::int32_t number = 0;
    PluginDevice about;
    std::int32_t together = 1; ///< devices that share a map, this one among them
    std::string reason;        ///< why it cannot be used; empty when it can

    [[nodiscard]] std::string id() const { return "cuda:" + std::to_string(number); }
    [[nodiscard]] std::string name() const { return about.name; }
    /// Multiply-adds in float a nanosecond, all multiprocessors at the full clock.
    [[nodiscard]] double peakMultiplyAdds() const {
        const bool half = about.major == 7 || (about.major == 8 && about.minor == 0);
        return (half ? 64.0 : 128.0) * about.processors * about.gigahertz;
    }
    /// Of them, how many it does in double in the same time: half on devices made for that, which
    /// the compute capability tells, few on others.
    [[nodiscard]] double doubleShare() const {
        const bool made = about.minor == 0 && about.major >= 6 && about.major <= 10;
        return made ? 0.5 : 1.0 / 64;
    }
};

/// The GPU engine of the process: the plug-in's table with its errors turned into sentences.
///
/// **Threads**: safe from all; calls for one stream belong to one thread at a time.
class Engine {
  public:
    /// The table of a plug-in, or of what stands in for one; null with the reason for that.
    explicit Engine(const PluginTable* table, std::string reason = {});
    Engine(const Engine&) = delete;
    Engine& operator=(const Engine&) = delete;

    /// Loads the first plug-in that exists of `files`. What cannot be loaded is a reason, not an
    /// error. The library stays for the life of the process.
    [[nodiscard]] static const PluginTable* load(const std::vector<std::filesystem::path>& files,
                                                 std::string& reason);
    /// Where a plug-in is looked for: beside the program, then in the library folder.
    [[nodiscard]] static std::vector<std::filesystem::path> places();

    /// The one of this process; loaded when it is first asked for.
    [[nodiscard]] static Engine& ofProcess();
    /// Makes a table the process's, before anybody asks: for tests.
    static void standIn(const PluginTable* table);

    /// Why no device at all can be used; empty when one can. Says so too after sticky errors of
    /// all.
    [[nodiscard]] std::string reason() const;
    /// Every device that the driver finds, usable or not.
    [[nodiscard]] const std::vector<DeviceFacts>& devices() const { return m_devices; }
    /// Why device `number` cannot be used now; empty when it can.
    [[nodiscard]] std::string reasonAgainst(std::int32_t number) const;
    /// Free bytes of a device; 0 when it does not say.
    [[nodiscard]] std::int64_t freeMemory(std::int32_t number) const;
    /// CUDA and driver: "CUDA 13.0, driver for 13.0"; empty without a plug-in.
    [[nodiscard]] std::string versions() const;

    [[nodiscard]] const PluginTable& table() const { return *m_table; }

    /// Throws when a call failed. **Errors**: Memory where the device has too little, else Device;
    /// a sticky error also ends the use of the device for the process.
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
