#pragma once

#include <cstdint>

#include "engine/cuda/kernels/support_block.h"

/// The parts of each SupportStep and their order. The form is that of tiled_steps.h.
namespace flcc::cuda {

template <class T> struct FindInside {
    template <class Each>
    FLCC_HOST_DEVICE static void run(const SupportLaunch& launch, std::int64_t block,
                                     TiledShared& all, Each&& each) {
        SupportVoxels<T>::range(launch, block, all, each);
    }
};
template <class T> struct JoinInside {
    template <class Each>
    FLCC_HOST_DEVICE static void run(const SupportLaunch& launch, std::int64_t block,
                                     TiledShared& all, Each&& each) {
        SupportVoxels<T>::joinRange(launch, block, all, each);
    }
};
template <class T> struct FindInsideSum {
    template <class Each>
    FLCC_HOST_DEVICE static void run(const SupportLaunch& launch, std::int64_t block,
                                     TiledShared& all, Each&& each) {
        SupportVoxels<T>::sum(launch, block, all, each);
    }
};
template <class T> struct JoinInsideSum {
    template <class Each>
    FLCC_HOST_DEVICE static void run(const SupportLaunch& launch, std::int64_t block,
                                     TiledShared& all, Each&& each) {
        SupportVoxels<T>::joinSum(launch, block, all, each);
    }
};
template <class T> struct GatherInput {
    template <class Each>
    FLCC_HOST_DEVICE static void run(const SupportLaunch& launch, std::int64_t block,
                                     TiledShared& all, Each&& each) {
        SupportVoxels<T>::gather(launch, block, all, each);
    }
};
template <class T> struct JoinNorm {
    template <class Each>
    FLCC_HOST_DEVICE static void run(const SupportLaunch& launch, std::int64_t block,
                                     TiledShared& all, Each&& each) {
        SupportVoxels<T>::joinNorm(launch, block, all, each);
    }
};
template <class T> struct ScoreSupport {
    template <class Each>
    FLCC_HOST_DEVICE static void run(const SupportLaunch& launch, std::int64_t block,
                                     TiledShared& all, Each&& each) {
        SupportVoxels<T>::score(launch, block, all, each);
    }
};
struct MultiplyApart {
    FLCC_HOST_DEVICE static void run(const SupportLaunch& launch, std::int64_t item) {
        multiplyApart(launch, item);
    }
};

/// Runs a step; `blocks` and `items` as in runStep().
template <class Blocks, class Items>
void runSupportStep(SupportStep step, const SupportLaunch& launch, Blocks&& blocks, Items&& items) {
    const std::int64_t tiles = countOf(tileGrid(launch.map, launch.out));
    const std::int64_t shares = tiles * rowShares(launch.points);
    switch (step) {
    case SupportStep::Load:
        withPixel<double>(launch.pixel, [&]<class T>(T) {
            if (launch.input == SupportInput::Voxels) {
                blocks(shares, FindInside<T>{});
                blocks(tiles, JoinInside<T>{});
                blocks(shares, FindInsideSum<T>{});
                blocks(tiles, JoinInsideSum<T>{});
            }
            blocks(shares, GatherInput<T>{});
            blocks(tiles, JoinNorm<T>{});
        });
        return;
    case SupportStep::Multiply:
        return items(tiles * tileValues(launch.points) / 2, MultiplyApart{});
    case SupportStep::Score:
        withPixel<double>(launch.pixel, [&]<class T>(T) {
            blocks(countOf(shared::blockGrid(launch.map)), ScoreSupport<T>{});
        });
        return;
    }
}

} // namespace flcc::cuda
