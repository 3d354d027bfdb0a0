#include "engine/job/any_job.h"

#include <memory>
#include <utility>

namespace flcc::job {

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

} // namespace

io::ProtectedFiles inputFiles(const AnyJob& job) {
    return std::visit([](const auto& one) { return inputFiles(one); }, job);
}

std::vector<std::filesystem::path> outputFiles(const AnyJob& job) {
    return std::visit([](const auto& one) { return outputFiles(one); }, job);
}

Outcome run(const AnyJob& job, const std::stop_token& stop, JobSink* sink) {
    return std::visit([&](const auto& one) { return outcomeOf(one, stop, sink); }, job);
}

} // namespace flcc::job
