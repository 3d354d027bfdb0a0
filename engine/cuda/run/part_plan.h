#pragma once

#include <cstdint>
#include <string>

#include "engine/cuda/plugin/engine.h"
#include "engine/method/method.h"

/// What the parts of a map take: memory of host and device, and time.
namespace flcc::cuda {

/// The unit roundoffs u24 and u53 of engine/method/NUMERICS.md.
inline constexpr double kUnitSingle = 0x1p-24;
inline constexpr double kUnitDouble = 0x1p-53;

/// True if the whole scene stays on the device between runs. `submitted`, here and below, is a
/// problem that DeviceMethod::submitted() returned.
[[nodiscard]] inline bool isHeld(const method::Problem& submitted) {
    return submitted.onDevice.runs > 1;
}
/// Bytes of device memory for a scene that stays; 0 if the scene does not stay.
[[nodiscard]] std::int64_t heldBytes(const method::Problem& submitted);

/// Bytes of device memory in a PartSlot for a part of extents `part`.
[[nodiscard]] std::int64_t partBytes(const method::Problem& problem, const base::Extents& part);
/// Bytes of pinned host memory in such a slot.
[[nodiscard]] std::int64_t slotPinnedBytes(const method::Problem& problem,
                                           const base::Extents& part);
/// Bytes of pinned host memory for the copies of scene and map of a device.
[[nodiscard]] std::int64_t stagingBytes(const method::Problem& problem, const base::Extents& part);

/// Number of parts of extents `part` that each device has in flight: kMostInFlight, or fewer if the
/// map has fewer parts or `asked` (CandidateOnDevice::inFlight, 0 for no wish) is smaller. 1 if the
/// device cannot copy while it computes.
[[nodiscard]] std::int64_t partsInFlight(const method::Problem& problem, const base::Extents& part,
                                         const DeviceFacts& device, int asked = 0);

/// The value of CandidateOnDevice::inFlight: the largest number up to `most`, at least 1, for which
/// `bytes(number)` is within `limit`; 0 if that is `most`.
template <class Bytes>
[[nodiscard]] int inFlightWithin(std::int64_t limit, std::int64_t most, Bytes&& bytes) {
    std::int64_t inFlight = most;
    while (inFlight > 1 && bytes(inFlight) > limit) {
        --inFlight;
    }
    return inFlight == most ? 0 : static_cast<int>(inFlight);
}

/// True if a map has enough parts of extents `part` for the devices that share it. Always true for
/// one device.
[[nodiscard]] bool isShared(const base::Extents& map, const base::Extents& part,
                            const DeviceFacts& device);

/// The problem of one template of a bank alone. Its map is downloaded, because the host merges the
/// maps of the templates.
[[nodiscard]] method::Problem oneOf(const method::Problem& problem);

/// Bytes of host memory for a run with `inFlight` parts of extents `part` in flight: the map, a
/// second map if the templates of a bank are `submitted` one by one, the templates, and the pinned
/// memory.
[[nodiscard]] std::int64_t hostBytes(const method::Problem& problem,
                                     const method::Problem& submitted, const base::Extents& part,
                                     std::int64_t inFlight);
/// Bytes of device memory for the scores that one template of a bank has in a part; 0 without a
/// bank.
[[nodiscard]] std::int64_t scoreBytes(const method::Problem& submitted, const base::Extents& part);

/// The bytes and voxels that the parts of a run move, and the time predicted from them with
/// built-in rates.
struct PartTraffic {
    double parts = 0;
    double sceneBytes = 0;
    double mapBytes = 0;
    double launches = 0;
    double reducedVoxels = 0; ///< voxels of maps that stay on the device
    double mergedVoxels = 0;  ///< voxels merged, over all templates of a bank
    bool held = false;        ///< the scene stays on the device: copied once or not at all

    /// Adds `count` parts of extents `part`.
    void add(const method::Problem& submitted, const base::Extents& part, double count);
    /// If the scene stays on the device, counts its upload once, or not at all if the device
    /// already has the scene.
    void hold(const method::Problem& submitted, const DeviceFacts& device,
              const method::Limits& limits);
    /// The predicted times of `rounds` such runs in sequence. `kernelNs`: nanoseconds of the
    /// kernels in each run.
    [[nodiscard]] method::DeviceTimes times(int rounds, double kernelNs,
                                            const DeviceFacts& device) const;
};

/// Predicted milliseconds of a run in `parts` parts, setup included. In one part the host packs
/// while the device copies. One thread of the host brings parts there and back in turn, so that
/// several parts hide only a little of each other's times.
[[nodiscard]] double overlappedMs(const method::DeviceTimes& times, double parts,
                                  std::int64_t inFlight);

/// Why a run needs more memory than the host's limit or its device allows; empty if it fits.
/// `deviceBytes`: all memory of the device, free or not.
[[nodiscard]] std::string refusalOf(const method::Prediction& prediction,
                                    const method::Limits& limits, std::int64_t deviceBytes);

} // namespace flcc::cuda
