#pragma once

#include <memory>
#include <stdexcept>
#include <string>

#include "engine/base/message.h"
#include "engine/base/text.h"

namespace flcc::base {

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
