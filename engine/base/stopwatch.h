#pragma once

#include <chrono>

namespace flcc::base {

/// Time since construction, from a steady clock.
class Stopwatch {
  public:
    [[nodiscard]] double ns() const {
        return std::chrono::duration<double, std::nano>(Clock::now() - m_start).count();
    }
    [[nodiscard]] double ms() const { return 1e-6 * ns(); }

  private:
    using Clock = std::chrono::steady_clock;
    Clock::time_point m_start = Clock::now();
};

} // namespace flcc::base
