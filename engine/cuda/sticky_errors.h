#pragma once

#include "engine/cuda/plugin.h"

namespace flcc::cuda {

/// Whether every further call of the process for the device gives the same error. By the numbers of
/// the CUDA runtime, as older toolkits have no names for some.
[[nodiscard]] constexpr bool isStickyError(Result result) {
    switch (result) {
    case 214: // memory whose bits cannot be corrected
    case 220: // NVLink
    case 226: // contained
    case 700: // an illegal address
    case 702: // a launch that took too long
    case 710: // an assertion
    case 714: // stack
    case 715: // an illegal instruction
    case 716: // a misaligned address
    case 717: // an invalid address space
    case 718: // an invalid program counter
    case 719: // a failed launch
    case 721: // tensor memory that was not given back
    case 810: // a client that its server ended
    case 911: // a device outside of CUDA
    case 999: // unknown
        return true;
    default:
        return false;
    }
}

/// What to tell of a failed call of a library: that the device is lost, which libraries have other
/// names for; an error that the call left on the thread; what the library itself says.
[[nodiscard]] constexpr Result tellingError(Result ofDevice, Result ofThread, Result ofLibrary) {
    return isStickyError(ofDevice) ? ofDevice : ofThread != 0 ? ofThread : ofLibrary;
}

} // namespace flcc::cuda
