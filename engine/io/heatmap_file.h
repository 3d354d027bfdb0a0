#pragma once

#include <cstdint>
#include <filesystem>
#include <stop_token>

#include "engine/base/image.h"
#include "engine/base/status.h"
#include "engine/io/atomic_file.h"
#include "engine/match/colour_map.h"

namespace flcc::io {

/// Writes slice `z` of a map as an 8-bit RGB PNG to the temporary name of `file`; the caller calls
/// commit(). One pixel is one voxel, row 0 is at the top, voxels without a value are hatched.
/// Returns false if cancelled. **Errors**: CommandLine when the extension is not .png; Output.
bool writeHeatmap(const AtomicFile& file, const base::View<const float>& value,
                  const base::View<const base::Status>& status, std::int64_t z,
                  const match::HeatmapScale& scale, const std::stop_token& stop = {});

/// Writes the picture to `path`, completely or not at all. Otherwise as above.
bool writeHeatmap(const std::filesystem::path& path, const base::View<const float>& value,
                  const base::View<const base::Status>& status, std::int64_t z,
                  const match::HeatmapScale& scale, const std::stop_token& stop = {});

/// A picture with 8 bits each for red, green, blue and opacity, adjacent for each pixel. Rows have
/// no gaps; row 0 is at the top.
struct PictureView {
    const std::uint8_t* rgba = nullptr;
    int width = 0;
    int height = 0;
};

/// Writes a picture as PNG to the temporary name of `file`; the caller calls commit(). **Errors**:
/// CommandLine when the extension is not .png; Output, also for a picture without pixels.
void writePicture(const AtomicFile& file, const PictureView& picture);
void writePicture(const std::filesystem::path& path, const PictureView& picture);

} // namespace flcc::io
