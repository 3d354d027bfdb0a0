#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <memory>
#include <optional>
#include <tuple>
#include <type_traits>
#include <vector>

#include "engine/cpu/operation/operation_run.h"
#include "engine/cpu/score/counted.h"
#include "engine/cpu/score/integer_template.h"
#include "engine/cpu/score/support_run.h"
#include "engine/cpu/score/tile_run.h"
#include "engine/cpu/tile/correlator.h"
#include "engine/method/canonical.h"

/// Method `direct`: what a run of tiles by the definition needs, and the run.
namespace flcc::cpu {

/// The canonical template in both precisions, x fastest.
class DirectPrepared final : public method::Prepared {
  public:
    DirectPrepared(const method::Problem& problem, const method::MaskedView& templ,
                   base::TilePool& pool)
        : m_forms(TemplateForms::of(problem, templ, pool)), m_weights(canonical().extents()) {
        requireNamedMask(problem, canonical());
        if (needsSupport(problem)) {
            m_general.emplace(problem, canonical(), templ, TransformShape{});
        }
        const base::Image<double>& values = canonical().values();
        std::transform(values.data(), values.data() + values.count(), m_weights.data(),
                       [](double value) { return static_cast<float>(value); });
    }
    [[nodiscard]] const method::CanonicalTemplate& canonical() const { return m_forms.canonical; }
    /// Empty if all tiles are plain boxes inside the scene.
    [[nodiscard]] const std::optional<OperationPrepared>& general() const { return m_general; }
    [[nodiscard]] const IntegerTemplate* integers() const {
        return m_forms.integers ? &*m_forms.integers : nullptr;
    }
    template <class Real> [[nodiscard]] const Real* weights() const {
        if constexpr (std::is_same_v<Real, float>) {
            return m_weights.data();
        } else {
            return canonical().values().data();
        }
    }

    /// Bytes of what general tiles need; 0 without any.
    [[nodiscard]] static std::int64_t generalBytes(const method::Problem& problem) {
        return needsSupport(problem) ? OperationPrepared::bytes(problem, {}) : 0;
    }

  private:
    TemplateForms m_forms;
    std::optional<OperationPrepared> m_general;
    base::Image<float> m_weights;
};

/// The voxels of a footprint and the numerators of a tile, both rounded up to whole register
/// blocks.
template <class Real> struct DirectTile {
    base::Image<Real> voxels;
    base::Image<Real> numerators;
    simd::VoxelBox<Real> x;
    simd::VoxelBox<Real> num;

    DirectTile(const base::Extents& m, const base::Extents& tile)
        : voxels(directInput(m, tile), Real{0}), numerators(directOutput(tile), Real{0}),
          x(boxOf(voxels)), num(boxOf(numerators)) {}

    static simd::VoxelBox<Real> boxOf(base::Image<Real>& image) {
        return {image.data(), image.extents().x, image.extents().x * image.extents().y};
    }
    static std::int64_t bytes(const base::Extents& m, const base::Extents& tile) {
        constexpr auto kSize = static_cast<std::int64_t>(sizeof(Real));
        return base::byteCount(directInput(m, tile), kSize) +
               base::byteCount(directOutput(tile), kSize);
    }
};

/// The buffers of one worker. Those of a precision are made when they are first needed.
class DirectBuffers {
  public:
    DirectBuffers(const method::Problem& problem, const base::Extents& tile)
        : best(problem, tile), scorer(problem.templ, tile), m_problem(problem), m_m(problem.templ),
          m_extents(tile) {}

    /// The window sums of a tile of a bank in one precision.
    [[nodiscard]] KeptTile& kept(bool inDouble) {
        std::optional<KeptTile>& kept = m_kept[inDouble ? 1 : 0];
        if (!kept) {
            kept.emplace(m_extents);
        }
        return *kept;
    }
    BestTile best;

    /// The buffers of a precision. Those in double and in integers replace each other.
    template <class Real> [[nodiscard]] DirectTile<Real>& tile() {
        auto& tile = std::get<std::unique_ptr<DirectTile<Real>>>(m_tiles);
        if (!tile) {
            if constexpr (!std::is_same_v<Real, float>) {
                using Other =
                    std::conditional_t<std::is_same_v<Real, double>, std::int32_t, double>;
                std::get<std::unique_ptr<DirectTile<Other>>>(m_tiles).reset();
            }
            tile = std::make_unique<DirectTile<Real>>(m_m, m_extents);
        }
        return *tile;
    }

    static std::int64_t bytes(const Counted& counted, const base::Extents& tile) {
        const method::Problem& problem = counted.problem;
        const base::Extents& m = problem.templ;
        const bool single = problem.precision == method::Precision::Single;
        const std::int64_t general =
            needsSupport(problem) ? DirectCorrelator::bytes(problem, tile) : 0;
        const std::int64_t common =
            counted.scorerBytes(tile) + general + BestTile::bytes(problem, tile);
        if (problem.mask) {
            return common;
        }
        const std::int64_t precisions = single && problem.recompute ? 2 : 1;
        return common + (problem.templates > 1 ? precisions * KeptTile::bytes(tile) : 0) +
               (single ? DirectTile<float>::bytes(m, tile) : 0) +
               (!single || problem.recompute ? DirectTile<double>::bytes(m, tile)
                : counted.integers           ? DirectTile<std::int32_t>::bytes(m, tile)
                                             : 0);
    }

    TileScorer scorer;

    /// The values of general tiles.
    [[nodiscard]] PlacementValues& values() {
        if (!m_values) {
            m_values = makeValues(m_problem, m_extents, {});
        }
        return *m_values;
    }

  private:
    method::Problem m_problem;
    base::Extents m_m;
    base::Extents m_extents;
    std::unique_ptr<PlacementValues> m_values;
    std::array<std::optional<KeptTile>, 2> m_kept;
    std::tuple<std::unique_ptr<DirectTile<float>>, std::unique_ptr<DirectTile<double>>,
               std::unique_ptr<DirectTile<std::int32_t>>>
        m_tiles;
};

/// What the tiles of a run of one template or of a bank share.
struct DirectRun {
    const method::Problem& problem;
    std::vector<const DirectPrepared*> templs;
    method::MaskedView scene; ///< has no mask if the mask is all ones
    method::BankView to;      ///< has no index if there is one template
    [[nodiscard]] bool bank() const { return templs.size() > 1; }
    /// Runs the problem in tiles of `tile` placements.
    [[nodiscard]] method::Outcome operator()(const base::Extents& tile,
                                             ThreadBuffers<DirectBuffers>& buffers,
                                             const method::Execution& execution) const;
};

} // namespace flcc::cpu
