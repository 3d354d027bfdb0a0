#pragma once

#include <stdexcept>
#include <string>

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

    [[nodiscard]] ErrorCode code() const noexcept { return m_code; }

  private:
    ErrorCode m_code;
};

} // namespace flcc::base
