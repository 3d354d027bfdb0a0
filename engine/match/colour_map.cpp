#include "engine/match/colour_map.h"

#include <algorithm>
#include <cmath>

#include "engine/match/detail/colour_tables.h"

namespace flcc::match {

namespace {

const std::array<Colour, 256>& tableOf(ColourMap map) {
    switch (map) {
    case ColourMap::Diverging:
        return detail::kDiverging;
    case ColourMap::Cividis:
        return detail::kCividis;
    case ColourMap::Viridis:
        break;
    }
    return detail::kViridis;
}

} // namespace

std::string_view name(ColourMap map) {
    switch (map) {
    case ColourMap::Diverging:
        return "diverging";
    case ColourMap::Cividis:
        return "cividis";
    case ColourMap::Viridis:
        break;
    }
    return "viridis";
}

Colour colourAt(ColourMap map, double position) {
    // !(position > 0) sends NaN to the low end.
    const double inside = !(position > 0) ? 0 : std::min(position, 1.0);
    return tableOf(map)[static_cast<std::size_t>(std::lround(inside * 255))];
}

Colour colourOf(const HeatmapScale& scale, double score) {
    const double range = scale.high - scale.low;
    const double position = range > 0 ? (score - scale.low) / range : 0.5;
    return colourAt(scale.map, scale.reversed ? 1 - position : position);
}

Colour lowConfColour(const Colour& score) {
    Colour mixed{};
    for (std::size_t i = 0; i < mixed.size(); ++i) {
        mixed[i] = static_cast<std::uint8_t>((score[i] + kLowConf[i]) / 2);
    }
    return mixed;
}

Colour hatchColour(std::int64_t x, std::int64_t y) {
    constexpr std::int64_t kStripe = 4;
    const std::int64_t along = x + y;
    const std::int64_t stripe = along >= 0 ? along / kStripe : (along - kStripe + 1) / kStripe;
    return (stripe & 1) == 0 ? kHatchLight : kHatchDark;
}

} // namespace flcc::match
