#pragma once

#include <filesystem>
#include <optional>

#include "engine/base/geometry.h"
#include "engine/io/image_file.h"

namespace flcc::job {

/// The axes in which a file states positions: RAS for NIfTI with a code of its form and for MGH
/// with a place, LPS for DICOM, those of the field "space" of NRRD; otherwise Unnamed. `path` is
/// the file of `info`.
[[nodiscard]] base::WorldAxes worldAxesOf(const io::ImageInfo& info,
                                          const std::filesystem::path& path);

/// Whether the file of `info` states the directions of its axes. `geometry`: its own, with
/// worldAxesOf().
[[nodiscard]] bool statesDirections(const io::ImageInfo& info, const base::Geometry& geometry);

/// The geometry of a file with the axes that it states, or with those that a person chose.
[[nodiscard]] base::Geometry withAxes(base::Geometry geometry,
                                      const std::optional<base::WorldAxes>& chosen);

} // namespace flcc::job
