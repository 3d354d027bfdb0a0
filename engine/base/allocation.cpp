#include "engine/base/allocation.h"

#include <malloc.h>

namespace flcc::base {

void keepFreedBuffers() {
    constexpr int kMiB = 1 << 20;
    mallopt(M_MMAP_THRESHOLD, 32 * kMiB); // the most the C library takes
    mallopt(M_TRIM_THRESHOLD, 64 * kMiB);
}

} // namespace flcc::base
