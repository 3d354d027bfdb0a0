#include <algorithm>
#include <array>
#include <bit>
#include <cmath>

#include "engine/io/format/backends.h"
#include "engine/io/format/byte_source.h"
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

/// Empty where the voxels follow the header.
std::filesystem::path voxelFileOf(const std::filesystem::path& path, const NrrdLines& lines) {
    return lines.fields.contains("data file") ? requireNeighbour(path, lines.get("data file"))
                                              : std::filesystem::path();
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

/// Where `lines` lines from `offset` on end.
std::int64_t skipLines(const std::filesystem::path& path, std::int64_t offset, std::int64_t lines,
                       const std::stop_token& stop) {
    FileStream file(path, offset, nullptr, stop);
    std::vector<char> block(std::size_t{1} << 16);
    while (lines > 0) {
        const std::int64_t got = file.read(block.data(), static_cast<std::int64_t>(block.size()));
        if (got == 0) {
            failInput(path, "the file is truncated");
        }
        for (std::int64_t i = 0; i < got && lines > 0; ++i, ++offset) {
            lines -= block[static_cast<std::size_t>(i)] == '\n' ? 1 : 0;
        }
    }
    return offset;
}

/// Geometry of the first three domain axes.
void setGeometry(const std::vector<NrrdAxis>& domain, const NrrdSpace& space,
                 base::Geometry& geometry) {
    const std::size_t used = std::min<std::size_t>(3, domain.size());
    const auto sign = [&](std::size_t row) {
        // With time as the fourth axis, readers of this format have not turned the space.
        const bool flip =
            space.dimension == 3 && ((row == 0 && space.flipX) || (row == 1 && space.flipY));
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
        } else if (!std::isnan(axis.spacing)) {
            geometry.spacing[a] = axis.spacing;
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
        return !std::isnan(axis.min) && (!std::isnan(axis.max) || !std::isnan(axis.spacing));
    });
    for (std::size_t a = 0; known && a < used; ++a) {
        const NrrdAxis& axis = domain[a];
        const double spacing = std::isnan(axis.spacing)
                                   ? (axis.max - axis.min) / static_cast<double>(axis.size)
                                   : axis.spacing;
        geometry.origin[a] = axis.min + (axis.node ? 0 : spacing / 2);
    }
}

/// The first quoted unit of the space, or else of the axes.
std::string unitOf(const NrrdLines& lines) {
    std::string unit;
    for (const std::string& text : {lines.get("space units"), lines.get("units")}) {
        const auto open = text.find('"');
        const auto close = open == std::string::npos ? open : text.find('"', open + 1);
        if (close != std::string::npos && unit.empty()) {
            unit = text.substr(open + 1, close - open - 1);
        }
    }
    return unit;
}

/// The image, and in `inner` the number of values before those of the next component.
ImageInfo infoOf(const std::filesystem::path& path, const NrrdLines& lines, std::int64_t& inner) {
    ImageInfo info;
    info.format = name(Format::Nrrd);
    info.pixel = typeOf(path, lines);
    const NrrdSpace space = nrrdSpace(path, lines);
    std::vector<NrrdAxis> domain;
    std::vector<std::int64_t> all;
    std::vector<std::int64_t> lengths;
    std::int64_t values = 0; // of a voxel; 0 before the axis that holds them
    inner = 1;
    for (NrrdAxis& axis : nrrdAxes(path, lines, space)) {
        all.push_back(axis.size);
        if (axis.role == NrrdRole::Domain) {
            lengths.push_back(axis.size);
            domain.push_back(std::move(axis));
            continue;
        }
        if (values > 0) {
            failInput(path, "its header has several axes of components, which cannot be read");
        }
        if (axis.role == NrrdRole::Complex) {
            failInput(path, "its pixels are complex numbers, which cannot be read");
        }
        inner = requireProduct(path, lengths, 1);
        values = axis.size;
        if (values > 1'000'000'000) {
            failInput(path, "its header gives " + std::to_string(values) + " channels");
        }
        (axis.role == NrrdRole::Colour ? info.components : info.channels) =
            static_cast<int>(values);
    }
    (void)requireProduct(path, all, base::bytesPerVoxel(info.pixel));
    if (domain.empty() || (space.dimension > 0 && space.dimension != domain.size())) {
        failInput(path, "its header has " + std::to_string(domain.size()) + " axes in a space of " +
                            std::to_string(space.dimension) + " dimensions, which cannot be read");
    }
    info.frames = requireFrames(path, lengths);
    lengths.resize(std::max<std::size_t>(3, lengths.size()), 1);
    info.extents = {lengths[0], lengths[1], lengths[2]};
    setGeometry(domain, space, info.geometry);
    setHeaderUnit(info.geometry, unitOf(lines));
    for (const auto& [key, value] : lines.texts) {
        // Keys that ITK adds.
        if (!key.starts_with("ITK_") && !key.starts_with("NRRD_")) {
            info.metadata[key] = value;
        }
    }
    return info;
}

} // namespace

std::filesystem::path nrrdVoxelFile(const std::filesystem::path& path) {
    return voxelFileOf(path, readNrrdLines(path));
}

Described describeNrrd(const std::filesystem::path& path, const std::stop_token& stop) {
    const NrrdLines lines = readNrrdLines(path);
    Described described;
    ImageInfo& info = described.info;
    RawLayout& layout = described.place.layout;
    info = infoOf(path, lines, layout.inner);
    layout.encoding = encodingOf(path, lines);
    layout.swapped = isSwapped(path, lines, info.pixel, layout.encoding);
    const std::filesystem::path beside = voxelFileOf(path, lines);
    if (beside.empty() && !lines.ended) {
        failInput(path, "its NRRD header has no end");
    }
    layout.file = beside.empty() ? path : beside;
    layout.offset = beside.empty() ? lines.dataOffset : 0;
    const std::int64_t size = requireRegularFile(layout.file);
    if (lines.fields.contains("line skip")) {
        const std::int64_t count = nrrdWhole(path, lines, "line skip");
        if (count < 0) {
            failInput(path, "\"line skip\" in its header is -1");
        }
        layout.offset = skipLines(layout.file, layout.offset, count, stop);
    }
    if (lines.fields.contains("byte skip")) {
        const std::int64_t skip = nrrdWhole(path, lines, "byte skip");
        if (skip >= 0 && layout.encoding == Encoding::Packed) {
            layout.skip = skip;
        } else if (skip >= 0) {
            layout.offset += std::min(skip, size);
        } else if (layout.encoding == Encoding::Plain) {
            // -1: all bytes before the voxels, which end with the file.
            const std::int64_t voxel =
                base::bytesPerVoxel(info.pixel) * info.components * info.channels;
            requireRawBytes(layout.file, info.extents, voxel, info.frames, size);
            layout.offset = size - base::byteCount(info.extents, voxel) * info.frames;
        } else {
            failInput(path, "\"byte skip\" in its header is -1, which needs raw encoding");
        }
    }
    return requireRoom(path, std::move(described));
}

std::string nrrdHeader(base::PixelType type, const base::Extents& extents,
                       const base::Geometry& geometry, const Metadata& metadata) {
    const std::array<std::int64_t, 3> sizes{extents.x, extents.y, extents.z};
    const bool flat = base::isFlat2D(extents);
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
