#include "app/cli_peaks.h"

#include <iostream>
#include <map>

#include "app/cli_job.h"
#include "app/cli_options.h"
#include "engine/job/peak_lists.h"

namespace flcc::app {

int peaks(const std::vector<std::string>& args, const std::stop_token& stop) {
    std::vector<KnownOption> known{{"--quiet", ""}};
    for (const job::CommandOption& option : job::listOptions()) {
        known.push_back({"--" + option.name, option.value});
    }
    const auto [options, files] = argumentsOf("peaks", known, args);
    if (files.size() != 1) {
        refuse("peaks takes one list: flcc-cli peaks IN [--to FORMAT] [--output OUT]");
    }
    std::map<std::string, std::string> values;
    for (const auto& [name, value] : options) {
        if (name != "--quiet") {
            values[name.substr(2)] = value;
        }
    }
    job::ListConversion conversion{.input = files.front()};
    job::setListOptions(conversion, values);
    requireFolderOf(conversion.output);
    requireFolderOf(conversion.exports.stack);
    const job::ConvertedList done = job::convertList(conversion, stop);
    if (done.cancelled) {
        return interrupted();
    }
    const bool quiet = options.contains("--quiet");
    for (const std::string& note : quiet ? std::vector<std::string>{} : done.notes) {
        std::cerr << "note: " + note + "\n";
    }
    if (conversion.output.empty()) {
        // Who asks for a stack alone does not ask for the list.
        if (!done.stack || conversion.to != io::ListFormat::Auto) {
            print(done.text);
        }
    } else if (!quiet) {
        print("Positions: " + std::to_string(done.positions) + ", from " +
              std::string(io::name(done.from)) + " to " + std::string(io::name(done.to)) + "\n");
    }
    if (done.stack && !quiet) {
        print(job::stackText(*done.stack));
    }
    return 0;
}

} // namespace flcc::app
