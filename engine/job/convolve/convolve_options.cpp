#include <algorithm>
#include <functional>
#include <map>
#include <optional>
#include <utility>

#include "engine/base/error.h"
#include "engine/base/text.h"
#include "engine/job/convolve/convolve_run.h"
#include "engine/job/convolve_job.h"
#include "engine/job/options/option_table.h"
#include "engine/job/options/options.h"

namespace flcc::job {

using base::Error;
using base::ErrorCode;
using detail::ValueKind;

namespace {

[[noreturn]] void refuse(const std::string& sentence) {
    throw Error(ErrorCode::CommandLine, sentence);
}

using Row = detail::OptionRow<ConvolveJob>;

/// A row of `match` that means the same here.
Row sharedRow(const std::string& name, const std::string& help = {}) {
    const detail::Option& option =
        name == "channel" ? detail::channelNumber() : *detail::findOption(name);
    return {{name, option.value, help.empty() ? option.help : help},
            option.kind,
            [&option](const ConvolveJob& job) { return option.get(job.run); },
            [&option](ConvolveJob& job, const std::string& text) {
                // On the command line a switch has no value.
                const bool on = option.kind == ValueKind::Flag && text.empty();
                option.set(job.run, on ? "true" : text);
            }};
}

template <class Enum, class Member>
Row enumRow(const std::string& name, const std::string& help, std::vector<Enum> all,
            Member member) {
    std::vector<std::string> words;
    const auto word = [](Enum value) {
        if constexpr (std::is_same_v<Enum, filter::Border>) {
            return std::string(filter::name(value));
        } else {
            return std::string(method::name(value));
        }
    };
    std::transform(all.begin(), all.end(), std::back_inserter(words), word);
    return detail::wordRow<ConvolveJob>(
        name, help, words, [member, word](const ConvolveJob& job) { return word(job.*member); },
        [member, word, all](ConvolveJob& job, const std::string& text) {
            job.*member = *std::find_if(all.begin(), all.end(),
                                        [&](Enum value) { return text == word(value); });
        });
}

std::vector<Row> makeRows() {
    using filter::Border;
    using method::Extent;
    std::vector<std::string> methods{"auto"};
    for (const std::string& name : filter::methodNames()) {
        methods.push_back(name);
    }
    Row scene = {{"scene", "FILE", "image or volume; may be a plain argument"},
                 ValueKind::Text,
                 [](const ConvolveJob& job) {
                     return job.run.scene.empty() ? std::nullopt
                                                  : std::optional(job.run.scene.string());
                 },
                 [](ConvolveJob& job, const std::string& text) {
                     detail::findOption("scene")->setAll(job.run, {text});
                 }};
    Row kernel = {{"kernel", "KERNEL", "a file, or " + std::string(filter::kernelNames())},
                  ValueKind::Text,
                  [](const ConvolveJob& job) {
                      return job.kernel.empty() ? std::nullopt : std::optional(job.kernel);
                  },
                  [](ConvolveJob& job, const std::string& text) { job.kernel = text; }};
    Row output = {{"output", "FILE", "write the result: .mha .nrrd .nii .nii.gz .mrc .tif"},
                  ValueKind::Text,
                  [](const ConvolveJob& job) {
                      return job.output.empty() ? std::nullopt : std::optional(job.output.string());
                  },
                  [](ConvolveJob& job, const std::string& text) {
                      if (text.empty() || text.find('\0') != std::string::npos) {
                          refuse("--output must be the name of a file");
                      }
                      job.output = text;
                  }};
    return {
        std::move(scene),
        std::move(kernel),
        std::move(output),
        enumRow<Extent>("extent", "voxels of the result: of the scene, inside it, all reached",
                        {Extent::Same, Extent::Valid, Extent::Full}, &ConvolveJob::extent),
        enumRow<Border>("border", "values beyond the borders of the scene",
                        {Border::Zero, Border::Replicate, Border::Mirror, Border::Wrap},
                        &ConvolveJob::border),
        detail::wordRow<ConvolveJob>(
            "method", "method that computes the result; auto: the plan chooses", std::move(methods),
            [](const ConvolveJob& job) { return job.run.method; },
            [](ConvolveJob& job, const std::string& text) { job.run.method = text; }),
        sharedRow("tile"),
        sharedRow("transforms"),
        detail::countRow<ConvolveJob>(
            "parts", "D", "parts of method dif; more of them take less memory and more time", 2,
            std::int64_t{1} << 20, [](const ConvolveJob& job) { return job.parts; },
            [](ConvolveJob& job, std::int64_t parts) { job.parts = static_cast<int>(parts); }),
        sharedRow("precision", "arithmetic of the result; double: the result is float64"),
        sharedRow("device", "device that computes; convolution runs on the processor only"),
        sharedRow("threads"),
        sharedRow("memory"),
        sharedRow("planning"),
        sharedRow("plan"),
        sharedRow("repeat"),
        sharedRow("region", "convolve this box as if it were the whole scene (default: all)"),
        sharedRow("channel"),
        sharedRow("frame"),
        sharedRow("orientation"),
        sharedRow("image"),
        sharedRow("spacing"),
        sharedRow("stream", "convolve every slice of the scene, a stack, on its own; one output "
                            "for all, as .mha or .nrrd"),
        sharedRow("report", "write the plan, times and statistics of the result"),
    };
}

const detail::OptionTable<ConvolveJob>& table() {
    static const detail::OptionTable<ConvolveJob> kTable("convolve", makeRows());
    return kTable;
}

void requireSensible(const ConvolveJob& job, const std::map<std::string, std::string>& given) {
    detail::requireFrames(job);
    if (job.run.planReport.empty()) {
        filter::requireParts(job.parts, job.run.method);
        return;
    }
    if (job.parts > 0) {
        detail::refuseBesidePlan("parts");
    }
    for (const std::string& name : detail::plannedOptions()) {
        if (given.contains(name)) {
            detail::refuseBesidePlan(name);
        }
    }
}

} // namespace

std::vector<CommandOption> convolveOptions() { return table().options(); }

std::string convolveHelp() { return table().help(); }

void setConvolveOptions(ConvolveJob& job, const std::map<std::string, std::string>& values) {
    table().set(job, values);
    requireSensible(job, values);
}

std::string toJobFile(const ConvolveJob& job) { return table().toFile(job); }

ConvolveJob convolveFromJobFile(std::string_view text) {
    ConvolveJob job;
    setConvolveOptions(job, table().fromFile(text));
    return job;
}

} // namespace flcc::job
