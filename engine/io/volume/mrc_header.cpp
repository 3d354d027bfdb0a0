#include "engine/io/volume/mrc_header.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdlib>
#include <utility>

namespace flcc::io::detail {

namespace {

using base::PixelType;

constexpr std::int32_t kImodStamp = 1146047817;
constexpr std::int32_t kImodSigned = 1;
constexpr std::int32_t kImodTurnedOrigin = 4;
constexpr std::int32_t kImodHalfBytes = 16;
constexpr std::int32_t kLastVolumeStack = 630;
constexpr std::array<char, 3> kAxisNames{'x', 'y', 'z'};

struct MrcMode {
    std::int32_t mode;
    PixelType type;
    Coding coding;
    int components;
};
constexpr std::array<MrcMode, 7> kModes{{{0, PixelType::Int8, Coding::Same, 1},
                                         {1, PixelType::Int16, Coding::Same, 1},
                                         {2, PixelType::Float32, Coding::Same, 1},
                                         {6, PixelType::UInt16, Coding::Same, 1},
                                         {12, PixelType::Float32, Coding::Half, 1},
                                         {16, PixelType::UInt8, Coding::Same, 3},
                                         {101, PixelType::UInt8, Coding::Nibble, 1}}};
/// Modes that exist and cannot be read.
constexpr std::array<std::int32_t, 2> kComplexModes{3, 4};

const MrcMode* modeOf(std::int32_t mode) {
    const auto* found = std::find_if(kModes.begin(), kModes.end(),
                                     [&](const MrcMode& known) { return known.mode == mode; });
    return found == kModes.end() ? nullptr : found;
}

bool isMode(std::int32_t mode) {
    return modeOf(mode) != nullptr ||
           std::find(kComplexModes.begin(), kComplexModes.end(), mode) != kComplexModes.end();
}

/// True if the numbers make sense in this order of bytes.
bool makesSense(const Bytes& bytes, bool swapped, std::int64_t size) {
    const auto whole = [&](std::size_t at) { return field<std::int32_t>(bytes, at, swapped); };
    const std::int32_t mode = whole(12);
    std::int64_t voxels = 1;
    for (std::size_t axis = 0; axis < 3; ++axis) {
        const std::int32_t length = whole(4 * axis);
        const std::int32_t place = whole(64 + 4 * axis);
        if (length < 1 || place < 0 || place > 3) {
            return false;
        }
        voxels = cappedProduct(voxels, length);
    }
    const std::int64_t least = mode == 101 ? voxels / 2 : voxels;
    return isMode(mode) && whole(92) >= 0 && least <= size;
}

std::string text(std::int64_t number) { return std::to_string(number); }

} // namespace

bool looksLikeMrc(const Bytes& bytes, std::int64_t size) {
    return bytes.size() >= static_cast<std::size_t>(kMrcHeaderBytes) &&
           (makesSense(bytes, false, size) || makesSense(bytes, true, size));
}

bool looksUnsigned(const Bytes& bytes) {
    constexpr std::size_t kFewest = 16;
    std::int64_t asSigned = 0;
    std::int64_t asUnsigned = 0;
    for (std::size_t i = 1; i < bytes.size(); ++i) {
        const int before = bytes[i - 1];
        const int here = bytes[i];
        asUnsigned += std::abs(here - before);
        asSigned += std::abs((here ^ 128) - (before ^ 128));
    }
    return bytes.size() >= kFewest && 4 * asUnsigned < 3 * asSigned;
}

MrcHeader::MrcHeader(const std::filesystem::path& path, Bytes bytes, std::int64_t size)
    : m_path(path), m_bytes(std::move(bytes)) {
    setOrder(size);
    if (!hasMap() && field<std::uint32_t>(m_bytes, 208, false) != 0) {
        if (!makesSense(m_bytes, m_swapped, size)) {
            failInput(path, "its content is not that of an MRC file: the word MAP is missing");
        }
        say("the word MAP is missing in its header; it was read as an old MRC file");
    }
}

bool MrcHeader::hasMap() const {
    return m_bytes[208] == 'M' && m_bytes[209] == 'A' && m_bytes[210] == 'P';
}

bool MrcHeader::isImod() const { return whole(152) == kImodStamp; }

void MrcHeader::setOrder(std::int64_t size) {
    constexpr bool kBig = std::endian::native == std::endian::big;
    const unsigned char first = m_bytes[kMrcStampAt];
    const unsigned char second = m_bytes[kMrcStampAt + 1];
    const bool little = first == kMrcLittleStamp && (second == kMrcLittleStamp || second == 0x41);
    const bool big = first == kMrcBigStamp && second == kMrcBigStamp;
    // Of a stamp that is none of the standard the first byte tells most.
    const bool stamped = first == kMrcLittleStamp || first == kMrcBigStamp;
    m_swapped = stamped && (first == kMrcBigStamp) != kBig;
    if (!makesSense(m_bytes, m_swapped, size) && makesSense(m_bytes, !m_swapped, size)) {
        m_swapped = !m_swapped;
    } else if (little || big) {
        return;
    }
    const std::string order = m_swapped != kBig ? "big-endian" : "little-endian";
    const std::string stamp = text(first) + " " + text(second);
    say(little || big
            ? "its machine stamp " + stamp + " is wrong: by mode and extents it is " + order
        : first == 0 && second == 0
            ? "it has no machine stamp; by mode and extents it was read as " + order
            : "its machine stamp " + stamp +
                  " is not of the standard; by mode and extents it was "
                  "read as " +
                  order);
}

void MrcHeader::setType(ImageInfo& info, RawLayout& layout) {
    const std::int32_t mode = whole(12);
    const MrcMode* known = modeOf(mode);
    if (known == nullptr) {
        const bool complex = mode == 3 || mode == 4;
        failInput(m_path, "its MRC mode " + text(mode) + " cannot be read" +
                              (complex ? " (a Fourier transform: save the image itself)" : "") +
                              "; modes 0, 1, 2, 6, 12, 16 and 101 can");
    }
    info.pixel = known->type;
    info.components = known->components;
    layout.coding = known->coding;
    if (mode == 0) {
        setBytes(info);
        if (isImod() && (whole(156) & kImodHalfBytes) != 0) {
            m_halfWidth = true;
            info.pixel = PixelType::UInt8;
            layout.coding = Coding::Nibble;
            say("each byte holds two 4-bit values, as its IMOD flags say");
        }
    }
}

/// Standard: bytes are signed. Programs before 2014, and some today, write unsigned ones.
void MrcHeader::setBytes(ImageInfo& info) {
    const float lowest = real(76);
    const float highest = real(80);
    const bool known = lowest >= -128 && highest <= 255 && lowest <= highest &&
                       (lowest != 0 || highest != 0) && !(lowest < 0 && highest > 127);
    if (isImod()) {
        const bool flagged = (whole(156) & kImodSigned) != 0;
        info.pixel = flagged || (known && lowest < 0) ? PixelType::Int8 : PixelType::UInt8;
        return;
    }
    m_undecided = !known;
    if (known && highest > 127) {
        info.pixel = PixelType::UInt8;
        say("its bytes were read as unsigned (mode 0), because its header gives the highest "
            "value " +
            text(static_cast<std::int64_t>(highest)));
    } else if (known) {
        say("its bytes were read as signed (mode 0), because its header gives the values " +
            text(static_cast<std::int64_t>(lowest)) + " to " +
            text(static_cast<std::int64_t>(highest)));
    }
}

void MrcHeader::setAxes(ImageInfo& info, RawLayout& layout) {
    std::array<std::int32_t, 3> axes{};
    for (std::size_t i = 0; i < 3; ++i) {
        axes[i] = whole(64 + 4 * i);
    }
    if (axes == std::array<std::int32_t, 3>{}) {
        axes = {1, 2, 3};
        say("its header does not say which axes columns, rows and sections are; they were read as "
            "x, "
            "y and z");
    }
    std::array<std::int32_t, 3> sorted = axes;
    std::sort(sorted.begin(), sorted.end());
    if (sorted != std::array<std::int32_t, 3>{1, 2, 3}) {
        failInput(m_path, "its header maps columns, rows and sections to the axes " +
                              text(axes[0]) + ", " + text(axes[1]) + " and " + text(axes[2]) +
                              "; set MAPC, MAPR and MAPS to 1, 2 and 3 if they are x, y and z");
    }
    std::array<std::int64_t, 3> lengths{whole(0), whole(4), whole(8)};
    (void)requireProduct(m_path, {lengths[0], lengths[1], lengths[2]}, 2);
    lengths[0] *= m_halfWidth ? 2 : 1;
    const std::int32_t group = whole(88);
    if (group > kVolumeStack && group <= kLastVolumeStack && hasMap()) {
        const std::int64_t slices = whole(36);
        if (slices < 1 || lengths[2] % slices != 0) {
            failInput(m_path, "it is a stack of volumes (ISPG " + text(group) + ") of " +
                                  text(slices) + " sections each (MZ), but has " +
                                  text(lengths[2]) +
                                  " sections; set ISPG to 1 if it is one volume");
        }
        m_volumes = lengths[2] / slices;
        lengths[2] = slices;
    }
    constexpr std::array<AxisRole, 3> kRoles{AxisRole::X, AxisRole::Y, AxisRole::Z};
    std::array<std::int64_t, 3> extents{};
    layout.axes.push_back({AxisRole::Component, info.components});
    for (std::size_t i = 0; i < 3; ++i) {
        m_axes[i] = static_cast<std::size_t>(axes[i] - 1);
        extents[m_axes[i]] = lengths[i];
        layout.axes.push_back({kRoles[m_axes[i]], lengths[i]});
    }
    if (layout.coding == Coding::Nibble) { // rows fill whole bytes
        layout.axes[1].stored = lengths[0] + lengths[0] % 2;
    }
    layout.axes.push_back({AxisRole::Frame, m_volumes});
    info.extents = {extents[0], extents[1], extents[2]};
    info.frames = requireFrames(m_path, {1, 1, 1, m_volumes});
    if (axes != std::array<std::int32_t, 3>{1, 2, 3}) {
        say(std::string("its columns, rows and sections run along ") + kAxisNames[m_axes[0]] +
            ", " + kAxisNames[m_axes[1]] + " and " + kAxisNames[m_axes[2]] +
            "; they were brought into the order x, y, z");
    }
}

/// Length of the cell divided by its number of intervals, in float32 as other readers do.
void MrcHeader::setSpacing(ImageInfo& info) {
    const std::array<std::int64_t, 3> extents{info.extents.x, info.extents.y, info.extents.z};
    base::Geometry& geometry = info.geometry;
    std::string missing;
    bool any = false;
    bool counts = true; // every axis with more than one voxel has a length
    for (std::size_t axis = 0; axis < 3; ++axis) {
        const float length = real(40 + 4 * axis);
        std::int64_t intervals = whole(28 + 4 * axis);
        if (length <= 0) { // some write a negative one for what they do not know
            missing += (missing.empty() ? "" : ", ") + std::string(1, kAxisNames[axis]);
            counts = counts && extents[axis] == 1;
            continue;
        }
        any = true;
        if (intervals < 1) {
            say(std::string("its header gives no intervals along ") + kAxisNames[axis] +
                "; the length of the cell was divided by the number of voxels");
            intervals = extents[axis];
        }
        geometry.spacing[axis] = static_cast<double>(length / static_cast<float>(intervals));
    }
    if (!any || !counts) {
        geometry.spacing = {1, 1, 1};
        say("its header gives no length of the cell" + (any ? " along " + missing : std::string()) +
            "; the spacing is unknown");
        return;
    }
    geometry.unit = "A";
    geometry.unitSource = base::UnitSource::Header;
    std::string angles;
    bool right = true;
    for (std::size_t i = 0; i < 3; ++i) {
        const float angle = real(52 + 4 * i);
        right = right && (angle == 0 || std::abs(angle - 90) < 0.01F);
        angles += (i == 0 ? "" : ", ") + numberText(static_cast<double>(angle));
    }
    if (!right) {
        say("its cell has the angles " + angles + "; it is treated as if they were right");
    }
}

void MrcHeader::setOrigin(ImageInfo& info) {
    base::Geometry& geometry = info.geometry;
    const bool old = !hasMap() && field<std::uint32_t>(m_bytes, 208, false) != 0;
    base::Point origin{};
    base::Point start{};
    bool stated = false;
    bool started = false;
    for (std::size_t axis = 0; axis < 3; ++axis) {
        // No -0. Old files have something else here.
        origin[axis] = old ? 0 : static_cast<double>(real(196 + 4 * axis)) + 0.0;
        stated = stated || origin[axis] != 0;
    }
    for (std::size_t i = 0; i < 3; ++i) {
        const std::int32_t first = whole(16 + 4 * i);
        start[m_axes[i]] = first * geometry.spacing[m_axes[i]];
        started = started || first != 0;
    }
    geometry.origin = stated || !started ? origin : start;
    if (!stated && started) {
        say("ORIGIN is 0; its position follows from NXSTART, NYSTART and NZSTART");
    }
    bool differs = false;
    for (std::size_t axis = 0; axis < 3; ++axis) {
        differs = differs || std::abs(origin[axis] - start[axis]) > 0.01 * geometry.spacing[axis];
    }
    if (stated && started && differs) {
        say("ORIGIN and NXSTART, NYSTART, NZSTART give different positions; ORIGIN was taken");
    }
    if (stated && isImod() && (whole(156) & kImodTurnedOrigin) == 0) {
        say("it is from an old IMOD, which wrote ORIGIN with the opposite sign; it was read as the "
            "standard says");
    }
}

void MrcHeader::noteStack(const ImageInfo& info) {
    const std::string slices = text(info.extents.z);
    if (m_volumes > 1) {
        say("it is a stack of volumes (ISPG " + text(whole(88)) + "); each of " + text(m_volumes) +
            " volumes of " + slices + " slices is a frame");
    } else if (whole(88) == 0 && info.extents.z > 1) {
        say("its header calls it a stack of images (ISPG 0); it was read as a volume of " + slices +
            " slices");
    }
}

void MrcHeader::describe(ImageInfo& info, RawLayout& layout) {
    setType(info, layout);
    setAxes(info, layout);
    setSpacing(info);
    setOrigin(info);
    noteStack(info);
    info.notes = m_notes;
    layout.swapped = m_swapped;
    const std::int32_t extension = whole(92);
    if (extension < 0) {
        failInput(m_path, "its header gives an extended header of " + text(extension) + " bytes");
    }
    layout.skip = kMrcHeaderBytes + std::int64_t{extension};
}

} // namespace flcc::io::detail
