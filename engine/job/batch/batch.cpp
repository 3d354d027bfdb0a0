#include "engine/job/batch.h"

#include <algorithm>
#include <future>
#include <map>
#include <memory>
#include <optional>
#include <utility>

#include "engine/base/error.h"
#include "engine/base/open_file.h"
#include "engine/base/stopwatch.h"
#include "engine/io/digest.h"
#include "engine/io/image_file.h"
#include "engine/io/peak_file.h"
#include "engine/job/any_job.h"
#include "engine/job/batch/joined_peaks.h"
#include "engine/job/batch/queue.h"
#include "engine/job/output/output_table.h"
#include "engine/job/output/outputs.h"

namespace flcc::job {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view kScene = "{scene}";

/// The name of a file without folders and extension.
std::string stemOf(const fs::path& file) {
    fs::path name = file.filename();
    if (name.extension() == ".gz") {
        name = name.stem();
    }
    return name.stem().string();
}

/// The names under which the outputs of files are written.
std::vector<std::string> namesOf(const std::vector<fs::path>& files) {
    std::vector<std::string> names;
    std::map<std::string, int> counts;
    for (const fs::path& file : files) {
        names.push_back(stemOf(file));
        ++counts[names.back()];
    }
    constexpr std::size_t kLetters = 6;
    for (std::size_t i = 0; i < files.size(); ++i) {
        if (counts.at(stemOf(files[i])) > 1) {
            names[i] += "-" + io::textDigest(fs::absolute(files[i]).lexically_normal().string())
                                  .substr(0, kLetters);
        }
    }
    return names;
}

fs::path named(const fs::path& output, const std::string& name) {
    std::string text = output.string();
    bool placed = false;
    for (std::size_t at = text.find(kScene); at != std::string::npos;
         at = text.find(kScene, at + name.size())) {
        text.replace(at, kScene.size(), name);
        placed = true;
    }
    return placed ? fs::path(text) : detail::withWord(output, name);
}

/// The job of each file.
std::vector<Job> jobsOf(const Batch& batch) {
    const std::vector<std::string> names = namesOf(batch.files);
    std::vector<Job> jobs(names.size(), batch.job);
    for (std::size_t i = 0; i < jobs.size(); ++i) {
        jobs[i].scene = batch.files[i];
        for (const detail::OutputRow& row : detail::outputTable()) {
            fs::path& output = row.of(jobs[i]);
            output = output.empty() ? output : named(output, names[i]);
        }
    }
    return jobs;
}

/// The files that a job reads beside its scene; names that are no files are left out later.
std::vector<fs::path> filesBesideScene(const Job& job) {
    std::vector<fs::path> files = job.templates;
    files.insert(files.end(), job.masks.begin(), job.masks.end());
    files.insert(files.end(), {job.sceneMask, job.planReport, job.truth, job.poses.rotations});
    for (const std::string& file : filesOf(job.preparation)) {
        files.emplace_back(file);
    }
    return files;
}

/// The bytes of a file as hexadecimal digits; empty for what is no file.
std::string fileDigest(const fs::path& file) {
    const std::optional<FileIdentity> identity = identityOf(file);
    std::ifstream stream = base::openFile(file);
    if (!identity || !stream || fs::is_directory(file)) {
        return identity ? identity->ends : std::string();
    }
    io::Digest digest;
    std::vector<char> part(std::size_t{1} << 20);
    while (stream.read(part.data(), std::ssize(part)) || stream.gcount() > 0) {
        digest.add(part.data(), static_cast<std::size_t>(stream.gcount()));
    }
    return digest.text();
}

/// What is done, whatever file it is done to: the options and the bytes of templates and the like.
std::string workOf(const Batch& batch) {
    Job job = batch.job;
    job.scene.clear();
    std::string text = toJobFile(job);
    for (const fs::path& file : filesBesideScene(job)) {
        text += fileDigest(file) + "\n";
    }
    return io::textDigest(text);
}

void requireBatch(const Batch& batch, const std::vector<Job>& jobs) {
    const auto fail = [](const std::string& why) {
        throw base::Error(base::ErrorCode::CommandLine, why);
    };
    if (!batch.job.crops.empty()) {
        fail("the templates of a batch are files, but the job cuts one from its scene; write it by "
             "--template-out and name that file");
    }
    if (!batch.job.furtherScenes.empty() || !batch.job.allPeaks.empty()) {
        fail("the job of a batch has one scene, which the files replace; leave out its further "
             "scenes and --all-peaks");
    }
    if (outputFiles(batch.job).empty() && batch.peaks.empty()) {
        fail("the job writes nothing: name an output in the job file, such as \"peaks\": "
             "\"{scene}-peaks.csv\", or give --peaks");
    }
    io::ProtectedFiles inputs;
    for (const fs::path& file : batch.files) {
        inputs.addImage(file);
    }
    inputs.add(batch.queue);
    std::vector<fs::path> outputs{batch.peaks};
    std::erase(outputs, fs::path());
    for (const Job& job : jobs) {
        for (const fs::path& output : outputFiles(job)) {
            outputs.push_back(output);
            detail::requireFolder(output);
        }
    }
    requireOwnFiles(inputs, outputs);
}

/// Passes the calls of a job on, and reads the next file while this one is searched. Image
/// libraries are called by one thread at a time: reading begins with the search and is awaited
/// before anything is written.
class ReadAhead : public JobSink {
  public:
    /// Reads an image of at most so many bytes; else null.
    using Read = std::function<std::shared_ptr<const SceneImage>(std::int64_t most)>;

    ReadAhead(JobSink& sink, Read read) : m_sink(sink), m_read(std::move(read)) {}
    ~ReadAhead() override { await(); }

    /// The pixels, or null where they were not read.
    [[nodiscard]] std::shared_ptr<const SceneImage> image() {
        await();
        return m_image;
    }

    [[nodiscard]] bool wantsMaps() const override { return m_sink.wantsMaps(); }
    void doing(std::string_view word) override { m_sink.doing(word); }
    void progress(double share) override { m_sink.progress(share); }
    void mapStarted(std::shared_ptr<const method::MatchMap> map) override {
        m_sink.mapStarted(std::move(map));
    }
    void verification(Verification now, const std::string& reason) override {
        m_sink.verification(now, reason);
    }
    void searched(std::int64_t members, std::int64_t of) override { m_sink.searched(members, of); }
    void bestSoFar(std::shared_ptr<const method::MatchMap> map) override {
        m_sink.bestSoFar(std::move(map));
    }
    void regionFinished(const base::Box& box) override { m_sink.regionFinished(box); }
    void planned(const plan::PlanReport& plan) override {
        const auto* chosen = plan.chosen();
        m_room = chosen != nullptr && chosen->prediction
                     ? std::min(m_room, plan.limits.memoryBytes - chosen->prediction->hostBytes)
                     : 0;
        m_sink.planned(plan);
    }
    void phase(Phase now) override {
        if (now == Phase::Run && m_room > 0 && m_read && !m_begun) {
            m_begun = true;
            m_reading = std::async(std::launch::async, m_read, m_room);
        } else if (now == Phase::Write || now == Phase::Read) {
            await();
        }
        m_sink.phase(now);
    }

  private:
    void await() {
        if (m_reading.valid()) {
            try {
                m_image = m_reading.get();
            } catch (const std::exception&) { // its own job says what is wrong
                m_image = nullptr;
            }
        }
    }

    JobSink& m_sink;
    Read m_read;
    std::int64_t m_room = INT64_MAX; ///< beside the run, after its plan
    bool m_begun = false;
    std::future<std::shared_ptr<const SceneImage>> m_reading;
    std::shared_ptr<const SceneImage> m_image;
};

/// Bytes of the pixels of a file. **Errors**: as io::readImageInfo().
std::int64_t pixelBytesOf(const fs::path& file, const Job& job, const std::stop_token& stop) {
    const io::ImageInfo info = io::readImageInfo(file, stop, job.reading);
    return base::byteCount(info.extents, base::bytesPerVoxel(info.pixel)) * info.components;
}

std::string whyNone(const JobReport& report) {
    return report.threshold
               ? "no score reaches the threshold of " + thresholdText(*report.threshold)
               : "no value reaches the threshold";
}

/// One run of a queue.
class Run {
  public:
    Run(const Batch& batch, const std::vector<Job>& jobs, const std::stop_token& stop,
        JobSink& sink, const BatchEnded& ended)
        : m_batch(batch), m_jobs(jobs), m_stop(stop), m_sink(sink), m_ended(ended),
          m_queue(batch.queue, batch.goOn), m_digest(workOf(batch)) {
        const std::vector<std::string> names = namesOf(batch.files);
        for (std::size_t i = 0; i < names.size(); ++i) {
            m_report.rows.push_back({.file = batch.files[i], .name = names[i]});
        }
    }

    BatchReport all() {
        for (std::size_t i = 0; i < m_report.rows.size(); ++i) {
            if (m_stop.stop_requested() || !one(i)) {
                m_report.cancelled = true;
                return std::move(m_report);
            }
            if (m_ended) {
                m_ended(m_report.rows[i], i, m_report.rows.size());
            }
        }
        if (!m_batch.peaks.empty()) {
            detail::writeJoinedPeaks(m_batch, m_report.rows);
        }
        return std::move(m_report);
    }

  private:
    /// False if it was stopped.
    bool one(std::size_t i) {
        BatchRow& row = m_report.rows[i];
        const std::optional<FileIdentity> identity = identityOf(row.file);
        if (m_batch.goOn && identity && isDone(i, *identity)) {
            return true;
        }
        row.state = BatchState::Running;
        m_queue.append(row, identity, m_digest);
        const base::Stopwatch watch;
        try {
            const Job& job = m_jobs[i];
            JobImages images;
            images.scene = std::exchange(m_next, nullptr);
            ReadAhead sink(m_sink, readerOf(i + 1));
            const JobResult result = runJob(job, images, m_stop, &sink);
            if (result.cancelled) {
                row.state = BatchState::Waiting;
                return false;
            }
            m_next = sink.image();
            finish(row, job, result);
        } catch (const base::Error& error) {
            row.state = BatchState::Failed;
            row.reason = error.what();
        }
        row.ms = watch.ms();
        m_queue.append(row, identity, m_digest);
        return true;
    }

    void finish(BatchRow& row, const Job& job, const JobResult& result) {
        row.state = BatchState::Done;
        row.peaks = std::ssize(result.peaks);
        row.reason = result.peaks.empty() ? whyNone(result.report) : std::string();
        row.outputs = outputFiles(job);
        row.list = io::peaksAsText(result.peaks, detail::peakContext(job, result), ',');
        if (const auto failed = auditFailure(result.report)) {
            row.state = BatchState::Failed;
            row.reason = failed->what();
        }
    }

    /// Whether an earlier run finished this file and its outputs are there.
    bool isDone(std::size_t i, const FileIdentity& identity) {
        const detail::FinishedFile* const found = m_queue.find(identity, m_digest);
        const std::vector<fs::path> outputs = outputFiles(m_jobs[i]);
        const bool whole =
            found != nullptr &&
            std::ranges::all_of(outputs, [](const fs::path& each) { return fs::exists(each); });
        if (whole) {
            BatchRow& row = m_report.rows[i];
            const BatchRow now = row;
            row = found->row;
            row.file = now.file;
            row.name = now.name;
            row.outputs = outputs;
            row.earlier = true;
        }
        return whole;
    }

    /// What reads the pixels of file `i`; empty if there is none, or if it is done.
    ReadAhead::Read readerOf(std::size_t i) {
        if (i >= m_report.rows.size()) {
            return {};
        }
        const fs::path file = m_report.rows[i].file;
        const Job& job = m_batch.job;
        if (const auto identity = identityOf(file);
            job.stream || job.channel == kAllChannels ||
            (m_batch.goOn && identity && m_queue.find(*identity, m_digest) != nullptr)) {
            return {};
        }
        return [file, job, stop = m_stop](std::int64_t most) {
            return pixelBytesOf(file, job, stop) <= most
                       ? loadImage(file, job.channel, job.frame, stop, job.memoryBytes, job.reading)
                       : nullptr;
        };
    }

    const Batch& m_batch;
    const std::vector<Job>& m_jobs;
    const std::stop_token m_stop;
    JobSink& m_sink;
    const BatchEnded& m_ended;
    detail::BatchQueue m_queue;
    std::string m_digest;
    BatchReport m_report;
    std::shared_ptr<const SceneImage> m_next; ///< pixels of the next file
};

} // namespace

std::string_view name(BatchState state) {
    constexpr std::array<std::string_view, 4> kNames{"waiting", "running", "done", "failed"};
    return kNames[static_cast<std::size_t>(state)];
}

std::int64_t BatchReport::count(BatchState state) const {
    return std::ranges::count(rows, state, &BatchRow::state);
}

std::vector<fs::path> batchFiles(const std::vector<fs::path>& given) {
    std::vector<fs::path> files;
    for (const fs::path& each : given) {
        std::error_code error;
        if (!fs::is_directory(each, error)) {
            files.push_back(each);
            continue;
        }
        std::vector<fs::path> images;
        for (const auto& entry : fs::directory_iterator(each, error)) {
            const auto& known = io::readableExtensions();
            std::string extension = entry.path().extension().string();
            std::ranges::transform(extension, extension.begin(), [](unsigned char c) {
                return static_cast<char>(std::tolower(c));
            });
            if (entry.is_regular_file(error) &&
                std::ranges::count(known, extension.empty() ? "" : extension.substr(1)) > 0) {
                images.push_back(entry.path());
            }
        }
        if (images.empty()) {
            throw base::Error(base::ErrorCode::Input,
                              "the folder " + each.string() + " holds no image");
        }
        std::ranges::sort(images);
        files.insert(files.end(), images.begin(), images.end());
    }
    return files;
}

Job batchJob(const Batch& batch, std::size_t number) { return jobsOf(batch).at(number); }

BatchReport runBatch(const Batch& batch, const std::stop_token& stop, JobSink* sink,
                     const BatchEnded& ended) {
    const std::vector<Job> jobs = jobsOf(batch);
    requireBatch(batch, jobs);
    detail::requireJoinable(batch);
    JobSink none;
    return Run(batch, jobs, stop, sink == nullptr ? none : *sink, ended).all();
}

std::string batchText(const BatchReport& report) {
    std::string text;
    std::int64_t peaks = 0;
    std::int64_t earlier = 0;
    for (const BatchRow& row : report.rows) {
        peaks += row.peaks;
        earlier += row.earlier ? 1 : 0;
        if (row.state == BatchState::Failed) {
            text += "failed: " + row.file.string() + ": " + row.reason + "\n";
        }
    }
    text += std::to_string(report.count(BatchState::Done)) + " of " +
            std::to_string(report.rows.size()) + " files done";
    text += earlier > 0 ? ", " + std::to_string(earlier) + " of them before" : "";
    text += report.count(BatchState::Failed) > 0
                ? ", " + std::to_string(report.count(BatchState::Failed)) + " failed"
                : "";
    text += report.count(BatchState::Waiting) > 0
                ? ", " + std::to_string(report.count(BatchState::Waiting)) + " waiting"
                : "";
    return text + "; " + std::to_string(peaks) + " peaks\n";
}

std::string batchJson(const BatchReport& report) { return detail::rowsJson(report); }

} // namespace flcc::job
