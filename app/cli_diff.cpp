#include "app/cli_diff.h"

#include <algorithm>
#include <map>

#include "app/cli_job.h"
#include "app/cli_options.h"
#include "engine/job/list_difference.h"
#include "engine/job/map_difference.h"

namespace flcc::app {

namespace {

constexpr int kSame = 0;
constexpr int kDifferent = 1;

bool has(const std::vector<job::CommandOption>& options, const std::string& name) {
    return std::ranges::find(options, name, &job::CommandOption::name) != options.end();
}

/// Prints what was found and returns the code.
int answer(const OptionValues& options, bool same, const std::string& json,
           const std::string& text) {
    if (options.contains("--json")) {
        print(json);
    } else if (!options.contains("--quiet")) {
        say(text);
    }
    return same ? kSame : kDifferent;
}

int diffOfLists(const std::vector<std::string>& files,
                const std::map<std::string, std::string>& values, const OptionValues& options) {
    job::ListDifference difference{.a = files.front(), .b = files.back()};
    job::setDifferenceOptions(difference, values);
    requireFolderOf(difference.output);
    requireFolderOf(difference.report);
    const job::ComparedLists lists = job::diffLists(difference);
    return answer(options, lists.same(), job::comparisonJson(lists), job::comparisonText(lists));
}

int diffOfImages(const std::vector<std::string>& files,
                 const std::map<std::string, std::string>& values, const OptionValues& options,
                 const std::stop_token& stop) {
    job::MapDifference difference{.a = files.front(), .b = files.back()};
    job::setMapDifferenceOptions(difference, values);
    requireFolderOf(difference.output);
    requireFolderOf(difference.report);
    const job::ComparedMaps maps = job::diffMaps(difference, stop);
    if (maps.cancelled) {
        return interrupted();
    }
    if (!options.contains("--quiet")) {
        for (const std::string& note : maps.notes) {
            complain("note: " + note + "\n");
        }
    }
    return answer(options, maps.same(), job::mapsJson(maps), job::mapsText(maps));
}

} // namespace

int diff(const std::vector<std::string>& args, const std::stop_token& stop) {
    const std::vector<job::CommandOption> ofLists = job::differenceOptions();
    const std::vector<job::CommandOption> ofImages = job::mapDifferenceOptions();
    std::vector<KnownOption> known{{"--quiet", ""}, {"--json", ""}};
    for (const auto* const kind : {&ofLists, &ofImages}) {
        for (const job::CommandOption& option : *kind) {
            if (kind == &ofLists || !has(ofLists, option.name)) {
                known.push_back({"--" + option.name, option.value});
            }
        }
    }
    const auto [options, files] = argumentsOf("diff", known, args);
    if (files.size() != 2) {
        refuse("diff takes two lists, two reports or two images: flcc-cli diff A B [--tolerance "
               "DISTANCE]");
    }
    const bool images = job::areImages(files.front(), files.back());
    std::map<std::string, std::string> values;
    for (const auto& [name, value] : options) {
        if (name == "--quiet" || name == "--json") {
            continue;
        }
        if (!has(images ? ofImages : ofLists, name.substr(2))) {
            refuse(name + " is an option for two " + (images ? "lists" : "images") +
                   ", but A and B are " + (images ? "images" : "lists"));
        }
        values[name.substr(2)] = value;
    }
    return images ? diffOfImages(files, values, options, stop)
                  : diffOfLists(files, values, options);
}

} // namespace flcc::app
