#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "engine/base/extents.h"
#include "tests/engine/io/fixtures.h"

namespace flcc::test {

/// A frame of an enhanced file.
struct DicomFrameRecipe {
    base::Point position{};
    std::array<double, 6> axes{1, 0, 0, 0, 1, 0};
    std::string spacing{}; ///< between rows, between columns; empty: that of the file
    std::string slope{};   ///< empty: no element
    std::string intercept = "0";
    std::string stack{};
    int time = 0;    ///< TemporalPositionIndex; 0: none
    double echo = 0; ///< EffectiveEchoTime; 0: none
    int segment = 0; ///< ReferencedSegmentNumber; 0: none
};

/// An element as it stands in a file: `value` is its bytes. With `items` it is a sequence.
struct DicomElement {
    std::uint16_t group = 0;
    std::uint16_t element = 0;
    std::string type;
    std::string value{};
    std::vector<std::vector<DicomElement>> items{};
};
/// The bytes of a number, little endian.
template <class Number> [[nodiscard]] std::string dicomNumber(Number number) {
    const Bytes bytes = ByteWriter().put(number).bytes;
    return {bytes.begin(), bytes.end()};
}

/// A DICOM file, explicit VR little endian, with the elements a picture needs.
struct DicomRecipe {
    std::string series = "1.2.3.1";
    std::string description = "scan";
    std::uint16_t columns = 4;
    std::uint16_t rows = 3;
    std::uint16_t bitsAllocated = 16;
    std::uint16_t bitsStored = 16;
    bool sign = false;
    std::uint16_t samples = 1; ///< 3: RGB
    int frames = 1;
    std::optional<base::Point> position{{0, 0, 0}};
    std::array<double, 6> axes{1, 0, 0, 0, 1, 0};
    std::string spacing = "0.5\\0.25"; ///< between rows, between columns; may be empty
    std::string slope;                 ///< empty: no element
    std::string intercept;
    bool picture = true; ///< false: a report without pixels
    Bytes pixels;
    /// Compressed frames, which replace `pixels`, and their transfer syntax.
    std::vector<Bytes> packed{};
    std::string syntax = "1.2.840.10008.1.2.1";
    bool bigEndian = false; ///< explicit VR big endian; `pixels` are of 16 bits, little endian
    /// An enhanced file: position, orientation and spacing of each frame, `step` apart along z,
    /// are in sequences.
    bool enhanced = false;
    double step = 2;
    /// The frames of an enhanced file, in place of `position`, `axes` and `step`.
    std::vector<DicomFrameRecipe> places{};
    std::string kind{};        ///< SOP class; empty: that of a CT picture, or of an enhanced file
    std::string colours{};     ///< PhotometricInterpretation; empty: MONOCHROME2 or RGB
    std::string frameTime{};   ///< of a film, in ms; empty: none
    int time = 0;              ///< TemporalPositionIdentifier; 0: none
    std::string offsets{};     ///< of the planes of a dose; empty: none
    std::string doseScaling{}; ///< empty: none
    double philipsSlope = 0;   ///< private scale slope; 0: none
    std::vector<DicomElement> extra{}; ///< further elements, or others in place of those above
};
[[nodiscard]] Bytes makeDicom(const DicomRecipe& recipe);

} // namespace flcc::test
