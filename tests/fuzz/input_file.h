#pragma once

#include <unistd.h>

#include <cstdint>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>

namespace flcc::fuzz {

/// The input of a fuzzer as a file of this process in memory, removed when the process ends.
/// FLCC_EXTENSION is the extension of its name.
inline std::filesystem::path inputFile(const std::uint8_t* data, std::size_t size) {
    static const std::filesystem::path kPath =
        "/dev/shm/flcc-fuzz-" + std::to_string(::getpid()) + "." + FLCC_EXTENSION;
    static const int kRemoved = std::atexit([] {
        std::error_code ignored;
        std::filesystem::remove(kPath, ignored);
    });
    (void)kRemoved;
    std::ofstream(kPath, std::ios::binary)
        .write(reinterpret_cast<const char*>(data), static_cast<std::streamsize>(size));
    return kPath;
}

} // namespace flcc::fuzz
