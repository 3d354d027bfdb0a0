#include "engine/features/channels.h"

#include <algorithm>
#include <array>
#include <iterator>
#include <type_traits>
#include <utility>
#include <variant>

#include "engine/base/error.h"

namespace flcc::features {

using base::Error;
using base::ErrorCode;

namespace {

bool isEightBitView(const base::AnyView& view) {
    return base::pixelType(view) == base::PixelType::UInt8;
}

template <class T> constexpr bool kIsLong = std::is_integral_v<T> && sizeof(T) == 8;

/// Calls `body(x, value)` for every voxel of row (y, z). `level`: bits of what is taken off.
template <class Body>
void forRow(const base::AnyView& view, std::uint64_t level, std::int64_t y, std::int64_t z,
            const Body& body) {
    std::visit(
        [&](const auto& voxels) {
            using T = std::remove_cvref_t<decltype(*voxels.data())>;
            const auto* row = voxels.row(y, z);
            for (std::int64_t x = 0; x < voxels.extents().x; ++x) {
                if constexpr (kIsLong<T>) {
                    // Modulo 2^64: no value lies below the level.
                    body(x, static_cast<double>(static_cast<std::uint64_t>(row[x]) - level));
                } else {
                    body(x, static_cast<double>(row[x]));
                }
            }
        },
        view);
}

/// The bits of the smallest voxel of 64-bit integers; 0 for other types.
std::uint64_t levelOf(const base::AnyView& view) {
    return std::visit(
        [](const auto& voxels) -> std::uint64_t {
            using T = std::remove_cvref_t<decltype(*voxels.data())>;
            if constexpr (kIsLong<T>) {
                const base::Extents& n = voxels.extents();
                T least = voxels.at(0, 0, 0);
                for (std::int64_t row = 0; row < n.y * n.z; ++row) {
                    const auto* const values = voxels.row(row % n.y, row / n.y);
                    least = std::min(least, *std::min_element(values, values + n.x));
                }
                return static_cast<std::uint64_t>(least);
            } else {
                return 0;
            }
        },
        view);
}

} // namespace

ChannelImage::ChannelImage(std::vector<base::AnyView> components, Channels channels)
    : m_components(std::move(components)), m_channels(channels) {
    const std::size_t given = m_components.size();
    if (given < 1 || given > 4) {
        throw Error(ErrorCode::Problem, "the image has " + std::to_string(given) +
                                            " components; features needs grey, RGB or RGBA");
    }
    m_extents = base::extentsOf(m_components.front());
    for (const base::AnyView& view : m_components) {
        if (base::extentsOf(view) != m_extents) {
            throw Error(ErrorCode::Problem, "the components of the image have different extents");
        }
    }
    const bool colour = given >= 3;
    if (channels == Channels::Ohta && !colour) {
        throw Error(ErrorCode::Problem,
                    "the channels ohta need a colour image; this one is grey, choose grey");
    }
    if (channels == Channels::Auto) {
        m_channels = colour ? Channels::Ohta : Channels::Grey;
    }
    m_components.resize(colour ? 3 : 1);
    std::transform(m_components.begin(), m_components.end(), std::back_inserter(m_levels), levelOf);
}

bool ChannelImage::isEightBit() const {
    return std::all_of(m_components.begin(), m_components.end(), [](const base::AnyView& view) {
        return base::bytesPerVoxel(base::pixelType(view)) == 1;
    });
}

std::string ChannelImage::channelName(int channel) const {
    return m_channels == Channels::Ohta ? "I" + std::to_string(channel + 1) : "grey";
}

ChannelImage::Range ChannelImage::nominalRange(int channel) const {
    if (m_channels != Channels::Ohta ||
        !std::all_of(m_components.begin(), m_components.end(), isEightBitView)) {
        return {};
    }
    return channel == 0 ? Range{0, 255} : Range{-127.5, 127.5};
}

ChannelImage::Mixture ChannelImage::mixture(int channel) const {
    if (m_components.size() == 1) {
        return {};
    }
    // Small integers times these halves, thirds and quarters are added before they are divided: the
    // sums are exact.
    if (m_channels == Channels::Grey) {
        return {{0.299, 0.587, 0.114}, 1};
    }
    return channel == 0   ? Mixture{{1, 1, 1}, 3}
           : channel == 1 ? Mixture{{1, 0, -1}, 2}
                          : Mixture{{-1, 2, -1}, 4};
}

double ChannelImage::level(int channel) const {
    const Mixture mixed = mixture(channel);
    double level = 0;
    for (std::size_t i = 0; i < m_components.size(); ++i) {
        const bool isSigned = base::pixelType(m_components[i]) == base::PixelType::Int64;
        const double own = isSigned ? static_cast<double>(static_cast<std::int64_t>(m_levels[i]))
                                    : static_cast<double>(m_levels[i]);
        level += mixed.weights[i] * own;
    }
    return level / mixed.divisor;
}

void ChannelImage::row(int channel, std::int64_t y, std::int64_t z, double* values) const {
    if (m_components.size() == 1) {
        forRow(m_components[0], m_levels[0], y, z,
               [values](std::int64_t x, double v) { values[x] = v; });
        return;
    }
    const auto mixed = mixture(channel); // clang captures no structured bindings in C++20
    const auto& weights = mixed.weights;
    const auto each = [&](std::size_t i, const auto& body) {
        forRow(m_components[i], m_levels[i], y, z, body);
    };
    each(0, [&](std::int64_t x, double v) { values[x] = weights[0] * v; });
    each(1, [&](std::int64_t x, double v) { values[x] += weights[1] * v; });
    each(2, [&](std::int64_t x, double v) {
        values[x] = (values[x] + weights[2] * v) / mixed.divisor;
    });
}

} // namespace flcc::features
