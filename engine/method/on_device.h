#pragma once

#include <algorithm>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

/// What problems, limits, candidates, predictions, executions and outcomes hold for methods on
/// devices alone. A method on the processor neither reads nor writes any of it.
namespace flcc::method {

class ReducedMap;

/// Of a Problem: what a device may keep instead of copying it.
struct ProblemOnDevice {
    /// The map is asked for, or a search for peaks needs all of it. Else peaks and statistics are
    /// enough, and a device may find them where it made the map (MethodOnDevice::reduces).
    bool map = true;
    /// Runs on the same scene, one after the other, this one among them. A device with room keeps
    /// the scene for all of them (SceneHold).
    int runs = 1;

    friend bool operator==(const ProblemOnDevice&, const ProblemOnDevice&) = default;
};

/// Of Limits.
struct LimitsOnDevice {
    /// The device that has the scene from an earlier run; empty without.
    std::string scene{};
    /// Bytes that a run may take of its device, never more than that has.
    std::int64_t memory = INT64_MAX;
};

/// Of a Candidate.
struct CandidateOnDevice {
    /// Parts of the map in flight at once, where memory allows fewer than pay; else 0.
    int inFlight = 0;
    /// Bytes of the device that the candidate was planned for; at most all of them count.
    std::int64_t memory = INT64_MAX;

    /// The bytes that were free make no other candidate.
    friend bool operator==(const CandidateOnDevice& a, const CandidateOnDevice& b) {
        return a.inFlight == b.inFlight;
    }
};

/// The time of a run on devices, taken apart as in Karas (33), in milliseconds. Host, copies and
/// kernels work side by side, so that a run takes less than their sum.
struct DeviceTimes {
    double setup = 0;            ///< t_a: memory, plans of transforms, the template
    double packing = 0;          ///< t_p + t_d: parts of the scene into the memory that is copied
    double upload = 0;           ///< t_h->d
    double compute = 0;          ///< t_conv, of all devices together
    double download = 0;         ///< t_d->h
    double joining = 0;          ///< t_c: parts into the map, and what is computed again
    int devices = 1;             ///< P
    int uploads = 0;             ///< of the scene; 1 where templates share it, 0 where it was kept
    std::int64_t downloaded = 0; ///< bytes that come back

    /// Karas (33): a run of which nothing but `setup` overlaps.
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

/// Of a Prediction.
struct PredictionOnDevice {
    std::int64_t bytes = 0;           ///< peak on the device
    std::int64_t memory = 0;          ///< bytes of the device that may be used
    std::optional<DeviceTimes> times; ///< of a candidate on devices
    bool keepsScene = false;          ///< on its device, for the runs that follow
};

/// A scene in the memory of a device.
class HeldScene {
  public:
    virtual ~HeldScene() = default;
};

/// Scene data kept on one device between consecutive runs, as long as the scene's pixels stay.
struct SceneHold {
    std::unique_ptr<HeldScene> scene;
    bool refused = false; ///< a device had no room for it
};

/// Of an Execution.
struct ExecutionOnDevice {
    SceneHold* hold = nullptr; ///< of a problem with several runs
};

/// Of an Outcome.
struct OutcomeOnDevice {
    std::optional<DeviceTimes> times;  ///< of a run on devices
    std::vector<std::string> failures; ///< of devices, and what was done instead, in sentences
    std::shared_ptr<const ReducedMap> reduced{}; ///< of reduce(); null when cancelled

    /// Adds another run of the same scene.
    void add(const OutcomeOnDevice& more) {
        if (more.times) {
            times = times.value_or(DeviceTimes{});
            times->add(*more.times);
        }
        failures.insert(failures.end(), more.failures.begin(), more.failures.end());
    }
};

} // namespace flcc::method
