#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <stop_token>
#include <tuple>
#include <vector>

#include "engine/cpu/half_transform.h"
#include "engine/cpu/score_pass.h"
#include "engine/cpu/template_blocks.h"
#include "engine/cpu/template_spectra.h"
#include "engine/method/canonical.h"

/// Karas Algorithm 1 (METHODS 3.4): what a run needs, and the run.
namespace flcc::cpu {

/// Everything that depends on the template alone.
class BlockedPrepared final : public method::Prepared {
  public:
    BlockedPrepared(const method::Problem& problem, const base::Extents& points,
                    const method::MaskedView& templ, base::TilePool& pool);

    [[nodiscard]] const method::CanonicalTemplate& canonical() const { return m_canonical; }
    [[nodiscard]] const std::optional<IntegerTemplate>& integers() const { return m_integers; }
    [[nodiscard]] const TemplateSpectra& spectra() const { return m_spectra; }

    struct Block {
        double norm = 0; ///< ||block||
        double sum = 0;
        double root = 0; ///< square root of its voxels
    };
    [[nodiscard]] const std::vector<Block>& blocks() const { return m_blocks; }

  private:
    method::CanonicalTemplate m_canonical;
    TemplateSpectra m_spectra;
    std::optional<IntegerTemplate> m_integers;
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
template <class Precision> struct BlockBuffers {
    using Value = typename Precision::Value;

    /// A segment in the ring: its voxels less their mean, which no error of a transform sees then.
    struct Segment {
        double mean = 0;
        double norm = 0;
    };
    struct Worker {
        base::Image<Value> data;
        base::Image<Value> sum;
        std::vector<typename HalfTransform<Precision>::Scratch> scratch;
    };

    HalfTransform<Precision> transform;
    std::int64_t spectrumValues;
    base::Image<Value> ring;
    std::vector<Segment> segments;
    std::vector<std::int64_t>
        layers; ///< the layer of segments in each place of the ring, -1 = none
    base::Image<Value> x;
    base::Image<Value> numerators;
    std::vector<Worker> workers;

    BlockBuffers(const method::Problem& problem, const TemplateBlocks& blocks,
                 const base::Extents& points, int threads)
        : transform(points), spectrumValues(HalfTransform<Precision>::spectrumValues(points)),
          ring({slots(blocks) * spectrumValues, 1, 1}),
          segments(static_cast<std::size_t>(slots(blocks))),
          layers(static_cast<std::size_t>(blocks.slow().templateBlocks)),
          x({base::voxelCount(batchFootprint(problem, blocks)) + simd::kSlack, 1, 1}),
          numerators({base::voxelCount(batchExtents(problem, blocks)) + simd::kSlack, 1, 1}) {
        for (int i = 0; i < threads; ++i) {
            workers.push_back(
                {base::Image<Value>({HalfTransform<Precision>::bufferValues(points), 1, 1}),
                 base::Image<Value>({spectrumValues, 1, 1}),
                 {}});
            workers.back().scratch.push_back(transform.makeScratch());
        }
    }

    static std::int64_t slots(const TemplateBlocks& blocks) {
        return blocks.slow().templateBlocks * blocks.segmentsOfLayer();
    }
    static std::int64_t bytes(const method::Problem& problem, const TemplateBlocks& blocks,
                              const base::Extents& points, int threads) {
        using Transform = HalfTransform<Precision>;
        return static_cast<std::int64_t>(sizeof(Value)) *
               (slots(blocks) * Transform::spectrumValues(points) +
                base::voxelCount(batchFootprint(problem, blocks)) +
                base::voxelCount(batchExtents(problem, blocks)) +
                threads * (Transform::bufferValues(points) + Transform::spectrumValues(points) +
                           Transform::scratchValues(points)));
    }
};

class BlockedWorkspace final : public method::Workspace {
  public:
    /// Those of one precision at a time.
    template <class Precision, class... Arguments>
    [[nodiscard]] BlockBuffers<Precision>& of(const Arguments&... arguments) {
        using Buffers = std::unique_ptr<BlockBuffers<Precision>>;
        if (!std::get<Buffers>(m_buffers)) {
            m_buffers = {};
            std::get<Buffers>(m_buffers) = std::make_unique<BlockBuffers<Precision>>(arguments...);
        }
        return *std::get<Buffers>(m_buffers);
    }

  private:
    std::tuple<std::unique_ptr<BlockBuffers<Single>>, std::unique_ptr<BlockBuffers<Double>>>
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
template <class Precision>
[[nodiscard]] bool runBlocks(const BlockedInput& run, const std::vector<base::Box>& tiles,
                             BlockedWorkspace& workspace, ScorePass& pass);

} // namespace flcc::cpu
