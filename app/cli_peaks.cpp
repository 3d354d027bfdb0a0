#include "app/cli_peaks.h"

#include "app/cli_job.h"
#include "app/cli_options.h"
#include "engine/job/boxes.h"
#include "engine/job/peak_lists.h"

namespace flcc::app {

int peaks(const std::vector<std::string>& args, const std::stop_token& stop) {
    std::vector<job::CommandOption> known = job::listOptions();
    known.push_back({"quiet"});
    auto [options, files] = job::splitArguments("peaks", known, args);
    if (files.size() != 1) {
        refuse("peaks takes one list: flcc-cli peaks IN [--to FORMAT] [--output OUT]");
    }
    const bool quiet = options.erase("quiet") > 0;
    job::ListConversion conversion{.input = files.front()};
    job::setListOptions(conversion, options);
    for (const std::filesystem::path& file :
         {conversion.output, conversion.exports.stack, conversion.exports.average,
          conversion.exports.averageVariance}) {
        requireFolderOf(file);
    }
    const job::ConvertedList done = job::convertList(conversion, stop);
    if (done.cancelled) {
        return interrupted();
    }
    for (const std::string& note : quiet ? std::vector<std::string>{} : done.notes) {
        complain("note: " + note + "\n");
    }
    if (conversion.output.empty()) {
        print(done.text);
    }
    const std::string boxes =
        (done.stack ? job::textOf(*done.stack) : std::string()) + job::textOf(done.averages);
    if (!quiet && !boxes.empty()) {
        done.text.empty() || !conversion.output.empty() ? say(boxes) : complain(boxes);
    }
    if (!conversion.output.empty() && !quiet) {
        say("Positions: " + std::to_string(done.positions) + ", from " +
            std::string(io::name(done.from)) + " to " + std::string(io::name(done.to)) + "\n");
    }
    return 0;
}

} // namespace flcc::app
