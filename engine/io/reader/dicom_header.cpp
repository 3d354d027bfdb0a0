// Reads the header of one DICOM file with GDCM, the library below ITK's reader.

#include <exception>
#include <fstream>
#include <optional>
#include <sstream>

#include <unistd.h>

#include <gdcmImageHelper.h>
#include <gdcmMediaStorage.h>
#include <gdcmReader.h>

#include "engine/base/open_file.h"
#include "engine/io/process/reader_protocol.h"
#include "engine/io/reader/dicom_elements.h"
#include "engine/io/reader/dicom_frames.h"
#include "engine/io/reader/dicom_header.h"
#include "engine/io/reader/dicom_packing.h"
#include "engine/io/reader/dicom_place.h"

namespace flcc::io::detail {

namespace {

using base::Error;
using base::ErrorCode;
using base::PixelType;

PixelType storedType(const gdcm::PixelFormat& format) {
    switch (format.GetScalarType()) {
    case gdcm::PixelFormat::UINT8:
        return PixelType::UInt8;
    case gdcm::PixelFormat::INT8:
        return PixelType::Int8;
    case gdcm::PixelFormat::UINT12:
    case gdcm::PixelFormat::UINT16:
        return PixelType::UInt16;
    case gdcm::PixelFormat::INT12:
    case gdcm::PixelFormat::INT16:
        return PixelType::Int16;
    case gdcm::PixelFormat::UINT32:
        return PixelType::UInt32;
    case gdcm::PixelFormat::INT32:
        return PixelType::Int32;
    case gdcm::PixelFormat::FLOAT32:
        return PixelType::Float32;
    case gdcm::PixelFormat::FLOAT64:
        return PixelType::Float64;
    default:
        throw Error(ErrorCode::Input, "its pixels are of a type that cannot be read");
    }
}

void setRange(DicomFile& file, const gdcm::PixelFormat& format) {
    file.stored = storedType(format);
    file.lowest = static_cast<double>(format.GetMin());
    file.highest = static_cast<double>(format.GetMax());
}

/// Why the compressed pixels that begin at `position` cannot be read: GDCM reads files silently
/// that end within them. They are items of a tag and a length each, in little endian: a table of
/// offsets, then at least one for each frame; a delimiter ends them.
std::string faultOfItems(const DicomFile& file, std::int64_t position) {
    constexpr std::uint32_t kItem = 0xe000'fffe;
    constexpr std::uint32_t kDelimiter = 0xe0dd'fffe;
    const std::string name = "the file " + file.path.filename().string();
    const auto size = static_cast<std::int64_t>(std::filesystem::file_size(file.path));
    std::ifstream stream = base::openFile(file.path);
    for (std::int64_t items = 0;; ++items) {
        std::array<std::uint32_t, 2> head{}; // tag and length
        stream.seekg(position);
        if (!stream.read(reinterpret_cast<char*>(head.data()), sizeof(head)) ||
            (head[0] == kItem && head[1] > size - position - 8)) {
            return name + " is truncated; it ends within its compressed pixels";
        }
        if (head[0] == kDelimiter) {
            return items > file.extents.z
                       ? std::string()
                       : name + " promises " + std::to_string(file.extents.z) +
                             " frames and holds " +
                             std::to_string(std::max<std::int64_t>(0, items - 1));
        }
        if (head[0] != kItem) {
            return name + " is damaged within its compressed pixels";
        }
        position += 8 + static_cast<std::int64_t>(head[1]);
    }
}

/// Why the pixels cannot be read: GDCM reads files silently whose pixels end early. A deflated file
/// does not say how long it is.
std::string faultOf(const DicomFile& file, const gdcm::Reader& reader, std::int64_t bitsPerValue) {
    const gdcm::TransferSyntax& syntax = reader.GetFile().GetHeader().GetDataSetTransferSyntax();
    if (syntax == gdcm::TransferSyntax(gdcm::TransferSyntax::DeflatedExplicitVRLittleEndian)) {
        return {};
    }
    if (syntax.IsEncapsulated()) {
        return faultOfItems(file, static_cast<std::int64_t>(reader.GetStreamCurrentPosition()));
    }
    const std::int64_t promised =
        file.bits     ? (base::byteCount(file.extents, 1) + 7) / 8
        : file.halves ? base::byteCount(file.extents, 2)
                      : base::byteCount(file.extents, file.components * ((bitsPerValue + 7) / 8));
    // Reading stopped at the first byte of the pixels.
    const std::int64_t present = static_cast<std::int64_t>(std::filesystem::file_size(file.path)) -
                                 static_cast<std::int64_t>(reader.GetStreamCurrentPosition());
    // The length of the pixels stands before them; some programs add less than a frame.
    std::array<unsigned char, 4> stated{};
    std::ifstream stream = base::openFile(file.path);
    stream.seekg(static_cast<std::streamoff>(reader.GetStreamCurrentPosition()) - 4);
    stream.read(reinterpret_cast<char*>(stated.data()), stated.size());
    std::int64_t length = 0;
    for (std::size_t i = 0; i < 4; ++i) {
        const std::size_t at =
            syntax.GetSwapCode() == gdcm::SwapCode::BigEndian ? i : std::size_t{3} - i;
        length = length * 256 + stated[at];
    }
    const std::int64_t frame = std::max<std::int64_t>(promised / file.extents.z, 2);
    if (stream && length <= present && length - promised >= frame) {
        return "the file " + file.path.filename().string() + " has " + std::to_string(length) +
               " bytes of pixels (PixelData), but Rows, Columns, SamplesPerPixel, BitsAllocated "
               "and NumberOfFrames make " +
               std::to_string(promised);
    }
    return present >= promised
               ? std::string()
               : "the file " + file.path.filename().string() +
                     " is truncated; its header promises " + std::to_string(promised) +
                     " bytes of pixels and " + std::to_string(std::max<std::int64_t>(0, present)) +
                     " are there";
}

} // namespace

MemoryLimit::MemoryLimit(std::int64_t bytes) {
    std::int64_t pages = 0;
    if (kLimitsMemory && std::ifstream("/proc/self/statm") >> pages &&
        ::getrlimit(RLIMIT_AS, &m_before) == 0) {
        const auto most =
            static_cast<rlim_t>(pages * ::sysconf(_SC_PAGESIZE) + (std::int64_t{64} << 20) + bytes);
        const rlimit lower{std::min(most, m_before.rlim_cur), m_before.rlim_max};
        m_lowered = ::setrlimit(RLIMIT_AS, &lower) == 0;
    }
}

MemoryLimit::~MemoryLimit() {
    if (m_lowered) {
        ::setrlimit(RLIMIT_AS, &m_before);
    }
}

std::int64_t headerBytes(const std::filesystem::path& path) {
    return 32 * static_cast<std::int64_t>(std::filesystem::file_size(path));
}

bool isDicom(const std::filesystem::path& path) {
    std::error_code error;
    if (!std::filesystem::is_regular_file(path, error)) {
        return false; // a pipe would block
    }
    std::ifstream stream = base::openFile(path);
    std::array<char, 132> head{};
    stream.read(head.data(), head.size());
    return stream && std::string_view(head.data() + 128, 4) == "DICM";
}

namespace {

/// The first part of a file whose transfer syntax GDCM does not know, with one that it knows in its
/// place: what stands before the pixels is stored in the same way.
std::string withKnownSyntax(const std::filesystem::path& path, const DicomPacking& packing) {
    constexpr std::string_view kEncapsulated = "1.2.840.10008.1.2.4.70";
    constexpr std::string_view kExplicit = "1.2.840.10008.1.2.1";
    constexpr std::size_t kMost = std::size_t{1} << 22;
    std::string bytes(kMost, '\0');
    std::ifstream stream = base::openFile(path);
    stream.read(bytes.data(), static_cast<std::streamsize>(bytes.size()));
    bytes.resize(static_cast<std::size_t>(stream.gcount()));
    const auto position = static_cast<std::size_t>(packing.position);
    const auto length = static_cast<std::size_t>(packing.length);
    const std::string_view known = length >= kEncapsulated.size() ? kEncapsulated : kExplicit;
    if (known.size() <= length && position + length <= bytes.size()) {
        bytes.replace(position, length, std::string(known).append(length - known.size(), '\0'));
    }
    return bytes;
}

/// A file whose pixels nobody here can unpack: what it is, as far as it says so, and the reason.
DicomFile unreadable(const std::filesystem::path& path, const DicomPacking& packing) {
    DicomFile file;
    file.path = path;
    file.extents = {1, 1, 1};
    file.frames.resize(1);
    file.fault =
        "the pixels of " + path.filename().string() + " are packed as " + textOf(packing) +
        ", which cannot be read here; store it unpacked (Explicit VR Little Endian) with a "
        "program that knows this packing";
    gdcm::Reader reader;
    std::istringstream stream(withKnownSyntax(path, packing));
    reader.SetStream(stream);
    const gdcm::Tag pixels(0x7fe0, 0x0010);
    const MemoryLimit limit(headerBytes(path));
    try {
        if (reader.ReadUpToTag(pixels, {pixels})) {
            const gdcm::DataSet& data = reader.GetFile().GetDataSet();
            file.series = textOf(data, gdcm::Tag(0x0020, 0x000e));
            file.description = textOf(data, gdcm::Tag(0x0008, 0x103e));
            file.modality = textOf(data, gdcm::Tag(0x0008, 0x0060));
        }
    } catch (const std::exception&) { // the reason stands
    }
    return file;
}

/// Where the bits of a number lie if not at the low end of its bytes: HighBit says it.
void setShift(DicomFile& file, const gdcm::Reader& reader) {
    const gdcm::DataSet& data = reader.GetFile().GetDataSet();
    const auto number = [&](std::uint16_t element) {
        const std::vector<double> numbers = numbersOf(data, gdcm::Tag(0x0028, element));
        constexpr double kMost = 64;
        const bool fits = numbers.size() == 1 && numbers[0] >= 0 && numbers[0] <= kMost;
        return fits ? static_cast<int>(numbers[0]) : 0;
    };
    const int allocated = number(0x0100);
    const int bits = number(0x0101);
    const int high = number(0x0102);
    if (file.bits || bits < 1 || high < bits || high >= allocated) {
        return; // a high bit below those of the number contradicts them; they start at bit 0
    }
    file.shift = high - bits + 1;
    file.storedBits = bits;
    const bool packed = reader.GetFile().GetHeader().GetDataSetTransferSyntax().IsEncapsulated();
    const std::string colours = textOf(data, gdcm::Tag(0x0028, 0x0004));
    if (file.fault.empty() && (packed || file.components > 1 || !colours.starts_with("MONO") ||
                               (allocated != 8 && allocated != 16 && allocated != 32))) {
        file.fault = "the numbers of " + file.path.filename().string() + " lie in the bits " +
                     std::to_string(file.shift) + " to " + std::to_string(high) + " of " +
                     std::to_string(allocated) +
                     ", which can be read only of grey pixels that are not packed; store it with "
                     "the bits 0 to " +
                     std::to_string(bits - 1);
    }
}

/// Sizes and type of the picture.
void setPicture(DicomFile& file, const gdcm::Reader& reader) {
    const gdcm::File& content = reader.GetFile();
    const gdcm::DataSet& data = content.GetDataSet();
    const std::vector<unsigned> sizes = gdcm::ImageHelper::GetDimensionsValue(content);
    file.extents = {sizes.at(0), sizes.at(1), sizes.size() > 2 ? sizes[2] : 1};
    if (file.extents.x < 1 || file.extents.y < 1 || file.extents.z < 1) {
        throw Error(ErrorCode::Input, "the header of " + file.path.filename().string() +
                                          " gives the extents " + base::toString(file.extents));
    }
    const gdcm::PixelFormat format = gdcm::ImageHelper::GetPixelFormatValue(content);
    file.components = format.GetSamplesPerPixel();
    const gdcm::PhotometricInterpretation colours =
        gdcm::ImageHelper::GetPhotometricInterpretationValue(content);
    file.halves =
        file.components == 3 && format.GetBitsAllocated() == 8 &&
        colours == gdcm::PhotometricInterpretation(gdcm::PhotometricInterpretation::YBR_FULL_422) &&
        !reader.GetFile().GetHeader().GetDataSetTransferSyntax().IsEncapsulated();
    file.bits = format.GetBitsAllocated() == 1 && file.components == 1;
    file.fault = faultOf(file, reader, format.GetBitsAllocated());
    if (file.bits) {
        file.stored = PixelType::UInt8;
        file.highest = 1;
    } else {
        setRange(file, format);
    }
    setShift(file, reader);
    file.lightIsLow =
        colours == gdcm::PhotometricInterpretation(gdcm::PhotometricInterpretation::MONOCHROME1);
    file.hasTable = data.FindDataElement(gdcm::Tag(0x0028, 0x3000));
    if (colours ==
        gdcm::PhotometricInterpretation(gdcm::PhotometricInterpretation::PALETTE_COLOR)) {
        file.components = 3;
        const std::vector<double> table = numbersOf(data, gdcm::Tag(0x0028, 0x1101));
        file.stored = table.size() == 3 && table[2] > 8 ? PixelType::UInt16 : PixelType::UInt8;
        file.lightIsLow = false;
    }
}

/// ImageType holds the value MOSAIC.
bool isMosaic(const gdcm::DataSet& data) {
    return ("\\" + textOf(data, gdcm::Tag(0x0008, 0x0008)) + "\\").find("\\MOSAIC\\") !=
           std::string::npos;
}

} // namespace

std::optional<DicomFile> readDicomHeader(const std::filesystem::path& path) {
    constexpr std::int64_t kMostFrames = 1'000'000;
    const DicomPacking packing = packingOf(path);
    if (!packing.readable) {
        return unreadable(path, packing);
    }
    gdcm::ImageHelper::SetForceRescaleInterceptSlope(true);
    gdcm::Reader reader;
    reader.SetFileName(path.c_str());
    const gdcm::Tag pixels(0x7fe0, 0x0010);
    const MemoryLimit limit(headerBytes(path));
    if (!reader.ReadUpToTag(pixels, {pixels})) {
        throw Error(ErrorCode::Input, "the file " + path.filename().string() + " is damaged");
    }
    const gdcm::File& content = reader.GetFile();
    const gdcm::DataSet& data = content.GetDataSet();
    if (!data.FindDataElement(gdcm::Tag(0x0028, 0x0010)) ||
        !data.FindDataElement(gdcm::Tag(0x0028, 0x0011)) ||
        !data.FindDataElement(gdcm::Tag(0x0028, 0x0100))) {
        return std::nullopt; // a report, a plan, an index
    }
    DicomFile file;
    file.path = path;
    file.series = textOf(data, gdcm::Tag(0x0020, 0x000e));
    file.description = textOf(data, gdcm::Tag(0x0008, 0x103e));
    file.modality = textOf(data, gdcm::Tag(0x0008, 0x0060));
    if (data.FindDataElement(gdcm::Tag(0x7fe0, 0x0008)) ||
        data.FindDataElement(gdcm::Tag(0x7fe0, 0x0009))) {
        file.extents = {1, 1, 1};
        file.fault = "the pixels of " + path.filename().string() +
                     " are floating-point numbers of DICOM, which cannot be read here; store them "
                     "as integers with a slope";
    } else {
        setPicture(file, reader);
        if (file.fault.empty() && isMosaic(data)) {
            file.fault = "the picture of " + path.filename().string() +
                         " is a mosaic of Siemens: the slices of a volume side by side, which are "
                         "not divided here; convert it to NIfTI with dcm2niix";
        }
    }
    if (!file.fault.empty() || file.extents.z > kMostFrames) {
        file.frames.resize(1);
        file.fault = file.fault.empty() ? "the file " + path.filename().string() +
                                              " has more than a million frames"
                                        : file.fault;
        return file;
    }
    const std::vector<double> rescale = gdcm::ImageHelper::GetRescaleInterceptSlopeValue(content);
    setFilePlace(file, content);
    addFrames(file, content, rescale.at(0), rescale.at(1));
    return file;
}

} // namespace flcc::io::detail
