#include "engine/io/raster/slide_marks.h"

#include <algorithm>
#include <array>
#include <string>
#include <string_view>
#include <system_error>

#include "engine/base/error.h"
#include "engine/io/format/headers.h"
#include "engine/io/raster/tiff_entries.h"

namespace flcc::io::detail {

namespace {

using namespace std::string_view_literals;

bool isHamamatsuText(const FileStart& start) {
    return start.has(0, "[Virtual Microscope Specimen]"sv) ||
           start.has(0, "[Uncompressed Virtual Microscope Specimen]"sv);
}

std::filesystem::path folderOfMirax(const std::filesystem::path& file) {
    return std::filesystem::path(file).replace_extension();
}

bool isMirax(const FileStart& start) {
    std::error_code ignored;
    return start.extension == ".mrxs" &&
           std::filesystem::exists(folderOfMirax(start.file) / "Slidedat.ini", ignored);
}

#ifdef FLCC_OPENSLIDE
constexpr std::uint16_t kSubfileType = 254;
constexpr std::uint16_t kWidth = 256;
constexpr std::uint16_t kHeight = 257;
constexpr std::uint16_t kBits = 258;
constexpr std::uint16_t kSamples = 277;
constexpr std::uint16_t kTileWidth = 322;

/// The first page is tiled, of 8-bit colours and larger than what a slide shows by itself, and the
/// next one is a tiled reduced copy. libtiff reads smaller ones whole.
bool isLargePyramid(const FileStart& start) {
    constexpr std::uint64_t kMostPixels = std::uint64_t{1} << 26;
    if (start.extension != ".tif" && start.extension != ".tiff") {
        return false;
    }
    try {
        const TiffEntries first(start.file, firstDirectory(start.bytes));
        const std::uint64_t width = first.number(kWidth);
        const std::uint64_t height = first.number(kHeight);
        if (first.number(kTileWidth) == 0 || first.number(kSamples) != 3 ||
            first.number(kBits) != 8 || width == 0 || height <= kMostPixels / width) {
            return false;
        }
        const std::uint64_t next = first.next();
        if (next == 0) {
            return false;
        }
        const TiffEntries second(start.file, next);
        return (second.number(kSubfileType) & 1U) != 0 && second.number(kTileWidth) != 0;
    } catch (const base::Error&) {
        return false; // libtiff says what is wrong
    }
}
#endif

} // namespace

bool isSlide(const FileStart& start) {
    if (isHamamatsuText(start) || isMirax(start)) {
        return true;
    }
#ifdef FLCC_OPENSLIDE
    constexpr std::array kExtensions{".svs"sv, ".ndpi"sv, ".scn"sv, ".bif"sv};
    return firstDirectory(start.bytes) != 0 &&
           (std::ranges::find(kExtensions, start.extension) != kExtensions.end() ||
            isLargePyramid(start));
#else
    return false;
#endif
}

std::vector<std::filesystem::path> slideFiles(const std::filesystem::path& path) {
    constexpr std::int64_t kLongest = 1 << 16;
    std::vector<std::filesystem::path> files;
    std::error_code ignored;
    const std::string extension = extensionOf(path);
    if (extension == ".mrxs") {
        for (const auto& entry :
             std::filesystem::directory_iterator(folderOfMirax(path), ignored)) {
            if (entry.is_regular_file(ignored)) {
                files.push_back(entry.path());
            }
        }
    } else if (extension == ".vms" || extension == ".vmu") {
        const Bytes bytes = readBytes(path, 0, kLongest);
        std::string_view rest(reinterpret_cast<const char*>(bytes.data()), bytes.size());
        while (!rest.empty()) {
            const std::string_view line = rest.substr(0, rest.find('\n'));
            rest.remove_prefix(std::min(rest.size(), line.size() + 1));
            const std::size_t equals = line.find('=');
            const std::filesystem::path name = equals == std::string_view::npos
                                                   ? ""
                                                   : trimmed(std::string(line.substr(equals + 1)));
            const std::filesystem::path file = path.parent_path() / name.filename();
            const bool named =
                line.find("File") < equals && !name.empty() && name == name.filename();
            if (named && std::filesystem::is_regular_file(file, ignored)) {
                files.push_back(file);
            }
        }
    }
    std::ranges::sort(files);
    files.erase(std::unique(files.begin(), files.end()), files.end());
    return files;
}

} // namespace flcc::io::detail
