#pragma once

#include <filesystem>
#include <optional>

#include "engine/io/format/backends.h"
#include "engine/io/format/formats.h"
#include "engine/io/format/voxel_place.h"

// Fixed headers of programs and instruments, and whether a file begins like one. **Errors**: Input.

namespace flcc::io::detail {

/// MGH of FreeSurfer, also packed by gzip (MGZ).
[[nodiscard]] Described describeMgh(const std::filesystem::path& path);
[[nodiscard]] bool isMgh(const FileStart& start);

/// EM of the TOM toolbox, PyTom and Dynamo. It has no mark, so the size of the file or the
/// extension must agree. **Shapes**: isEm() accepted the file; likewise below.
[[nodiscard]] Described describeEm(const std::filesystem::path& path);
[[nodiscard]] bool isEm(const FileStart& start);

/// SER of TIA: a series of pictures of one size, which are frames.
[[nodiscard]] Described describeSer(const std::filesystem::path& path);

/// IMAGIC: either of the files NAME.hed and NAME.img. The file of voxels is empty if it is missing.
[[nodiscard]] Described describeImagic(const std::filesystem::path& path);
[[nodiscard]] std::optional<HeaderAndVoxels> imagicPairOf(const std::filesystem::path& path);

/// SPIDER: an image, a volume, or a stack whose images are frames.
[[nodiscard]] Described describeSpider(const std::filesystem::path& path);
[[nodiscard]] bool isSpider(const FileStart& start);

/// DM3 and DM4 of DigitalMicrograph: the first image that is no small picture of another one.
[[nodiscard]] Described describeGatan(const std::filesystem::path& path);
[[nodiscard]] bool isGatan(const FileStart& start);

} // namespace flcc::io::detail
