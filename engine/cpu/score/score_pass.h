#pragma once

#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "engine/cpu/common/for_items.h"
#include "engine/cpu/score/counted.h"
#include "engine/cpu/score/tile_run.h"
#include "engine/cpu/tile/scene_frame.h"

namespace flcc::cpu {

/// The scene voxels and numerators from which many tiles are scored. Both boxes begin at placement
/// `corner`; rows of x have kSlack values behind the last row.
template <class Real> struct Numerators {
    simd::VoxelBox<Real> x;
    simd::VoxelBox<Real> numerator;
    base::Index corner;
};

/// The last part of a method that computes numerators for many tiles at once. It scores tile by
/// tile, and recomputes scores that break the promise at the end, when their number is known.
///
/// A tile is finished at once if canonical values for its LOWCONF voxels cost less than its share
/// of a region in double. Other tiles wait. At the end each region of waiting tiles takes the
/// cheaper way: canonical values for its voxels, or numerators in double for its tiles. The choice
/// does not depend on the number of threads.
class ScorePass {
  public:
    /// The regions that are recomputed in double: boxes of `placements`, made of whole score tiles,
    /// that cover the map.
    struct Regions {
        base::Extents placements;
        double ns; ///< nanoseconds of one thread for a region
    };

    ScorePass(const method::Problem& problem, const base::AnyView& scene,
              const TemplateForms& templ, const method::Execution& execution,
              const method::MapView& map, const Regions& regions);

    /// The reason to refuse a problem that these methods do not solve; empty if they do.
    [[nodiscard]] static std::string refusal(const method::Problem& problem);
    /// Rejects masks, which refusal() excludes. **Errors**: Problem for pixels with a mask that is
    /// not all ones.
    static void requireUnmasked(const method::MaskedView& pixels);

    /// The score tiles of a map: few, so that little is read twice, yet enough for many threads.
    [[nodiscard]] static TileGrid gridOf(const method::Problem& problem);
    [[nodiscard]] static base::Extents tileOf(const method::Problem& problem);
    /// Bytes of the buffers of all workers that get a tile.
    [[nodiscard]] static std::int64_t bytes(const Counted& counted, int threads);

    /// Does items on all threads and adds their time to a stage.
    [[nodiscard]] ForItems items(Stage stage);

    /// Scores one tile of the map, then finishes it or lets it wait. Any thread may call it.
    template <class Real>
    void score(const base::Box& out, const Numerators<Real>& numerators, const CentredTile& tile,
               const BoundTerms& terms, int worker);

    /// The whole run. `in(tiles, Real{})` computes the numerators of tiles in float or double and
    /// scores them; it returns false if stopped. First all of `tiles` are computed in the problem's
    /// precision. Then scores that break the promise are recomputed: in double, one region at a
    /// time, or by canonical values.
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
    /// Elements of a worker's buffer of 16-bit steps; 0 if a template of this size cannot be
    /// multiplied with bytes in 32-bit integers.
    [[nodiscard]] static std::int64_t stepsRoom(const method::Problem& problem);
    struct Waiting {
        base::Box box;
        TileResult result;
        bool finished = false;
    };
    /// Removes and returns the waiting tiles of the regions that are cheaper in double, region by
    /// region, and clears their part of the map.
    [[nodiscard]] std::vector<std::vector<base::Box>> takeDouble();
    /// Replaces the LOWCONF voxels of the waiting tiles by canonical values. False if stopped.
    [[nodiscard]] bool repair();
    /// The outcome of the run; clears the map of tiles that are not finished.
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
    std::vector<base::Image<std::int16_t>> m_steps; ///< of each worker; made when it is needed
    std::vector<WorkerTally> m_tallies;
    std::mutex m_lock; // guards m_waiting and the reports of finished regions
    std::vector<Waiting> m_waiting;
};

} // namespace flcc::cpu
