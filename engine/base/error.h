#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <stdexcept>
#include <string>
#include <string_view>
#include <variant>

#include "engine/base/extents.h"
#include "engine/base/text.h"

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

/// Class of an error, so that callers can react. The value is the exit code of `flcc-cli`.
enum class ErrorCode : int {
    Internal = 1,    ///< a defect of the program
    CommandLine = 2, ///< an invalid option or parameter
    Input = 3,       ///< a file that cannot be read
    Problem = 4,     ///< readable input that makes an invalid problem
    Memory = 5,      ///< the memory limit is too small
    Device = 6,      ///< the requested device cannot be used
    Output = 7,      ///< a file that cannot be written
};

/// The only exception type of the project. Its sentence holds the values: "template 9x9x1 is larger
/// than scene 5x5x1". It is one line: control characters, as a file name may hold them, become
/// spaces. Cancellation and the refusal of a candidate are return values, never an Error.
class Error : public std::runtime_error {
  public:
    Error(ErrorCode code, const std::string& sentence)
        : std::runtime_error(oneLine(sentence)), m_code(code) {}
    /// An error that programs can say in their own words.
    Error(ErrorCode code, Message message)
        : std::runtime_error(oneLine(message.text())), m_code(code),
          m_wording(std::make_shared<const Wording>(Wording{std::move(message), {}})) {}

    [[nodiscard]] ErrorCode code() const noexcept { return m_code; }

    /// The sentence as a pattern with values, without context(); null for a plain sentence.
    [[nodiscard]] const Message* message() const noexcept {
        return m_wording ? &m_wording->message : nullptr;
    }
    /// What within() put in front of the message.
    [[nodiscard]] std::string context() const {
        return m_wording ? m_wording->context : std::string();
    }

    /// The same error with words in front of its sentence: "scene a.mha: ".
    [[nodiscard]] Error within(const std::string& before) const {
        Error error(m_code, before + what());
        if (m_wording) {
            error.m_wording = std::make_shared<const Wording>(
                Wording{m_wording->message, before + m_wording->context});
        }
        return error;
    }

  private:
    struct Wording {
        Message message;
        std::string context;
    };

    ErrorCode m_code;
    std::shared_ptr<const Wording> m_wording; ///< shared: copying an exception must not throw
};

} // namespace flcc::base
