#include <algorithm>
#include <cmath>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "engine/cpu/methods.h"
#include "engine/cpu/template_run.h"
#include "engine/method/shared/smooth_length.h"

namespace flcc::cpu {

namespace {

using base::Box;
using base::Extents;
using method::Candidate;
using method::Problem;
using method::shared::nextSmooth;

/// Nanoseconds of a thread that a placement takes in double for each block of the template.
constexpr double kDoubleNs = 60;
/// A transform is done by one thread, which looks for a stop only afterwards.
constexpr std::int64_t kLongest = std::int64_t{1} << 23;

/// The next length that transforms do well: 2^k or 3 * 2^k.
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
    [[nodiscard]] std::string_view device() const override { return "cpu"; }

    [[nodiscard]] std::vector<Candidate> candidates(const Problem& problem,
                                                    const method::Limits& limits,
                                                    const Extents& tile) const override {
        const Extents& n = problem.scene;
        const Extents& m = problem.templ;
        std::vector<Candidate> result;
        const auto add = [&](const Extents& points) {
            addCandidate(*this, points, limits, result);
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
        prediction.fftPlanning = planningOf(points, problem.precision == method::Precision::Double);
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
        timeOneByOne(problem, prediction);
        prediction.tilesInFlight =
            BlockBuffers<float>::slots(blocks) + parts + 2 * candidate.threads;
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
        TemplateSpectra::planTransforms(problem, candidate.tile);
    }

    [[nodiscard]] std::shared_ptr<const method::Prepared>
    prepare(const Problem& problem, const Candidate& candidate, const method::MaskedView& templ,
            base::TilePool& pool) const override {
        ScorePass::requireUnmasked(templ);
        return std::make_shared<BlockedPrepared>(problem, candidate.tile, templ, pool);
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
        const TemplateBlocks blocks(problem.scene, problem.templ, candidate.tile);
        const double placements =
            static_cast<double>(base::voxelCount(method::mapExtents(problem)));
        ScorePass pass(problem, scene.pixels, templ.forms(), execution, map,
                       {method::mapExtents(problem),
                        kDoubleNs * placements * static_cast<double>(blocks.templateBlocks())});
        const BlockedInput run{problem,      candidate.tile,           blocks,        templ,
                               scene.pixels, execution.pool.threads(), execution.stop};
        const std::vector<Box> tiles = tilesOf(problem, blocks);
        return pass.run(tiles, [&](const std::vector<Box>& some, auto real) {
            return runBlocks<decltype(real)>(run, some, buffers, pass);
        });
    }

  private:
    /// The largest memory of a run (Karas (30), with the segments of the ring).
    static std::int64_t hostBytes(const Problem& problem, const TemplateBlocks& blocks,
                                  const Candidate& candidate) {
        const Extents& points = candidate.tile;
        const int threads = candidate.threads;
        const TemplateSpectra::Part single{
            points, BlockBuffers<float>::bytes(problem, blocks, points, threads)};
        const TemplateSpectra::Part twofold{
            points, BlockBuffers<double>::bytes(problem, blocks, points, threads)};
        const std::int64_t most = TemplateSpectra::runBytes(
            problem, {blocks.x().block, blocks.y().block, blocks.z().block},
            blocks.templateBlocks(), threads, single, twofold);
        const std::int64_t templ =
            base::byteCount(problem.templ, 8) + IntegerTemplate::bytes(problem);
        const std::int64_t spectra =
            TemplateSpectra::keptBytes(problem, single, twofold, blocks.templateBlocks());
        return method::mapBytes(problem) + templ + most + threads * ScorePass::bytes(problem) +
               oneByOneBytes(problem, templ + spectra);
    }

    static void predictTime(const Problem& problem, const Candidate& candidate,
                            const TemplateBlocks& blocks, const method::CostModel& model,
                            method::Prediction& prediction) {
        const Extents& points = candidate.tile;
        const auto count = static_cast<double>(base::voxelCount(points));
        const auto parts = blocks.templateBlocks();
        const double threads = static_cast<double>(candidate.threads);
        const double workers = model.speedUp(candidate.threads);
        const double halfNs = model.blockTransformNs(points) / 2;
        const bool ahead = TemplateSpectra::areMadeAtOnce(points, parts);
        const double prepareNs = static_cast<double>(parts) * halfNs * 2 *
                                 model.wholePrepareFactor / (ahead ? 1.0 : workers);
        const auto buffers = static_cast<double>(
            BlockBuffers<float>::bytes(problem, blocks, points, candidate.threads));
        prediction.setupMs = 1e-6 * (prepareNs + buffers * model.bufferByteNs / workers +
                                     TemplateForms::ns(problem));
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
