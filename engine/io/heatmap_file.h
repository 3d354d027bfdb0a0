#pragma once

#include <cstdint>
#include <filesystem>
#include <stop_token>

#include "engine/base/image.h"
#include "engine/base/status.h"
#include "engine/io/colour_map.h"

namespace flcc::io {

/// Writes slice `z` of a map as an 8-bit RGB PNG, one pixel a voxel, row 0 at the top, voxels
/// without a value hatched. Returns false, with nothing written, when stopped.
/// **Errors**: CommandLine when the extension is not .png; Output.
bool writeHeatmap(const std::filesystem::path& path, const base::View<const float>& value,
                  const base::View<const base::Status>& status, std::int64_t z,
                  const HeatmapScale& scale, const std::stop_token& stop = {});

} // namespace flcc::io
