#include "engine/library/detail/guard.h"

#include <algorithm>
#include <array>
#include <cstring>

#include "engine/base/allocation.h"

namespace flcc::library {

namespace {

thread_local std::array<char, 1024> lastError{};

} // namespace

flcc_code keepError(flcc_code code, const char* sentence) noexcept {
    const std::size_t length = std::min(std::strlen(sentence), lastError.size() - 1);
    std::memcpy(lastError.data(), sentence, length);
    lastError[length] = '\0';
    return code;
}

flcc_code codeOf(base::ErrorCode code) noexcept {
    switch (code) {
    case base::ErrorCode::CommandLine:
        return FLCC_ARGUMENT;
    case base::ErrorCode::Problem:
        return FLCC_PROBLEM;
    case base::ErrorCode::Memory:
        return FLCC_MEMORY;
    default: // no function reads or writes files or uses a device
        return FLCC_INTERNAL;
    }
}

} // namespace flcc::library

void* flcc_malloc(size_t bytes) {
    void* data = nullptr;
    (void)flcc::library::guarded([&] { data = flcc::base::allocateBuffer(bytes); });
    return data;
}

void flcc_free(void* data) {
    if (data != nullptr) {
        flcc::base::releaseBuffer(data);
    }
}

const char* flcc_last_error(void) { return flcc::library::lastError.data(); }
