#pragma once

#include <stdexcept>
#include <string>

namespace flcc::base {

/// What went wrong, in the classes a caller can act on. The value is the exit code of `flcc-cli`.
enum class ErrorCode : int {
    Internal = 1,    ///< a defect of the program
    CommandLine = 2, ///< an option or parameter that cannot be understood
    Input = 3,       ///< a file that cannot be read
    Problem = 4,     ///< readable input that poses an invalid problem
    Memory = 5,      ///< does not fit the memory limit
    Device = 6,      ///< the device asked for cannot be used
    Output = 7,      ///< a file that cannot be written
};

/// The one error type. Its sentence holds the values: "template 9x9x1 is larger than scene 5x5x1".
/// Cancellation and refusal of a candidate are results, never an Error.
class Error : public std::runtime_error {
  public:
    Error(ErrorCode code, const std::string& sentence)
        : std::runtime_error(sentence), m_code(code) {}

    [[nodiscard]] ErrorCode code() const noexcept { return m_code; }

  private:
    ErrorCode m_code;
};

} // namespace flcc::base
