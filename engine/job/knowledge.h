#pragma once

#include <filesystem>
#include <functional>
#include <memory>
#include <stop_token>
#include <string>

#include "engine/plan/calibration.h"
#include "engine/plan/knowledge.h"

namespace flcc::job {

/// Where what is learnt of this machine is kept between runs: a file in `$XDG_CACHE_HOME/flcc` or
/// `~/.cache/flcc`, named after the machine and the libraries it is true of. Empty without a home.
[[nodiscard]] std::filesystem::path knowledgeFile();

/// What is kept in the file, its wisdom handed to FFTW, and what learn() added since. Without a
/// file, or with one that is damaged, foreign, old or no ordinary file, the file counts as empty,
/// with one line in the log. Never null, never throws for what a file holds.
/// **Threads**: any. **Cost**: a look at the file's date when it is the one read last.
[[nodiscard]] std::shared_ptr<const plan::Knowledge> knowledge();

/// Adds what planning found for a problem to knowledge(), in memory: plans are made after every
/// edit in the window, and writing a file takes a lock and waits for the disk. `wisdom`: FFTW
/// searched for plans, and what it found is to be kept too. **Threads**: any.
void learn(const plan::KnownProblem& problem, bool wisdom);

/// Writes to the file what learn() added since the last time; runJob() ends with it. Returns false,
/// with a line in the log, when it cannot be written; it stays in memory then. **Threads**: any.
/// **Cost**: nothing when nothing was learnt; else up to 2 s for the lock, and the disk.
bool keepLearnt();

/// Reads the file, applies `change` and writes it anew, while no other process does the same.
/// Returns false, with a line in the log, when it cannot be written.
bool updateKnowledge(const std::function<void(plan::Knowledge&)>& change);

/// What a calibration came to.
struct Calibrated {
    /// Ended before the constants fitted together; nothing was kept. A later stop keeps what there
    /// is.
    bool cancelled = false;
    method::CostModel model;
    std::filesystem::path file; ///< where it is kept; empty when it could not be
};

/// Calibrates the cost model for this machine and keeps it (plan::calibrate). `threads` 0 = all.
[[nodiscard]] Calibrated calibrate(int threads = 0, double seconds = plan::kCalibrationSeconds,
                                   std::stop_token stop = {},
                                   const plan::CalibrationProgress& progress = {});

} // namespace flcc::job
