#include "engine/base/allocation.h"

#include <malloc.h>
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <iterator>
#include <mutex>
#include <new>

namespace flcc::base {

namespace {

constexpr std::size_t kMiB = std::size_t{1} << 20U;

/// A block of memory whose first byte is aligned, and the start of the allocation in the bytes
/// before it. An aligned allocation of the C library (before glibc 2.38) asks for more than it
/// keeps, so that what was freed is too small for the next of the same size and the heap grows.
void* allocateAligned(std::size_t bytes) {
    // No object is larger; beyond, sizes would wrap around.
    constexpr auto kMost = static_cast<std::size_t>(PTRDIFF_MAX) - kAlignment;
    if (bytes > kMost) {
        throw std::bad_alloc();
    }
    auto* const start = static_cast<std::byte*>(::operator new(bytes + kAlignment));
    const auto address = reinterpret_cast<std::uintptr_t>(start);
    static_assert(__STDCPP_DEFAULT_NEW_ALIGNMENT__ >= sizeof(start)); // room before the block
    std::byte* const block = start + (kAlignment - address % kAlignment);
    std::memcpy(block - sizeof(start), &start, sizeof(start));
    return block;
}

std::byte* startOf(void* block) {
    std::byte* start = nullptr;
    std::memcpy(&start, static_cast<std::byte*>(block) - sizeof(start), sizeof(start));
    return start;
}

void freeAligned(void* block) noexcept { ::operator delete(startOf(block)); }

std::size_t usableBytes(void* block) {
    std::byte* const start = startOf(block);
    return ::malloc_usable_size(start) -
           static_cast<std::size_t>(static_cast<std::byte*>(block) - start);
}

void preferLargePages(void* data, std::size_t bytes) {
    constexpr std::uintptr_t kPage = 2 * kMiB;
    const auto first = (reinterpret_cast<std::uintptr_t>(data) + kPage - 1) / kPage * kPage;
    const auto end = (reinterpret_cast<std::uintptr_t>(data) + bytes) / kPage * kPage;
    if (first < end) { // a wish: where it is not granted nothing changes
        (void)::madvise(reinterpret_cast<void*>(first), end - first, MADV_HUGEPAGE);
    }
}

/// Gives back whole pages behind the first `used` bytes of a buffer. What they held is lost.
void giveBackTail(void* data, std::size_t used, std::size_t bytes) {
    const auto page = static_cast<std::uintptr_t>(::sysconf(_SC_PAGESIZE));
    const std::uintptr_t start = reinterpret_cast<std::uintptr_t>(data);
    const std::uintptr_t first = (start + used + page - 1) / page * page;
    const std::uintptr_t end = (start + bytes) / page * page;
    if (first < end) {
        (void)::madvise(reinterpret_cast<void*>(first), end - first, MADV_DONTNEED);
    }
}

/// Buffers that were freed, oldest first.
class FreedBuffers {
  public:
    /// One of at least so many bytes and few more; else null, and as many bytes were freed.
    [[nodiscard]] void* take(std::size_t bytes) {
        const std::lock_guard lock(m_lock);
        const auto better = [&](const Buffer& a, const Buffer& b) {
            return a.bytes >= bytes && (b.bytes < bytes || a.bytes < b.bytes);
        };
        // Among equal buffers the newest is taken: it may still be in a cache.
        const auto newest = std::reverse_iterator(m_buffers.begin() + m_count);
        const auto best = std::min_element(newest, m_buffers.rend(), better);
        if (best != m_buffers.rend() && best->bytes >= bytes && best->bytes - bytes <= bytes / 4) {
            void* const data = best->data;
            giveBackTail(data, bytes, best->bytes);
            remove(&*best);
            return data;
        }
        for (std::size_t freed = 0; freed < bytes && m_count > 0;) {
            freed += m_buffers.front().bytes;
            freeOldest();
        }
        return nullptr;
    }

    void keep(void* data, std::size_t bytes) {
        constexpr std::size_t kMost = 256 * kMiB;
        if (bytes > kMost) {
            freeAligned(data);
            return;
        }
        const std::lock_guard lock(m_lock);
        while (m_count == m_buffers.size() || m_bytes + bytes > kMost) {
            freeOldest();
        }
        m_buffers[m_count++] = {data, bytes};
        m_bytes += bytes;
    }

    [[nodiscard]] std::size_t bytes() {
        const std::lock_guard lock(m_lock);
        return m_bytes;
    }
    void drop() {
        const std::lock_guard lock(m_lock);
        while (m_count > 0) {
            freeOldest();
        }
    }

  private:
    struct Buffer {
        void* data;
        std::size_t bytes;
    };

    void freeOldest() {
        freeAligned(m_buffers.front().data);
        remove(m_buffers.data());
    }
    void remove(Buffer* buffer) {
        m_bytes -= buffer->bytes;
        std::copy(buffer + 1, m_buffers.data() + m_count, buffer);
        --m_count;
    }

    std::mutex m_lock; // guards the members below
    std::array<Buffer, 64> m_buffers;
    std::size_t m_count = 0;
    std::size_t m_bytes = 0;
};

std::atomic<FreedBuffers*> freedBuffers = nullptr;

} // namespace

void* allocateBuffer(std::size_t bytes) {
    FreedBuffers* const freed = freedBuffers;
    const bool possible = bytes <= static_cast<std::size_t>(PTRDIFF_MAX); // else keep the buffers
    void* const kept = freed != nullptr && possible && bytes >= kMiB ? freed->take(bytes) : nullptr;
    if (kept != nullptr) {
        return kept;
    }
    void* const data = allocateAligned(bytes);
    preferLargePages(data, bytes);
    return data;
}

void releaseBuffer(void* data) noexcept {
    FreedBuffers* const freed = freedBuffers;
    // The system may give slightly more bytes than a request that is too small for kept buffers.
    constexpr std::size_t kLeast = kMiB + 4096;
    if (data == nullptr) {
        return;
    }
    if (const std::size_t bytes = usableBytes(data); freed != nullptr && bytes >= kLeast) {
        freed->keep(data, bytes);
    } else {
        freeAligned(data);
    }
}

void keepFreedBuffers() {
    // Buffers that are not kept here go back to the system, except small ones that the C library
    // keeps.
    mallopt(M_MMAP_THRESHOLD, static_cast<int>(kMiB));
    mallopt(M_TRIM_THRESHOLD, static_cast<int>(16 * kMiB));
    // Kept on purpose until the process is gone: images may be freed at its very end.
    static auto& freed = *new FreedBuffers;
    freedBuffers = &freed;
}

std::size_t keptBytes() {
    FreedBuffers* const freed = freedBuffers;
    return freed != nullptr ? freed->bytes() : 0;
}

void dropKeptBuffers() {
    if (FreedBuffers* const freed = freedBuffers; freed != nullptr) {
        freed->drop();
    }
}

} // namespace flcc::base
