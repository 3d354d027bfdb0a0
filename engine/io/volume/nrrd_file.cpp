#include <algorithm>
#include <array>
#include <bit>
#include <cmath>

#include "engine/io/format/backends.h"
#include "engine/io/format/headers.h"
#include "engine/io/volume/nrrd_header.h"

namespace flcc::io::detail {

namespace {

using base::PixelType;

struct TypeWord {
    std::string_view word;
    PixelType type;
};
// All spellings that the format allows; "char" alone is none.
constexpr std::array<TypeWord, 40> kTypes{{{"signed char", PixelType::Int8},
                                           {"int8", PixelType::Int8},
                                           {"int8_t", PixelType::Int8},
                                           {"uchar", PixelType::UInt8},
                                           {"unsigned char", PixelType::UInt8},
                                           {"uint8", PixelType::UInt8},
                                           {"uint8_t", PixelType::UInt8},
                                           {"short", PixelType::Int16},
                                           {"short int", PixelType::Int16},
                                           {"signed short", PixelType::Int16},
                                           {"signed short int", PixelType::Int16},
                                           {"int16", PixelType::Int16},
                                           {"int16_t", PixelType::Int16},
                                           {"ushort", PixelType::UInt16},
                                           {"unsigned short", PixelType::UInt16},
                                           {"unsigned short int", PixelType::UInt16},
                                           {"uint16", PixelType::UInt16},
                                           {"uint16_t", PixelType::UInt16},
                                           {"int", PixelType::Int32},
                                           {"signed int", PixelType::Int32},
                                           {"int32", PixelType::Int32},
                                           {"int32_t", PixelType::Int32},
                                           {"uint", PixelType::UInt32},
                                           {"unsigned int", PixelType::UInt32},
                                           {"uint32", PixelType::UInt32},
                                           {"uint32_t", PixelType::UInt32},
                                           {"longlong", PixelType::Int64},
                                           {"long long", PixelType::Int64},
                                           {"long long int", PixelType::Int64},
                                           {"signed long long", PixelType::Int64},
                                           {"signed long long int", PixelType::Int64},
                                           {"int64", PixelType::Int64},
                                           {"int64_t", PixelType::Int64},
                                           {"ulonglong", PixelType::UInt64},
                                           {"unsigned long long", PixelType::UInt64},
                                           {"unsigned long long int", PixelType::UInt64},
                                           {"uint64", PixelType::UInt64},
                                           {"uint64_t", PixelType::UInt64},
                                           {"float", PixelType::Float32},
                                           {"double", PixelType::Float64}}};

PixelType typeOf(const std::filesystem::path& path, const NrrdLines& lines) {
    const std::string word = lowered(lines.get("type"));
    const auto* found = std::find_if(kTypes.begin(), kTypes.end(),
                                     [&](const TypeWord& known) { return known.word == word; });
    if (found == kTypes.end()) {
        failInput(path, "its voxels are of the type " + inQuotes(lines.get("type")) +
                            ", which cannot be read");
    }
    return found->type;
}

Encoding encodingOf(const std::filesystem::path& path, const NrrdLines& lines) {
    const std::string encoding = lowered(lines.get("encoding"));
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
    failInput(path, "its voxels are encoded by " + inQuotes(lines.get("encoding")) +
                        ", which cannot be read; raw, gzip, text and hex can");
}

/// True if the bytes of a value have to be reversed.
bool isSwapped(const std::filesystem::path& path, const NrrdLines& lines, PixelType type,
               Encoding encoding) {
    const std::string endian = lowered(lines.get("endian"));
    const bool matters = base::bytesPerVoxel(type) > 1 && encoding != Encoding::Text;
    if (endian != "little" && endian != "big" && (matters || !endian.empty())) {
        failInput(path, endian.empty()
                            ? "its header does not give the byte order of its voxels (endian)"
                            : "\"endian\" in its header is " + inQuotes(endian));
    }
    return matters && (endian == "big") != (std::endian::native == std::endian::big);
}

/// Geometry of the first three domain axes.
void setGeometry(const std::vector<NrrdAxis>& domain, const NrrdSpace& space,
                 base::Geometry& geometry) {
    const std::size_t used = std::min<std::size_t>(3, domain.size());
    const auto sign = [&](std::size_t row) {
        const bool flip = (row == 0 && space.flipX) || (row == 1 && space.flipY);
        return flip ? -1.0 : 1.0;
    };
    for (std::size_t a = 0; a < used; ++a) {
        const NrrdAxis& axis = domain[a];
        if (!axis.direction.empty()) {
            double square = 0;
            for (const double part : axis.direction) {
                square += part * part;
            }
            geometry.spacing[a] = std::sqrt(square);
            for (std::size_t row = 0; row < used; ++row) {
                geometry.direction[3 * row + a] =
                    sign(row) * (axis.direction[row] * (1 / geometry.spacing[a])) + 0.0;
            }
        } else if (!std::isnan(axis.step())) {
            geometry.spacing[a] = axis.step();
        }
    }
    if (space.dimension > 0) {
        for (std::size_t row = 0; row < used; ++row) {
            geometry.origin[row] = sign(row) * space.origin[row] + 0.0; // no -0
        }
        return;
    }
    // Without a space, the origin follows from the ends of the axes if all are known.
    const bool known = std::all_of(domain.begin(), domain.end(), [](const NrrdAxis& axis) {
        return !std::isnan(axis.min) && !std::isnan(axis.step());
    });
    for (std::size_t a = 0; known && a < used; ++a) {
        const NrrdAxis& axis = domain[a];
        geometry.origin[a] = axis.min + (axis.node ? 0 : axis.step() / 2);
    }
}

/// Sets the unit, that of the first axis with one; sizes in others are converted to it. **Errors**:
/// Input for a space whose dimensions have different units.
void setUnits(const std::filesystem::path& path, const NrrdLines& lines,
              const std::vector<NrrdAxis>& domain, const NrrdSpace& space,
              base::Geometry& geometry) {
    std::vector<std::string> words = quotedIn(lines.get("space units"));
    const bool ofSpace = space.dimension > 0 && !words.empty();
    if (ofSpace && words.size() != space.dimension) {
        failInput(path, "\"space units\" in its header has " + std::to_string(words.size()) +
                            " texts, but its space has " + std::to_string(space.dimension) +
                            " dimensions");
    }
    if (!ofSpace) {
        words.clear();
        for (const NrrdAxis& axis : domain) {
            words.push_back(axis.unit);
        }
    }
    words.resize(std::min<std::size_t>(words.size(), 3));
    std::string first;
    for (const std::string& word : words) {
        first = first.empty() && !parseUnit(word).name.empty() ? word : first;
    }
    const Unit unit = parseUnit(first);
    for (std::size_t axis = 0; axis < words.size(); ++axis) {
        const Unit own = parseUnit(words[axis]);
        if (own.name.empty() || (own.name == unit.name && own.factor == unit.factor)) {
            continue;
        }
        if (space.dimension > 0) {
            failInput(path, "the dimensions of its space have different units, " + inQuotes(first) +
                                " and " + inQuotes(words[axis]) + "; write it in one unit");
        }
        const double factor =
            own.factor * unitLength(own.name) / unitLength(unit.name) / unit.factor;
        geometry.spacing[axis] *= factor;
        geometry.origin[axis] *= factor;
    }
    setHeaderUnit(geometry, first.empty() && !words.empty() ? words.front() : first);
}

/// What the axes of a file are.
struct Axes {
    std::vector<NrrdAxis> space; ///< x, y, z
    std::int64_t channels = 1;
    std::int64_t frames = 1;
    std::int64_t components = 1;
};

/// True for an axis of positions in space. A fourth one is taken for frames.
bool isSpatial(const NrrdAxis& axis, bool directed, std::size_t before) {
    return axis.role == NrrdRole::Domain && before < 3 && (!directed || !axis.direction.empty());
}

/// Says what an axis that is none of space was read as.
std::string noteOf(const NrrdAxis& axis, std::size_t number, const char* word, bool directed) {
    const std::string kind = !axis.kind.empty()              ? " (" + axis.kind + ")"
                             : axis.role != NrrdRole::Domain ? " (time)"
                             : directed                      ? " (without a direction in space)"
                                                             : " (the fourth of its domain)";
    return "its axis " + std::to_string(number) + kind + " was read as " +
           std::to_string(axis.size) + " " + word;
}

Axes axesOf(const std::filesystem::path& path, std::vector<NrrdAxis> all, ImageInfo& info,
            std::vector<FileAxis>& inFile) {
    constexpr std::array<AxisRole, 3> kSpatial{AxisRole::X, AxisRole::Y, AxisRole::Z};
    constexpr std::int64_t kMost = 1'000'000'000;
    const bool directed = std::any_of(all.begin(), all.end(),
                                      [](const NrrdAxis& axis) { return !axis.direction.empty(); });
    Axes axes;
    std::vector<std::int64_t> lengths;
    for (std::size_t i = 0; i < all.size(); ++i) {
        NrrdAxis& axis = all[i];
        lengths.push_back(axis.size);
        if (isSpatial(axis, directed, axes.space.size())) {
            inFile.push_back({kSpatial[axes.space.size()], axis.size});
            axes.space.push_back(std::move(axis));
            continue;
        }
        if (axis.role == NrrdRole::Complex) {
            failInput(path, "its pixels are complex numbers, which cannot be read; save their "
                            "magnitude");
        }
        const bool colour = axis.role == NrrdRole::Colour;
        const bool channel = axis.role == NrrdRole::Channels;
        if (colour && axes.components > 1) {
            failInput(path, "its header has several axes of colours, which cannot be read");
        }
        std::int64_t& count = colour ? axes.components : channel ? axes.channels : axes.frames;
        count = cappedProduct(count, axis.size);
        if (count > kMost) {
            failInput(path, "its header gives " + std::to_string(count) +
                                (channel ? " channels" : " frames"));
        }
        inFile.push_back({colour    ? AxisRole::Component
                          : channel ? AxisRole::Channel
                                    : AxisRole::Frame,
                          axis.size});
        if (!colour && axis.size > 1) {
            info.notes.push_back(noteOf(axis, i + 1, channel ? "channels" : "frames", directed));
        }
    }
    (void)requireProduct(path, lengths, base::bytesPerVoxel(info.pixel));
    return axes;
}

ImageInfo infoOf(const std::filesystem::path& path, const NrrdLines& lines,
                 std::vector<FileAxis>& inFile) {
    ImageInfo info;
    info.format = name(Format::Nrrd);
    info.pixel = typeOf(path, lines);
    const NrrdSpace space = nrrdSpace(path, lines);
    std::vector<NrrdAxis> all = nrrdAxes(path, lines, space);
    const bool directed = lines.fields.contains("space directions");
    const auto placed = std::count_if(all.begin(), all.end(), [&](const NrrdAxis& axis) {
        return directed ? !axis.direction.empty()
                        : axis.role == NrrdRole::Domain ||
                              (axis.role == NrrdRole::Time && space.dimension == 4);
    });
    const Axes axes = axesOf(path, std::move(all), info, inFile);
    if (axes.space.empty() ||
        (space.dimension > 0 && static_cast<std::int64_t>(space.dimension) != placed)) {
        failInput(path, "its header has " + std::to_string(placed) + " axes in a space of " +
                            std::to_string(space.dimension) + " dimensions, which cannot be read");
    }
    info.components = static_cast<int>(axes.components);
    info.channels = static_cast<int>(axes.channels);
    info.frames = static_cast<int>(axes.frames);
    const auto length = [&](std::size_t axis) {
        return axis < axes.space.size() ? axes.space[axis].size : 1;
    };
    info.extents = {length(0), length(1), length(2)};
    setGeometry(axes.space, space, info.geometry);
    info.directed = directed;
    setUnits(path, lines, axes.space, space, info.geometry);
    for (const auto& [key, value] : lines.texts) {
        // Keys that ITK adds.
        if (!key.starts_with("ITK_") && !key.starts_with("NRRD_")) {
            info.metadata[key] = value;
        }
    }
    return info;
}

} // namespace

Described describeNrrd(const std::filesystem::path& path, const std::stop_token& stop) {
    const NrrdLines lines = readNrrdLines(path);
    Described described;
    RawLayout& layout = described.place.layout;
    described.info = infoOf(path, lines, layout.axes);
    layout.encoding = encodingOf(path, lines);
    layout.swapped = isSwapped(path, lines, described.info.pixel, layout.encoding);
    if (lines.fields.contains("data file")) {
        setNrrdFiles(path, lines, described);
    } else if (!lines.ended) {
        failInput(path, "its NRRD header has no end");
    } else {
        layout.file = path;
        layout.offset = lines.dataOffset;
    }
    setNrrdSkips(path, lines, described, stop);
    return requireRoom(path, std::move(described));
}

std::string nrrdHeader(base::PixelType type, const base::Extents& extents,
                       const base::Geometry& geometry, const Metadata& metadata) {
    const std::array<std::int64_t, 3> sizes{extents.x, extents.y, extents.z};
    const bool flat = isPicture(extents, geometry);
    const std::size_t dimensions = flat ? 2 : 3;
    const auto vector = [&](auto valueAt) {
        std::string text = "(";
        for (std::size_t i = 0; i < dimensions; ++i) {
            text += (i == 0 ? "" : ",") + numberText(valueAt(i));
        }
        return text + ")";
    };
    std::string header = "NRRD0005\n# written by FLCC\ntype: ";
    header += type == base::PixelType::Float32   ? "float"
              : type == base::PixelType::Float64 ? "double"
                                                 : std::string(base::name(type));
    header += "\ndimension: " + std::to_string(dimensions) + "\nsizes:";
    for (std::size_t axis = 0; axis < dimensions; ++axis) {
        header += " " + std::to_string(sizes[axis]);
    }
    header += std::endian::native == std::endian::big ? "\nendian: big" : "\nendian: little";
    header += "\nencoding: raw";
    header += flat ? "\nspace dimension: 2" : "\nspace: left-posterior-superior";
    header += "\nspace directions:";
    for (std::size_t axis = 0; axis < dimensions; ++axis) {
        header += " " + vector([&](std::size_t row) {
                      return geometry.direction[3 * row + axis] * geometry.spacing[axis];
                  });
    }
    header += "\nspace origin: " + vector([&](std::size_t row) { return geometry.origin[row]; });
    if (!geometry.unit.empty() && geometry.unit != "px") {
        header += "\nspace units:";
        for (std::size_t axis = 0; axis < dimensions; ++axis) {
            header += " \"" + geometry.unit + "\"";
        }
    }
    for (const auto& [key, value] : metadata) {
        header += "\n" + requireKey(key) + ":=" + oneLine(value);
    }
    return header + "\n\n";
}

} // namespace flcc::io::detail
