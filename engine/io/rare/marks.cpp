// What tells the formats that ITK reads (README.md of reader says what reads them).

#include "engine/io/rare/marks.h"

#include <algorithm>
#include <bit>
#include <string>

#include "engine/io/format/headers.h"
#include "engine/io/rare/companions.h"

namespace flcc::io::detail {

namespace {

using namespace std::string_view_literals;

/// A big-endian or little-endian number of a file, also behind its start; 0 behind its end.
template <class Number>
Number numberAt(const FileStart& start, std::int64_t offset, std::endian order) {
    const Bytes bytes = readBytes(start.file, offset, sizeof(Number));
    return bytes.size() == sizeof(Number) ? field<Number>(bytes, 0, order != std::endian::native)
                                          : Number{};
}

} // namespace

bool isGipl(const FileStart& start) {
    return start.has(252, "\xef\xff\xe9\xb0"sv) || start.has(252, "\x2a\xe3\x89\xb8"sv);
}

/// The number 12345 alone is two bytes: the extension or the sizes must agree.
bool isBioRad(const FileStart& start) {
    if (!start.has(54, "90"sv) || start.extension == ".pic") {
        return start.has(54, "90"sv);
    }
    std::int64_t voxels = 1;
    for (const std::size_t offset : {0U, 2U, 4U}) {
        voxels *= start.bytes[offset] + 256 * start.bytes[offset + 1];
    }
    return voxels > 0 && start.bytes[14] < 2 && 76 + voxels <= requireRegularFile(start.file);
}

bool isStimulate(const FileStart& start) {
    return start.extension == ".spr" &&
           (start.has(0, "numDim:"sv) || start.has(0, "dim:"sv) || start.has(0, "dataType:"sv));
}

/// Signa 4.x has no mark: the name of the plane stands where its header has it.
bool isGe4(const FileStart& start) {
    constexpr std::int64_t kPlane = 4374;
    const Bytes bytes = readBytes(start.file, kPlane, 16);
    const std::string plane(bytes.begin(), bytes.end());
    const auto names = {"CORONAL", "SAGITTAL", "AXIAL", "OBLIQUE"};
    return std::ranges::any_of(
        names, [&](const char* name) { return plane.find(name) != std::string::npos; });
}

bool isGe5(const FileStart& start) {
    return (start.has(0, "IMGF"sv) || start.has(7, "SIGNA\0"sv)) &&
           requireRegularFile(start.file) >= 5000;
}

/// Advantage Windows has no mark: its header says how long the file is.
bool isGeAdw(const FileStart& start) {
    constexpr std::int64_t kFixed = 3228;
    const std::int64_t size = requireRegularFile(start.file);
    const std::int64_t width = numberAt<std::int16_t>(start, 2216, std::endian::big);
    const std::int64_t height = numberAt<std::int16_t>(start, 2218, std::endian::big);
    const std::int64_t more = numberAt<std::int32_t>(start, 3232, std::endian::big);
    return width > 0 && height > 0 && more > 0 && size == kFixed + more + width * height * 2;
}

bool isSiemens(const FileStart& start) {
    const std::int64_t width = numberAt<std::int32_t>(start, 2864, std::endian::big);
    return start.has(96, "SIEMENS"sv) && width > 0 && width < 32768 &&
           requireRegularFile(start.file) == 6144 + width * width * 2;
}

/// ParaVision's name for voxels. They have no header of their own.
bool isBruker(const std::filesystem::path& file) {
    std::error_code ignored;
    return file.filename() == "2dseq" && std::filesystem::exists(visuParsOf(file), ignored);
}

} // namespace flcc::io::detail
