#pragma once

#include <cstdint>

#include "engine/cuda/tiled_block.h"
#include "engine/cuda/tiled_spectra.h"

/// The parts of a step and their one order, for a device and for what stands in for one.
namespace flcc::cuda {

/// Parts of a step that a block does.
template <class T> struct FindRange {
    template <class Each>
    FLCC_HOST_DEVICE static void run(const TiledLaunch& launch, std::int64_t block,
                                     TiledShared& all, Each&& each) {
        TiledVoxels<T>::range(launch, block, all, each);
    }
};
template <class T> struct JoinRange {
    template <class Each>
    FLCC_HOST_DEVICE static void run(const TiledLaunch& launch, std::int64_t block,
                                     TiledShared& all, Each&& each) {
        TiledVoxels<T>::joinRange(launch, block, all, each);
    }
};
template <class T> struct FindSum {
    template <class Each>
    FLCC_HOST_DEVICE static void run(const TiledLaunch& launch, std::int64_t block,
                                     TiledShared& all, Each&& each) {
        TiledVoxels<T>::sum(launch, block, all, each);
    }
};
template <class T> struct JoinSum {
    template <class Each>
    FLCC_HOST_DEVICE static void run(const TiledLaunch& launch, std::int64_t block,
                                     TiledShared& all, Each&& each) {
        TiledVoxels<T>::joinSum(launch, block, all, each);
    }
};
template <class T> struct Gather {
    template <class Each>
    FLCC_HOST_DEVICE static void run(const TiledLaunch& launch, std::int64_t block,
                                     TiledShared& all, Each&& each) {
        TiledVoxels<T>::gather(launch, block, all, each);
    }
};
struct FindEnergy {
    template <class Each>
    FLCC_HOST_DEVICE static void run(const TiledLaunch& launch, std::int64_t block,
                                     TiledShared& all, Each&& each) {
        TiledEnergy::lines(launch, block, all, each);
    }
};
template <bool kOut> struct JoinEnergy {
    template <class Each>
    FLCC_HOST_DEVICE static void run(const TiledLaunch& launch, std::int64_t block,
                                     TiledShared& all, Each&& each) {
        TiledEnergy::join(launch, block, kOut, all, each);
    }
};
template <class T> struct ScoreBlock {
    template <class Each>
    FLCC_HOST_DEVICE static void run(const TiledLaunch& launch, std::int64_t block,
                                     TiledShared& all, Each&& each) {
        TiledVoxels<T>::score(launch, block, all, each);
    }
};

/// Parts made of items.
struct PlaceTemplate {
    FLCC_HOST_DEVICE static void run(const TiledLaunch& launch, std::int64_t item) {
        placeTemplate(launch, item);
    }
};
struct RoundTemplate {
    FLCC_HOST_DEVICE static void run(const TiledLaunch& launch, std::int64_t item) {
        roundTemplate(launch, item);
    }
};
struct MultiplySpectra {
    FLCC_HOST_DEVICE static void run(const TiledLaunch& launch, std::int64_t item) {
        multiply(launch, item);
    }
};
template <class T> struct SumAlongX {
    FLCC_HOST_DEVICE static void run(const TiledLaunch& launch, std::int64_t item) {
        TiledVoxels<T>::sumAlongX(launch, item);
    }
};
template <int kAxes> struct SumAcross {
    FLCC_HOST_DEVICE static void run(const TiledLaunch& launch, std::int64_t item) {
        sumAcross(launch, kAxes, item);
    }
};

/// Does a step. `blocks(count, Part{})` calls Part::run(launch, block, all, each) for `count`
/// blocks, where each(phase) calls phase(thread) for every thread of a block and waits for all;
/// `items(count, Part{})` calls Part::run(launch, item). What one of these calls leaves, the next
/// one finds.
template <class Blocks, class Items>
void runStep(TiledStep step, const TiledLaunch& launch, Blocks&& blocks, Items&& items) {
    if (step == TiledStep::Place) {
        return items(tileValues(launch.points), PlaceTemplate{});
    }
    if (step == TiledStep::Round) {
        return items(itemsOfProduct(launch), RoundTemplate{});
    }
    const std::int64_t tiles = countOf(tileGrid(launch.map, launch.out));
    switch (step) {
    case TiledStep::Multiply:
        return items(tiles * itemsOfProduct(launch), MultiplySpectra{});
    case TiledStep::Load:
        withPixel(launch.pixel, [&]<class T>(T) {
            blocks(tiles * rowShares(launch.points), FindRange<T>{});
            blocks(tiles, JoinRange<T>{});
            blocks(tiles * rowShares(launch.points), FindSum<T>{});
            blocks(tiles, JoinSum<T>{});
            blocks(tiles * rowShares(launch.points), Gather<T>{});
        });
        blocks(tiles * lineShares(launch.points), FindEnergy{});
        return blocks(tiles, JoinEnergy<false>{});
    case TiledStep::Score:
        blocks(tiles * lineShares(launch.points), FindEnergy{});
        blocks(tiles, JoinEnergy<true>{});
        withPixel(launch.pixel, [&]<class T>(T) {
            items(tiles * itemsAlongX(launch), SumAlongX<T>{});
            items(tiles * itemsAcross(launch, 2), SumAcross<2>{});
            if (launch.templ.z > 1) {
                items(tiles * itemsAcross(launch, 3), SumAcross<3>{});
            }
            blocks(countOf(shared::blockGrid(launch.map)), ScoreBlock<T>{});
        });
        return;
    case TiledStep::Place:
    case TiledStep::Round:
        return;
    }
}

} // namespace flcc::cuda
