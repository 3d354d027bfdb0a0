#pragma once

#include <cstdint>
#include <filesystem>
#include <stop_token>
#include <string>
#include <vector>

namespace flcc::io::detail {

/// Thrown inside engine/io when a stop was requested; the public functions catch it, because
/// cancelling is a result, not an error.
struct Stopped {};
inline void throwIfStopped(const std::stop_token& stop) {
    if (stop.stop_requested()) {
        throw Stopped{};
    }
}

/// The path in one line without control characters, for sentences.
[[nodiscard]] std::string shown(const std::filesystem::path& path);

/// Throws Input: "cannot read PATH: REASON".
[[noreturn]] void failInput(const std::filesystem::path& path, const std::string& reason);
/// The same with the system's words for `error`, a value of errno. **Errors**: std::bad_alloc for
/// ENOMEM.
[[noreturn]] void failInput(const std::filesystem::path& path, int error);

/// Throws Output: "cannot write PATH: REASON".
[[noreturn]] void failOutput(const std::filesystem::path& path, const std::string& reason);
/// The same with the system's words for `error`, or that not everything was written where it is 0.
/// **Errors**: std::bad_alloc for ENOMEM.
[[noreturn]] void failOutput(const std::filesystem::path& path, int error);

/// Size in bytes of a readable regular file. Opens no other kind of file, so that a FIFO does not
/// block. **Errors**: Input for a path that is missing, empty, unreadable, a directory or a device.
[[nodiscard]] std::int64_t requireRegularFile(const std::filesystem::path& path);

/// Path of the file of pixels that a header names. It must lie in the header's own folder, also
/// after links are resolved, so that opening an image never reads elsewhere. **Errors**: Input.
[[nodiscard]] std::filesystem::path requireNeighbour(const std::filesystem::path& header,
                                                     const std::string& file);

/// Reads up to `count` bytes from `offset`.
[[nodiscard]] std::vector<unsigned char> readBytes(const std::filesystem::path& path,
                                                   std::int64_t offset, std::int64_t count);

} // namespace flcc::io::detail
