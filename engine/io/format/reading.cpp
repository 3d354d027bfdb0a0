#include "engine/io/format/reading.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <cerrno>
#include <cmath>
#include <cstring>
#include <fstream>
#include <optional>
#include <utility>

#include <unistd.h>

#include "engine/base/error.h"
#include "engine/io/format/backends.h"
#include "engine/io/format/byte_source.h"
#include "engine/io/raw_volume.h"

namespace flcc::io::detail {

namespace {

bool startsWith(const std::vector<unsigned char>& bytes, std::size_t offset,
                std::string_view expected) {
    return bytes.size() >= offset + expected.size() &&
           std::memcmp(bytes.data() + offset, expected.data(), expected.size()) == 0;
}

/// MetaImage has no magic bytes: a text of "Key = value" lines that names its dimensions early.
bool looksLikeMetaImage(const std::vector<unsigned char>& bytes) {
    const std::string text(bytes.begin(), bytes.end());
    return text.rfind("ObjectType", 0) == 0 || text.rfind("NDims", 0) == 0 ||
           (text.rfind("Comment", 0) == 0 && text.find("NDims") != std::string::npos);
}

/// Formats of pictures that flcc-reader reads.
std::optional<Format> pictureFormat(const std::vector<unsigned char>& bytes) {
    using namespace std::string_view_literals;
    const auto at = [&](std::size_t i) { return i < bytes.size() ? bytes[i] : '\0'; };
    const bool spaced = std::isspace(at(2)) != 0 || at(2) == '#';
    if (at(0) == 'P' && spaced &&
        ((at(1) >= '1' && at(1) <= '7') || at(1) == 'F' || at(1) == 'f')) {
        return Format::Pnm;
    }
    // The size of the second header of a BMP file: "BM" alone is two common letters.
    if (startsWith(bytes, 0, "BM"sv) && at(14) >= 12 && at(14) <= 124 && at(15) == 0 &&
        at(16) == 0 && at(17) == 0) {
        return Format::Bmp;
    }
    if (startsWith(bytes, 0, "GIF87a"sv) || startsWith(bytes, 0, "GIF89a"sv)) {
        return Format::Gif;
    }
    if (startsWith(bytes, 0, "RIFF"sv) && startsWith(bytes, 8, "WEBP"sv)) {
        return Format::WebP;
    }
    if (startsWith(bytes, 0, "\0\0\0\x0cjP  \r\n\x87\n"sv) ||
        startsWith(bytes, 0, "\xff\x4f\xff\x51"sv)) {
        return Format::Jpeg2000;
    }
    return std::nullopt;
}

bool isMrcExtension(std::string_view extension) {
    constexpr std::array<std::string_view, 6> kExtensions{".mrc", ".mrcs", ".map",
                                                          ".rec", ".st",   ".ali"};
    return std::find(kExtensions.begin(), kExtensions.end(), extension) != kExtensions.end();
}

/// The format of a file that begins as gzip does, by what is packed in it.
Format packedFormat(const std::filesystem::path& path, const std::string& extension) {
    using namespace std::string_view_literals;
    if (extension == ".nii.gz") {
        return Format::Nifti;
    }
    const std::vector<unsigned char> bytes = unpackedStart(path, 1024);
    if (startsWith(bytes, 344, "n+1\0"sv) || startsWith(bytes, 4, "n+2\0"sv)) {
        return Format::Nifti;
    }
    const std::string inner = extension.substr(0, extension.rfind('.'));
    if (startsWith(bytes, 208, "MAP"sv) || inner == ".mrc" ||
        (isMrcExtension(inner) && looksLikeMrc(bytes, INT64_MAX))) {
        return Format::Mrc;
    }
    failInput(path, "it is packed by gzip; NIfTI and MRC files can be read so, unpack it first");
}

/// Throws Memory when `bytes` of pixels and `buffers` need more than the options allow.
void requireMemory(const std::filesystem::path& path, std::int64_t bytes, std::int64_t buffers,
                   const ReadOptions& options) {
    constexpr std::int64_t kSmall = std::int64_t{4} << 20;
    const std::int64_t counted = buffers < kSmall ? 0 : buffers;
    const auto refuse = [&](const std::string& needs, std::int64_t limit,
                            const std::string& try_ = std::string()) {
        throw base::Error(base::ErrorCode::Memory, shown(path) + " needs " + needs +
                                                       ", the limit is " + std::to_string(limit) +
                                                       try_);
    };
    const std::string toDecode = std::to_string(buffers) + " bytes in memory to decode it";
    if (counted > options.maxBufferBytes) {
        refuse(toDecode + " beside its pixels", options.maxBufferBytes, "; give a larger --memory");
    }
    if (cappedSum(bytes, counted) > options.maxBytes) {
        refuse(std::to_string(bytes) + " bytes in memory" +
                   (counted > 0 ? " and " + toDecode : std::string()),
               options.maxBytes);
    }
}

std::string rangeText(int count) { return "0 to " + std::to_string(count - 1); }

} // namespace

std::string_view name(Format format) {
    constexpr std::array<std::string_view, 15> kNames{"PNG", "TIFF", "NRRD",  "MetaImage", "NIfTI",
                                                      "MRC", "JPEG", "DICOM", "HDF5",      "BMP",
                                                      "PNM", "GIF",  "WebP",  "JPEG 2000", "raw"};
    return kNames[static_cast<std::size_t>(format)];
}

std::string_view readerWord(Format format) {
    switch (format) {
    case Format::Dicom:
        return "dicom";
    case Format::Hdf5:
        return "hdf5";
    case Format::Bmp:
        return "bmp";
    case Format::Pnm:
        return "pnm";
    case Format::Gif:
        return "gif";
    case Format::WebP:
        return "webp";
    case Format::Jpeg2000:
        return "jpeg2000";
    case Format::Png:
    case Format::Tiff:
    case Format::Nrrd:
    case Format::MetaImage:
    case Format::Nifti:
    case Format::Mrc:
    case Format::Jpeg:
    case Format::Raw:
        break;
    }
    return {};
}

void requireBytes(const std::filesystem::path& path, std::int64_t promised, std::int64_t present) {
    if (promised > present) {
        failInput(path, "the file is truncated; its header promises " + std::to_string(promised) +
                            " bytes of pixels and " +
                            std::to_string(std::max<std::int64_t>(0, present)) + " are there");
    }
}

bool isGzip(const std::filesystem::path& path) {
    const std::vector<unsigned char> start = readBytes(path, 0, 2);
    return start.size() == 2 && start[0] == 0x1f && start[1] == 0x8b;
}

std::string extensionOf(const std::filesystem::path& path) {
    const auto lower = [](std::string text) {
        std::transform(text.begin(), text.end(), text.begin(),
                       [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
        return text;
    };
    const std::string last = lower(path.extension().string());
    return last == ".gz" ? lower(path.stem().extension().string()) + last : last;
}

DatasetPath splitDataset(const std::filesystem::path& path) {
    std::error_code ignored;
    const std::string& text = path.native();
    for (std::size_t colon = text.find(":/"); colon != std::string::npos;
         colon = text.find(":/", colon + 1)) {
        const std::filesystem::path file = text.substr(0, colon);
        if (std::filesystem::is_regular_file(file, ignored)) {
            return {file, text.substr(colon + 1)};
        }
    }
    return {path, {}};
}

Format detectFormat(const std::filesystem::path& path) {
    using namespace std::string_view_literals;
    std::error_code ignored;
    if (std::filesystem::is_directory(path, ignored)) {
        return Format::Dicom;
    }
    if (rawVolumeOf(path)) {
        return Format::Raw;
    }
    const DatasetPath named = splitDataset(path);
    (void)requireRegularFile(named.file);
    const std::string extension = extensionOf(path);
    if (niftiPairOf(path)) { // before the first bytes, which are voxels in an .img file
        return Format::Nifti;
    }
    const auto bytes = readBytes(named.file, 0, 1024);
    constexpr auto kHdf5 = "\x89HDF\r\n\x1a\n"sv;
    if (startsWith(bytes, 0, kHdf5) || startsWith(bytes, 512, kHdf5)) {
        return Format::Hdf5;
    }
    if (!named.dataset.empty()) {
        failInput(path, shown(named.file) + " is not an HDF5 file, so it has no dataset");
    }
    if (startsWith(bytes, 0, "\x89PNG\r\n\x1a\n"sv)) {
        return Format::Png;
    }
    if (startsWith(bytes, 0, "II*\0"sv) || startsWith(bytes, 0, "MM\0*"sv) ||
        startsWith(bytes, 0, "II+\0"sv) || startsWith(bytes, 0, "MM\0+"sv)) {
        return Format::Tiff;
    }
    if (startsWith(bytes, 0, "\xff\xd8\xff"sv)) {
        return Format::Jpeg;
    }
    if (startsWith(bytes, 0, "NRRD000"sv)) {
        return Format::Nrrd;
    }
    if (const auto picture = pictureFormat(bytes)) {
        return *picture;
    }
    if (startsWith(bytes, 344, "n+1\0"sv) || startsWith(bytes, 4, "n+2\0"sv)) {
        return Format::Nifti;
    }
    if (startsWith(bytes, 0, "\x1f\x8b"sv)) {
        return packedFormat(path, extension);
    }
    if (startsWith(bytes, 128, "DICM"sv)) {
        return Format::Dicom;
    }
    if (startsWith(bytes, 0, "MATLAB 5.0 MAT-file"sv)) {
        failInput(path, "it is a MATLAB file of version 7 or older; save it with the option -v7.3, "
                        "whose files can be read");
    }
    if (looksLikeMetaImage(bytes)) {
        return Format::MetaImage;
    }
    if (startsWith(bytes, 208, "MAP"sv) || extension == ".mrc" ||
        (isMrcExtension(extension) && looksLikeMrc(bytes, requireRegularFile(named.file)))) {
        return Format::Mrc;
    }
    if (extension.starts_with(".img")) {
        failInput(path,
                  "the header of NIfTI or Analyze that belongs to it (.hdr) is missing beside "
                  "it; name voxels without a header as FILE:WxHxD:uint16:le:0");
    }
    const auto& known = readableExtensions();
    if (!extension.empty() &&
        std::find(known.begin(), known.end(), extension.substr(1)) != known.end()) {
        failInput(path, "its content is not that of a " + extension + " file");
    }
    failInput(path,
              "its format is unknown; PNG, TIFF, NRRD, MetaImage, NIfTI, MRC, JPEG, DICOM, HDF5, "
              "BMP, PNM, GIF, WebP and JPEG 2000 can be read; name voxels without a header as "
              "FILE:WxHxD:uint16:le:0");
}

std::int64_t cappedProduct(std::int64_t a, std::int64_t b) {
    std::int64_t product = 0;
    return __builtin_mul_overflow(a, b, &product) ? INT64_MAX : product;
}

std::int64_t cappedSum(std::int64_t a, std::int64_t b) {
    std::int64_t sum = 0;
    return __builtin_add_overflow(a, b, &sum) ? INT64_MAX : sum;
}

void requireReading(const std::filesystem::path& path, const ImageInfo& info,
                    const Reading& reading) {
    if (reading.image && (*reading.image < 0 || *reading.image >= info.images)) {
        throw base::Error(base::ErrorCode::Problem,
                          shown(path) + " holds " + std::to_string(info.images) +
                              (info.images == 1 ? " image" : " images") + "; there is no image " +
                              std::to_string(*reading.image));
    }
    if (reading.resolution && !info.resolution) {
        failInput(path, "it states no pixels per inch or centimetre; leave out --spacing "
                        "resolution, or give the spacing as numbers");
    }
    if (reading.resolution && info.extents.z > 1) {
        throw base::Error(base::ErrorCode::Problem,
                          shown(path) + " is a volume, and its pixels per inch or centimetre do "
                                        "not say how far apart slices are; give --spacing X,Y,Z");
    }
}

Choice choose(const std::filesystem::path& path, const ImageInfo& info, const ReadOptions& options,
              std::int64_t buffers) {
    requireReading(path, info, options.reading);
    const auto pick = [&](const std::optional<int>& chosen, int count, const std::string& word) {
        const std::string holds =
            shown(path) + " holds " + std::to_string(count) + " " + word + (count == 1 ? "" : "s");
        if (!chosen && count > 1) {
            throw base::Error(base::ErrorCode::Problem,
                              holds + "; choose one, " + rangeText(count) + " (--" + word + ")");
        }
        if (chosen && (*chosen < 0 || *chosen >= count)) {
            throw base::Error(base::ErrorCode::Problem,
                              holds + "; there is no " + word + " " + std::to_string(*chosen));
        }
        return chosen.value_or(0);
    };
    Choice choice;
    choice.channel = pick(options.channel, info.channels, "channel");
    choice.frame = pick(options.frame, info.frames, "frame");
    const std::int64_t bytes =
        base::byteCount(info.extents, info.components * base::bytesPerVoxel(info.pixel));
    requireMemory(path, bytes, buffers, options);
    return choice;
}

void requireSaneHeader(const std::filesystem::path& path, const ImageInfo& info) {
    constexpr std::int64_t kLongest = std::int64_t{1} << 40;
    const base::Extents& n = info.extents;
    const bool sane = n.x > 0 && n.y > 0 && n.z > 0 && n.x < kLongest && n.y < kLongest &&
                      n.z < kLongest && info.components > 0 && info.channels > 0 && info.frames > 0;
    if (!sane) {
        failInput(path, "its header gives the extents " + base::toString(n));
    }
    try {
        (void)base::byteCount(n, std::int64_t{8} * info.components);
    } catch (const base::Error&) {
        failInput(path, "its header gives the extents " + base::toString(n));
    }
    for (const double spacing : info.geometry.spacing) {
        if (!(std::isfinite(spacing) && spacing > 0)) {
            failInput(path, "its header gives a voxel spacing of " + std::to_string(spacing));
        }
    }
    const auto finite = [](double value) { return std::isfinite(value); };
    if (!std::all_of(info.geometry.origin.begin(), info.geometry.origin.end(), finite) ||
        !std::all_of(info.geometry.direction.begin(), info.geometry.direction.end(), finite)) {
        failInput(path, "its header gives an origin or a direction that is not a number");
    }
}

void swapBytes(void* data, std::int64_t count, std::int64_t bytesPerVoxel) {
    auto* bytes = static_cast<unsigned char*>(data);
    for (std::int64_t i = 0; bytesPerVoxel > 1 && i < count; ++i) {
        std::reverse(bytes + i * bytesPerVoxel, bytes + (i + 1) * bytesPerVoxel);
    }
}

void* bytesOf(base::AnyImage& image) {
    return std::visit([](auto& typed) { return static_cast<void*>(typed.data()); }, image);
}

Unit parseUnit(std::string_view text) {
    struct Entry {
        std::string_view word;
        std::string_view unit;
        double factor;
    };
    constexpr std::array<Entry, 30> kUnits{
        {{"mm", "mm", 1},          {"millimeter", "mm", 1},  {"millimetre", "mm", 1},
         {"millimeters", "mm", 1}, {"cm", "mm", 10},         {"centimeter", "mm", 10},
         {"centimetre", "mm", 10}, {"m", "mm", 1000},        {"meter", "mm", 1000},
         {"metre", "mm", 1000},    {"um", "um", 1},          {"\xc2\xb5m", "um", 1},
         {"\xce\xbcm", "um", 1},   {"\xb5m", "um", 1},       {"\\u00B5m", "um", 1},
         {"micron", "um", 1},      {"microns", "um", 1},     {"micrometer", "um", 1},
         {"micrometre", "um", 1},  {"nm", "nm", 1},          {"nanometer", "nm", 1},
         {"nanometre", "nm", 1},   {"pm", "A", 0.01},        {"A", "A", 1},
         {"\xc3\x85", "A", 1},     {"\xe2\x84\xab", "A", 1}, {"\xc5", "A", 1},
         {"\\u00C5", "A", 1},      {"angstrom", "A", 1},     {"Angstrom", "A", 1}}};
    const auto* found = std::find_if(kUnits.begin(), kUnits.end(),
                                     [&](const Entry& entry) { return entry.word == text; });
    return found == kUnits.end() ? Unit{} : Unit{std::string(found->unit), found->factor};
}

double unitLength(std::string_view unit) {
    return unit == "mm" ? 1e-3 : unit == "um" ? 1e-6 : unit == "nm" ? 1e-9 : 1e-10;
}

} // namespace flcc::io::detail
