#pragma once

#include <cerrno>
#include <new>

#include "engine/base/error.h"

namespace flcc::io::detail {

/// Runs `work`, and throws std::bad_alloc instead of an error that a failed allocation caused:
/// libraries, and streams of the standard library, report one as a damaged file or as a failed
/// write. malloc has then set errno to ENOMEM, and calls that succeed do not change errno.
template <class Work> auto withMemoryErrors(const Work& work) {
    errno = 0;
    try {
        return work();
    } catch (const base::Error&) {
        if (errno == ENOMEM) {
            throw std::bad_alloc();
        }
        throw;
    }
}

} // namespace flcc::io::detail
