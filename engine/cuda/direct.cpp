#include <algorithm>
#include <cmath>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "engine/base/error.h"
#include "engine/base/stopwatch.h"
#include "engine/cuda/device_memory.h"
#include "engine/cuda/map_parts.h"
#include "engine/cuda/methods.h"
#include "engine/cuda/tally.h"
#include "engine/method/canonical.h"
#include "engine/method/shared/direct_block.h"

namespace flcc::cuda {

namespace {

using base::Extents;
using method::Candidate;
using method::Problem;
namespace shared = method::shared;

constexpr double kUnitSingle = 0x1p-24;
constexpr double kUnitDouble = 0x1p-53;

/// Numerators of bytes are sums of integers; the products of their formula stay exact in double.
bool inIntegers(const Problem& problem) {
    constexpr std::int64_t kMost = 33025;
    return problem.scenePixel == base::PixelType::UInt8 &&
           problem.templPixel == base::PixelType::UInt8 && base::voxelCount(problem.templ) <= kMost;
}

/// A template as a device multiplies it.
class DirectPrepared final : public method::Prepared {
  public:
    DirectPrepared(const Problem& problem, const method::MaskedView& templ)
        : m_canonical(templ), m_weights(m_canonical.extents()) {
        if (!m_canonical.support().empty()) {
            throw base::Error(base::ErrorCode::Problem,
                              "the template has a mask that the problem does not name");
        }
        const base::Image<double>& values = m_canonical.values();
        std::transform(values.data(), values.data() + values.count(), m_weights.data(),
                       [](double value) { return static_cast<float>(value); });
        const Extents& m = m_canonical.extents();
        const auto chain = static_cast<double>(shared::sumChain(m));
        const double half = static_cast<double>(shared::blockChain(m)) / 2;
        m_constants.count = static_cast<double>(m_canonical.count());
        m_constants.suspicious = 4 * (16 + chain) * kUnitDouble;
        m_constants.boundSquare = (8 + chain / 2) * kUnitDouble;
        m_constants.promise = problem.promise;
        if (inIntegers(problem)) {
            takeIntegers(std::get<base::View<const std::uint8_t>>(templ.pixels));
            return;
        }
        // METHODS 2.2 has 2 + L/2 for products that are added in one rounding; a compiler may make
        // two of it. Products of one sign, of a perfect match, add L/2 |r|.
        m_constants.boundPanel = kUnitSingle * (3 + half);
        m_constants.boundScore = kUnitSingle * half;
        m_constants.boundConstant = 4 * kUnitSingle;
    }

    [[nodiscard]] const method::CanonicalTemplate& canonical() const { return m_canonical; }
    [[nodiscard]] const base::Image<float>& weights() const { return m_weights; }
    [[nodiscard]] const shared::BoxConstants& constants() const { return m_constants; }

  private:
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
        m_constants.templSum = static_cast<double>(first);
        m_constants.templNorm = std::sqrt(static_cast<double>(count * second - first * first) /
                                          static_cast<double>(count));
        m_constants.boundConstant = 5 * kUnitSingle;
    }

    method::CanonicalTemplate m_canonical;
    base::Image<float> m_weights;
    shared::BoxConstants m_constants;
};

/// The buffers of a run on the device; made when they are first needed.
class DirectWorkspace final : public method::Workspace {
  public:
    DirectWorkspace(Engine& engine, std::int32_t device)
        : scene(engine, device), weights(engine, device), value(engine, device),
          status(engine, device), tallies(engine, device), stream(engine, device) {}

    DeviceBuffer<std::byte> scene;
    DeviceBuffer<float> weights;
    DeviceBuffer<float> value;
    DeviceBuffer<std::uint8_t> status;
    DeviceBuffer<BlockTally> tallies;
    std::vector<BlockTally> told;
    Stream stream; ///< the last, so that it ends before the memory it works on
};

std::string mebi(std::int64_t bytes) { return std::to_string((bytes >> 20) + 1) + " MiB"; }

/// Bytes on the device of a part of a map.
std::int64_t partBytes(const Problem& problem, const Extents& part) {
    const Extents& m = problem.templ;
    return base::byteCount({part.x + m.x - 1, part.y + m.y - 1, part.z + m.z - 1},
                           base::bytesPerVoxel(problem.scenePixel)) +
           base::byteCount(part, 5) +
           base::byteCount(shared::blockGrid(part), static_cast<std::int64_t>(sizeof(BlockTally)));
}

/// Multiply-adds of a part: whole blocks and pieces.
double partWork(const Problem& problem, const Extents& part) {
    return static_cast<double>(base::voxelCount(shared::blockGrid(part))) * shared::kBlockWidth *
           shared::kBlockHeight * shared::kPieceColumns *
           static_cast<double>(shared::pieceRows(problem.templ.y)) *
           static_cast<double>(shared::pieceCount(problem.templ));
}

/// One run of the method.
class DirectRun {
  public:
    DirectRun(const Problem& problem, const DirectPrepared& templ, const base::AnyView& scene,
              DirectWorkspace& own, const method::Execution& execution, const method::MapView& map)
        : m_problem(problem), m_templ(templ), m_scene(scene), m_own(own), m_execution(execution),
          m_map(map) {}

    method::Outcome operator()(const Extents& part) {
        const Drain drain{m_own.stream};
        m_weights = m_own.weights.room(m_templ.weights().count());
        const auto bytes = m_templ.weights().count() * static_cast<std::int64_t>(sizeof(float));
        m_own.stream.upload({m_weights, bytes, m_templ.weights().data(), bytes, bytes, 1});
        bool done = true;
        for (const base::Box& box : mapParts(m_map.value.extents(), part)) {
            if (m_execution.stop.stop_requested() || !matchPart(box)) {
                done = false;
                break;
            }
        }
        m_own.stream.wait("waiting for it");
        method::Outcome outcome;
        outcome.cancelled = !done;
        outcome.facts = m_tally.facts();
        outcome.stagesMs = {{"upload", m_uploadMs},
                            {"kernel", m_kernelMs},
                            {"download", m_downloadMs},
                            {"recomputation", m_repairMs}};
        return outcome;
    }

  private:
    /// Waits for what is under way even when an error ends the run: it writes into the map.
    struct Drain {
        const Stream& stream;
        ~Drain() { stream.drain(); }
    };

    /// False when stopped; then the part is as before.
    bool matchPart(const base::Box& box) {
        base::Stopwatch watch;
        const auto lap = [&watch] { return std::exchange(watch, {}).ms(); };
        const Extents& m = m_problem.templ;
        const base::Box seen{
            box.corner,
            {box.extents.x + m.x - 1, box.extents.y + m.y - 1, box.extents.z + m.z - 1}};
        DirectLaunch launch;
        launch.scene =
            std::visit([&](const auto& view) { return upload(view.part(seen)); }, m_scene);
        launch.pixel = m_problem.scenePixel;
        launch.extents = seen.extents;
        launch.weights = m_weights;
        launch.templ = m;
        launch.map = box.extents;
        launch.value = m_own.value.room(base::voxelCount(box.extents));
        launch.status = m_own.status.room(base::voxelCount(box.extents));
        const std::int64_t blocks = base::voxelCount(shared::blockGrid(box.extents));
        launch.tallies = m_own.tallies.room(blocks);
        launch.constants = m_templ.constants();
        m_own.stream.wait("copying to the device");
        m_uploadMs += lap();
        m_own.stream.direct(launch);
        m_own.stream.wait("running the direct method");
        m_kernelMs += lap();
        const method::MapView part = method::partOf(m_map, box);
        download(launch.value, part.value);
        download(launch.status, part.status);
        m_own.told.resize(static_cast<std::size_t>(blocks));
        const auto bytes = blocks * static_cast<std::int64_t>(sizeof(BlockTally));
        m_own.stream.download({m_own.told.data(), bytes, launch.tallies, bytes, bytes, 1});
        m_own.stream.wait("copying from the device");
        m_downloadMs += lap();
        const bool done = finish(box, part);
        m_repairMs += lap();
        return done;
    }

    /// Packs the voxels of a view on the device.
    template <class T> const void* upload(const base::View<const T>& view) {
        constexpr auto kSize = static_cast<std::int64_t>(sizeof(T));
        const Extents& extents = view.extents();
        const std::int64_t row = extents.x * kSize;
        std::byte* to = m_own.scene.room(base::byteCount(extents, kSize));
        void* const begin = to;
        for (std::int64_t z = 0; z < extents.z; ++z, to += row * extents.y) {
            m_own.stream.upload(
                {to, row, view.row(0, z), view.rowStride() * kSize, row, extents.y});
        }
        return begin;
    }
    template <class T> void download(const void* from, const base::View<T>& view) {
        constexpr auto kSize = static_cast<std::int64_t>(sizeof(T));
        const Extents& extents = view.extents();
        const std::int64_t row = extents.x * kSize;
        const auto* packed = static_cast<const std::byte*>(from);
        for (std::int64_t z = 0; z < extents.z; ++z, packed += row * extents.y) {
            m_own.stream.download(
                {view.row(0, z), view.rowStride() * kSize, packed, row, row, extents.y});
        }
    }

    /// Keeps the promise and tells that the part is done. What breaks it is replaced by canonical
    /// values of the host's pixels, block by block. False when stopped.
    bool finish(const base::Box& box, const method::MapView& part) {
        const double bound = method::canonicalBound(m_templ.canonical().count()) + kUnitSingle;
        const bool repairs = m_problem.recompute && bound <= m_problem.promise;
        const Extents grid = shared::blockGrid(box.extents);
        std::vector<std::int64_t> open;
        for (std::size_t i = 0; i < m_own.told.size() && repairs; ++i) {
            if (m_own.told[i].lowConf > 0) {
                open.push_back(static_cast<std::int64_t>(i));
            }
        }
        const bool done = m_execution.pool.run(
            std::ssize(open),
            [&](std::int64_t item, int) {
                const std::int64_t block = open[static_cast<std::size_t>(item)];
                repair(box, part, shared::blockCorner(block, grid));
            },
            m_execution.stop);
        if (!done) {
            clear(part);
            return false;
        }
        for (const BlockTally& told : m_own.told) {
            m_tally.add(told, repairs ? std::optional(bound) : std::nullopt);
        }
        if (m_execution.regionFinished) {
            m_execution.regionFinished(box);
        }
        return true;
    }

    void repair(const base::Box& box, const method::MapView& part, const base::Index& corner) {
        const std::int64_t right = std::min(box.extents.x, corner.x + shared::kBlockWidth);
        const std::int64_t bottom = std::min(box.extents.y, corner.y + shared::kBlockHeight);
        for (std::int64_t y = corner.y; y < bottom; ++y) {
            for (std::int64_t x = corner.x; x < right; ++x) {
                base::Status& status = part.status.at(x, y, corner.z);
                if (status == base::Status::LowConf) {
                    part.value.at(x, y, corner.z) = static_cast<float>(method::canonicalScore(
                        m_scene, m_templ.canonical(),
                        {box.corner.x + x, box.corner.y + y, box.corner.z + corner.z}));
                    status = base::Status::Ok;
                }
            }
        }
    }

    static void clear(const method::MapView& part) {
        const Extents& extents = part.value.extents();
        for (std::int64_t z = 0; z < extents.z; ++z) {
            for (std::int64_t y = 0; y < extents.y; ++y) {
                std::fill_n(part.value.row(y, z), extents.x, 0.0F);
                std::fill_n(part.status.row(y, z), extents.x, base::Status::NotComputed);
            }
        }
    }

    const Problem& m_problem;
    const DirectPrepared& m_templ;
    const base::AnyView& m_scene;
    DirectWorkspace& m_own;
    const method::Execution& m_execution;
    const method::MapView& m_map;
    float* m_weights = nullptr;
    Tally m_tally;
    double m_uploadMs = 0;
    double m_kernelMs = 0;
    double m_downloadMs = 0;
    double m_repairMs = 0;
};

class DirectMethod final : public method::Method {
  public:
    DirectMethod(Engine& engine, std::int32_t number)
        : m_engine(engine), m_number(number), m_device("cuda:" + std::to_string(number)) {
        for (const DeviceFacts& device : engine.devices()) {
            if (device.number == number) {
                m_about = device.about;
            }
        }
    }

    [[nodiscard]] std::string_view name() const override { return "direct"; }
    [[nodiscard]] std::string_view device() const override { return m_device; }

    /// One: the largest part of the map whose buffers stay small and that a stop need not wait for.
    [[nodiscard]] std::vector<Candidate> candidates(const Problem& problem,
                                                    const method::Limits& limits,
                                                    const Extents& tile) const override {
        const Extents map = method::mapExtents(problem);
        const auto fits = [&](const Extents& part) {
            return partBytes(problem, part) <= kPartBytes &&
                   partWork(problem, part) <= kPartNsAtMost * multiplyAddsPerNs();
        };
        const Extents part = tile.x > 0
                                 ? Extents{std::min(tile.x, map.x), std::min(tile.y, map.y),
                                           std::min(std::max<std::int64_t>(tile.z, 1), map.z)}
                                 : largestPart(map, fits);
        return {{std::string(name()), m_device, part, limits.threads}};
    }

    [[nodiscard]] method::Verdict
    predict(const Problem& problem, const Candidate& candidate, const method::Limits& limits,
            const method::CostModel&, const method::SceneStatistics* statistics) const override {
        if (std::string reason = refusal(problem); !reason.empty()) {
            return method::Refusal{std::move(reason)};
        }
        const Extents map = method::mapExtents(problem);
        const auto weights = base::byteCount(problem.templ, 4);
        method::Prediction prediction;
        Problem one = problem;
        one.templates = 1;
        prediction.hostBytes = method::mapBytes(problem) +
                               (problem.templates > 1 ? method::mapBytes(one) : 0) +
                               problem.templates * base::byteCount(problem.templ, 12) +
                               base::byteCount(shared::blockGrid(candidate.tile),
                                               static_cast<std::int64_t>(sizeof(BlockTally)));
        if (prediction.hostBytes > limits.memoryBytes) {
            return method::Refusal{"needs " + mebi(prediction.hostBytes) + ", the limit is " +
                                   mebi(limits.memoryBytes)};
        }
        prediction.deviceBytes = partBytes(problem, candidate.tile) + weights;
        if (prediction.deviceBytes > m_about.memoryBytes) {
            return method::Refusal{"needs " + mebi(prediction.deviceBytes) +
                                   " of the device, which has " + mebi(m_about.memoryBytes)};
        }
        const double outputs = static_cast<double>(base::voxelCount(map));
        const double support = static_cast<double>(base::voxelCount(problem.templ));
        prediction.operations = problem.templates * 2 * support * outputs; // FLCC Table I
        // Upload, kernel, download (METHODS 4), one after the other.
        double kernelNs = 0;
        double bytes = static_cast<double>(weights);
        double parts = 0;
        for (const base::Box& box : mapParts(map, candidate.tile)) {
            kernelNs += partWork(problem, box.extents) / multiplyAddsPerNs();
            bytes += static_cast<double>(partBytes(problem, box.extents));
            parts += 1;
        }
        prediction.setupMs = kStartMs;
        prediction.ms = kStartMs + problem.templates * 1e-6 *
                                       (kernelNs + bytes / kTransferBytesPerNs + parts * kPartNs);
        prediction.tilesInFlight = 1;
        prediction.paddingWaste =
            1 - support * outputs / std::max(1.0, kernelNs * multiplyAddsPerNs());
        if (statistics != nullptr) {
            prediction.errorBound =
                kUnitSingle *
                (inIntegers(problem)
                     ? 5
                     : 4 + (3 + static_cast<double>(shared::blockChain(problem.templ)) / 2) *
                               method::predictedK(*statistics));
        }
        return prediction;
    }

    void warmUp(const Problem&, const Candidate&) const override {}

    [[nodiscard]] std::shared_ptr<const method::Prepared>
    prepare(const Problem& problem, const Candidate&,
            const method::MaskedView& templ) const override {
        return std::make_shared<DirectPrepared>(problem, templ);
    }

    [[nodiscard]] std::unique_ptr<method::Workspace>
    makeWorkspace(const Problem&, const Candidate&) const override {
        return std::make_unique<DirectWorkspace>(m_engine, m_number);
    }

    method::Outcome execute(const Problem& problem, const Candidate& candidate,
                            const method::Prepared& prepared, const method::MaskedView& scene,
                            method::Workspace& workspace, const method::Execution& execution,
                            const method::MapView& map) const override {
        if (method::isMasked(scene)) {
            throw base::Error(base::ErrorCode::Problem,
                              "the scene has a mask that the problem does not name");
        }
        return DirectRun(problem, dynamic_cast<const DirectPrepared&>(prepared), scene.pixels,
                         dynamic_cast<DirectWorkspace&>(workspace), execution, map)(candidate.tile);
    }

  private:
    /// A part of a map takes at most so many bytes of the device, and by prediction a tenth of a
    /// second of its time.
    static constexpr std::int64_t kPartBytes = std::int64_t{1} << 29;
    static constexpr double kPartNsAtMost = 1e8;
    // Built-in values, not measured on any device: of the kernel's peak, of the bus, of a launch
    // with its copies, of preparing a run.
    static constexpr double kEfficiency = 0.4;
    static constexpr double kTransferBytesPerNs = 6;
    static constexpr double kPartNs = 60'000;
    static constexpr double kStartMs = 0.2;

    [[nodiscard]] double multiplyAddsPerNs() const {
        const double lanes = m_about.major == 7 || (m_about.major == 8 && m_about.minor == 0)
                                 ? 64
                                 : 128; // per multiprocessor and cycle
        return std::max(1.0, kEfficiency * lanes * m_about.processors * m_about.gigahertz);
    }

    [[nodiscard]] std::string refusal(const Problem& problem) const {
        if (std::string reason = m_engine.reasonAgainst(m_number); !reason.empty()) {
            return reason;
        }
        if (problem.mask || problem.sceneMask) {
            return "on a GPU it solves problems without masks only";
        }
        if (problem.extent != method::Extent::Valid) {
            return "on a GPU it finds placements inside the scene only, not the extent " +
                   std::string(method::name(problem.extent));
        }
        if (problem.statistics == method::WindowStatistics::Fourier) {
            return "statistics by transforms are those of methods that transform";
        }
        if (problem.precision == method::Precision::Double) {
            return "on a GPU it computes in single precision only";
        }
        return {};
    }

    Engine& m_engine;
    std::int32_t m_number;
    std::string m_device;
    PluginDevice m_about;
};

} // namespace

std::unique_ptr<method::Method> directMethod(Engine& engine, std::int32_t number) {
    return std::make_unique<DirectMethod>(engine, number);
}

} // namespace flcc::cuda
