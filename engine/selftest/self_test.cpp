#include "engine/selftest/self_test.h"

#include <algorithm>

#include "engine/base/error.h"
#include "engine/base/stopwatch.h"
#include "engine/selftest/detail/case_run.h"

namespace flcc::selftest {

namespace {

std::vector<Case> chosen(const std::vector<std::string>& names) {
    if (names.empty()) {
        return cases();
    }
    std::vector<Case> result;
    for (const std::string& name : names) {
        const auto found = std::find_if(cases().begin(), cases().end(),
                                        [&](const Case& one) { return one.name == name; });
        if (found == cases().end()) {
            throw base::Error(base::ErrorCode::CommandLine, "there is no self-test " + name);
        }
        result.push_back(*found);
    }
    return result;
}

} // namespace

bool Report::passed() const {
    return !cancelled && !rows.empty() &&
           std::all_of(rows.begin(), rows.end(), [](const Row& row) { return row.fault.empty(); });
}

std::vector<CaseName> caseNames() {
    std::vector<CaseName> names;
    for (const Case& one : cases()) {
        names.push_back({one.name, one.about});
    }
    return names;
}

Report runSelfTest(const Options& options, const std::stop_token& stop, const Progress& progress) {
    const std::vector<Case> list = chosen(options.cases);
    Judge judge(options.methods, options.threads > 0 ? options.threads : base::availableThreads());
    const base::Stopwatch watch;
    Report report;
    for (std::size_t i = 0; i < list.size() && !stop.stop_requested(); ++i) {
        if (progress) {
            progress(list[i].name, static_cast<double>(i) / static_cast<double>(list.size()));
        }
        CaseRun run(list[i].name, options, judge, stop, report.rows);
        list[i].run(run);
    }
    report.cancelled = stop.stop_requested();
    report.ms = watch.ms();
    return report;
}

} // namespace flcc::selftest
