#include "app/cli_batch.h"

#include <filesystem>
#include <iostream>

#include "app/cli_job.h"
#include "app/cli_options.h"
#include "app/cli_progress.h"
#include "app/signal_watch.h"
#include "engine/base/text.h"
#include "engine/job/any_job.h"
#include "engine/job/batch.h"

namespace flcc::app {
namespace {

/// "2/12 grid7.mrc: 31 peaks, 420 ms".
std::string lineOf(const job::BatchRow& row, std::size_t number, std::size_t of) {
    std::string text = std::to_string(number + 1) + "/" + std::to_string(of) + " " +
                       base::oneLine(row.file.string()) + ": ";
    if (row.state == job::BatchState::Failed) {
        return text + "failed: " + row.reason + "\n";
    }
    text += std::to_string(row.peaks) + (row.peaks == 1 ? " peak" : " peaks");
    text += row.reason.empty() ? "" : " (" + row.reason + ")";
    return text + (row.earlier ? ", done before" : "") + "\n";
}

} // namespace

int batch(const std::vector<std::string>& args, const std::stop_token& stop) {
    const auto [options, names] = job::splitArguments(
        "batch", {{"continue"}, {"peaks", "FILE"}, {"queue", "FILE"}, {"json"}, {"quiet"}}, args);
    if (names.size() < 2) {
        refuse("batch takes a job file and images: flcc-cli batch JOB.json FILE|FOLDER... "
               "[--continue] [--peaks ALL.csv]");
    }
    const std::filesystem::path jobFile = names.front();
    job::Batch batch;
    batch.job = job::fromJobFile(job::readJobFile(jobFile));
    batch.files = job::batchFiles({names.begin() + 1, names.end()});
    batch.goOn = options.contains("continue");
    if (const std::string* peaks = job::valueOf(options, "peaks")) {
        batch.peaks = *peaks;
        requireFolderOf(batch.peaks);
    }
    const std::string* const queue = job::valueOf(options, "queue");
    batch.queue = queue != nullptr
                      ? std::filesystem::path(*queue)
                      : jobFile.parent_path() / (jobFile.stem().string() + "-queue.jsonl");
    requireFolderOf(batch.queue);
    const bool json = options.contains("json");
    const bool quiet = options.contains("quiet");
    ProgressBar bar(errorIsTerminal() && !quiet);
    const job::BatchReport report = job::runBatch(
        batch, stop, &bar, [&](const job::BatchRow& row, std::size_t number, std::size_t of) {
            bar.clear();
            if (!quiet && !json) {
                say(lineOf(row, number, of));
            }
        });
    bar.clear();
    if (json) {
        print(job::batchJson(report));
    } else if (!quiet || report.count(job::BatchState::Failed) > 0) {
        say(job::batchText(report));
    }
    if (report.cancelled) {
        std::cerr << "flcc-cli: interrupted; what is done is done, go on with --continue\n"
                  << std::flush;
        return kInterrupted;
    }
    return report.count(job::BatchState::Failed) > 0 ? kSomeFailed : 0;
}

} // namespace flcc::app
