#pragma once

#include <array>
#include <cstdint>
#include <filesystem>
#include <string>
#include <utility>
#include <vector>

#include "engine/io/reader/reader_answer.h"

namespace flcc::io::detail {

/// What a DICOM file says of one of its frames.
struct DicomFrame {
    bool placed = false; ///< position and direction are there
    base::Point position{};
    std::array<double, 6> axes{1, 0, 0, 0, 1, 0}; ///< directions of x and y
    base::Point spacing{1, 1, 1};
    bool spaced = false; ///< the file gives the spacing
    double slope = 1;    ///< value = slope * stored number + intercept
    double intercept = 0;
    std::string stack;  ///< frames of other stacks make other volumes
    std::string number; ///< InstanceNumber of a file with one frame
    /// What tells frames at one place apart: title and value, such as "echo time" and "4.6".
    std::vector<std::pair<std::string, std::string>> marks;
};

/// What the header of one DICOM file says of its picture.
struct DicomFile {
    std::filesystem::path path;
    std::string series;      ///< SeriesInstanceUID
    std::string description; ///< SeriesDescription, printable
    std::string modality;
    base::Extents extents; ///< z counts frames
    int components = 1;
    base::PixelType stored = base::PixelType::UInt8; ///< type in the file
    double lowest = 0;                               ///< range of the stored numbers
    double highest = 0;
    bool placed = false; ///< ImagePositionPatient and ImageOrientationPatient are there
    base::Point position{};
    std::array<double, 6> axes{1, 0, 0, 0, 1, 0};
    base::Point spacing{1, 1, 1};
    bool spaced = false;
    std::string axesNote;    ///< that the direction makes no sense; empty if it does
    std::string spacingNote; ///< which element gives the spacing, or why none does; may be empty
    std::vector<DicomFrame> frames;
    int shift = 0;       ///< lowest bit of a stored number, if not the lowest of its bytes
    int storedBits = 0;  ///< of a number, where `shift` is not 0
    bool bits = false;   ///< eight pixels a byte, the first one in the lowest bit
    bool halves = false; ///< unpacked; two pixels share their differences of colour (YBR_FULL_422)
    bool apart = false;  ///< frames without places are pictures of their own, no slices
    bool film = false;   ///< they follow each other in time
    double privateSlope = 0; ///< Philips' own; 0: none
    bool lightIsLow = false; ///< small numbers are meant bright (MONOCHROME1)
    bool hasTable = false;   ///< a table says what stored numbers mean (modality LUT)
    std::string fault;       ///< why its pixels cannot be read; empty if they can
};

/// One frame of the files of a series.
struct DicomSlice {
    std::size_t file = 0;
    std::size_t frame = 0;
};

/// The files of one image, and the image without pixels.
struct DicomSeries {
    std::vector<DicomFile> files;
    std::vector<DicomSlice> slices; ///< of the chosen frame of the image, in order
    FoundImage image;
};

/// The series that `path` names: a folder with one series, or a file of the series. Files of the
/// folder that are not of the series are counted as skipped. Where several pictures lie at each
/// place (times, echoes, stacks), each set of them is a frame of the image; `frame` chooses one, or
/// the first for -1. Reads headers only. **Errors**: Input when slices are missing, truncated,
/// doubled or do not fit each other; Problem when the folder holds several series.
[[nodiscard]] DicomSeries findDicomSeries(const std::filesystem::path& path, int frame,
                                          const ReaderAnswer& answer);

/// The smallest pixel type that holds all values of the files exactly; float32 for a slope other
/// than 1 and for an intercept that is no integer.
[[nodiscard]] base::PixelType commonPixelType(const std::vector<DicomFile>& files);

/// Arranges the frames of `series.files` as volumes and chooses one of them: sets the slices,
/// extents, frames, geometry and notes. **Errors**: Input.
void arrangeSlices(DicomSeries& series, int frame);

} // namespace flcc::io::detail
