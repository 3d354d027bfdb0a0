#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include <fmt/format.h>

#include "engine/base/stopwatch.h"
#include "engine/cpu/transform/tile_transform.h"
#include "engine/filter/detail/filter_method.h"
#include "engine/filter/detail/local_check.h"
#include "engine/filter/detail/overlap_save_run.h"
#include "engine/filter/detail/tile_tasks.h"
#include "engine/method/shared/fourier_bound.h"
#include "engine/method/shared/smooth_length.h"

namespace flcc::filter::detail {

namespace {

using base::Extents;
using method::shared::TileEnergy;

template <class Real> using Transform = cpu::TileTransform<Real>;

/// A length of at least `least`: a product of small primes; of rows, whole cache lines.
std::int64_t rowLength(std::int64_t least) {
    return least == 1 ? 1 : method::shared::nextSmooth((least + 7) / 8) * 8;
}
std::int64_t columnLength(std::int64_t least, bool volume) {
    return volume ? rowLength(least) : method::shared::nextSmooth(least);
}

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
    /// True if all threads share one transform; FFTW's is then considered beside ours.
    [[nodiscard]] virtual bool isWhole() const { return false; }

    /// The candidates where the planner chooses the points of a transform.
    [[nodiscard]] virtual std::vector<method::Candidate>
    choices(const Problem& problem, const method::Limits& limits) const = 0;

    [[nodiscard]] std::vector<method::Candidate> candidates(const Problem& problem, const Kernel&,
                                                            const method::Limits& limits,
                                                            const Shape& shape) const override {
        const Extents& tile = shape.tile;
        if (tile.x == 0) {
            return choices(problem, limits);
        }
        return candidatesOf(
            {tile.x, tile.y, isVolume(problem) ? std::max<std::int64_t>(tile.z, 1) : 1}, limits);
    }

    [[nodiscard]] static bool isVolume(const Problem& problem) {
        return resultExtents(problem).z > 1 || problem.kernel.z > 1;
    }

    /// Points of one transform of the whole scene.
    [[nodiscard]] static Extents wholePoints(const Problem& problem) {
        const Extents& m = problem.kernel;
        const Extents out = resultExtents(problem);
        return {rowLength(out.x + m.x - 1), columnLength(out.y + m.y - 1, isVolume(problem)),
                rowLength(out.z + m.z - 1)};
    }

    [[nodiscard]] method::Candidate candidateOf(const Extents& points,
                                                const method::Limits& limits) const {
        return {.method = std::string(name()),
                .tile = points,
                .threads = limits.threads,
                .transforms = cpu::transformsFor(points, limits)};
    }
    [[nodiscard]] std::vector<method::Candidate> candidatesOf(const Extents& points,
                                                              const method::Limits& limits) const {
        std::vector<method::Candidate> list{candidateOf(points, limits)};
        for (const method::Transforms transforms : cpu::allTransformsFor(points, limits)) {
            if (isWhole() && transforms != list.front().transforms) {
                list.push_back(list.front());
                list.back().transforms = transforms;
            }
        }
        return list;
    }

    [[nodiscard]] method::Verdict predict(const Problem& problem, const Kernel& kernel,
                                          const method::Candidate& candidate,
                                          const method::CostModel& model) const override {
        const cpu::TransformShape points(candidate);
        if (!kernel.hasWeights()) {
            return method::Refusal{"the kernel has too many voxels to be transformed"};
        }
        if (std::string reason = cpu::transformsRefusal(candidate, isWhole()); !reason.empty()) {
            return method::Refusal{std::move(reason)};
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
        const double transforms = cpu::timeFactor(points);
        const double tileNs =
            isWhole() ? transforms * model.wholeTransformNs(points) + model.loadNs(points)
                      : (points.smooth() ? transforms : 1) * model.timeOf(points).tileNs;
        // Of a tile with blocks the forward transforms and products are done for each of them.
        const double forTile =
            blocks == 1 ? tileNs
                        : tileNs * (0.5 + 0.6 * blocks) + blocks * count * model.productPointNs;
        const double prepare =
            blocks * (isWhole() ? transforms * model.wholeTransformNs(points) / 2
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
        prediction.hostBytes = hostBytes(problem, kernel, candidate, cut);
        prediction.errorBound = expectedBound(problem, kernel, points);
        prediction.fftPlanning = std::string(cpu::planningOf(points, !single));
        prediction.tilesInFlight = isWhole() ? 1 : candidate.threads;
        prediction.paddingWaste = 1 - resultVoxels(problem) / (tiles * count);
        return prediction;
    }

  private:
    [[nodiscard]] std::int64_t hostBytes(const Problem& problem, const Kernel& kernel,
                                         const method::Candidate& candidate, const Cut& cut) const {
        const bool single = problem.precision == method::Precision::Single;
        const cpu::TransformShape points(candidate);
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
        // The check begins when all of these are gone.
        return resultBytes(problem) + markBytes(problem) +
               std::max(spectra + std::max(prepare, workers * buffers + scratch),
                        checkBytes(problem, kernel, candidate.threads));
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
        const cpu::TransformShape points(task.candidate);
        OverlapSave<Real> run(task, cutOf(points, task.problem.kernel, block(task.problem, points),
                                          task.to.extents()));
        const cpu::ForItems each = [&](std::int64_t count, const auto& work) {
            return task.pool.run(count, work, task.stop);
        };
        Outcome outcome;
        const base::Stopwatch watch;
        if (!run.prepare(each)) {
            outcome.cancelled = true;
            return outcome;
        }
        const double prepareMs = watch.ms();
        outcome = isWhole() ? run.whole() : run.tiles();
        outcome.prepareMs = prepareMs;
        return outcome;
    }
};

class TiledFilter final : public OverlapSaveFilter {
  public:
    [[nodiscard]] std::string_view name() const override { return "tiled"; }

  protected:
    [[nodiscard]] std::vector<method::Candidate>
    choices(const Problem& problem, const method::Limits& limits) const override {
        const Extents& m = problem.kernel;
        const bool volume = isVolume(problem);
        const Extents longest = wholePoints(problem);
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

  protected:
    [[nodiscard]] std::vector<method::Candidate>
    choices(const Problem& problem, const method::Limits& limits) const override {
        return candidatesOf(wholePoints(problem), limits);
    }

    [[nodiscard]] bool isWhole() const override { return true; }
};

class TiledTemplateFilter final : public OverlapSaveFilter {
  public:
    [[nodiscard]] std::string_view name() const override { return "tiled-template"; }

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
    [[nodiscard]] std::vector<method::Candidate>
    choices(const Problem& problem, const method::Limits& limits) const override {
        std::vector<method::Candidate> list;
        const Extents longest = wholePoints(problem);
        const bool volume = isVolume(problem);
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
