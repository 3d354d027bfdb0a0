#include "engine/io/raster/tiff_samples.h"

#include <bit>
#include <cmath>
#include <cstring>
#include <limits>
#include <type_traits>
#include <variant>

#include <tiffio.h>

namespace flcc::io::detail {

namespace {

/// Value `index` of a row of samples of `bits` bits, the first in the highest bits.
unsigned packedSample(const unsigned char* row, std::int64_t index, unsigned bits) {
    unsigned value = 0;
    for (std::int64_t bit = index * bits; bit < (index + 1) * bits; ++bit) {
        value = (value << 1) | ((unsigned{row[bit / 8]} >> (7 - bit % 8)) & 1U);
    }
    return value;
}

/// The value of a float of 16 bits (5 for the exponent) or of 24 bits (7), which is exact.
float smallFloat(std::uint32_t raw, int bits) {
    const int exponentBits = bits == 16 ? 5 : 7;
    const int fractionBits = bits - 1 - exponentBits;
    const std::uint32_t fraction = raw & ((1U << fractionBits) - 1);
    const std::uint32_t exponent = (raw >> fractionBits) & ((1U << exponentBits) - 1);
    const std::uint32_t last = (1U << exponentBits) - 1;
    const int bias = (1 << (exponentBits - 1)) - 1;
    float value = 0;
    if (exponent == last) {
        value = fraction == 0 ? std::numeric_limits<float>::infinity()
                              : std::numeric_limits<float>::quiet_NaN();
    } else if (exponent == 0) {
        value = std::ldexp(static_cast<float>(fraction), 1 - bias - fractionBits);
    } else {
        value = std::ldexp(static_cast<float>(fraction + (1U << fractionBits)),
                           static_cast<int>(exponent) - bias - fractionBits);
    }
    return (raw >> (bits - 1)) != 0 ? -value : value;
}

bool isSmallFloat(const TiffPage& page) {
    return page.sampleFormat == SAMPLEFORMAT_IEEEFP && page.bits < 32;
}

/// The float at `bytes`, in the byte order of the processor.
float smallFloatAt(const unsigned char* bytes, int bits) {
    std::uint32_t raw = 0;
    for (int i = 0; i < bits / 8; ++i) {
        const int place = std::endian::native == std::endian::little ? bits / 8 - 1 - i : i;
        raw = (raw << 8) | bytes[place];
    }
    return smallFloat(raw, bits);
}

} // namespace

void copySample(const TiffPage& page, const TiffBlock& block, std::int64_t sample, std::int64_t z,
                const Turn& turn, const std::uint16_t* colours, base::AnyImage& plane) {
    std::visit(
        [&](auto& image) {
            using Voxel = std::remove_pointer_t<decltype(image.data())>;
            const bool packed = page.bits % 8 != 0;
            const base::Extents& n = image.extents();
            Voxel* const slice = image.data() + z * n.x * n.y + turn.origin;
            for (std::int64_t y = 0; y < block.height; ++y) {
                const unsigned char* source = block.data + y * block.rowBytes;
                Voxel* target = slice + (block.top + y) * turn.stepY + block.left * turn.stepX;
                for (std::int64_t x = 0; x < block.width; ++x, target += turn.stepX) {
                    const std::int64_t index = x * block.step + sample;
                    if (colours != nullptr) {
                        const unsigned entry = packedSample(source, index, page.bits);
                        *target = static_cast<Voxel>(colours[entry] >> 8);
                    } else if (isSmallFloat(page)) {
                        *target = static_cast<Voxel>(
                            smallFloatAt(source + index * (page.bits / 8), page.bits));
                    } else if (packed) {
                        *target = static_cast<Voxel>(packedSample(source, index, page.bits));
                    } else {
                        std::memcpy(target,
                                    source + index * static_cast<std::int64_t>(sizeof(Voxel)),
                                    sizeof(Voxel));
                    }
                }
            }
        },
        plane);
}

void invert(const TiffPage& page, std::int64_t z, base::AnyImage& plane) {
    std::visit(
        [&](auto& image) {
            using Voxel = std::remove_pointer_t<decltype(image.data())>;
            if constexpr (std::is_unsigned_v<Voxel>) {
                const auto white = static_cast<Voxel>(page.bits >= 8 * sizeof(Voxel)
                                                          ? std::numeric_limits<Voxel>::max()
                                                          : (1U << page.bits) - 1U);
                const std::int64_t slice = image.extents().x * image.extents().y;
                for (std::int64_t i = z * slice; i < (z + 1) * slice; ++i) {
                    image.data()[i] = static_cast<Voxel>(white - image.data()[i]);
                }
            }
        },
        plane);
}

void leaveOut(double value, std::int64_t z, base::AnyImage& plane) {
    std::visit(
        [&](auto& image) {
            using Voxel = std::remove_pointer_t<decltype(image.data())>;
            if constexpr (std::is_floating_point_v<Voxel>) {
                const std::int64_t slice = image.extents().x * image.extents().y;
                std::replace(image.data() + z * slice, image.data() + (z + 1) * slice,
                             static_cast<Voxel>(value), std::numeric_limits<Voxel>::quiet_NaN());
            }
        },
        plane);
}

void divideByOpacity(std::int64_t z, std::vector<base::AnyImage>& planes) {
    std::visit(
        [&](const auto& opacity) {
            using Image = std::remove_cvref_t<decltype(opacity)>;
            using Voxel = std::remove_cvref_t<decltype(*opacity.data())>;
            constexpr bool kWhole = std::is_integral_v<Voxel>;
            const auto most = kWhole ? static_cast<double>(std::numeric_limits<Voxel>::max()) : 1.0;
            const std::int64_t count = opacity.extents().x * opacity.extents().y;
            for (std::size_t plane = 0; plane + 1 < planes.size(); ++plane) {
                Voxel* const values = std::get<Image>(planes[plane]).data() + z * count;
                const Voxel* const share = opacity.data() + z * count;
                for (std::int64_t i = 0; i < count; ++i) {
                    if (!(share[i] > Voxel{0})) {
                        continue; // no value was stored
                    }
                    const double value =
                        static_cast<double>(values[i]) * most / static_cast<double>(share[i]);
                    values[i] = !kWhole         ? static_cast<Voxel>(value)
                                : value >= most ? std::numeric_limits<Voxel>::max()
                                                : static_cast<Voxel>(value + 0.5);
                }
            }
        },
        planes.back());
}

} // namespace flcc::io::detail
