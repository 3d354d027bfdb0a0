#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <stop_token>
#include <tuple>
#include <vector>

#include "engine/cpu/score_pass.h"
#include "engine/cpu/template_blocks.h"
#include "engine/cpu/template_spectra.h"
#include "engine/cpu/tile_grid.h"
#include "engine/cpu/tile_transform.h"
#include "engine/method/canonical.h"

/// Karas Algorithm 1 (METHODS 3.4): what a run needs, and the run.
namespace flcc::cpu {

/// Everything that depends on the template alone.
class BlockedPrepared final : public method::Prepared {
  public:
    BlockedPrepared(const method::Problem& problem, const base::Extents& points,
                    const method::MaskedView& templ, base::TilePool& pool);

    [[nodiscard]] const TemplateForms& forms() const { return m_forms; }
    [[nodiscard]] const TemplateSpectra& spectra() const { return m_spectra; }

    struct Block {
        double norm = 0; ///< ||block||
        double sum = 0;
        double root = 0; ///< square root of its voxels
    };
    [[nodiscard]] const std::vector<Block>& blocks() const { return m_blocks; }

  private:
    TemplateForms m_forms;
    TemplateSpectra m_spectra;
    std::vector<Block> m_blocks;
};

/// The map of the layers of output blocks that are done together, as long as the longest of them.
[[nodiscard]] base::Extents batchExtents(const method::Problem& problem,
                                         const TemplateBlocks& blocks);

/// The scene voxels that its placements see.
[[nodiscard]] base::Extents batchFootprint(const method::Problem& problem,
                                           const TemplateBlocks& blocks);

/// The spectra of the segments that the next output blocks need, layer after layer in a ring, and
/// what the scores of a batch are made of.
template <class Real> struct BlockBuffers {
    /// A segment in the ring: its voxels less their mean, which no error of a transform sees then.
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
    std::vector<std::int64_t>
        layers; ///< the layer of segments in each place of the ring, -1 = none
    base::Image<Real> x;
    base::Image<Real> numerators;
    std::vector<Worker> workers;

    BlockBuffers(const method::Problem& problem, const TemplateBlocks& blocks,
                 const base::Extents& points, int threads)
        : transform(TileTransform<Real>::of(points)),
          spectrumValues(TileTransform<Real>::spectrumValues(points)), slotValues(slotOf(points)),
          ring({slots(blocks) * slotValues, 1, 1}),
          segments(static_cast<std::size_t>(slots(blocks))),
          layers(static_cast<std::size_t>(blocks.slow().templateBlocks)),
          x({base::voxelCount(batchFootprint(problem, blocks)) + simd::kSlack, 1, 1}),
          numerators({base::voxelCount(batchExtents(problem, blocks)) + simd::kSlack, 1, 1}) {
        for (int i = 0; i < threads; ++i) {
            workers.push_back({base::Image<Real>({tileValues(points), 1, 1}),
                               base::Image<Real>({spectrumValues, 1, 1}),
                               base::Image<Real>({spectrumValues, 1, 1})});
        }
    }

    static std::int64_t slots(const TemplateBlocks& blocks) {
        return blocks.slow().templateBlocks * blocks.segmentsOfLayer();
    }
    static std::int64_t bytes(const method::Problem& problem, const TemplateBlocks& blocks,
                              const base::Extents& points, int threads) {
        return static_cast<std::int64_t>(sizeof(Real)) *
                   ((slots(blocks) + 2 * threads) * slotOf(points) + threads * tileValues(points) +
                    base::voxelCount(batchFootprint(problem, blocks)) +
                    base::voxelCount(batchExtents(problem, blocks))) +
               threads * TileTransform<Real>::scratchBytes(points);
    }

  private:
    /// So many values that every spectrum is as aligned as the first one.
    static std::int64_t slotOf(const base::Extents& points) {
        return roundUp(TileTransform<Real>::spectrumValues(points), TileTransform<Real>::kTogether);
    }
    static std::int64_t tileValues(const base::Extents& points) {
        return base::voxelCount(points) + TileTransform<Real>::kZeros;
    }
};

class BlockedWorkspace final : public method::Workspace {
  public:
    /// Those of one precision at a time.
    template <class Real, class... Arguments>
    [[nodiscard]] BlockBuffers<Real>& of(const Arguments&... arguments) {
        using Buffers = std::unique_ptr<BlockBuffers<Real>>;
        if (!std::get<Buffers>(m_buffers)) {
            m_buffers = {};
            std::get<Buffers>(m_buffers) = std::make_unique<BlockBuffers<Real>>(arguments...);
        }
        return *std::get<Buffers>(m_buffers);
    }

  private:
    std::tuple<std::unique_ptr<BlockBuffers<float>>, std::unique_ptr<BlockBuffers<double>>>
        m_buffers;
};

/// What all parts of a run share.
struct BlockedInput {
    const method::Problem& problem;
    const base::Extents& points;
    const TemplateBlocks& blocks;
    const BlockedPrepared& templ;
    const base::AnyView& scene;
    int threads;
    std::stop_token stop;
};

/// The tiles of a map, each in one batch.
[[nodiscard]] std::vector<base::Box> tilesOf(const method::Problem& problem,
                                             const TemplateBlocks& blocks);

/// Makes the numerators of `tiles` and has them scored. Output blocks are done layer by layer; a
/// segment is transformed once and serves every block that needs it. False when stopped.
template <class Real>
[[nodiscard]] bool runBlocks(const BlockedInput& run, const std::vector<base::Box>& tiles,
                             BlockedWorkspace& workspace, ScorePass& pass);

} // namespace flcc::cpu
