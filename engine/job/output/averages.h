#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <stop_token>
#include <string>
#include <vector>

#include "engine/base/geometry.h"
#include "engine/base/pixels.h"
#include "engine/job/exports.h"
#include "engine/job/output/outputs.h"
#include "engine/match/panels.h"

namespace flcc::job::detail {

/// A template whose peaks are averaged.
struct AveragedTemplate {
    int number = 0;                 ///< of the template in its job
    base::Extents size{0, 0, 0};    ///< of its boxes
    std::vector<std::size_t> peaks; ///< the numbers of its peaks
};

/// What averages are made of. Each template has an average of its own: boxes of different objects
/// would blur one another.
struct AverageSource {
    base::AnyView scene;
    std::string sceneSource;
    base::Geometry geometry;
    std::span<const match::Peak> peaks;
    std::vector<AveragedTemplate> templates; ///< in the order of their numbers
    match::PanelOptions options;             ///< but the size, which each template has
};

[[nodiscard]] bool hasAverage(const Exports& exports);

/// Makes the average of each template and says what it is. With `files`, also writes the files that
/// `asked` names (averageFile()); of a template without a box in the scene none is written, an
/// older one is withdrawn, and a note says so. Nothing if cancelled.
/// **Errors**: as match::averageOf() and writeBoxes(). **Memory**: one average at a time.
[[nodiscard]] std::optional<std::vector<AverageReport>>
makeAverages(const Exports& asked, const AverageSource& source, OutputFiles* files,
             std::vector<std::string>& notes, const std::stop_token& stop);

/// Writes boxes as writeBoxes() does; nothing without a target. Adds what the format cannot store
/// to the notes. False if cancelled.
[[nodiscard]] bool addBoxes(OutputFiles& files, const std::filesystem::path& target,
                            const base::Image<float>& boxes, std::int64_t members,
                            const base::Geometry& scene, std::vector<std::string>& notes,
                            const std::stop_token& stop);

/// No box lies inside the scene, `whose` says of which peaks ("no peak"): says so of the target,
/// and commit() removes an older file of its name. Nothing without a target.
void withdrawBoxes(OutputFiles& files, const std::filesystem::path& target,
                   const std::string& whose, std::vector<std::string>& notes);

} // namespace flcc::job::detail
