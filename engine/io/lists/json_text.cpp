#include "engine/io/lists/json_text.h"

#include "engine/base/text.h"
#include "engine/io/files/paths.h"

namespace flcc::io::detail::lists {

namespace {

template <class Change> void changeTexts(JsonValue& json, const Change& change) {
    if (json.is_string()) {
        json = change(json.get_ref<const std::string&>());
    } else if (json.is_structured()) {
        for (JsonValue& each : json) {
            changeTexts(each, change);
        }
    }
}

} // namespace

std::string dumped(JsonValue json) {
    changeTexts(json, [](const std::string& text) { return base::storedText(text); });
    return json.dump(2, ' ', false, JsonValue::error_handler_t::replace) + "\n";
}

void parsed(std::string_view text, const std::filesystem::path& name,
            const std::function<void(const JsonValue&)>& take) {
    if (base::nestsTooDeep(text)) {
        failInput(name, "its brackets are nested too deep, or an object has more than 10000 keys");
    }
    try {
        JsonValue document = JsonValue::parse(text);
        changeTexts(document, [](const std::string& each) { return base::restoredText(each); });
        take(document);
    } catch (const JsonValue::exception& error) {
        failInput(name, "it is not a list in JSON: " + base::excerpt(error.what()));
    }
}

base::Point pointOf(const JsonValue& json) {
    return {json.at(0).get<double>(), json.at(1).get<double>(), json.at(2).get<double>()};
}

} // namespace flcc::io::detail::lists
