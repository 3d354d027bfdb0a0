// Where the picture of a DICOM file lies, and how far apart its pixels are.

#include "engine/io/reader/dicom_place.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <optional>
#include <string_view>

#include <gdcmDirectionCosines.h>

#include "engine/io/reader/dicom_elements.h"

namespace flcc::io::detail {

namespace {

using gdcm::DataSet;
using gdcm::Tag;

/// Two numbers that can be distances.
bool usable(const std::vector<double>& numbers) {
    return numbers.size() == 2 && std::all_of(numbers.begin(), numbers.end(), [](double number) {
               return std::isfinite(number) && number > 0;
           });
}

/// "0.5 x 0.25": x first, where the file has the distance of rows first.
std::string sizeText(double x, double y) { return shortNumber(x) + " x " + shortNumber(y); }

/// An element that gives the distance of rows and that of columns in mm.
struct SpacingElement {
    Tag tag;
    const char* note;
};
/// In the order in which they are looked for behind PixelSpacing.
const std::array<SpacingElement, 3> kOtherSpacings{
    {{Tag(0x0018, 0x1164),
      "the spacing is ImagerPixelSpacing, the distance of pixels at the detector; in the object "
      "they are closer by the magnification"},
     {Tag(0x3002, 0x0011),
      "the spacing is ImagePlanePixelSpacing, the distance of pixels in the plane of the image"},
     {Tag(0x0018, 0x2010),
      "the spacing is NominalScannedPixelSpacing, the distance of pixels on the scanned film"}}};

/// A calibrated region of an ultrasound picture.
struct Region {
    std::array<double, 2> units{}; ///< 3: cm
    std::array<double, 2> steps{}; ///< from pixel to pixel
    bool whole = false;            ///< it covers the picture
};

std::optional<Region> regionOf(const DataSet& item, const base::Extents& extents) {
    std::array<double, 8> numbers{};
    constexpr std::array<std::uint16_t, 8> kElements{0x6024, 0x6026, 0x602c, 0x602e,
                                                     0x6018, 0x601a, 0x601c, 0x601e};
    for (std::size_t i = 0; i < numbers.size(); ++i) {
        const std::vector<double> found = numbersOf(item, Tag(0x0018, kElements[i]));
        if (found.size() != 1 || !std::isfinite(found[0])) {
            return std::nullopt;
        }
        numbers[i] = found[0];
    }
    return Region{.units = {numbers[0], numbers[1]},
                  .steps = {numbers[2], numbers[3]},
                  .whole = numbers[4] <= 0 && numbers[5] <= 0 &&
                           numbers[6] >= static_cast<double>(extents.x - 1) &&
                           numbers[7] >= static_cast<double>(extents.y - 1)};
}

/// Spacing from the regions of an ultrasound picture, if they leave no doubt; else a note.
void setFromRegions(DicomFile& file, const std::vector<DataSet>& items) {
    std::vector<Region> regions;
    for (const DataSet& item : items) {
        const auto region = regionOf(item, file.extents);
        if (!region) {
            file.spacingNote = "a region of the ultrasound picture does not state its place, unit "
                               "or spacing, so no spacing was taken";
            return;
        }
        regions.push_back(*region);
    }
    constexpr double kCentimetres = 3;
    const Region& first = regions.front();
    const auto fits = [&](const Region& region) {
        return region.units == std::array{kCentimetres, kCentimetres} &&
               region.steps == first.steps && region.steps[0] > 0 && region.steps[1] > 0;
    };
    const std::string count = std::to_string(regions.size());
    if (!std::all_of(regions.begin(), regions.end(), fits)) {
        file.spacingNote = regions.size() == 1
                               ? "the region of the ultrasound picture is not measured in cm along "
                                 "both axes, so no spacing was taken"
                               : "the " + count +
                                     " regions of the ultrasound picture differ in unit or "
                                     "spacing, so no spacing was taken";
        return;
    }
    const double x = 10 * first.steps[0];
    const double y = 10 * first.steps[1];
    if (std::none_of(regions.begin(), regions.end(), [](const Region& r) { return r.whole; })) {
        file.spacingNote =
            "no region of the ultrasound picture covers it all, so no spacing was taken; within "
            "its " +
            std::string(regions.size() == 1 ? "region" : count + " regions") + " pixels are " +
            sizeText(x, y) + " mm apart";
        return;
    }
    file.spacing = {x, y, file.spacing[2]};
    file.spaced = true;
    file.spacingNote = "the spacing is that of the region of the ultrasound picture "
                       "(PhysicalDeltaX and PhysicalDeltaY)";
}

void setSpacing(DicomFile& file, const DataSet& data) {
    const auto take = [&](const std::vector<double>& numbers) {
        file.spacing[0] = numbers[1]; // between columns
        file.spacing[1] = numbers[0];
        file.spaced = true;
    };
    const std::vector<double> pixel = numbersOf(data, Tag(0x0028, 0x0030));
    const std::vector<double> imager = numbersOf(data, Tag(0x0018, 0x1164));
    if (usable(pixel)) {
        take(pixel);
        if (usable(imager) && (std::abs(imager[0] - pixel[0]) > 1e-6 * pixel[0] ||
                               std::abs(imager[1] - pixel[1]) > 1e-6 * pixel[1])) {
            file.spacingNote = "the spacing is PixelSpacing; ImagerPixelSpacing, the distance of "
                               "pixels at the detector, is " +
                               sizeText(imager[1], imager[0]) + " mm";
        }
        return;
    }
    if (const auto regions = itemsOf(data, Tag(0x0018, 0x6011)); !regions.empty()) {
        setFromRegions(file, regions);
        return;
    }
    for (const SpacingElement& element : kOtherSpacings) {
        if (const auto numbers = numbersOf(data, element.tag); usable(numbers)) {
            take(numbers);
            file.spacingNote = element.note;
            return;
        }
    }
    const std::vector<double> ratio = numbersOf(data, Tag(0x0028, 0x0034)); // height, width
    if (usable(ratio) && ratio[0] != ratio[1]) {
        file.spacingNote = "the file states no spacing, only that the height and the width of a "
                           "pixel are " +
                           shortNumber(ratio[0]) + " to " + shortNumber(ratio[1]) +
                           "; pixels were taken as squares";
    }
}

/// True if frames follow each other in time.
bool isFilm(const DataSet& data) {
    const Tag pointer(0x0028, 0x0009);
    const gdcm::ByteValue* value =
        data.FindDataElement(pointer) ? data.GetDataElement(pointer).GetByteValue() : nullptr;
    return value != nullptr && value->GetLength() >= 2 && value->GetPointer()[0] == 0x18;
}

} // namespace

void setFilePlace(DicomFile& file, const gdcm::File& content) {
    const DataSet& data = content.GetDataSet();
    std::vector<double> position = numbersOf(data, Tag(0x0020, 0x0032));
    std::vector<double> axes = numbersOf(data, Tag(0x0020, 0x0037));
    // A file of nuclear medicine has them in the item of its detector.
    if (const auto detectors = itemsOf(data, Tag(0x0054, 0x0022)); !detectors.empty()) {
        position = position.empty() ? numbersOf(detectors.front(), Tag(0x0020, 0x0032)) : position;
        axes = axes.empty() ? numbersOf(detectors.front(), Tag(0x0020, 0x0037)) : axes;
    }
    file.placed = file.extents.z > 1 || (position.size() == 3 && axes.size() == 6);
    for (std::size_t i = 0; i < 3 && position.size() == 3; ++i) {
        file.position[i] = position[i];
    }
    if (axes.size() == 6) {
        gdcm::DirectionCosines cosines(axes.data());
        if (!cosines.IsValid()) {
            cosines.Normalize();
        }
        if (!cosines.IsValid()) {
            file.axesNote = "its ImageOrientationPatient gives no two directions at right angles; "
                            "rows and columns were taken to run along x and y";
        }
        const double* const values = cosines;
        for (std::size_t i = 0; i < 6 && cosines.IsValid(); ++i) {
            file.axes[i] = values[i];
        }
    }
    setSpacing(file, data);
    // Without a spacing of pixels the unit would be unknown.
    const std::vector<double> between = numbersOf(data, Tag(0x0018, 0x0088));
    if (file.spaced && between.size() == 1 && std::isfinite(between[0]) && between[0] > 0 &&
        !isFilm(data)) {
        file.spacing[2] = between[0];
    }
}

} // namespace flcc::io::detail
