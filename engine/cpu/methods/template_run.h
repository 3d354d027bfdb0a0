#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <stop_token>
#include <vector>

#include "engine/cpu/common/tile_grid.h"
#include "engine/cpu/score/score_pass.h"
#include "engine/cpu/score/tile_run.h"
#include "engine/cpu/tile/template_blocks.h"
#include "engine/cpu/tile/template_spectra.h"
#include "engine/cpu/transform/tile_transform.h"
#include "engine/method/canonical.h"

/// Method `tiled-template` (Karas Algorithm 1): what a run needs, and the run.
namespace flcc::cpu {

/// Everything that method `tiled-template` prepares from a template alone.
class BlockedPrepared final : public method::Prepared {
  public:
    BlockedPrepared(const method::Problem& problem, const TransformShape& points,
                    const method::MaskedView& templ, base::TilePool& pool);

    [[nodiscard]] const TemplateForms& forms() const { return m_forms; }
    [[nodiscard]] const TemplateSpectra& spectra() const { return m_spectra; }

    struct Block {
        double norm = 0; ///< ||block||
        double sum = 0;
        double root = 0; ///< square root of its number of voxels
    };
    [[nodiscard]] const std::vector<Block>& blocks() const { return m_blocks; }

  private:
    TemplateForms m_forms;
    TemplateSpectra m_spectra;
    std::vector<Block> m_blocks;
};

/// Placements whose numerators are computed in one go: a whole map or a box of it.
struct BlockedPart {
    method::Problem problem; ///< its scene is the footprint of the placements
    TemplateBlocks blocks;
    std::int64_t layers; ///< layers of output blocks in a batch, which is scored together

    BlockedPart(const method::Problem& whole, const TransformShape& points);
    /// The same for a box of `placements` that lies in one batch.
    [[nodiscard]] BlockedPart of(const base::Extents& placements) const;

    /// Extents of the placements of a batch; the last batch may be shorter.
    [[nodiscard]] base::Extents batchExtents() const;
    /// Extents of the scene voxels under a batch.
    [[nodiscard]] base::Extents batchFootprint() const;
};

/// Spectra of the scene segments that the next output blocks need, in a ring of layers, and the
/// voxels and numerators of a batch.
template <class Real> struct BlockBuffers {
    /// A segment in the ring. Its mean is subtracted before the transform, so that the transform's
    /// rounding errors follow local contrast.
    struct Segment {
        double mean = 0;
        double norm = 0;
    };
    struct Worker {
        base::Image<Real> tile; ///< a segment, or an output block
        base::Image<Real> sum;
        base::Image<Real> work;
    };

    std::shared_ptr<const TileTransform<Real>> transform;
    std::int64_t spectrumValues;
    std::int64_t slotValues; ///< from one spectrum of the ring to the next
    base::Image<Real> ring;
    std::vector<Segment> segments;
    std::vector<std::int64_t> layers; ///< the layer of segments in each slot of the ring, -1 = none
    base::Image<Real> x;
    base::Image<Real> numerators;
    std::vector<Worker> workers;

    BlockBuffers(const BlockedPart& part, const TransformShape& points, int threads)
        : transform(TileTransform<Real>::of(points)),
          spectrumValues(TileTransform<Real>::spectrumValues(points)), slotValues(slotOf(points)),
          ring({slots(part.blocks) * slotValues, 1, 1}),
          segments(static_cast<std::size_t>(slots(part.blocks))),
          layers(static_cast<std::size_t>(part.blocks.slow().templateBlocks)),
          x({base::voxelCount(part.batchFootprint()) + simd::kSlack, 1, 1}),
          numerators({base::voxelCount(part.batchExtents()) + simd::kSlack, 1, 1}) {
        for (int i = 0; i < threads; ++i) {
            workers.push_back({base::Image<Real>({tileValues(points), 1, 1}),
                               base::Image<Real>({spectrumValues, 1, 1}),
                               base::Image<Real>({spectrumValues, 1, 1})});
        }
    }

    static std::int64_t slots(const TemplateBlocks& blocks) {
        return blocks.slow().templateBlocks * blocks.segmentsOfLayer();
    }
    static std::int64_t bytes(const BlockedPart& part, const TransformShape& points, int threads) {
        return static_cast<std::int64_t>(sizeof(Real)) *
                   ((slots(part.blocks) + 2 * threads) * slotOf(points) +
                    threads * tileValues(points) + base::voxelCount(part.batchFootprint()) +
                    base::voxelCount(part.batchExtents())) +
               threads * TileTransform<Real>::scratchBytes(points);
    }

  private:
    /// Values of a slot: a spectrum, rounded up so that every spectrum is as aligned as the first.
    static std::int64_t slotOf(const TransformShape& points) {
        return roundUp(TileTransform<Real>::spectrumValues(points), TileTransform<Real>::kTogether);
    }
    static std::int64_t tileValues(const TransformShape& points) {
        return base::voxelCount(points) + TileTransform<Real>::kZeros;
    }
};

using BlockedWorkspace = PrecisionBuffers<BlockBuffers>;

/// The input that all parts of a run share.
struct BlockedInput {
    const TransformShape& points;
    const BlockedPrepared& templ;
    int threads;
    std::stop_token stop;
};

/// A part and its place in the map.
struct PlacedPart {
    const BlockedPart& part;
    const BlockedPart& most; ///< the largest part in this precision, which sizes the buffers
    base::Index corner;      ///< of the part's placements in the map
    base::AnyView scene;     ///< the scene voxels under these placements
};

/// The score tiles of a map; each lies within one batch.
[[nodiscard]] std::vector<base::Box> tilesOf(const BlockedPart& whole);

/// Computes the numerators of `tiles` of the map, which lie in `at`, and passes them to `pass` to
/// be scored. Output blocks are computed layer by layer; a segment is transformed once and serves
/// every block that needs it. False if stopped.
template <class Real>
[[nodiscard]] bool runBlocks(const BlockedInput& run, const PlacedPart& at,
                             const std::vector<base::Box>& tiles, BlockedWorkspace& workspace,
                             ScorePass& pass);

} // namespace flcc::cpu
