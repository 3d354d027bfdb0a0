#include "engine/cpu/methods/template_run.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <iterator>
#include <numeric>
#include <type_traits>
#include <utility>

#include "engine/cpu/tile/scene_frame.h"
#include "engine/method/shared/template_error.h"

namespace flcc::cpu {

namespace {

using base::Box;
using base::Extents;
using base::Image;
using base::Index;
using method::Problem;

/// Values of a spectrum that are summed over all blocks of the template while they are in cache.
constexpr std::int64_t kChunk = 4096;

/// Layers of output blocks that are scored together, so that window sums read little twice.
std::int64_t layersTogether(const Problem& problem, const TemplateBlocks& blocks) {
    const Extents tile = ScorePass::tileOf(problem);
    const std::int64_t length = blocks.slowest() == 2 ? tile.z : tile.y;
    return std::clamp<std::int64_t>(length / blocks.slow().outputs, 1, blocks.slow().outputBlocks);
}

/// Sum of a row in eight lanes, which the compiler vectorises.
template <class Real> double sumOf(const Real* row, std::int64_t count) {
    constexpr std::int64_t kLanes = 8;
    std::array<double, kLanes> sums{};
    std::int64_t i = 0;
    for (; i + kLanes <= count; i += kLanes) {
        for (std::int64_t lane = 0; lane < kLanes; ++lane) {
            sums[static_cast<std::size_t>(lane)] += static_cast<double>(row[i + lane]);
        }
    }
    for (; i < count; ++i) {
        sums[0] += static_cast<double>(row[i]);
    }
    return std::accumulate(sums.begin(), sums.end(), 0.0);
}

/// The computation of a part in one precision.
template <class Real> class BlockedRun {
  public:
    BlockedRun(const BlockedInput& run, const PlacedPart& at, BlockBuffers<Real>& buffers,
               const SceneFrame& frame, const TemplateSpectra::Spectra<Real>& templ,
               ScorePass& pass)
        : m_run(run), m_at(at), m_problem(at.part.problem), m_blocks(at.part.blocks),
          m_own(buffers), m_frame(frame), m_templ(templ), m_pass(pass),
          m_bounds(static_cast<std::size_t>(at.part.layers * m_blocks.blocksOfLayer())) {
        std::fill(m_own.layers.begin(), m_own.layers.end(), -1);
    }

    /// Computes the numerators of the layers that `tiles` lie in, and their scores. False if
    /// stopped.
    bool operator()(const std::vector<Box>& tiles) {
        const std::int64_t together = m_at.part.layers;
        const std::int64_t step = together * m_blocks.slow().outputs;
        for (std::int64_t first = 0; first < m_blocks.slow().outputBlocks; first += together) {
            std::vector<Box> mine;
            std::copy_if(tiles.begin(), tiles.end(), std::back_inserter(mine), [&](const Box& box) {
                return slowOf(inside(box).corner) / step == first / together;
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
    /// A box of the map in coordinates of the part.
    [[nodiscard]] Box inside(Box box) const {
        box.corner = {box.corner.x - m_at.corner.x, box.corner.y - m_at.corner.y,
                      box.corner.z - m_at.corner.z};
        return box;
    }
    [[nodiscard]] bool volume() const { return m_blocks.slowest() == 2; }
    [[nodiscard]] std::int64_t slowOf(const Index& index) const {
        return volume() ? index.z : index.y;
    }
    /// The index with coordinate `other` on the other fast axis and `slow` on the slowest axis.
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

    /// Loads the scene voxels under a batch.
    bool loadBatch(std::int64_t first) {
        const Extents& n = m_problem.scene;
        const Index corner = batchCorner(first);
        Extents seen = m_at.part.batchFootprint();
        seen = {n.x, std::min(seen.y, n.y - corner.y), std::min(seen.z, n.z - corner.z)};
        const simd::VoxelBox<Real> x = xBox();
        return forRows(m_pass.items(kLoad), seen, [&](std::int64_t y, std::int64_t z) {
            m_frame.place(m_at.scene, {0, corner.y + y, corner.z + z}, n.x,
                          x.data + z * x.sliceStride + y * x.rowStride);
        });
    }

    [[nodiscard]] simd::VoxelBox<Real> xBox() {
        const Extents seen = m_at.part.batchFootprint();
        return {m_own.x.data(), seen.x, seen.x * seen.y};
    }
    [[nodiscard]] simd::VoxelBox<Real> numeratorBox() {
        const Extents batch = m_at.part.batchExtents();
        return {m_own.numerators.data(), batch.x, batch.x * batch.y};
    }

    /// Transforms the segments that a layer of output blocks needs and the ring does not hold.
    bool addSegments(std::int64_t layer) {
        std::vector<std::int64_t> missing;
        const std::int64_t places = m_blocks.slow().templateBlocks;
        for (std::int64_t of = layer; of < layer + places; ++of) {
            std::int64_t& held = m_own.layers[static_cast<std::size_t>(of % places)];
            if (held != of) {
                held = -1; // until the segments are transformed
                missing.push_back(of);
            }
        }
        const std::int64_t perLayer = m_blocks.segmentsOfLayer();
        const bool done = m_pass.items(kNumerator)(
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
        const Extents& n = m_problem.scene;
        const TransformShape& points = m_run.points;
        const Index corner = cornerOf(segment);
        const Extents used{std::min(points.x, n.x - corner.x), std::min(points.y, n.y - corner.y),
                           std::min(points.z, n.z - corner.z)};
        const auto forUsed = [&](auto&& use) {
            for (std::int64_t z = 0; z < used.z; ++z) {
                for (std::int64_t y = 0; y < used.y; ++y) {
                    use(own.tile.data() + (z * points.y + y) * points.x,
                        Index{corner.x, corner.y + y, corner.z + z});
                }
            }
        };
        own.tile.fill(Real{0});
        double sum = 0;
        forUsed([&](Real* row, const Index& at) {
            m_frame.place(m_at.scene, at, used.x, row);
            sum += sumOf(row, used.x);
        });
        const Real mean = meanOf(sum / static_cast<double>(base::voxelCount(used)));
        forUsed([&](Real* row, const Index&) {
            std::transform(row, row + used.x, row, [&](Real value) { return value - mean; });
        });
        const std::int64_t slot = slotOf(segment);
        const method::shared::TileEnergy energy = m_own.transform->forward(
            own.tile.data(), own.work.data(), m_own.ring.data() + slot * m_own.slotValues);
        m_own.segments[static_cast<std::size_t>(slot)] = {static_cast<double>(mean),
                                                          std::sqrt(energy.total)};
    }

    /// The mean of a segment, rounded so that subtracting it from multiples of a quantum is exact.
    [[nodiscard]] Real meanOf(double mean) const {
        const CentredTile facts = m_frame.tile({{0, 0, 0}, {1, 1, 1}});
        const double steps = facts.stepsPerUnit();
        return static_cast<Real>(facts.exact ? std::nearbyint(mean * steps) / steps : mean);
    }

    /// Computes the numerators of a layer of output blocks.
    bool addOutputs(std::int64_t layer, std::int64_t first) {
        const std::int64_t width = m_blocks.x().outputBlocks;
        const std::int64_t count = m_blocks.blocksOfLayer();
        return m_pass.items(kNumerator)(count, [&](std::int64_t item, int worker) {
            const Index block = indexOf(item % width, item / width, layer);
            const Correlated found = correlateBlock(block, worker);
            m_bounds[static_cast<std::size_t>((layer - first) * count + item)] = found.bound;
            placeBlock(block, first, found.rest, worker);
        });
    }

    /// What the sum of products of spectra leaves open. `rest` is the part of the numerators that
    /// the means of the segments give. `bound` is on the error of the sum: `worst` of
    /// fourierTerms() over the norms of all blocks, since the energies of lines of single products
    /// are not known, plus one rounding for each addition of products and the roundings of `rest`
    /// (engine/method/NUMERICS.md, section 5, `tiled-template`).
    struct Correlated {
        double rest = 0;
        double bound = 0;
    };

    /// Computes the circular correlation of an output block.
    Correlated correlateBlock(const Index& block, int worker) {
        auto& own = m_own.workers[static_cast<std::size_t>(worker)];
        std::vector<const Real*> segments;
        const auto& first = m_own.segments[static_cast<std::size_t>(slotOf(block))];
        double norms = 0;
        double means = 0;
        Correlated result;
        for (std::int64_t k = 0; k < m_blocks.z().templateBlocks; ++k) {
            for (std::int64_t j = 0; j < m_blocks.y().templateBlocks; ++j) {
                for (std::int64_t i = 0; i < m_blocks.x().templateBlocks; ++i) {
                    const std::int64_t slot = slotOf({block.x + i, block.y + j, block.z + k});
                    const auto& segment = m_own.segments[static_cast<std::size_t>(slot)];
                    const auto& part = m_run.templ.blocks()[segments.size()];
                    // A template that sums to 0 over all blocks needs differences of the means
                    // only.
                    const double mean = m_problem.operation.traits().hasRowScorer
                                            ? segment.mean - first.mean
                                            : segment.mean;
                    result.rest += mean * part.sum;
                    means += std::abs(mean) * part.root * part.norm;
                    norms += segment.norm * part.norm;
                    segments.push_back(m_own.ring.data() + slot * m_own.slotValues);
                }
            }
        }
        Real* const sum = own.sum.data();
        for (std::int64_t from = 0; from < m_own.spectrumValues; from += kChunk) {
            const std::int64_t values = std::min(kChunk, m_own.spectrumValues - from);
            std::fill_n(sum + from, values, Real{0});
            for (std::size_t j = 0; j < segments.size(); ++j) {
                m_own.transform->addProduct(m_templ.of(j) + from, segments[j] + from, values,
                                            sum + from);
            }
        }
        m_own.transform->inverse(
            sum, own.work.data(), own.tile.data(),
            {m_blocks.x().outputs, m_blocks.y().outputs, m_blocks.z().outputs});
        const auto products = static_cast<double>(segments.size() - 1);
        result.bound = fourierTerms(m_run.points, m_problem.templ, {{.total = norms * norms}, {}},
                                    true, kUnitOf<Real>)
                           .worst +
                       kUnitOf<Real> * products * norms + 8 * kUnitDouble * means;
        return result;
    }

    /// Copies the part of an output block without wrap-around to the numerators of the batch.
    void placeBlock(const Index& block, std::int64_t first, double rest, int worker) {
        const Real* const data = m_own.workers[static_cast<std::size_t>(worker)].tile.data();
        const TransformShape& points = m_run.points;
        const Extents map = method::mapExtents(m_problem);
        const Index corner = cornerOf(block);
        const Index start = batchCorner(first);
        const Extents valid{std::min(m_blocks.x().outputs, map.x - corner.x),
                            std::min(m_blocks.y().outputs, map.y - corner.y),
                            std::min(m_blocks.z().outputs, map.z - corner.z)};
        const simd::VoxelBox<Real> to = numeratorBox();
        for (std::int64_t z = 0; z < valid.z; ++z) {
            for (std::int64_t y = 0; y < valid.y; ++y) {
                const Real* const from = data + (z * points.y + y) * points.x;
                Real* const row = to.data + (corner.z - start.z + z) * to.sliceStride +
                                  (corner.y - start.y + y) * to.rowStride + corner.x;
                for (std::int64_t x = 0; x < valid.x; ++x) {
                    row[x] = static_cast<Real>(static_cast<double>(from[x]) + rest);
                }
            }
        }
    }

    /// The largest bound of the output blocks that a tile lies in.
    [[nodiscard]] BoundTerms termsOf(const Box& tile, std::int64_t first) const {
        const auto blocksOf = [](std::int64_t corner, std::int64_t length,
                                 const BlockedAxis& axis) {
            return std::pair{corner / axis.outputs, (corner + length - 1) / axis.outputs};
        };
        const auto [x0, x1] = blocksOf(tile.corner.x, tile.extents.x, m_blocks.x());
        const auto [y0, y1] = blocksOf(tile.corner.y, tile.extents.y, m_blocks.y());
        const auto [z0, z1] = blocksOf(tile.corner.z, tile.extents.z, m_blocks.z());
        BoundTerms terms;
        for (std::int64_t z = z0; z <= z1; ++z) {
            for (std::int64_t y = y0; y <= y1; ++y) {
                for (std::int64_t x = x0; x <= x1; ++x) {
                    const std::int64_t rest = volume() ? y : z;
                    const std::int64_t at =
                        ((volume() ? z : y) - first) * m_blocks.blocksOfLayer() +
                        rest * m_blocks.x().outputBlocks + x;
                    terms.worst = std::max(terms.worst, m_bounds[static_cast<std::size_t>(at)]);
                }
            }
        }
        terms.numerator = terms.worst;
        // The numerator is rounded when the means are added back. Voxels are rounded when they are
        // centred and when the mean of the segment is subtracted, unless these differences are
        // exact.
        const CentredTile facts = m_frame.tile(tile);
        const bool whole = facts.exact && facts.stepsPerUnit() * kUnitOf<Real> <= 0.25;
        terms.panel = kUnitOf<Real> * (whole ? 1 : 3) +
                      (std::is_same_v<Real, double> ? method::shared::kTemplateError : 0.0);
        return terms;
    }

    bool scoreBatch(const std::vector<Box>& tiles, std::int64_t first) {
        const Index from = batchCorner(first);
        const Numerators<Real> numerators{
            xBox(),
            numeratorBox(),
            {m_at.corner.x + from.x, m_at.corner.y + from.y, m_at.corner.z + from.z}};
        return m_pass.items(kDenominator)(
            static_cast<std::int64_t>(tiles.size()), [&](std::int64_t item, int worker) {
                const Box& tile = tiles[static_cast<std::size_t>(item)];
                m_pass.score<Real>(tile, numerators,
                                   m_frame.tile(footprint(inside(tile), m_problem.templ)),
                                   termsOf(inside(tile), first), worker);
            });
    }

    const BlockedInput& m_run;
    const PlacedPart& m_at;
    const Problem& m_problem; ///< the problem of the part
    const TemplateBlocks& m_blocks;
    BlockBuffers<Real>& m_own;
    const SceneFrame& m_frame;
    const TemplateSpectra::Spectra<Real>& m_templ;
    ScorePass& m_pass;
    std::vector<double> m_bounds; ///< bounds of the output blocks of the batch, for termsOf()
};

} // namespace

BlockedPrepared::BlockedPrepared(const Problem& problem, const TransformShape& points,
                                 const method::MaskedView& templ, base::TilePool& pool)
    : m_forms(TemplateForms::of(problem, templ, pool)),
      m_spectra(m_forms.canonical, points,
                TemplateBlocks(problem.scene, problem.templ, points).templateBoxes(problem.templ)) {
    for (const Box& box : m_spectra.blocks()) {
        const auto part = m_forms.canonical.values().view().part(box);
        Block block;
        double squares = 0;
        for (std::int64_t z = 0; z < box.extents.z; ++z) {
            for (std::int64_t y = 0; y < box.extents.y; ++y) {
                const double* const row = part.row(y, z);
                squares += std::inner_product(row, row + box.extents.x, row, 0.0);
                block.sum += sumOf(row, box.extents.x);
            }
        }
        block.norm = std::sqrt(squares);
        block.root = std::sqrt(static_cast<double>(base::voxelCount(box.extents)));
        m_blocks.push_back(block);
    }
    m_spectra.makeIfSmall(problem, pool);
}

BlockedPart::BlockedPart(const Problem& whole, const TransformShape& points)
    : problem(whole), blocks(whole.scene, whole.templ, points),
      layers(layersTogether(whole, blocks)) {}

BlockedPart BlockedPart::of(const Extents& placements) const {
    BlockedPart part = *this;
    part.problem.scene = footprint({{0, 0, 0}, placements}, problem.templ).extents;
    part.blocks = blocks.of(placements);
    part.layers = part.blocks.slow().outputBlocks;
    return part;
}

Extents BlockedPart::batchExtents() const {
    Extents batch = method::mapExtents(problem);
    std::int64_t& length = blocks.slowest() == 2 ? batch.z : batch.y;
    length = std::min(length, layers * blocks.slow().outputs);
    return batch;
}

Extents BlockedPart::batchFootprint() const {
    return footprint({{0, 0, 0}, batchExtents()}, problem.templ).extents;
}

std::vector<Box> tilesOf(const BlockedPart& whole) {
    const Problem& problem = whole.problem;
    const Extents map = method::mapExtents(problem);
    const TileGrid batches(map, whole.batchExtents());
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

template <class Real>
bool runBlocks(const BlockedInput& run, const PlacedPart& at, const std::vector<Box>& tiles,
               BlockedWorkspace& workspace, ScorePass& pass) {
    workspace.keepOnly<Real>();
    // The template's spectra first, since making them takes memory that is free again afterwards.
    const auto& templ =
        run.templ.spectra().of<Real>({pass.items(kNumerator), run.threads}, run.stop);
    if (templ.empty()) {
        return false;
    }
    const auto frame = SceneFrame::of(at.scene, base::voxelCount(at.part.problem.templ),
                                      std::is_same_v<Real, double>, pass.items(kLoad));
    return frame && BlockedRun<Real>(run, at, workspace.of<Real>(at.most, run.points, run.threads),
                                     *frame, templ, pass)(tiles);
}

template bool runBlocks<float>(const BlockedInput&, const PlacedPart&, const std::vector<Box>&,
                               BlockedWorkspace&, ScorePass&);
template bool runBlocks<double>(const BlockedInput&, const PlacedPart&, const std::vector<Box>&,
                                BlockedWorkspace&, ScorePass&);

} // namespace flcc::cpu
