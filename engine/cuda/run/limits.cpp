#include "engine/cuda/run/limits.h"

#include <algorithm>
#include <cstddef>
#include <functional>
#include <limits>

#include "engine/cuda/plugin/device_memory.h"
#include "engine/cuda/run/map_run.h"
#include "engine/cuda/run/part_queue.h"
#include "engine/cuda/run/tiling.h"

namespace flcc::cuda {

namespace {

constexpr int kTurns = 5;

/// Measures the time of work in a stream by events. The shortest of kTurns repetitions counts,
/// because other work on the device can only add time.
class Timer {
  public:
    Timer(Engine& engine, std::int32_t device)
        : stream(engine, device), m_begin(engine, device), m_end(engine, device) {}

    [[nodiscard]] double once(const std::function<void()>& put) {
        stream.record(m_begin);
        put();
        stream.record(m_end);
        m_end.wait("measuring its limits");
        return m_end.since(m_begin);
    }
    [[nodiscard]] double best(const std::function<void()>& put) {
        (void)once(put); // warms up
        double ms = std::numeric_limits<double>::infinity();
        for (int turn = 0; turn < kTurns; ++turn) {
            ms = std::min(ms, once(put));
        }
        return std::max(ms, 1e-6);
    }

    Stream stream;

  private:
    Event m_begin;
    Event m_end;
};

const DeviceFacts& factsOf(const Engine& engine, std::int32_t device) {
    const auto& all = engine.devices();
    return *std::find_if(all.begin(), all.end(),
                         [device](const DeviceFacts& facts) { return facts.number == device; });
}

} // namespace

DeviceLimits measureLimits(Engine& engine, std::int32_t device) {
    constexpr std::int64_t kBlocksEach = 16; // blocks for each multiprocessor
    constexpr std::int64_t kMostBlocks = 4096;
    constexpr double kLongEnoughMs = 5;
    constexpr std::int64_t kMostRounds = std::int64_t{1} << 20;
    constexpr std::int64_t kMoved = std::int64_t{1} << 28; // bytes; far more than any cache holds
    const DeviceFacts& facts = factsOf(engine, device);
    DeviceBuffer<FourValues> from(engine, device);
    DeviceBuffer<FourValues> to(engine, device);
    Timer timer(engine, device); // after the buffers: its stream ends before they are freed
    LimitLaunch launch;
    launch.blocks = std::min(kMostBlocks, kBlocksEach * std::max(1, facts.about.processors));
    launch.count = std::min(kMoved, facts.about.memoryBytes / 8) /
                   static_cast<std::int64_t>(sizeof(FourValues));
    launch.from = from.room(launch.count);
    launch.to = to.room(std::max(launch.count, launch.blocks));
    const auto put = [&](LimitStep step) {
        return [&timer, &launch, step] { timer.stream.limit(step, launch); };
    };
    DeviceLimits limits;
    (void)timer.once(put(LimitStep::MultiplyAdds));
    while (timer.once(put(LimitStep::MultiplyAdds)) < kLongEnoughMs &&
           launch.rounds < kMostRounds) {
        launch.rounds *= 2;
    }
    limits.multiplyAdds = 1e-6 * launch.multiplyAdds() / timer.best(put(LimitStep::MultiplyAdds));
    limits.bytes = 1e-6 * launch.movedBytes() / timer.best(put(LimitStep::Move));
    return limits;
}

double measureTransforms(Engine& engine, std::int32_t device, const method::Problem& problem,
                         const base::Extents& points) {
    const Tiling tiling = tilingOf(problem, points, factsOf(engine, device));
    const bool inDouble = usesDouble(problem);
    const TilingRoom room = roomOf(problem, tiling);
    using enum TransformKind;
    DeviceBuffer<std::byte> data(engine, device);
    DeviceBuffer<std::byte> work(engine, device);
    Timer timer(engine, device);
    const Transform forward(timer.stream, {inDouble ? Double : Forward, points, tiling.batch()});
    const Transform inverse(timer.stream,
                            {inDouble ? DoubleInverse : Inverse, points, tiling.batch()});
    void* const values = data.room(room.valueBytes * room.data);
    void* const area = work.room(std::max(forward.workBytes(), inverse.workBytes()));
    const double pair = timer.best([&] {
        forward(values, area);
        inverse(values, area);
    });
    return pair * static_cast<double>(PartQueue::count(method::mapExtents(problem), tiling.part));
}

} // namespace flcc::cuda
