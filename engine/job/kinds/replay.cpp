#include "engine/job/replay.h"

#include <algorithm>
#include <array>
#include <utility>

#include "engine/base/error.h"
#include "engine/base/text.h"
#include "engine/job/kinds/job_again.h"
#include "engine/job/report/json_rows.h"
#include "engine/job/report/text_file.h"

namespace flcc::job {

using base::Error;
using base::ErrorCode;
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
        refuse(file, "its values are nested more than 100 deep, or one has more than 10000 keys");
    }
    constexpr bool kThrows = false;
    Json report = detail::json::restored(Json::parse(text, nullptr, kThrows));
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

} // namespace

std::string_view name(Replay::Verdict verdict) {
    constexpr std::array<std::string_view, 3> kNames{"identical", "within the bounds", "different"};
    return kNames[static_cast<std::size_t>(verdict)];
}

namespace {

Replay replayed(const path& file, const std::stop_token& stop, JobSink* sink) {
    const Json before = readReport(file);
    const detail::Again done = detail::runAgain(file, before, stop, sink);
    if (done.cancelled) {
        Replay outcome;
        outcome.cancelled = true;
        return outcome;
    }
    return detail::compareAgain(before, done, stop);
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
