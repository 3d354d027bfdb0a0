#include <algorithm>
#include <cmath>
#include <limits>
#include <memory>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "engine/cpu/methods/dif_match.h"
#include "engine/cpu/methods/methods.h"
#include "engine/cpu/score/counted.h"

/// LCC by one transform of the whole scene in parts (Karas (17), (18)): as method fourier, in a
/// part of its memory. Numerators are added up in the map until they are scored.
namespace flcc::cpu {

namespace {

using base::Box;
using base::Extents;
using method::Candidate;
using method::Problem;

/// Predicted nanoseconds of one thread for a point of a region in double, all stages together.
constexpr double kDifDoubleNs = 60;

class DifPrepared final : public method::Prepared {
  public:
    DifPrepared(const Problem& problem, const method::MaskedView& templ, base::TilePool& pool)
        : m_forms(TemplateForms::of(problem, templ, pool)) {}
    [[nodiscard]] const TemplateForms& forms() const { return m_forms; }

  private:
    TemplateForms m_forms;
};

/// Nothing is kept between runs: most of the memory would be.
class DifWorkspace final : public method::Workspace {};

class DifMethod final : public method::Method {
  public:
    [[nodiscard]] std::string_view name() const override { return "dif"; }
    [[nodiscard]] method::Traits traits() const override {
        return {.title = "Decimated Fourier",
                .wholeScene = true,
                .savesMemory = true,
                .makes = {.scores = true, .forms = true, .searchSums = true}};
    }
    [[nodiscard]] std::string_view device() const override { return "cpu"; }

    [[nodiscard]] std::vector<Candidate> candidates(const Problem& problem,
                                                    const method::Limits& limits,
                                                    const Extents& tile) const override {
        const bool slices = isVolume(problem);
        const Extents needed = Decimation::turned(problem.scene, slices);
        if (tile.x == 0) {
            return Decimation::candidates(name(), needed, slices, 0, tile, limits);
        }
        const Extents points{tile.x, problem.scene.y == 1 ? 1 : tile.y, slices ? tile.z : 1};
        const std::int64_t length = std::max<std::int64_t>(1, slices ? points.z : points.y);
        const std::int64_t parts = (needed.z + length - 1) / length;
        return Decimation::candidates(
            name(), needed, slices,
            static_cast<int>(std::clamp<std::int64_t>(parts, 2, std::numeric_limits<int>::max())),
            points, limits);
    }

    [[nodiscard]] method::Verdict
    predict(const Problem& problem, const Candidate& candidate, const method::Limits& limits,
            const method::CostModel& model,
            const method::SceneStatistics* statistics) const override {
        if (std::string reason = ScorePass::refusal(problem); !reason.empty()) {
            return method::Refusal{std::move(reason)};
        }
        const bool slices = isVolume(problem);
        const Decimation cut = Decimation::of(candidate, slices);
        if (std::string reason = cut.refusal(Decimation::turned(problem.scene, slices));
            !reason.empty()) {
            return method::Refusal{std::move(reason)};
        }
        const auto points = static_cast<double>(cut.wholePoints());
        method::Prediction prediction;
        prediction.fftPlanning = cut.fftw ? "estimate" : "own"; // parts have no wisdom
        prediction.hostBytes = hostBytes(
            Counted(problem, difTerms(cut, 1, false, kUnitSingle), statistics), candidate);
        if (std::string reason = memoryRefusal(prediction.hostBytes, limits); !reason.empty()) {
            return method::Refusal{std::move(reason)};
        }
        const auto placements = static_cast<double>(base::voxelCount(method::mapExtents(problem)));
        const Decimation::Work work =
            cut.work(static_cast<double>(base::voxelCount(problem.scene)),
                     static_cast<double>(base::voxelCount(problem.templ)), placements, model);
        const double speedUp = model.speedUp(candidate.threads) /
                               (problem.precision == method::Precision::Single ? 1 : 2);
        prediction.operations = work.operations + 3 * points;
        prediction.setupMs = 1e-6 * (work.templ / speedUp + TemplateForms::ns(problem) +
                                     static_cast<double>(cut.bytes<float>(candidate.threads)) *
                                         model.bufferByteNs / model.speedUp(candidate.threads));
        const double scores = 2 * model.loadNs(problem.scene) +
                              denominatorNs(placements, problem, ScorePass::tileOf(problem), model);
        prediction.ms = prediction.setupMs + 1e-6 * (work.scene / speedUp + work.steps +
                                                     scores / model.speedUp(candidate.threads));
        timeOneByOne(problem, prediction);
        prediction.tilesInFlight = 1;
        prediction.paddingWaste = 1 - placements / points;
        if (statistics != nullptr) {
            const double norm =
                std::sqrt(points / static_cast<double>(base::voxelCount(problem.templ)));
            prediction.errorBound =
                (cut.error(kUnitSingle) * norm + 2 * kUnitSingle) * predictedK(*statistics) +
                4 * kUnitSingle;
        }
        return prediction;
    }

    void warmUp(const Problem&, const Candidate&) const override {}

    [[nodiscard]] std::shared_ptr<const method::Prepared>
    prepare(const Problem& problem, const Candidate&, const method::MaskedView& templ,
            base::TilePool& pool) const override {
        ScorePass::requireUnmasked(templ);
        return std::make_shared<DifPrepared>(problem, templ, pool);
    }

    [[nodiscard]] std::unique_ptr<method::Workspace>
    makeWorkspace(const Problem&, const Candidate&) const override {
        return std::make_unique<DifWorkspace>();
    }

    method::Outcome execute(const Problem& problem, const Candidate& candidate,
                            const method::Prepared& prepared, const method::MaskedView& scene,
                            method::Workspace&, const method::Execution& execution,
                            const method::MapView& map) const override {
        ScorePass::requireUnmasked(scene);
        const TemplateForms& templ = dynamic_cast<const DifPrepared&>(prepared).forms();
        const DifRegion whole{method::mapExtents(problem),
                              Decimation::of(candidate, isVolume(problem))};
        const DifRegion again = difRegionOf(problem, candidate);
        ScorePass pass(
            problem, scene.pixels, templ, execution, map,
            {again.placements, kDifDoubleNs * static_cast<double>(again.cut.wholePoints())});
        const DifMatch match(problem, templ.canonical, scene.pixels, execution, map, pass);
        const TileGrid grid = ScorePass::gridOf(problem);
        std::vector<Box> tiles;
        for (std::int64_t i = 0; i < grid.count(); ++i) {
            tiles.push_back(grid.box(i));
        }
        return pass.run(tiles, [&](const std::vector<Box>& some, auto real) {
            using Real = decltype(real);
            const bool first =
                std::is_same_v<Real, float> || problem.precision == method::Precision::Double;
            return match.run<Real>(first ? whole : again, some);
        });
    }

  private:
    /// The largest memory of a run, in bytes.
    static std::int64_t hostBytes(const Counted& counted, const Candidate& candidate) {
        const Problem& problem = counted.problem;
        const int threads = candidate.threads;
        const DifRegion whole{method::mapExtents(problem),
                              Decimation::of(candidate, isVolume(problem))};
        const bool single = problem.precision == method::Precision::Single;
        std::int64_t most =
            single ? whole.bytes<float>(problem, threads) : whole.bytes<double>(problem, threads);
        if (single && problem.recompute) {
            most = std::max(most, difRegionOf(problem, candidate).bytes<double>(problem, threads));
        }
        const std::int64_t templ = counted.templateBytes();
        return method::mapBytes(problem) + templ + most + ScorePass::bytes(counted, threads) +
               littleBytes(problem, threads) + oneByOneBytes(problem, templ);
    }
};

} // namespace

const method::Method& difMethod() {
    static const DifMethod method;
    return method;
}

} // namespace flcc::cpu
