#include <algorithm>
#include <array>
#include <cmath>
#include <iterator>
#include <utility>
#include <vector>

#include "viz/detail/axis_marks.h"
#include "viz/detail/grey_pixels.h"
#include "viz/detail/volume_state.h"

namespace flcc::viz {

using detail::byAxis;

namespace {

constexpr double kOutsideShare = 0.25; // of the opacity, where voxels do not count
constexpr double kSlabShare = 0.1;     // of the depth

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

match::Colour mixedWith(const match::Colour& a, const match::Colour& b, double share) {
    match::Colour result{};
    for (std::size_t i = 0; i < 3; ++i) {
        result[i] = static_cast<std::uint8_t>(a[i] * (1 - share) + b[i] * share + 0.5);
    }
    return result;
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
                                     return mixedWith(a.colour, b.colour, share);
                                 })});
    }
    return curve;
}

void VolumeScene::State::updateTransfer() {
    property->SetInterpolationTypeToLinear();
    property->ShadeOff();
    caster->SetBlendModeToComposite();
    markedColours->RemoveAllPoints();
    colourFunction->RemoveAllPoints();
    opacityFunction->RemoveAllPoints();
    outsideOpacity->RemoveAllPoints();
    property->SetScalarOpacity(1, mapCast() ? opacityFunction : outsideOpacity);
    if (mapCast()) {
        setMapTransfer();
    } else {
        setSceneTransfer();
    }
}

void VolumeScene::State::setMapTransfer() {
    const base::Point low = corner(false);
    const base::Point high = corner(true);
    const double smallest = std::min({high[0] - low[0], high[1] - low[1], high[2] - low[2]});
    for (std::size_t i = 0; i < 256; i += 15) {
        const match::Colour& c = colours[i];
        colourFunction->AddRGBPoint(static_cast<double>(i), c[0] / 255.0, c[1] / 255.0,
                                    c[2] / 255.0);
        const match::Colour pink = match::lowConfColour(c);
        markedColours->AddRGBPoint(static_cast<double>(i), pink[0] / 255.0, pink[1] / 255.0,
                                   pink[2] / 255.0);
    }
    if (mapHasHoles || mapTexture.marked()) {
        // Between a score and the 0 of a hole lie colours of scores that nothing has.
        property->SetInterpolationTypeToNearest();
    }
    // Clear where nothing is found, dense where the score is high, on both ends of a map that
    // counts negative scores.
    const auto add = [&](double place, double opacity) {
        opacityFunction->AddPoint(scale.reversed ? 255 - place : place, opacity);
    };
    add(0, 0);
    if (scale.map == match::ColourMap::Diverging) {
        opacityFunction->AddPoint(1, 0.9);
        opacityFunction->AddPoint(52, 0.5);
        opacityFunction->AddPoint(90, 0);
        opacityFunction->AddPoint(166, 0);
        opacityFunction->AddPoint(204, 0.5);
    } else if (scoreThreshold && !scale.reversed && scale.high > scale.low) {
        const double dense =
            std::clamp((*scoreThreshold - scale.low) / (scale.high - scale.low), 0.1, 0.98) * 255;
        opacityFunction->AddPoint(0.6 * dense, 0);
        opacityFunction->AddPoint(0.85 * dense, 0.08);
        opacityFunction->AddPoint(dense, 0.5);
    } else {
        add(70, 0);
        add(110, 0.12);
        add(150, 0.5);
    }
    add(255, 0.95);
    property->SetScalarOpacityUnitDistance(std::max(1.5, smallest / 100));
}

void VolumeScene::State::setSceneTransfer() {
    const base::Point low = corner(false);
    const base::Point high = corner(true);
    const double smallest = std::min({high[0] - low[0], high[1] - low[1], high[2] - low[2]});
    // Halves, whose differences cannot overflow.
    const double range = textureWindow.high / 2 - textureWindow.low / 2;
    const double share = (window.high / 2 - window.low / 2) / range;
    const double start = (window.low / 2 - textureWindow.low / 2) / range * 255;
    const auto byteOf = [&](double grey) { return start + grey * 255 * share; };
    const LookTable& table = tableOf(transfer.look);
    for (const auto& [grey, opacity, colour] : curveOf(transfer)) {
        const match::Colour outside = mixedWith(colour, detail::kOutside, detail::kOutsideOpacity);
        colourFunction->AddRGBPoint(byteOf(grey), colour[0] / 255.0, colour[1] / 255.0,
                                    colour[2] / 255.0);
        markedColours->AddRGBPoint(byteOf(grey), outside[0] / 255.0, outside[1] / 255.0,
                                   outside[2] / 255.0);
        opacityFunction->AddPoint(byteOf(grey), opacity * transfer.opacity);
        outsideOpacity->AddPoint(byteOf(grey), opacity * transfer.opacity * kOutsideShare);
    }
    property->SetScalarOpacityUnitDistance(std::max(2.0, smallest / 40));
    if (table.maximum) {
        caster->SetBlendModeToMaximumIntensity();
    }
    if (table.shaded && !sceneTexture.marked()) {
        property->ShadeOn();
        property->SetAmbient(0.25);
        property->SetDiffuse(0.8);
        property->SetSpecular(0.15);
    }
}

/// What is drawn of the volume: inside a box, or outside of one that reaches from the crosshair to
/// the corner before the eye.
std::optional<detail::ScoreSurface::Cut> VolumeScene::State::cut() const {
    const std::optional<base::Box> kept = clip == VolumeClip::Box      ? box
                                          : clip == VolumeClip::Region ? region
                                                                       : std::nullopt;
    base::Point low = corner(false);
    base::Point high = corner(true);
    if (kept) {
        return detail::ScoreSurface::Cut{cornersOf(*kept)[0], cornersOf(*kept)[1], true};
    }
    if (clip == VolumeClip::Slab && crosshair) {
        const double half = slabSlices > 0 ? static_cast<double>(slabSlices) * aspect[2] / 2
                                           : (high[2] - low[2]) * kSlabShare / 2;
        const double middle = (*crosshair)[2] * aspect[2];
        low[2] = middle - half;
        high[2] = middle + half;
        return detail::ScoreSurface::Cut{low, high, true};
    }
    if (clip == VolumeClip::Corner && crosshair) {
        const base::Point at = world(*crosshair);
        const base::Point eye = eyeOf(at);
        for (std::size_t axis = 0; axis < 3; ++axis) {
            (eye[axis] > at[axis] ? low : high)[axis] = at[axis];
        }
        return detail::ScoreSurface::Cut{low, high, false};
    }
    return std::nullopt;
}

void VolumeScene::State::updateClip() {
    constexpr int kInside = 1 << 13; // the middle one of 27 parts
    constexpr int kAll = (1 << 27) - 1;
    const auto now = cut();
    if (!now) {
        caster->CroppingOff();
        return;
    }
    caster->SetCroppingRegionPlanes(now->low[0], now->high[0], now->low[1], now->high[1],
                                    now->low[2], now->high[2]);
    caster->SetCroppingRegionFlags(now->inside ? kInside : kAll & ~kInside);
    caster->CroppingOn();
}

void VolumeScene::State::updateIsosurface() {
    scoreSurface.hide();
    if (interactive && slowMoves) {
        return;
    }
    if (!isosurface || !image || !map.exists() || !map.finished() || !scoreThreshold ||
        !(scale.high > scale.low)) {
        return;
    }
    updateMapTexture();
    const double level = (*scoreThreshold - scale.low) / (scale.high - scale.low);
    if (level > 0 && level < 1) {
        scoreSurface.show(mapTexture.image(), level * 255, colourOf(*scoreThreshold));
        scoreSurface.cut(cut());
    }
}

void VolumeScene::State::addSliceFrames() {
    for (std::size_t axis = 0; axis < 3; ++axis) {
        base::Point low = corner(false);
        base::Point high = corner(true);
        low[axis] = high[axis] = static_cast<double>(sliceAt(axis)) * aspect[axis];
        outline.box(low, high, detail::axisColour(axis));
    }
}

} // namespace flcc::viz
