#include <algorithm>
#include <cmath>
#include <string>
#include <utility>
#include <vector>

#include "engine/base/error.h"
#include "engine/cuda/methods/methods.h"
#include "engine/cuda/run/device_method.h"
#include "engine/cuda/run/map_parts.h"
#include "engine/cuda/run/map_run.h"
#include "engine/cuda/run/support_tiles.h"
#include "engine/method/shared/direct_block.h"
#include "engine/method/shared/template_error.h"

namespace flcc::cuda {

namespace {

using base::Extents;
using method::Candidate;
using method::Problem;
namespace shared = method::shared;

/// True if the numerators are exact sums of integers: scene and template are bytes and the template
/// has at most (2^31 - 1) / 255^2 voxels (engine/method/NUMERICS.md, section 7). The products of
/// integer numerators in scoreBox() then stay exact in double.
bool inIntegers(const Problem& problem) {
    constexpr std::int64_t kMost = 33025;
    return !usesDouble(problem) && problem.scenePixel == base::PixelType::UInt8 &&
           problem.templPixel == base::PixelType::UInt8 && base::voxelCount(problem.templ) <= kMost;
}

/// A template in the form that the kernel multiplies with.
class DirectPrepared final : public method::Prepared {
  public:
    DirectPrepared(const Problem& problem, const method::MaskedView& templ) : m_canonical(templ) {
        requireUnmasked(m_canonical);
        const Extents& m = m_canonical.extents();
        m_constants.count = static_cast<double>(m_canonical.count());
        m_constants.promise = problem.promise;
        m_constants = constantsOf(usesDouble(problem));
        if (usesDouble(problem)) {
            return;
        }
        m_weights = base::Image<float>(m);
        const base::Image<double>& values = m_canonical.values();
        std::transform(values.data(), values.data() + values.count(), m_weights.data(),
                       [](double value) { return static_cast<float>(value); });
        if (inIntegers(problem)) {
            takeIntegers(std::get<base::View<const std::uint8_t>>(templ.pixels));
            return;
        }
    }

    [[nodiscard]] const method::CanonicalTemplate& canonical() const { return m_canonical; }
    /// The weights in float; empty for a run in double, which multiplies with canonical().
    [[nodiscard]] const base::Image<float>& weights() const { return m_weights; }
    [[nodiscard]] const shared::BoxConstants& constants() const { return m_constants; }

  private:
    [[nodiscard]] shared::BoxConstants constantsOf(bool inDouble) const {
        const Extents& m = m_canonical.extents();
        shared::BoxConstants constants = m_constants;
        const auto chain = static_cast<double>(shared::sumChain(m, inDouble));
        const double half = static_cast<double>(shared::blockChain(m, inDouble)) / 2;
        constants.suspicious = 4 * (16 + chain) * kUnitDouble;
        constants.boundSquare = (8 + chain / 2) * kUnitDouble;
        if (inDouble) {
            constants.tiny = 0x1p-960;
            constants.boundPanel = method::shared::kTemplateError + kUnitDouble * (2 + half);
            constants.boundScore = kUnitDouble * half;
            constants.boundConstant = method::shared::kNormedError;
            return constants;
        }
        // NUMERICS.md, section 5, direct, has the factor 2 + L/2 of K for a product that is added
        // with one rounding. A compiler may round product and sum separately, hence 3. A perfect
        // match has products of one sign, which adds L/2 |r|.
        constants.boundPanel = kUnitSingle * (3 + half);
        constants.boundScore = kUnitSingle * half;
        constants.boundConstant = 4 * kUnitSingle;
        return constants;
    }

    void takeIntegers(const base::View<const std::uint8_t>& templ) {
        const Extents& m = templ.extents();
        std::int64_t first = 0;
        std::int64_t second = 0;
        float* to = m_weights.data();
        for (std::int64_t line = 0; line < m.y * m.z; ++line) {
            const std::uint8_t* const row = templ.row(line % m.y, line / m.y);
            for (std::int64_t x = 0; x < m.x; ++x) {
                *to++ = static_cast<float>(row[x]);
                first += row[x];
                second += row[x] * row[x];
            }
        }
        const std::int64_t count = base::voxelCount(m);
        m_constants.integers = true;
        m_constants.boundPanel = 0;
        m_constants.boundScore = 0;
        m_constants.templSum = static_cast<double>(first);
        m_constants.templNorm = std::sqrt(static_cast<double>(count * second - first * first) /
                                          static_cast<double>(count));
        m_constants.boundConstant = 5 * kUnitSingle;
    }

    method::CanonicalTemplate m_canonical;
    base::Image<float> m_weights;
    shared::BoxConstants m_constants;
};

class DirectWorkspace final : public method::Workspace {
  public:
    DirectWorkspace(Engine& engine, std::int32_t device)
        : weights(engine, device), sums(engine, device), frames(engine, device),
          pipe(engine, device) {}

    DeviceBuffer<std::byte> weights;
    // Shared by the templates of a bank:
    DeviceBuffer<PanelSum> sums;
    DeviceBuffer<shared::TileFrame> frames;
    Pipeline pipe; ///< the last member: its streams end before the buffers are freed
};

/// Multiply-adds that the kernel does for a part; incomplete blocks and pieces count whole.
double partWork(const Problem& problem, const Extents& part) {
    const bool inDouble = usesDouble(problem);
    return static_cast<double>(base::voxelCount(shared::blockGrid(part))) * shared::kBlockWidth *
           shared::kBlockHeight * static_cast<double>(shared::pieceColumns(inDouble)) *
           static_cast<double>(shared::pieceRows(problem.templ.y, inDouble)) *
           static_cast<double>(shared::pieceCount(problem.templ, inDouble));
}

/// Bytes of device memory for the weights of a template.
std::int64_t weightBytes(const Problem& problem) {
    return base::byteCount(problem.templ, usesDouble(problem) ? 8 : 4);
}
/// Bytes of device memory for the window sums and frames that the templates of a bank share; 0 for
/// a single template.
std::int64_t sumBytes(const Problem& submitted, const Extents& part) {
    constexpr std::int64_t kFrame = sizeof(shared::TileFrame);
    return submitted.templates > 1 ? base::byteCount(part, sizeof(PanelSum)) +
                                         base::byteCount(shared::blockGrid(part), kFrame)
                                   : 0;
}

class DirectMethod final : public DeviceMethod {
  public:
    using DeviceMethod::DeviceMethod;

    [[nodiscard]] std::string_view name() const override { return "direct"; }
    [[nodiscard]] method::Traits traits() const override {
        return {.title = "Direct", .byDefinition = true, .makes = {.scores = true}};
    }

    /// One candidate: the largest part of the map within kPartBytes and kPartNsAtMost.
    [[nodiscard]] std::vector<Candidate> candidates(const Problem& problem,
                                                    const method::Limits& limits,
                                                    const Extents& tile) const override {
        const Extents map = method::mapExtents(problem);
        Problem apart = problem;
        apart.onDevice.runs = 1; // parts must not depend on whether the scene stays
        const auto fits = [&](const Extents& part) {
            return partBytes(apart, part) <= kPartBytes && isShared(map, part, facts()) &&
                   problem.templates * partNs(facts(), problem, part) <= kPartNsAtMost;
        };
        const Extents part = tile.x > 0
                                 ? Extents{std::min(tile.x, map.x), std::min(tile.y, map.y),
                                           std::min(std::max<std::int64_t>(tile.z, 1), map.z)}
                                 : largestPart(map, fits);
        Candidate candidate{.method = std::string(name()),
                            .device = facts().id(),
                            .tile = part,
                            .threads = limits.threads,
                            .onDevice = {.memory = limits.onDevice.memory}};
        const Problem own = submitted(problem, candidate);
        const std::int64_t most = partsInFlight(own, part, facts());
        candidate.onDevice.inFlight =
            inFlightWithin(limits.memoryBytes, most, [&](std::int64_t parts) {
                return hostBytes(problem, own, part, parts * facts().together);
            });
        return {candidate};
    }

    [[nodiscard]] method::Verdict
    predict(const Problem& problem, const Candidate& candidate, const method::Limits& limits,
            const method::CostModel&, const method::SceneStatistics* statistics) const override {
        if (std::string reason = refusal(problem); !reason.empty()) {
            return method::Refusal{std::move(reason)};
        }
        const Extents map = method::mapExtents(problem);
        const Problem own = submitted(problem, candidate);
        method::Prediction prediction;
        const std::int64_t inFlight =
            partsInFlight(own, candidate.tile, facts(), candidate.onDevice.inFlight);
        prediction.hostBytes = hostBytes(problem, own, candidate.tile, inFlight * facts().together);
        prediction.onDevice.bytes = needOf(own, candidate);
        prediction.onDevice.memory = factsFor(candidate).about.memoryBytes;
        if (std::string reason = refusalOf(prediction, limits, facts().about.memoryBytes);
            !reason.empty()) {
            return method::Refusal{std::move(reason)};
        }
        const double outputs = static_cast<double>(base::voxelCount(map));
        const double support = static_cast<double>(base::voxelCount(problem.templ));
        prediction.operations = problem.templates * 2 * support * outputs; // FLCC Table I
        double kernelNs = 0;
        double done = 0; // multiply-adds
        PartTraffic traffic;
        for (const base::Box& box : mapParts(map, candidate.tile)) {
            kernelNs += own.templates * partNs(facts(), problem, box.extents);
            done += partWork(problem, box.extents);
            traffic.add(own, box.extents, 1);
        }
        traffic.hold(own, facts(), limits);
        prediction.onDevice.keepsScene = traffic.held;
        prediction.onDevice.times =
            traffic.times(problem.templates / own.templates, kernelNs, facts());
        prediction.onDevice.times->setup = facts().about.startMs;
        prediction.setupMs = facts().about.startMs;
        prediction.ms = overlappedMs(*prediction.onDevice.times, traffic.parts, inFlight);
        prediction.tilesInFlight = inFlight;
        prediction.paddingWaste = 1 - support * outputs / std::max(1.0, done);
        if (statistics != nullptr) {
            const bool inDouble = usesDouble(problem);
            const auto chain = static_cast<double>(shared::blockChain(problem.templ, inDouble));
            prediction.errorBound =
                (inDouble ? kUnitDouble : kUnitSingle) *
                (inIntegers(problem) ? 5 : 4 + (3 + chain / 2) * method::predictedK(*statistics));
        }
        return prediction;
    }

    [[nodiscard]] std::shared_ptr<const method::Prepared> prepare(const Problem& problem,
                                                                  const Candidate&,
                                                                  const method::MaskedView& templ,
                                                                  base::TilePool&) const override {
        return std::make_shared<DirectPrepared>(problem, templ);
    }

    [[nodiscard]] Extents partOf(const Problem&, const Candidate& candidate) const override {
        return candidate.tile;
    }

    [[nodiscard]] std::int64_t needOf(const Problem& submitted,
                                      const Candidate& candidate) const override {
        return partsInFlight(submitted, candidate.tile, facts(), candidate.onDevice.inFlight) *
                   partBytes(submitted, candidate.tile) +
               submitted.templates * weightBytes(submitted) +
               scoreBytes(submitted, candidate.tile) + sumBytes(submitted, candidate.tile) +
               heldBytes(submitted);
    }

  protected:
    [[nodiscard]] std::unique_ptr<method::Workspace> makeBuffers() const override {
        return std::make_unique<DirectWorkspace>(engine(), facts().number);
    }

    [[nodiscard]] method::Outcome runWith(const RunInput& input, method::Workspace& buffers,
                                          PartQueue& parts) const override {
        const Problem& problem = input.problem;
        auto& own = dynamic_cast<DirectWorkspace&>(buffers);
        std::vector<const DirectPrepared*> templates;
        Templates canonical;
        for (const auto& prepared : input.prepared) {
            templates.push_back(&dynamic_cast<const DirectPrepared&>(*prepared));
            canonical.push_back(&templates.back()->canonical());
        }
        const std::int64_t bytes = weightBytes(problem);
        const double stored = usesDouble(problem) ? storedError(input) : 0.0;
        std::byte* weights = nullptr; // of all templates
        const auto upload = [&] {
            const auto count = std::ssize(templates);
            weights = own.weights.room(count * bytes);
            if (count > 1) { // sized once: kernels in flight use them
                own.sums.room(base::voxelCount(parts.largest()));
                own.frames.room(base::voxelCount(shared::blockGrid(parts.largest())));
            }
            for (std::int64_t i = 0; i < count; ++i) {
                const DirectPrepared& templ = *templates[static_cast<std::size_t>(i)];
                const void* const from =
                    usesDouble(problem)
                        ? static_cast<const void*>(templ.canonical().values().data())
                        : templ.weights().data();
                own.pipe.compute.upload({weights + i * bytes, bytes, from, bytes, bytes, 1});
            }
        };
        const auto start = [&](const PartLaunch& part, std::size_t i) {
            const auto turn = static_cast<std::int64_t>(i);
            const DirectPrepared& templ = *templates[i];
            DirectLaunch launch;
            static_cast<PartLaunch&>(launch) = part;
            launch.weights = weights + turn * bytes;
            launch.inDouble = usesDouble(problem);
            launch.constants = templ.constants();
            launch.constants.boundConstant += stored;
            if (templates.size() > 1) {
                launch.sums = own.sums.data();
                launch.frames = own.frames.data();
                launch.known = i > 0;
            }
            own.pipe.compute.direct(launch);
        };
        return MapRun(input, canonical, parts)(
            "the direct method", {own.pipe,
                                  partsInFlight(problem, input.candidate.tile, facts(),
                                                input.candidate.onDevice.inFlight),
                                  upload, start});
    }

  private:
    /// The limits of a part: bytes of device memory, and predicted nanoseconds of its kernels.
    /// Small parts allow several in flight, and a cancel does not wait long for those in flight.
    static constexpr std::int64_t kPartBytes = std::int64_t{1} << 25;
    static constexpr double kPartNsAtMost = 3e7;
    // Built-in values, measured on one H100 (tests/bench/RESULTS.md): the share of the device's
    // peak multiply-add rate that the kernel reaches, and the multiply-adds that take as long as
    // the rest of a placement and of a piece of the template.
    static constexpr double kEfficiency = 0.225;
    static constexpr double kPlacementAdds = 340;
    static constexpr double kPieceAdds = 60;

    [[nodiscard]] static double multiplyAddsPerNs(const DeviceFacts& device, bool inDouble) {
        return std::max(1.0, kEfficiency * device.peakMultiplyAdds() *
                                 (inDouble ? device.doubleShare() : 1.0));
    }
    /// Predicted nanoseconds of the kernel for a part.
    [[nodiscard]] static double partNs(const DeviceFacts& device, const Problem& problem,
                                       const Extents& part) {
        const bool inDouble = usesDouble(problem);
        const double rest =
            kPlacementAdds +
            kPieceAdds * static_cast<double>(shared::pieceCount(problem.templ, inDouble));
        return (partWork(problem, part) + rest * static_cast<double>(base::voxelCount(part))) /
               multiplyAddsPerNs(device, inDouble);
    }

    [[nodiscard]] std::string refusal(const Problem& problem) const override {
        std::string reason = Method::refusal(problem); // of another operation
        if (reason.empty()) {
            reason = engine().reasonAgainst(facts().number);
        }
        if (reason.empty()) {
            reason = pixelRefusal(problem);
        }
        if (reason.empty() && (problem.mask || mayBePartial(problem))) {
            const char* const what = problem.mask        ? "the template has a mask"
                                     : problem.sceneMask ? "the scene has a mask"
                                                         : "placements leave the scene";
            reason = std::string("on a GPU method direct does not work where ") + what +
                     "; use tiled or fourier, or the CPU";
        }
        if (reason.empty() && problem.statistics == method::WindowStatistics::Fourier) {
            reason = "--statistics fourier does not work with method direct; use tiled or fourier";
        }
        return reason;
    }
};

} // namespace

std::unique_ptr<DeviceMethod> directMethod(Engine& engine, std::int32_t number,
                                           const std::vector<std::int32_t>& together) {
    return std::make_unique<DirectMethod>(engine, number, together);
}

} // namespace flcc::cuda
