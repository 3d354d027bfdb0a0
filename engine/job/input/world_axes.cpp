#include "engine/job/input/world_axes.h"

#include <algorithm>
#include <cctype>
#include <fstream>
#include <string>

#include "engine/base/open_file.h"

namespace flcc::job {
namespace {

/// The value of the field "space" of an NRRD header in lower case; empty if there is none.
std::string nrrdSpace(const std::filesystem::path& path) {
    constexpr int kMostLines = 1000;
    std::ifstream file = base::openFile(path);
    std::string line;
    for (int i = 0; i < kMostLines && std::getline(file, line); ++i) {
        std::erase(line, '\r');
        if (line.empty()) {
            break; // the end of the header
        }
        std::transform(line.begin(), line.end(), line.begin(),
                       [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
        if (line.starts_with("space:")) {
            line.erase(0, line.find_first_not_of(" \t", 6));
            line.erase(line.find_last_not_of(" \t") + 1);
            return line;
        }
    }
    return {};
}

bool stated(const io::ImageInfo& info, const char* key, const char* none) {
    const auto found = info.metadata.find(key);
    return found != info.metadata.end() && found->second != none;
}

} // namespace

base::WorldAxes worldAxesOf(const io::ImageInfo& info, const std::filesystem::path& path) {
    using base::WorldAxes;
    // Positions of GE's and Siemens' scanners are those of a patient, as DICOM has them.
    if (info.format == "DICOM" || info.format.starts_with("GE ") ||
        info.format == "Siemens Vision") {
        return WorldAxes::Lps;
    }
    if (info.format == "NIfTI") {
        // Without a code the header says nothing about the patient.
        const bool known = stated(info, "qform_code", "0") || stated(info, "sform_code", "0");
        return known ? WorldAxes::Ras : WorldAxes::Unnamed;
    }
    if (info.format == "MGH") {
        return info.directed ? WorldAxes::Ras : WorldAxes::Unnamed;
    }
    if (info.format == "NRRD") {
        const std::string space = nrrdSpace(path);
        const auto is = [&space](const char* word, const char* brief) {
            return space.starts_with(word) || space == brief || space == std::string(brief) + "t";
        };
        return is("right-anterior-superior", "ras")   ? WorldAxes::Ras
               : is("left-posterior-superior", "lps") ? WorldAxes::Lps
               : is("left-anterior-superior", "las")  ? WorldAxes::Lps
                                                      : WorldAxes::Unnamed;
    }
    return WorldAxes::Unnamed;
}

bool statesDirections(const io::ImageInfo& info, const base::Geometry& geometry) {
    const base::Geometry plain;
    if (info.format == "DICOM" || info.format == "HDF5") {
        // Slices without a place, and datasets without directions, have these.
        return geometry.direction != plain.direction ||
               (info.format == "DICOM" && geometry.origin != plain.origin);
    }
    return info.directed || (info.format == "NIfTI" && geometry.axes != base::WorldAxes::Unnamed);
}

base::Geometry withAxes(base::Geometry geometry, const std::optional<base::WorldAxes>& chosen) {
    geometry.axes = chosen.value_or(geometry.axes);
    return geometry;
}

} // namespace flcc::job
