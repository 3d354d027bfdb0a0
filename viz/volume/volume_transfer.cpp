#include <algorithm>
#include <array>
#include <cmath>
#include <iterator>
#include <utility>
#include <vector>

#include "viz/labels/axis_marks.h"
#include "viz/volume/volume_transfer.h"

namespace flcc::viz {

namespace {

/// A point of a transfer function; `at` runs from 0 at the threshold to 1 at the high end.
struct OpacityPoint {
    double at;
    double opacity;
};
struct ColourPoint {
    double at; ///< share of the grey window
    match::Colour colour;
};
struct LookTable {
    std::vector<ColourPoint> colours;
    std::vector<OpacityPoint> opacities;
    bool shaded = false;
    bool maximum = false;
};

const LookTable& tableOf(VolumeLook look) {
    // Grey keeps the greys of the slices. MRI and CT have the colours that viewers of medical
    // images use for tissue and bone.
    static const std::array<LookTable, 6> kTables{
        {{{{0, {26, 28, 33}}, {0.5, {140, 145, 153}}, {1, {255, 252, 245}}},
          {{0, 0}, {0.43, 0.05}, {0.81, 0.35}, {1, 0.8}}},
         {{{0, {40, 18, 14}}, {0.35, {150, 84, 66}}, {0.7, {222, 176, 146}}, {1, {255, 246, 232}}},
          {{0, 0}, {0.05, 0.25}, {0.5, 0.6}, {1, 0.95}},
          true},
         {{{0, {90, 30, 20}}, {0.45, {178, 96, 64}}, {0.65, {240, 220, 180}}, {1, {255, 255, 255}}},
          {{0, 0}, {0.35, 0.04}, {0.55, 0.5}, {1, 0.95}},
          true},
         {{{0, {0, 20, 4}}, {0.5, {20, 190, 60}}, {1, {235, 255, 225}}},
          {{0, 0}, {0.3, 0.06}, {1, 0.75}}},
         {{{0, {58, 92, 140}}, {0.6, {104, 152, 206}}, {1, {226, 238, 252}}},
          {{0, 0}, {0.04, 0.85}, {1, 0.95}},
          true},
         {{{0, {0, 0, 0}}, {1, {255, 255, 255}}}, {{0, 0}, {0.02, 0.6}, {1, 1}}, false, true}}};
    return kTables[static_cast<std::size_t>(look)];
}

/// The value at `at` of the lines between points, and that of the outermost ones beyond them.
template <class Points, class Mix> auto valueOf(const Points& points, double at, const Mix& mix) {
    const auto next = std::ranges::find_if(points, [at](const auto& p) { return p.at >= at; });
    if (next == points.begin() || next == points.end()) {
        const auto& end = next == points.end() ? points.back() : points.front();
        return mix(end, end, 0.0);
    }
    const auto& before = *std::prev(next);
    return mix(before, *next, (at - before.at) / (next->at - before.at));
}

} // namespace

std::vector<TransferPoint> curveOf(const VolumeTransfer& transfer) {
    if (!transfer.points.empty()) {
        return transfer.points;
    }
    const LookTable& table = tableOf(transfer.look);
    std::vector<OpacityPoint> opacities = table.opacities;
    std::vector<double> places;
    for (OpacityPoint& point : opacities) {
        point.at = transfer.threshold + (1 - transfer.threshold) * point.at;
        places.push_back(point.at);
    }
    for (const ColourPoint& point : table.colours) {
        places.push_back(point.at);
    }
    std::ranges::sort(places);
    places.erase(std::ranges::unique(places).begin(), places.end());
    std::vector<TransferPoint> curve;
    for (const double at : places) {
        curve.push_back({at,
                         valueOf(opacities, at,
                                 [](const OpacityPoint& a, const OpacityPoint& b, double share) {
                                     return a.opacity * (1 - share) + b.opacity * share;
                                 }),
                         valueOf(table.colours, at,
                                 [](const ColourPoint& a, const ColourPoint& b, double share) {
                                     return detail::mixed(a.colour, b.colour, share);
                                 })});
    }
    return curve;
}

detail::LookStyle detail::styleOf(VolumeLook look) {
    const LookTable& table = tableOf(look);
    return {table.shaded, table.maximum};
}

} // namespace flcc::viz
