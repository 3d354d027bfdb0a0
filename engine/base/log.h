#pragma once

#include <functional>
#include <string_view>

namespace flcc::base {

enum class LogLevel { Debug, Info, Warning, Error };

/// Writes one line to the log. Details go here; what a person must act on is an Error.
void log(LogLevel level, std::string_view line);

/// Lines below this level are dropped; Warning at first.
void setLogLevel(LogLevel level);

/// Also hands every line that passes the level to `listener` (the window's log tab); an empty one
/// ends that. **Threads**: called on the thread that logs.
void setLogListener(std::function<void(LogLevel, std::string_view)> listener);

} // namespace flcc::base
