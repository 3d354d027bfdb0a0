#pragma once

#include <algorithm>
#include <cstdint>
#include <optional>
#include <string>
#include <variant>

#include "engine/base/extents.h"

namespace flcc::method {

/// One way to solve a problem: a method with its free choices made.
struct Candidate {
    std::string method; ///< name of the method: "direct", "tiled"
    std::string device = "cpu";
    /// Transform lengths an axis for Fourier methods, output block for direct; 0 where it has none.
    base::Extents tile{0, 0, 0};
    int threads = 1;
    /// Parts of the map under way at once on a device, where memory allows fewer than pay; else 0.
    int inFlight = 0;
    /// Bytes of a device that it was planned for; at most all of them count. Those that were free
    /// make no other candidate of it.
    std::int64_t deviceMemory = INT64_MAX;

    friend bool operator==(const Candidate& a, const Candidate& b) {
        return a.method == b.method && a.device == b.device && a.tile == b.tile &&
               a.threads == b.threads && a.inFlight == b.inFlight;
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

/// What a candidate is expected to cost on one scene.
struct Prediction {
    double ms = 0;                 ///< execute: prepare and run, one scene
    double operations = 0;         ///< multiplications and additions (FLCC Table I, with tiles)
    std::int64_t hostBytes = 0;    ///< peak beyond the scene: map, status, buffers of all threads
    std::int64_t deviceBytes = 0;  ///< peak on the device
    std::int64_t deviceMemory = 0; ///< of the device, that may be used
    double errorBound = 0;         ///< bound of METHODS 2.2 at the scene's 1st-percentile contrast
    std::string
        fftPlanning;    ///< effort behind FFTW's plans; "own", "cufft"; empty without transforms
    double setupMs = 0; ///< part of ms that does not grow with the scene: preparing, buffers
    std::int64_t tilesInFlight = 0;   ///< tiles whose buffers hostBytes holds (Karas (30))
    double paddingWaste = 0;          ///< share of the transformed points that give no placement
    std::optional<DeviceTimes> times; ///< of a candidate on devices
    bool keepsScene = false;          ///< on its device, for the runs that follow
};

/// A candidate that does not apply, and why.
struct Refusal {
    std::string reason;
};

using Verdict = std::variant<Prediction, Refusal>;

} // namespace flcc::method
