#pragma once

#include "engine/io/format/formats.h"

namespace flcc::io::detail {

/// Whether a TIFF file holds frames of electron events (EER of Falcon cameras). **Errors**: none; a
/// file that cannot be read holds none.
[[nodiscard]] bool isEer(const FileStart& start);

/// The sum of all frames: how many electrons fell on each pixel of the camera. **Errors**: Input
/// for a frame whose events do not end at its last pixel; Stopped.
[[nodiscard]] ImageInfo eerInfo(const std::filesystem::path& path, const std::stop_token& stop,
                                const Reading& reading);
[[nodiscard]] LoadedImage readEer(const std::filesystem::path& path, const ReadOptions& options);

} // namespace flcc::io::detail
