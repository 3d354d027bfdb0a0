#include "engine/io/format/raw_file.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cctype>
#include <cerrno>
#include <charconv>
#include <cstring>
#include <fstream>
#include <functional>
#include <system_error>

#include "engine/base/error.h"
#include "engine/io/format/backends.h"
#include "engine/io/format/byte_source.h"

namespace flcc::io::detail {

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

void forRows(const base::AnyView& pixels, std::int64_t most, const std::stop_token& stop,
             const std::function<bool(const char*, std::int64_t)>& put) {
    std::visit(
        [&](const auto& view) {
            constexpr std::int64_t kBytes = sizeof(*view.data());
            const std::int64_t part = most / kBytes;
            const base::Extents& n = view.extents();
            for (std::int64_t z = 0; z < n.z; ++z) {
                for (std::int64_t y = 0; y < n.y; ++y) {
                    for (std::int64_t x = 0; x < n.x; x += part) {
                        throwIfStopped(stop);
                        if (!put(reinterpret_cast<const char*>(view.row(y, z) + x),
                                 std::min(part, n.x - x) * kBytes)) {
                            return;
                        }
                    }
                }
            }
        },
        pixels);
}

void writeRaw(const std::filesystem::path& path, const std::filesystem::path& target,
              const std::string& header, const base::AnyView& pixels, const std::stop_token& stop) {
    errno = 0;
    std::ofstream file(path, std::ios::binary | std::ios::trunc);
    file.write(header.data(), static_cast<std::streamsize>(header.size()));
    forRows(pixels, 1 << 23, stop,
            [&](const char* bytes, std::int64_t count) { return bool(file.write(bytes, count)); });
    file.close();
    if (!file) {
        failOutput(target, errno);
    }
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

} // namespace flcc::io::detail
