#include <algorithm>
#include <cmath>
#include <limits>
#include <memory>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "engine/cpu/methods/methods.h"
#include "engine/cpu/methods/template_run.h"
#include "engine/method/shared/smooth_length.h"

namespace flcc::cpu {

namespace {

using base::Box;
using base::Extents;
using method::Candidate;
using method::Problem;
using method::shared::nextSmooth;

/// Predicted nanoseconds of one thread for a placement in double, for each block of the template.
constexpr double kBlockDoubleNs = 60;
/// Largest number of points: one thread makes a transform and does not look for a stop during it.
constexpr std::int64_t kLongest = std::int64_t{1} << 23;

/// The next length that transforms fast: 2^k or 3 * 2^k.
std::int64_t goodLength(std::int64_t least) {
    std::int64_t power = 1;
    while (power < least) {
        power *= 2;
    }
    return power >= 4 && 3 * power / 4 >= least ? 3 * power / 4 : power;
}

class TiledTemplateMethod final : public method::Method {
  public:
    [[nodiscard]] std::string_view name() const override { return "tiled-template"; }
    [[nodiscard]] method::Traits traits() const override {
        return {.title = "Scene and template tiled",
                .cutsTemplate = true,
                .makes = {.scores = true, .forms = true, .searchSums = true}};
    }
    [[nodiscard]] std::string_view device() const override { return "cpu"; }

    [[nodiscard]] std::vector<Candidate> candidates(const Problem& problem,
                                                    const method::Limits& limits,
                                                    const Extents& tile) const override {
        const Extents& n = problem.scene;
        const Extents& m = problem.templ;
        std::vector<Candidate> result;
        const auto add = [&](const Extents& points) {
            addCandidate(*this, points, limits, result, transformsFor(points, limits));
        };
        if (tile.x > 0) {
            add({tile.x, n.y == 1 ? 1 : tile.y, n.z == 1 ? 1 : tile.z});
            return result;
        }
        for (const std::int64_t count : {2, 3, 4, 6, 8, 16}) {
            // Short axes of a template are not worth cutting.
            constexpr std::int64_t kShort = 16;
            const auto cut = [&](std::int64_t length, std::int64_t scene) {
                const std::int64_t block = (length + count - 1) / count;
                const std::int64_t whole = goodLength(std::max<std::int64_t>(64, 4 * length));
                return block < (count == 2 ? 2 : kShort) ? std::min(whole, nextSmooth(scene))
                                                         : goodLength(2 * block - 1);
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
        const TransformShape points(candidate);
        if (std::string reason = ScorePass::refusal(problem); !reason.empty()) {
            return method::Refusal{std::move(reason)};
        }
        if (std::string reason = transformsRefusal(candidate, false); !reason.empty()) {
            return method::Refusal{std::move(reason)};
        }
        if (points.x > kLongest || points.y > kLongest || points.z > kLongest ||
            base::voxelCount(points) > kLongest) {
            return method::Refusal{"a transform of " + base::toString(points) +
                                   " points takes one thread too long; use a smaller --tile"};
        }
        const BlockedPart whole(problem, points);
        const TemplateBlocks& blocks = whole.blocks;
        const std::int64_t parts = blocks.templateBlocks();
        if (parts == 1) {
            return method::Refusal{
                "a template of " + base::toString(problem.templ) +
                " needs no cutting into blocks; use tiled, or a --tile smaller than " +
                base::toString(points)};
        }
        method::Prediction prediction;
        prediction.fftPlanning = planningOf(points, problem.precision == method::Precision::Double);
        prediction.hostBytes = hostBytes(whole, candidate, statistics);
        if (std::string reason = memoryRefusal(prediction.hostBytes, limits); !reason.empty()) {
            return method::Refusal{std::move(reason)};
        }
        const auto count = static_cast<double>(base::voxelCount(points));
        const double root = std::log2(std::max(2.0, count));
        const auto segments = static_cast<double>(blocks.segments());
        const auto outputs = static_cast<double>(blocks.outputBlocks());
        const auto products = outputs * static_cast<double>(parts);
        // A half transform for each segment, output block and template block (Karas (28), with
        // shared segments).
        prediction.operations =
            (segments + outputs + static_cast<double>(parts)) * 2.5 * count * root +
            products * 4 * count;
        predictTime(whole, candidate, model, prediction);
        timeOneByOne(problem, prediction);
        prediction.tilesInFlight =
            BlockBuffers<float>::slots(blocks) + parts + 2 * candidate.threads;
        prediction.paddingWaste =
            1 -
            static_cast<double>(base::voxelCount(method::mapExtents(problem))) / (outputs * count);
        if (statistics != nullptr) {
            // The bound of termsOf(): sum ||segment|| ||block|| at the contrast of the scene.
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
        TemplateSpectra::planTransforms(problem, TransformShape(candidate));
    }

    [[nodiscard]] std::shared_ptr<const method::Prepared>
    prepare(const Problem& problem, const Candidate& candidate, const method::MaskedView& templ,
            base::TilePool& pool) const override {
        ScorePass::requireUnmasked(templ);
        return std::make_shared<BlockedPrepared>(problem, TransformShape(candidate), templ, pool);
    }

    [[nodiscard]] std::unique_ptr<method::Workspace>
    makeWorkspace(const Problem& /*problem*/, const Candidate& /*candidate*/) const override {
        return std::make_unique<BlockedWorkspace>();
    }

    method::Outcome execute(const Problem& problem, const Candidate& candidate,
                            const method::Prepared& prepared, const method::MaskedView& scene,
                            method::Workspace& workspace, const method::Execution& execution,
                            const method::MapView& map) const override {
        ScorePass::requireUnmasked(scene);
        const auto& templ = dynamic_cast<const BlockedPrepared&>(prepared);
        auto& buffers = dynamic_cast<BlockedWorkspace&>(workspace);
        const TransformShape points(candidate);
        const BlockedPart whole(problem, points);
        const BlockedPart again = againOf(whole, points);
        const Extents piece = method::mapExtents(again.problem);
        const bool inPieces = piece != method::mapExtents(problem);
        const Extents tile = ScorePass::tileOf(problem);
        const Extents batch = whole.batchExtents(); // tiles begin anew in each batch
        const Extents region = !inPieces                     ? piece
                               : whole.blocks.slowest() == 2 ? Extents{tile.x, tile.y, batch.z}
                                                             : Extents{tile.x, batch.y, 1};
        ScorePass pass(problem, scene.pixels, templ.forms(), execution, map,
                       {region, kBlockDoubleNs * static_cast<double>(base::voxelCount(region)) *
                                    static_cast<double>(whole.blocks.templateBlocks())});
        // Not those of the pool: the buffers stay, and the next run may have a larger pool.
        const BlockedInput run{points, templ, std::max(candidate.threads, execution.pool.threads()),
                               execution.stop};
        return pass.run(tilesOf(whole), [&](const std::vector<Box>& tiles, auto real) {
            using Real = decltype(real);
            const auto part = [&](const PlacedPart& at, const std::vector<Box>& some) {
                return runBlocks<Real>(run, at, some, buffers, pass);
            };
            if (std::is_same_v<Real, float> || !inPieces) {
                return part({whole, whole, {0, 0, 0}, scene.pixels}, tiles);
            }
            return std::all_of(tiles.begin(), tiles.end(), [&](const Box& box) {
                const TileGrid grid(box.extents, piece);
                bool done = true;
                for (std::int64_t i = 0; done && i < grid.count(); ++i) {
                    Box some = grid.box(i);
                    some.corner = {some.corner.x + box.corner.x, some.corner.y + box.corner.y,
                                   some.corner.z + box.corner.z};
                    const BlockedPart own = again.of(some.extents);
                    done = part({own, again, some.corner,
                                 base::partOf(scene.pixels, footprint(some, problem.templ))},
                                {some});
                }
                return done;
            });
        });
    }

  private:
    static Extents blockOf(const TemplateBlocks& blocks) {
        return {blocks.x().block, blocks.y().block, blocks.z().block};
    }
    template <class Real>
    static TemplateSpectra::Part spectraPart(const BlockedPart& part, const TransformShape& points,
                                             int threads) {
        return {points, BlockBuffers<Real>::bytes(part, points, threads)};
    }

    /// The part that is recomputed in double at a time: the piece of a score tile with the fewest
    /// segments whose run takes no more memory than the run in single precision, plus a fourteenth.
    /// It is the whole map if that fits, if no piece does, or if the problem is in double.
    static BlockedPart againOf(const BlockedPart& whole, const TransformShape& points) {
        const Problem& problem = whole.problem;
        constexpr int kThreads = 1; // the same part for any number of threads
        constexpr std::int64_t kLittle = 14;
        static constexpr std::int64_t kPieces = 8;
        const std::int64_t parts = whole.blocks.templateBlocks();
        const Extents block = blockOf(whole.blocks);
        const std::int64_t first = TemplateSpectra::partBytes<float>(
            spectraPart<float>(whole, points, kThreads), block, parts, kThreads);
        const std::int64_t limit =
            first +
            (first + method::mapBytes(problem) + base::byteCount(problem.templ, 8)) / kLittle -
            TemplateSpectra::bytes<float>(points, parts);
        const auto fits = [&](const BlockedPart& part) {
            return TemplateSpectra::partBytes<double>(spectraPart<double>(part, points, kThreads),
                                                      block, parts, kThreads) <= limit;
        };
        BlockedPart best = whole;
        if (problem.precision == method::Precision::Double || fits(whole)) {
            return best;
        }
        const Extents tile = ScorePass::tileOf(problem);
        const Extents batch = whole.batchExtents();
        const Extents most{std::min(tile.x, batch.x), std::min(tile.y, batch.y),
                           std::min(tile.z, batch.z)};
        const auto pieces = [](std::int64_t length) { return std::min(kPieces, length); };
        const auto cut = [](std::int64_t length, std::int64_t count) {
            return (length + count - 1) / count;
        };
        std::int64_t least = std::numeric_limits<std::int64_t>::max();
        for (std::int64_t z = 1; z <= pieces(most.z); ++z) {
            for (std::int64_t y = 1; y <= pieces(most.y); ++y) {
                for (std::int64_t x = 1; x <= pieces(most.x); ++x) {
                    const BlockedPart part =
                        whole.of({cut(most.x, x), cut(most.y, y), cut(most.z, z)});
                    const std::int64_t all = x * y * z * part.blocks.segments();
                    if (all < least && fits(part)) {
                        least = all;
                        best = part;
                    }
                }
            }
        }
        return best;
    }

    /// The terms of the bound on a score of a panel with K = 1. Where an axis has several blocks, a
    /// voxel lies in two segments; so sum ||segment|| ||block|| is at most the root of 2 for each
    /// such axis times the norm of the scene (Cauchy-Schwarz).
    static BoundTerms expectedTerms(const BlockedPart& whole, const Extents& points) {
        const TemplateBlocks& blocks = whole.blocks;
        double total = 0.5; // not 1 as for frames: a segment lies about its own mean
        for (const BlockedAxis* const axis : {&blocks.x(), &blocks.y(), &blocks.z()}) {
            total *= axis->templateBlocks > 1 ? 2 : 1;
        }
        const auto products = static_cast<double>(blocks.templateBlocks() - 1);
        BoundTerms terms;
        terms.worst =
            fourierTerms(points, whole.problem.templ, {{.total = total}, {}}, true, kUnitSingle)
                .worst +
            kUnitSingle * products * std::sqrt(total);
        terms.panel = 3 * kUnitSingle;
        return terms;
    }

    /// The largest memory of a run, in bytes (Karas (30), with the segments of the ring).
    static std::int64_t hostBytes(const BlockedPart& whole, const Candidate& candidate,
                                  const method::SceneStatistics* statistics) {
        const TransformShape points(candidate);
        const Counted counted(whole.problem, expectedTerms(whole, points), statistics);
        const Problem& problem = counted.problem;
        const int threads = candidate.threads;
        const std::int64_t parts = whole.blocks.templateBlocks();
        const auto single = spectraPart<float>(whole, points, threads);
        const auto inDouble = spectraPart<double>(againOf(whole, points), points, threads);
        const std::int64_t most = TemplateSpectra::runBytes(problem, blockOf(whole.blocks), parts,
                                                            threads, single, inDouble);
        const std::int64_t templ = counted.templateBytes();
        const std::int64_t spectra = TemplateSpectra::keptBytes(problem, single, inDouble, parts);
        return method::mapBytes(problem) + templ + most + ScorePass::bytes(counted, threads) +
               littleBytes(problem, threads) + oneByOneBytes(problem, templ + spectra);
    }

    static void predictTime(const BlockedPart& whole, const Candidate& candidate,
                            const method::CostModel& model, method::Prediction& prediction) {
        const Problem& problem = whole.problem;
        const TemplateBlocks& blocks = whole.blocks;
        const TransformShape points(candidate);
        const auto count = static_cast<double>(base::voxelCount(points));
        const auto parts = blocks.templateBlocks();
        const double threads = static_cast<double>(candidate.threads);
        const double workers = model.speedUp(candidate.threads);
        const double halfNs = timeFactor(points) * model.blockTransformNs(points) / 2;
        const bool ahead = TemplateSpectra::areMadeAtOnce(points, parts);
        const double prepareNs = static_cast<double>(parts) * halfNs * 2 *
                                 model.wholePrepareFactor / (ahead ? 1.0 : workers);
        const auto buffers =
            static_cast<double>(BlockBuffers<float>::bytes(whole, points, candidate.threads));
        prediction.setupMs = 1e-6 * (prepareNs + buffers * model.bufferByteNs / workers +
                                     TemplateForms::ns(problem));
        // Threads share the blocks of a layer. In the last round some may be idle.
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
            denominatorNs(static_cast<double>(base::voxelCount(method::mapExtents(problem))),
                          problem, ScorePass::tileOf(problem), model);
        prediction.ms = prediction.setupMs + 1e-6 * runNs / workers;
    }
};

} // namespace

const method::Method& tiledTemplateMethod() {
    static const TiledTemplateMethod method;
    return method;
}

} // namespace flcc::cpu
