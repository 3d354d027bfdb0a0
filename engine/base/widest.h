#pragma once

namespace flcc::base {

// A sanitizer watches what a loop does, which is the same for all vectors: it gets one kind, which
// takes less time to compile.
#if defined(__x86_64__) && !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)
namespace detail {

// Flattened, so that everything that the loop calls is compiled for the same instructions.
template <class Body>
[[gnu::flatten, gnu::target("avx512f,avx512bw,avx512dq,avx512vl,avx2,fma")]] void
inAvx512(const Body& body) {
    body();
}
template <class Body> [[gnu::flatten, gnu::target("avx2,fma")]] void inAvx2(const Body& body) {
    body();
}

} // namespace detail
#endif

/// Runs `body()`, loops that the compiler makes vectors of, compiled for the widest vectors of this
/// processor. For loops too simple to be written in vectors by hand. Results have the same bits on
/// every processor if the file is compiled without contraction of products and sums.
template <class Body> void inWidest(const Body& body) {
#if defined(__x86_64__) && !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)
    static const bool medium =
        __builtin_cpu_supports("avx2") != 0 && __builtin_cpu_supports("fma") != 0;
    static const bool wide = medium && __builtin_cpu_supports("avx512f") != 0 &&
                             __builtin_cpu_supports("avx512bw") != 0 &&
                             __builtin_cpu_supports("avx512dq") != 0 &&
                             __builtin_cpu_supports("avx512vl") != 0;
    if (wide) {
        detail::inAvx512(body);
        return;
    }
    if (medium) {
        detail::inAvx2(body);
        return;
    }
#endif
    body();
}

} // namespace flcc::base
