#pragma once

#include <array>
#include <chrono>
#include <cstdint>
#include <optional>
#include <type_traits>
#include <vector>

#include "engine/base/pixels.h"
#include "engine/cpu/score/integer_template.h"
#include "engine/cpu/score/masked_sums.h"
#include "engine/cpu/simd/kernels.h"
#include "engine/cpu/tile/tile_loader.h"
#include "engine/cpu/transform/tile_transform.h"
#include "engine/method/canonical.h"
#include "engine/method/match_map.h"
#include "engine/method/method.h"
#include "engine/method/problem.h"

namespace flcc::cpu {

/// The terms of the error bound that depend on how the numerator was computed
/// (engine/method/NUMERICS.md, section 5).
struct BoundTerms {
    double numerator = 0; ///< divided by sqrt(D)
    double worst = 0;     ///< divided by sqrt(D); another bound on the same error, 0 = none
    double score = 0;     ///< times |r|
    double panel = 0;     ///< times K
    // For integer numerators: sums over the template's steps. Only the score itself is rounded.
    double templSum = 0;
    double templNorm = 1; ///< ||b - mean||
    const IntegerTemplate* integers = nullptr;
    /// Products of whole numbers and their sums are exact while below 2^53.
    bool wholeSums = false;
    /// For numerators with That less a level, which the scorer adds times s1: the level.
    double templLevel = 0;
};
/// Unit roundoffs: `unit` of directTerms() and fourierTerms() is that of the numerators. `energies`
/// and `exact` are those of the tile, `points` those of its transform.
inline constexpr double kUnitSingle = 0x1p-24;
inline constexpr double kUnitDouble = 0x1p-53;
template <class Real>
inline constexpr double kUnitOf = std::is_same_v<Real, float> ? kUnitSingle : kUnitDouble;
[[nodiscard]] BoundTerms directTerms(const base::Extents& m, double unit);
[[nodiscard]] BoundTerms fourierTerms(const base::Extents& points, const base::Extents& m,
                                      const TileEnergies& energies, bool exact, double unit);

/// The factor of K^2 in the bound on a score from window sums by additions only.
[[nodiscard]] double sumsBound(const base::Extents& m);

/// Clock of one worker: milliseconds spent in each stage of a run.
class StageClock {
  public:
    /// lap() adds the time since start() or the previous lap() to a stage.
    void start() { m_last = Clock::now(); }
    void lap(std::size_t stage) {
        const auto now = Clock::now();
        m_ms[stage] += std::chrono::duration<double, std::milli>(now - m_last).count();
        m_last = now;
    }
    [[nodiscard]] double ms(std::size_t stage) const { return m_ms[stage]; }

  private:
    using Clock = std::chrono::steady_clock;
    Clock::time_point m_last;
    std::array<double, 4> m_ms{};
};

/// Collects the facts of the tiles of one worker; merge() joins those of all workers at the end.
class FactsCollector {
  public:
    void addTile(const simd::ScoreTally& tally, const CentredTile& tile);
    void addRecomputed(std::int64_t voxels);
    void addStatuses(const std::array<std::int64_t, base::kStatusCount>& counts);
    void addBound(float bound);
    void merge(const FactsCollector& other);
    [[nodiscard]] method::MapFacts facts() const;

  private:
    method::MapFacts m_facts;
    // Histogram of a sample of the bounds: eight steps an octave from 2^-32 up.
    std::array<std::int64_t, 512> m_bounds{};
};

/// The result of TileScorer::score() for a tile.
struct TileResult {
    CentredTile tile;
    simd::ScoreTally tally;
    std::int64_t lowConf = 0; ///< voxels with a bound above the promise
    bool inDouble = false;    ///< computed in double
    std::int64_t again = 0;   ///< voxels that scoreAgain() brought within the promise

    /// True if all voxels are OK.
    [[nodiscard]] bool plain() const { return tally.marked == 0 && tile.nonFinite == 0; }
};

/// What the scores of one tile against several templates share: the window sums and what follows
/// from them, and which panels are not finite or flat.
class KeptTile {
  public:
    /// Buffers for tiles of at most `tile` placements.
    explicit KeptTile(const base::Extents& tile)
        : m_sums({simd::keptSums(tile), 1, 1}, 0.0), m_inverses({simd::keptSums(tile) / 2, 1, 1}),
          m_rows({tile.y, tile.z, 1}), m_line({simd::sumsRow(tile.x), 1, 1}, 0.0F),
          m_marks({simd::sumsRow(tile.x), 1, 1}) {}
    [[nodiscard]] static std::int64_t bytes(const base::Extents& tile) {
        return 10 * simd::keptSums(tile) + 5 * simd::sumsRow(tile.x) +
               static_cast<std::int64_t>(sizeof(simd::KeptRow)) * tile.y * tile.z;
    }
    /// Must be called before the first template of another tile.
    void forget() {
        m_known = false;
        m_worst.clear();
        m_panels = {};
        m_masked = {};
    }

    /// For sums under a mask, which the caller makes: where those of a tile of `out` placements go.
    [[nodiscard]] SumsRows rowsOf(const base::Extents& out) {
        return {m_sums.data(), simd::sumsRow(out.x), out.y};
    }
    /// The sums are those of the tile `seen` under a mask, with these errors. `flat` stays known.
    void setMasked(const MaskedSums& sums) {
        m_masked = sums;
        m_known = false;
        m_worst.clear();
        m_panels.touched.clear();
    }
    [[nodiscard]] const MaskedSums& masked() const { return m_masked; }
    /// Takes the sums under a mask of the part `box` of another tile, of `out` placements.
    void copyMasked(KeptTile& from, const base::Extents& out, const base::Box& box);

  private:
    friend class TileScorer;
    /// Of the rows of a tile of `out` placements but the last one, those whose bounds can be the
    /// largest. One of variance 0 if not all rows have one bound.
    void findWorstRows(const base::Extents& out);

    struct Panels {
        std::vector<std::uint8_t> touched; ///< result of nonFinitePanels(); empty until needed
        std::vector<std::uint8_t> flat;    ///< result of flatPanels(); empty until needed
    };
    base::Image<double> m_sums;
    base::Image<float> m_inverses;
    base::Image<simd::KeptRow> m_rows;
    std::vector<simd::KeptRow> m_worst; ///< result of worstRows(); empty until needed
    base::Image<float> m_line;          ///< scores of one row
    base::Image<std::uint8_t> m_marks;  ///< and their statuses
    bool m_known = false;
    Panels m_panels;
    MaskedSums m_masked; ///< without a mask: the scorer makes the sums
};

/// The input of scoreAgain().
struct AgainInput {
    simd::FloatBox x; ///< voxels of the tile
    const method::CanonicalTemplate& templ;
    const IntegerTemplate* integers = nullptr; ///< null if there is none, or no `steps`
    /// Scratch of stepsRoom() elements.
    std::int16_t* steps = nullptr;
    const MaskedSums* masked = nullptr; ///< the sums under the template's mask, if it has one

    /// Elements of scratch that the voxels under a tile of `out` placements take as 16-bit steps.
    [[nodiscard]] static std::int64_t stepsRoom(const base::Extents& m, const base::Extents& out) {
        return (out.x + m.x - 1) * (out.y + m.y - 1) * (out.z + m.z - 1) + simd::kSlack;
    }
};

/// The part that all CPU methods share: turns centred voxels and numerators of a tile into scores,
/// statuses and bounds in the map, and recomputes scores that break the promise
/// (engine/method/NUMERICS.md, sections 2, 5 and 6). One for each worker.
class TileScorer {
  public:
    /// Buffers for tiles of at most `tile` placements.
    TileScorer(const base::Extents& m, const base::Extents& tile);

    /// Bytes of the buffers that are written. `additions`: not all window sums are running sums.
    [[nodiscard]] static std::int64_t bytes(const base::Extents& m, const base::Extents& tile,
                                            bool additions);

    /// Scores the placements `out` of the scene into `part`, which is their part of the map. The
    /// first template of a tile fills `kept`; the scores of further templates come from it and do
    /// not read x. Neither do scores under a mask, whose sums `kept` holds.
    template <class Real, class Numerator>
    [[nodiscard]] TileResult
    score(const method::Problem& problem, const base::AnyView& scene, const base::Box& out,
          const simd::VoxelBox<Real>& x, const simd::VoxelBox<Numerator>& numerator,
          const CentredTile& tile, const BoundTerms& terms, const method::CanonicalTemplate& templ,
          const method::MapView& part, KeptTile* kept = nullptr);

    /// Merges the scores of a further template of a bank into the best ones, row by row, where the
    /// sums of `kept` show that all are OK. `merge` says where; its rows are those of `kept`. Empty
    /// if the scores must take the way over score().
    [[nodiscard]] std::optional<TileResult> merge(const method::Problem& problem,
                                                  const base::Extents& out,
                                                  const simd::FloatBox& numerator,
                                                  const CentredTile& tile, const BoundTerms& terms,
                                                  KeptTile& kept, simd::MergeArguments& merge);

    /// Computes the LOWCONF voxels of the last score() again, with numerators by the definition
    /// from the voxels of the tile. The numerators are computed in double, or in integers if that
    /// is exact and costs less. Voxels that still break the promise keep their value and status.
    /// Does nothing if the problem does not recompute, or if the whole tile in double would cost
    /// less, `doubleNs` nanoseconds.
    void scoreAgain(const method::Problem& problem, const AgainInput& input,
                    const method::MapView& part, double doubleNs, TileResult& result);

    /// Replaces scores that break the promise by canonical values, if the problem recomputes, and
    /// adds the facts of the tile to `collector`.
    void finish(const method::Problem& problem, const base::AnyView& scene, const base::Box& out,
                const method::CanonicalTemplate& templ, const TileResult& result,
                const method::MapView& part, FactsCollector& collector);

    /// True if the tile in double, which costs `doubleNs` nanoseconds, is cheaper than the
    /// canonical values of its LOWCONF voxels.
    [[nodiscard]] static bool wantsDouble(const method::Problem& problem, const TileResult& result,
                                          double doubleNs);

  private:
    /// Gives the voxels whose sums say nothing their canonical values.
    static void decide(const method::Problem& problem, const base::AnyView& scene,
                       const base::Box& out, const method::CanonicalTemplate& templ,
                       const method::MapView& part, TileResult& result);

    base::Extents m_tile;
    base::Image<double> m_scratch;
    base::Image<float> m_bounds;
    simd::LowPanels m_low; ///< LOWCONF voxels of the last tile
};

} // namespace flcc::cpu
