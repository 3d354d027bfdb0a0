#include "engine/job/options/job_file.h"

#include <set>
#include <utility>

#include <nlohmann/json.hpp>

#include "engine/base/error.h"
#include "engine/base/text.h"
#include "engine/job/any_job.h"
#include "engine/job/report/text.h"
#include "engine/job/report/text_file.h"

namespace flcc::job {

using base::Error;
using base::ErrorCode;
using Json = nlohmann::ordered_json;

std::string readJobFile(const std::filesystem::path& path) {
    return detail::readTextFile(path, "job file");
}

std::string jobFileCommand(std::string_view text) {
    if (base::nestsTooDeep(text)) {
        return "match";
    }
    constexpr bool kThrows = false;
    const Json json = Json::parse(text, nullptr, kThrows);
    const auto command = json.is_object() ? json.find("command") : json.end();
    return json.is_object() && command != json.end() && command->is_string()
               ? command->get<std::string>()
               : "match";
}

namespace detail {

namespace {

[[noreturn]] void refuseFile(const std::string& sentence) {
    throw Error(ErrorCode::CommandLine, sentence);
}

Json toJson(const FileValue& value) {
    if (value.texts.size() > 1) {
        Json texts = Json::array();
        for (const std::string& text : value.texts) {
            texts.push_back(base::storedText(text));
        }
        return texts;
    }
    const std::string& text = value.texts.front();
    if (value.kind == ValueKind::Flag) {
        return text == "true";
    }
    const bool word = value.kind == ValueKind::NumberOrText && !Json::accept(text);
    return value.kind == ValueKind::Text || word ? Json(base::storedText(text)) : Json::parse(text);
}

/// The text of a value that is no list; refuses one of the wrong type.
std::string textOf(const std::string& name, ValueKind kind, const Json& value) {
    const bool number =
        kind == ValueKind::Integer || kind == ValueKind::Number || kind == ValueKind::NumberOrText;
    const bool text = kind == ValueKind::Text || kind == ValueKind::NumberOrText;
    if (text && value.is_string()) {
        return base::restoredText(value.get<std::string>());
    }
    if (kind == ValueKind::Flag && value.is_boolean()) {
        return value.get<bool>() ? "true" : "false";
    }
    if (number && value.is_number_float()) {
        return shortest(value.get<double>());
    }
    if (number && value.is_number()) {
        return value.dump();
    }
    refuseFile("\"" + name + "\" in a job file must be " +
               (kind == ValueKind::Flag ? "true or false" : (text ? "a text" : "a number")));
}

std::vector<std::string> textsOf(const std::string& name, const Json& value) {
    std::vector<std::string> texts;
    for (const Json& each : value.is_array() ? value : Json::array({value})) {
        if (!each.is_string()) {
            refuseFile("\"" + name + "\" in a job file must be a text or a list of texts");
        }
        texts.push_back(base::restoredText(each.get<std::string>()));
    }
    return texts;
}

Json parseObject(std::string_view text) {
    std::set<std::string> keys;
    const auto refuseDoubledKeys = [&](int depth, Json::parse_event_t event, Json& parsed) {
        if (event == Json::parse_event_t::key && depth == 1 &&
            !keys.insert(parsed.get<std::string>()).second) {
            refuseFile("\"" + base::excerpt(parsed.get<std::string>()) +
                       "\" is given twice in the job file");
        }
        return true;
    };
    if (base::nestsTooDeep(text)) {
        throw Error(ErrorCode::Input, "the values of the job file are nested more than 100 deep, "
                                      "or one has more than 10000 keys");
    }
    Json json;
    try {
        json = Json::parse(text, refuseDoubledKeys);
    } catch (const Json::exception& error) {
        throw Error(ErrorCode::Input, "the job file is not JSON: " + base::excerpt(error.what()));
    }
    if (!json.is_object()) {
        throw Error(ErrorCode::Input, "the job file is not a JSON object of options");
    }
    return json;
}

/// Job files of match may lack the key "command".
bool isOf(const std::string& command, const Json& json) {
    const auto found = json.find("command");
    return found == json.end() ? command == "match" : *found == command;
}

} // namespace

std::string jobFile(const std::string& command, const std::vector<FileValue>& values) {
    Json json = Json::object();
    if (command != "match") {
        json["command"] = command;
    }
    for (const FileValue& value : values) {
        json[value.name] = toJson(value);
    }
    return json.dump(2) + "\n";
}

GivenOptions
valuesOfJobFile(const std::string& command, std::string_view text,
                const std::function<std::optional<FileShape>(std::string_view)>& shapeOf) {
    Json json = parseObject(text);
    if (const std::string own = jobFileCommand(text); !isOf(command, json) && command == "match") {
        refuseFile("the job file is one of " + own + ", not of match; run flcc-cli " + own +
                   " --job");
    }
    if (!isOf(command, json)) {
        refuseFile("the job file is not one of " + command + ": it needs \"command\": \"" +
                   command + "\"");
    }
    json.erase("command");
    GivenOptions values;
    for (const auto& [key, value] : json.items()) {
        const std::optional<FileShape> shape = shapeOf(key);
        if (!shape) {
            refuseFile("unknown option \"" + base::excerpt(key) + "\" in the job file");
        }
        values[key] =
            shape->repeats ? textsOf(key, value) : std::vector{textOf(key, shape->kind, value)};
    }
    return values;
}

} // namespace detail

} // namespace flcc::job
