#include "engine/job/replay.h"

#include <algorithm>
#include <array>
#include <fstream>
#include <utility>

#include "engine/base/error.h"
#include "engine/base/open_file.h"
#include "engine/base/text.h"
#include "engine/io/digest.h"
#include "engine/job/any_job.h"
#include "engine/job/kinds/job_again.h"
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

[[noreturn]] void refuse(const path& report, const std::string& reason) {
    throw Error(ErrorCode::Input, report.string() + " cannot be run again: " + reason);
}

/// The report of one run. **Errors**: Input.
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
    if (const Json command = report.value("command", Json());
        command != "match" && command != "convolve" && command != "features") {
        refuse(file, "only reports of match, convolve and features can be, not of " +
                         (command.is_string() ? command.get<std::string>() : command.dump()));
    }
    if (report.contains("scenes")) {
        refuse(file, "it holds the reports of several scenes; take the report of one");
    }
    if (report.value("unfinished", Json()).is_string()) {
        refuse(file, "somebody stopped its search before it was finished");
    }
    if (!report.value("run", Json()).is_object()) {
        refuse(file, "it is the report of a plan, which has no result");
    }
    if (!report.value("job", Json()).is_object()) {
        refuse(file, "it does not name its job");
    }
    for (const char* const list : {"inputs", "groups", "peaks", "blobs"}) {
        if (!report.value(list, Json::array()).is_array()) {
            refuse(file, "its " + std::string(list) + " are no list");
        }
    }
    return report;
}

/// The digest of a file; empty if it cannot be read.
std::string digestOf(const path& file, const std::stop_token& stop) {
    std::error_code ignored;
    std::ifstream in;
    if (std::filesystem::is_regular_file(file, ignored)) { // opening a pipe waits for its writer
        in = base::openFile(file);
    }
    if (!in.is_open()) {
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

/// The files that a job names beside its scene.
std::vector<path> companions(const Job& job) {
    std::vector<path> files = job.templates;
    files.insert(files.end(), job.masks.begin(), job.masks.end());
    files.push_back(job.sceneMask);
    return files;
}
std::vector<path> companions(const ConvolveJob& job) { return {job.kernel}; }
std::vector<path> companions(const FeaturesJob& job) { return {job.match}; }

/// How many templates of a match lie in files or are cut from the scene.
std::size_t templatesOf(const AnyJob& job) {
    const auto* const match = std::get_if<Job>(&job);
    return match == nullptr ? 0 : match->crops.size() + match->templates.size();
}

bool hasDigest(const Json& input) {
    return input.value("sha256", Json()).is_string() || input.value("series", Json()).is_array();
}

/// Why an input without a digest cannot be taken again; empty if it can be, with a note if its file
/// may be another one by now.
std::string faultWithoutDigest(const Json& input, const std::vector<path>& files, bool surplus,
                               std::vector<std::string>& notes) {
    const std::string role = input.value("role", "input");
    const std::string name = input.value("path", "");
    if (role == "scene" || role == "image") {
        return name.starts_with(detail::kSample)
                   ? std::string()
                   : role + " " + name + " has no digest: it was not read from a file";
    }
    std::error_code error;
    if (std::ranges::find(files, path(name)) != files.end()) {
        if (std::filesystem::exists(fileOf(name), error)) {
            notes.push_back(role + " " + name +
                            " is not checked, because the report has no digest of it; the file is "
                            "taken as it is now");
        } // else it is a shape, or running the job says what is missing
        return {};
    }
    return role == "template" && surplus
               ? role + " " + name + " has no digest: it was not read from a file"
               : std::string(); // cut from the scene
}

void requireInputs(const path& file, const Json& report, const AnyJob& job,
                   std::vector<std::string>& notes, const std::stop_token& stop) {
    const std::vector<path> files =
        std::visit([](const auto& one) { return companions(one); }, job);
    std::string faults;
    const auto add = [&](const std::string& fault) {
        faults += (faults.empty() || fault.empty() ? "" : "; ") + fault;
    };
    std::size_t templates = 0;
    bool sample = false;
    for (const Json& input : report.value("inputs", Json::array())) {
        const std::string role = input.value("role", "input");
        sample = sample || input.value("path", "").starts_with(detail::kSample);
        templates += role == "template" ? 1U : 0U;
        add(faultOf(role, input, stop));
        add(faultOf(role, input.value("data_file", Json()), stop));
        for (const Json& part :
             input.value("series", Json()).is_array() ? input.at("series") : Json::array()) {
            add(faultOf(role, part, stop));
        }
        if (!hasDigest(input)) {
            const bool surplus = !sample && templates > templatesOf(job);
            add(faultWithoutDigest(input, files, surplus, notes));
        }
    }
    if (!faults.empty()) {
        refuse(file, faults);
    }
}

/// One sentence of the worst verdict and of what was found.
std::string sentenceOf(Replay::Verdict verdict, const std::vector<Found>& all) {
    std::string sentence(name(verdict));
    for (const Found& found : all) {
        // Of a different result only the differences count.
        if (!found.sentence.empty() && (verdict != Replay::Verdict::Different ||
                                        found.verdict == Replay::Verdict::Different)) {
            sentence += (sentence.find(':') == std::string::npos ? ": " : "; ") + found.sentence;
        }
    }
    return sentence;
}

} // namespace

std::string_view name(Replay::Verdict verdict) {
    constexpr std::array<std::string_view, 3> kNames{"identical", "within the bounds", "different"};
    return kNames[static_cast<std::size_t>(verdict)];
}

namespace {

Replay replayed(const path& report, const std::stop_token& stop, JobSink* sink) {
    const Json before = readReport(report);
    const AnyJob job = anyFromJobFile(before.at("job").dump());
    Replay outcome;
    requireInputs(report, before, job, outcome.notes, stop);
    outcome.cancelled = stop.stop_requested();
    if (outcome.cancelled) {
        return outcome;
    }
    const detail::Again done = detail::runAgain(job, report, before, stop, sink);
    outcome.cancelled = done.cancelled;
    if (done.cancelled) {
        return outcome;
    }
    for (const Found& found : done.found) {
        outcome.verdict = std::max(outcome.verdict, found.verdict);
    }
    outcome.sentence = sentenceOf(outcome.verdict, done.found);
    const Json then = before.value("environment", Json::object());
    for (const char* const key : {"processor", "instructions"}) {
        if (then.value(key, Json()) != done.report.at("environment").at(key)) {
            outcome.notes.push_back("the report was made with the " + std::string(key) + " " +
                                    then.value(key, Json()).dump() + ", this machine has " +
                                    done.report.at("environment").at(key).dump());
        }
    }
    return outcome;
}

} // namespace

Replay replay(const path& report, const std::stop_token& stop, JobSink* sink) {
    try {
        return replayed(report, stop, sink);
    } catch (const Json::exception& error) {
        refuse(report, "a value in it is not of its kind: " + base::excerpt(error.what()));
    }
}

} // namespace flcc::job
