#include "engine/base/error.h"

#include <utility>

namespace flcc::base {

namespace {

std::string plainValue(const Message::Value& value) {
    struct Plain {
        std::string operator()(const std::string& text) const { return text; }
        std::string operator()(std::int64_t number) const { return std::to_string(number); }
        std::string operator()(const Extents& extents) const { return toString(extents); }
    };
    return std::visit(Plain{}, value);
}

std::string plainOption(std::string_view name, std::string_view word) {
    std::string text = "--" + std::string(name);
    return word.empty() ? text : text + " " + std::string(word);
}

} // namespace

Message::Message(std::string key, std::string pattern, Values values)
    : m_key(std::move(key)), m_pattern(std::move(pattern)), m_values(std::move(values)) {}

std::string Message::say(std::string_view pattern, const Words& words) const {
    std::string text;
    while (!pattern.empty()) {
        const std::size_t open = pattern.find('{');
        const std::size_t close = pattern.find('}', open);
        if (close == std::string_view::npos) {
            break;
        }
        text += pattern.substr(0, open);
        const std::string_view name = pattern.substr(open + 1, close - open - 1);
        const auto value = m_values.find(name);
        if (name.starts_with("--")) {
            const std::size_t space = name.find(' ');
            text += words.option(name.substr(2, space - 2),
                                 space == std::string_view::npos ? "" : name.substr(space + 1));
        } else if (value != m_values.end()) {
            text += words.value(value->second);
        } else {
            text += pattern.substr(open, close - open + 1);
        }
        pattern.remove_prefix(close + 1);
    }
    return text + std::string(pattern);
}

std::string Message::text() const { return say({plainValue, plainOption}); }

} // namespace flcc::base
