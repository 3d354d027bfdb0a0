#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "engine/base/status.h"
#include "engine/cuda/kernels/block_launch.h"
#include "engine/cuda/kernels/merge_launch.h"
#include "engine/cuda/kernels/reduce_launch.h"
#include "engine/cuda/plugin/device_memory.h"
#include "engine/cuda/run/staging.h"

namespace flcc::cuda {

/// Most parts of a map that a device has in flight, if it can copy while it computes: one part is
/// uploaded, one is computed, one is downloaded.
inline constexpr std::int64_t kMostInFlight = 3;

/// The buffers and events of a part in flight.
struct PartSlot {
    PartSlot(Engine& engine, std::int32_t device)
        : scene(engine, device), value(engine, device), exact(engine, device),
          status(engine, device), tallies(engine, device), reported(engine, device),
          reduced(engine, device), kept(engine, device), asked(engine, device),
          reducedOnHost(engine, device), keptStaged(engine, device), askedOnHost(engine, device),
          index(engine, device), open(engine, device), merged(engine, device),
          keptTempl(engine, device), openStaged(engine, device), mergedOnHost(engine, device),
          keptTemplStaged(engine, device), uploaded(engine, device), start(engine, device),
          computed(engine, device), download(engine, device), downloaded(engine, device) {}

    base::Box box;     ///< the part's box in the map
    PartLaunch launch; ///< arguments for the first template

    DeviceBuffer<std::byte> scene;
    DeviceBuffer<float> value;
    DeviceBuffer<double> exact; ///< for a run in double
    DeviceBuffer<std::uint8_t> status;
    DeviceBuffer<BlockTally> tallies;

    PinnedBuffer<BlockTally> reported;

    // For a map that stays on the device:
    DeviceBuffer<ReducedBlock> reduced;
    DeviceBuffer<method::KeptVoxel> kept;
    DeviceBuffer<AskedVoxel> asked;
    PinnedBuffer<ReducedBlock> reducedOnHost;
    PinnedBuffer<method::KeptVoxel> keptStaged;
    PinnedBuffer<AskedVoxel> askedOnHost;

    // For a bank; its best scores are in `value`, `exact` and `status`:
    DeviceBuffer<std::int32_t> index;
    DeviceBuffer<OpenScore> open;
    DeviceBuffer<MergedBlock> merged; ///< template by template, in the order of the merges
    DeviceBuffer<std::int32_t> keptTempl;
    PinnedBuffer<OpenScore> openStaged; ///< `openMost` entries for each block
    PinnedBuffer<MergedBlock> mergedOnHost;
    PinnedBuffer<std::int32_t> keptTemplStaged;
    /// Most LOWCONF scores of a block. If it is above kOpenMost, the lists are incomplete.
    std::int64_t openMost = 0;

    Event uploaded;
    Event start;
    Event computed;
    Event download;
    Event downloaded;
};

/// The scores of one template of a bank until they are merged into the best scores of the part. One
/// set of buffers serves all parts, because kernels of different parts run one after the other.
struct ScoreBuffers {
    ScoreBuffers(Engine& engine, std::int32_t device)
        : value(engine, device), exact(engine, device), status(engine, device) {}

    DeviceBuffer<float> value;
    DeviceBuffer<double> exact; ///< for a run in double
    DeviceBuffer<std::uint8_t> status;
};

/// The streams of a device and the slots of its parts, which are made when they are first needed.
class Pipeline {
  public:
    Pipeline(Engine& engine, std::int32_t device)
        : upload(engine, device), compute(engine, device), download(engine, device),
          scores(engine, device), toDevice(engine, device), fromDevice(engine, device) {}
    ~Pipeline() { drain(); }
    Pipeline(const Pipeline&) = delete;
    Pipeline& operator=(const Pipeline&) = delete;

    PartSlot& slot(std::size_t number) {
        while (m_slots.size() <= number) {
            m_slots.push_back(std::make_unique<PartSlot>(compute.engine(), compute.device()));
        }
        return *m_slots[number];
    }
    /// Waits until no stream has work left. Ignores errors.
    void drain() const {
        upload.drain();
        compute.drain();
        download.drain();
        if (m_fetch) {
            m_fetch->drain();
        }
    }
    /// The stream for copies whose size is known only after a part's first downloads have arrived.
    /// In `download` they would wait behind later parts.
    const Stream& fetch() {
        if (!m_fetch) {
            m_fetch = std::make_unique<Stream>(compute.engine(), compute.device());
        }
        return *m_fetch;
    }

    Stream upload;
    Stream compute;
    Stream download;
    ScoreBuffers scores;
    Staging toDevice;   ///< of scenes
    Staging fromDevice; ///< of maps

  private:
    std::unique_ptr<Stream> m_fetch;
    std::vector<std::unique_ptr<PartSlot>> m_slots;
};

} // namespace flcc::cuda
