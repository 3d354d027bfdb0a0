#include "app/memory_guard.h"

#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <cxxabi.h>
#include <exception>
#include <new>
#include <typeinfo>

#include <unistd.h>

#include "engine/base/allocation.h"
#include "engine/base/error.h"
#include "engine/io/atomic_file.h"

namespace flcc::app {

namespace {

const char* guardSentence = nullptr;
std::terminate_handler otherwise = nullptr;

/// std::current_exception() would allocate.
bool isMemoryFailure(const std::type_info* exception) {
    return exception != nullptr && (*exception == typeid(std::bad_alloc) ||
                                    *exception == typeid(std::bad_array_new_length));
}

void terminated() {
    if (isMemoryFailure(abi::__cxa_current_exception_type())) {
        endWithoutMemory(guardSentence);
    }
    otherwise();
}

struct sigaction otherwiseAborted {};
struct sigaction otherwiseFaulted {};

/// FFTW and other libraries in C call abort() when malloc fails. That sets errno, and neither
/// printing their message nor abort() changes it.
void aborted(int signal) {
    if (errno == ENOMEM) {
        endWithoutMemory(guardSentence);
    }
    ::sigaction(signal, &otherwiseAborted, nullptr);
    ::raise(signal);
}

/// Other libraries follow the null pointer that malloc returned. A fault elsewhere, or without a
/// failed allocation before, is repeated when this function returns, and ends the program as such.
void faulted(int signal, siginfo_t* facts, void* /*context*/) {
    constexpr std::uintptr_t kNearNull = 1U << 16U;
    if (errno == ENOMEM && reinterpret_cast<std::uintptr_t>(facts->si_addr) < kNearNull) {
        endWithoutMemory(guardSentence);
    }
    ::sigaction(signal, &otherwiseFaulted, nullptr);
}

/// Called where `new` fails: first frees buffers and has it tried again, then lets it throw. With
/// no memory for a small allocation either, ends the process: Qt, VTK and Mesa would go on with
/// what they could not make.
void newFailed() {
    constexpr std::size_t kSmall = std::size_t{1} << 16U;
    base::dropKeptBuffers();
    void* const small = std::malloc(kSmall);
    if (small == nullptr) {
        endWithoutMemory(guardSentence);
    }
    std::free(small);
    // Two calls in a row are two attempts of one allocation, so every other call throws.
    thread_local bool tried = false;
    tried = !tried;
    if (!tried) {
        throw std::bad_alloc();
    }
}

} // namespace

void endWithoutMemory(const char* sentence) noexcept {
    // The lock may be held by a thread that waits for this one.
    io::abandonAtomicFiles(std::chrono::seconds(2));
    (void)!::write(STDERR_FILENO, sentence, std::strlen(sentence));
    std::_Exit(static_cast<int>(base::ErrorCode::Memory));
}

void guardMemory(const char* sentence) {
    guardSentence = sentence;
    otherwise = std::set_terminate(terminated);
    struct sigaction action {};
    action.sa_handler = aborted;
    ::sigaction(SIGABRT, &action, &otherwiseAborted);
    action = {};
    action.sa_sigaction = faulted;
    action.sa_flags = SA_SIGINFO;
    ::sigaction(SIGSEGV, &action, &otherwiseFaulted);
}

void endWhereNewFails() { std::set_new_handler(newFailed); }

} // namespace flcc::app
