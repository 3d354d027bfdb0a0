#include "engine/cpu/methods/direct_run.h"

#include <utility>

#include "engine/cpu/tile/tile_loader.h"

namespace flcc::cpu {

namespace {

using base::Extents;

/// Nanoseconds of a multiply-add in double. Only its ratio to a canonical value matters.
constexpr double kMultiplyAddNs = 0.05;

/// A tile of placements inside the scene.
struct PlainPart {
    base::Box out; ///< in the `valid` map
    BestPart part; ///< where its scores go
};

/// A tile whose voxels are loaded in one precision.
struct LoadedTile {
    bool made = false;
    bool paired = false; ///< its voxels are loaded as pairs of integers too
    CentredTile centred;
    KeptTile* kept = nullptr; ///< window sums of a bank; null for one template
};

/// Loads the voxels of a tile, unless they are loaded.
template <class Real>
void loadTile(const DirectRun& run, const base::Box& out, DirectBuffers& own, LoadedTile& tile) {
    if (tile.made) {
        return;
    }
    const Extents& m = run.problem.templ;
    tile.centred =
        loadCentred(run.scene.pixels, footprint(out, m), base::voxelCount(m), own.tile<Real>().x);
    if (run.bank()) {
        tile.kept = &own.kept(std::is_same_v<Real, double>);
        tile.kept->forget();
    }
    tile.made = true;
}

/// Computes and scores one tile of one template in one precision.
template <class Real>
TileResult matchTile(const DirectRun& run, const DirectPrepared& templ, const base::Box& out,
                     LoadedTile& tile, DirectBuffers& own, const method::MapView& part,
                     StageClock& clock) {
    const Extents& m = run.problem.templ;
    DirectTile<Real>& buffers = own.tile<Real>();
    loadTile<Real>(run, out, own, tile);
    clock.lap(kLoad);
    simd::correlateDirect(buffers.x, templ.weights<Real>(), m, out.extents, buffers.num);
    clock.lap(kNumerator);
    BoundTerms terms = directTerms(m, kUnitOf<Real>);
    terms.wholeSums = std::is_same_v<Real, double>;
    const TileResult result =
        own.scorer.score(run.problem, run.scene.pixels, out, buffers.x, buffers.num, tile.centred,
                         terms, templ.canonical(), part, tile.kept);
    clock.lap(kDenominator);
    return result;
}

/// Makes the pairs of integers of a tile from its voxels in float.
void loadPairs(const Extents& seen, const CentredTile& tile, const simd::FloatBox& x,
               const simd::IntegerBox& to) {
    const auto steps = static_cast<float>(tile.stepsPerUnit());
    for (std::int64_t z = 0; z < seen.z; ++z) {
        for (std::int64_t y = 0; y < seen.y; ++y) {
            simd::loadPairs(x.data + z * x.sliceStride + y * x.rowStride, seen.x, steps,
                            to.data + z * to.sliceStride + y * to.rowStride);
        }
    }
}

/// Computes and scores one tile of one template whose products are exact in integers. The tile must
/// be loaded.
TileResult matchIntegers(const DirectRun& run, const IntegerTemplate& templ,
                         const method::CanonicalTemplate& canonical, const base::Box& out,
                         LoadedTile& tile, DirectBuffers& own, const method::MapView& part,
                         StageClock& clock) {
    const Extents& m = run.problem.templ;
    const simd::FloatBox& x = own.tile<float>().x;
    DirectTile<std::int32_t>& pairs = own.tile<std::int32_t>();
    if (!std::exchange(tile.paired, true)) {
        loadPairs(footprint(out, m).extents, tile.centred, x, pairs.x);
    }
    clock.lap(kLoad);
    simd::correlateDirect(pairs.x, templ.pairs(), {(m.x + 1) / 2, m.y, m.z}, out.extents,
                          pairs.num);
    clock.lap(kNumerator);
    BoundTerms terms;
    terms.templSum = templ.sum();
    terms.templNorm = templ.norm();
    terms.integers = &templ;
    const TileResult result = own.scorer.score(run.problem, run.scene.pixels, out, x, pairs.num,
                                               tile.centred, terms, canonical, part, tile.kept);
    clock.lap(kDenominator);
    return result;
}

/// Computes and scores one tile of one template in single precision: in integers if these are
/// exact.
TileResult matchSingle(const DirectRun& run, const DirectPrepared& templ, const base::Box& out,
                       LoadedTile& tile, DirectBuffers& own, const method::MapView& part,
                       StageClock& clock) {
    loadTile<float>(run, out, own, tile);
    const IntegerTemplate* const integers = templ.integers();
    return integers != nullptr && integers->fits(tile.centred)
               ? matchIntegers(run, *integers, templ.canonical(), out, tile, own, part, clock)
               : matchTile<float>(run, templ, out, tile, own, part, clock);
}

/// Scores a general tile. False if it was stopped before anything was written.
bool generalTile(const DirectRun& run, const base::Box& out, DirectBuffers& own,
                 const std::stop_token& stop, WorkerTally& tally) {
    std::vector<const OperationPrepared*> templs;
    for (const DirectPrepared* templ : run.templs) {
        templs.push_back(&templ->general().value());
    }
    return runGeneralTile({run.problem, run.scene}, templs, out, own.values(), own.best,
                          partOf(run.to, out), tally, stop);
}

/// Scores a tile of placements inside the scene.
void plainTile(const DirectRun& run, PlainPart& tile, DirectBuffers& own, WorkerTally& tally) {
    LoadedTile single;
    LoadedTile twice;
    for (std::size_t i = 0; i < run.templs.size(); ++i) {
        const DirectPrepared& templ = *run.templs[i];
        const auto number = static_cast<std::int32_t>(i);
        const method::MapView scores = own.best.of(number, tile.part);
        const auto runDouble = [&] {
            if (std::exchange(single.paired, false)) {
                twice = {}; // its buffers gave way to the pairs
            }
            return matchTile<double>(run, templ, tile.out, twice, own, scores, tally.clock);
        };
        const bool inDouble = run.problem.precision == method::Precision::Double;
        TileResult result =
            inDouble ? runDouble()
                     : matchSingle(run, templ, tile.out, single, own, scores, tally.clock);
        const double doubleNs = static_cast<double>(base::voxelCount(tile.out.extents)) *
                                static_cast<double>(base::voxelCount(run.problem.templ)) *
                                kMultiplyAddNs;
        if (!inDouble) {
            // No integers here: where they are exact, the first numerators were integers
            // already.
            own.scorer.scoreAgain(run.problem, {own.tile<float>().x, templ.canonical()}, scores,
                                  doubleNs, result);
            tally.clock.lap(kRecomputation);
        }
        if (!inDouble && TileScorer::wantsDouble(run.problem, result, doubleNs)) {
            result = runDouble();
        }
        own.scorer.finish(run.problem, run.scene.pixels, tile.out, templ.canonical(), result,
                          scores, tally.facts);
        tally.clock.lap(kRecomputation);
        own.best.take(number, tile.part, result.plain(), tally);
        tally.clock.lap(kDenominator);
    }
}

} // namespace

method::Outcome DirectRun::operator()(const Extents& tile, ThreadBuffers<DirectBuffers>& buffers,
                                      const method::Execution& execution) const {
    const bool general = allGeneral(problem, templs.front()->canonical());
    const MapGrid grid(problem, tile, general);
    return runTiles(grid, execution, {"load", "numerator", "denominator", "recomputation"},
                    [&](const base::Box& out, int worker, WorkerTally& tally) {
                        DirectBuffers& own = buffers.of(worker);
                        if (general || isPartial(scene, seenBy(problem, out))) {
                            return generalTile(*this, out, own, execution.stop, tally);
                        }
                        PlainPart part{grid.inValid(out), {partOf(to, out)}};
                        plainTile(*this, part, own, tally);
                        return true;
                    });
}

} // namespace flcc::cpu
