#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "engine/base/open_file.h"
#include "engine/job/batch.h"

namespace flcc::job::detail {

/// A file that was finished by an earlier run of a queue.
struct FinishedFile {
    FileIdentity identity;
    std::string job; ///< digest of what was done
    BatchRow row;
};

/// The states of a queue on disk, as lines of JSON that are appended.
class BatchQueue {
  public:
    /// Starts a new queue, or goes on with the one that is there. Nothing is kept without a file.
    /// **Errors**: Output; Input for a file that is no queue.
    BatchQueue(std::filesystem::path file, bool goOn);

    /// The last state of this file and job, if it was finished.
    [[nodiscard]] const FinishedFile* find(const FileIdentity& identity,
                                           const std::string& job) const;
    /// Appends a state; it is on disk afterwards. **Errors**: Output.
    void append(const BatchRow& row, const std::optional<FileIdentity>& identity,
                const std::string& job);

  private:
    void read();

    std::filesystem::path m_file;
    base::Descriptor m_open{-1};
    std::vector<FinishedFile> m_finished;
};

} // namespace flcc::job::detail
