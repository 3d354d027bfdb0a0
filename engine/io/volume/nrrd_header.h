#pragma once

#include <array>
#include <cstdint>
#include <filesystem>
#include <map>
#include <stop_token>
#include <string>
#include <string_view>
#include <vector>

#include "engine/io/format/reading.h"
#include "engine/io/format/voxel_place.h"

namespace flcc::io::detail {

/// The lines of an NRRD header. The header may have 1 MiB, a field 8192 characters.
struct NrrdLines {
    std::map<std::string, std::string>
        fields;                               ///< by the name in lower case, spelled as in NRRD0005
    std::map<std::string, std::string> texts; ///< "key:=value" lines
    std::int64_t dataOffset = 0;              ///< after the empty line that ends the header
    bool ended = false;                       ///< there was such a line
    std::vector<std::string> files;           ///< names after "data file: LIST"

    /// The value of a field; empty if there is none.
    [[nodiscard]] std::string get(const std::string& name) const {
        const auto found = fields.find(name);
        return found == fields.end() ? std::string() : found->second;
    }
};

/// **Errors**: Input for a line that is no field, a field given twice, a header that is too long.
[[nodiscard]] NrrdLines readNrrdLines(const std::filesystem::path& path);

/// What the values of an axis are.
enum class NrrdRole {
    Domain, ///< positions in space, as far as they have a direction there
    Time,
    Channels, ///< values of a voxel
    Colour,   ///< RGB or RGBA
    Complex,
};

struct NrrdAxis {
    std::int64_t size = 0;
    NrrdRole role = NrrdRole::Domain;
    std::string kind{}; ///< in lower case; empty if not given
    double spacing;     ///< NaN if not given, as the following
    double min;
    double max;
    bool node = false;               ///< min and max are at the first and last voxel's centre
    std::vector<double> direction{}; ///< of one voxel to the next in space; empty if not given
    std::string unit{};              ///< as it is written; empty if not given

    /// Between the centres of voxels, as given or by the ends of the axis; NaN if not known.
    [[nodiscard]] double step() const {
        const auto steps = static_cast<double>(node ? size - 1 : size);
        return std::isnan(spacing) && steps > 0 ? (max - min) / steps : spacing;
    }
};

/// Space of the directions and the origin.
struct NrrdSpace {
    std::size_t dimension = 0; ///< 0: no space
    bool time = false;         ///< its fourth dimension is time
    bool flipX = false;        ///< its first axis points right: the opposite of ours
    bool flipY = false;        ///< its second axis points to the front: the opposite of ours
    std::vector<double> origin;
};

/// The texts in quotes of a line.
[[nodiscard]] std::vector<std::string> quotedIn(const std::string& line);

/// The axes in the order of the file. **Errors**: Input for a number that is not usable.
[[nodiscard]] std::vector<NrrdAxis> nrrdAxes(const std::filesystem::path& path,
                                             const NrrdLines& lines, const NrrdSpace& space);
[[nodiscard]] NrrdSpace nrrdSpace(const std::filesystem::path& path, const NrrdLines& lines);

/// An integer of at least -1. **Errors**: Input.
[[nodiscard]] std::int64_t nrrdWhole(const std::filesystem::path& path, const NrrdLines& lines,
                                     const std::string& name);

/// Sets the files that "data file" names: one name, "LIST" with names, or a numbered name with its
/// range. **Shapes**: the axes of the layout are set. **Errors**: Input.
void setNrrdFiles(const std::filesystem::path& path, const NrrdLines& lines, Described& described);

/// Moves the place of the voxels in every file behind "line skip" and "byte skip". **Shapes**:
/// files, axes and encoding are set. **Errors**: Input; Stopped.
void setNrrdSkips(const std::filesystem::path& path, const NrrdLines& lines, Described& described,
                  const std::stop_token& stop);

[[nodiscard]] std::string lowered(std::string text);

} // namespace flcc::io::detail
