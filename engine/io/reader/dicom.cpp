// Pixels of DICOM files through GDCM, a file at a time.

#include <algorithm>
#include <array>
#include <cmath>
#include <cstring>
#include <limits>
#include <optional>
#include <string_view>
#include <type_traits>
#include <vector>

#include <gdcmImage.h>
#include <gdcmImageApplyLookupTable.h>
#include <gdcmImageChangePlanarConfiguration.h>
#include <gdcmImageReader.h>
#include <gdcmMediaStorage.h>
#include <gdcmSequenceOfFragments.h>
#include <gdcmTrace.h>

#include "engine/io/reader/dicom_elements.h"
#include "engine/io/reader/dicom_header.h"
#include "engine/io/reader/dicom_packing.h"
#include "engine/io/reader/dicom_series.h"
#include "engine/io/reader/dicom_stored.h"
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

/// Colours of 16 bits by index. GDCM shortens those of indices of 8 bits.
struct WideColours {
    std::int64_t first = 0; ///< index of the first one
    std::array<std::vector<std::uint16_t>, 3> tables;
};

/// Nothing if the file has colours of 8 bits, or segments of colours.
std::optional<WideColours> wideColoursOf(const gdcm::DataSet& data) {
    WideColours colours;
    for (std::uint16_t i = 0; i < 3; ++i) {
        const auto element = static_cast<std::uint16_t>(0x1201 + i);
        const std::vector<double> form =
            numbersOf(data, gdcm::Tag(0x0028, static_cast<std::uint16_t>(0x1101 + i)));
        const gdcm::Tag tag(0x0028, element);
        const gdcm::ByteValue* value =
            data.FindDataElement(tag) ? data.GetDataElement(tag).GetByteValue() : nullptr;
        if (form.size() != 3 || form[2] != 16 || value == nullptr) {
            return std::nullopt;
        }
        const auto count = static_cast<std::size_t>(form[0] == 0 ? 65536 : form[0]);
        if (std::size_t{value->GetLength()} < 2 * count) {
            return std::nullopt;
        }
        colours.first = static_cast<std::int64_t>(form[1]);
        colours.tables[i].resize(count);
        std::memcpy(colours.tables[i].data(), value->GetPointer(), 2 * count);
    }
    return colours;
}

/// Replaces indices by their colours.
template <class Index>
std::vector<char> coloursOf(const std::vector<char>& indices, const WideColours& colours) {
    const std::size_t count = indices.size() / sizeof(Index);
    std::vector<char> values(count * 6);
    for (std::size_t i = 0; i < count; ++i) {
        Index index{};
        std::memcpy(&index, indices.data() + i * sizeof(Index), sizeof(Index));
        for (std::size_t c = 0; c < 3; ++c) {
            const auto& table = colours.tables[c];
            const std::int64_t at =
                std::clamp<std::int64_t>(std::int64_t{index} - colours.first, 0,
                                         static_cast<std::int64_t>(table.size()) - 1);
            std::memcpy(values.data() + 6 * i + 2 * c, &table[static_cast<std::size_t>(at)], 2);
        }
    }
    return values;
}

/// Reads pictures of every class. GDCM reads those only of the classes that it knows, and the
/// private classes of vendors and new ones of the standard store their pixels in the same way.
class ImageReader : public gdcm::ImageReader {
  public:
    bool Read() override {
        if (gdcm::ImageReader::Read()) {
            return true;
        }
        gdcm::MediaStorage kind;
        kind.SetFromFile(GetFile());
        return !gdcm::MediaStorage::IsImage(kind) &&
               GetFile().GetDataSet().FindDataElement(gdcm::Tag(0x7fe0, 0x0010)) &&
               ReadImage(gdcm::MediaStorage::SecondaryCaptureImageStorage);
    }
};

/// True if packed pixels are JPEG with the mark JFIF, whose colours are luminance and differences
/// whatever the header says.
bool isJfif(const gdcm::Image& image) {
    const gdcm::SequenceOfFragments* const frames = image.GetDataElement().GetSequenceOfFragments();
    if (frames == nullptr || frames->GetNumberOfFragments() < 1) {
        return false;
    }
    const gdcm::ByteValue* const value = frames->GetFragment(0).GetByteValue();
    return value != nullptr && value->GetLength() > 10 &&
           std::string_view(value->GetPointer(), 4) == std::string_view("\xff\xd8\xff\xe0", 4) &&
           std::string_view(value->GetPointer() + 6, 4) == "JFIF";
}

/// Gives numbers their sign: a codec leaves the bits above BitsStored empty (DICOM PS3.5, 8.1.1).
void extendSign(Unpacked& unpacked) {
    const int bits = unpacked.format.GetBitsStored();
    if (unpacked.format.GetPixelRepresentation() != 1 ||
        bits >= unpacked.format.GetBitsAllocated()) {
        return;
    }
    withStored(unpacked.format, [&](const auto* type) {
        using Number = std::remove_const_t<std::remove_pointer_t<decltype(type)>>;
        if constexpr (std::is_integral_v<Number> && std::is_signed_v<Number>) {
            const auto above = std::int64_t{1} << bits;
            auto* const numbers = reinterpret_cast<Number*>(unpacked.values.data());
            for (std::size_t i = 0; i < unpacked.values.size() / sizeof(Number); ++i) {
                if (numbers[i] >= above / 2 && numbers[i] < above) {
                    numbers[i] = static_cast<Number>(numbers[i] - above);
                }
            }
        }
    });
}

Unpacked unpack(const DicomFile& file) {
    if (readsStored(file)) {
        return unpackStored(file);
    }
    const std::string name = file.path.filename().string();
    ImageReader reader;
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
    const bool indexed = image->GetPhotometricInterpretation() == Colours(Colours::PALETTE_COLOR);
    const auto wide =
        indexed ? wideColoursOf(reader.GetFile().GetDataSet()) : std::optional<WideColours>();
    if (indexed && !wide) {
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
    if (extents != file.extents ||
        (wide ? 3 : unpacked.format.GetSamplesPerPixel()) != file.components) {
        fail("the header of " + name + " contradicts its pixels");
    }
    const Colours colours = image->GetPhotometricInterpretation();
    unpacked.luma = file.components == 3 &&
                    (colours == Colours(Colours::YBR_FULL) ||
                     colours == Colours(Colours::YBR_FULL_422) || isJfif(reader.GetImage()));
    unpacked.values.resize(static_cast<std::size_t>(image->GetBufferLength()));
    const std::int64_t least =
        base::byteCount(extents, std::int64_t{unpacked.format.GetPixelSize()});
    if (static_cast<std::int64_t>(unpacked.values.size()) < least ||
        !image->GetBuffer(unpacked.values.data())) {
        fail("the pixels of " + name + ", packed as " + textOf(packingOf(file.path)) +
             ", are damaged or of a kind that cannot be read");
    }
    if (wide) {
        unpacked.values = unpacked.format.GetPixelSize() == 1
                              ? coloursOf<std::uint8_t>(unpacked.values, *wide)
                              : coloursOf<std::uint16_t>(unpacked.values, *wide);
        unpacked.format = gdcm::PixelFormat(gdcm::PixelFormat::UINT16);
    }
    extendSign(unpacked);
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
