#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <optional>
#include <stop_token>
#include <string>
#include <string_view>
#include <vector>

#include "engine/job/job.h"
#include "engine/job/project.h"

// One match over many files: a queue with a state of each, in which a file that fails stops no
// other one.

namespace flcc::job {

enum class BatchState { Waiting, Running, Done, Failed };
[[nodiscard]] std::string_view name(BatchState state); ///< "waiting", "running", "done", "failed"

/// A file of a queue.
struct BatchRow {
    std::filesystem::path file;
    std::string name{}; ///< under which its outputs are written, unlike all others of the queue
    BatchState state = BatchState::Waiting;
    std::int64_t peaks = 0;
    std::string reason{}; ///< why it failed; of a finished file without peaks, why it has none
    double ms = 0;
    std::vector<std::filesystem::path> outputs{}; ///< that were written for it
    bool earlier = false;                         ///< finished by an earlier run of the queue
    std::string list{};                           ///< its peaks as CSV
};

struct Batch {
    /// What is done with every file. Its scene is not used. In the names of its outputs `{scene}`
    /// stands for the name of a file without its extension; without it, "peaks.csv" becomes
    /// "peaks-NAME.csv". Files of one name in several folders get some letters of a digest too.
    Job job;
    std::vector<std::filesystem::path> files; ///< images, or folders whose images are taken
    /// Where states are kept, a line of JSON each, on disk before the next step. Empty: nowhere.
    std::filesystem::path queue{};
    /// Files that are done in the queue for this job, with these bytes, are not done again.
    bool goOn = false;
    /// One list of all peaks: .csv or .tsv with columns `file` and `tomogram` (BatchRow::name), or
    /// a format whose rows name their tomogram (io::namesTomograms), by `job.peaksFormat` or the
    /// extension. Without a finished file there is none. May be empty.
    std::filesystem::path peaks{};
};

struct BatchReport {
    bool cancelled = false; ///< some files are still waiting
    std::vector<BatchRow> rows{};
    std::vector<std::string> notes{};

    [[nodiscard]] std::int64_t count(BatchState state) const;
};

/// Receives what happens to the files, on the thread that called runBatch(). `report`: of a
/// finished file.
using BatchEnded = std::function<void(const BatchRow& row, std::size_t number, std::size_t of)>;

/// The images of folders in the place of these, sorted by name; files as they are.
/// **Errors**: Input for a folder that cannot be read, or without an image.
[[nodiscard]] std::vector<std::filesystem::path>
batchFiles(const std::vector<std::filesystem::path>& given);

/// The outputs of the job for file `number`.
[[nodiscard]] Job batchJob(const Batch& batch, std::size_t number);

/// Runs the queue. While a file is searched, the pixels of the next one are read if memory allows
/// that, and no other ones are in memory. A file that fails is reported and left out; its outputs
/// are not touched. `sink` gets the calls of each job.
/// **Errors**: CommandLine for a job that writes nothing, or cuts its templates from the scene, for
/// outputs that are inputs, and for a queue of another job unless `goOn` is false; Output for the
/// queue or the list of all peaks.
[[nodiscard]] BatchReport runBatch(const Batch& batch, const std::stop_token& stop = {},
                                   JobSink* sink = nullptr, const BatchEnded& ended = {});

/// A line for each state and the reasons of failures, for a terminal; and as JSON.
[[nodiscard]] std::string batchText(const BatchReport& report);
[[nodiscard]] std::string batchJson(const BatchReport& report);

} // namespace flcc::job
