#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <span>
#include <stop_token>
#include <string>
#include <vector>

#include "engine/base/geometry.h"
#include "engine/io/atomic_file.h"
#include "engine/job/exports.h"

/// Files of boxes that are cut at peaks, for runs, for lists and for the window.
namespace flcc::job {

/// The edges of boxes in a scene: those that were asked for, or `largest`. One number, whose z is
/// 0, counts for all axes. **Errors**: Problem for boxes that do not fit, or a volume without z.
[[nodiscard]] base::Extents boxSize(const std::optional<base::Extents>& asked,
                                    const base::Extents& largest, const base::Extents& scene);

/// PanelOptions::references of a result.
[[nodiscard]] std::vector<base::Point> referencesOf(const JobResult& result);

/// The scene's spacing and unit without its place: boxes lie everywhere.
[[nodiscard]] base::Geometry boxGeometry(const base::Geometry& scene);

/// "32" for all axes, "32x32" or "32x32x16", as in --stack-size. **Errors**: CommandLine.
[[nodiscard]] base::Extents boxSizeOf(const std::string& text);

[[nodiscard]] base::Image<float> floatsOf(const base::Image<double>& image);

/// Writes `members` boxes, which lie one behind the other, to the temporary name of `file` as
/// io::writeStack() does, reads them back and compares; the caller calls commit(). 0 members: one
/// image that is no stack, such as an average. Returns what the format cannot store, nothing if
/// cancelled. **Errors**: as io::writeStack(); Output where other values are read.
[[nodiscard]] std::optional<std::vector<std::string>>
writeBoxes(const io::AtomicFile& file, const base::View<const float>& boxes, std::int64_t members,
           const base::Geometry& scene, const std::stop_token& stop = {});

/// The file of the average of template `templ` where a job has several: "average-1.mha" for
/// "average.mha". The average of the only template has the name itself. "" stays "".
[[nodiscard]] std::filesystem::path averageFile(const std::filesystem::path& file, int templ);

/// Adds notes on boxes that leave the scene.
void noteLeftOut(const StackReport& stack, std::vector<std::string>& notes);

[[nodiscard]] StackReport reportOf(const match::Panels& panels, const match::PanelOptions& options);
[[nodiscard]] AverageReport reportOf(const match::Average& average,
                                     const match::PanelOptions& options,
                                     const base::Geometry& scene);
/// "Stack: 28 boxes of 16x16x16 voxels ..." as a line.
[[nodiscard]] std::string textOf(const StackReport& stack);
/// "Average: of 28 boxes ..." as one line or two of each; of several, "Average of template 1: ...".
[[nodiscard]] std::string textOf(const std::vector<AverageReport>& averages);

} // namespace flcc::job
