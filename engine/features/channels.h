#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "engine/base/pixels.h"

namespace flcc::features {

/// The channels in which a detector looks.
enum class Channels : std::uint8_t {
    Auto, ///< Ohta for colour, else grey
    Grey, ///< one channel; colour becomes the luminance 0.299 R + 0.587 G + 0.114 B
    Ohta, ///< (R + G + B) / 3, (R - B) / 2, (2 G - R - B) / 4
};
[[nodiscard]] constexpr std::string_view name(Channels channels) {
    return channels == Channels::Auto ? "auto" : channels == Channels::Grey ? "grey" : "ohta";
}

/// The channels of an image, computed where they are used and never stored. The views of the
/// components must outlive it.
///
/// **Source**: Ohta, Kanade, Sakai, "Color information for region segmentation", 1980; CSDD,
/// section IV.A.
class ChannelImage {
  public:
    /// `components` are one (grey), two (grey, opacity), three (R, G, B) or four (R, G, B, opacity)
    /// views of equal extents; opacity is ignored. **Errors**: Problem for Ohta without colour, for
    /// other numbers of components, and for extents that differ.
    ChannelImage(std::vector<base::AnyView> components, Channels channels);

    [[nodiscard]] const base::Extents& extents() const { return m_extents; }
    /// Grey or Ohta, never Auto.
    [[nodiscard]] Channels channels() const { return m_channels; }
    [[nodiscard]] int count() const { return m_channels == Channels::Ohta ? 3 : 1; }
    [[nodiscard]] std::string channelName(int channel) const;

    /// The nominal range of a channel of 8-bit colour; empty (low > high) for other images, whose
    /// range is that of their values.
    struct Range {
        double low = 1;
        double high = 0;
    };
    [[nodiscard]] Range nominalRange(int channel) const;

    /// True if every component has pixels of 8 bits.
    [[nodiscard]] bool isEightBit() const;

    /// Writes row (y, z) of a channel, less level(channel), to `values`, x extents of them.
    void row(int channel, std::int64_t y, std::int64_t z, double* values) const;
    /// What row() takes off: of 64-bit integers their smallest value, without which doubles hold
    /// more of their digits; else 0.
    [[nodiscard]] double level(int channel) const;

  private:
    /// sum of weights[i] * values[i] / divisor
    struct Mixture {
        std::array<double, 3> weights{1, 0, 0};
        double divisor = 1;
    };
    [[nodiscard]] Mixture mixture(int channel) const;

    std::vector<base::AnyView> m_components; ///< one or three
    std::vector<std::uint64_t> m_levels;     ///< of each component, as bits of its type
    base::Extents m_extents;
    Channels m_channels;
};

} // namespace flcc::features
