#pragma once

/// Marks plain functions that both a processor and a GPU compile; empty outside `nvcc`. The only
/// macro of the project: every header that both sides compile includes this one.
#ifdef __CUDACC__
#define FLCC_HOST_DEVICE __host__ __device__
#else
#define FLCC_HOST_DEVICE
#endif
