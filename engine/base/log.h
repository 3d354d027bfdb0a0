#pragma once

#include <functional>
#include <string_view>

namespace flcc::base {

enum class LogLevel { Debug, Info, Warning, Error };

/// Writes one line to the log. The log is for details; an error that a person must act on is thrown
/// as an Error.
void log(LogLevel level, std::string_view line);

/// Drops lines below `level`. The initial level is Warning.
void setLogLevel(LogLevel level);

/// Passes every line that is not dropped to `listener` too (the window's log tab). An empty
/// listener ends that. **Threads**: `listener` is called on the thread that logs.
void setLogListener(std::function<void(LogLevel, std::string_view)> listener);

} // namespace flcc::base
