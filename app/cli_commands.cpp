#include "app/cli_commands.h"

#include <algorithm>
#include <filesystem>
#include <iostream>
#include <optional>
#include <variant>

#include "app/cli_batch.h"
#include "app/cli_bench.h"
#include "app/cli_calibrate.h"
#include "app/cli_diff.h"
#include "app/cli_job.h"
#include "app/cli_options.h"
#include "app/cli_peaks.h"
#include "app/cli_progress.h"
#include "app/signal_watch.h"
#include "engine/base/error.h"
#include "engine/base/log.h"
#include "engine/base/text.h"
#include "engine/job/any_job.h"
#include "engine/job/difference.h"
#include "engine/job/knowledge.h"
#include "engine/job/listing.h"
#include "engine/job/peak_lists.h"
#include "engine/job/replay.h"
#include "engine/job/report.h"
#include "engine/selftest/self_test.h"

namespace flcc::app {

namespace {

using base::Error;
using base::ErrorCode;
using Arguments = std::vector<std::string>;

constexpr const char* kUsage =
    R"(flcc-cli finds a template in an image or volume by local correlation coefficients.

  flcc-cli match SCENE TEMPLATE [options]         scores every placement; gives peaks and map
  flcc-cli match SCENE A --template B --template C ...
                                                  several templates: keeps the best score of each
                                                  placement
  flcc-cli match SCENE --crop X,Y[,Z]:W,H[,D] [options]
                                                  cuts the template from the scene
  flcc-cli match SCENE TEMPLATE --scene B C ...   several scenes: searches each, numbers the outputs
  flcc-cli match STACK TEMPLATE --stream          searches the slices of a stack one by one
  flcc-cli plan ... as match ...                  shows the method that match would choose, its time
                                                  and memory
  flcc-cli convolve SCENE KERNEL --output FILE    convolves with a kernel: a file, or a filter by
                                                  name
  flcc-cli features IMAGE [options]               finds distinctive blobs of all sizes
  flcc-cli batch JOB.json FILE|FOLDER... [--continue] [--peaks ALL.csv] [--queue FILE]
                                                  runs the job of a job file on each file; one that
                                                  fails stops no other one; --continue leaves out
                                                  what is done; --peaks writes one table of all
  flcc-cli replay RESULT.json [--quiet]           runs the job of a JSON report again and says
                                                  whether the result is the same
  flcc-cli peaks IN [--to FORMAT] [--output OUT]  converts a list of positions; with --stack, cuts
                                                  boxes of the scene at them
  flcc-cli diff A B [--tolerance DISTANCE]        compares two lists of positions or reports: what
                                                  is in both, only in A, only in B; or two images:
                                                  voxels that differ, and by how much; ends with 0
                                                  if they are the same, with 1 if not
  flcc-cli info [--verify] [--orientation applied|stored] [--image N] [--part BOX] FILE
                                                  prints extents, type and geometry of a file as
                                                  JSON, and notes on what was assumed; --verify
                                                  reads every pixel and says complete: true
  flcc-cli sample NAME --output DIR               writes a built-in sample: scene, template, true
                                                  positions
  flcc-cli sample --list                          lists the built-in samples
  flcc-cli devices [--json]                       lists CPU and GPUs; says why one cannot be used
  flcc-cli calibrate [--threads N] [--seconds N] [--quiet] [--json]
                                                  measures this machine for better plans; takes two
                                                  minutes
  flcc-cli bench [--device D] [--report FILE.json]
                 [--set sizes|crossover|banks|volumes |
                  --scene X,Y[,Z] --template X,Y[,Z] [--templates N]]
                 [--pixel TYPE] [--threads N] [--repeat N]
                                                  times every method of a device, transfers
                                                  separately
  flcc-cli bench --crossover FILE.png|FILE.json [--device D] [--threads N]
                                                  draws the method chosen for each scene and
                                                  template size
  flcc-cli bench --figure fig1|fig3 --output FILE.png|FILE.json [--operation lcc|convolve]
                 [--device D] [--threads N] [--repeat N] [--quick]
                                                  figures of the FLCC paper for this machine: fig1
                                                  time over template size, fig3 the chosen method
                                                  and critical sizes; --quick: small scenes
  flcc-cli selftest [--device auto|cpu|cuda|cuda:N] [--case NAME]... [--json]
                                                  runs exact cases on every instruction set and GPU
                                                  of this machine; NAME is the name of a case or a
                                                  part of it
  flcc-cli --help
  flcc-cli --version [--verbose]                  --verbose: also libraries, devices and licence

SCENE, TEMPLATE and FILE are image files, the folder of a DICOM series or one of its files, or
FILE.h5:/path/to/dataset (also of .ims and .mat files).

Options of match and plan; the default is the first value or in brackets:
)";

constexpr const char* kCodes =
    R"(
Exit codes: 0 done, 1 internal error, failed selftest or self-audit, 2 invalid command line,
3 input cannot be read, 4 invalid problem, 5 memory limit too small, 6 device cannot be used,
7 output cannot be written, 9 some files of a batch failed, 130 interrupted.
)";

bool asksForHelp(const Arguments& args) {
    const auto end = std::find(args.begin(), args.end(), "--");
    return std::any_of(args.begin(), end,
                       [](const std::string& arg) { return arg == "--help" || arg == "-h"; });
}

/// The options of every command with many of them.
std::string optionsText() {
    std::string text;
    for (const std::string& command : job::jobCommands()) {
        text += text.empty() ? ""
                             : "\nOptions of " + command + ", beside " +
                                   job::listOf(job::commonOptions()) + ":\n";
        text += job::helpOf(job::optionsOf(command));
        text += command == "match" ? job::helpOf(job::commonOptions()) : "";
    }
    return text + "\nOptions of peaks, beside --quiet:\n" + job::helpOf(job::listOptions()) +
           "\nOptions of diff, beside --json and --quiet:\n" +
           job::helpOf(job::differenceOptions()) + job::helpOf(job::mapDifferenceOptions());
}

int version(const Arguments& rest) {
    const bool verbose = rest == Arguments{"--verbose"};
    if (!rest.empty() && !verbose) {
        refuse("--version takes no argument but --verbose; leave out \"" +
               base::excerpt(rest.front()) + "\"");
    }
    std::string text = "flcc-cli " FLCC_VERSION "\n";
    if (verbose) {
        const job::Environment about = job::environment();
        for (const auto& [name, version] : about.versions) {
            text += name + " " + version + "\n";
        }
        text += about.processor + ", " + about.instructions + "\n";
        for (const std::string& device : about.devices) {
            text += device + "\n";
        }
        text += std::string(job::licenceText()) + "\n";
    }
    print(text);
    return 0;
}

int help() {
    print(kUsage + optionsText() + kCodes);
    return 0;
}

/// True for an option that others of our commands have and features does not.
bool isMask(const std::string& arg) { return arg == "--mask" || arg.starts_with("--mask="); }

int features(const Arguments& args, const std::stop_token& stop) {
    if (std::any_of(args.begin(), std::find(args.begin(), args.end(), "--"), isMask)) {
        refuse("features takes no mask; cut the image to the part that counts");
    }
    return runGiven(job::parseArguments("features", args), stop);
}

int plan(const Arguments& args, const std::stop_token& stop) {
    const job::ParsedArguments given = job::parseArguments("match", args);
    const auto& asked = std::get<job::Job>(given.job);
    prepare(given, job::outputFiles(asked, true));
    ProgressBar bar(errorIsTerminal() && !given.quiet);
    const job::JobReport report = job::planJob(asked, {}, stop, &bar);
    (void)job::keepLearnt(); // a match with the same options need not measure again
    bar.clear();
    if (report.cancelled) {
        return interrupted();
    }
    save(given);
    if (given.json) {
        print(job::toJson(report));
    } else if (!given.quiet) {
        say(job::toText(report));
    }
    // The report is there; the code says whether a match with the same options would run.
    if (const std::optional<Error> refused = job::refusal(report)) {
        throw Error(*refused);
    }
    return 0;
}

int replay(const Arguments& args, const std::stop_token& stop) {
    const auto [options, files] = job::splitArguments("replay", {{"quiet"}}, args);
    if (files.size() != 1) {
        refuse("replay takes one report: flcc-cli replay RESULT.json");
    }
    const bool quiet = options.contains("quiet");
    ProgressBar bar(errorIsTerminal() && !quiet);
    const job::Replay done = job::replay(files.front(), stop, &bar);
    bar.clear();
    if (done.cancelled) {
        return interrupted();
    }
    if (!quiet) {
        for (const std::string& note : done.notes) {
            complain("note: " + note + "\n");
        }
        say(done.sentence + "\n");
        std::string unchecked;
        for (const std::string& name : done.unchecked) {
            unchecked += (unchecked.empty() ? "not compared: " : "; ") + name;
        }
        say(unchecked.empty() ? unchecked : unchecked + "\n");
    }
    return done.verdict == job::Replay::Verdict::Different ? 1 : 0;
}

int info(const Arguments& args, const std::stop_token& stop) {
    auto [options, files] = job::splitArguments(
        "info", {{"verify"}, {"orientation", "applied|stored"}, {"image", "N"}, {"part", "BOX"}},
        args);
    if (files.size() != 1) {
        refuse("info takes one file: flcc-cli info [--verify] FILE");
    }
    const bool verify = options.erase("verify") > 0;
    const std::string json =
        job::imageInfoJson(files.front(), verify, job::readingOf(options), stop);
    if (json.empty()) {
        return interrupted();
    }
    print(json);
    return 0;
}

int sample(const Arguments& args, const std::stop_token& stop) {
    const auto [options, names] =
        job::splitArguments("sample", {{"output", "DIR"}, {"list"}}, args);
    if (options.size() == 1 && options.contains("list") && names.empty()) {
        print(job::samplesText());
        return 0;
    }
    const std::string* const folder = job::valueOf(options, "output");
    if (names.size() != 1 || options.size() != 1 || folder == nullptr || folder->empty()) {
        refuse("sample needs a name and a folder: flcc-cli sample NAME --output DIR; flcc-cli "
               "sample --list lists the names");
    }
    const std::vector<std::filesystem::path> files = job::writeSample(names.front(), *folder, stop);
    if (files.empty()) {
        return interrupted();
    }
    for (const std::filesystem::path& file : files) {
        print(file.string() + "\n");
    }
    return 0;
}

int devices(const Arguments& args, const std::stop_token& stop) {
    const bool json = !optionsAlone("devices", {{"json"}}, args).empty();
    const std::string text = json ? job::devicesJson() : job::devicesText();
    if (stop.stop_requested()) {
        return interrupted();
    }
    print(text);
    return 0;
}

int selfTest(const Arguments& args, const std::stop_token& stop) {
    job::GivenOptions asked = optionsAlone("selftest",
                                           {{"device", "auto|cpu|cuda|cuda:N"},
                                            {"case", "NAME", "", job::OptionTimes::Repeated},
                                            {"json"}},
                                           args);
    const bool json = asked.contains("json");
    selftest::Options options;
    options.cases = asked["case"];
    selftest::requireCases(options.cases); // before the devices are asked
    options.methods = plan::methodsOn(deviceOf(asked));
    ProgressBar bar(errorIsTerminal());
    bool begun = false;
    const auto printCase = [&](const std::vector<selftest::Row>& rows) {
        bar.clear();
        print((begun ? "" : selftest::headText()) + selftest::toText(rows));
        begun = true;
    };
    const selftest::Report report = selftest::runSelfTest(
        options, stop,
        [&bar](std::string_view name, double share) {
            bar.label(name);
            bar.progress(share);
        },
        json ? selftest::CaseEnded{} : printCase);
    bar.clear();
    if (report.cancelled) {
        std::cerr << "flcc-cli: interrupted; not all cases have run\n" << std::flush;
        return kInterrupted;
    }
    print(json ? selftest::toJson(report) : selftest::verdictText(report));
    return report.passed() ? 0 : static_cast<int>(ErrorCode::Internal);
}

} // namespace

int runCommand(const std::vector<std::string>& args, const std::stop_token& stop) {
    if (args.empty()) {
        refuse("no command given; flcc-cli --help lists the commands");
    }
    const std::string& command = args.front();
    const Arguments rest(args.begin() + 1, args.end());
    if (command == "--version") {
        return version(rest);
    }
    if (asksForHelp(args)) {
        return help();
    }
    if (command == "match" || command == "convolve") {
        return runGiven(job::parseArguments(command, rest), stop);
    }
    if (command == "plan") {
        return plan(rest, stop);
    }
    if (command == "features") {
        return features(rest, stop);
    }
    if (command == "batch") {
        return batch(rest, stop);
    }
    if (command == "replay") {
        return replay(rest, stop);
    }
    if (command == "peaks") {
        return peaks(rest, stop);
    }
    if (command == "diff") {
        return diff(rest, stop);
    }
    if (command == "info") {
        return info(rest, stop);
    }
    if (command == "sample") {
        return sample(rest, stop);
    }
    if (command == "devices") {
        return devices(rest, stop);
    }
    if (command == "calibrate") {
        return calibrate(rest, stop);
    }
    if (command == "bench") {
        return bench(rest, stop);
    }
    if (command == "selftest") {
        return selfTest(rest, stop);
    }
    refuse("unknown command \"" + base::excerpt(command) +
           "\"; flcc-cli --help lists the commands");
}

} // namespace flcc::app
