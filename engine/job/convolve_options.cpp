#include <algorithm>
#include <functional>
#include <optional>
#include <set>
#include <utility>

#include <nlohmann/json.hpp>

#include "engine/base/error.h"
#include "engine/base/text.h"
#include "engine/job/convolve_job.h"
#include "engine/job/detail/options.h"
#include "engine/job/detail/text.h"

namespace flcc::job {

using base::Error;
using base::ErrorCode;
using detail::ValueKind;
using Json = nlohmann::ordered_json;

namespace {

constexpr const char* kCommand = "convolve";

[[noreturn]] void refuse(const std::string& sentence) {
    throw Error(ErrorCode::CommandLine, sentence);
}

/// An option with what reads and writes it.
struct Row {
    ConvolveOption option;
    ValueKind kind = ValueKind::Text;
    std::function<std::optional<std::string>(const ConvolveJob&)> get;
    std::function<void(ConvolveJob&, const std::string&)> set;
};

/// A row of `match` that means the same here.
Row sharedRow(const std::string& name, const std::string& help = {}) {
    const detail::Option& option = *detail::findOption(name);
    return {{name, option.value, help.empty() ? option.help : help},
            option.kind,
            [&option](const ConvolveJob& job) { return option.get(job.run); },
            [&option](ConvolveJob& job, const std::string& text) { option.set(job.run, text); }};
}

/// One of a few words, the first the default.
Row wordRow(const std::string& name, const std::string& help, std::vector<std::string> words,
            std::function<std::string(const ConvolveJob&)> read,
            std::function<void(ConvolveJob&, const std::string&)> write) {
    std::string list;
    for (const std::string& word : words) {
        list += (list.empty() ? "" : "|") + word;
    }
    return {{name, list, help},
            ValueKind::Text,
            [read](const ConvolveJob& job) {
                return read(job) == read(ConvolveJob{}) ? std::nullopt : std::optional(read(job));
            },
            [name, list, words = std::move(words),
             write = std::move(write)](ConvolveJob& job, const std::string& text) {
                if (std::find(words.begin(), words.end(), text) == words.end()) {
                    refuse("--" + name + " must be one of " + list + ", not \"" +
                           base::excerpt(text) + "\"");
                }
                write(job, text);
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
    return wordRow(
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
    methods.emplace_back("dif");
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
        wordRow(
            "method", "method that computes the result; auto: the plan chooses", std::move(methods),
            [](const ConvolveJob& job) { return job.run.method; },
            [](ConvolveJob& job, const std::string& text) { job.run.method = text; }),
        sharedRow("tile"),
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
        sharedRow("report", "write the plan, times and statistics of the result"),
    };
}

const std::vector<Row>& rows() {
    static const std::vector<Row> kRows = makeRows();
    return kRows;
}

const Row& rowOf(const std::string& name) {
    for (const Row& row : rows()) {
        if (row.option.name == name) {
            return row;
        }
    }
    refuse("unknown option \"" + base::excerpt(name) + "\" of convolve");
}

void requireSensible(const ConvolveJob& job, const std::set<std::string>& given) {
    if (job.run.planReport.empty()) {
        return;
    }
    for (const std::string& name : detail::plannedOptions()) {
        if (given.contains(name)) {
            detail::refuseBesidePlan(name);
        }
    }
}

/// The text of a value in a job file.
std::string textOf(const Row& row, const Json& value) {
    if (row.kind == ValueKind::Text && value.is_string()) {
        return value.get<std::string>();
    }
    if (row.kind == ValueKind::Integer && value.is_number_integer()) {
        return value.dump();
    }
    refuse("\"" + row.option.name + "\" in a job file must be " +
           (row.kind == ValueKind::Text ? "a text" : "a whole number"));
}

} // namespace

std::vector<ConvolveOption> convolveOptions() {
    std::vector<ConvolveOption> options;
    for (const Row& row : rows()) {
        options.push_back(row.option);
    }
    return options;
}

std::string convolveHelp() {
    std::string text;
    for (const ConvolveOption& option : convolveOptions()) {
        text += detail::helpLine("--" + option.name + " " + option.value, option.help);
    }
    return text;
}

void setConvolveOptions(ConvolveJob& job, const std::map<std::string, std::string>& values) {
    std::set<std::string> given;
    for (const auto& [name, value] : values) {
        rowOf(name).set(job, value);
        given.insert(name);
    }
    requireSensible(job, given);
}

std::string toJobFile(const ConvolveJob& job) {
    Json json{{"command", kCommand}};
    for (const Row& row : rows()) {
        if (const std::optional<std::string> value = row.get(job)) {
            json[row.option.name] =
                row.kind == ValueKind::Integer ? Json::parse(*value) : Json(*value);
        }
    }
    return json.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}

ConvolveJob convolveFromJobFile(std::string_view text) {
    if (base::nestsTooDeep(text)) {
        throw Error(ErrorCode::Input, "the values of the job file are nested more than 100 deep");
    }
    std::set<std::string> keys;
    const auto refuseDoubled = [&](int depth, Json::parse_event_t event, Json& parsed) {
        if (event == Json::parse_event_t::key && depth == 1 &&
            !keys.insert(parsed.get<std::string>()).second) {
            refuse("\"" + base::excerpt(parsed.get<std::string>()) +
                   "\" is given twice in the job file");
        }
        return true;
    };
    Json json;
    try {
        json = Json::parse(text, refuseDoubled);
    } catch (const Json::exception& error) {
        throw Error(ErrorCode::Input, "the job file is not JSON: " + base::excerpt(error.what()));
    }
    if (!json.is_object()) {
        throw Error(ErrorCode::Input, "the job file is not a JSON object of options");
    }
    if (!json.contains("command") || json["command"] != kCommand) {
        refuse("the job file is not one of convolve: it needs \"command\": \"convolve\"");
    }
    json.erase("command");
    std::map<std::string, std::string> values;
    for (const auto& [key, value] : json.items()) {
        values[key] = textOf(rowOf(key), value);
    }
    ConvolveJob job;
    setConvolveOptions(job, values);
    return job;
}

} // namespace flcc::job
