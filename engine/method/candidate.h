#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <variant>

#include "engine/base/extents.h"
#include "engine/method/on_device.h"
#include "engine/method/transforms.h"

namespace flcc::method {

/// Name of the processor where a device is named.
inline constexpr std::string_view kProcessor = "cpu";

/// One configuration that solves a problem: a method, its device and all free parameters.
struct Candidate {
    std::string method;             ///< name of the method: "direct", "tiled"
    std::string device{kProcessor}; ///< "cpu", "cuda:0"
    /// Extents of a tile: points of the transform for Fourier methods, placements for `direct`; 0
    /// for a method without tiles.
    base::Extents tile{0, 0, 0};
    int threads = 1;
    CandidateOnDevice onDevice{};
    int parts = 0; ///< parts into which method `dif` decimates; 0 for any other method
    Transforms transforms = Transforms::Auto; ///< Auto without transforms on the processor

    [[nodiscard]] bool onProcessor() const { return device == kProcessor; }

    /// The method and, if FFTW transforms for it, this: "fourier, FFTW".
    [[nodiscard]] std::string label() const {
        return transforms == Transforms::Fftw ? method + ", FFTW" : method;
    }

    friend bool operator==(const Candidate&, const Candidate&) = default;
};

/// Predicted cost of a candidate on one scene. **Source**: FLCC Table I for the operations,
/// extended to tiles; Karas (30) for the memory of tiles.
struct Prediction {
    double ms = 0;              ///< milliseconds to prepare the templates and run
    double operations = 0;      ///< multiplications and additions
    std::int64_t hostBytes = 0; ///< peak of host memory beyond the scene: map, statuses, buffers
    double errorBound = 0;      ///< bound on the error (NUMERICS.md, section 5) at predictedK()
    /// Planning effort of FFTW's plans, "own" for the program's own transforms, "cufft" on a GPU;
    /// empty for a method without transforms.
    std::string fftPlanning;
    double setupMs = 0; ///< part of `ms` that does not grow with the scene: template, buffers
    std::int64_t tilesInFlight = 0; ///< tiles whose buffers exist at once
    double paddingWaste = 0; ///< share of the computed points, 0 to 1, that give no placement
    PredictionOnDevice onDevice{};
};

/// The verdict on a candidate that cannot solve the problem, with the reason in a sentence.
struct Refusal {
    std::string reason;
};

using Verdict = std::variant<Prediction, Refusal>;

} // namespace flcc::method
