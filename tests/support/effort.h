#pragma once

namespace flcc::test {

/// True under a sanitizer. A sanitizer finds wrong reads, writes and locks, which cases that differ
/// only in numbers have in common, and makes each case about ten times as long: run fewer of them.
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
inline constexpr bool kSanitized = true;
#else
inline constexpr bool kSanitized = false;
#endif

/// Says which cases of a list are run: all, but every n-th under a sanitizer, the first among them.
class Thinned {
  public:
    explicit Thinned(int n) : m_n(n) {}

    /// True if the next case is run.
    [[nodiscard]] bool next() { return !kSanitized || m_count++ % m_n == 0; }

  private:
    int m_n;
    int m_count = 0;
};

} // namespace flcc::test
