#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <string_view>
#include <variant>

#include "engine/base/extents.h"

namespace flcc::base {

/// A sentence for people as a pattern and the values that it names, so that a program can say it in
/// its own words and language.
class Message {
  public:
    using Value = std::variant<std::string, std::int64_t, Extents>;
    using Values = std::map<std::string, Value, std::less<>>;

    /// `key` is the same for all sentences of one kind and never changes: "memory-too-small". In
    /// the English `pattern`, `{name}` stands for a value and `{--name}`, or `{--name word}`, for
    /// an option of the command line.
    Message(std::string key, std::string pattern, Values values = {});

    [[nodiscard]] const std::string& key() const { return m_key; }
    [[nodiscard]] const std::string& pattern() const { return m_pattern; }
    [[nodiscard]] const Values& values() const { return m_values; }

    /// How a program writes what a pattern names.
    struct Words {
        std::function<std::string(const Value&)> value;
        /// `name` without dashes; `word` is its value or empty.
        std::function<std::string(std::string_view name, std::string_view word)> option;
    };
    /// The pattern, or a translation of it, in the words of a program. A name without a value stays
    /// as it is.
    [[nodiscard]] std::string say(const Words& words) const { return say(m_pattern, words); }
    [[nodiscard]] std::string say(std::string_view pattern, const Words& words) const;

    /// In plain English, as the command line writes it.
    [[nodiscard]] std::string text() const;

  private:
    std::string m_key;
    std::string m_pattern;
    Values m_values;
};

} // namespace flcc::base
