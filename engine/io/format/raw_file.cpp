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

constexpr std::int64_t kBlockVoxels = 1 << 20;

/// Values of one voxel in the file.
std::int64_t valuesTogether(const ImageInfo& info) {
    return std::int64_t{1} * info.components * info.channels;
}

/// Voxels that readSideBySide reads at a time.
std::int64_t blockLength(const ImageInfo& info) {
    return std::min(base::voxelCount(info.extents),
                    std::max<std::int64_t>(1, kBlockVoxels / valuesTogether(info)));
}

} // namespace

/// Values of a file in our order of bytes.
class ValueReader {
  public:
    ValueReader(RawLayout layout, base::PixelType pixel, ReadFiles* files, std::stop_token stop)
        : m_layout(std::move(layout)), m_pixel(pixel), m_files(files), m_stop(std::move(stop)),
          m_bytes(base::bytesPerVoxel(pixel)),
          m_swapped(m_layout.swapped && m_layout.encoding != Encoding::Text) {}

    /// `count` values from number `first` on. Before the last one read, the file is opened anew.
    void read(std::int64_t first, void* target, std::int64_t count) {
        if (!m_source || first < m_next) {
            m_source = openBytes(m_layout, m_pixel, m_files, m_stop);
            m_next = 0;
        }
        if (first > m_next) {
            m_source->skip((first - m_next) * m_bytes);
        }
        m_next = first + count;
        auto* out = static_cast<char*>(target);
        while (count > 0) {
            const std::int64_t part = std::min(count, kBlockVoxels);
            m_source->read(out, part * m_bytes);
            if (m_swapped) {
                swapBytes(out, part, m_bytes);
            }
            out += part * m_bytes;
            count -= part;
        }
    }

    /// To be called when `all` is the number of values there are: nothing is left to come.
    void finish(std::int64_t all) {
        if (m_next == all) {
            m_source->finish();
        }
    }

  private:
    RawLayout m_layout;
    base::PixelType m_pixel;
    ReadFiles* m_files;
    std::stop_token m_stop;
    std::int64_t m_bytes;
    bool m_swapped;
    std::unique_ptr<ByteSource> m_source;
    std::int64_t m_next = 0;
};

namespace {

/// Values side by side in the file, one plane each in memory.
void readSideBySide(ValueReader& reader, const ImageInfo& info, const Choice& choice,
                    std::vector<base::AnyImage>& planes) {
    const std::int64_t together = valuesTogether(info);
    const std::int64_t voxels = base::voxelCount(info.extents);
    const std::int64_t length = blockLength(info);
    base::AnyImage block = base::makeImage(info.pixel, {together, length, 1});
    for (std::int64_t at = 0; at < voxels; at += length) {
        const std::int64_t count = std::min(length, voxels - at);
        reader.read((choice.frame * voxels + at) * together, bytesOf(block), count * together);
        for (std::size_t plane = 0; plane < planes.size(); ++plane) {
            const std::int64_t first =
                info.channels > 1 ? choice.channel : static_cast<std::int64_t>(plane);
            takeEvery(planes[plane], at, count, bytesOf(block), first, together);
        }
    }
}

/// Reads runs of `inner` values of one component or channel that follow each other.
void readRuns(ValueReader& reader, const ImageInfo& info, const Choice& choice, std::int64_t inner,
              std::vector<base::AnyImage>& planes) {
    const std::int64_t together = valuesTogether(info);
    const std::int64_t first = choice.frame * base::voxelCount(info.extents);
    const std::int64_t last = first + base::voxelCount(info.extents);
    const std::int64_t bytes = base::bytesPerVoxel(info.pixel);
    for (std::int64_t run = first / inner; run * inner < last; ++run) {
        const std::int64_t from = std::max(run * inner, first);
        const std::int64_t to = std::min((run + 1) * inner, last);
        for (std::int64_t part = 0; part < together; ++part) {
            if (info.channels > 1 && part != choice.channel) {
                continue;
            }
            auto& plane = planes[info.channels > 1 ? 0 : static_cast<std::size_t>(part)];
            reader.read((run * together + part) * inner + from - run * inner,
                        static_cast<char*>(bytesOf(plane)) + (from - first) * bytes, to - from);
        }
    }
}

} // namespace

std::int64_t rawBufferBytes(const ImageInfo& info) {
    return valuesTogether(info) == 1 ? 0
                                     : cappedProduct(valuesTogether(info) * blockLength(info),
                                                     base::bytesPerVoxel(info.pixel));
}

RawReader::RawReader(ImageInfo info, const RawLayout& layout, ReadFiles* files,
                     const std::stop_token& stop)
    : m_info(std::move(info)), m_inner(layout.inner),
      m_values(std::make_unique<ValueReader>(layout, m_info.pixel, files, stop)) {}

RawReader::~RawReader() = default;

std::vector<base::AnyImage> RawReader::read(const Choice& choice) {
    const std::int64_t together = valuesTogether(m_info);
    const std::int64_t all = base::voxelCount(m_info.extents) * m_info.frames * together;
    std::vector<base::AnyImage> planes;
    for (int i = 0; i < m_info.components; ++i) {
        planes.push_back(base::makeImage(m_info.pixel, m_info.extents));
    }
    if (together > 1 && m_inner == 1) {
        readSideBySide(*m_values, m_info, choice, planes);
    } else {
        readRuns(*m_values, m_info, choice, together > 1 ? m_inner : all, planes);
    }
    m_values->finish(all);
    return planes;
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
        failOutput(target, errno == 0 ? "it could not be written completely"
                                      : std::generic_category().message(errno));
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
