#pragma once

/// In front of plain functions that a compiler for devices also makes for devices; nothing where
/// there is none. The one macro of the project: every header that both sides compile includes this
/// one.
#ifdef __CUDACC__
#define FLCC_HOST_DEVICE __host__ __device__
#else
#define FLCC_HOST_DEVICE
#endif
