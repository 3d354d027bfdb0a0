#include "app/cli_diff.h"

#include <algorithm>
#include <iterator>

#include "app/cli_job.h"
#include "app/cli_options.h"
#include "engine/job/difference.h"

namespace flcc::app {

namespace {

constexpr int kSame = 0;
constexpr int kDifferent = 1;

bool has(const std::vector<job::CommandOption>& options, const std::string& name) {
    return std::ranges::find(options, name, &job::CommandOption::name) != options.end();
}

struct Switches {
    bool json = false;
    bool quiet = false;
};

/// Prints what was found and returns the code.
int answer(const Switches& switches, bool same, const std::string& json, const std::string& text) {
    if (switches.json) {
        print(json);
    } else if (!switches.quiet) {
        say(text);
    }
    return same ? kSame : kDifferent;
}

int diffOfLists(const std::vector<std::string>& files, const job::GivenOptions& options,
                const Switches& switches) {
    job::ListDifference difference{.a = files.front(), .b = files.back()};
    job::setDifferenceOptions(difference, options);
    requireFolderOf(difference.output);
    requireFolderOf(difference.report);
    const job::ComparedLists lists = job::diffLists(difference);
    return answer(switches, lists.same(), job::comparisonJson(lists), job::comparisonText(lists));
}

int diffOfImages(const std::vector<std::string>& files, const job::GivenOptions& options,
                 const Switches& switches, const std::stop_token& stop) {
    job::MapDifference difference{.a = files.front(), .b = files.back()};
    job::setMapDifferenceOptions(difference, options);
    requireFolderOf(difference.output);
    requireFolderOf(difference.report);
    const job::ComparedMaps maps = job::diffMaps(difference, stop);
    if (maps.cancelled) {
        return interrupted();
    }
    if (!switches.quiet) {
        for (const std::string& note : maps.notes) {
            complain("note: " + note + "\n");
        }
    }
    return answer(switches, maps.same(), job::mapsJson(maps), job::mapsText(maps));
}

} // namespace

int diff(const std::vector<std::string>& args, const std::stop_token& stop) {
    const std::vector<job::CommandOption> ofLists = job::differenceOptions();
    const std::vector<job::CommandOption> ofImages = job::mapDifferenceOptions();
    std::vector<job::CommandOption> known = ofLists;
    std::ranges::copy_if(
        ofImages, std::back_inserter(known),
        [&](const job::CommandOption& option) { return !has(ofLists, option.name); });
    known.push_back({"quiet"});
    known.push_back({"json"});
    auto [options, files] = job::splitArguments("diff", known, args);
    if (files.size() != 2) {
        refuse("diff takes two lists, two reports or two images: flcc-cli diff A B [--tolerance "
               "DISTANCE]");
    }
    const Switches switches{options.erase("json") > 0, options.erase("quiet") > 0};
    const bool images = job::areImages(files.front(), files.back());
    for (const auto& [name, values] : options) {
        if (!has(images ? ofImages : ofLists, name)) {
            refuse("--" + name + " is an option for two " + (images ? "lists" : "images") +
                   ", but A and B are " + (images ? "images" : "lists"));
        }
    }
    return images ? diffOfImages(files, options, switches, stop)
                  : diffOfLists(files, options, switches);
}

} // namespace flcc::app
