#include <algorithm>
#include <atomic>
#include <cmath>
#include <memory>
#include <optional>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "engine/cuda/methods/methods.h"
#include "engine/cuda/run/device_method.h"
#include "engine/cuda/run/map_run.h"
#include "engine/cuda/run/support_tiles.h"
#include "engine/cuda/run/tiling.h"
#include "engine/method/shared/template_error.h"

namespace flcc::cuda {

namespace {

using base::Extents;
using method::Candidate;
using method::Problem;
namespace shared = method::shared;

/// The errors of the transforms. In double the template's spectrum has errors as large as those of
/// the tile's transforms, hence the factor 3 (engine/method/NUMERICS.md, section 5).
shared::TransformErrors errorsOf(const Problem& problem) {
    return usesDouble(problem) || isGeneral(problem)
               ? shared::TransformErrors{kUnitDouble, 3 * kTransformFactor}
               : shared::TransformErrors{kUnitSingle, kTransformFactor};
}

shared::BoxConstants constantsOf(const Problem& problem) {
    const Extents& m = problem.templ;
    const auto along = [](std::int64_t length) {
        return length > 1 ? static_cast<double>(length) : 0.0;
    };
    const double chain = along(m.x) + along(m.y) + along(m.z); // of shared::windowSums
    shared::BoxConstants constants;
    constants.count = static_cast<double>(base::voxelCount(m));
    constants.suspicious = 4 * (16 + chain) * kUnitDouble;
    constants.boundSquare = (8 + chain / 2) * kUnitDouble;
    constants.boundScore = shared::fourierScoreBound(errorsOf(problem));
    constants.boundConstant = 4 * kUnitSingle;
    constants.promise = problem.promise;
    if (usesDouble(problem)) {
        constants.tiny = 0x1p-960;
        constants.boundPanel = shared::kTemplateError;
        constants.boundConstant = shared::kNormedError;
    }
    return constants;
}

/// A template. Its spectrum is made on the device.
class TiledPrepared final : public method::Prepared {
  public:
    TiledPrepared(const Problem& problem, const method::MaskedView& templ)
        : m_canonical(templ), m_number(nextNumber()) {
        if (!problem.mask) {
            requireUnmasked(m_canonical);
        }
        if (mayOverlap(problem)) {
            m_levels = levelsOf(templ);
        }
    }
    /// levelsOf() if mayOverlap(), else empty.
    [[nodiscard]] const std::vector<std::int32_t>& levels() const { return m_levels; }
    [[nodiscard]] const method::CanonicalTemplate& canonical() const { return m_canonical; }
    /// Identifies the template in this process; above 0.
    [[nodiscard]] std::int64_t number() const { return m_number; }

  private:
    static std::int64_t nextNumber() {
        static std::atomic<std::int64_t> last{0};
        return ++last;
    }

    method::CanonicalTemplate m_canonical;
    std::vector<std::int32_t> m_levels;
    std::int64_t m_number;
};

/// The templates of a run.
using TiledTemplates = std::vector<const TiledPrepared*>;

/// The buffers and plans of a run on the device, which are made when they are first needed. The
/// spectra of the templates are kept for later scenes.
class TiledWorkspace final : public method::Workspace {
  public:
    TiledWorkspace(Engine& engine, std::int32_t device)
        : m_data(engine, device), m_product(engine, device), m_spectra(engine, device),
          m_facts(engine, device), m_shares(engine, device), m_first(engine, device),
          m_second(engine, device), m_weights(engine, device), m_work(engine, device),
          pipe(engine, device), support(engine, device) {}

  private:
    DeviceBuffer<std::byte> m_data;
    DeviceBuffer<std::byte> m_product;
    DeviceBuffer<std::byte> m_spectra;
    DeviceBuffer<TileFacts> m_facts;
    DeviceBuffer<TileShare> m_shares;
    DeviceBuffer<PanelSum> m_first;
    DeviceBuffer<PanelSum> m_second;
    DeviceBuffer<double> m_weights;
    DeviceBuffer<std::byte> m_work; ///< the work area of all transforms

  public:
    Pipeline pipe; ///< after the buffers: its streams end before they are freed
    SupportTiles support;

    /// Makes everything that does not depend on the scene. `stored`: storedError() of the run,
    /// added to all bounds.
    void prepare(const Problem& problem, const Tiling& tiling, const TiledTemplates& templates,
                 double stored) {
        const TilingRoom room = roomOf(problem, tiling);
        const bool inDouble = usesDouble(problem);
        m_launch.points = tiling.points;
        m_launch.out = tiling.out;
        m_launch.templ = problem.templ;
        m_launch.inDouble = inDouble;
        m_launch.constants = constantsOf(problem);
        m_launch.constants.boundConstant += stored;
        m_launch.errors = errorsOf(problem);
        m_launch.first = m_first.room(room.first);
        m_firstSpectrum = m_spectra.room(room.valueBytes * room.spectra);
        m_spectrumBytes = room.valueBytes * room.tile;
        std::tuple<std::vector<std::int64_t>, Extents, bool> wanted{{}, tiling.points, inDouble};
        for (const TiledPrepared* const templ : templates) {
            std::get<0>(wanted).push_back(templ->number());
        }
        if (m_transformed != wanted) {
            m_transformed = {};
            transform(templates, room);
            m_transformed = wanted;
        }
        const std::tuple<Extents, std::int64_t, bool> planned{tiling.points, tiling.batch(),
                                                              inDouble};
        if (!m_inverse || m_planned != planned) {
            using enum TransformKind;
            m_inverse.reset();
            m_forward.emplace(pipe.compute, TransformShape{inDouble ? Double : Forward,
                                                           tiling.points, tiling.batch()});
            m_inverse.emplace(pipe.compute, TransformShape{inDouble ? DoubleInverse : Inverse,
                                                           tiling.points, tiling.batch()});
            m_planned = planned;
        }
        m_launch.data = m_data.room(room.valueBytes * room.data);
        m_launch.product =
            room.product > 0 ? m_product.room(room.valueBytes * room.product) : m_launch.data;
        m_launch.facts = m_facts.room(room.facts);
        m_launch.shares = m_shares.room(room.shares);
        m_launch.second = m_second.room(room.second);
        m_workArea = m_work.room(std::max(m_forward->workBytes(), m_inverse->workBytes()));
    }

    /// Starts all kernels of a part for a template. The kernels of template 0, which comes first,
    /// leave the scene's spectra and the window sums to the others.
    void start(const PartLaunch& of, std::size_t templ) {
        static_cast<PartLaunch&>(m_launch) = of;
        if (templ == 0) {
            pipe.compute.tiled(TiledStep::Load, m_launch);
            (*m_forward)(m_launch.data, m_workArea);
            pipe.compute.tiled(TiledStep::Sums, m_launch);
        }
        m_launch.spectrum = spectrumOf(templ);
        pipe.compute.tiled(TiledStep::Multiply, m_launch);
        (*m_inverse)(m_launch.product, m_workArea);
        pipe.compute.tiled(TiledStep::Score, m_launch);
    }

  private:
    [[nodiscard]] std::byte* spectrumOf(std::size_t templ) const {
        return m_firstSpectrum + static_cast<std::int64_t>(templ) * m_spectrumBytes;
    }

    /// Makes the spectra of the templates in double and rounds them once.
    void transform(const TiledTemplates& templates, const TilingRoom& room) {
        const Transform inDouble(pipe.compute, {TransformKind::Double, m_launch.points, 1});
        double* const weights = m_weights.room(room.weights);
        const auto bytes = room.weights * static_cast<std::int64_t>(sizeof(double));
        void* const work = m_work.room(inDouble.workBytes());
        m_launch.weights = weights;
        for (std::size_t i = 0; i < templates.size(); ++i) {
            const double* const values = templates[i]->canonical().values().data();
            pipe.compute.upload({weights, bytes, values, bytes, bytes, 1});
            m_launch.spectrum = spectrumOf(i);
            m_launch.placed = m_launch.inDouble ? static_cast<double*>(m_launch.spectrum)
                                                : reinterpret_cast<double*>(m_launch.first);
            pipe.compute.tiled(TiledStep::Place, m_launch);
            inDouble(m_launch.placed, work);
            pipe.compute.tiled(TiledStep::Round, m_launch);
        }
        pipe.compute.wait("transforming the template");
    }

    std::optional<Transform> m_forward;
    std::optional<Transform> m_inverse;
    std::tuple<Extents, std::int64_t, bool> m_planned;
    /// The templates (TiledPrepared::number()), the points and the precision of the spectra in
    /// memory.
    std::tuple<std::vector<std::int64_t>, Extents, bool> m_transformed;
    std::byte* m_firstSpectrum = nullptr;
    std::int64_t m_spectrumBytes = 0;
    void* m_workArea = nullptr;
    TiledLaunch m_launch;
};

class TiledMethod final : public DeviceMethod {
  public:
    /// `whole`: the method is fourier, whose one tile holds the scene.
    TiledMethod(Engine& engine, std::int32_t number, const std::vector<std::int32_t>& together,
                bool whole)
        : DeviceMethod(engine, number, together), m_whole(whole) {}

    [[nodiscard]] std::string_view name() const override { return m_whole ? "fourier" : "tiled"; }
    [[nodiscard]] method::Traits traits() const override {
        return {.title = m_whole ? "Whole-scene Fourier" : "Tiled Fourier",
                .wholeScene = m_whole,
                .makes = {.scores = true}};
    }

    [[nodiscard]] std::vector<Candidate> candidates(const Problem& problem,
                                                    const method::Limits& limits,
                                                    const Extents& tile) const override {
        std::vector<Extents> tiles = tile.x > 0 ? std::vector{askedTile(problem, tile)}
                                     : m_whole  ? std::vector{wholeTile(problem)}
                                                : tilesFor(problem);
        std::vector<Candidate> result;
        for (const Extents& points : tiles) {
            result.push_back({.method = std::string(name()),
                              .device = facts().id(),
                              .tile = points,
                              .threads = limits.threads,
                              .onDevice = {.memory = limits.onDevice.memory}});
            if (cuda::refusalOf(problem, points, m_whole).empty()) {
                const Problem own = submitted(problem, result.back());
                const Tiling tiling = tilingOf(own, points, factsFor(result.back()));
                result.back().onDevice.inFlight = inFlightWithin(
                    limits.memoryBytes, partsInFlight(own, tiling.part, facts()),
                    [&](std::int64_t parts) { return hostNeed(problem, own, tiling, parts); });
            }
        }
        return result;
    }

    [[nodiscard]] method::Verdict
    predict(const Problem& problem, const Candidate& candidate, const method::Limits& limits,
            const method::CostModel&, const method::SceneStatistics* statistics) const override {
        std::string reason = engine().reasonAgainst(facts().number);
        if (reason.empty()) {
            reason = pixelRefusal(problem);
        }
        if (reason.empty()) {
            reason = refusalOf(problem, candidate.tile, m_whole);
        }
        if (!reason.empty()) {
            return method::Refusal{std::move(reason)};
        }
        const Problem own = submitted(problem, candidate);
        const int rounds = problem.templates / own.templates;
        const Tiling tiling = tilingOf(own, candidate.tile, factsFor(candidate));
        const std::int64_t inFlight =
            partsInFlight(own, tiling.part, facts(), candidate.onDevice.inFlight);
        method::Prediction prediction;
        prediction.hostBytes = hostNeed(problem, own, tiling, inFlight);
        prediction.onDevice.bytes = needOf(own, candidate);
        prediction.onDevice.memory = factsFor(candidate).about.memoryBytes;
        reason = refusalOf(prediction, limits, facts().about.memoryBytes);
        if (!reason.empty()) {
            return method::Refusal{std::move(reason)};
        }
        const double points = static_cast<double>(base::voxelCount(tiling.points));
        const double log = std::log2(std::max(2.0, points));
        const double map = static_cast<double>(base::voxelCount(method::mapExtents(problem)));
        prediction.fftPlanning = "cufft";
        // Two half transforms for each tile (Karas (23)), of 2.5 M log2 M operations each; more if
        // sums are taken by transforms. Templates of a bank share the transforms of the scene.
        const double each = isGeneral(own) ? ownTransforms(own) : 1;
        const double shared = isGeneral(own) ? supportTransforms(own) - ownTransforms(own) : 1;
        const double transforms = shared + own.templates * each;
        prediction.operations = rounds * tiling.tiles *
                                (transforms * 2.5 * points * log + own.templates * 1.5 * points);
        // Bytes that kernels read and write. The last part is transformed in a full batch too.
        const double parts = std::ceil(tiling.tiles / static_cast<double>(tiling.batch()));
        const double transformed = parts * static_cast<double>(tiling.batch()) * points;
        const double width =
            usesDouble(problem) || isGeneral(problem) ? 2 : 1; // of a value, in floats
        const double kernelBytes =
            transformed * transforms * width * transformBytes(points) +
            tiling.tiles * points * (kSharedPointBytes + own.templates * kPointBytes);
        PartTraffic traffic;
        traffic.add(own, tiling.part, map / static_cast<double>(base::voxelCount(tiling.part)));
        traffic.hold(own, facts(), limits);
        prediction.onDevice.keepsScene = traffic.held;
        const double preparing = points * 3 * transformBytes(points) / bytesPerNs(facts());
        prediction.setupMs = facts().about.startMs + 1e-6 * problem.templates * preparing;
        prediction.onDevice.times = traffic.times(
            rounds, kernelBytes / bytesPerNs(facts()) + own.templates * parts * kPartNs, facts());
        prediction.onDevice.times->setup = prediction.setupMs;
        prediction.ms = overlappedMs(*prediction.onDevice.times, parts, inFlight);
        prediction.tilesInFlight = tiling.batch() * inFlight;
        prediction.paddingWaste = 1 - map / transformed;
        if (statistics != nullptr) {
            prediction.errorBound = shared::expectedFourierBound(
                tiling.points, problem.templ, method::predictedK(*statistics), errorsOf(problem));
        }
        return prediction;
    }

    [[nodiscard]] std::shared_ptr<const method::Prepared> prepare(const Problem& problem,
                                                                  const Candidate&,
                                                                  const method::MaskedView& templ,
                                                                  base::TilePool&) const override {
        return std::make_shared<TiledPrepared>(problem, templ);
    }

    [[nodiscard]] Extents partOf(const Problem& submitted,
                                 const Candidate& candidate) const override {
        return tilingOf(submitted, candidate.tile, factsFor(candidate)).part;
    }

    [[nodiscard]] std::int64_t needOf(const Problem& submitted,
                                      const Candidate& candidate) const override {
        const Tiling tiling = tilingOf(submitted, candidate.tile, factsFor(candidate));
        return deviceBytes(
            submitted, tiling,
            partsInFlight(submitted, tiling.part, facts(), candidate.onDevice.inFlight));
    }

  protected:
    [[nodiscard]] std::unique_ptr<method::Workspace> makeBuffers() const override {
        return std::make_unique<TiledWorkspace>(engine(), facts().number);
    }

    [[nodiscard]] method::Outcome runWith(const RunInput& input, method::Workspace& buffers,
                                          PartQueue& parts) const override {
        const Problem& problem = input.problem;
        auto& own = dynamic_cast<TiledWorkspace&>(buffers);
        TiledTemplates templates;
        Templates canonical;
        std::vector<SupportTempl> masked;
        for (const auto& prepared : input.prepared) {
            const auto& templ = dynamic_cast<const TiledPrepared&>(*prepared);
            templates.push_back(&templ);
            canonical.push_back(&templ.canonical());
            masked.push_back({templ.canonical(), templ.levels(), templ.number()});
        }
        const Tiling tiling = tilingOf(problem, input.candidate.tile, factsFor(input.candidate));
        const bool general = isGeneral(problem);
        const double stored = general || usesDouble(problem) ? storedError(input) : 0.0;
        Lane lane{own.pipe,
                  partsInFlight(problem, tiling.part, facts(), input.candidate.onDevice.inFlight),
                  [&] { own.prepare(problem, tiling, templates, stored); },
                  [&](const PartLaunch& part, std::size_t i) { own.start(part, i); }};
        if (general) {
            lane.order = bySupport(firstOfSupport(canonical));
            lane.prepare = [&] {
                own.support.prepare(own.pipe.compute, problem, tiling, masked, stored);
            };
            lane.start = [&](const PartLaunch& part, std::size_t i) {
                own.support.start(own.pipe.compute, part, i);
            };
        }
        return MapRun(input, canonical, parts)("the Fourier method", lane);
    }

  private:
    // Built-in values, within 40 % of what an H100 shows: bytes of device memory that a
    // multiprocessor moves per clock cycle; bytes moved for each point in one pass of a transform,
    // in the other kernels of a template, and in the kernels that templates share; nanoseconds to
    // launch the kernels of a part.
    static constexpr double kBytesPerCycle = 8;
    static constexpr double kTransformBytes = 8;
    static constexpr double kPointBytes = 50;
    static constexpr double kSharedPointBytes = 90;
    static constexpr double kPartNs = 100'000;

    /// Bytes moved for each point of a transform in float. Assumed: one pass over the tile for
    /// every ten of its log2(points).
    [[nodiscard]] static double transformBytes(double points) {
        return kTransformBytes * std::ceil(std::log2(std::max(2.0, points)) / 10);
    }

    /// Bytes of host memory, with `inFlight` parts in flight on each device.
    [[nodiscard]] std::int64_t hostNeed(const Problem& problem, const Problem& own,
                                        const Tiling& tiling, std::int64_t inFlight) const {
        return hostBytes(problem, own, tiling.part, inFlight * facts().together) +
               (isGeneral(problem) ? base::byteCount(problem.templ, 9 + 5 * problem.templates) : 0);
    }

    [[nodiscard]] static double bytesPerNs(const DeviceFacts& device) {
        return std::max(1.0, kBytesPerCycle * device.about.processors * device.about.gigahertz);
    }

    bool m_whole;
};

} // namespace

std::unique_ptr<DeviceMethod> tiledMethod(Engine& engine, std::int32_t number,
                                          const std::vector<std::int32_t>& together) {
    return std::make_unique<TiledMethod>(engine, number, together, false);
}

std::unique_ptr<DeviceMethod> fourierMethod(Engine& engine, std::int32_t number,
                                            const std::vector<std::int32_t>& together) {
    return std::make_unique<TiledMethod>(engine, number, together, true);
}

} // namespace flcc::cuda
