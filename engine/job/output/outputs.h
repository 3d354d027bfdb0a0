#pragma once

#include <filesystem>
#include <functional>
#include <memory>
#include <stop_token>
#include <string>
#include <vector>

#include "engine/io/atomic_file.h"
#include "engine/io/peak_file.h"
#include "engine/job/input/inputs.h"
#include "engine/job/job.h"

namespace flcc::job::detail {

/// Files that appear together: commit() gives all of them their names, or none. Files that are not
/// committed are removed.
class OutputFiles {
  public:
    /// Writes a file, but does not commit it; false if cancelled.
    using Write = std::function<bool(const io::AtomicFile&)>;
    [[nodiscard]] bool add(const std::filesystem::path& target, const Write& write);
    /// Writes a text; nothing without a target.
    template <class Make> void addText(const std::filesystem::path& target, const Make& make) {
        if (!target.empty()) {
            addMade(target, make());
        }
    }
    /// Writes an image; nothing without a target. Adds what the format cannot store to `notes`.
    /// False if cancelled.
    [[nodiscard]] bool addImage(const std::filesystem::path& target, const base::AnyView& pixels,
                                const base::Geometry& geometry, std::vector<std::string>& notes,
                                const std::stop_token& stop);
    /// There is nothing to write to a file: commit() removes an older one of that name, which would
    /// pass for a result of this run.
    void withdraw(const std::filesystem::path& target) { m_withdrawn.push_back(target); }
    /// Opens a file that is written bit by bit until commit().
    [[nodiscard]] const io::AtomicFile& open(const std::filesystem::path& target);
    /// **Errors**: Output.
    void commit();

  private:
    void addMade(const std::filesystem::path& target, const std::string& text);

    std::vector<std::unique_ptr<io::AtomicFile>> m_files;
    std::vector<std::filesystem::path> m_withdrawn;
};

/// What a list of peaks says about its run.
[[nodiscard]] io::PeakContext peakContext(const Job& job, const JobResult& result);

/// The status map as the numbers of the status file.
[[nodiscard]] base::View<const std::uint8_t> numbersOf(const base::Image<base::Status>& status);

/// Throws if `file` cannot be written: its folder does not exist or is read-only, or it is a
/// folder.
/// **Errors**: Output.
void requireFolder(const std::filesystem::path& file);

/// The same for all `outputs`, none of which may be one of `inputs`. **Errors**: also CommandLine.
void requireOwnOutputs(const io::ProtectedFiles& inputs,
                       const std::vector<std::filesystem::path>& outputs);

/// True if an output of `job` is made from its map.
[[nodiscard]] bool needsMap(const Job& job);

/// Throws, before anything is computed, the errors that writing the outputs of `job` would give for
/// their format or folder. `images` false: checks only the report. **Errors**: CommandLine, Output.
void requireWritableOutputs(const Job& job, const Inputs& inputs, bool images);

/// Writes all requested outputs of `job` to `files`, the report last. Adds what a format cannot
/// store to `result.notes`, and the time to the report. Returns false if cancelled.
[[nodiscard]] bool writeOutputs(const Job& job, JobResult& result, OutputFiles& files,
                                const std::stop_token& stop,
                                const std::function<void(double)>& progress);

} // namespace flcc::job::detail
