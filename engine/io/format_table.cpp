#include <algorithm>
#include <array>
#include <cctype>
#include <cstring>

#include "engine/io/format/backends.h"
#include "engine/io/format/byte_source.h"
#include "engine/io/format/foreign_formats.h"
#include "engine/io/format/formats.h"
#include "engine/io/rare/companions.h"
#include "engine/io/rare/marks.h"
#include "engine/io/raster/eer_file.h"
#include "engine/io/raster/slide_marks.h"
#include "engine/io/raw_volume.h"
#include "engine/io/volume/instruments.h"

namespace flcc::io::detail {

bool FileStart::has(std::size_t offset, std::string_view text) const {
    return bytes.size() >= offset + text.size() &&
           std::memcmp(bytes.data() + offset, text.data(), text.size()) == 0;
}

namespace {

using std::filesystem::path;
using namespace std::string_view_literals;

constexpr std::string_view kMrcExtensions = "mrc mrcs map rec st ali ";

/// Whether a list with a blank after each word has this word; a dot before it does not count.
bool hasWord(std::string_view words, std::string_view word) {
    word.remove_prefix(word.starts_with('.') ? 1 : 0);
    return (" " + std::string(words)).find(" " + std::string(word) + " ") != std::string::npos;
}

bool isHdf5(const FileStart& start) {
    constexpr auto kMagic = "\x89HDF\r\n\x1a\n"sv;
    return start.has(0, kMagic) || start.has(512, kMagic);
}

/// Imaris 3 wrote TIFF files with an order of pages of its own (foreign_formats.cpp).
bool isTiff(const FileStart& start) {
    if (start.extension == ".ims") {
        return false;
    }
    return start.has(0, "II*\0"sv) || start.has(0, "MM\0*"sv) || start.has(0, "II+\0"sv) ||
           start.has(0, "MM\0+"sv);
}

bool isPnm(const FileStart& start) {
    const auto at = [&](std::size_t i) {
        return i < start.bytes.size() ? start.bytes[i] : static_cast<unsigned char>(0);
    };
    const bool spaced = std::isspace(at(2)) != 0 || at(2) == '#';
    return at(0) == 'P' && spaced &&
           ((at(1) >= '1' && at(1) <= '7') || at(1) == 'F' || at(1) == 'f');
}

/// The size of the second header of a BMP file: "BM" alone is two common letters.
bool isBmp(const FileStart& start) {
    return start.has(0, "BM"sv) && start.bytes.size() > 17 && start.bytes[14] >= 12 &&
           start.bytes[14] <= 124 && start.has(15, "\0\0\0"sv);
}

bool isNifti(const FileStart& start) {
    return start.has(344, "n+1\0"sv) || start.has(4, "n+2\0"sv);
}

/// MetaImage has no magic bytes: a text of "Key = value" lines that names its dimensions early.
bool isMetaImage(const FileStart& start) {
    const std::string text(start.bytes.begin(), start.bytes.end());
    return text.rfind("ObjectType", 0) == 0 || text.rfind("NDims", 0) == 0 ||
           (text.rfind("Comment", 0) == 0 && text.find("NDims") != std::string::npos);
}

/// `inner`: the extension, of a packed file that below ".gz".
bool isMrcBy(const FileStart& start, const std::string& inner, std::int64_t size) {
    return start.has(208, "MAP"sv) || inner == ".mrc" ||
           (hasWord(kMrcExtensions, inner) && looksLikeMrc(start.bytes, size));
}

bool isMrc(const FileStart& start) {
    return isMrcBy(start, start.extension, requireRegularFile(start.file));
}

#ifdef FLCC_IMAGE_IO
ImageInfo pngInfoOf(const path& file, const std::stop_token& /*stop*/, const Reading& reading) {
    return pngInfo(file, reading);
}
constexpr auto slideBegins = isSlide;
constexpr auto slideSet = slideFiles;
constexpr auto eerBegins = isEer;
#else
constexpr auto slideBegins = decltype(FormatRow::begins)();
constexpr auto slideSet = decltype(FormatRow::set)();
constexpr auto eerBegins = decltype(FormatRow::begins)();
constexpr auto eerInfo = decltype(FormatRow::info)();
constexpr auto readEer = decltype(FormatRow::read)();
constexpr auto pngInfoOf = decltype(FormatRow::info)();
constexpr auto tiffInfo = decltype(FormatRow::info)();
constexpr auto jpegInfo = decltype(FormatRow::info)();
constexpr auto readPng = decltype(FormatRow::read)();
constexpr auto readTiff = decltype(FormatRow::read)();
constexpr auto readJpeg = decltype(FormatRow::read)();
constexpr auto verifyTiff = decltype(FormatRow::verify)();
constexpr auto tiffSetFiles = decltype(FormatRow::set)();
#endif

/// In the order in which first bytes are compared: DICOM leaves its first 128 to other formats, and
/// writers make files that are TIFF too.
constexpr std::array kTable{
    FormatRow{.format = Format::Dicom,
              .name = "DICOM",
              .extensions = "dcm ",
              .begins = [](const FileStart& s) { return s.has(128, "DICM"sv); },
              .reader = "dicom",
              .inFolders = true,
              .series = true},
    FormatRow{.format = Format::Slide, // before TIFF, which most of them are
              .name = "slide",
              .extensions = "svs ndpi scn bif mrxs vms vmu ",
              .begins = slideBegins,
              .set = slideSet,
              .reader = "slide",
              .library = "OpenSlide"},
    FormatRow{.format = Format::Eer,
              .name = "EER",
              .extensions = "eer ",
              .begins = eerBegins,
              .info = eerInfo,
              .read = readEer},
    FormatRow{.format = Format::Hdf5,
              .name = "HDF5",
              .extensions = "h5 hdf5 nc ims mat ",
              .begins = isHdf5,
              .reader = "hdf5",
              .hasDatasets = true},
    FormatRow{.format = Format::Png,
              .name = "PNG",
              .extensions = "png ",
              .begins = [](const FileStart& s) { return s.has(0, "\x89PNG\r\n\x1a\n"sv); },
              .info = pngInfoOf,
              .read = readPng},
    FormatRow{.format = Format::Tiff,
              .name = "TIFF",
              .extensions = "tif tiff stk lsm ",
              .begins = isTiff,
              .info = tiffInfo,
              .read = readTiff,
              .verify = verifyTiff,
              .set = tiffSetFiles},
    FormatRow{.format = Format::Jpeg,
              .name = "JPEG",
              .extensions = "jpg jpeg ",
              .begins = [](const FileStart& s) { return s.has(0, "\xff\xd8\xff"sv); },
              .info = jpegInfo,
              .read = readJpeg},
    FormatRow{.format = Format::Nrrd,
              .name = "NRRD",
              .extensions = "nrrd nhdr ",
              .begins = [](const FileStart& s) { return s.has(0, "NRRD000"sv); },
              .describe = [](const path& file,
                             const std::stop_token& stop) { return describeNrrd(file, stop); }},
    FormatRow{.format = Format::Fits,
              .name = "FITS",
              .extensions = "fits fit fts ",
              .begins = [](const FileStart& s) { return s.has(0, "SIMPLE  ="sv); },
              .reader = "fits",
              .library = "CFITSIO"},
    FormatRow{.format = Format::Pnm,
              .name = "PNM",
              .extensions = "pbm pgm ppm pnm pam pfm ",
              .begins = isPnm,
              .reader = "pnm"},
    FormatRow{.format = Format::Bmp,
              .name = "BMP",
              .extensions = "bmp dib ",
              .begins = isBmp,
              .reader = "bmp"},
    FormatRow{
        .format = Format::Gif,
        .name = "GIF",
        .extensions = "gif ",
        .begins = [](const FileStart& s) { return s.has(0, "GIF87a"sv) || s.has(0, "GIF89a"sv); },
        .reader = "gif"},
    FormatRow{.format = Format::WebP,
              .name = "WebP",
              .extensions = "webp ",
              .begins = [](const FileStart& s) { return s.has(0, "RIFF"sv) && s.has(8, "WEBP"sv); },
              .reader = "webp"},
    FormatRow{.format = Format::Jpeg2000,
              .name = "JPEG 2000",
              .extensions = "jp2 j2k j2c jpc jpx ",
              .begins =
                  [](const FileStart& s) {
                      return s.has(0, "\0\0\0\x0cjP  \r\n\x87\n"sv) ||
                             s.has(0, "\xff\x4f\xff\x51"sv);
                  },
              .reader = "jpeg2000"},
    FormatRow{
        .format = Format::Nifti,
        .name = "NIfTI",
        .extensions = "nii hdr img ",
        .packed = "nii.gz hdr.gz img.gz ",
        .begins = isNifti,
        .describe = [](const path& file, const std::stop_token&) { return describeNifti(file); }},
    FormatRow{
        .format = Format::MetaImage,
        .name = "MetaImage",
        .extensions = "mha mhd ",
        .begins = isMetaImage,
        .describe = [](const path& file, const std::stop_token&) { return describeMha(file); }},
    FormatRow{
        .format = Format::Mrc,
        .name = "MRC",
        .extensions = kMrcExtensions,
        .packed = "mrc.gz map.gz rec.gz ",
        .begins = isMrc,
        .describe = [](const path& file, const std::stop_token&) { return describeMrc(file); }},
    FormatRow{.format = Format::Vtk,
              .name = "VTK legacy",
              .extensions = "vtk ",
              .begins = [](const FileStart& s) { return s.has(0, "# vtk DataFile"sv); },
              .reader = "vtk",
              .library = "ITK"},
    FormatRow{.format = Format::Gipl,
              .name = "GIPL",
              .extensions = "gipl gipl.gz ",
              .begins = isGipl,
              .reader = "gipl",
              .library = "ITK"},
    FormatRow{.format = Format::Bruker,
              .name = "Bruker 2dseq",
              .extensions = "",
              .set = visuParsFiles,
              .reader = "bruker",
              .library = "ITK"},
    FormatRow{.format = Format::Stimulate,
              .name = "Stimulate",
              .extensions = "spr ",
              .begins = isStimulate,
              .set = sdtFiles,
              .reader = "stimulate",
              .library = "ITK"},
    FormatRow{.format = Format::Ge5,
              .name = "GE Signa 5.x",
              .extensions = "",
              .begins = isGe5,
              .reader = "ge5",
              .library = "ITK",
              .series = true},
    FormatRow{.format = Format::Siemens,
              .name = "Siemens Vision",
              .extensions = "",
              .begins = isSiemens,
              .reader = "siemens",
              .library = "ITK",
              .series = true},
    FormatRow{.format = Format::BioRad,
              .name = "BioRad",
              .extensions = "pic ",
              .begins = isBioRad,
              .reader = "biorad",
              .library = "ITK"},
    FormatRow{.format = Format::Ge4,
              .name = "GE Signa 4.x",
              .extensions = "",
              .begins = isGe4,
              .reader = "ge4",
              .library = "ITK",
              .series = true},
    FormatRow{.format = Format::GeAdw,
              .name = "GE Advantage",
              .extensions = "",
              .begins = isGeAdw,
              .reader = "geadw",
              .library = "ITK",
              .series = true},
    FormatRow{
        .format = Format::Mgh,
        .name = "MGH",
        .extensions = "mgh ",
        .packed = "mgz mgh.gz ",
        .begins = isMgh,
        .describe = [](const path& file, const std::stop_token&) { return describeMgh(file); }},
    FormatRow{
        .format = Format::Ser,
        .name = "SER",
        .extensions = "ser ",
        .begins = [](const FileStart& s) { return s.has(0, "II\x97\x01"sv); },
        .describe = [](const path& file, const std::stop_token&) { return describeSer(file); }},
    FormatRow{
        .format = Format::Imagic,
        .name = "IMAGIC",
        .extensions = "hed ",
        .describe = [](const path& file, const std::stop_token&) { return describeImagic(file); }},
    FormatRow{
        .format = Format::Gatan,
        .name = "DigitalMicrograph",
        .extensions = "dm3 dm4 ",
        .begins = isGatan,
        .describe = [](const path& file, const std::stop_token&) { return describeGatan(file); }},
    FormatRow{
        .format = Format::Spider,
        .name = "SPIDER",
        .extensions = "spi ",
        .begins = isSpider,
        .describe = [](const path& file, const std::stop_token&) { return describeSpider(file); }},
    FormatRow{
        .format = Format::Em,
        .name = "EM",
        .extensions = "em ",
        .begins = isEm,
        .describe = [](const path& file, const std::stop_token&) { return describeEm(file); }},
    FormatRow{
        .format = Format::Raw,
        .name = "raw",
        .extensions = "",
        .describe = [](const path& file, const std::stop_token&) { return describeRaw(file); }},
};

} // namespace

const FormatRow& rowOf(Format format) {
    return *std::ranges::find(kTable, format, &FormatRow::format);
}

std::string_view name(Format format) { return rowOf(format).name; }

std::string_view missingLibrary(const FormatRow& row) {
#ifndef FLCC_IMAGE_IO
    return row.describe != nullptr ? "" : "built without image libraries";
#else
#ifndef FLCC_ITK
    if (row.library == "ITK") {
        return "built without ITK";
    }
#endif
#ifndef FLCC_FITS
    if (row.library == "CFITSIO") {
        return "built without CFITSIO";
    }
#endif
#ifndef FLCC_OPENSLIDE
    if (row.library == "OpenSlide") {
        return "built without OpenSlide";
    }
#endif
    (void)row;
    return "";
#endif
}

namespace {

/// The format of a file that begins as gzip does, by what is packed in it.
Format packedFormat(const path& file, const std::string& extension) {
    if (extension == ".nii.gz") {
        return Format::Nifti;
    }
    const FileStart start{file, extension, unpackedStart(file, 1024)};
    if (isNifti(start)) {
        return Format::Nifti;
    }
    if (isMrcBy(start, extension.substr(0, extension.rfind('.')), INT64_MAX)) {
        return Format::Mrc;
    }
    if (isGipl(start)) {
        return Format::Gipl;
    }
    if (isMgh(start)) {
        return Format::Mgh;
    }
    failInput(file, "it is packed by gzip; NIfTI, MRC, MGH and GIPL files can be read so, unpack "
                    "it first");
}

} // namespace

namespace {

/// The names of the formats that ITK reads, if this build has it: ", VTK legacy and GIPL".
std::string rareFormats() {
    std::vector<std::string_view> names;
    for (const FormatRow& row : kTable) {
        if (row.library == "ITK" && missingLibrary(row).empty()) {
            names.push_back(row.name);
        }
    }
    std::string text;
    for (const std::string_view& each : names) {
        text += (&each == &names.back() ? " and " : ", ") + std::string(each);
    }
    return text;
}

} // namespace

Format detectFormat(const path& file) {
    std::error_code ignored;
    if (std::filesystem::is_directory(file, ignored)) {
        if (const std::string foreign = foreignFolder(file); !foreign.empty()) {
            failInput(file, foreign);
        }
        return std::ranges::find(kTable, true, &FormatRow::inFolders)->format;
    }
    if (rawVolumeOf(file)) {
        return Format::Raw;
    }
    const DatasetPath named = splitDataset(file);
    const std::int64_t size = requireRegularFile(named.file);
    if (niftiPairOf(file)) { // before the first bytes, which are voxels in an .img file
        return Format::Nifti;
    }
    if (imagicPairOf(file)) {
        return Format::Imagic;
    }
    if (isBruker(named.file)) { // likewise
        return Format::Bruker;
    }
    const FileStart start{named.file, extensionOf(file), readBytes(named.file, 0, 1024)};
    if (named.dataset.empty() && start.has(0, "\x1f\x8b"sv)) {
        return packedFormat(file, start.extension);
    }
    for (const FormatRow& row : kTable) {
        if (row.begins != nullptr && row.hasDatasets >= !named.dataset.empty() &&
            row.begins(start)) {
            return row.format;
        }
    }
    if (!named.dataset.empty()) {
        failInput(file, shown(named.file) + " is not an HDF5 file, so it has no dataset");
    }
    if (const std::string foreign = foreignFormat(start, size); !foreign.empty()) {
        failInput(file, foreign);
    }
    if (start.has(0, "MATLAB 5.0 MAT-file"sv)) {
        failInput(file, "it is a MATLAB file of version 7 or older; save it with the option -v7.3, "
                        "whose files can be read");
    }
    if (start.extension.starts_with(".img")) {
        failInput(file,
                  "the header of NIfTI or Analyze (.hdr) or of IMAGIC (.hed) that belongs to it "
                  "is missing beside it; name voxels without a header as FILE:WxHxD:uint16:le:0");
    }
    const auto& known = readableExtensions();
    if (!start.extension.empty() &&
        std::ranges::find(known, start.extension.substr(1)) != known.end()) {
        failInput(file, "its content is not that of a " + start.extension + " file");
    }
    failInput(file, "its format is unknown; PNG, TIFF, NRRD, MetaImage, NIfTI, MRC, MGH, EM, "
                    "SPIDER, IMAGIC, DM3, DM4, SER, FITS, JPEG, DICOM, HDF5, "
                    "BMP, PNM, GIF, WebP, JPEG 2000, EER, slides of OpenSlide" +
                        rareFormats() +
                        " can be read; name voxels without a header as "
                        "FILE:WxHxD:uint16:le:0");
}

} // namespace flcc::io::detail

namespace flcc::io {

namespace {

/// Adds the words of a list with a blank after each.
void addWords(std::string_view words, std::vector<std::string>& to) {
    while (!words.empty()) {
        const std::size_t end = words.find(' ');
        to.emplace_back(words.substr(0, end));
        words.remove_prefix(end + 1);
    }
}

} // namespace

const std::vector<std::string>& readableExtensions() {
    static const std::vector<std::string> kExtensions = [] {
        std::vector<std::string> all;
        for (const detail::FormatRow& row : detail::kTable) {
            if (row.describe != nullptr) {
                addWords(row.extensions, all);
            }
        }
#ifdef FLCC_IMAGE_IO
        for (const detail::FormatRow& row : detail::kTable) {
            if (detail::missingLibrary(row).empty()) {
                addWords(row.describe != nullptr ? row.packed : row.extensions, all);
            }
        }
#endif
        return all;
    }();
    return kExtensions;
}

} // namespace flcc::io
