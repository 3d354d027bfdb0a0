#pragma once

#include <cstdint>

#include "engine/base/host_device.h"

namespace flcc::method::shared {

/// The sums of all windows of `width` neighbours along one axis, by additions only, so that an
/// element outside a window, NaN included, never enters its sum (van Herk's scheme).
///
/// The axis is cut into runs of `width` elements; a window is the tail of one run plus the head of
/// the next. `addAt(i, sum)` adds element i to a sum. For every window i in [begin, end),
/// `put(i, tail)` is called first, then `add(i, head)` if the head is not empty. Elements up to
/// end + width - 2 are read. Each window sum has at most `width` roundings. **Source**:
/// NUMERICS.md, section 4.
template <class Sum, class AddAt, class Put, class Add>
FLCC_HOST_DEVICE inline void windowSums(std::int64_t width, std::int64_t begin, std::int64_t end,
                                        AddAt&& addAt, Put&& put, Add&& add) {
    for (std::int64_t run = begin; run < end; run += width) {
        Sum tail{};
        for (std::int64_t j = width - 1; j >= 0; --j) {
            addAt(run + j, tail);
            if (run + j < end) {
                put(run + j, tail);
            }
        }
        Sum head{};
        for (std::int64_t j = 1; j < width && run + j < end; ++j) {
            addAt(run + width + j - 1, head);
            add(run + j, head);
        }
    }
}

} // namespace flcc::method::shared
