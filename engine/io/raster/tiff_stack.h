#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "engine/io/format/reading.h"

namespace flcc::io::detail {

/// Meaning of the pages of a TIFF file, from its ImageDescription.
struct TiffStack {
    int channels = 1;
    int slices = 1;
    int frames = 1;
    base::Geometry geometry;
    std::map<std::string, std::string> metadata; ///< remaining lines of an ImageJ description
    /// Page of (channel, slice, frame), see pageOf. Empty if pages lie in this order, the channel
    /// fastest.
    std::vector<std::int64_t> pages;
    bool oneDirectory =
        false; ///< ImageJ file over 4 GiB: the pixels of all pages follow the first page

    [[nodiscard]] std::int64_t pageOf(int channel, int slice, int frame) const {
        const std::int64_t plane = (std::int64_t{frame} * slices + slice) * channels + channel;
        return pages.empty() ? plane : pages[static_cast<std::size_t>(plane)];
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
};

/// Parses the description of ImageJ ("ImageJ=..." lines) or OME (XML). Without either, pages are
/// slices. **Errors**: Input when description and number of pages contradict each other.
[[nodiscard]] TiffStack describeStack(const std::filesystem::path& path, const TiffTexts& texts,
                                      std::int64_t pages);

/// An ImageJ description of `slices` pages.
[[nodiscard]] std::string imageJDescription(std::int64_t slices, const base::Geometry& geometry,
                                            const std::map<std::string, std::string>& metadata);

} // namespace flcc::io::detail
