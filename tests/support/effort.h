#pragma once

namespace flcc::test {

/// Whether a sanitizer looks on. It looks at reads, writes and locks, which many cases with other
/// numbers in them have in common, and it makes each case ten times as long.
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
inline constexpr bool kSanitized = true;
#else
inline constexpr bool kSanitized = false;
#endif

/// How many of `all` cases that differ by numbers only are run: a tenth under a sanitizer.
[[nodiscard]] constexpr int casesOf(int all) { return kSanitized ? (all + 9) / 10 : all; }

} // namespace flcc::test
