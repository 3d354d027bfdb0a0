#include "engine/job/options/command_file.h"

#include <set>

#include <nlohmann/json.hpp>

#include "engine/base/error.h"
#include "engine/base/text.h"

namespace flcc::job::detail {

using base::Error;
using base::ErrorCode;
using Json = nlohmann::ordered_json;

namespace {

[[noreturn]] void refuseFile(const std::string& sentence) {
    throw Error(ErrorCode::CommandLine, sentence);
}

std::string textOf(const std::string& name, ValueKind kind, const Json& value) {
    if (kind == ValueKind::Text && value.is_string()) {
        return value.get<std::string>();
    }
    if ((kind == ValueKind::Integer && value.is_number_integer()) ||
        (kind == ValueKind::Number && value.is_number())) {
        return value.dump();
    }
    if (kind == ValueKind::Flag && value.is_boolean()) {
        return value.get<bool>() ? "true" : "false";
    }
    const std::map<ValueKind, std::string> words{{ValueKind::Text, "a text"},
                                                 {ValueKind::Flag, "true or false"},
                                                 {ValueKind::Integer, "a whole number"}};
    const auto word = words.find(kind);
    refuseFile("\"" + name + "\" in a job file must be " +
               (word == words.end() ? "a number" : word->second));
}

} // namespace

std::string commandFile(const std::string& command, const std::vector<FileValue>& values) {
    Json json{{"command", command}};
    for (const FileValue& value : values) {
        json[value.name] =
            value.kind == ValueKind::Text ? Json(value.text) : Json::parse(value.text);
    }
    return json.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}

std::map<std::string, std::string>
readCommandFile(const std::string& command, std::string_view text,
                const std::function<ValueKind(const std::string&)>& kindOf) {
    if (base::nestsTooDeep(text)) {
        throw Error(ErrorCode::Input, "the values of the job file are nested more than 100 deep");
    }
    std::set<std::string> keys;
    const auto refuseDoubled = [&](int depth, Json::parse_event_t event, Json& parsed) {
        if (event == Json::parse_event_t::key && depth == 1 &&
            !keys.insert(parsed.get<std::string>()).second) {
            refuseFile("\"" + base::excerpt(parsed.get<std::string>()) +
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
    if (!json.contains("command") || json["command"] != command) {
        refuseFile("the job file is not one of " + command + ": it needs \"command\": \"" +
                   command + "\"");
    }
    json.erase("command");
    std::map<std::string, std::string> values;
    for (const auto& [key, value] : json.items()) {
        values[key] = textOf(key, kindOf(key), value);
    }
    return values;
}

} // namespace flcc::job::detail
