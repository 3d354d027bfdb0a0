#pragma once

#include <cstddef>

namespace flcc::base {

/// Alignment in bytes of image buffers and of rows that the engine allocates.
inline constexpr std::size_t kAlignment = 64;

/// Allocates memory for an image; the content is not initialised. Large buffers ask the system for
/// large pages: passes across rows otherwise spend half of their time on looking up small pages. Of
/// a larger buffer that is reused, the pages behind `bytes` are given back.
/// **Errors**: std::bad_alloc. **Threads**: any.
[[nodiscard]] void* allocateBuffer(std::size_t bytes);
void releaseBuffer(void* data) noexcept;

/// From this call on, up to 256 MiB of freed buffers stay with the process and are reused, so that
/// the next run does not wait for the system to clear new pages. When no kept buffer fits a
/// request, as many bytes of kept buffers are freed first, so that the process never holds more
/// memory than without this function.
/// **Threads**: call at program start, before other threads run.
void keepFreedBuffers();

/// Bytes of the kept buffers: resident in memory and free for reuse.
[[nodiscard]] std::size_t keptBytes();
/// Returns all kept buffers to the system.
void dropKeptBuffers();

} // namespace flcc::base
