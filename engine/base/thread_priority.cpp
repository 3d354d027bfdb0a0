#include "engine/base/tile_pool.h"

#include <sys/resource.h>

namespace flcc::base {

void giveWay() noexcept {
    // Linux gives each thread a niceness of its own, which new threads inherit. With 2, a thread
    // has two fifths of a processor that a thread of the window or of another program needs, too,
    // and all of it otherwise. It fails where the program runs with a higher niceness already,
    // which is as good.
    constexpr int kNiceness = 2;
    (void)setpriority(PRIO_PROCESS, 0, kNiceness);
}

} // namespace flcc::base
