#include "app/cli_calibrate.h"

#include <algorithm>
#include <charconv>
#include <iostream>

#include "app/cli_commands.h"
#include "app/cli_progress.h"
#include "engine/base/error.h"
#include "engine/job/knowledge.h"

namespace flcc::app {

namespace {

using base::Error;
using base::ErrorCode;

struct Options {
    bool json = false;
    bool quiet = false;
    int threads = 0;
    double seconds = plan::kCalibrationSeconds;
};

int number(const std::string& option, const std::string& text, int most) {
    int value = 0;
    const auto [rest, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    if (error != std::errc{} || rest != text.data() + text.size() || value < 1 || value > most) {
        throw Error(ErrorCode::CommandLine, option + " takes a whole number from 1 to " +
                                                std::to_string(most) + ", not \"" + text + "\"");
    }
    return value;
}

Options parse(const std::vector<std::string>& args) {
    constexpr int kMostThreads = 4096;
    constexpr int kMostSeconds = 3600;
    Options options;
    for (std::size_t i = 0; i < args.size(); ++i) {
        const std::string& name = args[i];
        if (std::find(args.begin(), args.begin() + static_cast<std::ptrdiff_t>(i), name) !=
            args.begin() + static_cast<std::ptrdiff_t>(i)) {
            throw Error(ErrorCode::CommandLine, "option " + name + " is given twice");
        }
        const auto value = [&](int most) {
            if (i + 1 == args.size()) {
                throw Error(ErrorCode::CommandLine, "option " + name + " needs a value");
            }
            return number(name, args[++i], most);
        };
        if (name == "--json") {
            options.json = true;
        } else if (name == "--quiet") {
            options.quiet = true;
        } else if (name == "--threads") {
            options.threads = value(kMostThreads);
        } else if (name == "--seconds") {
            options.seconds = value(kMostSeconds);
        } else {
            throw Error(ErrorCode::CommandLine, "unknown option " + name +
                                                    "; calibrate knows --threads N, --seconds N, "
                                                    "--quiet and --json");
        }
    }
    return options;
}

/// Redrawn in place on a terminal; elsewhere a line for each kind of work.
class Progress {
  public:
    explicit Progress(bool visible) : m_visible(visible), m_terminal(errorIsTerminal()) {}
    ~Progress() { clear(); }
    Progress(const Progress&) = delete;
    Progress& operator=(const Progress&) = delete;

    void operator()(std::string_view doing, double share) {
        if (!m_visible || (!m_terminal && doing == m_doing)) {
            return;
        }
        m_doing = doing;
        std::string line(doing);
        if (m_terminal) {
            line = "\r\033[K" + line + " " + std::to_string(static_cast<int>(share * 100)) + " %";
            m_drawn = true;
        } else {
            line += "\n";
        }
        std::cerr << line << std::flush;
    }

    void clear() {
        if (m_drawn) {
            std::cerr << "\r\033[K" << std::flush;
            m_drawn = false;
        }
    }

  private:
    bool m_visible;
    bool m_terminal;
    bool m_drawn = false;
    std::string m_doing;
};

} // namespace

int calibrate(const std::vector<std::string>& args, const std::stop_token& stop) {
    const Options options = parse(args);
    Progress progress(!options.quiet);
    const job::Calibrated result =
        job::calibrate(options.threads, options.seconds, stop,
                       [&](std::string_view doing, double share) { progress(doing, share); });
    progress.clear();
    if (result.cancelled) {
        std::cerr << "flcc-cli: interrupted before the measurements fitted together; nothing was "
                     "kept\n"
                  << std::flush;
        return kInterrupted;
    }
    if (options.json) {
        std::cout << plan::toJson(result.model);
    } else if (!options.quiet) {
        const method::InstructionRate& rate = result.model.instructionRates.front();
        std::cout << "Calibrated: " << rate.multiplyAddsPerNs
                  << " multiply-adds a nanosecond and thread with " << rate.instructions << ", "
                  << result.model.shapeTimes.size() << " tile shapes measured, "
                  << result.patientShapes << " of them with patient plans\n"
                  << (result.file.empty() ? std::string("There is no place to keep it in.")
                                          : "Kept in " + result.file.string())
                  << "\n";
    }
    std::cout << std::flush;
    if (!std::cout) {
        throw Error(ErrorCode::Output, "cannot write to standard output; is the pipe closed?");
    }
    return stop.stop_requested() ? kInterrupted : 0;
}

} // namespace flcc::app
