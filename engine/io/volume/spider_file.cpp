// SPIDER: a header of float32, which fills whole rows, then x, y and z. In a stack a header of the
// stack comes first, and each image has a header of its own.

#include <algorithm>
#include <array>
#include <cmath>

#include "engine/io/format/headers.h"
#include "engine/io/volume/instruments.h"

namespace flcc::io::detail {

namespace {

constexpr std::int64_t kLeastSpiderHeader = 1024;

/// Numbers of the header, counted from 1 as its description does.
class SpiderHeader {
  public:
    SpiderHeader(const Bytes& bytes, bool swapped) : m_bytes(bytes), m_swapped(swapped) {}

    [[nodiscard]] double at(std::size_t number) const {
        return static_cast<double>(field<float>(m_bytes, 4 * (number - 1), m_swapped));
    }
    /// 0 for what is no whole number.
    [[nodiscard]] std::int64_t whole(std::size_t number) const {
        constexpr double kMost = 1e9;
        const double value = at(number);
        return std::abs(value) <= kMost && value == std::floor(value)
                   ? static_cast<std::int64_t>(value)
                   : 0;
    }
    [[nodiscard]] std::int64_t slices() const { return std::abs(whole(1)); } // of VAX: negative
    [[nodiscard]] std::int64_t rows() const { return whole(2); }
    [[nodiscard]] std::int64_t kind() const { return whole(5); }
    [[nodiscard]] std::int64_t columns() const { return whole(12); }
    [[nodiscard]] std::int64_t bytes() const { return whole(22); }
    [[nodiscard]] bool isFourier() const {
        return kind() == -11 || kind() == -12 || kind() == -21 || kind() == -22;
    }
    /// Rows fill whole numbers of the header, whose length has to follow.
    [[nodiscard]] bool makesSense() const {
        const bool known = kind() == 1 || kind() == 3 || isFourier();
        return known && slices() > 0 && rows() > 0 && columns() > 0 &&
               bytes() >= kLeastSpiderHeader && bytes() % (4 * columns()) == 0 &&
               bytes() < kLeastSpiderHeader + 4 * columns() && whole(13) * whole(23) == bytes();
    }

  private:
    const Bytes& m_bytes;
    bool m_swapped;
};

/// Places of the images of a stack in one file.
void setStack(const std::filesystem::path& path, const SpiderHeader& header, ImageInfo& info,
              RawLayout& layout) {
    constexpr std::int64_t kMostImages = 10'000'000;
    const std::int64_t images = header.whole(26);
    if (images < 1 || images > kMostImages) {
        failInput(path, "its header gives a stack of " + std::to_string(images) + " images");
    }
    const std::int64_t each =
        requireProduct(path, {info.extents.x, info.extents.y, info.extents.z}, 4);
    const std::int64_t step = header.bytes() + each;
    requireBytes(path, cappedProduct(images, step), requireRegularFile(path) - header.bytes());
    info.frames = static_cast<int>(images);
    layout.offset = 2 * header.bytes();
    for (std::int64_t image = 1; image < images; ++image) {
        layout.more.push_back({path, layout.offset + image * step});
    }
}

} // namespace

bool isSpider(const FileStart& start) {
    return start.bytes.size() >= static_cast<std::size_t>(kLeastSpiderHeader) &&
           (SpiderHeader(start.bytes, false).makesSense() ||
            SpiderHeader(start.bytes, true).makesSense());
}

Described describeSpider(const std::filesystem::path& path) {
    const Bytes bytes = readBytes(path, 0, kLeastSpiderHeader);
    Described described;
    ImageInfo& info = described.info;
    RawLayout& layout = described.place.layout;
    layout.swapped = !SpiderHeader(bytes, false).makesSense();
    const SpiderHeader header(bytes, layout.swapped);
    if (header.isFourier()) {
        failInput(path, "it is a Fourier transform of SPIDER: save the image itself");
    }
    if (header.at(24) < 0) {
        failInput(path, "it is an indexed stack of SPIDER, which cannot be read; copy it into a "
                        "stack without index");
    }
    info.format = name(Format::Spider);
    info.pixel = base::PixelType::Float32;
    info.extents = {header.columns(), header.rows(), header.slices()};
    layout.file = path;
    layout.offset = header.bytes();
    if (header.at(24) > 0 && header.at(27) == 0) {
        setStack(path, header, info, layout);
    }
    const double size = header.at(38); // of a pixel, in angstrom; most programs write 0
    if (size > 0 && isPlace(size)) {
        info.geometry.spacing.fill(size);
        info.geometry.unit = "A";
        info.geometry.unitSource = base::UnitSource::Header;
    }
    return requireRoom(path, std::move(described));
}

} // namespace flcc::io::detail
