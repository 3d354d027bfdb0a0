#include <algorithm>
#include <cmath>
#include <memory>
#include <string>
#include <tuple>
#include <type_traits>
#include <utility>
#include <vector>

#include "engine/cpu/half_transform.h"
#include "engine/cpu/methods.h"
#include "engine/cpu/scene_frame.h"
#include "engine/cpu/score_pass.h"
#include "engine/cpu/template_blocks.h"
#include "engine/cpu/template_spectra.h"
#include "engine/cpu/tile_transform.h"
#include "engine/method/canonical.h"

namespace flcc::cpu {

namespace {

using base::Box;
using base::Extents;
using base::Image;
using base::Index;
using method::Candidate;
using method::Problem;

enum Stage : std::size_t { kLoad, kTransform, kDenominator };

/// Nanoseconds of a thread that a placement takes in double for each block of the template.
constexpr double kDoubleNs = 60;
/// A transform is done by one thread, which looks for a stop only afterwards.
constexpr std::int64_t kLongest = std::int64_t{1} << 23;
/// Values of a spectrum that are added up for all blocks of the template while they are in cache.
constexpr std::int64_t kChunk = 4096;

class BlockedPrepared final : public method::Prepared {
  public:
    BlockedPrepared(const Problem& problem, const Extents& points, const method::MaskedView& templ)
        : m_canonical(templ),
          m_spectra(
              m_canonical, points,
              TemplateBlocks(problem.scene, problem.templ, points).templateBoxes(problem.templ)) {
        for (const Box& box : m_spectra.blocks()) {
            const auto part = m_canonical.values().view().part(box);
            double squares = 0;
            for (std::int64_t z = 0; z < box.extents.z; ++z) {
                for (std::int64_t y = 0; y < box.extents.y; ++y) {
                    squares += sumOfSquares(part.row(y, z), box.extents.x);
                }
            }
            m_norms.push_back(std::sqrt(squares));
        }
        const auto count = static_cast<std::int64_t>(m_norms.size());
        if (!TemplateSpectra::areMadeAtOnce(points, count)) {
            return;
        }
        if (problem.precision == method::Precision::Single) {
            (void)m_spectra.of<Single>(oneAfterTheOther(), 1, {});
        } else {
            (void)m_spectra.of<Double>(oneAfterTheOther(), 1, {});
        }
    }

    [[nodiscard]] const method::CanonicalTemplate& canonical() const { return m_canonical; }
    [[nodiscard]] const TemplateSpectra& spectra() const { return m_spectra; }
    /// ||block|| of each.
    [[nodiscard]] const std::vector<double>& norms() const { return m_norms; }

  private:
    method::CanonicalTemplate m_canonical;
    TemplateSpectra m_spectra;
    std::vector<double> m_norms;
};

/// Layers of output blocks that are scored together, so that the sums read little twice.
std::int64_t layersTogether(const Problem& problem, const TemplateBlocks& blocks) {
    const Extents tile = ScorePass::tileOf(problem);
    const std::int64_t length = blocks.slowest() == 2 ? tile.z : tile.y;
    return std::clamp<std::int64_t>(length / blocks.slow().outputs, 1, blocks.slow().outputBlocks);
}

/// The map of layers that are done together, as long as the longest of them.
Extents batchExtents(const Problem& problem, const TemplateBlocks& blocks) {
    Extents batch = method::mapExtents(problem);
    std::int64_t& length = blocks.slowest() == 2 ? batch.z : batch.y;
    length = std::min(length, layersTogether(problem, blocks) * blocks.slow().outputs);
    return batch;
}

/// The scene voxels that its placements see.
Extents batchFootprint(const Problem& problem, const TemplateBlocks& blocks) {
    return footprint({{0, 0, 0}, batchExtents(problem, blocks)}, problem.templ).extents;
}

/// The spectra of the segments that the next output blocks need, layer after layer in a ring, and
/// what the scores of a batch are made of.
template <class Precision> struct BlockBuffers {
    using Value = typename Precision::Value;

    struct Worker {
        Image<Value> data;
        Image<Value> sum;
        std::vector<typename HalfTransform<Precision>::Scratch> scratch;
    };

    HalfTransform<Precision> transform;
    std::int64_t spectrumValues;
    Image<Value> ring;
    std::vector<double> norms; ///< of each segment in the ring
    std::vector<std::int64_t>
        layers; ///< the layer of segments in each place of the ring, -1 = none
    Image<Value> x;
    Image<Value> numerators;
    std::vector<Worker> workers;

    BlockBuffers(const Problem& problem, const TemplateBlocks& blocks, const Extents& points,
                 int threads)
        : transform(points), spectrumValues(HalfTransform<Precision>::spectrumValues(points)),
          ring(largeBuffer<Value>(slots(blocks) * spectrumValues)),
          norms(static_cast<std::size_t>(slots(blocks))),
          layers(static_cast<std::size_t>(blocks.slow().templateBlocks)),
          x(largeBuffer<Value>(base::voxelCount(batchFootprint(problem, blocks)) + simd::kSlack)),
          numerators(
              largeBuffer<Value>(base::voxelCount(batchExtents(problem, blocks)) + simd::kSlack)) {
        for (int i = 0; i < threads; ++i) {
            workers.push_back({Image<Value>({HalfTransform<Precision>::bufferValues(points), 1, 1}),
                               Image<Value>({spectrumValues, 1, 1}),
                               {}});
            workers.back().scratch.push_back(transform.makeScratch());
        }
    }

    static std::int64_t slots(const TemplateBlocks& blocks) {
        return blocks.slow().templateBlocks * blocks.segmentsOfLayer();
    }
    static std::int64_t bytes(const Problem& problem, const TemplateBlocks& blocks,
                              const Extents& points, int threads) {
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
struct Run {
    const Problem& problem;
    const Extents& points;
    const TemplateBlocks& blocks;
    const BlockedPrepared& templ;
    const base::AnyView& scene;
    int threads;
    std::stop_token stop;
};

/// One run in one precision.
template <class Precision> class BlockedRun {
  public:
    using Value = typename Precision::Value;

    BlockedRun(const Run& run, BlockBuffers<Precision>& buffers, const SceneFrame& frame,
               const TemplateSpectra::Spectra<Precision>& templ, ScorePass& pass)
        : m_run(run), m_blocks(run.blocks), m_own(buffers), m_frame(frame), m_templ(templ),
          m_pass(pass), m_bounds(static_cast<std::size_t>(layersTogether(run.problem, run.blocks) *
                                                          run.blocks.blocksOfLayer())) {
        std::fill(m_own.layers.begin(), m_own.layers.end(), -1);
    }

    /// Numerators of the layers that `tiles` lie in, and their scores. False when stopped.
    bool operator()(const std::vector<Box>& tiles) {
        const std::int64_t together = layersTogether(m_run.problem, m_blocks);
        const std::int64_t step = together * m_blocks.slow().outputs;
        for (std::int64_t first = 0; first < m_blocks.slow().outputBlocks; first += together) {
            std::vector<Box> mine;
            std::copy_if(tiles.begin(), tiles.end(), std::back_inserter(mine), [&](const Box& box) {
                return slowOf(box.corner) / step == first / together;
            });
            if (mine.empty()) {
                continue;
            }
            const std::int64_t end = std::min(first + together, m_blocks.slow().outputBlocks);
            bool done = loadBatch(first);
            for (std::int64_t layer = first; done && layer < end; ++layer) {
                done = addSegments(layer) && addOutputs(layer, first);
            }
            if (!done || !scoreBatch(mine, first)) {
                return false;
            }
        }
        return true;
    }

  private:
    [[nodiscard]] bool volume() const { return m_blocks.slowest() == 2; }
    [[nodiscard]] std::int64_t slowOf(const Index& index) const {
        return volume() ? index.z : index.y;
    }
    /// Index (x, the other fast axis) and place along the slow one to an index.
    [[nodiscard]] Index indexOf(std::int64_t x, std::int64_t other, std::int64_t slow) const {
        return volume() ? Index{x, other, slow} : Index{x, slow, other};
    }
    [[nodiscard]] const BlockedAxis& other() const {
        return volume() ? m_blocks.y() : m_blocks.z();
    }
    [[nodiscard]] Index cornerOf(const Index& block) const {
        return {block.x * m_blocks.x().outputs, block.y * m_blocks.y().outputs,
                block.z * m_blocks.z().outputs};
    }
    [[nodiscard]] std::int64_t slotOf(const Index& segment) const {
        const std::int64_t rest = volume() ? segment.y : segment.z;
        return slowOf(segment) % m_blocks.slow().templateBlocks * m_blocks.segmentsOfLayer() +
               rest * m_blocks.x().segments() + segment.x;
    }
    [[nodiscard]] Index batchCorner(std::int64_t first) const {
        return indexOf(0, 0, first * m_blocks.slow().outputs);
    }

    /// Scene voxels that the placements of a batch see.
    bool loadBatch(std::int64_t first) {
        const Extents& n = m_run.problem.scene;
        const Index corner = batchCorner(first);
        Extents seen = batchFootprint(m_run.problem, m_blocks);
        seen = {n.x, std::min(seen.y, n.y - corner.y), std::min(seen.z, n.z - corner.z)};
        const simd::RealBox<Value> x = xBox();
        return forRows(m_pass.items(kLoad), seen, n.x,
                       [&](std::int64_t y, std::int64_t z, std::int64_t) {
                           m_frame.place(m_run.scene, {0, corner.y + y, corner.z + z}, n.x,
                                         x.data + z * x.sliceStride + y * x.rowStride);
                       });
    }

    [[nodiscard]] simd::RealBox<Value> xBox() {
        const Extents seen = batchFootprint(m_run.problem, m_blocks);
        return {m_own.x.data(), seen.x, seen.x * seen.y};
    }
    [[nodiscard]] simd::RealBox<Value> numeratorBox() {
        const Extents batch = batchExtents(m_run.problem, m_blocks);
        return {m_own.numerators.data(), batch.x, batch.x * batch.y};
    }

    /// The spectra of the segments that a layer of output blocks needs and the ring does not hold.
    bool addSegments(std::int64_t layer) {
        std::vector<std::int64_t> missing;
        const std::int64_t places = m_blocks.slow().templateBlocks;
        for (std::int64_t of = layer; of < layer + places; ++of) {
            std::int64_t& held = m_own.layers[static_cast<std::size_t>(of % places)];
            if (held != of) {
                held = -1; // until it is there
                missing.push_back(of);
            }
        }
        const std::int64_t perLayer = m_blocks.segmentsOfLayer();
        const bool done = m_pass.items(kTransform)(
            static_cast<std::int64_t>(missing.size()) * perLayer,
            [&](std::int64_t item, int worker) {
                const std::int64_t width = m_blocks.x().segments();
                const std::int64_t rest = item % perLayer;
                transformSegment(indexOf(rest % width, rest / width,
                                         missing[static_cast<std::size_t>(item / perLayer)]),
                                 worker);
            });
        for (std::size_t i = 0; done && i < missing.size(); ++i) {
            m_own.layers[static_cast<std::size_t>(missing[i] % places)] = missing[i];
        }
        return done;
    }

    void transformSegment(const Index& segment, int worker) {
        auto& own = m_own.workers[static_cast<std::size_t>(worker)];
        const HalfTransform<Precision>& transform = m_own.transform;
        const Extents& n = m_run.problem.scene;
        const Extents& points = m_run.points;
        const Index corner = cornerOf(segment);
        const Extents used{std::min(points.x, n.x - corner.x), std::min(points.y, n.y - corner.y),
                           std::min(points.z, n.z - corner.z)};
        double squares = 0;
        for (std::int64_t z = 0; z < used.z; ++z) {
            for (std::int64_t y = 0; y < used.y; ++y) {
                Value* const row =
                    own.data.data() + z * transform.sliceStride() + y * transform.rowStride();
                m_frame.place(m_run.scene, {corner.x, corner.y + y, corner.z + z}, used.x, row);
                std::fill(row + used.x, row + points.x, Value{0});
                squares += sumOfSquares(row, used.x);
            }
        }
        const std::int64_t slot = slotOf(segment);
        m_own.norms[static_cast<std::size_t>(slot)] = std::sqrt(squares);
        Value* const to = m_own.ring.data() + slot * m_own.spectrumValues;
        const std::int64_t stride = transform.lineStride();
        (void)transform.forward(
            oneAfterTheOther(), own.data.data(), used,
            [&](std::int64_t line, const Value* values) {
                std::copy_n(values, stride, to + line * stride);
            },
            own.scratch);
    }

    /// The numerators of a layer of output blocks.
    bool addOutputs(std::int64_t layer, std::int64_t first) {
        const std::int64_t width = m_blocks.x().outputBlocks;
        return m_pass.items(
            kTransform)(m_blocks.blocksOfLayer(), [&](std::int64_t item, int worker) {
            const Index block = indexOf(item % width, item / width, layer);
            m_bounds[static_cast<std::size_t>((layer - first) * m_blocks.blocksOfLayer() + item)] =
                correlateBlock(block, worker);
            placeBlock(block, first, worker);
        });
    }

    /// The circular output of a block; returns sum ||segment|| ||block of the template||.
    double correlateBlock(const Index& block, int worker) {
        auto& own = m_own.workers[static_cast<std::size_t>(worker)];
        std::vector<const Value*> segments;
        double norms = 0;
        for (std::int64_t k = 0; k < m_blocks.z().templateBlocks; ++k) {
            for (std::int64_t j = 0; j < m_blocks.y().templateBlocks; ++j) {
                for (std::int64_t i = 0; i < m_blocks.x().templateBlocks; ++i) {
                    const std::int64_t slot = slotOf({block.x + i, block.y + j, block.z + k});
                    norms += m_own.norms[static_cast<std::size_t>(slot)] *
                             m_run.templ.norms()[segments.size()];
                    segments.push_back(m_own.ring.data() + slot * m_own.spectrumValues);
                }
            }
        }
        Value* const sum = own.sum.data();
        for (std::int64_t from = 0; from < m_own.spectrumValues; from += kChunk) {
            const std::int64_t values = std::min(kChunk, m_own.spectrumValues - from);
            std::fill_n(sum + from, values, Value{0});
            for (std::size_t j = 0; j < segments.size(); ++j) {
                simd::addSpectra(segments[j] + from, m_templ[j].data() + from, values / 2,
                                 sum + from);
            }
        }
        (void)m_own.transform.inverse(oneAfterTheOther(), sum, own.data.data(), own.scratch);
        return norms;
    }

    /// The part of an output that is no wrap-around goes to the numerators of the batch.
    void placeBlock(const Index& block, std::int64_t first, int worker) {
        const Value* const data = m_own.workers[static_cast<std::size_t>(worker)].data.data();
        const Extents map = method::mapExtents(m_run.problem);
        const Index corner = cornerOf(block);
        const Index start = batchCorner(first);
        const Extents valid{std::min(m_blocks.x().outputs, map.x - corner.x),
                            std::min(m_blocks.y().outputs, map.y - corner.y),
                            std::min(m_blocks.z().outputs, map.z - corner.z)};
        const simd::RealBox<Value> to = numeratorBox();
        for (std::int64_t z = 0; z < valid.z; ++z) {
            for (std::int64_t y = 0; y < valid.y; ++y) {
                std::copy_n(data + z * m_own.transform.sliceStride() +
                                y * m_own.transform.rowStride(),
                            valid.x,
                            to.data + (corner.z - start.z + z) * to.sliceStride +
                                (corner.y - start.y + y) * to.rowStride + corner.x);
            }
        }
    }

    /// The bounds of 2.2 add up over the blocks of the template: the guarantee of each, as the
    /// lines of the single products are not known, and a rounding of each sum of products.
    [[nodiscard]] BoundTerms termsOf(const Box& tile, std::int64_t first) const {
        const auto blocksOf = [](std::int64_t corner, std::int64_t length,
                                 const BlockedAxis& axis) {
            return std::pair{corner / axis.outputs, (corner + length - 1) / axis.outputs};
        };
        const auto [x0, x1] = blocksOf(tile.corner.x, tile.extents.x, m_blocks.x());
        const auto [y0, y1] = blocksOf(tile.corner.y, tile.extents.y, m_blocks.y());
        const auto [z0, z1] = blocksOf(tile.corner.z, tile.extents.z, m_blocks.z());
        double norms = 0;
        for (std::int64_t z = z0; z <= z1; ++z) {
            for (std::int64_t y = y0; y <= y1; ++y) {
                for (std::int64_t x = x0; x <= x1; ++x) {
                    const std::int64_t rest = volume() ? y : z;
                    const std::int64_t at =
                        ((volume() ? z : y) - first) * m_blocks.blocksOfLayer() +
                        rest * m_blocks.x().outputBlocks + x;
                    norms = std::max(norms, m_bounds[static_cast<std::size_t>(at)]);
                }
            }
        }
        constexpr double kUnit = kUnitOf<Value>;
        const bool exact = m_frame.tile(tile).exact;
        BoundTerms terms = fourierTerms(base::voxelCount(m_run.points), 0, 0, norms, exact, kUnit);
        terms.worst += kUnit * static_cast<double>(m_blocks.templateBlocks() - 1) * norms;
        terms.numerator = terms.worst;
        return terms;
    }

    bool scoreBatch(const std::vector<Box>& tiles, std::int64_t first) {
        const Numerators<Value> numerators{xBox(), numeratorBox(), batchCorner(first)};
        return m_pass.items(kDenominator)(
            static_cast<std::int64_t>(tiles.size()), [&](std::int64_t item, int worker) {
                const Box& tile = tiles[static_cast<std::size_t>(item)];
                m_pass.score<Value>(tile, numerators,
                                    m_frame.tile(footprint(tile, m_run.problem.templ)),
                                    termsOf(tile, first), worker);
            });
    }

    const Run& m_run;
    const TemplateBlocks& m_blocks;
    BlockBuffers<Precision>& m_own;
    const SceneFrame& m_frame;
    const TemplateSpectra::Spectra<Precision>& m_templ;
    ScorePass& m_pass;
    std::vector<double> m_bounds; ///< of each output block of the batch: what termsOf() is made of
};

template <class Precision>
bool runIn(const Run& run, const std::vector<Box>& tiles, BlockedWorkspace& workspace,
           ScorePass& pass) {
    const auto& templ =
        run.templ.spectra().of<Precision>(pass.items(kTransform), run.threads, run.stop);
    if (templ.empty()) {
        return false;
    }
    const auto frame = SceneFrame::of(run.scene, base::voxelCount(run.problem.templ),
                                      std::is_same_v<Precision, Double>, pass.items(kLoad));
    return frame &&
           BlockedRun<Precision>(
               run, workspace.of<Precision>(run.problem, run.blocks, run.points, run.threads),
               *frame, templ, pass)(tiles);
}

/// Tiles that lie in one batch each.
std::vector<Box> tilesOf(const Problem& problem, const TemplateBlocks& blocks) {
    const Extents map = method::mapExtents(problem);
    const TileGrid batches(map, batchExtents(problem, blocks));
    std::vector<Box> tiles;
    for (std::int64_t i = 0; i < batches.count(); ++i) {
        const Box batch = batches.box(i);
        const TileGrid grid(batch.extents, ScorePass::tileOf(problem));
        for (std::int64_t j = 0; j < grid.count(); ++j) {
            Box tile = grid.box(j);
            tile.corner.x += batch.corner.x;
            tile.corner.y += batch.corner.y;
            tile.corner.z += batch.corner.z;
            tiles.push_back(tile);
        }
    }
    return tiles;
}

class TiledTemplateMethod final : public method::Method {
  public:
    [[nodiscard]] std::string_view name() const override { return "tiled-template"; }
    [[nodiscard]] std::string_view device() const override { return "cpu"; }

    [[nodiscard]] std::vector<Candidate> candidates(const Problem& problem,
                                                    const method::Limits& limits,
                                                    const Extents& tile) const override {
        const Extents& n = problem.scene;
        const Extents& m = problem.templ;
        std::vector<Candidate> result;
        const auto add = [&](const Extents& points) {
            const Candidate candidate{std::string(name()), std::string(device()), points,
                                      limits.threads};
            if (std::find(result.begin(), result.end(), candidate) == result.end()) {
                result.push_back(candidate);
            }
        };
        if (tile.x > 0) {
            add({tile.x, n.y == 1 ? 1 : tile.y, n.z == 1 ? 1 : tile.z});
            return result;
        }
        for (const std::int64_t count : {2, 3, 4, 6, 8, 12, 16}) {
            // Short axes of a template are not worth cutting.
            constexpr std::int64_t kShort = 16;
            const auto cut = [&](std::int64_t length, std::int64_t scene) {
                const std::int64_t block = (length + count - 1) / count;
                const std::int64_t whole = nextSmooth(std::max<std::int64_t>(64, 4 * length));
                return block < (count == 2 ? 2 : kShort) ? std::min(whole, nextSmooth(scene))
                                                         : nextSmooth(2 * block - 1);
            };
            const Extents points{cut(m.x, n.x), cut(m.y, n.y), cut(m.z, n.z)};
            const TemplateBlocks blocks(n, m, points);
            if (blocks.templateBlocks() > 1 && base::voxelCount(points) <= kLongest) {
                add(points);
            }
        }
        return result;
    }

    [[nodiscard]] method::Verdict
    predict(const Problem& problem, const Candidate& candidate, const method::Limits& limits,
            const method::CostModel& model,
            const method::SceneStatistics* statistics) const override {
        const Extents& points = candidate.tile;
        if (std::string reason = ScorePass::refusal(problem); !reason.empty()) {
            return method::Refusal{std::move(reason)};
        }
        if (points.x > kLongest || points.y > kLongest || points.z > kLongest ||
            base::voxelCount(points) > kLongest) {
            return method::Refusal{"one thread transforms a block of " + base::toString(points) +
                                   " points for too long"};
        }
        const TemplateBlocks blocks(problem.scene, problem.templ, points);
        const std::int64_t parts = blocks.templateBlocks();
        if (parts == 1) {
            return method::Refusal{"template " + base::toString(problem.templ) +
                                   " is one block of transforms of " + base::toString(points)};
        }
        method::Prediction prediction;
        prediction.fftPlanning = cpu::name(FftEffort::Estimate);
        prediction.hostBytes = hostBytes(problem, blocks, candidate);
        if (std::string reason = memoryRefusal(prediction.hostBytes, limits); !reason.empty()) {
            return method::Refusal{std::move(reason)};
        }
        const auto count = static_cast<double>(base::voxelCount(points));
        const double root = std::log2(std::max(2.0, count));
        const auto segments = static_cast<double>(blocks.segments());
        const auto outputs = static_cast<double>(blocks.outputBlocks());
        const auto products = outputs * static_cast<double>(parts);
        // A half transform for each segment, output and template block (Karas (28), shared).
        prediction.operations =
            (segments + outputs + static_cast<double>(parts)) * 2.5 * count * root +
            products * 4 * count;
        predictTime(problem, candidate, blocks, model, prediction);
        prediction.tilesInFlight =
            BlockBuffers<Single>::slots(blocks) + parts + 2 * candidate.threads;
        prediction.paddingWaste =
            1 -
            static_cast<double>(base::voxelCount(method::mapExtents(problem))) / (outputs * count);
        if (statistics != nullptr) {
            // sum ||segment|| ||block|| at the contrast of the scene, as termsOf() has it.
            const double norm = std::sqrt(count * static_cast<double>(parts) /
                                          static_cast<double>(base::voxelCount(problem.templ)));
            prediction.errorBound =
                kUnitSingle * ((2 * std::sqrt(root) + static_cast<double>(parts - 1)) * norm *
                                   predictedK(*statistics) +
                               4);
        }
        return prediction;
    }

    void warmUp(const Problem& problem, const Candidate& candidate) const override {
        (void)HalfTransform<Double>(candidate.tile); // the template's, too
        if (problem.precision == method::Precision::Single) {
            (void)HalfTransform<Single>(candidate.tile);
        }
    }

    [[nodiscard]] std::shared_ptr<const method::Prepared>
    prepare(const Problem& problem, const Candidate& candidate,
            const method::MaskedView& templ) const override {
        return std::make_shared<BlockedPrepared>(problem, candidate.tile, templ);
    }

    [[nodiscard]] std::unique_ptr<method::Workspace>
    makeWorkspace(const Problem& /*problem*/, const Candidate& /*candidate*/) const override {
        return std::make_unique<BlockedWorkspace>();
    }

    method::Outcome execute(const Problem& problem, const Candidate& candidate,
                            const method::Prepared& prepared, const method::MaskedView& scene,
                            method::Workspace& workspace, const method::Execution& execution,
                            const method::MapView& map) const override {
        const auto& templ = dynamic_cast<const BlockedPrepared&>(prepared);
        auto& buffers = dynamic_cast<BlockedWorkspace&>(workspace);
        const TemplateBlocks blocks(problem.scene, problem.templ, candidate.tile);
        const double placements =
            static_cast<double>(base::voxelCount(method::mapExtents(problem)));
        ScorePass pass(problem, scene.pixels, templ.canonical(), execution, map,
                       kDoubleNs * placements * static_cast<double>(blocks.templateBlocks()));
        const Run run{problem,      candidate.tile,           blocks,        templ,
                      scene.pixels, execution.pool.threads(), execution.stop};
        const std::vector<Box> tiles = tilesOf(problem, blocks);
        bool done = problem.precision == method::Precision::Single
                        ? runIn<Single>(run, tiles, buffers, pass)
                        : runIn<Double>(run, tiles, buffers, pass);
        if (done && pass.wantsDouble()) {
            done = runIn<Double>(run, pass.takeWaiting(), buffers, pass);
        } else if (done) {
            done = pass.repair();
        }
        return pass.outcome(done, {"load", "transform", "denominator", "recomputation"});
    }

  private:
    /// Map and template, and of each precision that may run its spectra and what is there beside
    /// them (Karas (30), with the segments of the ring).
    static std::int64_t hostBytes(const Problem& problem, const TemplateBlocks& blocks,
                                  const Candidate& candidate) {
        const Extents& points = candidate.tile;
        const int threads = candidate.threads;
        const std::int64_t parts = blocks.templateBlocks();
        const bool single = problem.precision == method::Precision::Single;
        const std::int64_t making = TemplateSpectra::makingBytes(
            {blocks.x().block, blocks.y().block, blocks.z().block}, points, parts, threads);
        std::int64_t most = 0;
        std::int64_t kept = 0;
        if (single) {
            kept = TemplateSpectra::bytes<Single>(points, parts);
            most = kept +
                   std::max(making, BlockBuffers<Single>::bytes(problem, blocks, points, threads));
        }
        if (!single || problem.recompute) {
            most = std::max(most, kept + TemplateSpectra::bytes<Double>(points, parts) +
                                      std::max(making, BlockBuffers<Double>::bytes(
                                                           problem, blocks, points, threads)));
        }
        return mapBytes(problem) + base::byteCount(problem.templ, 8) + most +
               threads * ScorePass::bytes(problem);
    }

    static void predictTime(const Problem& problem, const Candidate& candidate,
                            const TemplateBlocks& blocks, const method::CostModel& model,
                            method::Prediction& prediction) {
        const Extents& points = candidate.tile;
        const auto count = static_cast<double>(base::voxelCount(points));
        const auto parts = blocks.templateBlocks();
        const double threads = static_cast<double>(candidate.threads);
        const double workers = model.speedUp(candidate.threads);
        const double halfNs = model.wholeTransformNs(points) / 2;
        const bool ahead = TemplateSpectra::areMadeAtOnce(points, parts);
        const double prepareNs = static_cast<double>(parts) * halfNs * 2 *
                                 model.wholePrepareFactor / (ahead ? 1.0 : workers);
        const auto buffers = static_cast<double>(
            BlockBuffers<Single>::bytes(problem, blocks, points, candidate.threads));
        prediction.setupMs = 1e-6 * (prepareNs + buffers * model.bufferByteNs / workers);
        // Threads share out the blocks of a layer; the last round may leave some idle.
        const auto busy = [&](std::int64_t items) {
            const double all = static_cast<double>(items);
            return std::ceil(all / threads) * threads / all;
        };
        const double segmentNs = halfNs + model.loadNs(points) + model.tileOverheadNs;
        const double outputNs = halfNs + count * model.productPointNs * static_cast<double>(parts) +
                                model.tileOverheadNs;
        const double runNs =
            segmentNs * static_cast<double>(blocks.segments()) * busy(blocks.segmentsOfLayer()) +
            outputNs * static_cast<double>(blocks.outputBlocks()) * busy(blocks.blocksOfLayer()) +
            2 * model.loadNs(problem.scene) +
            denominatorNs(problem, ScorePass::tileOf(problem), model);
        prediction.ms = prediction.setupMs + 1e-6 * runNs / workers;
    }
};

} // namespace

const method::Method& tiledTemplateMethod() {
    static const TiledTemplateMethod method;
    return method;
}

} // namespace flcc::cpu
