#pragma once

#include <new>
#include <string>

#include "engine/base/error.h"
#include "engine/job/report/machine.h"
#include "engine/job/report/text.h"

namespace flcc::job::detail {

/// Calls `body` and turns a failed allocation into an Error. `what` runs: "this convolution";
/// `smaller` says what needs less memory.
template <class Body>
auto withMemoryErrors(const std::string& what, const std::string& smaller, const Body& body) {
    try {
        return body();
    } catch (const std::bad_alloc&) {
        throw base::Error(base::ErrorCode::Memory, "the machine has too little free memory for " +
                                                       what + " (" + bytesText(availableMemory()) +
                                                       " left); close other programs or " +
                                                       smaller);
    }
}

} // namespace flcc::job::detail
