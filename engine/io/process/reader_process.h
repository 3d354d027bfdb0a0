#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <stop_token>
#include <string>
#include <vector>

#include <sys/types.h>

#include "engine/base/open_file.h"
#include "engine/io/format/reading.h"

namespace flcc::io::detail {

/// How flcc-reader is started. Tests change it before they read.
struct ReaderSetup {
    std::filesystem::path program; ///< empty: flcc-reader in the folder of the running program
    std::int64_t baseMemory = std::int64_t{1} << 30; ///< for code and headers, beside the voxels
    std::int64_t infoSeconds = 60;                   ///< processor time to read a header
    std::int64_t readSeconds = 1800;                 ///< processor time to read voxels
};
[[nodiscard]] ReaderSetup& readerSetup();

/// A process of flcc-reader that reads one file. Its address space and processor time are limited,
/// it writes no core and cannot write files, and it ends with this object. A cancel ends it at
/// once.
/// **Threads**: one.
class ReaderProcess {
  public:
    struct Limits {
        std::int64_t memory = 0; ///< bytes of address space
        std::int64_t seconds = 0;
    };

    /// Starts the process. `arguments` follow the name of the format (reader_protocol.h).
    /// **Errors**: Input when it cannot be started.
    ReaderProcess(std::filesystem::path path, Format format,
                  const std::vector<std::string>& arguments, const Limits& limits,
                  std::stop_token stop);
    ~ReaderProcess();
    ReaderProcess(const ReaderProcess&) = delete;
    ReaderProcess& operator=(const ReaderProcess&) = delete;

    /// Reads the next `count` bytes of the answer. **Errors**: Input when the process ends before,
    /// with the signal or limit that ended it; Stopped.
    void read(void* target, std::int64_t count);

    /// Throws Input: the process ran out of memory.
    [[noreturn]] void failMemory() const;
    /// Throws Input: `fault` says what is wrong with the answer.
    [[noreturn]] void failAnswer(const std::string& fault) const;

  private:
    struct Kill {
        pid_t process;
        void operator()() const;
    };
    [[noreturn]] void failEnded(const std::string& cause) const;
    /// Waits for the end of the process. Says what ended it.
    [[nodiscard]] std::string cause() const;
    /// What the process wrote to standard error since the last call, for the log.
    [[nodiscard]] std::string takeErrors() const;

    std::filesystem::path m_path;
    Format m_format;
    Limits m_limits;
    std::stop_token m_stop;
    base::Descriptor m_answer;
    base::Descriptor m_errors; ///< what the process writes to standard error; never blocks
    pid_t m_process = -1;
    std::optional<std::stop_callback<Kill>> m_kill;
};

} // namespace flcc::io::detail
