#include "engine/base/log.h"

#include <mutex>
#include <utility>

#include <spdlog/sinks/stdout_color_sinks.h>
#include <spdlog/spdlog.h>

namespace flcc::base {

namespace {

struct Log {
    std::mutex mutex;
    std::function<void(LogLevel, std::string_view)> listener;
    LogLevel level = LogLevel::Warning;
    std::shared_ptr<spdlog::logger> logger = [] {
        auto made = std::make_shared<spdlog::logger>(
            "flcc", std::make_shared<spdlog::sinks::stderr_color_sink_mt>());
        made->set_pattern("%H:%M:%S %^%l%$ %v");
        made->set_level(spdlog::level::trace);
        return made;
    }();
};

Log& theLog() {
    static Log instance;
    return instance;
}

spdlog::level::level_enum toSpdlog(LogLevel level) {
    switch (level) {
    case LogLevel::Debug:
        return spdlog::level::debug;
    case LogLevel::Info:
        return spdlog::level::info;
    case LogLevel::Warning:
        return spdlog::level::warn;
    case LogLevel::Error:
        break;
    }
    return spdlog::level::err;
}

} // namespace

void log(LogLevel level, std::string_view line) {
    Log& log = theLog();
    std::function<void(LogLevel, std::string_view)> listener;
    {
        const std::lock_guard lock(log.mutex);
        if (level < log.level) {
            return;
        }
        listener = log.listener;
    }
    log.logger->log(toSpdlog(level), "{}", line);
    if (listener) {
        listener(level, line);
    }
}

void setLogLevel(LogLevel level) {
    const std::lock_guard lock(theLog().mutex);
    theLog().level = level;
}

void setLogListener(std::function<void(LogLevel, std::string_view)> listener) {
    const std::lock_guard lock(theLog().mutex);
    theLog().listener = std::move(listener);
}

} // namespace flcc::base
