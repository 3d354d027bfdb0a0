#include "engine/io/detail/raw_file.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cctype>
#include <cerrno>
#include <charconv>
#include <cstring>
#include <fstream>
#include <system_error>

#include "engine/base/error.h"
#include "engine/io/detail/backends.h"

namespace flcc::io::detail {

void failOutput(const std::filesystem::path& target, const std::string& reason) {
    throw base::Error(base::ErrorCode::Output, "cannot write " + shown(target) + ": " + reason);
}

void requireRawBytes(const std::filesystem::path& path, const base::Extents& extents,
                     std::int64_t bytesPerVoxel, std::int64_t frames, std::int64_t present) {
    const std::int64_t oneFrame = base::byteCount(extents, bytesPerVoxel);
    if (oneFrame > INT64_MAX / frames) {
        failInput(path, "its header promises more bytes than a file can hold");
    }
    requireBytes(path, oneFrame * frames, present);
}

void takeEvery(base::AnyImage& target, std::int64_t at, std::int64_t count, const void* source,
               std::int64_t first, std::int64_t step) {
    std::visit(
        [&](auto& image) {
            using Voxel = std::remove_pointer_t<decltype(image.data())>;
            const auto* values = static_cast<const Voxel*>(source) + first;
            for (std::int64_t i = 0; i < count; ++i) {
                image.data()[at + i] = values[i * step];
            }
        },
        target);
}

namespace {

/// The values of one frame as they stand in the file, in our order of bytes.
class FrameReader {
  public:
    FrameReader(const ImageInfo& info, const RawLayout& layout, std::int64_t frame)
        : m_layout(layout), m_bytesPerVoxel(base::bytesPerVoxel(info.pixel)) {
        const std::int64_t frameBytes =
            base::byteCount(info.extents, m_bytesPerVoxel * info.components * info.channels);
        if (layout.packed) {
            unpack((frame + 1) * frameBytes);
            m_at = frame * frameBytes;
        } else {
            m_file.open(layout.file, std::ios::binary);
            m_file.seekg(layout.offset + frame * frameBytes);
        }
    }

    /// The next `count` values.
    void read(void* target, std::int64_t count) {
        const std::int64_t bytes = count * m_bytesPerVoxel;
        if (m_layout.packed) {
            std::memcpy(target, m_unpacked.data() + m_at, static_cast<std::size_t>(bytes));
            m_at += bytes;
        } else if (!m_file.read(static_cast<char*>(target), bytes)) {
            failInput(m_layout.file, "the file ended while its voxels were read");
        }
        if (m_layout.swapped) {
            swapBytes(target, count, m_bytesPerVoxel);
        }
    }

  private:
    void unpack(std::int64_t bytes) {
#ifdef FLCC_IMAGE_IO
        m_unpacked = base::Image<std::uint8_t>({bytes, 1, 1});
        inflateInto(m_layout.file, m_layout.offset, m_unpacked.data(), bytes);
#else
        (void)bytes;
        failInput(m_layout.file, "this build reads no packed files (built without ITK)");
#endif
    }

    const RawLayout& m_layout;
    std::int64_t m_bytesPerVoxel;
    std::ifstream m_file;
    base::Image<std::uint8_t> m_unpacked;
    std::int64_t m_at = 0;
};

} // namespace

std::vector<base::AnyImage> readRaw(const ImageInfo& info, const RawLayout& layout,
                                    const Choice& choice) {
    const std::int64_t together = std::int64_t{1} * info.components * info.channels;
    FrameReader reader(info, layout, choice.frame);
    std::vector<base::AnyImage> planes;
    for (int i = 0; i < info.components; ++i) {
        planes.push_back(base::makeImage(info.pixel, info.extents));
    }
    if (together == 1) {
        reader.read(bytesOf(planes.front()), base::voxelCount(info.extents));
        return planes;
    }
    // Side by side in the file, one plane each in memory: a slice at a time.
    const std::int64_t sliceCount = info.extents.x * info.extents.y;
    base::AnyImage slice =
        base::makeImage(info.pixel, {info.extents.x * together, info.extents.y, 1});
    for (std::int64_t z = 0; z < info.extents.z; ++z) {
        reader.read(bytesOf(slice), sliceCount * together);
        for (std::size_t plane = 0; plane < planes.size(); ++plane) {
            const std::int64_t first =
                info.channels > 1 ? choice.channel : static_cast<std::int64_t>(plane);
            takeEvery(planes[plane], z * sliceCount, sliceCount, bytesOf(slice), first, together);
        }
    }
    return planes;
}

void writeRaw(const std::filesystem::path& path, const std::filesystem::path& target,
              const std::string& header, const base::AnyView& pixels) {
    std::ofstream file(path, std::ios::binary | std::ios::trunc);
    errno = 0;
    file.write(header.data(), static_cast<std::streamsize>(header.size()));
    std::visit(
        [&](const auto& view) {
            const base::Extents& n = view.extents();
            const auto rowBytes =
                static_cast<std::streamsize>(n.x * static_cast<std::int64_t>(sizeof(*view.data())));
            for (std::int64_t z = 0; file && z < n.z; ++z) {
                for (std::int64_t y = 0; file && y < n.y; ++y) {
                    file.write(reinterpret_cast<const char*>(view.row(y, z)), rowBytes);
                }
            }
        },
        pixels);
    file.close();
    if (!file) {
        failOutput(target, errno == 0 ? "the disk did not take all of it"
                                      : std::generic_category().message(errno));
    }
}

void writeNrrd(const std::filesystem::path& path, const std::filesystem::path& target,
               const base::AnyView& pixels, const base::Geometry& geometry,
               const Metadata& metadata) {
    const base::Extents extents = base::extentsOf(pixels);
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
    const auto type = base::pixelType(pixels);
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
    header += "\n\n";
    writeRaw(path, target, header, pixels);
}

void setHeaderUnit(base::Geometry& geometry, const std::string& text) {
    const Unit unit = parseUnit(text);
    if (!unit.name.empty()) {
        for (std::size_t axis = 0; axis < 3; ++axis) {
            geometry.spacing[axis] *= unit.factor;
            geometry.origin[axis] *= unit.factor;
        }
        geometry.unit = unit.name;
        geometry.unitSource = base::UnitSource::Header;
        return;
    }
    const bool spaced = std::any_of(geometry.spacing.begin(), geometry.spacing.end(),
                                    [](double spacing) { return spacing != 1; });
    geometry.unit = spaced ? "mm" : "px";
    geometry.unitSource = base::UnitSource::Missing;
}

std::string numberText(double value) {
    std::array<char, 32> text{};
    const auto result = std::to_chars(text.data(), text.data() + text.size(), value);
    return {text.data(), result.ptr};
}

std::string requireKey(const std::string& key) {
    const bool good = !key.empty() && std::all_of(key.begin(), key.end(), [](unsigned char c) {
        return std::isalnum(c) != 0 || c == '_' || c == '.' || c == '-';
    });
    if (!good) {
        throw base::Error(base::ErrorCode::Internal, "\"" + key + "\" cannot be a metadata key");
    }
    return key;
}

std::string oneLine(const std::string& value) {
    std::string line = value;
    std::replace_if(
        line.begin(), line.end(), [](unsigned char c) { return c < 0x20 || c == 0x7f; }, ' ');
    return line;
}

} // namespace flcc::io::detail
