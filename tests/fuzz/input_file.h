#pragma once

#include <cstdint>
#include <cstdlib>
#include <filesystem>
#include <string>

#include <fcntl.h>
#include <unistd.h>

namespace flcc::fuzz {

/// Ends the process if a property does not hold that every input must keep.
inline void require(bool holds) {
    if (!holds) {
        std::abort();
    }
}

/// The input of a fuzzer as a file in memory, whose name tests/fuzz/run removes. FLCC_EXTENSION is
/// the extension of the name.
inline const std::filesystem::path& inputFile(const std::uint8_t* data, std::size_t size) {
    static const std::filesystem::path kPath =
        "/dev/shm/flcc-fuzz-" + std::to_string(::getpid()) + "." + FLCC_EXTENSION;
    const int file = ::open(kPath.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
    require(file >= 0 && ::write(file, data, size) == static_cast<ssize_t>(size));
    ::close(file);
    return kPath;
}

} // namespace flcc::fuzz
