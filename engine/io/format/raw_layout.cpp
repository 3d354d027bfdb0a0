#include "engine/io/format/raw_layout.h"

#include <algorithm>

namespace flcc::io::detail {

namespace {

/// The axes of a layout that names none.
std::vector<FileAxis> plainAxes(const ImageInfo& info) {
    return {{AxisRole::Component, info.components}, {AxisRole::Channel, info.channels},
            {AxisRole::X, info.extents.x},          {AxisRole::Y, info.extents.y},
            {AxisRole::Z, info.extents.z},          {AxisRole::Frame, info.frames}};
}

} // namespace

std::vector<RawPart> partsOf(const RawLayout& layout) {
    std::vector<RawPart> parts{{layout.file, layout.offset}};
    parts.insert(parts.end(), layout.more.begin(), layout.more.end());
    return parts;
}

std::vector<Step> stepsOf(const RawLayout& layout, const ImageInfo& info) {
    std::vector<Step> steps;
    std::int64_t stride = 1;
    for (const FileAxis& axis : layout.axes.empty() ? plainAxes(info) : layout.axes) {
        steps.push_back({axis.role, axis.length, stride});
        stride *= std::max(axis.length, axis.stored);
    }
    return steps;
}

std::int64_t valuesOf(const RawLayout& layout, const ImageInfo& info) {
    std::int64_t values = 1;
    for (const FileAxis& axis : layout.axes.empty() ? plainAxes(info) : layout.axes) {
        values *= std::max(axis.length, axis.stored);
    }
    return values;
}

std::int64_t storedBytes(Coding coding, base::PixelType pixel, std::int64_t count) {
    switch (coding) {
    case Coding::Half:
        return 2 * count;
    case Coding::Nibble:
        return count / 2 + count % 2;
    case Coding::Same:
        break;
    }
    return base::bytesPerVoxel(pixel) * count;
}

} // namespace flcc::io::detail
