#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

#include "engine/io/format/backends.h"
#include "engine/io/format/byte_source.h"
#include "engine/io/format/headers.h"
#include "engine/io/volume/nifti_grid.h"

namespace flcc::io::detail {

namespace {

constexpr std::int32_t kFirstSize = 348;
constexpr std::int32_t kSecondSize = 540;
constexpr int kSymmetricMatrix = 1005;
constexpr int kVector = 1007;
constexpr int kGeneralMatrix = 1004;

/// Kinds of voxels that are images of numbers.
struct NiftiType {
    std::int16_t code;
    base::PixelType type;
    int values; ///< of a voxel, side by side
};
constexpr std::array<NiftiType, 12> kNiftiTypes{{{2, base::PixelType::UInt8, 1},
                                                 {4, base::PixelType::Int16, 1},
                                                 {8, base::PixelType::Int32, 1},
                                                 {16, base::PixelType::Float32, 1},
                                                 {64, base::PixelType::Float64, 1},
                                                 {128, base::PixelType::UInt8, 3},
                                                 {256, base::PixelType::Int8, 1},
                                                 {512, base::PixelType::UInt16, 1},
                                                 {768, base::PixelType::UInt32, 1},
                                                 {1024, base::PixelType::Int64, 1},
                                                 {1280, base::PixelType::UInt64, 1},
                                                 {2304, base::PixelType::UInt8, 4}}};

/// The fields of both versions of the header that are used.
struct Fields {
    bool second = false; ///< NIfTI-2
    bool swapped = false;
    NiftiType type{};
    std::vector<std::int64_t> lengths;
    std::array<double, 8> spacing{};
    std::int64_t dataOffset = 0;
    double slope = 0;
    double intercept = 0;
    int units = 0;
    int intent = 0;
    NiftiGrid grid;
    bool analyze = false; ///< Analyze 7.5: no NIfTI header
    bool voxelsBeside = false;
    std::array<int, 3> analyzeOrigin{}; ///< SPM's origin in voxels, counted from 1; 0: none
    int analyzeOrient = 0;
    Metadata texts;
    std::vector<std::string> notes;
};

/// Reads fields at their place in either version of the header.
class FieldReader {
  public:
    FieldReader(const Bytes& bytes, bool second, bool swapped)
        : m_bytes(bytes), m_second(second), m_swapped(swapped) {}

    /// A float32 of NIfTI-1, a float64 of NIfTI-2, number `index` of an array.
    [[nodiscard]] double real(std::size_t first, std::size_t second, std::size_t index = 0) const {
        return m_second ? field<double>(m_bytes, second + 8 * index, m_swapped)
                        : static_cast<double>(field<float>(m_bytes, first + 4 * index, m_swapped));
    }
    /// An int16 of NIfTI-1, an int32 of NIfTI-2.
    [[nodiscard]] int code(std::size_t first, std::size_t second) const {
        return m_second ? field<std::int32_t>(m_bytes, second, m_swapped)
                        : field<std::int16_t>(m_bytes, first, m_swapped);
    }
    [[nodiscard]] std::int64_t length(std::size_t index) const {
        return m_second ? field<std::int64_t>(m_bytes, 16 + 8 * index, m_swapped)
                        : field<std::int16_t>(m_bytes, 40 + 2 * index, m_swapped);
    }
    /// A text that ends with its field or with a zero.
    [[nodiscard]] std::string text(std::size_t first, std::size_t second, std::size_t size) const {
        const auto begin = m_bytes.begin() + static_cast<std::ptrdiff_t>(m_second ? second : first);
        const auto end = std::find(begin, begin + static_cast<std::ptrdiff_t>(size), 0);
        const std::string line = oneLine(std::string(begin, end));
        return line.substr(0, line.find_last_not_of(' ') + 1);
    }

  private:
    const Bytes& m_bytes;
    bool m_second;
    bool m_swapped;
};

double requirePlace(const std::filesystem::path& path, double value) {
    if (!isPlace(value)) {
        failInput(path, "its header gives a spacing or position of " + std::to_string(value));
    }
    return value;
}

NiftiGrid gridOf(const std::filesystem::path& path, const FieldReader& read, Fields& fields) {
    const auto place = [&](std::size_t first, std::size_t other, std::size_t index) {
        return requirePlace(path, read.real(first, other, index));
    };
    NiftiGrid grid;
    grid.single = !fields.second;
    std::string negative;
    for (std::size_t axis = 0; axis < 3; ++axis) {
        const double spacing = place(76, 104, axis + 1);
        if (spacing < 0 && axis < fields.lengths.size()) {
            negative += (negative.empty() ? "" : ", ") + numberText(spacing);
        }
        grid.spacing[axis] = spacing == 0 ? 1 : std::abs(spacing); // 0: not given
    }
    if (!negative.empty()) {
        fields.notes.push_back("its header gives a negative voxel spacing (" + negative +
                               "); it was read as positive");
    }
    if (fields.analyze) {
        return grid;
    }
    grid.quaternionCode = read.code(252, 344);
    grid.matrixCode = read.code(254, 348);
    grid.handedness = place(76, 104, 0);
    for (std::size_t axis = 0; axis < 3; ++axis) {
        grid.quaternion[axis] = place(256, 352, axis);
        grid.offset[axis] = place(268, 376, axis);
        for (std::size_t column = 0; column < 4; ++column) {
            grid.matrix[axis][column] = place(280, 400, 4 * axis + column);
        }
    }
    return grid;
}

void setTexts(const FieldReader& read, Fields& fields) {
    const auto add = [&](const char* key, const std::string& value) {
        if (!value.empty()) {
            fields.texts[key] = value;
        }
    };
    add("descrip", read.text(148, 240, 80));
    add("aux_file", read.text(228, 320, 24));
    if (fields.analyze) {
        return;
    }
    add("intent_name", read.text(328, 508, 16));
    add("intent_code", std::to_string(fields.intent));
    add("qform_code", std::to_string(fields.grid.quaternionCode));
    add("sform_code", std::to_string(fields.grid.matrixCode));
    add("scl_slope", numberText(fields.slope));
    add("scl_inter", numberText(fields.intercept));
}

/// Analyze 7.5 has no magic; SPM keeps a factor and an origin in fields of its own.
void setAnalyze(const Bytes& bytes, Fields& fields) {
    fields.analyze = true;
    fields.analyzeOrient = bytes[252];
    for (std::size_t axis = 0; axis < 3; ++axis) {
        fields.analyzeOrigin[axis] = field<std::int16_t>(bytes, 253 + 2 * axis, fields.swapped);
    }
}

/// What the voxels are. **Errors**: Input for a kind that is no image of numbers.
NiftiType typeOf(const std::filesystem::path& path, int code) {
    const auto* type =
        std::find_if(kNiftiTypes.begin(), kNiftiTypes.end(),
                     [&](const NiftiType& candidate) { return candidate.code == code; });
    if (type == kNiftiTypes.end()) {
        const bool complex = code == 32 || code == 1792 || code == 2048;
        failInput(path, "its voxels are of the NIfTI type " + std::to_string(code) +
                            (complex ? " (complex numbers: save their magnitude)" : "") +
                            ", which cannot be read");
    }
    return *type;
}

void setLengthsOfAxes(const std::filesystem::path& path, const FieldReader& read, Fields& fields) {
    const std::int64_t axes = read.length(0);
    if (axes < 1 || axes > 7) {
        failInput(path, "its NIfTI header gives " + std::to_string(axes) +
                            " dimensions; 1 to 7 can be read");
    }
    for (std::size_t axis = 1; axis <= static_cast<std::size_t>(axes); ++axis) {
        // Some programs count four dimensions and leave the length of the last at 0.
        const std::int64_t length = read.length(axis);
        fields.lengths.push_back(length == 0 && axis > 3 ? 1 : length);
        (void)requirePlace(path, read.real(76, 104, axis));
    }
    for (auto axis = static_cast<std::size_t>(axes) + 1; axis <= 7 && !fields.analyze; ++axis) {
        if (read.length(axis) > 1) {
            failInput(path, "dim[0] is " + std::to_string(axes) + " in its NIfTI header, but dim[" +
                                std::to_string(axis) + "] is " + std::to_string(read.length(axis)));
        }
    }
}

/// Where the voxels begin in their file: in a single file after the header, in an .img file at its
/// beginning unless the header says otherwise.
void setDataOffset(const std::filesystem::path& path, const Bytes& bytes, Fields& fields) {
    constexpr double kFarthest = 1e15;
    const double given = fields.second
                             ? static_cast<double>(field<std::int64_t>(bytes, 168, fields.swapped))
                             : static_cast<double>(field<float>(bytes, 108, fields.swapped));
    const double offset = std::isfinite(given) ? std::clamp(given, -kFarthest, kFarthest) : 0.0;
    if (fields.voxelsBeside) { // SPM writes a negative offset where it means every file of a series
        fields.dataOffset = static_cast<std::int64_t>(std::abs(offset));
        return;
    }
    const std::int64_t least = fields.second ? kSecondSize : kFirstSize;
    if (offset >= static_cast<double>(least)) {
        fields.dataOffset = static_cast<std::int64_t>(offset);
        return;
    }
    // Four bytes after the header say whether extensions follow. Some files do without.
    const std::int64_t promised = requireProduct(
        path, fields.lengths, base::bytesPerVoxel(fields.type.type) * fields.type.values);
    const bool without = !isGzip(path) && requireRegularFile(path) - least < promised + 4;
    fields.dataOffset = least + (without ? 0 : 4);
    fields.notes.push_back("its header does not say where the voxels begin (vox_offset " +
                           numberText(given) + "); they were read from byte " +
                           std::to_string(fields.dataOffset) + " on");
}

Fields readFields(const std::filesystem::path& path, bool beside) {
    const Bytes bytes =
        isGzip(path) ? unpackedStart(path, kSecondSize) : readBytes(path, 0, kSecondSize);
    if (bytes.size() < static_cast<std::size_t>(kFirstSize)) {
        failInput(path, "the file is truncated; a NIfTI header has 348 bytes or more");
    }
    Fields fields;
    const auto plain = field<std::int32_t>(bytes, 0, false);
    fields.swapped = plain != kFirstSize && plain != kSecondSize;
    const auto size = field<std::int32_t>(bytes, 0, fields.swapped);
    fields.second = size == kSecondSize;
    if (size != kFirstSize && size != kSecondSize) {
        failInput(path, "its NIfTI header is damaged: it gives its own size as " +
                            std::to_string(plain) + " bytes");
    }
    if (bytes.size() < static_cast<std::size_t>(size)) {
        failInput(path, "the file is truncated; a NIfTI-2 header has 540 bytes");
    }
    const std::size_t magic = fields.second ? 4 : 344;
    const bool nifti = bytes[magic] == 'n' && (bytes[magic + 1] == '+' || bytes[magic + 1] == 'i');
    fields.voxelsBeside = nifti ? bytes[magic + 1] == 'i' : beside;
    if (!nifti && beside && !fields.second) {
        setAnalyze(bytes, fields);
    } else if (!nifti) {
        failInput(path, "its NIfTI header is damaged: the word n+1 or ni1 is missing");
    }
    if (fields.voxelsBeside && !beside) {
        failInput(path, "its voxels lie in another file (.img); name its header .hdr");
    }
    const FieldReader read(bytes, fields.second, fields.swapped);
    fields.type = typeOf(path, field<std::int16_t>(bytes, fields.second ? 12 : 70, fields.swapped));
    const int bits = field<std::int16_t>(bytes, fields.second ? 14 : 72, fields.swapped);
    if (const std::int64_t voxel = 8 * base::bytesPerVoxel(fields.type.type) * fields.type.values;
        bits != 0 && bits != voxel && !fields.analyze) {
        failInput(path,
                  "bitpix is " + std::to_string(bits) + " in its NIfTI header, but datatype " +
                      std::to_string(fields.type.code) + " has " + std::to_string(voxel) + " bits");
    }
    setLengthsOfAxes(path, read, fields);
    setDataOffset(path, bytes, fields);
    fields.slope = read.real(112, 176);
    fields.intercept = read.real(116, 184);
    if (!fields.analyze) {
        fields.units =
            fields.second ? field<std::int32_t>(bytes, 500, fields.swapped) : int{bytes[123]};
        fields.intent = read.code(68, 504);
    }
    fields.grid = gridOf(path, read, fields);
    setTexts(read, fields);
    return fields;
}

/// Extents, frames, components and channels. Returns the number of axes of the grid.
std::size_t setLengths(const std::filesystem::path& path, const Fields& fields, ImageInfo& info) {
    std::vector<std::int64_t> lengths = fields.lengths;
    std::size_t axes = lengths.size();
    lengths.resize(7, 1);
    info.extents = {lengths[0], lengths[1], lengths[2]};
    info.components = fields.type.values;
    if (fields.intent == kGeneralMatrix) {
        failInput(path, "its voxels are matrices, which cannot be read");
    }
    if (fields.intent != kVector && fields.intent != kSymmetricMatrix) {
        info.frames = requireFrames(path, fields.lengths);
        return axes;
    }
    // The fifth axis holds the values of a voxel.
    if (fields.type.values > 1 && lengths[4] > 1) {
        failInput(path, "its NIfTI header contradicts itself: vectors of colours");
    }
    info.frames = requireFrames(path, {1, 1, 1, lengths[3], lengths[5], lengths[6]});
    info.channels = requireFrames(path, {1, 1, 1, lengths[4]});
    for (axes = 4; axes > 1 && lengths[axes - 1] == 1; --axes) {
    }
    return axes;
}

/// Sets the type of the image, and how the values of the file become those of the image.
void setScaling(const Fields& fields, ImageInfo& info, VoxelPlace& place) {
    constexpr double kLeast = std::numeric_limits<double>::epsilon();
    // Colours are not scaled: so the standard says of scl_slope.
    const bool given = std::isfinite(fields.slope) && fields.slope != 0 && fields.type.values == 1;
    const double slope = given ? fields.slope : 1;
    const double intercept = std::isfinite(fields.intercept) ? fields.intercept : 0;
    const bool rescales = given && (std::abs(slope - 1) > kLeast || intercept != 0);
    info.pixel = fields.type.type;
    if (rescales && base::isInteger(info.pixel)) {
        // Integers of 32 bits and more have no place in a float.
        info.pixel = base::bytesPerVoxel(info.pixel) < 4 ? base::PixelType::Float32
                                                         : base::PixelType::Float64;
    }
    if (info.pixel != fields.type.type || (given && !base::isInteger(info.pixel))) {
        place.stored = fields.type.type;
        place.slope = slope;
        place.intercept = given ? intercept : 0; // without a slope the values count as they are
    }
}

void setUnit(const Fields& fields, std::size_t axes, base::Geometry& geometry) {
    const int code = fields.units & 7; // 1 m, 2 mm, 3 um; others are taken for mm
    geometry.unit = code == 3 ? "um" : "mm";
    geometry.unitSource =
        code == 0 && !fields.analyze ? base::UnitSource::Missing : base::UnitSource::Header;
    for (std::size_t axis = 0; code == 1 && axis < std::min<std::size_t>(3, axes); ++axis) {
        geometry.spacing[axis] *= 1000;
        geometry.origin[axis] *= 1000;
    }
}

/// Colours lie side by side; the values of a vector lie behind all frames of the fourth axis.
std::vector<FileAxis> axesOf(const Fields& fields, const ImageInfo& info) {
    const std::int64_t fourth =
        info.channels > 1 && fields.lengths.size() > 3 ? fields.lengths[3] : info.frames;
    return {{AxisRole::Component, info.components},
            {AxisRole::X, info.extents.x},
            {AxisRole::Y, info.extents.y},
            {AxisRole::Z, info.extents.z},
            {AxisRole::Frame, fourth},
            {AxisRole::Channel, info.channels},
            {AxisRole::Frame, info.frames / fourth}};
}

} // namespace

Described describeNifti(const std::filesystem::path& path) {
    const std::optional<HeaderAndVoxels> pair = niftiPairOf(path);
    const std::filesystem::path header = pair ? pair->header : path;
    Fields fields = readFields(header, pair.has_value());
    if (fields.voxelsBeside && pair->voxels.empty()) {
        failInput(path, "the file of its voxels (.img) is missing beside it");
    }
    Described described;
    ImageInfo& info = described.info;
    info.format = name(Format::Nifti);
    info.metadata = fields.texts;
    (void)requireProduct(path, fields.lengths,
                         base::bytesPerVoxel(fields.type.type) * fields.type.values);
    const std::size_t axes = setLengths(path, fields, info);
    info.notes = fields.notes;
    if (fields.analyze) {
        setAnalyzeGeometry(fields.grid.spacing, fields.analyzeOrigin, fields.analyzeOrient, info);
    } else {
        setNiftiGeometry(path, fields.grid, axes, info);
    }
    setUnit(fields, axes, info.geometry);
    setScaling(fields, info, described.place);
    if (fields.analyze && described.place.stored) {
        info.notes.push_back("its values were multiplied by SPM's factor " +
                             numberText(described.place.slope) + " and moved by " +
                             numberText(described.place.intercept));
    }
    RawLayout& layout = described.place.layout;
    layout.file = fields.voxelsBeside ? pair->voxels : header;
    if (fields.voxelsBeside) {
        described.headerFile = header;
    }
    layout.swapped = fields.swapped;
    const bool packed = isGzip(layout.file);
    layout.encoding = packed ? Encoding::Packed : Encoding::Plain;
    (packed ? layout.skip : layout.offset) = fields.dataOffset;
    layout.axes = axesOf(fields, info);
    return requireRoom(path, std::move(described));
}

} // namespace flcc::io::detail
