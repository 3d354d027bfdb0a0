#pragma once

namespace flcc::base {

/// Lets other threads go first where processors are short: those of a window, so that it stays
/// quick while this thread computes. It holds for the calling thread and for threads that it
/// starts from now on.
void giveWay() noexcept;

} // namespace flcc::base
