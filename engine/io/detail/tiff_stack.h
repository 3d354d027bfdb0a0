#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "engine/io/detail/reading.h"

namespace flcc::io::detail {

/// What the pages of a TIFF file mean, by its ImageDescription.
struct TiffStack {
    int channels = 1;
    int slices = 1;
    int frames = 1;
    base::Geometry geometry;
    std::map<std::string, std::string> metadata; ///< further lines of an ImageJ description
    /// Page of (channel, slice, frame), see pageOf; empty when they lie in this order, the channel
    /// fastest.
    std::vector<std::int64_t> pages;
    bool oneDirectory = false; ///< ImageJ, over 4 GiB: all pages lie behind the first one

    [[nodiscard]] std::int64_t pageOf(int channel, int slice, int frame) const {
        const std::int64_t plane = (std::int64_t{frame} * slices + slice) * channels + channel;
        return pages.empty() ? plane : pages[static_cast<std::size_t>(plane)];
    }
};

/// Number of planes of all channels, slices and frames.
[[nodiscard]] inline std::int64_t planesOf(const TiffStack& stack) {
    return std::int64_t{1} * stack.channels * stack.slices * stack.frames;
}

/// What the first page says.
struct TiffTexts {
    std::string description;
    double xResolution = 0; ///< pixels per unit; 0 when absent
    double yResolution = 0;
};

/// ImageJ ("ImageJ=..." lines), OME (XML), or neither: then pages are slices.
/// **Errors**: Input when the description and the number of pages contradict each other.
[[nodiscard]] TiffStack describeStack(const std::filesystem::path& path, const TiffTexts& texts,
                                      std::int64_t pages);

/// An ImageJ description of `slices` pages.
[[nodiscard]] std::string imageJDescription(std::int64_t slices, const base::Geometry& geometry,
                                            const std::map<std::string, std::string>& metadata);

} // namespace flcc::io::detail
