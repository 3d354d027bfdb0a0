#pragma once

#include <cstdint>
#include <filesystem>

#include "engine/base/image.h"
#include "engine/base/status.h"
#include "engine/io/colour_map.h"

namespace flcc::io {

/// Writes slice `z` of a map as an 8-bit RGB PNG, one pixel a voxel, row 0 at the top, voxels
/// without a value hatched. **Errors**: CommandLine when the extension is not .png; Output.
void writeHeatmap(const std::filesystem::path& path, const base::View<const float>& value,
                  const base::View<const base::Status>& status, std::int64_t z,
                  const HeatmapScale& scale);

} // namespace flcc::io
