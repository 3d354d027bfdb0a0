#pragma once

#include <new>
#include <stdexcept>

#include "engine/base/error.h"
#include "engine/library/flcc.h"

namespace flcc::library {

/// Keeps the sentence of an error for flcc_last_error(); allocates nothing. Returns `code`.
flcc_code keepError(flcc_code code, const char* sentence) noexcept;

/// The code of the C interface for an error of the engine.
[[nodiscard]] flcc_code codeOf(base::ErrorCode code) noexcept;

/// Runs `work` and turns its exception into a code and a sentence: no exception crosses the C
/// interface.
template <class Work> flcc_code guarded(const Work& work) noexcept {
    try {
        work();
        return keepError(FLCC_OK, "");
    } catch (const base::Error& error) {
        return keepError(codeOf(error.code()), error.what());
    } catch (const std::bad_alloc&) {
        return keepError(FLCC_MEMORY, "the system has not enough memory");
    } catch (const std::length_error&) { // of a vector that would be larger than any memory
        return keepError(FLCC_MEMORY, "the system has not enough memory");
    } catch (const std::exception& error) {
        return keepError(FLCC_INTERNAL, error.what());
    } catch (...) {
        return keepError(FLCC_INTERNAL, "an unknown exception");
    }
}

/// **Errors**: CommandLine, naming the argument, if `pointer` is null.
inline void requirePointer(const void* pointer, const char* argument) {
    if (pointer == nullptr) {
        throw base::Error(base::ErrorCode::CommandLine,
                          std::string("argument ") + argument + " is a null pointer");
    }
}

} // namespace flcc::library
