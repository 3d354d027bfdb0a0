// Pixels of DICOM files from their bytes, where GDCM does not read them right.

#include "engine/io/reader/dicom_stored.h"

#include <cstring>
#include <limits>
#include <type_traits>

#include <gdcmReader.h>

namespace flcc::io::detail {

namespace {

/// The bytes of pixels that are not packed, at least `least` of them.
std::vector<char> storedBytes(const DicomFile& file, std::int64_t least) {
    gdcm::Reader reader;
    reader.SetFileName(file.path.c_str());
    const gdcm::Tag pixels(0x7fe0, 0x0010);
    const gdcm::ByteValue* value = nullptr;
    if (reader.Read() && reader.GetFile().GetDataSet().FindDataElement(pixels)) {
        value = reader.GetFile().GetDataSet().GetDataElement(pixels).GetByteValue();
    }
    if (value == nullptr || std::int64_t{value->GetLength()} < least) {
        throw base::Error(base::ErrorCode::Input, "the pixels of " + file.path.filename().string() +
                                                      " are truncated, or packed in a way "
                                                      "that cannot be read");
    }
    return {value->GetPointer(), value->GetPointer() + value->GetLength()};
}

/// Masks of one bit a pixel; a frame need not begin with a byte of its own.
Unpacked unpackBits(const DicomFile& file) {
    const std::int64_t count = base::byteCount(file.extents, 1);
    const std::vector<char> bytes = storedBytes(file, (count + 7) / 8);
    Unpacked unpacked;
    unpacked.format = gdcm::PixelFormat(gdcm::PixelFormat::UINT8);
    unpacked.values.resize(static_cast<std::size_t>(count));
    for (std::size_t i = 0; i < unpacked.values.size(); ++i) {
        unpacked.values[i] = static_cast<char>(bytes[i / 8] >> (i % 8) & 1);
    }
    return unpacked;
}

/// Two pixels in four bytes: two luminances, and the two differences of colour that both have.
Unpacked unpackHalves(const DicomFile& file) {
    const std::int64_t pixels = base::voxelCount(file.extents);
    const std::vector<char> bytes = storedBytes(file, 2 * pixels);
    Unpacked unpacked;
    unpacked.format = gdcm::PixelFormat(gdcm::PixelFormat::UINT8);
    unpacked.luma = true;
    for (std::size_t i = 0; i < static_cast<std::size_t>(pixels); ++i) {
        const char* const pair = bytes.data() + i / 2 * 4;
        unpacked.values.insert(unpacked.values.end(), {pair[i % 2], pair[2], pair[3]});
    }
    return unpacked;
}

/// Numbers in the bits from `file.shift` on. `Number` has the sign and the size of the stored ones.
template <class Number>
Unpacked unpackShifted(const DicomFile& file, gdcm::PixelFormat::ScalarType type) {
    using Bits = std::make_unsigned_t<Number>;
    constexpr int kBits = std::numeric_limits<Bits>::digits;
    const auto bytes = static_cast<std::int64_t>(sizeof(Number));
    Unpacked unpacked;
    unpacked.format = gdcm::PixelFormat(type);
    unpacked.values = storedBytes(file, base::byteCount(file.extents, bytes));
    // The highest bit of the number to the highest bit, then back with its sign.
    const int left = kBits - file.shift - file.storedBits;
    const int right = kBits - file.storedBits;
    for (std::size_t at = 0; at + sizeof(Number) <= unpacked.values.size(); at += sizeof(Number)) {
        Bits bits{};
        std::memcpy(&bits, unpacked.values.data() + at, sizeof(bits));
        const auto high = static_cast<Number>(static_cast<Bits>(bits << left));
        const auto number = static_cast<Number>(high >> right);
        std::memcpy(unpacked.values.data() + at, &number, sizeof(number));
    }
    return unpacked;
}

} // namespace

Unpacked unpackStored(const DicomFile& file) {
    if (file.bits || file.halves) {
        return file.bits ? unpackBits(file) : unpackHalves(file);
    }
    using Format = gdcm::PixelFormat;
    switch (file.stored) {
    case base::PixelType::UInt8:
        return unpackShifted<std::uint8_t>(file, Format::UINT8);
    case base::PixelType::Int8:
        return unpackShifted<std::int8_t>(file, Format::INT8);
    case base::PixelType::UInt16:
        return unpackShifted<std::uint16_t>(file, Format::UINT16);
    case base::PixelType::Int16:
        return unpackShifted<std::int16_t>(file, Format::INT16);
    case base::PixelType::UInt32:
        return unpackShifted<std::uint32_t>(file, Format::UINT32);
    default:
        return unpackShifted<std::int32_t>(file, Format::INT32);
    }
}

} // namespace flcc::io::detail
