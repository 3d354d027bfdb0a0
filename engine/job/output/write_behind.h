#pragma once

#include <functional>
#include <future>
#include <utility>

namespace flcc::job::detail {

/// Writes the results of one frame on a thread of its own while the next frame is computed. At most
/// one frame waits. **Threads**: one thread calls; the destructor waits until the frame is written.
class WriteBehind {
  public:
    /// Writes; false if cancelled. What it uses must outlive this object.
    using Write = std::function<bool()>;

    /// Whether there is memory for what is written beside the next frame; else start() returns when
    /// it is written.
    void setBeside(bool beside) { m_beside = beside; }

    /// Waits until the last one is written. False if it was cancelled. **Errors**: its own.
    [[nodiscard]] bool settle() { return !m_writing.valid() || m_writing.get(); }

    /// Begins to write. Call settle() before. **Errors**: those of `write`, without memory beside.
    [[nodiscard]] bool start(Write write) {
        m_writing = std::async(std::launch::async, std::move(write));
        return m_beside || settle();
    }

  private:
    bool m_beside = false;
    std::future<bool> m_writing;
};

} // namespace flcc::job::detail
