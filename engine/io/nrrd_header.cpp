#include <algorithm>
#include <bit>
#include <cctype>
#include <charconv>
#include <fstream>
#include <limits>
#include <sstream>

#include "engine/io/detail/headers.h"

namespace flcc::io::detail {

namespace {

std::string lowered(std::string text) {
    std::transform(text.begin(), text.end(), text.begin(),
                   [](unsigned char letter) { return static_cast<char>(std::tolower(letter)); });
    return text;
}

/// Position and encoding of the voxels according to an NRRD header.
struct NrrdHeader {
    Metadata fields;             ///< "key: value" lines, the keys in lower case
    std::int64_t dataOffset = 0; ///< behind the empty line that ends it

    /// The value behind any of the keys; empty where there is none.
    [[nodiscard]] std::string get(std::initializer_list<const char*> keys) const {
        for (const char* key : keys) {
            if (const auto found = fields.find(key); found != fields.end()) {
                return found->second;
            }
        }
        return {};
    }
};

NrrdHeader parseNrrd(const std::filesystem::path& path) {
    const Bytes bytes = readBytes(path, 0, 1 << 20);
    const std::string text(bytes.begin(), bytes.end());
    NrrdHeader header;
    for (std::size_t at = 0; at < text.size();) {
        const std::size_t end = std::min(text.find('\n', at), text.size());
        std::string line = text.substr(at, end - at);
        at = end + 1;
        while (!line.empty() &&
               (line.back() == '\r' || line.back() == ' ' || line.back() == '\t')) {
            line.pop_back();
        }
        if (line.empty()) {
            header.dataOffset = static_cast<std::int64_t>(at);
            return header;
        }
        const std::size_t colon = line.find(": ");
        if (line[0] != '#' && colon != std::string::npos) {
            const std::size_t value = line.find_first_not_of(" \t", colon + 1);
            header.fields.try_emplace(lowered(line.substr(0, colon)),
                                      value == std::string::npos ? "" : line.substr(value));
        }
    }
    header.dataOffset = static_cast<std::int64_t>(text.size());
    return header;
}

/// Empty where the voxels follow the header.
std::filesystem::path voxelFileOf(const std::filesystem::path& path, const NrrdHeader& header) {
    const bool beside = header.fields.contains("data file") || header.fields.contains("datafile");
    return beside ? requireNeighbour(path, header.get({"data file", "datafile"}))
                  : std::filesystem::path();
}

std::int64_t wholeNumber(const std::filesystem::path& path, const std::string& what,
                         const std::string& text) {
    std::int64_t value = 0;
    const auto result = std::from_chars(text.data(), text.data() + text.size(), value);
    if (result.ec != std::errc() || result.ptr != text.data() + text.size() || value < -1) {
        failInput(path, what + " in its header is \"" + oneLine(text).substr(0, 40) + "\"");
    }
    return value;
}

/// Where `lines` lines from `offset` on end.
std::int64_t skipLines(const std::filesystem::path& path, std::int64_t offset, std::int64_t lines) {
    std::ifstream file(path, std::ios::binary);
    file.seekg(offset);
    for (; lines > 0 && file; --lines) {
        file.ignore(std::numeric_limits<std::streamsize>::max(), '\n');
    }
    if (!file) {
        failInput(path, "the file is truncated");
    }
    return static_cast<std::int64_t>(file.tellg());
}

/// Product of the sizes before the axis that holds the values of a voxel; 1 when that is the first.
std::int64_t valuesBeforeRange(const std::filesystem::path& path, const NrrdHeader& header) {
    std::istringstream kinds(lowered(header.get({"kinds"})));
    std::istringstream sizes(header.get({"sizes"}));
    std::int64_t before = 1;
    std::string size;
    for (std::string kind; kinds >> kind && sizes >> size;) {
        if (kind != "domain" && kind != "space" && kind != "time" && kind != "???" &&
            kind != "none") {
            return before;
        }
        const std::int64_t length = wholeNumber(path, "a size", size);
        if (length < 1 || length > (std::int64_t{1} << 55) / before) {
            failInput(path, "its header gives an axis of " + size + " voxels");
        }
        before *= length;
    }
    return 1;
}

Encoding encodingOf(const std::filesystem::path& path, const std::string& word) {
    const std::string encoding = lowered(word);
    if (encoding == "raw") {
        return Encoding::Plain;
    }
    if (encoding == "gzip" || encoding == "gz") {
        return Encoding::Packed;
    }
    if (encoding == "ascii" || encoding == "text" || encoding == "txt") {
        return Encoding::Text;
    }
    if (encoding == "hex") {
        return Encoding::Hex;
    }
    failInput(path, "its voxels are encoded by \"" + oneLine(word).substr(0, 40) +
                        "\", which cannot be read; raw, gzip, text and hex can");
}

} // namespace

/// A header with its voxels elsewhere.
void checkNrrd(const std::filesystem::path& path) {
    const NrrdHeader header = parseNrrd(path);
    if (const auto beside = voxelFileOf(path, header); !beside.empty()) {
        (void)requireRegularFile(beside);
    }
    for (const char* key : {"space directions", "space origin", "measurement frame"}) {
        std::string text = header.get({key});
        std::replace_if(
            text.begin(), text.end(), [](char c) { return c == '(' || c == ')' || c == ','; }, ' ');
        std::istringstream words(text);
        for (std::string word; words >> word;) {
            double value = 0;
            const auto result = std::from_chars(word.data(), word.data() + word.size(), value);
            if (result.ec == std::errc::result_out_of_range ||
                (result.ec == std::errc() && !isPlace(value))) {
                failInput(path, std::string("its ") + key + " in its header holds \"" +
                                    oneLine(word).substr(0, 40) + "\"");
            }
        }
    }
}

std::filesystem::path nrrdVoxelFile(const std::filesystem::path& path) {
    return voxelFileOf(path, parseNrrd(path));
}

VoxelPlace nrrdPlace(const std::filesystem::path& path, const ImageInfo& info) {
    const NrrdHeader header = parseNrrd(path);
    const std::filesystem::path beside = voxelFileOf(path, header);
    VoxelPlace place;
    RawLayout& layout = place.layout;
    layout.file = beside.empty() ? path : beside;
    layout.offset = beside.empty() ? header.dataOffset : 0;
    layout.encoding = encodingOf(path, header.get({"encoding"}));
    const std::int64_t together = std::int64_t{1} * info.components * info.channels;
    layout.inner = together > 1 ? valuesBeforeRange(path, header) : 1;
    const std::string endian = lowered(header.get({"endian"}));
    layout.swapped =
        !endian.empty() && (endian == "big") != (std::endian::native == std::endian::big);
    if (const auto lines = header.get({"line skip", "lineskip"}); !lines.empty()) {
        layout.offset =
            skipLines(layout.file, layout.offset, wholeNumber(path, "line skip", lines));
    }
    const std::int64_t values = base::voxelCount(info.extents) * together;
    if (const auto bytes = header.get({"byte skip", "byteskip"}); !bytes.empty()) {
        const std::int64_t skip = wholeNumber(path, "byte skip", bytes);
        if (skip >= 0) {
            (layout.encoding == Encoding::Packed ? layout.skip : layout.offset) += skip;
        } else {
            // -1: as much as there is before the voxels.
            const std::int64_t size = requireRegularFile(layout.file);
            const std::int64_t voxel = base::bytesPerVoxel(info.pixel) * together;
            requireRawBytes(layout.file, info.extents, voxel, info.frames, size);
            layout.offset = size - values * base::bytesPerVoxel(info.pixel) * info.frames;
        }
    }
    return place;
}

void refineNrrd(const std::filesystem::path& path, base::Geometry& geometry) {
    const NrrdHeader header = parseNrrd(path);
    std::string unit;
    for (const std::string& text : {header.get({"space units"}), header.get({"units"})}) {
        const auto open = text.find('"');
        const auto close = open == std::string::npos ? open : text.find('"', open + 1);
        if (close != std::string::npos && unit.empty()) {
            unit = text.substr(open + 1, close - open - 1);
        }
    }
    setHeaderUnit(geometry, unit);
}

} // namespace flcc::io::detail
