// NIfTI and Analyze 7.5 in two files: "NAME.hdr" with the header, "NAME.img" with the voxels.

#include <algorithm>
#include <array>
#include <cctype>

#include "engine/io/format/backends.h"
#include "engine/io/format/byte_source.h"
#include "engine/io/format/headers.h"

namespace flcc::io::detail {

namespace {

/// The first of the names with another extension that is a file; empty if there is none.
std::filesystem::path beside(const std::filesystem::path& stem, const char* extension) {
    std::string upper(extension);
    std::transform(upper.begin(), upper.end(), upper.begin(),
                   [](unsigned char c) { return static_cast<char>(std::toupper(c)); });
    for (const std::string& word : {std::string(extension), upper}) {
        for (const char* packed : {"", ".gz"}) {
            std::filesystem::path path = stem;
            path += word + packed;
            std::error_code ignored;
            if (std::filesystem::is_regular_file(path, ignored)) {
                return path;
            }
        }
    }
    return {};
}

/// The header of NIfTI gives its own size first.
bool isHeader(const std::filesystem::path& path) {
    const Bytes bytes = isGzip(path) ? unpackedStart(path, 4) : readBytes(path, 0, 4);
    if (bytes.size() < 4) {
        return false;
    }
    const auto is = [&](std::int32_t size) {
        return field<std::int32_t>(bytes, 0, false) == size ||
               field<std::int32_t>(bytes, 0, true) == size;
    };
    return is(348) || is(540);
}

} // namespace

std::optional<HeaderAndVoxels> niftiPairOf(const std::filesystem::path& path) {
    std::string extension = extensionOf(path);
    std::filesystem::path stem = path;
    if (extension.ends_with(".gz")) {
        extension = extension.substr(0, extension.size() - 3);
        stem.replace_extension();
    }
    if (extension != ".hdr" && extension != ".img") {
        return std::nullopt;
    }
    stem.replace_extension();
    HeaderAndVoxels pair;
    pair.header = extension == ".hdr" ? path : beside(stem, ".hdr");
    pair.voxels = extension == ".img" ? path : beside(stem, ".img");
    if (pair.header.empty() || !isHeader(pair.header)) {
        return std::nullopt;
    }
    return pair;
}

} // namespace flcc::io::detail
