#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <variant>

#include "engine/base/extents.h"
#include "engine/method/on_device.h"

namespace flcc::method {

/// The processor as a device.
inline constexpr std::string_view kProcessor = "cpu";

/// One way to solve a problem: a method with its free choices made.
struct Candidate {
    std::string method; ///< name of the method: "direct", "tiled"
    std::string device{kProcessor};
    /// Transform lengths an axis for Fourier methods, output block for direct; 0 where it has none.
    base::Extents tile{0, 0, 0};
    int threads = 1;
    CandidateOnDevice onDevice{};

    [[nodiscard]] bool onProcessor() const { return device == kProcessor; }

    friend bool operator==(const Candidate&, const Candidate&) = default;
};

/// What a candidate is expected to cost on one scene.
struct Prediction {
    double ms = 0;              ///< execute: prepare and run, one scene
    double operations = 0;      ///< multiplications and additions (FLCC Table I, with tiles)
    std::int64_t hostBytes = 0; ///< peak beyond the scene: map, status, buffers of all threads
    double errorBound = 0;      ///< bound of METHODS 2.2 at the scene's 1st-percentile contrast
    std::string
        fftPlanning;    ///< effort behind FFTW's plans; "own", "cufft"; empty without transforms
    double setupMs = 0; ///< part of ms that does not grow with the scene: preparing, buffers
    std::int64_t tilesInFlight = 0; ///< tiles whose buffers hostBytes holds (Karas (30))
    double paddingWaste = 0;        ///< share of the transformed points that give no placement
    PredictionOnDevice onDevice{};
};

/// A candidate that does not apply, and why.
struct Refusal {
    std::string reason;
};

using Verdict = std::variant<Prediction, Refusal>;

} // namespace flcc::method
