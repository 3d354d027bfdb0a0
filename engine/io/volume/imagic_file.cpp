// IMAGIC in two files: NAME.hed with 256 numbers for each image, NAME.img with the values.

#include <algorithm>
#include <array>
#include <string>

#include "engine/io/format/headers.h"
#include "engine/io/volume/instruments.h"

namespace flcc::io::detail {

namespace {

constexpr std::int64_t kImagicRecord = 1024;

/// Places of numbers, which count from 1.
enum ImagicPlace : std::size_t {
    Following = 2,
    Lines = 13,
    Columns = 14,
    Kind = 15,
    Slices = 61,
    Reals = 69
};

struct ImagicType {
    std::string_view word;
    base::PixelType type;
};
constexpr std::array<ImagicType, 3> kImagicTypes{{{"REAL", base::PixelType::Float32},
                                                  {"INTG", base::PixelType::Int16},
                                                  {"PACK", base::PixelType::UInt8}}};

std::int32_t imagicNumber(const Bytes& bytes, ImagicPlace place, bool swapped) {
    return field<std::int32_t>(bytes, 4 * (place - 1), swapped);
}

std::string imagicKind(const Bytes& bytes) {
    const auto first = bytes.begin() + 4 * (Kind - 1);
    return {first, first + 4};
}

/// True if lines, columns and images are counts in this order of bytes.
bool imagicSensible(const Bytes& bytes, bool swapped) {
    constexpr std::int32_t kMost = 1 << 24;
    const auto fits = [&](ImagicPlace place, std::int32_t least) {
        const std::int32_t number = imagicNumber(bytes, place, swapped);
        return number >= least && number < kMost;
    };
    return fits(Lines, 1) && fits(Columns, 1) && fits(Following, 0);
}

std::filesystem::path withExtension(std::filesystem::path path, const char* small,
                                    const char* large) {
    std::error_code ignored;
    path.replace_extension(small);
    if (!std::filesystem::is_regular_file(path, ignored)) {
        path.replace_extension(large);
    }
    return std::filesystem::is_regular_file(path, ignored) ? path : std::filesystem::path();
}

} // namespace

std::optional<HeaderAndVoxels> imagicPairOf(const std::filesystem::path& path) {
    const std::string extension = extensionOf(path);
    if (extension != ".hed" && extension != ".img") {
        return std::nullopt;
    }
    HeaderAndVoxels pair;
    pair.header = extension == ".hed" ? path : withExtension(path, ".hed", ".HED");
    pair.voxels = extension == ".img" ? path : withExtension(path, ".img", ".IMG");
    if (pair.header.empty()) {
        return std::nullopt;
    }
    const Bytes bytes = readBytes(pair.header, 0, kImagicRecord);
    if (bytes.size() < static_cast<std::size_t>(kImagicRecord)) {
        return std::nullopt;
    }
    const std::string kind = imagicKind(bytes);
    const bool known =
        std::ranges::find(kImagicTypes, kind, &ImagicType::word) != kImagicTypes.end() ||
        kind == "COMP" || kind == "RECO";
    return known ? std::optional(pair) : std::nullopt;
}

Described describeImagic(const std::filesystem::path& path) {
    constexpr std::int32_t kVax = 0x01000000;
    const HeaderAndVoxels pair = imagicPairOf(path).value();
    if (pair.voxels.empty()) {
        failInput(path, "the file of its voxels (.img) is missing beside it");
    }
    const Bytes bytes = readBytes(pair.header, 0, kImagicRecord);
    const std::string kind = imagicKind(bytes);
    const auto* type = std::ranges::find(kImagicTypes, kind, &ImagicType::word);
    if (type == kImagicTypes.end()) {
        failInput(path, "its voxels are complex numbers (" + kind + "): save the image itself");
    }
    Described described;
    ImageInfo& info = described.info;
    RawLayout& layout = described.place.layout;
    layout.swapped = !imagicSensible(bytes, false);
    const auto number = [&](ImagicPlace place) {
        return std::int64_t{imagicNumber(bytes, place, layout.swapped)};
    };
    if (layout.swapped && !imagicSensible(bytes, true)) {
        failInput(path, "its header gives images that no file can hold");
    }
    if (type->type == base::PixelType::Float32 &&
        (number(Reals) == kVax || imagicNumber(bytes, Reals, !layout.swapped) == kVax)) {
        failInput(path, "its numbers are those of a VAX, which cannot be read");
    }
    info.format = name(Format::Imagic);
    info.pixel = type->type;
    const std::int64_t images = number(Following) + 1;
    const std::int64_t slices = std::max<std::int64_t>(1, number(Slices));
    if (images % slices != 0) {
        failInput(path, "its header gives " + std::to_string(images) + " images, but volumes of " +
                            std::to_string(slices) + " slices");
    }
    info.extents = {number(Columns), number(Lines), slices};
    info.frames = static_cast<int>(images / slices);
    (void)requireProduct(path, {info.extents.x, info.extents.y, images},
                         base::bytesPerVoxel(info.pixel));
    described.headerFile = pair.header;
    layout.file = pair.voxels;
    return requireRoom(path, std::move(described));
}

} // namespace flcc::io::detail
