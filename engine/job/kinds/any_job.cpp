#include "engine/job/any_job.h"

#include <array>
#include <memory>
#include <utility>

#include "engine/base/error.h"
#include "engine/job/arguments.h"

namespace flcc::job {

using base::Error;
using base::ErrorCode;

namespace {

Outcome outcomeOf(const Job& job, const std::stop_token& stop, JobSink* sink) {
    JobResult done = runJob(job, {}, stop, sink);
    Outcome outcome{.cancelled = done.cancelled,
                    .notes = std::move(done.notes),
                    .warnings = std::move(done.warnings),
                    .report = {},
                    .failed = auditFailure(done.report)};
    outcome.report = [report =
                          std::make_shared<JobReport>(std::move(done.report))](Outcome::Text text) {
        return text == Outcome::Text::Json      ? toJson(*report)
               : text == Outcome::Text::Verbose ? toText(*report)
                                                : toSummary(*report);
    };
    return outcome;
}

Outcome outcomeOf(const ConvolveJob& job, const std::stop_token& stop, JobSink* sink) {
    ConvolveResult done = runConvolve(job, {}, stop, sink);
    Outcome outcome{.cancelled = done.cancelled,
                    .notes = std::move(done.notes),
                    .warnings = {},
                    .report = {},
                    .failed = {}};
    outcome.report = [report = std::move(done.report)](Outcome::Text text) {
        return text == Outcome::Text::Json ? toJson(report)
                                           : toSummary(report, text == Outcome::Text::Verbose);
    };
    return outcome;
}

Outcome outcomeOf(const FeaturesJob& job, const std::stop_token& stop, JobSink* sink) {
    auto done = std::make_shared<FeaturesResult>(runFeatures(job, stop, sink));
    Outcome outcome{.cancelled = done->cancelled,
                    .notes = done->notes,
                    .warnings = {},
                    .report = {},
                    .failed = {}};
    outcome.report = [done](Outcome::Text text) {
        return text == Outcome::Text::Json ? toJson(*done) : toSummary(*done);
    };
    return outcome;
}

[[noreturn]] void refuseCommand(const std::string& sentence) {
    throw Error(ErrorCode::CommandLine, sentence);
}

} // namespace

std::string_view commandOf(const AnyJob& job) {
    constexpr std::array<std::string_view, std::variant_size_v<AnyJob>> kCommands{
        "match", "convolve", "features"};
    return kCommands[job.index()];
}

AnyJob anyFromJobFile(std::string_view text) {
    const std::string command = jobFileCommand(text);
    if (command == "convolve") {
        return convolveFromJobFile(text);
    }
    if (command == "features") {
        return featuresFromJobFile(text);
    }
    return fromJobFile(text);
}

std::string toJobFile(const AnyJob& job) {
    return std::visit([](const auto& one) { return toJobFile(one); }, job);
}

io::ProtectedFiles inputFiles(const AnyJob& job) {
    return std::visit([](const auto& one) { return inputFiles(one); }, job);
}

std::vector<std::filesystem::path> outputFiles(const AnyJob& job) {
    return std::visit([](const auto& one) { return outputFiles(one); }, job);
}

Outcome run(const AnyJob& job, const std::stop_token& stop, JobSink* sink) {
    return std::visit([&](const auto& one) { return outcomeOf(one, stop, sink); }, job);
}

JobCommand convolveCommand() {
    const auto make = [](const std::optional<std::string>& file,
                         const std::map<std::string, std::string>& values) -> AnyJob {
        ConvolveJob job = file ? convolveFromJobFile(*file) : ConvolveJob();
        setConvolveOptions(job, values);
        if (job.scene.empty() || (job.kernel.empty() && !values.contains("kernel"))) {
            refuseCommand("convolve needs a scene and a kernel: flcc-cli convolve SCENE KERNEL "
                          "--output FILE");
        }
        return job;
    };
    return {"convolve",
            convolveOptions(),
            {"scene", "kernel"},
            "a scene and a kernel: flcc-cli convolve SCENE KERNEL",
            make};
}

JobCommand featuresCommand() {
    const auto make = [](const std::optional<std::string>& file,
                         const std::map<std::string, std::string>& values) -> AnyJob {
        FeaturesJob job = file ? featuresFromJobFile(*file) : FeaturesJob();
        setFeaturesOptions(job, values);
        if (job.scene.empty()) {
            refuseCommand("features needs an image: flcc-cli features IMAGE [options]");
        }
        return job;
    };
    return {"features",
            featuresOptions(),
            {"image"},
            "one image: flcc-cli features IMAGE [options]",
            make};
}

} // namespace flcc::job
