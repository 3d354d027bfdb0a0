#include "engine/job/replay.h"

#include <algorithm>
#include <array>
#include <fstream>
#include <utility>

#include "engine/base/error.h"
#include "engine/base/text.h"
#include "engine/io/digest.h"
#include "engine/job/arguments.h"
#include "engine/job/kinds/result_comparison.h"
#include "engine/job/report/json_rows.h"
#include "engine/job/report/text_file.h"

namespace flcc::job {

using base::Error;
using base::ErrorCode;
using detail::Found;
using detail::json::Json;
using std::filesystem::path;

namespace {

constexpr std::string_view kSample = "sample:";

/// The job's own progress; maps are wanted, because they are compared.
class ReplaySink : public JobSink {
  public:
    explicit ReplaySink(JobSink* heard) : m_heard(heard) {}
    void phase(Phase now) override {
        if (m_heard != nullptr) {
            m_heard->phase(now);
        }
    }
    void doing(std::string_view word) override {
        if (m_heard != nullptr) {
            m_heard->doing(word);
        }
    }
    void progress(double share) override {
        if (m_heard != nullptr) {
            m_heard->progress(share);
        }
    }

  private:
    JobSink* m_heard;
};

[[noreturn]] void refuse(const path& report, const std::string& reason) {
    throw Error(ErrorCode::Input, report.string() + " cannot be run again: " + reason);
}

/// The report of one match. **Errors**: Input.
Json readReport(const path& file) {
    const std::string text = detail::readTextFile(file, "report");
    if (base::nestsTooDeep(text)) {
        refuse(file, "its values are nested more than 100 deep");
    }
    constexpr bool kThrows = false;
    Json report = Json::parse(text, nullptr, kThrows);
    if (!report.is_object() || !report.contains("version") ||
        !report.at("version").is_number_integer()) {
        refuse(file, "it is not a report in JSON with a version");
    }
    if (const auto version = report.at("version").get<std::int64_t>();
        version != detail::json::kReportVersion) {
        refuse(file, "its version is " + std::to_string(version) + ", and this program knows " +
                         std::to_string(detail::json::kReportVersion));
    }
    if (const Json command = report.value("command", Json()); command != "match") {
        refuse(file, "only reports of a match can be, not of " +
                         (command.is_string() ? command.get<std::string>() : command.dump()));
    }
    if (report.contains("scenes")) {
        refuse(file, "it holds the reports of several scenes; take the report of one");
    }
    if (!report.value("run", Json()).is_object()) {
        refuse(file, "it is the report of a plan, which has no result");
    }
    if (!report.value("job", Json()).is_object()) {
        refuse(file, "it does not name its job");
    }
    return report;
}

/// The digest of a file; empty if it cannot be read.
std::string digestOf(const path& file, const std::stop_token& stop) {
    std::ifstream in(file, std::ios::binary);
    if (!std::filesystem::is_regular_file(file) || !in) {
        return {};
    }
    io::Digest digest;
    std::vector<char> block(std::size_t{1} << 20);
    while (in && !stop.stop_requested()) {
        in.read(block.data(), static_cast<std::streamsize>(block.size()));
        digest.add(block.data(), static_cast<std::size_t>(in.gcount()));
    }
    return digest.text();
}

/// The file in a name such as "stack.h5:/data" or "volume.raw:64x64x64:uint8".
path fileOf(const std::string& name) {
    std::string file = name;
    std::error_code error;
    while (!std::filesystem::exists(file, error)) {
        const std::size_t colon = file.rfind(':');
        if (colon == std::string::npos) {
            return name;
        }
        file.resize(colon);
    }
    return file;
}

/// Why an input is not what it was; empty if it is the same.
std::string faultOf(const std::string& role, const Json& file, const std::stop_token& stop) {
    if (!file.is_object() || !file.value("sha256", Json()).is_string() ||
        !file.value("path", Json()).is_string()) {
        return {};
    }
    const std::string name = file.at("path").get<std::string>();
    const std::string expected = file.at("sha256").get<std::string>();
    const std::string found = digestOf(fileOf(name), stop);
    if (found.empty()) {
        return role + " " + name + " is missing";
    }
    return found == expected
               ? std::string()
               : role + " " + name + " has changed: its SHA-256 is " + found + ", not " + expected;
}

void requireInputs(const path& file, const Json& report, const std::stop_token& stop) {
    std::string faults;
    const auto add = [&](const std::string& fault) {
        faults += (faults.empty() || fault.empty() ? "" : "; ") + fault;
    };
    for (const Json& input : report.value("inputs", Json::array())) {
        const std::string role = input.value("role", "input");
        const std::string name = input.value("path", "");
        add(faultOf(role, input, stop));
        add(faultOf(role, input.value("data_file", Json()), stop));
        for (const Json& part :
             input.value("series", Json()).is_array() ? input.at("series") : Json::array()) {
            add(faultOf(role, part, stop));
        }
        const bool known =
            input.value("sha256", Json()).is_string() || input.value("series", Json()).is_array();
        if (role == "scene" && !known && !name.starts_with(kSample)) {
            add("scene " + name + " has no digest: it was not read from a file");
        }
    }
    if (!faults.empty()) {
        refuse(file, faults);
    }
}

/// The job without outputs, by the candidate that the report chose.
Job jobAgain(const path& file, const Json& report) {
    Job job = fromJobFile(report.at("job").dump());
    const Job none;
    job.map = job.status = job.index = job.peaks = job.heatmap = none.map;
    job.report = job.templateOut = none.report;
    job.exports = none.exports;
    job.slice.reset();
    job.repeat = 1;
    const Json groups = report.value("groups", Json::array());
    const Json& holder = groups.empty() ? report : groups.at(0);
    job.planReport.clear();
    if (holder.value("chosen", Json()).is_object()) {
        job.method = none.method;
        job.tile = none.tile;
        job.device = none.device;
        job.threads = none.threads;
        job.transforms = none.transforms;
        job.planning = none.planning;
        job.planReport = file;
    }
    return job;
}

/// The images of a scene that no file holds: those of a sample.
JobImages imagesOf(const Json& report, Job& job) {
    for (const Json& input : report.value("inputs", Json::array())) {
        const std::string name = input.value("path", "");
        if (input.value("role", "") == "scene" && name.starts_with(kSample)) {
            JobImages images = sampleImages(name.substr(kSample.size()));
            if (!job.crops.empty() || !job.templates.empty()) {
                images.templates.clear();
            }
            return images;
        }
    }
    return {};
}

} // namespace

std::string_view name(Replay::Verdict verdict) {
    constexpr std::array<std::string_view, 3> kNames{"identical", "within the bounds", "different"};
    return kNames[static_cast<std::size_t>(verdict)];
}

Replay replay(const path& report, const std::stop_token& stop, JobSink* sink) {
    const Json before = readReport(report);
    requireInputs(report, before, stop);
    Replay outcome;
    if (stop.stop_requested()) {
        outcome.cancelled = true;
        return outcome;
    }
    const path mapFile = fromJobFile(before.at("job").dump()).map;
    Job job = jobAgain(report, before);
    const JobImages images = imagesOf(before, job);
    ReplaySink heard(sink);
    const JobResult result = runJob(job, images, stop, &heard);
    outcome.cancelled = result.cancelled;
    if (result.cancelled) {
        return outcome;
    }
    const Json now = Json::parse(toJson(result.report));
    const std::array<Found, 3> all{
        detail::comparePeaks(before.value("peaks", Json::array()),
                             now.value("peaks", Json::array())),
        detail::compareFrames(before.value("frames", Json()), now.value("frames", Json())),
        detail::compareMaps(before, now, result, mapFile, stop)};
    for (const Found& found : all) {
        outcome.verdict = std::max(outcome.verdict, found.verdict);
    }
    outcome.sentence = std::string(name(outcome.verdict));
    for (const Found& found : all) {
        // Of a different result only the differences count.
        if (!found.sentence.empty() && (outcome.verdict != Replay::Verdict::Different ||
                                        found.verdict == Replay::Verdict::Different)) {
            outcome.sentence +=
                (outcome.sentence.find(':') == std::string::npos ? ": " : "; ") + found.sentence;
        }
    }
    const Json then = before.value("environment", Json::object());
    for (const char* const key : {"processor", "instructions"}) {
        if (then.value(key, Json()) != now.at("environment").at(key)) {
            outcome.notes.push_back("the report was made with the " + std::string(key) + " " +
                                    then.value(key, Json()).dump() + ", this machine has " +
                                    now.at("environment").at(key).dump());
        }
    }
    return outcome;
}

} // namespace flcc::job
