#pragma once

#include <filesystem>
#include <functional>
#include <memory>
#include <stop_token>
#include <vector>

#include "engine/io/atomic_file.h"
#include "engine/job/detail/inputs.h"
#include "engine/job/job.h"

namespace flcc::job::detail {

/// Files that appear together: each is written beside its target, and commit() gives all of them
/// their names, or none. What was not committed leaves nothing behind.
class OutputFiles {
  public:
    /// Writes a file and leaves commit() to this object; false when it was stopped.
    using Write = std::function<bool(const io::AtomicFile&)>;
    [[nodiscard]] bool add(const std::filesystem::path& target, const Write& write);
    /// **Errors**: Output.
    void commit();

  private:
    std::vector<std::unique_ptr<io::AtomicFile>> m_files;
};

/// True when an output of `job` is made of its map.
[[nodiscard]] bool needsMap(const Job& job);

/// Throws when two outputs of `jobs`, or an output and an input, have one name. `images` false: the
/// reports only. **Errors**: CommandLine.
void requireOwnNames(const std::vector<Job>& jobs, bool images);

/// Throws what writing the outputs of `job` would throw for their format or their folder, before
/// anything is computed. `images` false: the report only. **Errors**: CommandLine, Output.
void requireWritableOutputs(const Job& job, const Inputs& inputs, bool images);

/// Writes all outputs of `job` that are asked for to `files`, the report last; adds what the
/// formats drop to `result.notes` and the time to the report. Returns false when stopped.
[[nodiscard]] bool writeOutputs(const Job& job, JobResult& result, OutputFiles& files,
                                const std::stop_token& stop,
                                const std::function<void(double)>& progress);

} // namespace flcc::job::detail
