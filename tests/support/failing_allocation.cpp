// A library for LD_PRELOAD that lets allocations of a program fail. It counts the calls of malloc
// and its kin from the start of the process, those of `new` included. The environment says which
// fail:
//
//     FLCC_FAIL_AT=N        the N-th call fails (counted from 1); 0 or missing: none
//     FLCC_FAIL_FROM=1      all later calls fail as well
//     FLCC_FAIL_COUNT=FILE  when the process ends, the number of its calls is written to FILE

#include <atomic>
#include <cerrno>
#include <cstddef>
#include <cstdio>
#include <cstdlib>

#include <fcntl.h>
#include <unistd.h>

// The allocator of the C library under the names that it keeps for its own use.
extern "C" {
void* __libc_malloc(std::size_t bytes);
void* __libc_calloc(std::size_t count, std::size_t bytes);
void* __libc_realloc(void* data, std::size_t bytes);
void* __libc_memalign(std::size_t alignment, std::size_t bytes);
}

namespace {

std::atomic<long> calls{0};
long failAt = 0;
bool andAllLater = false;

bool fails() {
    const long call = ++calls;
    const bool failing = failAt > 0 && (andAllLater ? call >= failAt : call == failAt);
    if (failing) {
        errno = ENOMEM;
    }
    return failing;
}

__attribute__((constructor)) void readEnvironment() {
    const char* const at = std::getenv("FLCC_FAIL_AT");
    andAllLater = std::getenv("FLCC_FAIL_FROM") != nullptr;
    failAt = at == nullptr ? 0 : std::atol(at);
}

__attribute__((destructor)) void writeCount() {
    const char* const file = std::getenv("FLCC_FAIL_COUNT");
    const int out = file == nullptr ? -1 : ::open(file, O_CREAT | O_TRUNC | O_WRONLY, 0600);
    if (out >= 0) {
        char text[32];
        const int length = std::snprintf(text, sizeof(text), "%ld\n", calls.load());
        (void)!::write(out, text, static_cast<std::size_t>(length));
        ::close(out);
    }
}

} // namespace

extern "C" {

__attribute__((visibility("default"))) void* malloc(std::size_t bytes) {
    return fails() ? nullptr : __libc_malloc(bytes);
}

__attribute__((visibility("default"))) void* calloc(std::size_t count, std::size_t bytes) {
    return fails() ? nullptr : __libc_calloc(count, bytes);
}

__attribute__((visibility("default"))) void* realloc(void* data, std::size_t bytes) {
    return fails() ? nullptr : __libc_realloc(data, bytes);
}

__attribute__((visibility("default"))) void* memalign(std::size_t alignment, std::size_t bytes) {
    return fails() ? nullptr : __libc_memalign(alignment, bytes);
}

__attribute__((visibility("default"))) void* aligned_alloc(std::size_t alignment,
                                                           std::size_t bytes) {
    return memalign(alignment, bytes);
}

__attribute__((visibility("default"))) int posix_memalign(void** data, std::size_t alignment,
                                                          std::size_t bytes) {
    void* const made = memalign(alignment, bytes);
    if (made == nullptr) {
        return ENOMEM;
    }
    *data = made;
    return 0;
}

} // extern "C"
