#pragma once

#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "engine/cpu/for_items.h"
#include "engine/cpu/scene_frame.h"
#include "engine/cpu/tile_run.h"

namespace flcc::cpu {

/// Voxels of the scene and numerators that many tiles are scored from; both boxes begin at
/// placement `corner`, and the rows of x have kSlack values beyond the last.
template <class Real> struct Numerators {
    simd::VoxelBox<Real> x;
    simd::VoxelBox<Real> numerator;
    base::Index corner;
};

/// The stages of a run, for ScorePass::items().
enum PassStage : std::size_t { kLoad, kTransform, kDenominator, kRecomputation };

/// The end of a method whose numerators are made for many tiles at once: scores tile by tile, and
/// what breaks the promise is put right at the end, when it is known how much that is.
///
/// A tile is finished at once when its LOWCONF voxels cost less than its share of a region in
/// double; others wait. Then the voxels of a region are replaced by canonical values, or the
/// numerators of its waiting tiles are made again in double, whichever costs less. None of it
/// depends on threads.
class ScorePass {
  public:
    /// A run in double is done in regions: boxes of so many placements, whole score tiles, that
    /// cover the map.
    struct Regions {
        base::Extents placements;
        double ns; ///< of a thread that one of them takes
    };

    ScorePass(const method::Problem& problem, const base::AnyView& scene,
              const TemplateForms& templ, const method::Execution& execution,
              const method::MapView& map, const Regions& regions);

    /// Refuses a problem that these methods do not solve; empty when they do.
    [[nodiscard]] static std::string refusal(const method::Problem& problem);
    /// **Errors**: Problem for pixels with a mask that is not all ones, which no problem that is
    /// not refused names.
    static void requireUnmasked(const method::MaskedView& pixels);

    /// The tiles of a map: few, so that little is read twice, and enough for many threads.
    [[nodiscard]] static TileGrid gridOf(const method::Problem& problem);
    [[nodiscard]] static base::Extents tileOf(const method::Problem& problem);
    /// Bytes of the buffers of one worker.
    [[nodiscard]] static std::int64_t bytes(const method::Problem& problem);

    /// Shares items out among the threads, on the clock of a stage.
    [[nodiscard]] ForItems items(PassStage stage);

    /// Scores one tile of the map and finishes it, or lets it wait. On any thread.
    template <class Real>
    void score(const base::Box& out, const Numerators<Real>& numerators, const CentredTile& tile,
               const BoundTerms& terms, int worker);

    /// The whole run: `in(tiles, Real{})` makes the numerators of tiles in float or double and
    /// scores them, and says false when stopped. First all of `tiles` in the precision of the
    /// problem; what breaks the promise then in double, tiles of one region at a time, or by
    /// canonical values.
    template <class In>
    [[nodiscard]] method::Outcome run(const std::vector<base::Box>& tiles, In&& in) {
        bool done = m_problem.precision == method::Precision::Single ? in(tiles, float{})
                                                                     : in(tiles, double{});
        if (done) {
            for (const std::vector<base::Box>& region : takeDouble()) {
                done = done && in(region, double{});
            }
            done = done && repair();
        }
        return outcome(done);
    }

  private:
    /// Elements of a worker's voxels in steps; 0 where no template of as many voxels as this one
    /// meets bytes without leaving 32 bits.
    [[nodiscard]] static std::int64_t stepsRoom(const method::Problem& problem);
    struct Waiting {
        base::Box box;
        TileResult result;
        bool finished = false;
    };
    /// The tiles that wait in regions which cost less in double than by their voxels, cleared.
    [[nodiscard]] std::vector<std::vector<base::Box>> takeDouble();
    /// Replaces the voxels of the tiles that wait. False when stopped.
    [[nodiscard]] bool repair();
    /// What the run came to; clears what is not finished.
    [[nodiscard]] method::Outcome outcome(bool done);
    void finish(TileScorer& scorer, const base::Box& box, const TileResult& result, int worker);
    void clear(const base::Box& box) const;

    const method::Problem& m_problem;
    const base::AnyView& m_scene;
    const TemplateForms& m_templ;
    const method::Execution& m_execution;
    const method::MapView& m_map;
    Regions m_regions;
    ThreadBuffers<TileScorer> m_scorers;
    std::vector<base::Image<std::int16_t>> m_steps; ///< of each worker; made when one asks for it
    std::vector<WorkerTally> m_tallies;
    std::mutex m_lock; // guards what follows, and regions being told
    std::vector<Waiting> m_waiting;
};

} // namespace flcc::cpu
