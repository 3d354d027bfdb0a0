#pragma once

#include <array>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "engine/base/geometry.h"

namespace flcc::io::detail {

/// A TiffData element: planes that follow each other in the order of dimensions lie in pages that
/// follow each other in a file.
struct OmeBlock {
    std::int64_t channel = 0;
    std::int64_t slice = 0;
    std::int64_t frame = 0;
    std::optional<std::int64_t> page;   ///< IFD
    std::optional<std::int64_t> planes; ///< PlaneCount
    std::string file;                   ///< FileName; empty: not stated
    std::string uuid;                   ///< of that file
};

/// An Image element.
struct OmeImage {
    std::string name;
    int channels = 1; ///< with colours as one channel
    int slices = 1;
    int frames = 1;
    int samples = 1; ///< of a channel
    /// SizeX and SizeY.
    std::optional<std::int64_t> width;
    std::optional<std::int64_t> height;
    std::string order; ///< DimensionOrder: "XYZCT"
    base::Geometry geometry;
    std::string note; ///< what was assumed of it; empty: nothing
    std::vector<OmeBlock> blocks;
};

/// The OME-XML of a file or of a set of files.
struct Ome {
    std::vector<OmeImage> images;
    std::string uuid;         ///< of the file that holds the description
    std::string metadataFile; ///< the description lies in this file
};

/// True if a text is an XML document whose outermost element is OME, with or without a prefix of a
/// namespace; also for one that is no valid XML. **Cost**: a look at the beginning.
[[nodiscard]] bool isOme(const std::string& text);

/// Reads OME-XML. Elements and attributes that are not named here are ignored. **Errors**: Input
/// for a text that is no XML, without an image, or with counts that are no positive numbers.
[[nodiscard]] Ome parseOme(const std::filesystem::path& path, const std::string& text);

/// The number of pages from one channel, slice and frame to the next by DimensionOrder. **Errors**:
/// Input for an order that is none.
[[nodiscard]] std::array<std::int64_t, 3> omeStrides(const std::filesystem::path& path,
                                                     const OmeImage& image);

} // namespace flcc::io::detail
