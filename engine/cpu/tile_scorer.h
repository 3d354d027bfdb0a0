#pragma once

#include <array>
#include <chrono>
#include <cstdint>
#include <type_traits>
#include <vector>

#include "engine/base/pixels.h"
#include "engine/cpu/integer_template.h"
#include "engine/cpu/simd/kernels.h"
#include "engine/cpu/tile_loader.h"
#include "engine/cpu/tile_transform.h"
#include "engine/method/canonical.h"
#include "engine/method/match_map.h"
#include "engine/method/method.h"
#include "engine/method/problem.h"

namespace flcc::cpu {

/// The terms of the error bound that depend on how the numerator was computed (METHODS 2.2).
struct BoundTerms {
    double numerator = 0; ///< divided by sqrt(D)
    double worst = 0;     ///< divided by sqrt(D); a second bound on the same, 0 = none
    double score = 0;     ///< times |r|
    double panel = 0;     ///< times K
    // Of integer numerators: the template in its integers; the score's is the only rounding left.
    double templSum = 0;
    double templNorm = 1; ///< ||b - mean||
};
/// `unit` is the unit roundoff of the numerators: kUnitSingle, kUnitDouble.
inline constexpr double kUnitSingle = 0x1p-24;
inline constexpr double kUnitDouble = 0x1p-53;
template <class Real>
inline constexpr double kUnitOf = std::is_same_v<Real, float> ? kUnitSingle : kUnitDouble;
[[nodiscard]] BoundTerms directTerms(const base::Extents& m, double unit);
[[nodiscard]] BoundTerms fourierTerms(const base::Extents& points, const base::Extents& m,
                                      const TileEnergies& energies, bool exact, double unit);

/// Milliseconds of the stages of a run, summed over its threads.
class StageClock {
  public:
    /// Adds the time since the last call, or since start(), to a stage.
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

/// Facts of the tiles of one worker, merged at the end.
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
    // A sample of the bounds by size: eight steps an octave from 2^-32 up.
    std::array<std::int64_t, 512> m_bounds{};
};

/// What score() found in a tile.
struct TileResult {
    CentredTile tile;
    simd::ScoreTally tally;
    std::int64_t lowConf = 0; ///< voxels whose bound breaks the promise
    bool inDouble = false;    ///< computed in double
    std::int64_t again = 0;   ///< voxels that scoreAgain() put right

    /// All voxels are OK.
    [[nodiscard]] bool plain() const { return tally.marked == 0 && tile.nonFinite == 0; }
};

/// What scores of one tile against several templates share: its window sums and what follows from
/// them, and which of its panels are not finite or flat.
class KeptTile {
  public:
    /// Room for tiles of at most `tile` placements.
    explicit KeptTile(const base::Extents& tile)
        : m_sums({simd::keptSums(tile), 1, 1}, 0.0), m_inverses({simd::keptSums(tile) / 2, 1, 1}),
          m_rows({tile.y, tile.z, 1}) {}
    [[nodiscard]] static std::int64_t bytes(const base::Extents& tile) {
        return 10 * simd::keptSums(tile) +
               static_cast<std::int64_t>(sizeof(simd::KeptRow)) * tile.y * tile.z;
    }
    /// Before the first template of another tile.
    void forget() {
        m_known = false;
        m_panels = {};
    }

  private:
    friend class TileScorer;
    struct Panels {
        std::vector<std::uint8_t> touched; ///< nonFinitePanels(); empty until asked for
        std::vector<std::uint8_t> flat;    ///< likewise flatPanels()
    };
    base::Image<double> m_sums;
    base::Image<float> m_inverses;
    base::Image<simd::KeptRow> m_rows;
    bool m_known = false;
    Panels m_panels;
};

/// What scoreAgain() makes numerators of.
struct AgainInput {
    simd::FloatBox x; ///< voxels of the tile
    const method::CanonicalTemplate& templ;
    const IntegerTemplate* integers = nullptr; ///< null where there is none, or no `steps`
    /// Room for stepsRoom() elements, of which nothing is kept.
    std::int16_t* steps = nullptr;

    /// Elements that the voxels of a tile of `out` placements take in steps.
    [[nodiscard]] static std::int64_t stepsRoom(const base::Extents& m, const base::Extents& out) {
        return (out.x + m.x - 1) * (out.y + m.y - 1) * (out.z + m.z - 1) + simd::kSlack;
    }
};

/// The part of a tile that all CPU methods share: from centred voxels and numerator to scores,
/// statuses and bounds in the map (METHODS 2.1, 2.2), and what keeps the promise. One for each
/// worker.
class TileScorer {
  public:
    /// Buffers for tiles of at most `tile` placements.
    TileScorer(const base::Extents& m, const base::Extents& tile);

    /// Bytes of the buffers.
    [[nodiscard]] static std::int64_t bytes(const base::Extents& m, const base::Extents& tile);

    /// Fills the part `part` of a map, which is `out` of the scene's placements. `kept` is filled
    /// by the first template of a tile, whose others then need no x.
    template <class Real, class Numerator>
    [[nodiscard]] TileResult score(const method::Problem& problem, const base::AnyView& scene,
                                   const base::Box& out, const simd::VoxelBox<Real>& x,
                                   const simd::VoxelBox<Numerator>& numerator,
                                   const CentredTile& tile, const BoundTerms& terms,
                                   const method::MapView& part, KeptTile* kept = nullptr);

    /// Scores LOWCONF voxels that score() has just found again, with numerators by the definition
    /// from the voxels of the tile, unless the problem forbids it or the tile in double costs less:
    /// `twofoldNs`. The numerators are made in double or, where that is exact and worth bringing
    /// the tile there, in integers. Those that break the promise even then stay as they are.
    void scoreAgain(const method::Problem& problem, const AgainInput& input,
                    const method::MapView& part, double doubleNs, TileResult& result);

    /// Replaces what breaks the promise by canonical values, unless the problem forbids it, and
    /// counts the tile.
    void finish(const method::Problem& problem, const base::AnyView& scene, const base::Box& out,
                const method::CanonicalTemplate& templ, const TileResult& result,
                const method::MapView& part, FactsCollector& collector);

    /// True when a tile in double, which costs `twofoldNs`, costs less than the canonical values of
    /// its LOWCONF voxels.
    [[nodiscard]] static bool wantsDouble(const method::Problem& problem, const TileResult& result,
                                          double doubleNs);

  private:
    base::Extents m_tile;
    base::Image<double> m_scratch;
    base::Image<float> m_bounds;
    simd::LowPanels m_low; ///< of the last tile
};

} // namespace flcc::cpu
