#include "app/cli_diff.h"

#include <map>

#include "app/cli_options.h"
#include "engine/job/list_difference.h"

namespace flcc::app {

int diff(const std::vector<std::string>& args) {
    std::vector<KnownOption> known{{"--quiet", ""}, {"--json", ""}};
    for (const job::CommandOption& option : job::differenceOptions()) {
        known.push_back({"--" + option.name, option.value});
    }
    const auto [options, files] = argumentsOf("diff", known, args);
    if (files.size() != 2) {
        refuse("diff takes two lists or reports: flcc-cli diff A B [--tolerance DISTANCE]");
    }
    std::map<std::string, std::string> values;
    for (const auto& [name, value] : options) {
        if (name != "--quiet" && name != "--json") {
            values[name.substr(2)] = value;
        }
    }
    job::ListDifference difference{.a = files.front(), .b = files.back()};
    job::setDifferenceOptions(difference, values);
    requireFolderOf(difference.output);
    requireFolderOf(difference.report);
    const job::ComparedLists lists = job::diffLists(difference);
    if (options.contains("--json")) {
        print(job::comparisonJson(lists));
    } else if (!options.contains("--quiet")) {
        print(job::comparisonText(lists));
    }
    return 0;
}

} // namespace flcc::app
