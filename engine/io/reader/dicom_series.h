#pragma once

#include <array>
#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "engine/io/reader/reader_answer.h"

namespace flcc::io::detail {

/// What the header of one DICOM file says of its picture.
struct DicomFile {
    std::filesystem::path path;
    std::string series;      ///< SeriesInstanceUID
    std::string description; ///< SeriesDescription, printable
    std::string modality;
    base::Extents extents; ///< z counts frames
    int components = 1;
    base::PixelType stored = base::PixelType::UInt8; ///< type in the file
    bool whole = true; ///< rescaled values are integers, within `lowest` to `highest`
    bool rescaled = false;
    double lowest = 0;
    double highest = 0;
    bool placed = false; ///< ImagePositionPatient and ImageOrientationPatient are there
    base::Point position{};
    std::array<double, 6> axes{1, 0, 0, 0, 1, 0}; ///< directions of x and y
    base::Point spacing{1, 1, 1};
    bool spaced = false; ///< the file gives the spacing
    std::string fault;   ///< why its pixels cannot be read; empty if they can
};

/// The files of one image in the order of its slices, and the image without pixels.
struct DicomSeries {
    std::vector<DicomFile> files;
    FoundImage image;
};

/// The series that `path` names: a folder with one series, or a file of the series. Files of the
/// folder that are not of the series are counted as skipped. Reads headers only. **Errors**: Input
/// when slices are missing, truncated, doubled or do not fit each other; Problem when the folder
/// holds several series.
[[nodiscard]] DicomSeries findDicomSeries(const std::filesystem::path& path,
                                          const ReaderAnswer& answer);

/// The smallest pixel type that holds all rescaled values of the files exactly; float32 for a slope
/// other than 1 and for an intercept that is no integer.
[[nodiscard]] base::PixelType commonPixelType(const std::vector<DicomFile>& files);

} // namespace flcc::io::detail
