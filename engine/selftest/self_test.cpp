#include "engine/selftest/self_test.h"

#include <algorithm>
#include <iterator>
#include <set>

#include "engine/base/error.h"
#include "engine/base/stopwatch.h"
#include "engine/selftest/detail/case_run.h"

namespace flcc::selftest {

namespace {

/// The cases that `name` means: the one of this name, or all that have it in theirs.
/// **Errors**: CommandLine when there is none.
std::vector<const Case*> meantBy(const std::string& name) {
    std::vector<const Case*> found;
    std::string all;
    for (const Case& one : cases()) {
        const std::string_view known = one.name;
        if (known == name) {
            return {&one};
        }
        if (!name.empty() && known.find(name) != std::string_view::npos) {
            found.push_back(&one);
        }
        all += (all.empty() ? "" : ", ") + std::string(known);
    }
    if (found.empty()) {
        throw base::Error(base::ErrorCode::CommandLine, "no case of the self-test has \"" +
                                                            base::excerpt(name) +
                                                            "\" in its name; there are " + all);
    }
    return found;
}

/// In the order of the list, each once.
std::vector<Case> chosen(const std::vector<std::string>& names) {
    if (names.empty()) {
        return cases();
    }
    std::set<const Case*> asked; // by their place in the list
    for (const std::string& name : names) {
        const std::vector<const Case*> meant = meantBy(name);
        asked.insert(meant.begin(), meant.end());
    }
    std::vector<Case> result;
    std::transform(asked.begin(), asked.end(), std::back_inserter(result),
                   [](const Case* one) { return *one; });
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

void requireCases(const std::vector<std::string>& names) { (void)chosen(names); }

Report runSelfTest(const Options& options, const std::stop_token& stop, const Progress& progress,
                   const CaseEnded& ended) {
    const std::vector<Case> list = chosen(options.cases);
    Judge judge(options.methods, options.threads > 0 ? options.threads : base::availableThreads());
    const base::Stopwatch watch;
    Report report;
    for (std::size_t i = 0; i < list.size() && !stop.stop_requested(); ++i) {
        if (progress) {
            progress(list[i].name, static_cast<double>(i) / static_cast<double>(list.size()));
        }
        std::vector<Row> rows;
        CaseRun run(list[i].name, options, judge, stop, rows);
        list[i].run(run);
        report.rows.insert(report.rows.end(), rows.begin(), rows.end());
        if (ended && !rows.empty() && !stop.stop_requested()) {
            ended(rows);
        }
    }
    report.cancelled = stop.stop_requested();
    report.ms = watch.ms();
    return report;
}

} // namespace flcc::selftest
