#include "engine/features/channels.h"

#include <algorithm>
#include <array>
#include <utility>
#include <variant>

#include "engine/base/error.h"

namespace flcc::features {

using base::Error;
using base::ErrorCode;

namespace {

bool isEightBit(const base::AnyView& view) {
    return base::pixelType(view) == base::PixelType::UInt8;
}

/// Calls `body(x, value)` for every voxel of row (y, z).
template <class Body>
void forRow(const base::AnyView& view, std::int64_t y, std::int64_t z, const Body& body) {
    std::visit(
        [&](const auto& voxels) {
            const auto* row = voxels.row(y, z);
            for (std::int64_t x = 0; x < voxels.extents().x; ++x) {
                body(x, static_cast<double>(row[x]));
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
}

std::string ChannelImage::channelName(int channel) const {
    return m_channels == Channels::Ohta ? "I" + std::to_string(channel + 1) : "grey";
}

ChannelImage::Range ChannelImage::nominalRange(int channel) const {
    if (m_channels != Channels::Ohta ||
        !std::all_of(m_components.begin(), m_components.end(), isEightBit)) {
        return {};
    }
    return channel == 0 ? Range{0, 255} : Range{-127.5, 127.5};
}

void ChannelImage::row(int channel, std::int64_t y, std::int64_t z, double* values) const {
    if (m_components.size() == 1) {
        forRow(m_components[0], y, z, [values](std::int64_t x, double v) { values[x] = v; });
        return;
    }
    // Small integers times these halves, thirds and quarters are added before they are divided: the
    // sums are exact.
    std::array<double, 3> weights{1, 1, 1};
    double divisor = 3;
    if (m_channels == Channels::Grey) {
        weights = {0.299, 0.587, 0.114};
        divisor = 1;
    } else if (channel == 1) {
        weights = {1, 0, -1};
        divisor = 2;
    } else if (channel == 2) {
        weights = {-1, 2, -1};
        divisor = 4;
    }
    forRow(m_components[0], y, z, [&](std::int64_t x, double v) { values[x] = weights[0] * v; });
    forRow(m_components[1], y, z, [&](std::int64_t x, double v) { values[x] += weights[1] * v; });
    forRow(m_components[2], y, z,
           [&](std::int64_t x, double v) { values[x] = (values[x] + weights[2] * v) / divisor; });
}

} // namespace flcc::features
