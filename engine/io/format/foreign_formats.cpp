#include "engine/io/format/foreign_formats.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstdint>
#include <cstring>

#include "engine/io/format/headers.h"

namespace flcc::io::detail {

namespace {

using namespace std::string_view_literals;

bool isLeica(const FileStart& start, std::int64_t /*size*/) {
    return start.has(0, "\x70\0\0\0"sv) && start.has(8, "\x2a"sv) && start.has(13, "<\0"sv);
}

bool isClassicNetCdf(const FileStart& start, std::int64_t /*size*/) {
    return start.has(0, "CDF\x01"sv) || start.has(0, "CDF\x02"sv) || start.has(0, "CDF\x05"sv);
}

bool isVtkXml(const FileStart& start, std::int64_t /*size*/) {
    const std::string text(start.bytes.begin(), start.bytes.end());
    return text.find("<VTKFile") != std::string::npos;
}

/// Imaris before 5.5: a number of its own, or TIFF.
bool isOldImaris(const FileStart& start, std::int64_t /*size*/) {
    return start.has(0, "\0\x4c\xa1\x0c"sv) ||
           (start.extension == ".ims" && (start.has(0, "II*\0"sv) || start.has(0, "MM\0*"sv)));
}

struct Foreign {
    std::string_view name;
    std::string_view mark; ///< with which the file begins; empty: `is` tells
    std::string_view way;  ///< what to do
    bool (*is)(const FileStart&, std::int64_t size) = nullptr;
};

constexpr std::string_view kFiji = "open it in Fiji (Bio-Formats) and save it as TIFF";
constexpr std::string_view kParaView = "save it as MetaImage or NRRD in ParaView or Slicer";

constexpr std::array kForeign{
    Foreign{"CZI of Zeiss", "ZISRAWFILE"sv, kFiji},
    Foreign{"LIF of Leica", "", kFiji, isLeica},
    Foreign{"ND2 of Nikon", "\xda\xce\xbe\x0a"sv, kFiji},
    Foreign{"OIB, OIR or another container of Microsoft's OLE",
            "\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1"sv, kFiji},
    Foreign{"Imaris older than 5.5", "",
            "open it in a newer Imaris or in Fiji (Bio-Formats) and save it as IMS or TIFF",
            isOldImaris},
    Foreign{"netCDF classic", "",
            "convert it to netCDF 4, whose files can be read: nccopy -k nc4 IN OUT (of MINC 1: "
            "mincconvert -2 IN OUT)",
            isClassicNetCdf},
    Foreign{"VTK's XML", "", kParaView, isVtkXml},
    Foreign{"PAR/REC of Philips", "# === DATA"sv, "convert it to NIfTI (dcm2niix)"},
    Foreign{"PSD of Photoshop", "8BPS"sv, "save it as TIFF or PNG"},
    Foreign{"XCF of GIMP", "gimp xcf"sv, "export it as TIFF or PNG"},
    Foreign{"PDF", "%PDF"sv, "export its picture as PNG or TIFF"},
    Foreign{"HEIF, AVIF or another picture of ISO media", "", "save it as PNG or TIFF",
            [](const FileStart& start, std::int64_t) { return start.has(4, "ftyp"sv); }},
    Foreign{"OpenEXR", "\x76\x2f\x31\x01"sv, "save it as TIFF or PFM"},
    Foreign{"Radiance HDR", "#?RAD"sv, "save it as TIFF or PFM"},
    Foreign{"a NumPy array", "\x93NUMPY"sv, "write it with tifffile, mrcfile or h5py"},
};

std::string sentence(const Foreign& format) {
    return "its format is " + std::string(format.name) + ", which cannot be read; " +
           std::string(format.way);
}

} // namespace

std::string foreignFormat(const FileStart& start, std::int64_t size) {
    const auto found = std::ranges::find_if(kForeign, [&](const Foreign& each) {
        return each.is != nullptr ? each.is(start, size) : start.has(0, each.mark);
    });
    return found != kForeign.end() ? sentence(*found) : std::string();
}

std::string foreignFolder(const std::filesystem::path& folder) {
    std::error_code ignored;
    const auto holds = [&](const char* name) {
        return std::filesystem::exists(folder / name, ignored);
    };
    const bool zarr =
        holds(".zarray") || holds(".zgroup") || holds(".zattrs") || holds("zarr.json");
    const bool n5 = holds("attributes.json");
    return zarr || n5 ? sentence({zarr ? "Zarr" : "N5", "",
                                  "export the level and the part that are searched as TIFF, HDF5 "
                                  "or NRRD"})
                      : std::string();
}

} // namespace flcc::io::detail
