#pragma once

#include <filesystem>
#include <optional>

#include "engine/io/raster/tiff_pages.h"

namespace flcc::io::detail {

/// Meaning of the pages of a file by what the program that wrote it left beside OME-XML and
/// ImageJ's description: the shape and axes that tifffile writes, the planes of a MetaMorph stack
/// (STK), the dimensions of Zeiss LSM. `page` is one of the `pages` of the image, where the file
/// stands. Leaves out `planes`. Empty without any of them. **Errors**: Input for planes that cannot
/// be read.
/// **Source**: tifffile's documentation; MetaMorph Stack (STK) Image File Format, 2000; Zeiss LSM 5
/// image file description, 2005.
[[nodiscard]] std::optional<TiffStack> describeByProgram(const std::filesystem::path& path,
                                                         tiff* file, const TiffTexts& texts,
                                                         const TiffPage& page, std::int64_t pages,
                                                         const TiffRoom& room);

} // namespace flcc::io::detail
