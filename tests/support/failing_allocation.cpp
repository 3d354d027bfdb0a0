// A library for LD_PRELOAD that lets allocations of a program fail. It counts the calls of malloc
// and its kin, those of `new` included, from where the libraries of the process are loaded: libhwy
// allocates there until its clock is steady, which is a matter of chance. The environment says
// which fail:
//
//     FLCC_FAIL_AT=N        the N-th call fails (counted from 1); 0 or missing: none
//     FLCC_FAIL_FROM=1      all later calls fail as well
//     FLCC_FAIL_COUNT=FILE  when the process ends, the number of its calls is written to FILE
//
// Calls that libraries make themselves which do not stand it succeed, and the next call fails in
// their place: the OpenGL drivers of Mesa end with a segmentation fault, fontconfig tries for ever,
// and where xcb has no memory the connection to the display is lost, which Qt answers by exit().

#include <atomic>
#include <cerrno>
#include <cstddef>
#include <cstdio>
#include <cstdlib>
#include <cstring>

#include <dlfcn.h>
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
std::atomic<long> failAt{0};
std::atomic<bool> isLoaded{false};
bool andAllLater = false;

/// Whether the code at this address is part of a library that does not stand a failure.
bool isFragile(const void* caller) {
    Dl_info info{};
    if (::dladdr(caller, &info) == 0 || info.dli_fname == nullptr) {
        return false;
    }
    for (const char* const name : {"_dri.so", "libGLX", "libEGL", "libgallium", "libLLVM",
                                   "libfontconfig", "libxcb", "libX11"}) {
        if (std::strstr(info.dli_fname, name) != nullptr) {
            return true;
        }
    }
    return false;
}

bool fails(const void* caller) {
    if (!isLoaded) {
        return false;
    }
    const long call = ++calls;
    const long at = failAt;
    const bool failing = at > 0 && (andAllLater ? call >= at : call == at);
    if (!failing) {
        return false;
    }
    if (isFragile(caller)) {
        if (!andAllLater) {
            failAt = call + 1;
        }
        return false;
    }
    errno = ENOMEM;
    return true;
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
    return fails(__builtin_return_address(0)) ? nullptr : __libc_malloc(bytes);
}

__attribute__((visibility("default"))) void* calloc(std::size_t count, std::size_t bytes) {
    return fails(__builtin_return_address(0)) ? nullptr : __libc_calloc(count, bytes);
}

__attribute__((visibility("default"))) void* realloc(void* data, std::size_t bytes) {
    return fails(__builtin_return_address(0)) ? nullptr : __libc_realloc(data, bytes);
}

__attribute__((visibility("default"))) void* memalign(std::size_t alignment, std::size_t bytes) {
    return fails(__builtin_return_address(0)) ? nullptr : __libc_memalign(alignment, bytes);
}

__attribute__((visibility("default"))) void* aligned_alloc(std::size_t alignment,
                                                           std::size_t bytes) {
    return fails(__builtin_return_address(0)) ? nullptr : __libc_memalign(alignment, bytes);
}

__attribute__((visibility("default"))) int posix_memalign(void** data, std::size_t alignment,
                                                          std::size_t bytes) {
    void* const made =
        fails(__builtin_return_address(0)) ? nullptr : __libc_memalign(alignment, bytes);
    if (made == nullptr) {
        return ENOMEM;
    }
    *data = made;
    return 0;
}

/// Called by the start of every program, after the libraries were initialised.
__attribute__((visibility("default"))) int __libc_start_main(int (*main)(int, char**, char**),
                                                             int count, char** arguments,
                                                             void (*init)(), void (*finish)(),
                                                             void (*unload)(), void* stackEnd) {
    isLoaded = true;
    const auto start =
        reinterpret_cast<decltype(&__libc_start_main)>(::dlsym(RTLD_NEXT, "__libc_start_main"));
    return start(main, count, arguments, init, finish, unload, stackEnd);
}

} // extern "C"
