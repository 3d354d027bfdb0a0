#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "engine/base/extents.h"
#include "engine/io/drawing.h"
#include "engine/match/panels.h"

namespace flcc::job {

/// Files for people and other programs that a match can make of its result. An empty path means
/// "not requested".
struct Exports {
    std::filesystem::path figure;      ///< scene and heatmap, for print
    std::filesystem::path stack;       ///< boxes that are cut at the listed peaks
    std::optional<base::Extents> size; ///< of the boxes; empty: the template's
    match::Normalise normalise = match::Normalise::None;
    bool subvoxel = false; ///< boxes of the stack lie between voxels
    /// Boxes of the stack are turned back by the pose of their peak, as those of the average are;
    /// they lie between voxels, too.
    bool turned = false;
    std::filesystem::path average;         ///< the mean of the boxes of each template
    std::filesystem::path averageVariance; ///< their variance, voxel by voxel

    [[nodiscard]] bool hasBoxes() const {
        return !stack.empty() || !average.empty() || !averageVariance.empty();
    }
    friend bool operator==(const Exports&, const Exports&) = default;
};

/// The stack of boxes that was written.
struct StackReport {
    std::string file;
    base::Extents size{0, 0, 0};
    std::int64_t count = 0;
    std::int64_t leftOut = 0; ///< peaks whose box, or what is interpolated, leaves the scene
    std::vector<std::size_t> ranks{}; ///< of each box, the rank of its peak in the list, from 1
    match::Normalise normalise = match::Normalise::None;
    bool subvoxel = false;
    bool turned = false; ///< boxes are turned back by the pose of their peak
};

/// The average of the boxes of one template that was written.
struct AverageReport {
    int templ = 0;    ///< number of the template
    std::string file; ///< empty where no peak of the template has its box inside the scene
    base::Extents size{0, 0, 0};
    std::int64_t count = 0;
    std::int64_t leftOut = 0;
    std::int64_t inverted = 0; ///< boxes of dark peaks, inverted about their means
    match::Normalise normalise = match::Normalise::None; ///< of each box before it is added
    double meanVariance = 0;                             ///< mean of the variances of all voxels
    prepare::RingCorrelation halves;
    /// The resolution in world units, where a voxel has the same length on all axes.
    std::optional<double> resolution;
    std::string unit;
};

struct JobReport;
struct JobResult;

/// **Errors**: Problem for a result whose scene has no pixels, as in a run over several scenes that
/// was kept in memory.
void requirePixels(const JobResult& result);

/// The figure of a result with one map: the slice `slice` of the map (that of the best peak if
/// empty), beside it the same slice of the scene with the peaks, a scale bar and a colour bar.
/// Rejected peaks are grey. **Errors**: Problem for a result without a map, without the pixels of
/// its scene (requirePixels()) or with a slice that it lacks.
[[nodiscard]] io::Drawing drawingOf(const JobResult& result,
                                    std::optional<std::int64_t> slice = {});

/// The report as one page that needs no other file, no network and no script: with pictures of the
/// scene, the heatmap and the peaks, and the histogram of scores. `threshold`: the value that
/// listed peaks reach. **Errors**: CommandLine in a build without image libraries; Problem without
/// the pixels of the scene.
[[nodiscard]] std::string toHtml(const JobResult& result, double threshold,
                                 std::optional<std::int64_t> slice = {});
/// The same without pictures, as of a plan.
[[nodiscard]] std::string toHtml(const JobReport& report);

} // namespace flcc::job
