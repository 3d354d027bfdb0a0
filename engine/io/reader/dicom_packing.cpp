// Transfer syntaxes: how the pixels of DICOM files are packed.

#include "engine/io/reader/dicom_packing.h"

#include <algorithm>
#include <array>
#include <fstream>
#include <string_view>
#include <vector>

#include "engine/base/open_file.h"

namespace flcc::io::detail {

namespace {

struct Known {
    std::string_view uid; ///< behind "1.2.840.10008.1.2"
    std::string_view name;
    bool readable;
};

constexpr std::array<Known, 42> kKnown{{
    {"", "implicit, unpacked", true},
    {".1", "explicit, unpacked", true},
    {".1.99", "deflate", true},
    {".2", "big endian, unpacked", true},
    {".5", "RLE", true},
    {".1.98", "frames of their own, unpacked", false},
    {".4.50", "JPEG", true},
    {".4.51", "JPEG of 12 bits", true},
    {".4.52", "JPEG extended", true},
    {".4.53", "JPEG spectral selection", true},
    {".4.55", "JPEG progressive", true},
    {".4.57", "JPEG lossless", true},
    {".4.70", "JPEG lossless", true},
    {".4.80", "JPEG-LS", true},
    {".4.81", "JPEG-LS", true},
    {".4.90", "JPEG 2000", true},
    {".4.91", "JPEG 2000", true},
    {".4.92", "JPEG 2000 part 2", false},
    {".4.93", "JPEG 2000 part 2", false},
    {".4.94", "JPIP, pixels on a server", false},
    {".4.95", "JPIP, pixels on a server", false},
    {".4.100", "MPEG-2 video", false},
    {".4.100.1", "MPEG-2 video", false},
    {".4.101", "MPEG-2 video", false},
    {".4.101.1", "MPEG-2 video", false},
    {".4.102", "MPEG-4 video", false},
    {".4.102.1", "MPEG-4 video", false},
    {".4.103", "MPEG-4 video", false},
    {".4.103.1", "MPEG-4 video", false},
    {".4.104", "MPEG-4 video", false},
    {".4.105", "MPEG-4 video", false},
    {".4.106", "MPEG-4 video", false},
    {".4.107", "HEVC video", false},
    {".4.108", "HEVC video", false},
    {".4.110", "JPEG XL", false},
    {".4.111", "JPEG XL", false},
    {".4.112", "JPEG XL", false},
    {".4.201", "HTJ2K", false},
    {".4.202", "HTJ2K", false},
    {".4.203", "HTJ2K", false},
    {".4.204", "JPIP with HTJ2K, pixels on a server", false},
    {".8.1", "deflate a frame", false},
}};
constexpr std::string_view kRoot = "1.2.840.10008.1.2";

} // namespace

DicomPacking packingOf(const std::filesystem::path& path) {
    constexpr std::size_t kMost = 1 << 16;
    std::ifstream stream = base::openFile(path);
    std::vector<unsigned char> bytes(kMost);
    stream.read(reinterpret_cast<char*>(bytes.data()), kMost);
    bytes.resize(static_cast<std::size_t>(stream.gcount()));
    const auto number = [&](std::size_t at, std::size_t count) {
        std::size_t value = 0;
        for (std::size_t i = 0; i < count; ++i) {
            value |= std::size_t{bytes[at + i]} << (8 * i);
        }
        return value;
    };
    DicomPacking packing;
    // Elements of group 2: tag, type of two letters, length; always in little endian.
    for (std::size_t at = 132; at + 12 <= bytes.size() && number(at, 2) == 2;) {
        const std::string_view type(reinterpret_cast<const char*>(&bytes[at + 4]), 2);
        const bool wide = type == "OB" || type == "OW" || type == "UN" || type == "SQ" ||
                          type == "UT" || type == "OF";
        const std::size_t begin = at + (wide ? 12 : 8);
        const std::size_t length = wide ? number(at + 8, 4) : number(at + 6, 2);
        if (length > bytes.size() - begin) {
            break;
        }
        if (number(at + 2, 2) == 0x0010) {
            packing.position = static_cast<std::int64_t>(begin);
            packing.length = static_cast<std::int64_t>(length);
            packing.uid.assign(reinterpret_cast<const char*>(&bytes[begin]), length);
            packing.uid.resize(packing.uid.find_last_not_of(std::string_view(" \0", 2)) + 1);
            for (char& letter : packing.uid) {
                letter = letter >= '.' && letter <= '9' ? letter : '?';
            }
            break;
        }
        at = begin + length;
    }
    if (packing.uid.starts_with(kRoot)) {
        const auto* const known =
            std::find_if(kKnown.begin(), kKnown.end(), [&](const Known& each) {
                return packing.uid.substr(kRoot.size()) == each.uid;
            });
        if (known != kKnown.end()) {
            packing.name = known->name;
            packing.readable = known->readable;
        }
    }
    // GE's own form of implicit big endian, and files without a syntax: the library tries.
    packing.readable = packing.readable || packing.uid.empty() ||
                       packing.uid == "1.2.840.113619.5.2" ||
                       packing.uid == "1.3.46.670589.33.1.4.1";
    return packing;
}

std::string textOf(const DicomPacking& packing) {
    return packing.name.empty() ? "an unknown format (" + packing.uid + ")"
                                : packing.name + " (" + packing.uid + ")";
}

} // namespace flcc::io::detail
