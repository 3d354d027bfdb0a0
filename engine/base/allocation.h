#pragma once

namespace flcc::base {

/// From now on freed buffers of up to 32 MiB, and up to 64 MiB of them in a row, stay with the
/// process for the next run, which otherwise meets every page of its buffers for the first time.
/// For a program's start; before other threads run.
void keepFreedBuffers();

} // namespace flcc::base
