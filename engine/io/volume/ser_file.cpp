// SER of TIA (FEI): a header, a table of places, and pictures that each have a header of 50 bytes.

#include <algorithm>
#include <array>
#include <bit>
#include <fstream>

#include "engine/base/open_file.h"
#include "engine/io/format/headers.h"
#include "engine/io/volume/instruments.h"

namespace flcc::io::detail {

namespace {

constexpr bool kSerSwapped = std::endian::native == std::endian::big;
constexpr std::int64_t kSerHead = 50; ///< before the values of a picture

struct SerType {
    std::int16_t code;
    base::PixelType type;
};
constexpr std::array<SerType, 8> kSerTypes{{{1, base::PixelType::UInt8},
                                            {2, base::PixelType::UInt16},
                                            {3, base::PixelType::UInt32},
                                            {4, base::PixelType::Int8},
                                            {5, base::PixelType::Int16},
                                            {6, base::PixelType::Int32},
                                            {7, base::PixelType::Float32},
                                            {8, base::PixelType::Float64}}};

/// What the header of a picture says.
struct SerPicture {
    std::array<double, 2> origin{}; ///< of the picture's point below
    std::array<double, 2> step{};   ///< metres
    std::array<std::int32_t, 2> point{};
    std::int16_t type = 0;
    std::array<std::int32_t, 2> lengths{};
};

SerPicture pictureOf(const Bytes& bytes) {
    SerPicture picture;
    for (std::size_t axis = 0; axis < 2; ++axis) {
        picture.origin[axis] = field<double>(bytes, 20 * axis, kSerSwapped);
        picture.step[axis] = field<double>(bytes, 20 * axis + 8, kSerSwapped);
        picture.point[axis] = field<std::int32_t>(bytes, 20 * axis + 16, kSerSwapped);
        picture.lengths[axis] = field<std::int32_t>(bytes, 42 + 4 * axis, kSerSwapped);
    }
    picture.type = field<std::int16_t>(bytes, 40, kSerSwapped);
    return picture;
}

class SerFile {
  public:
    explicit SerFile(const std::filesystem::path& path)
        : m_path(path), m_size(requireRegularFile(path)), m_stream(base::openFile(path)) {}

    Bytes bytes(std::int64_t at, std::int64_t count) {
        Bytes all(static_cast<std::size_t>(count));
        if (at < 0 || at > m_size - count || !m_stream.seekg(at) ||
            !m_stream.read(reinterpret_cast<char*>(all.data()), count)) {
            failInput(m_path, "the file is truncated; its header names bytes from " +
                                  std::to_string(at) + " on, and it has " + std::to_string(m_size));
        }
        return all;
    }
    [[nodiscard]] std::int64_t size() const { return m_size; }

  private:
    const std::filesystem::path& m_path;
    std::int64_t m_size;
    std::ifstream m_stream;
};

/// Places of the pictures in the file.
std::vector<std::int64_t> placesOf(const std::filesystem::path& path, SerFile& file,
                                   ImageInfo& info) {
    constexpr std::int16_t kNarrow = 0x210; ///< up to this version places have 4 bytes
    constexpr std::int32_t kPictures = 0x4122;
    const Bytes head = file.bytes(0, 34);
    const auto whole = [&](std::size_t at) { return field<std::int32_t>(head, at, kSerSwapped); };
    const bool wide = field<std::int16_t>(head, 4, kSerSwapped) > kNarrow;
    if (whole(6) != kPictures) {
        failInput(path, "its SER data are spectra, which cannot be read");
    }
    const std::int64_t all = whole(14);
    const std::int64_t valid = whole(18);
    if (valid < 1 || all < valid) {
        failInput(path, "its header gives " + std::to_string(valid) + " pictures of " +
                            std::to_string(all));
    }
    if (valid < all) {
        info.notes.push_back("its series was stopped: it holds " + std::to_string(valid) + " of " +
                             std::to_string(all) + " pictures");
    }
    const std::int64_t table =
        wide ? field<std::int64_t>(head, 22, kSerSwapped) : std::int64_t{whole(22)};
    const std::int64_t width = wide ? 8 : 4;
    if (table < 0) {
        failInput(path,
                  "its header places the list of its pictures at byte " + std::to_string(table));
    }
    requireBytes(path, valid * width, std::max<std::int64_t>(0, file.size() - table));
    const Bytes bytes = file.bytes(table, valid * width);
    std::vector<std::int64_t> places;
    for (std::size_t i = 0; i < static_cast<std::size_t>(valid); ++i) {
        places.push_back(wide ? field<std::int64_t>(bytes, 8 * i, kSerSwapped)
                              : std::int64_t{field<std::uint32_t>(bytes, 4 * i, kSerSwapped)});
    }
    return places;
}

/// TIA writes metres for images; diffraction patterns have far larger numbers.
void setSerSpacing(const SerPicture& picture, ImageInfo& info) {
    constexpr double kWidest = 1e-3;
    const auto& step = picture.step;
    const bool lengths = step[0] > 0 && step[1] > 0 && step[0] < kWidest && step[1] < kWidest;
    if (!lengths) {
        if (step[0] > kWidest) {
            info.notes.emplace_back("its calibration of " + numberText(step[0]) +
                                    " is no length in metres; the spacing is unknown");
        }
        return;
    }
    base::Geometry& geometry = info.geometry;
    geometry.unit = "nm";
    geometry.unitSource = base::UnitSource::Header;
    for (std::size_t axis = 0; axis < 2; ++axis) {
        geometry.spacing[axis] = step[axis] * 1e9;
        const double origin =
            picture.origin[axis] * 1e9 - picture.point[axis] * geometry.spacing[axis];
        geometry.origin[axis] = isPlace(origin) ? origin + 0.0 : 0.0;
    }
}

} // namespace

Described describeSer(const std::filesystem::path& path) {
    Described described;
    ImageInfo& info = described.info;
    RawLayout& layout = described.place.layout;
    info.format = name(Format::Ser);
    SerFile file(path);
    const std::vector<std::int64_t> places = placesOf(path, file, info);
    const SerPicture first = pictureOf(file.bytes(places.front(), kSerHead));
    const auto* type = std::ranges::find(kSerTypes, first.type, &SerType::code);
    if (type == kSerTypes.end()) {
        const bool complex = first.type == 9 || first.type == 10;
        failInput(path, "its values are of the SER type " + std::to_string(first.type) +
                            (complex ? " (complex numbers: save the image itself)" : "") +
                            ", which cannot be read");
    }
    info.pixel = type->type;
    info.extents = {first.lengths[0], first.lengths[1], 1};
    (void)requireProduct(path, {info.extents.x, info.extents.y}, base::bytesPerVoxel(info.pixel));
    info.frames = static_cast<int>(places.size());
    setSerSpacing(first, info);
    layout.file = path;
    layout.swapped = kSerSwapped;
    layout.offset = places.front() + kSerHead;
    for (std::size_t i = 1; i < places.size(); ++i) {
        const SerPicture next = pictureOf(file.bytes(places[i], kSerHead));
        if (next.type != first.type || next.lengths != first.lengths) {
            failInput(path, "picture " + std::to_string(i) + " of its series has " +
                                std::to_string(next.lengths[0]) + "x" +
                                std::to_string(next.lengths[1]) + " values of type " +
                                std::to_string(next.type) + ", the first one others");
        }
        layout.more.push_back({path, places[i] + kSerHead});
    }
    described.hasFooter = true; // times of the pictures
    return requireRoom(path, std::move(described));
}

} // namespace flcc::io::detail
