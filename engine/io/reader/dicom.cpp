// Pixels of DICOM files through GDCM, a file at a time.

#include <algorithm>
#include <cmath>
#include <limits>
#include <type_traits>
#include <vector>

#include <gdcmImage.h>
#include <gdcmImageApplyLookupTable.h>
#include <gdcmImageChangePlanarConfiguration.h>
#include <gdcmImageReader.h>
#include <gdcmTrace.h>

#include "engine/io/reader/dicom_header.h"
#include "engine/io/reader/dicom_packing.h"
#include "engine/io/reader/dicom_series.h"
#include "engine/io/reader/reader_answer.h"

namespace flcc::io::detail {

namespace {

using base::Error;
using base::ErrorCode;
using Colours = gdcm::PhotometricInterpretation;

[[noreturn]] void fail(const std::string& sentence) { throw Error(ErrorCode::Input, sentence); }

/// Calls `use` with a null pointer to the type of the stored numbers.
template <class Use> void withStored(const gdcm::PixelFormat& format, Use use) {
    switch (format.GetScalarType()) {
    case gdcm::PixelFormat::UINT8:
        return use(static_cast<const std::uint8_t*>(nullptr));
    case gdcm::PixelFormat::INT8:
        return use(static_cast<const std::int8_t*>(nullptr));
    case gdcm::PixelFormat::UINT12:
    case gdcm::PixelFormat::UINT16:
        return use(static_cast<const std::uint16_t*>(nullptr));
    case gdcm::PixelFormat::INT12:
    case gdcm::PixelFormat::INT16:
        return use(static_cast<const std::int16_t*>(nullptr));
    case gdcm::PixelFormat::UINT32:
        return use(static_cast<const std::uint32_t*>(nullptr));
    case gdcm::PixelFormat::INT32:
        return use(static_cast<const std::int32_t*>(nullptr));
    case gdcm::PixelFormat::FLOAT32:
        return use(static_cast<const float*>(nullptr));
    case gdcm::PixelFormat::FLOAT64:
        return use(static_cast<const double*>(nullptr));
    default:
        fail("its pixels are of a type that cannot be read");
    }
}

/// The pixels of one file, unpacked.
struct Unpacked {
    std::vector<char> values;
    gdcm::PixelFormat format;
    bool luma = false; ///< the components are luminance and two differences of colour
};

Unpacked unpack(const DicomFile& file) {
    const std::string name = file.path.filename().string();
    gdcm::ImageReader reader;
    reader.SetFileName(file.path.c_str());
    if (!reader.Read()) {
        fail("the pixels of " + name + ", packed as " + textOf(packingOf(file.path)) +
             ", are damaged or of a kind that cannot be read");
    }
    const gdcm::Image* image = &reader.GetImage();
    // Components of a voxel adjacent; indices replaced by their colours.
    gdcm::ImageChangePlanarConfiguration adjacent;
    if (image->GetPlanarConfiguration() == 1) {
        adjacent.SetInput(*image);
        adjacent.SetPlanarConfiguration(0);
        if (!adjacent.Change()) {
            fail("the planes of colour of " + name + " cannot be read");
        }
        image = &dynamic_cast<const gdcm::Image&>(adjacent.GetOutput());
    }
    gdcm::ImageApplyLookupTable coloured;
    if (image->GetPhotometricInterpretation() == Colours(Colours::PALETTE_COLOR)) {
        coloured.SetInput(*image);
        if (!coloured.Apply()) {
            fail("the table of colours of " + name + " cannot be read");
        }
        image = &dynamic_cast<const gdcm::Image&>(coloured.GetOutput());
    }
    const unsigned* const sizes = image->GetDimensions();
    const base::Extents extents{sizes[0], sizes[1],
                                image->GetNumberOfDimensions() > 2 ? sizes[2] : 1};
    Unpacked unpacked;
    unpacked.format = image->GetPixelFormat();
    if (extents != file.extents || unpacked.format.GetSamplesPerPixel() != file.components) {
        fail("the header of " + name + " contradicts its pixels");
    }
    const Colours colours = image->GetPhotometricInterpretation();
    unpacked.luma = file.components == 3 && (colours == Colours(Colours::YBR_FULL) ||
                                             colours == Colours(Colours::YBR_FULL_422));
    unpacked.values.resize(static_cast<std::size_t>(image->GetBufferLength()));
    const std::int64_t least =
        base::byteCount(extents, std::int64_t{unpacked.format.GetPixelSize()});
    if (static_cast<std::int64_t>(unpacked.values.size()) < least ||
        !image->GetBuffer(unpacked.values.data())) {
        fail("the pixels of " + name + ", packed as " + textOf(packingOf(file.path)) +
             ", are damaged or of a kind that cannot be read");
    }
    return unpacked;
}

/// Red, green and blue of luminance and differences (JFIF, ITU-R BT.601), in place.
template <class Number> void toColour(Number* values, std::int64_t pixels) {
    const auto bounded = [](double value) {
        return static_cast<Number>(std::clamp(std::floor(value + 0.5), 0.0, 255.0));
    };
    for (std::int64_t i = 0; i < pixels; ++i, values += 3) {
        const auto y = static_cast<double>(values[0]);
        const double blue = static_cast<double>(values[1]) - 128;
        const double red = static_cast<double>(values[2]) - 128;
        values[0] = bounded(y + 1.402 * red);
        values[1] = bounded(y - 0.344136 * blue - 0.714136 * red);
        values[2] = bounded(y + 1.772 * blue);
    }
}

/// Numbers of a frame to values of it.
template <class From, class To>
void convert(const From* from, const DicomFrame& frame, base::Image<To>& to,
             const std::string& name) {
    const bool plain = frame.slope == 1 && frame.intercept == 0;
    for (std::int64_t i = 0; i < to.count(); ++i) {
        const auto number = static_cast<double>(from[i]);
        const double value = plain ? number : number * frame.slope + frame.intercept;
        if constexpr (std::is_integral_v<To>) {
            if (!(value >= static_cast<double>(std::numeric_limits<To>::min()) &&
                  value <= static_cast<double>(std::numeric_limits<To>::max()))) {
                fail("a pixel of " + name + " lies beyond the range that its header gives");
            }
        }
        to.data()[i] = static_cast<To>(value);
    }
}

/// Sends slices that lie in one file.
void sendFile(const DicomFile& file, const std::vector<std::size_t>& frames,
              const FoundImage& image, ReaderAnswer& answer) {
    const std::string name = file.path.filename().string();
    // Several copies of the pixels, some of them in double.
    constexpr std::int64_t kBytesOfValue = 64;
    const MemoryLimit limit(headerBytes(file.path) +
                            std::min(base::voxelCount(file.extents), INT64_MAX / 1024) *
                                std::min(file.components, 4) * kBytesOfValue);
    answer.entering(name);
    Unpacked unpacked = unpack(file);
    const std::int64_t plane = file.extents.x * file.extents.y;
    base::AnyImage converted =
        base::makeImage(image.pixel, {file.extents.x * image.components, file.extents.y, 1});
    withStored(unpacked.format, [&](const auto* type) {
        using Number = std::remove_const_t<std::remove_pointer_t<decltype(type)>>;
        auto* const numbers = reinterpret_cast<Number*>(unpacked.values.data());
        if (unpacked.luma && sizeof(Number) == 1) {
            toColour(numbers, plane * file.extents.z);
        }
        for (const std::size_t frame : frames) {
            std::visit(
                [&](auto& values) {
                    convert(numbers + static_cast<std::int64_t>(frame) * plane * image.components,
                            file.frames[frame], values, name);
                    answer.voxels(values.data(), values.count() * static_cast<std::int64_t>(
                                                                      sizeof(*values.data())));
                },
                converted);
        }
    });
}

} // namespace

void answerDicom(const Request& request, ReaderAnswer& answer) {
    gdcm::Trace::DebugOff();
    gdcm::Trace::WarningOff();
    gdcm::Trace::ErrorOff();
    const DicomSeries series = findDicomSeries(request.path, request.frame, answer);
    const bool sends = request.picks(series.image);
    answer.header(series.image, sends);
    for (std::size_t i = 0; sends && i < series.slices.size();) {
        const std::size_t file = series.slices[i].file;
        std::vector<std::size_t> frames;
        for (; i < series.slices.size() && series.slices[i].file == file; ++i) {
            frames.push_back(series.slices[i].frame);
        }
        sendFile(series.files[file], frames, series.image, answer);
    }
}

} // namespace flcc::io::detail
