#include <algorithm>
#include <cmath>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include <fmt/format.h>

#include "engine/cpu/tile_transform.h"
#include "engine/filter/detail/filter_method.h"
#include "engine/filter/detail/scene_loader.h"
#include "engine/filter/detail/tile_tasks.h"
#include "engine/method/shared/fourier_bound.h"
#include "engine/method/shared/smooth_length.h"

namespace flcc::filter::detail {

namespace {

using base::Box;
using base::Extents;
using base::Image;
using cpu::roundUp;
using method::shared::TileEnergy;
namespace simd = cpu::simd;

template <class Real> using Transform = cpu::TileTransform<Real>;

/// A length of at least `least`: a product of small primes; of rows, whole cache lines.
std::int64_t rowLength(std::int64_t least) {
    return least == 1 ? 1 : method::shared::nextSmooth((least + 7) / 8) * 8;
}
std::int64_t columnLength(std::int64_t least, bool volume) {
    return volume ? rowLength(least) : method::shared::nextSmooth(least);
}

template <class Real> method::shared::TransformErrors errorsOf() {
    // In double the kernel's spectrum has the errors of its own transform: the factor is 3.
    return std::is_same_v<Real, float> ? method::shared::TransformErrors{0x1p-24, 1}
                                       : method::shared::TransformErrors{0x1p-53, 3};
}
method::shared::TransformErrors errorsOf(method::Precision precision) {
    return precision == method::Precision::Single ? errorsOf<float>() : errorsOf<double>();
}

/// How a kernel is cut: blocks of the flipped kernel and the points of a transform.
struct Cut {
    Extents points;
    Extents outputs; ///< results of a tile
    std::vector<Box> blocks;
};

std::int64_t blockCount(const Extents& m, const Extents& block) {
    return cpu::TileGrid(m, block).count();
}

/// `block`: extents of the largest block of the kernel.
Cut cutOf(const Extents& points, const Extents& m, const Extents& block, const Extents& out) {
    Cut cut{points,
            {std::min(points.x - block.x + 1, out.x), std::min(points.y - block.y + 1, out.y),
             std::min(points.z - block.z + 1, out.z)},
            {}};
    const cpu::TileGrid grid(m, block);
    for (std::int64_t i = 0; i < grid.count(); ++i) {
        cut.blocks.push_back(grid.box(i));
    }
    return cut;
}

/// The buffers of one transform.
template <class Real> struct TileBuffers {
    TileBuffers(const Extents& points, bool blocks)
        : tile({voxels(points), 1, 1}, Real{0}), work({spectrum(points), 1, 1}, Real{0}),
          result({result_(points), 1, 1}, Real{0}) {
        if (blocks) {
            part = Image<Real>({spectrum(points), 1, 1}, Real{0});
            sum = Image<Real>({spectrum(points), 1, 1}, Real{0});
        }
    }
    Image<Real> tile;
    Image<Real> work;
    Image<Real> result;
    Image<Real> part; ///< spectrum of a segment
    Image<Real> sum;  ///< of products of spectra

    static std::int64_t voxels(const Extents& points) {
        return base::voxelCount(points) + Transform<Real>::kZeros;
    }
    static std::int64_t spectrum(const Extents& points) {
        return Transform<Real>::spectrumValues(points);
    }
    static std::int64_t result_(const Extents& points) {
        return std::max(spectrum(points), voxels(points));
    }
    static std::int64_t bytes(const Extents& points, bool blocks) {
        return static_cast<std::int64_t>(sizeof(Real)) *
               (voxels(points) + spectrum(points) * (blocks ? 3 : 1) + result_(points));
    }
};

template <class Real> class OverlapSave {
  public:
    OverlapSave(const Task<Real>& task, Cut cut)
        : m_task(task), m_cut(std::move(cut)), m_transform(Transform<Real>::of(m_cut.points)),
          m_loader(task.scene, task.problem.border), m_first(firstVoxel(task.problem)),
          m_scale(std::exp2(-std::ilogb(task.kernel.norm()))), m_norm(task.kernel.norm()) {}

    /// The kernel's spectra, in units of 1 / m_scale. False if stopped.
    bool prepare(const cpu::ForItems& each) {
        Image<double> weights = m_task.kernel.flippedWeights();
        for (std::int64_t i = 0; i < weights.count(); ++i) {
            weights.data()[i] *= m_scale;
        }
        const base::View<const double> view = weights.view();
        for (const Box& block : m_cut.blocks) {
            m_spectra.push_back(m_transform->templateSpectrum(view.part(block), each));
            if (m_spectra.back().empty() || m_task.stop.stop_requested()) {
                return false;
            }
        }
        return true;
    }

    /// All tiles, each on one thread.
    Outcome tiles() {
        const cpu::TileGrid grid(m_task.to.extents(), m_cut.outputs);
        return finished(runTiles<TileBuffers<Real>>(
            m_task, grid,
            [&](const Box& box, TileBuffers<Real>& own, Outcome& found) {
                compute({cpu::oneAfterTheOther(), 1}, box, own, found);
            },
            m_cut.points, m_cut.blocks.size() > 1));
    }

    /// One tile on all threads.
    Outcome whole() {
        const base::TilePool::Progress progress = m_task.phase(1);
        TileBuffers<Real> own(m_cut.points, false);
        Outcome outcome;
        const cpu::ForItems each = [&](std::int64_t count, const auto& work) {
            return m_task.pool.run(count, work, m_task.stop);
        };
        outcome.cancelled =
            m_task.stop.stop_requested() ||
            !compute({each, m_task.pool.threads()}, {{}, m_task.to.extents()}, own, outcome);
        if (progress && !outcome.cancelled) {
            progress(1);
        }
        return finished(outcome);
    }

  private:
    Outcome finished(Outcome outcome) const {
        outcome.bound = outcome.bound / m_task.kernel.divisor() +
                        roundingBound(m_task.problem, m_task.kernel) * outcome.largest;
        return outcome;
    }

    /// The segment of the scene under block `block` of the kernel for the results of `box`.
    [[nodiscard]] Box segment(const Box& box, const Box& block) const {
        return cpu::footprint(shifted(shifted(box, m_first), block.corner), block.extents);
    }

    Loaded load(const Box& segment, double scale, Image<Real>& tile) const {
        const Extents& points = m_cut.points;
        std::fill_n(tile.data(), tile.count(), Real{0});
        const simd::VoxelBox<Real> to{tile.data(), points.x, points.x * points.y};
        // Rows may be stored behind their end, so gaps and the zeros behind the tile come after.
        const Loaded loaded = m_loader.load(segment, scale, to);
        const Extents& e = segment.extents;
        for (std::int64_t z = 0; z < e.z; ++z) {
            for (std::int64_t y = 0; y < e.y; ++y) {
                Real* const row = to.data + z * to.sliceStride + y * to.rowStride;
                std::fill(row + e.x, row + points.x, Real{0});
            }
        }
        return loaded;
    }

    bool compute(const cpu::Sharers& sharers, const Box& box, TileBuffers<Real>& own,
                 Outcome& found) const {
        double scale = 1;
        Loaded loaded = load(segment(box, m_cut.blocks.front()), scale, own.tile);
        // Products and their sums stay far from overflow and underflow.
        constexpr double kUsual = 0x1p40;
        const auto isUsual = [&] {
            return loaded.largest == 0 ||
                   (loaded.largest <= kUsual && loaded.largest >= 1 / kUsual);
        };
        if (m_cut.blocks.size() > 1) {
            loaded = loadedOf(box, own, loaded);
        }
        if (!isUsual()) {
            scale = std::exp2(-std::ilogb(loaded.largest));
            load(segment(box, m_cut.blocks.front()), scale, own.tile);
        }
        found.join(loaded);
        double bound = 0;
        const bool done = m_cut.blocks.size() == 1 ? oneBlock(sharers, box, own, bound)
                                                   : manyBlocks(box, own, scale, isUsual(), bound);
        if (!done) {
            return false;
        }
        const Extents& points = m_cut.points;
        storeTile<Real>({own.result.data(), points.x, points.x * points.y}, box,
                        m_task.kernel.divisor(), 1 / (scale * m_scale), m_task.to);
        found.bound =
            std::max(found.bound, bound / (scale * m_scale) + 64 * errorsOf<Real>().unit *
                                                                  m_task.kernel.sumOfMagnitudes() *
                                                                  loaded.largest);
        return true;
    }

    /// What all segments of a tile hold.
    Loaded loadedOf(const Box& box, TileBuffers<Real>& own, Loaded loaded) const {
        for (std::size_t i = 1; i < m_cut.blocks.size(); ++i) {
            const Loaded one = load(segment(box, m_cut.blocks[i]), 1, own.tile);
            loaded.largest = std::max(loaded.largest, one.largest);
            loaded.nonFinite += one.nonFinite;
        }
        return loaded;
    }

    bool oneBlock(const cpu::Sharers& sharers, const Box& box, TileBuffers<Real>& own,
                  double& bound) const {
        const std::optional<cpu::TileEnergies> energies =
            m_transform->correlate(sharers, m_spectra.front().data(), own.tile.data(),
                                   own.work.data(), own.result.data(), box.extents);
        if (!energies) {
            return false;
        }
        // The bound is that of a kernel of norm 1.
        const double norm = m_norm * m_scale;
        TileEnergy out = energies->out;
        out.largestGathered /= norm * norm;
        const method::shared::FourierBound terms = method::shared::fourierBound(
            m_cut.points, m_task.problem.kernel, energies->in, out, errorsOf<Real>());
        bound = std::min(terms.typical, terms.worst) * norm;
        return true;
    }

    bool manyBlocks(const Box& box, TileBuffers<Real>& own, double scale, bool usual,
                    double& bound) const {
        std::fill_n(own.sum.data(), own.sum.count(), Real{0});
        for (std::size_t i = 0; i < m_cut.blocks.size(); ++i) {
            if (m_task.stop.stop_requested()) {
                return false;
            }
            load(segment(box, m_cut.blocks[i]), usual ? 1 : scale, own.tile);
            const TileEnergy in =
                m_transform->forward(own.tile.data(), own.work.data(), own.part.data());
            m_transform->addProduct(m_spectra[i].data(), own.part.data(), own.sum.count(),
                                    own.sum.data());
            // Each block has at most the norm of the kernel; each sum of spectra rounds once more.
            const method::shared::FourierBound terms = method::shared::fourierBound(
                m_cut.points, m_task.problem.kernel, in, {}, errorsOf<Real>());
            bound += terms.worst * m_norm * m_scale + errorsOf<Real>().unit *
                                                          static_cast<double>(m_cut.blocks.size()) *
                                                          std::sqrt(in.total) * m_norm * m_scale;
        }
        m_transform->inverse(own.sum.data(), own.work.data(), own.result.data(), box.extents);
        return true;
    }

    const Task<Real>& m_task;
    Cut m_cut;
    std::shared_ptr<const Transform<Real>> m_transform;
    std::vector<Image<Real>> m_spectra;
    SceneLoader<Real> m_loader;
    base::Index m_first;
    double m_scale; ///< power of two that brings the norm of the kernel to 1 .. 2
    double m_norm;
};

/// What the three methods share. They differ in the points of a transform and in how the kernel is
/// cut.
class OverlapSaveFilter : public FilterMethod {
  public:
    [[nodiscard]] Outcome run(const Task<float>& task) const override { return compute(task); }
    [[nodiscard]] Outcome run(const Task<double>& task) const override { return compute(task); }

  protected:
    /// Extents of a block of the kernel for a transform of `points`.
    [[nodiscard]] virtual Extents block(const Problem& problem, const Extents& points) const {
        (void)points;
        return problem.kernel;
    }
    /// True if all threads share one transform.
    [[nodiscard]] virtual bool isWhole() const { return false; }

    [[nodiscard]] method::Candidate candidateOf(const Extents& points,
                                                const method::Limits& limits) const {
        return {.method = std::string(name()), .tile = points, .threads = limits.threads};
    }

    [[nodiscard]] method::Verdict predict(const Problem& problem, const Kernel& kernel,
                                          const method::Candidate& candidate,
                                          const method::CostModel& model) const override {
        const Extents& points = candidate.tile;
        if (!kernel.hasWeights()) {
            return method::Refusal{"the kernel has too many voxels to be transformed"};
        }
        const Extents part = block(problem, points);
        if (points.x < part.x || points.y < part.y || points.z < part.z) {
            return method::Refusal{
                fmt::format("a tile of {} points gives no result for a kernel of "
                            "{}; use a larger tile",
                            base::toString(points), base::toString(problem.kernel))};
        }
        const bool single = problem.precision == method::Precision::Single;
        const Extents out = resultExtents(problem);
        if (isWhole() && (points.x < out.x + part.x - 1 || points.y < out.y + part.y - 1 ||
                          points.z < out.z + part.z - 1)) {
            return method::Refusal{"the whole scene needs a transform of at least " +
                                   base::toString(Extents{out.x + part.x - 1, out.y + part.y - 1,
                                                          out.z + part.z - 1}) +
                                   " points; leave out --tile"};
        }
        const Cut cut = cutOf(points, problem.kernel, part, out);
        const auto tiles = static_cast<double>(cpu::TileGrid(out, cut.outputs).count());
        const auto blocks = static_cast<double>(cut.blocks.size());
        const auto count = static_cast<double>(base::voxelCount(points));
        const auto threads = static_cast<double>(candidate.threads);
        const double precision = single ? 1 : 2;
        const double tileNs = isWhole() ? model.wholeTransformNs(points) + model.loadNs(points)
                                        : model.timeOf(points).tileNs;
        // Of a tile with blocks the forward transforms and products are done for each of them.
        const double forTile =
            blocks == 1 ? tileNs
                        : tileNs * (0.5 + 0.6 * blocks) + blocks * count * model.productPointNs;
        const double prepare =
            blocks * (isWhole() ? model.wholeTransformNs(points) / 2
                                : model.timeOf(points).tileNs * model.prepareFactor / 2);
        const double rounds = isWhole()          ? tiles / model.speedUp(candidate.threads)
                              : tiles <= threads ? 1
                                                 : tiles / model.speedUp(candidate.threads);
        method::Prediction prediction;
        prediction.setupMs = 1e-6 * prepare * precision;
        prediction.ms =
            prediction.setupMs +
            1e-6 * (rounds * (forTile * precision + model.tileOverheadNs) +
                    kStoreNs * resultVoxels(problem) / model.speedUp(candidate.threads));
        prediction.operations =
            tiles * (blocks + 1) * 2.5 * count * std::log2(std::max(2.0, count));
        prediction.hostBytes = hostBytes(problem, candidate, cut);
        prediction.errorBound = expectedBound(problem, kernel, points);
        prediction.fftPlanning = std::string(cpu::planningOf(points, !single));
        prediction.tilesInFlight = isWhole() ? 1 : candidate.threads;
        prediction.paddingWaste = 1 - resultVoxels(problem) / (tiles * count);
        return prediction;
    }

  private:
    [[nodiscard]] std::int64_t hostBytes(const Problem& problem, const method::Candidate& candidate,
                                         const Cut& cut) const {
        const bool single = problem.precision == method::Precision::Single;
        const Extents& points = candidate.tile;
        const bool blocks = cut.blocks.size() > 1;
        const std::int64_t workers = isWhole() ? 1 : candidate.threads;
        const std::int64_t buffers = single ? TileBuffers<float>::bytes(points, blocks)
                                            : TileBuffers<double>::bytes(points, blocks);
        const std::int64_t scratch =
            candidate.threads * (single ? Transform<float>::scratchBytes(points)
                                        : Transform<double>::scratchBytes(points));
        const std::int64_t spectra = static_cast<std::int64_t>(cut.blocks.size()) *
                                     bytesOf(problem.precision) *
                                     Transform<float>::spectrumValues(points);
        // Making the spectra ends before the buffers are made.
        const std::int64_t prepare =
            base::byteCount(problem.kernel, 8) +
            8 * Transform<double>::templateWorkValues(points, block(problem, points));
        return resultBytes(problem) + markBytes(problem) + spectra +
               std::max(prepare, workers * buffers + scratch);
    }

    [[nodiscard]] static double expectedBound(const Problem& problem, const Kernel& kernel,
                                              const Extents& points) {
        const method::shared::TransformErrors errors = errorsOf(problem.precision);
        TileEnergy each = TileEnergy::ofLines(points.y, static_cast<double>(points.y),
                                              static_cast<double>(base::voxelCount(points)));
        each.countCrossing(points.x, static_cast<double>(points.x));
        if (points.z > 1) {
            each.countCrossing(points.z, static_cast<double>(points.z));
        }
        const method::shared::FourierBound terms =
            method::shared::fourierBound(points, problem.kernel, each, each, errors);
        return (std::min(terms.typical, terms.worst) * kernel.norm() +
                64 * errors.unit * kernel.sumOfMagnitudes()) /
                   kernel.divisor() +
               roundingBound(problem, kernel);
    }

    template <class Real> Outcome compute(const Task<Real>& task) const {
        const Extents& points = task.candidate.tile;
        OverlapSave<Real> run(task, cutOf(points, task.problem.kernel, block(task.problem, points),
                                          task.to.extents()));
        const cpu::ForItems each = [&](std::int64_t count, const auto& work) {
            return task.pool.run(count, work, task.stop);
        };
        if (!run.prepare(each)) {
            Outcome outcome;
            outcome.cancelled = true;
            return outcome;
        }
        return isWhole() ? run.whole() : run.tiles();
    }
};

class TiledFilter final : public OverlapSaveFilter {
  public:
    [[nodiscard]] std::string_view name() const override { return "tiled"; }

    [[nodiscard]] std::vector<method::Candidate> candidates(const Problem& problem, const Kernel&,
                                                            const method::Limits& limits,
                                                            const Extents& tile) const override {
        const Extents& m = problem.kernel;
        const Extents out = resultExtents(problem);
        const bool volume = out.z > 1 || m.z > 1;
        if (tile.x > 0) {
            return {candidateOf({tile.x, tile.y, volume ? std::max<std::int64_t>(tile.z, 1) : 1},
                                limits)};
        }
        const Extents longest{rowLength(out.x + m.x - 1), columnLength(out.y + m.y - 1, volume),
                              rowLength(out.z + m.z - 1)};
        std::vector<method::Candidate> list;
        const auto add = [&](std::int64_t x, std::int64_t y, std::int64_t z) {
            const Extents points{std::min(x, longest.x), std::min(y, longest.y),
                                 std::min(z, longest.z)};
            const auto worth = [](std::int64_t length, std::int64_t kernel, std::int64_t most) {
                return length >= std::min(most, kernel + (kernel + 3) / 4);
            };
            const method::Candidate candidate = candidateOf(points, limits);
            if (worth(points.x, m.x, longest.x) && worth(points.y, m.y, longest.y) &&
                worth(points.z, m.z, longest.z) &&
                std::find(list.begin(), list.end(), candidate) == list.end()) {
                list.push_back(candidate);
            }
        };
        if (volume) {
            for (const std::int64_t length : {32, 48, 64, 96, 128, 192}) {
                add(length, length, length);
                add(2 * length, length, length);
            }
        } else {
            for (const std::int64_t length : {60, 126, 252, 504, 1008}) {
                for (const std::int64_t row : {64, 128, 256, 512, 1024}) {
                    if (row >= length / 2 && row <= 4 * length) {
                        add(row, length, 1);
                    }
                }
            }
        }
        if (list.empty()) {
            add(rowLength(2 * m.x), columnLength(2 * m.y, volume), rowLength(2 * m.z));
        }
        return list;
    }
};

class FourierFilter final : public OverlapSaveFilter {
  public:
    [[nodiscard]] std::string_view name() const override { return "fourier"; }

    [[nodiscard]] std::vector<method::Candidate> candidates(const Problem& problem, const Kernel&,
                                                            const method::Limits& limits,
                                                            const Extents& tile) const override {
        const Extents& m = problem.kernel;
        const Extents out = resultExtents(problem);
        const bool volume = out.z > 1 || m.z > 1;
        if (tile.x > 0) {
            return {candidateOf({tile.x, tile.y, volume ? std::max<std::int64_t>(tile.z, 1) : 1},
                                limits)};
        }
        return {candidateOf({rowLength(out.x + m.x - 1), columnLength(out.y + m.y - 1, volume),
                             rowLength(out.z + m.z - 1)},
                            limits)};
    }

  protected:
    [[nodiscard]] bool isWhole() const override { return true; }
};

class TiledTemplateFilter final : public OverlapSaveFilter {
  public:
    [[nodiscard]] std::string_view name() const override { return "tiled-template"; }

    [[nodiscard]] std::vector<method::Candidate> candidates(const Problem& problem, const Kernel&,
                                                            const method::Limits& limits,
                                                            const Extents& tile) const override {
        const Extents& m = problem.kernel;
        const Extents out = resultExtents(problem);
        const bool volume = out.z > 1 || m.z > 1;
        if (tile.x > 0) {
            return {candidateOf({tile.x, tile.y, volume ? std::max<std::int64_t>(tile.z, 1) : 1},
                                limits)};
        }
        std::vector<method::Candidate> list;
        const Extents longest{rowLength(out.x + m.x - 1), columnLength(out.y + m.y - 1, volume),
                              rowLength(out.z + m.z - 1)};
        for (const std::int64_t length : {64, 128, 256}) {
            const Extents points{std::min(rowLength(length), longest.x),
                                 std::min(columnLength(length, volume), longest.y),
                                 volume ? std::min(rowLength(length), longest.z) : 1};
            const method::Candidate candidate = candidateOf(points, limits);
            if (std::find(list.begin(), list.end(), candidate) == list.end()) {
                list.push_back(candidate);
            }
        }
        return list;
    }

    [[nodiscard]] method::Verdict predict(const Problem& problem, const Kernel& kernel,
                                          const method::Candidate& candidate,
                                          const method::CostModel& model) const override {
        const Extents part = block(problem, candidate.tile);
        if (kernel.hasWeights() && blockCount(problem.kernel, part) == 1) {
            return method::Refusal{"the kernel fits half of a tile of " +
                                   base::toString(candidate.tile) +
                                   " points, so it need not be cut; tiled does that"};
        }
        return OverlapSaveFilter::predict(problem, kernel, candidate, model);
    }

  protected:
    /// Half of the points, so that a transform gives as many results as the block has voxels.
    [[nodiscard]] Extents block(const Problem& problem, const Extents& points) const override {
        const auto half = [](std::int64_t points_, std::int64_t kernel) {
            return std::min(kernel, std::max<std::int64_t>(1, (points_ + 1) / 2));
        };
        return {half(points.x, problem.kernel.x), half(points.y, problem.kernel.y),
                half(points.z, problem.kernel.z)};
    }
};

} // namespace

const FilterMethod& tiledFilter() {
    static const TiledFilter kMethod;
    return kMethod;
}
const FilterMethod& fourierFilter() {
    static const FourierFilter kMethod;
    return kMethod;
}
const FilterMethod& tiledTemplateFilter() {
    static const TiledTemplateFilter kMethod;
    return kMethod;
}

} // namespace flcc::filter::detail
