#pragma once

#include <new>
#include <string>

#include "engine/base/error.h"
#include "engine/base/text.h"
#include "engine/job/report/machine.h"

namespace flcc::job::detail {

/// Calls `body` and turns a failed allocation into an Error. `what` runs: "this convolution";
/// `smaller` says what needs less memory.
template <class Body>
auto withMemoryErrors(const std::string& what, const std::string& smaller, const Body& body) {
    try {
        return body();
    } catch (const std::bad_alloc&) {
        throw base::Error(base::ErrorCode::Memory,
                          base::Message("too-little-free-memory",
                                        "the machine has too little free memory for " + what +
                                            " ({left} left); close other programs or " + smaller,
                                        {{"left", base::bytesText(availableMemory())}}));
    }
}

} // namespace flcc::job::detail
