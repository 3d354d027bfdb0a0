#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>

#include "engine/base/extents.h"
#include "engine/base/geometry.h"
#include "engine/base/spacing.h"
#include "engine/io/image_file.h"
#include "engine/method/match_map.h"
#include "engine/plan/report.h"

namespace flcc::job {

/// What jobs of every kind are asked. An empty path means "not requested".
struct Common {
    std::filesystem::path scene; ///< the image that the job works on
    std::optional<int> channel{};
    std::optional<int> frame{};
    /// How the files of all images are taken. The image counts only where a file has several, and a
    /// resolution that a template, a mask or a kernel does not state is not missed.
    io::Reading reading{};
    /// Spacing and unit of the scene, in place of what its file says.
    std::optional<base::Spacing> spacing{};
    /// Axes of world positions; empty = those that the scene's file states. Never Unnamed.
    std::optional<base::WorldAxes> world{};
    int threads = 0;              ///< 0 = all
    std::int64_t memoryBytes = 0; ///< 0 = the free memory of the machine

    friend bool operator==(const Common&, const Common&) = default;
};

/// What a job of any kind can write. Outputs are no part of what is asked: the same job without
/// them (Job::asked(), ...) gives the same result.
struct CommonOutputs {
    std::filesystem::path report; ///< JSON; of a match also a page or a text, by extension

    friend bool operator==(const CommonOutputs&, const CommonOutputs&) = default;
};

/// The options of jobs whose work is planned: match and convolve.
struct PlannedJob : Common {
    /// The scene is a stack whose frames are processed as scenes of their own: its slices or, of a
    /// file with several flat frames, these. Each output is one file for all frames.
    bool stream = false;
    /// The box of the scene that counts, as if it were the whole scene. Empty = the whole scene.
    std::optional<base::Box> region;
    std::string method = "auto";
    base::Extents tile{0, 0, 0};
    method::Transforms transforms =
        method::Transforms::Auto; ///< Fourier transforms on the processor
    method::Precision precision = method::Precision::Single; ///< Double: the result is float64
    std::string device = "auto";
    plan::Planning planning = plan::Planning::Measure;
    std::filesystem::path planReport; ///< if set, run the candidate that this report chose
    int repeat = 1;

    friend bool operator==(const PlannedJob&, const PlannedJob&) = default;
};

} // namespace flcc::job
