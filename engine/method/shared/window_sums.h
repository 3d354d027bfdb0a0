#pragma once

#include <cstdint>

#include "engine/base/host_device.h"

namespace flcc::method::shared {

/// Sums over `width` neighbours along one axis, by additions only (METHODS 2.1): the tail of one
/// run of `width` and the head of the next. `addAt(i, sum)` adds element i to a sum; for every i
/// from `begin` below `end`, put(i, tail) comes first, then add(i, head) unless there is none.
/// Elements below end + width - 1 are read, each sum has at most `width` roundings, and what is
/// outside a window never enters it, NaN included.
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
