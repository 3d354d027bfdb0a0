#pragma once

#include <filesystem>
#include <functional>
#include <memory>
#include <stop_token>
#include <string>

#include "engine/plan/calibration.h"
#include "engine/plan/knowledge.h"

namespace flcc::job {

/// The file that keeps the knowledge about this machine between runs, in `$XDG_CACHE_HOME/flcc` or
/// `~/.cache/flcc`. It is named after the machine and the libraries that the knowledge holds for.
/// Empty without a home folder.
[[nodiscard]] std::filesystem::path knowledgeFile();

/// The content of the file, with its wisdom passed to FFTW, and everything that learn() added
/// since. A file that is missing, damaged, foreign, outdated or not a regular file counts as empty
/// and gives one line in the log. Never null; the content of the file never causes an exception.
/// **Threads**: any. **Cost**: reads only the file's date if the file is the one that was read
/// last.
[[nodiscard]] std::shared_ptr<const plan::Knowledge> knowledge();

/// Adds what planning or a run found for a problem to knowledge(), dated now, in memory only: the
/// window plans after every edit, and writing a file takes a lock and waits for the disk. `wisdom`:
/// FFTW searched for plans, and keepLearnt() saves them too. **Threads**: any.
void learn(plan::KnownProblem problem, bool wisdom);

/// Writes to the file what learn() added since the last call; runJob() calls it at its end. If the
/// file cannot be written, returns false and writes a line to the log; the knowledge stays in
/// memory. **Threads**: any. **Cost**: nothing if nothing was added; else up to 2 s for the lock,
/// and the write.
bool keepLearnt();

/// Reads the file, applies `change` and writes the file, while no other process does the same. If
/// the file cannot be written, returns false and writes a line to the log.
bool updateKnowledge(const std::function<void(plan::Knowledge&)>& change);

/// While one lives, knowledge() is empty and learn() and keepLearnt() do nothing, in all threads:
/// for a run that must depend on nothing kept and keep nothing.
class NothingKept {
  public:
    NothingKept();
    ~NothingKept();
    NothingKept(const NothingKept&) = delete;
    NothingKept& operator=(const NothingKept&) = delete;
};

/// Result of a calibration.
struct Calibrated {
    /// Cancelled before all constants were known, so nothing was saved. A later cancellation saves
    /// the constants found so far.
    bool cancelled = false;
    method::CostModel model;
    std::filesystem::path file; ///< file with the result; empty if it could not be written
};

/// Calibrates the cost model for this machine and saves it (plan::calibrate). `threads` 0 = all.
[[nodiscard]] Calibrated calibrate(int threads = 0, double seconds = plan::kCalibrationSeconds,
                                   std::stop_token stop = {},
                                   const plan::CalibrationProgress& progress = {});

} // namespace flcc::job
