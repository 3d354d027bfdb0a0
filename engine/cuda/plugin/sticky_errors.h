#pragma once

#include "engine/cuda/plugin/plugin.h"

namespace flcc::cuda {

/// True if every later call of the process for the device returns the same error. The cases are
/// numbers of cudaError_t, because older toolkits have no names for some of them.
[[nodiscard]] constexpr bool isStickyError(Result result) {
    switch (result) {
    case 214: // uncorrectable ECC error
    case 220: // uncorrectable NVLink error
    case 226: // contained error
    case 700: // illegal address
    case 702: // launch timeout
    case 710: // assertion in a kernel
    case 714: // hardware stack error
    case 715: // illegal instruction
    case 716: // misaligned address
    case 717: // invalid address space
    case 718: // invalid program counter
    case 719: // failed launch
    case 721: // tensor memory leak
    case 810: // client terminated by the MPS server
    case 911: // error of a device outside CUDA
    case 999: // unknown error
        return true;
    default:
        return false;
    }
}

/// The error to report for a failed call of a library such as cuFFT: a sticky error of the device,
/// since libraries report a lost device by errors of their own; else the error of the CUDA runtime
/// that the call left on the thread; else the library's error.
[[nodiscard]] constexpr Result tellingError(Result ofDevice, Result ofThread, Result ofLibrary) {
    return isStickyError(ofDevice) ? ofDevice : ofThread != 0 ? ofThread : ofLibrary;
}

} // namespace flcc::cuda
