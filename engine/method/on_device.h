#pragma once

#include <algorithm>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

/// The parts of Problem, Limits, Candidate, Prediction, Execution and Outcome that only methods on
/// a GPU use. Each is the member `onDevice` of its struct; a method on the processor neither reads
/// nor writes it.
namespace flcc::method {

class ReducedMap;

/// Part of a Problem: data that a device may keep instead of copying it.
struct ProblemOnDevice {
    /// True when the whole map is needed, by the caller or by the search for peaks. False when
    /// peaks and statistics are enough, so a device may find them itself (MethodOnDevice::reduces).
    bool map = true;
    /// Number of consecutive runs on the same scene, this one included. A device with enough memory
    /// keeps the scene between them (SceneHold).
    int runs = 1;

    friend bool operator==(const ProblemOnDevice&, const ProblemOnDevice&) = default;
};

/// Part of Limits.
struct LimitsOnDevice {
    /// The device that still holds the scene from an earlier run; empty if none does.
    std::string scene{};
    /// Bytes of its device's memory that a run may take. Values above the device's memory mean all
    /// of it.
    std::int64_t memory = INT64_MAX;
};

/// Part of a Candidate.
struct CandidateOnDevice {
    /// Parts of the map processed at once, if memory allows fewer than would be fastest; else 0.
    int inFlight = 0;
    /// Bytes of the device's memory for which the candidate was planned. Values above the device's
    /// memory mean all of it.
    std::int64_t memory = INT64_MAX;

    /// `memory` does not count: a candidate stays the same whatever memory was free.
    friend bool operator==(const CandidateOnDevice& a, const CandidateOnDevice& b) {
        return a.inFlight == b.inFlight;
    }
};

/// Times of a run on devices, in milliseconds, split as in Karas (33), whose symbols are given.
/// Host, copies and kernels work at the same time, so a run takes less than the sum.
struct DeviceTimes {
    double setup = 0;            ///< t_a: allocate memory, plan transforms, prepare the template
    double packing = 0;          ///< t_p + t_d: copy parts of the scene into pinned memory
    double upload = 0;           ///< t_h->d: copies from host to device
    double compute = 0;          ///< t_conv: kernels, summed over all devices
    double download = 0;         ///< t_d->h: copies from device to host
    double joining = 0;          ///< t_c: copy parts into the map, recompute scores on the host
    int devices = 1;             ///< P
    int uploads = 0;             ///< times the scene was copied to a device; 0 if it was kept there
    std::int64_t downloaded = 0; ///< bytes copied back to the host

    /// Predicted milliseconds of a run of which only `setup` and `packing` overlap. **Source**:
    /// Karas (33).
    [[nodiscard]] double oneAfterTheOther() const {
        return std::max(packing, setup) + upload + compute / devices + download + joining;
    }
    void add(const DeviceTimes& more) {
        setup += more.setup;
        packing += more.packing;
        upload += more.upload;
        compute += more.compute;
        download += more.download;
        joining += more.joining;
        downloaded += more.downloaded;
        devices = std::max(devices, more.devices);
        uploads += more.uploads;
    }
};

/// Part of a Prediction.
struct PredictionOnDevice {
    std::int64_t bytes = 0;           ///< peak of the device's memory
    std::int64_t memory = 0;          ///< bytes of the device's memory that may be used
    std::optional<DeviceTimes> times; ///< empty for a candidate on the processor
    bool keepsScene = false;          ///< the scene stays on the device for the next runs
};

/// A scene in the memory of a device.
class HeldScene {
  public:
    virtual ~HeldScene() = default;
};

/// Scene data kept on one device between consecutive runs, as long as the scene's pixels stay.
struct SceneHold {
    std::unique_ptr<HeldScene> scene;
    bool refused = false; ///< a device had too little memory to keep the scene
};

/// Part of an Execution.
struct ExecutionOnDevice {
    SceneHold* hold = nullptr; ///< null unless the problem has several runs on the scene
};

/// Part of an Outcome.
struct OutcomeOnDevice {
    std::optional<DeviceTimes> times; ///< empty for a run on the processor
    /// Failures of devices and what the run did instead, one sentence each.
    std::vector<std::string> failures;
    std::shared_ptr<const ReducedMap> reduced{}; ///< result of reduce(); null when cancelled

    /// Adds the times and failures of another run on the same scene.
    void add(const OutcomeOnDevice& more) {
        if (more.times) {
            times = times.value_or(DeviceTimes{});
            times->add(*more.times);
        }
        failures.insert(failures.end(), more.failures.begin(), more.failures.end());
    }
};

} // namespace flcc::method
