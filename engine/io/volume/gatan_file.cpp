// DM3 and DM4 of DigitalMicrograph: tags, among them the voxels of the images.

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <set>

#include "engine/io/format/headers.h"
#include "engine/io/volume/gatan_tags.h"
#include "engine/io/volume/instruments.h"

namespace flcc::io::detail {

namespace {

struct GatanType {
    int code;
    base::PixelType type;
};
constexpr std::array<GatanType, 11> kGatanTypes{{{1, base::PixelType::Int16},
                                                 {2, base::PixelType::Float32},
                                                 {6, base::PixelType::UInt8},
                                                 {7, base::PixelType::Int32},
                                                 {9, base::PixelType::Int8},
                                                 {10, base::PixelType::UInt16},
                                                 {11, base::PixelType::UInt32},
                                                 {12, base::PixelType::Float64},
                                                 {14, base::PixelType::UInt8}, // yes or no
                                                 {39, base::PixelType::Int64},
                                                 {40, base::PixelType::UInt64}}};

/// One image of the file.
class GatanImage {
  public:
    GatanImage(const std::filesystem::path& path, const GatanTags& tags, int index)
        : m_path(path), m_tags(tags), m_name("ImageList/" + std::to_string(index) + "/ImageData/") {
    }

    /// Whether it has voxels.
    [[nodiscard]] bool exists() const { return m_tags.arrays.contains(m_name + "Data"); }

    [[nodiscard]] Described describe() const {
        Described described;
        ImageInfo& info = described.info;
        info.format = name(Format::Gatan);
        info.pixel = type();
        std::vector<std::int64_t> lengths = this->lengths();
        const std::size_t axes = lengths.size();
        lengths.resize(3, 1);
        const std::int64_t values = requireProduct(m_path, lengths, 1);
        const GatanArray& data = m_tags.arrays.at(m_name + "Data");
        if (data.bytes != base::bytesPerVoxel(info.pixel) || data.count < values) {
            failInput(m_path, "its header gives " + std::to_string(values) + " voxels of " +
                                  std::string(base::name(info.pixel)) + ", but its data has " +
                                  std::to_string(data.count) + " values of " +
                                  std::to_string(data.bytes) + " bytes");
        }
        info.extents = {lengths[0], lengths[1], lengths[2]};
        setGeometry(axes, info);
        RawLayout& layout = described.place.layout;
        layout.file = m_path;
        layout.offset = data.offset;
        layout.swapped = m_tags.swapped;
        described.hasFooter = true; // further tags
        return described;
    }

  private:
    [[nodiscard]] base::PixelType type() const {
        const double code = m_tags.number(m_name + "DataType").value_or(-1);
        const auto* type = std::ranges::find_if(
            kGatanTypes, [&](const GatanType& each) { return each.code == code; });
        if (type != kGatanTypes.end()) {
            return type->type;
        }
        const bool complex = code == 3 || code == 5 || code == 13 || code == 27 || code == 28;
        const bool colour = code == 8 || code == 23;
        failInput(m_path, complex  ? "its voxels are complex numbers: save the image itself"
                          : colour ? "its voxels are colours, which cannot be read; save it as TIFF"
                                   : "its voxels are of Gatan's type " + numberText(code) +
                                         ", which cannot be read");
    }

    [[nodiscard]] std::vector<std::int64_t> lengths() const {
        constexpr double kLongest = 1e12;
        std::vector<std::int64_t> lengths;
        while (const auto length =
                   m_tags.number(m_name + "Dimensions/" + std::to_string(lengths.size()))) {
            lengths.push_back(*length >= 1 && *length < kLongest
                                  ? static_cast<std::int64_t>(*length)
                                  : std::int64_t{0});
        }
        while (lengths.size() > 3 && lengths.back() == 1) {
            lengths.pop_back();
        }
        if (lengths.empty() || lengths.size() > 3) {
            failInput(m_path, "its image has " + std::to_string(lengths.size()) +
                                  " dimensions; 1 to 3 can be read");
        }
        return lengths;
    }

    struct Axis {
        double scale = 0;
        double origin = 0; ///< voxel at 0
        std::string unit;
    };
    [[nodiscard]] Axis axis(std::size_t index) const {
        const std::string name = m_name + "Calibrations/Dimension/" + std::to_string(index) + "/";
        const auto unit = m_tags.texts.find(name + "Units");
        return {.scale = m_tags.number(name + "Scale").value_or(0),
                .origin = m_tags.number(name + "Origin").value_or(0),
                .unit = unit == m_tags.texts.end() ? "" : unit->second};
    }

    void setGeometry(std::size_t axes, ImageInfo& info) const {
        std::array<Axis, 3> all{axis(0), axis(1), axis(2)};
        for (std::size_t i = 0; i < std::min<std::size_t>(axes, 2); ++i) {
            const bool known = all[i].scale > 0 && isPlace(all[i].scale) && isPlace(all[i].origin);
            if (!known || parseUnit(all[i].unit).name.empty()) {
                if (!all[i].unit.empty()) {
                    info.notes.push_back("its calibration is in " + inQuotes(all[i].unit) +
                                         ", which is no length; the spacing is unknown");
                }
                return;
            }
        }
        if (axes == 3 && (parseUnit(all[2].unit).name.empty() || !(all[2].scale > 0))) {
            info.notes.push_back("its third axis has no length (its unit is " +
                                 inQuotes(all[2].unit) +
                                 "); the distance of its pictures was taken as that of pixels");
            all[2] = {.scale = all[0].scale, .origin = 0, .unit = all[0].unit};
        }
        base::Geometry& geometry = info.geometry;
        geometry.unit = parseUnit(all[0].unit).name;
        geometry.unitSource = base::UnitSource::Header;
        for (std::size_t i = 0; i < axes; ++i) {
            const Unit unit = parseUnit(all[i].unit);
            const double factor = unit.name == geometry.unit ? unit.factor
                                                             : unit.factor * unitLength(unit.name) /
                                                                   unitLength(geometry.unit);
            geometry.spacing[i] = all[i].scale * factor;
            geometry.origin[i] = -all[i].origin * geometry.spacing[i] + 0.0; // no -0
        }
    }

    const std::filesystem::path& m_path;
    const GatanTags& m_tags;
    std::string m_name;
};

} // namespace

bool isGatan(const FileStart& start) {
    constexpr bool kSwapped = std::endian::native == std::endian::little;
    if (start.bytes.size() < 32) {
        return false;
    }
    const auto at = [&](std::size_t offset) {
        return field<std::uint32_t>(start.bytes, offset, kSwapped);
    };
    const std::uint32_t version = at(0);
    return (version == 3 || version == 4) && at(version == 3 ? 8 : 12) <= 1;
}

Described describeGatan(const std::filesystem::path& path) {
    constexpr int kMostImages = 1024;
    const GatanTags tags = readGatanTags(path);
    std::set<int> small; // pictures of other images
    for (const auto& [name, value] : tags.numbers) {
        if (name.starts_with("Thumbnails/") && name.ends_with("/ImageIndex") && value >= 0 &&
            value < kMostImages) {
            small.insert(static_cast<int>(value));
        }
    }
    std::vector<GatanImage> images;
    for (int index = 0; index < kMostImages; ++index) {
        const GatanImage image(path, tags, index);
        if (image.exists() && !small.contains(index)) {
            images.push_back(image);
        }
    }
    if (images.empty()) {
        failInput(path, "it holds no image of DigitalMicrograph but a small picture at most");
    }
    Described described = images.front().describe();
    if (images.size() > 1) {
        described.info.notes.push_back("the first of its " + std::to_string(images.size()) +
                                       " images; the others are not read");
    }
    return requireRoom(path, std::move(described));
}

} // namespace flcc::io::detail
