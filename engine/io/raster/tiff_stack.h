#pragma once

#include <array>
#include <cstdint>
#include <filesystem>
#include <map>
#include <string>
#include <vector>

#include "engine/io/format/reading.h"

namespace flcc::io::detail {

/// Where a plane lies.
struct TiffPlane {
    std::uint64_t directory = 0; ///< position of its directory in the file; 0: it is missing
    std::size_t file = 0;        ///< of TiffFile::others, from 1; 0: the file itself
};

/// Meaning of the pages of a TIFF file.
struct TiffStack {
    int channels = 1;
    int slices = 1;
    int frames = 1;
    base::Geometry geometry;
    std::map<std::string, std::string> metadata; ///< remaining lines of an ImageJ description
    std::vector<std::string> notes;
    /// ImageJ file over 4 GiB: the pixels of all pages follow the first page.
    bool oneDirectory = false;
    /// The samples of a pixel are channels, whatever colours the page states.
    bool samplesAreChannels = false;
    /// From one channel, slice and frame to the next, in planes; all 0: the channel is the fastest,
    /// then the slice.
    std::array<std::int64_t, 3> steps{};
    /// By numberOf(). Empty with `oneDirectory`.
    std::vector<TiffPlane> planes;

    /// The number of a plane.
    [[nodiscard]] std::int64_t numberOf(int channel, int slice, int frame) const {
        return steps == std::array<std::int64_t, 3>{}
                   ? (std::int64_t{frame} * slices + slice) * channels + channel
                   : channel * steps[0] + slice * steps[1] + frame * steps[2];
    }
    [[nodiscard]] const TiffPlane& planeOf(int channel, int slice, int frame) const {
        return planes[static_cast<std::size_t>(numberOf(channel, slice, frame))];
    }
};

/// Number of planes over all channels, slices and frames.
[[nodiscard]] inline std::int64_t planesOf(const TiffStack& stack) {
    return std::int64_t{1} * stack.channels * stack.slices * stack.frames;
}

/// Texts and resolution of the first page.
struct TiffTexts {
    std::string description;
    double xResolution = 0; ///< pixels per unit; 0 if absent
    double yResolution = 0;
    int resolutionUnit = 2; ///< as in TIFF: 1 none, 2 inch, 3 centimetre
    /// The value of pixels without data (tag GDAL_NODATA); empty without one.
    std::optional<double> noData{};
};

/// The bytes behind the first pixel of a file with one uncompressed page.
struct TiffRoom {
    std::int64_t page = 0;      ///< bytes of the page; 0: there may be no other page behind it
    std::int64_t behind = 0;    ///< from the first pixel to the end of the file
    std::int64_t directory = 0; ///< from the first pixel to the directory; may be negative
};

/// True if the pixels of `images` pages follow the first page. **Errors**: Input if they did before
/// the file was cut.
[[nodiscard]] bool followTheFirst(const std::filesystem::path& path, const TiffRoom& room,
                                  std::int64_t images);

/// Parses the description of ImageJ ("ImageJ=..." lines); leaves out `planes`. If it promises
/// another number of pages than the file has, as in a part of a stack, the pages that are there
/// count. **Errors**: Input for counts that are no numbers, and for a file over 4 GiB that is cut.
[[nodiscard]] TiffStack describeImageJ(const std::filesystem::path& path, const TiffTexts& texts,
                                       std::int64_t pages, const TiffRoom& room);

/// An ImageJ description of `slices` pages.
[[nodiscard]] std::string imageJDescription(std::int64_t slices, const base::Geometry& geometry,
                                            const std::map<std::string, std::string>& metadata);

} // namespace flcc::io::detail
