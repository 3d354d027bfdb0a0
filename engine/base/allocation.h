#pragma once

#include <cstddef>

namespace flcc::base {

/// Rows, and the buffers of images, start on this boundary where they are owned.
inline constexpr std::size_t kAlignment = 64;

/// Memory of an image, of any content. Large buffers ask for large pages: passes across the rows of
/// one spend half of their time on looking up small ones. One that was kept may be a quarter
/// larger.
/// **Errors**: std::bad_alloc. **Threads**: any.
[[nodiscard]] void* allocateBuffer(std::size_t bytes);
void releaseBuffer(void* data) noexcept;

/// From now on freed buffers of up to 256 MiB together stay with the process for the next run,
/// which otherwise meets every page of its buffers for the first time. A buffer that none of them
/// fits has as much of them freed first, so that no process ever holds more than it did before.
/// For a program's start; before other threads run.
void keepFreedBuffers();

/// Bytes of the buffers that stay so: resident, and free for the next one.
[[nodiscard]] std::size_t keptBytes();
/// Lets go of them.
void dropKeptBuffers();

} // namespace flcc::base
