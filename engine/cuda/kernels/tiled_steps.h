#pragma once

#include <cstdint>

#include "engine/cuda/kernels/tiled_block.h"
#include "engine/cuda/kernels/tiled_spectra.h"
#include "engine/cuda/kernels/tiled_sums.h"

/// The parts of each TiledStep and their order, for a device and for its stand-in in tests.
namespace flcc::cuda {

/// Parts that run as blocks.
template <class T, class Real> struct FindRange {
    template <class Each>
    FLCC_HOST_DEVICE static void run(const TiledLaunch& launch, std::int64_t block,
                                     TiledShared& all, Each&& each) {
        TiledVoxels<T, Real>::range(launch, block, all, each);
    }
};
template <class T, class Real> struct JoinRange {
    template <class Each>
    FLCC_HOST_DEVICE static void run(const TiledLaunch& launch, std::int64_t block,
                                     TiledShared& all, Each&& each) {
        TiledVoxels<T, Real>::joinRange(launch, block, all, each);
    }
};
template <class T, class Real> struct FindSum {
    template <class Each>
    FLCC_HOST_DEVICE static void run(const TiledLaunch& launch, std::int64_t block,
                                     TiledShared& all, Each&& each) {
        TiledVoxels<T, Real>::sum(launch, block, all, each);
    }
};
template <class T, class Real> struct JoinSum {
    template <class Each>
    FLCC_HOST_DEVICE static void run(const TiledLaunch& launch, std::int64_t block,
                                     TiledShared& all, Each&& each) {
        TiledVoxels<T, Real>::joinSum(launch, block, all, each);
    }
};
template <class T, class Real> struct Gather {
    template <class Each>
    FLCC_HOST_DEVICE static void run(const TiledLaunch& launch, std::int64_t block,
                                     TiledShared& all, Each&& each) {
        TiledVoxels<T, Real>::gather(launch, block, all, each);
    }
};
template <class Real, bool kOut> struct FindEnergy {
    template <class Each>
    FLCC_HOST_DEVICE static void run(const TiledLaunch& launch, std::int64_t block,
                                     TiledShared& all, Each&& each) {
        TiledEnergy<Real>::lines(launch, block, kOut, all, each);
    }
};
template <class Real, bool kOut> struct JoinEnergy {
    template <class Each>
    FLCC_HOST_DEVICE static void run(const TiledLaunch& launch, std::int64_t block,
                                     TiledShared& all, Each&& each) {
        TiledEnergy<Real>::join(launch, block, kOut, all, each);
    }
};
template <class T, class Real> struct ScoreBlock {
    template <class Each>
    FLCC_HOST_DEVICE static void run(const TiledLaunch& launch, std::int64_t block,
                                     TiledShared& all, Each&& each) {
        TiledVoxels<T, Real>::score(launch, block, all, each);
    }
};

template <class T, class Real> struct SumRows {
    using Shared = AlongXShared<Real>;
    template <class Each>
    FLCC_HOST_DEVICE static void run(const TiledLaunch& launch, std::int64_t block, Shared& all,
                                     Each&& each) {
        AlongX<T, Real>::block(launch, block, all, each);
    }
};

/// Parts that run as items.
struct PlaceTemplate {
    FLCC_HOST_DEVICE static void run(const TiledLaunch& launch, std::int64_t item) {
        placeTemplate(launch, item);
    }
};
template <class Real> struct RoundTemplate {
    FLCC_HOST_DEVICE static void run(const TiledLaunch& launch, std::int64_t item) {
        roundTemplate<Real>(launch, item);
    }
};
template <class Real> struct MultiplySpectra {
    FLCC_HOST_DEVICE static void run(const TiledLaunch& launch, std::int64_t item) {
        multiply<Real>(launch, item);
    }
};
template <class T, class Real> struct SumAlongX {
    FLCC_HOST_DEVICE static void run(const TiledLaunch& launch, std::int64_t item) {
        AlongX<T, Real>::item(launch, item);
    }
};
template <int kAxes> struct SumAcross {
    FLCC_HOST_DEVICE static void run(const TiledLaunch& launch, std::int64_t item) {
        sumAcross(launch, kAxes, item);
    }
};

/// runStep() for values of type Real.
template <class Real, class Blocks, class Items>
void runStepIn(TiledStep step, const TiledLaunch& launch, Blocks&& blocks, Items&& items) {
    const std::int64_t tiles = countOf(tileGrid(launch.map, launch.out));
    switch (step) {
    case TiledStep::Place:
        return items(tileValues(launch.points), PlaceTemplate{});
    case TiledStep::Round:
        return items(itemsOfProduct(launch), RoundTemplate<Real>{});
    case TiledStep::Multiply:
        return items(tiles * itemsOfProduct(launch), MultiplySpectra<Real>{});
    case TiledStep::Load:
        withPixel<Real>(launch.pixel, [&]<class T>(T) {
            blocks(tiles * rowShares(launch.points), FindRange<T, Real>{});
            blocks(tiles, JoinRange<T, Real>{});
            blocks(tiles * rowShares(launch.points), FindSum<T, Real>{});
            blocks(tiles, JoinSum<T, Real>{});
            blocks(tiles * rowShares(launch.points), Gather<T, Real>{});
        });
        blocks(tiles * lineShares(launch.points), FindEnergy<Real, false>{});
        return blocks(tiles, JoinEnergy<Real, false>{});
    case TiledStep::Sums:
        withPixel<Real>(launch.pixel, [&]<class T>(T) {
            if (sumsInBlocks(launch)) {
                blocks(tiles * AlongX<T, Real>::blocks(launch), SumRows<T, Real>{});
            } else {
                items(tiles * itemsAlongX(launch), SumAlongX<T, Real>{});
            }
        });
        items(tiles * itemsAcross(launch, 2), SumAcross<2>{});
        if (launch.templ.z > 1) {
            items(tiles * itemsAcross(launch, 3), SumAcross<3>{});
        }
        return;
    case TiledStep::Score:
        blocks(tiles * lineShares(launch.points), FindEnergy<Real, true>{});
        blocks(tiles, JoinEnergy<Real, true>{});
        withPixel<Real>(launch.pixel, [&]<class T>(T) {
            blocks(countOf(shared::blockGrid(launch.map)), ScoreBlock<T, Real>{});
        });
        return;
    }
}

/// Runs a step. `blocks(count, Part{})` calls Part::run(launch, block, all, each) for `count`
/// blocks, where each(phase) calls phase(thread) for every thread of a block and waits for all of
/// them. `items(count, Part{})` calls Part::run(launch, item) for `count` items. Each of these
/// calls sees the results of the earlier ones.
template <class Blocks, class Items>
void runStep(TiledStep step, const TiledLaunch& launch, Blocks&& blocks, Items&& items) {
    withReal(launch.inDouble,
             [&]<class Real>(Real) { runStepIn<Real>(step, launch, blocks, items); });
}

} // namespace flcc::cuda
