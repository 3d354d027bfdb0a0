#pragma once

namespace flcc::test {

/// True under a sanitizer. It finds wrong reads, writes and locks, which cases that differ only in
/// numbers have in common, and it makes each case about ten times as long: run fewer of them.
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
inline constexpr bool kSanitized = true;
#else
inline constexpr bool kSanitized = false;
#endif

} // namespace flcc::test
