#include "app/cli_progress.h"

#include <unistd.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>
#include <iostream>
#include <string>

#include "engine/base/log.h"
#include "engine/features/detector.h"

namespace flcc::app {

void ProgressBar::sceneStarted(const job::SceneTurn& at) {
    m_scene = (at.isFrame ? " frame " : " ") + std::to_string(at.turn + 1) + "/" +
              std::to_string(at.count);
    base::log(base::LogLevel::Info,
              (at.isFrame ? "frame" : "scene") + m_scene + ": " + at.scene.string());
}

void ProgressBar::doing(std::string_view word) {
    base::log(base::LogLevel::Info, word);
    label(std::string(word) + m_scene);
}

void ProgressBar::found(double sigma, std::span<const features::Blob> blobs) {
    base::log(base::LogLevel::Info, "sigma " + std::to_string(sigma) + ": " +
                                        std::to_string(blobs.size()) + " maxima so far");
}

void ProgressBar::label(std::string_view text) {
    const std::lock_guard lock(m_mutex);
    m_label = text;
    m_last = {};
    m_speed.clear();
    m_firstMembers = 0;
}

void ProgressBar::searched(std::int64_t members, std::int64_t of) {
    const std::lock_guard lock(m_mutex);
    const auto now = std::chrono::steady_clock::now();
    if (m_firstMembers == 0) { // which may be those of an earlier run
        m_firstMembers = members;
        m_firstTime = now;
        return;
    }
    const double seconds = std::chrono::duration<double>(now - m_firstTime).count();
    const double speed = static_cast<double>(members - m_firstMembers) / std::max(seconds, 1e-3);
    const auto left =
        static_cast<std::int64_t>(std::ceil(static_cast<double>(of - members) / speed));
    std::array<char, 80> text{};
    (void)std::snprintf(text.data(), text.size(), "%.3g orientations/s, %lld:%02lld min left ",
                        speed, static_cast<long long>(left / 60),
                        static_cast<long long>(left % 60));
    m_speed = text.data();
}

void ProgressBar::progress(double share) {
    constexpr std::size_t kWidth = 30;
    constexpr std::size_t kLongestPhase = 13;
    const std::lock_guard lock(m_mutex);
    const auto now = std::chrono::steady_clock::now();
    if (!m_visible || now - m_last < std::chrono::milliseconds(50)) {
        return;
    }
    m_last = now;
    m_drawn = true;
    const double part = std::clamp(share, 0.0, 1.0);
    const auto full = static_cast<std::size_t>(part * kWidth);
    std::string label = m_label;
    label.resize(std::max(label.size(), kLongestPhase), ' ');
    std::cerr << '\r' + label + " [" + std::string(full, '#') + std::string(kWidth - full, '.') +
                     "] " + std::to_string(static_cast<int>(part * 100)) + " % " + m_speed +
                     "\033[K"
              << std::flush;
}

void ProgressBar::clear() {
    const std::lock_guard lock(m_mutex);
    if (m_drawn) {
        std::cerr << "\r\033[K" << std::flush;
        m_drawn = false;
    }
}

WorkProgress::WorkProgress(bool visible) : m_visible(visible), m_terminal(errorIsTerminal()) {}

void WorkProgress::operator()(std::string_view doing, double share) {
    if (!m_visible || (!m_terminal && doing == m_doing)) {
        return;
    }
    m_doing = doing;
    std::string line(doing);
    if (m_terminal) {
        line = "\r\033[K" + line + " " + std::to_string(static_cast<int>(share * 100)) + " %";
        m_drawn = true;
    } else {
        line += "\n";
    }
    std::cerr << line << std::flush;
}

void WorkProgress::clear() {
    if (m_drawn) {
        std::cerr << "\r\033[K" << std::flush;
        m_drawn = false;
    }
}

bool errorIsTerminal() { return ::isatty(STDERR_FILENO) == 1; }

} // namespace flcc::app
