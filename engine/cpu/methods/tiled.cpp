#include <algorithm>
#include <cmath>
#include <memory>
#include <string>
#include <vector>

#include "engine/cpu/methods/methods.h"
#include "engine/cpu/methods/tiled_run.h"
#include "engine/cpu/score/counted.h"
#include "engine/cpu/simd/beam.h"
#include "engine/method/shared/smooth_length.h"

namespace flcc::cpu {

namespace {

using base::Extents;
using method::Candidate;
using method::Problem;
using method::shared::nextSmooth;

/// Placements that a tile of `points` gives.
Extents outputTile(const Extents& points, const Extents& m, const Extents& map) {
    return {std::min(points.x - m.x + 1, map.x), std::min(points.y - m.y + 1, map.y),
            std::min(points.z - m.z + 1, map.z)};
}

/// A length of at least `least` for rows, or for columns in a volume: whole cache lines, and a
/// product of small primes.
std::int64_t rowLength(std::int64_t least) {
    return least == 1 ? 1 : nextSmooth((least + 7) / 8) * 8;
}

/// Time of the transforms of a tile, divided by that for a template of a quarter of the tile's
/// lengths, which calibration measures. Columns that no placement needs are not transformed back.
double passesShare(const Extents& points, const Extents& m) {
    const auto wanted = [](std::int64_t length, double templ) {
        return length == 1 ? 1.0 : 1 - templ / static_cast<double>(length);
    };
    const auto passes = [&](double mx, double mz) {
        const double x = wanted(points.x, mx);
        const double z = wanted(points.z, mz);
        return points.z == 1 ? 0.8 + 0.2 * x : 0.71 + 0.12 * x + 0.17 * x * z;
    };
    return passes(static_cast<double>(m.x), static_cast<double>(m.z)) /
           passes(static_cast<double>(points.x) / 4, static_cast<double>(points.z) / 4);
}

/// Time of the transforms that give the sums under a mask, divided by those of a plain tile: one
/// more there and two back, beside buffers that hold spectra; for a further mask of a bank the way
/// back alone. And nanoseconds for each point of a tile for squares and sums.
constexpr double kMaskPasses = 1.5;
constexpr double kAgainMask = 1;
constexpr double kMaskVoxelNs = 0.8;
/// Templates with masks of their own have two spectra each, which every tile reads. Once these take
/// more than kNearBytes, they come from farther caches and at last from memory: 36 masked templates
/// of 90x90 on 2000x2000 took 1.2, 1.8 and 2.5 times as long a point with 19, 37 and 80 as with 10
/// MB. In space, with passes along three axes, 74 MB took 1.16 times as long as 48 MB: not counted.
constexpr double kNearBytes = 10e6;
constexpr double kFarBytes = 75e6;
constexpr double kFarTimes = 2.5;

double farTimes(double bytes) {
    const double share = (bytes - kNearBytes) / (kFarBytes - kNearBytes);
    return 1 + (kFarTimes - 1) * std::clamp(share, 0.0, 1.0);
}

class TiledMethod final : public method::Method {
  public:
    [[nodiscard]] std::string_view name() const override { return "tiled"; }
    [[nodiscard]] method::Traits traits() const override {
        return {.title = "Tiled Fourier",
                .makes = {.scores = true, .forms = true, .searchSums = true}};
    }
    [[nodiscard]] std::string_view device() const override { return "cpu"; }

    [[nodiscard]] std::vector<Candidate> candidates(const Problem& problem,
                                                    const method::Limits& limits,
                                                    const Extents& tile) const override {
        const Extents& m = problem.templ;
        // The voxels under all placements, those outside the scene included.
        const Extents map = method::mapExtents(problem);
        const Extents n{map.x + m.x - 1, map.y + m.y - 1, map.z + m.z - 1};
        std::vector<Candidate> result;
        const auto add = [&](const Extents& points) {
            addCandidate(*this, points, limits, result, transformsFor(points, limits));
        };
        if (tile.x > 0) {
            add({tile.x, n.y == 1 ? 1 : tile.y, n.z == 1 ? 1 : tile.z});
            return result;
        }
        const auto column = [&](std::int64_t least) {
            return n.z == 1 ? nextSmooth(least) : rowLength(least);
        };
        // Tiles are no longer than the scene needs.
        const Extents longest{rowLength(n.x), column(n.y), rowLength(n.z)};
        const auto fitted = [&](const Extents& target) {
            const Extents points{std::min(target.x, longest.x), std::min(target.y, longest.y),
                                 std::min(target.z, longest.z)};
            const auto worth = [](std::int64_t length, std::int64_t templ, std::int64_t scene) {
                return length >= std::min(scene, templ + (templ + 3) / 4);
            };
            if (worth(points.x, m.x, n.x) && worth(points.y, m.y, n.y) &&
                worth(points.z, m.z, n.z)) {
                add(points);
            }
        };
        // Long rows, and few shapes, so that each of them can be measured once.
        if (n.z > 1) {
            for (const std::int64_t length : {32, 48, 64, 96, 128, 192}) {
                for (const std::int64_t row : {length, 2 * length}) {
                    fitted({row, length, length});
                }
            }
        } else {
            for (const std::int64_t length : {60, 126, 189, 252, 315, 504, 720, 1008}) {
                for (const std::int64_t row : {64, 128, 256, 320, 400, 512, 720, 1024}) {
                    if (row >= length / 2 && row <= 6 * length) {
                        fitted({row, length, 1});
                    }
                }
            }
        }
        // Small maps: cut into as many equal parts as leave no thread idle.
        const auto part = [](std::int64_t length, std::int64_t templ, std::int64_t parts) {
            return (length + parts - 1) / parts + templ - 1;
        };
        constexpr std::int64_t kMostParts = 8;
        const auto threads = std::clamp<std::int64_t>(limits.threads, 1, kMostParts);
        // at least 4/5 of the threads are busy over all rounds
        const auto busy = [&](std::int64_t parts) {
            return 5 * parts >= 4 * threads * ((parts + threads - 1) / threads);
        };
        constexpr std::int64_t kLongest = 1280;
        for (std::int64_t z = 1; z <= std::min<std::int64_t>(map.z, 2); ++z) {
            for (std::int64_t y = 1; y <= 4; ++y) {
                for (std::int64_t x = 1; x <= 4; ++x) {
                    const Extents points{part(map.x, m.x, x), part(map.y, m.y, y),
                                         part(map.z, m.z, z)};
                    if (busy(x * y * z) && x * y * z <= kMostParts &&
                        std::max(points.x, points.y) <= kLongest &&
                        base::voxelCount(points) <= kLongest * kLongest) {
                        fitted({rowLength(points.x), column(points.y), rowLength(points.z)});
                    }
                }
            }
        }
        if (result.empty()) { // flat tiles, so large that they can be recomputed in parts
            const auto enough = [&](std::int64_t length) {
                return 2 * length + (n.z == 1 ? length / 2 : 0);
            };
            fitted({rowLength(enough(m.x)), column(enough(m.y)), rowLength(2 * m.z)});
        }
        dropGreedy(problem, result);
        return result;
    }

    [[nodiscard]] method::Verdict
    predict(const Problem& problem, const Candidate& candidate, const method::Limits& limits,
            const method::CostModel& model,
            const method::SceneStatistics* statistics) const override {
        if (std::string reason = statisticsRefusal(problem); !reason.empty()) {
            return method::Refusal{std::move(reason)};
        }
        const Extents& m = problem.templ;
        const TransformShape points(candidate);
        const Extents map = method::mapExtents(problem);
        if (std::string reason = transformsRefusal(candidate, false); !reason.empty()) {
            return method::Refusal{std::move(reason)};
        }
        if (points.x < m.x || points.y < m.y || points.z < m.z) {
            return method::Refusal{"tile " + base::toString(points) + " is smaller than template " +
                                   base::toString(m)};
        }
        const std::int64_t count = base::voxelCount(points);
        if (count > INT32_MAX / 2) {
            return method::Refusal{"tile " + base::toString(points) +
                                   " has more points than FFTW can plan; use a smaller --tile"};
        }
        const Extents tile = outputTile(points, m, map);
        const TileGrid grid(map, tile);
        method::Prediction prediction;
        prediction.fftPlanning = planningOf(points, problem.precision == method::Precision::Double);
        const std::int64_t workspace = workspaceBytes(Counted(problem), candidate, tile);
        Problem known = problem;
        known.mask = problem.mask && !masksInTiles(problem);
        const SupportCost general = supportCost(known, tile);
        prediction.hostBytes = hostBytes(problem, candidate, tile, statistics);
        if (std::string reason = memoryRefusal(prediction.hostBytes, limits); !reason.empty()) {
            return method::Refusal{std::move(reason)};
        }
        const double placements = static_cast<double>(base::voxelCount(map)) - general.placements;
        const MapGrid cut = mapGrid(problem, points, tile, false);
        const double tiles = placements <= 0 ? 0
                             : takesRims(problem, points)
                                 ? static_cast<double>(cut.inner().grid.count())
                                 : std::max(1.0, static_cast<double>(grid.count()) - general.tiles);
        const double pointCount = static_cast<double>(count);
        const double halves = static_cast<double>(general.inputs + general.products);
        // Two half transforms a tile (Karas (23)), 2.5 M log2 M operations each; one for each
        // further template.
        const double templates = problem.templates;
        const double masks = masksOf(problem);
        prediction.operations =
            (tiles * (1 + templates + 3 * masks) + templates * halves * general.tiles) *
            (2.5 * pointCount * std::log2(std::max(2.0, pointCount)) + 1.5 * pointCount);
        const method::ShapeTime shape = model.timeOf(points);
        const double tileNs = tileNsOf(problem, points, model);
        // In the last round some threads may be idle.
        const double threads = static_cast<double>(candidate.threads);
        const double rounds = std::ceil(tiles / threads);
        const double busy = tiles > 0 ? rounds * threads / tiles : 1;
        const double workers = model.speedUp(candidate.threads);
        const auto buffers = static_cast<double>(workspace);
        const double generalNs = takesRims(problem, points)
                                     ? rimNs(problem, points, tile, model)
                                     : templates * general.tiles *
                                               (halves * pointCount * doubleHalfNs(points) +
                                                kSupportLoads * model.loadNs(points)) +
                                           templates * general.placements * kSupportScoreNs;
        const double prepared = templates * (general.tiles > 0 ? 3 : 1) + masks;
        prediction.setupMs = 1e-6 * (prepared * shape.prepareNs + buffers * model.bufferByteNs +
                                     TemplateForms::ns(problem));
        prediction.ms = prediction.setupMs +
                        1e-6 *
                            (tileNs * tiles + denominatorNs(placements, problem, tile, model) *
                                                  sharedScores(problem)) *
                            std::min(busy, threads) / workers +
                        1e-6 * generalNs / workers;
        prediction.tilesInFlight = candidate.threads;
        prediction.paddingWaste =
            1 - static_cast<double>(base::voxelCount(map)) / ((tiles + general.tiles) * pointCount);
        if (statistics != nullptr) {
            prediction.errorBound =
                method::shared::expectedFourierBound(points, m, predictedK(*statistics), {});
        }
        return prediction;
    }

    void warmUp(const Problem& problem, const Candidate& candidate) const override {
        const TransformShape points(candidate);
        if (needsGeneral(problem)) {
            (void)TileTransform<double>::of(points);
        }
        if (problem.precision == method::Precision::Single) {
            (void)TileTransform<float>::of(points);
        } else {
            (void)TileTransform<double>::of(points);
        }
    }

    [[nodiscard]] std::shared_ptr<const method::Prepared>
    prepare(const Problem& problem, const Candidate& candidate, const method::MaskedView& templ,
            base::TilePool& pool) const override {
        const std::int64_t workspace =
            workspaceBytes(Counted(problem), candidate,
                           outputTile(candidate.tile, problem.templ, method::mapExtents(problem)));
        return std::make_shared<TiledPrepared>(problem, candidate, templ,
                                               keepsDouble(problem, candidate, workspace), pool);
    }

    [[nodiscard]] std::unique_ptr<method::Workspace>
    makeWorkspace(const Problem& problem, const Candidate& candidate) const override {
        return std::make_unique<ThreadBuffers<TiledBuffers>>(
            candidate.threads, problem, TransformShape(candidate),
            outputTile(candidate.tile, problem.templ, method::mapExtents(problem)));
    }

    method::Outcome execute(const Problem& problem, const Candidate& candidate,
                            const method::Prepared& prepared, const method::MaskedView& scene,
                            method::Workspace& workspace, const method::Execution& execution,
                            const method::MapView& map) const override {
        const auto& templ = dynamic_cast<const TiledPrepared&>(prepared);
        const TransformShape points(candidate);
        const TiledRun run{problem, points, {&templ}, withoutIdleMask(problem, scene), {map, {}}};
        return run(outputTile(candidate.tile, problem.templ, method::mapExtents(problem)),
                   dynamic_cast<ThreadBuffers<TiledBuffers>&>(workspace), execution);
    }

    method::Outcome
    executeBank(const Problem& problem, const Candidate& candidate,
                const std::vector<std::shared_ptr<const method::Prepared>>& prepared,
                const method::MaskedView& scene, method::Workspace& workspace,
                const method::Execution& execution, const method::BankView& to) const override {
        const auto templs = alikeTemplates<TiledPrepared>(problem, prepared);
        if (templs.empty()) {
            return Method::executeBank(problem, candidate, prepared, scene, workspace, execution,
                                       to);
        }
        const TransformShape points(candidate);
        const TiledRun run{problem, points, templs, withoutIdleMask(problem, scene), to};
        return run(outputTile(candidate.tile, problem.templ, method::mapExtents(problem)),
                   dynamic_cast<ThreadBuffers<TiledBuffers>&>(workspace), execution);
    }

  private:
    /// Masks under which the sums of a tile are made.
    static double masksOf(const Problem& problem) {
        return !masksInTiles(problem) ? 0 : problem.ownMasks ? problem.templates : 1;
    }

    /// Time of a tile for all templates, but for its window sums and scores.
    static double tileNsOf(const Problem& problem, const TransformShape& points,
                           const method::CostModel& model) {
        const auto count = static_cast<double>(base::voxelCount(points));
        const double templates = problem.templates;
        const double masks = masksOf(problem);
        const double maskPasses = masks > 0 ? kMaskPasses + kAgainMask * (masks - 1) : 0;
        const method::ShapeTime shape = model.timeOf(points);
        const double loadNs = std::min(shape.tileNs, model.loadNs(points));
        // The model knows by itself that other lengths are FFTW's.
        const double fftw = points.smooth() ? timeFactor(points) : 1;
        const double passesNs = (shape.tileNs - loadNs) * passesShare(points, problem.templ) * fftw;
        const double far = problem.ownMasks && points.z == 1
                               ? farTimes(sizeof(float) * count * (templates + masks))
                               : 1;
        return loadNs + passesNs * (1 + far * kAgainTransform * (templates - 1)) +
               far * maskPasses * passesNs + masks * kMaskVoxelNs * count + model.tileOverheadNs;
    }

    /// Time of the border, if takesRims().
    static double rimNs(const Problem& problem, const TransformShape& points, const Extents& tile,
                        const method::CostModel& model) {
        constexpr double kBoxNs = 6;   // window sums of a placement
        constexpr double kScoreNs = 8; // and its score for each template
        double ns = 0;
        for (const RimCost& part : rimCosts(problem, points, tile)) {
            ns += part.tiles * tileNsOf(problem, part.points, model) +
                  part.placements * (kBoxNs + kScoreNs * problem.templates);
        }
        return ns;
    }

    /// For a large problem, drops tiles that cannot be recomputed in parts, if there are others:
    /// the memory that they would need for recomputing is often not used.
    static void dropGreedy(const Problem& problem, std::vector<Candidate>& candidates) {
        constexpr std::int64_t kLarge = std::int64_t{128} << 20;
        constexpr std::int64_t kLittle = 16;
        const std::int64_t map = method::mapBytes(problem);
        const auto greedy = [&](const Candidate& candidate) {
            return problem.recompute && problem.precision == method::Precision::Single &&
                   doublePoints(problem, TransformShape(candidate)) == TransformShape(candidate) &&
                   candidate.threads * TileBuffers<float>::bytes(TransformShape(candidate), 0) >
                       map / kLittle;
        };
        if (map > kLarge && !std::all_of(candidates.begin(), candidates.end(), greedy)) {
            std::erase_if(candidates, greedy);
        }
    }

    /// Bytes of the buffers of all threads that get a tile.
    static std::int64_t workspaceBytes(const Counted& counted, const Candidate& candidate,
                                       const Extents& tile) {
        const Problem& problem = counted.problem;
        const bool general = (problem.mask && !masksInTiles(problem)) ||
                             problem.statistics == method::WindowStatistics::Fourier;
        const std::int64_t tiles =
            mapGrid(problem, TransformShape(candidate), tile, general).count();
        return std::min<std::int64_t>(candidate.threads, tiles) *
               (TiledBuffers::bytes(counted, TransformShape(candidate), tile) +
                counted.scorerBytes(tile));
    }

    /// The largest memory of a run, in bytes. The template is prepared first, in double; then every
    /// thread has its buffers.
    static std::int64_t hostBytes(const Problem& asked, const Candidate& candidate,
                                  const Extents& tile, const method::SceneStatistics* statistics) {
        const TransformShape points(candidate);
        const Counted counted(
            asked, fourierTerms(points, asked.templ, {{.total = 1}, {}}, false, kUnitSingle),
            statistics);
        const Problem& problem = counted.problem;
        const std::int64_t workspace = workspaceBytes(counted, candidate, tile);
        const bool keeps =
            keepsDouble(asked, candidate, workspaceBytes(Counted(asked), candidate, tile));
        const std::int64_t making = // FFTW needs the template's box too
            8 * (TileTransform<double>::spectrumValues(points) +
                 (points.fftw ? base::voxelCount(points) : 0));
        return method::mapBytes(problem) + unlikeBytes(problem) +
               problem.templates * TiledPrepared::bytes(counted, points, keeps) +
               TiledPrepared::sharedBytes(problem, points, keeps) + std::max(making, workspace) +
               littleBytes(problem, candidate.threads);
    }

    /// True if the spectrum of a template in double is kept from the first tile that needs it: it
    /// is small compared with the memory of the run.
    static bool keepsDouble(const Problem& problem, const Candidate& candidate,
                            std::int64_t workspace) {
        if (problem.precision == method::Precision::Double) {
            return true;
        }
        // a twentieth: predictions of memory must be right within a tenth
        constexpr std::int64_t kLittle = 20;
        const TransformShape points(candidate);
        return problem.templates * 8 *
                   TileTransform<double>::spectrumValues(doublePoints(problem, points)) <=
               (method::mapBytes(problem) + TiledPrepared::spectrumBytes(points) + workspace) /
                   kLittle;
    }
};

} // namespace

const method::Method& tiledMethod() {
    static const TiledMethod method;
    return method;
}

} // namespace flcc::cpu
