#pragma once

#include <filesystem>
#include <map>
#include <optional>
#include <stop_token>
#include <string>
#include <vector>

#include "engine/io/image_file.h"
#include "engine/job/command_line.h"
#include "engine/match/map_comparison.h"

namespace flcc::job {

/// Two image files that are compared voxel by voxel: `flcc-cli diff`.
struct MapDifference {
    std::filesystem::path a;
    std::filesystem::path b;
    double tolerance = 0; ///< largest |A - B| that counts as equal
    std::optional<int> channel{};
    std::optional<int> frame{};
    io::Reading reading{};
    std::filesystem::path output{}; ///< A - B; may be empty
    std::filesystem::path report{}; ///< mapsJson(); may be empty
};

struct ComparedMaps {
    bool cancelled = false; ///< nothing was written
    std::string nameA;
    std::string nameB;
    base::Extents extents{0, 0, 0};
    double tolerance = 0;
    std::vector<match::MapComparison> components; ///< one for each colour component
    std::vector<std::string> notes;

    [[nodiscard]] bool same() const;
};

/// Whether two files are images, as opposed to lists: by their content, lists by their extension
/// first. **Errors**: Problem if only one of them is; Input for a missing file.
[[nodiscard]] bool areImages(const std::filesystem::path& a, const std::filesystem::path& b);

/// Reads, compares and writes the outputs: all of them or none. Spacing, origin and direction do
/// not count; a note says where they differ. **Errors**: those of io::readImage and io::writeImage;
/// Problem for images of other extents or components; CommandLine if an output is an input, and for
/// the difference of images with colour components.
[[nodiscard]] ComparedMaps diffMaps(const MapDifference& difference,
                                    const std::stop_token& stop = {});

/// Counts, the greatest difference and its voxel, RMS and correlation, in some lines.
[[nodiscard]] std::string mapsText(const ComparedMaps& maps);
[[nodiscard]] std::string mapsJson(const ComparedMaps& maps);

/// The options of the command for images.
[[nodiscard]] std::vector<CommandOption> mapDifferenceOptions();
/// Sets options by their names, without dashes. **Errors**: CommandLine.
void setMapDifferenceOptions(MapDifference& difference, const GivenOptions& given);

} // namespace flcc::job
