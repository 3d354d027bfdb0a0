#include "viz/volume/volume_cast.h"

#include <algorithm>
#include <cmath>
#include <utility>
#include <vector>

#include "viz/labels/axis_marks.h"
#include "viz/pixels/grey_pixels.h"
#include "viz/volume/volume_clip.h"
#include "viz/volume/volume_transfer.h"

namespace flcc::viz::detail {
namespace {

constexpr std::int64_t kMapVoxelsAtOnce = 16'000'000;
constexpr double kOutsideShare = 0.25; // of the opacity, where voxels do not count

} // namespace

VolumeCast::VolumeCast(vtkRenderer& renderer, VolumeModel& model) : m_model(model) {
    m_property->SetColor(m_colourFunction);
    m_property->SetScalarOpacity(m_opacityFunction);
    m_property->SetColor(1, m_markedColours);
    m_property->SetScalarOpacity(1, m_opacityFunction);
    m_property->SetInterpolationTypeToLinear();
    m_volume->SetMapper(m_caster);
    m_volume->SetProperty(m_property);
    m_volume->PickableOff();
    m_caster->SetAutoAdjustSampleDistances(0);
    m_caster->SetBlendModeToComposite();
    renderer.AddVolume(m_volume);
    renderer.AddActor(&m_scoreSurface.actor());
}

void VolumeCast::setDistances(double pixels, double texels) {
    m_caster->SetImageSampleDistance(static_cast<float>(pixels));
    const double texel = texture().exists() ? texture().texelSize() : 1.0;
    m_caster->SetSampleDistance(static_cast<float>(texel * texels));
}

void VolumeCast::update(const VolumeCamera& camera, bool surface) {
    m_volume->SetVisibility(0);
    updateIsosurface(camera, surface);
    if (!m_model.image || m_model.content == VolumeContent::None) {
        return;
    }
    const bool fromMap = m_model.mapCast();
    if (m_model.content == VolumeContent::Map && !fromMap) {
        return;
    }
    if (fromMap) {
        updateMapTexture();
    } else {
        const bool first = !m_sceneTexture.exists();
        if (first) {
            const bool early = !m_model.reduced && ReducedVolume::serves(m_model.extents);
            m_sceneTexture.setShape(m_model.extents, {0, 0, 0}, m_model.aspect,
                                    m_model.sceneSupportShown(),
                                    early ? kFirstTexelBudget : kTexelBudget);
        }
        // While the window is dragged, the tables follow it and the bytes wait.
        if (first || (m_model.sceneTextureStale && !m_model.interactive)) {
            m_sceneTexture.fillGrey(
                base::viewOf(m_model.reduced ? m_model.reduced->pixels() : *m_model.image),
                m_model.window, m_sceneTexture.marked() ? m_model.sceneSupport.get() : nullptr);
            m_textureWindow = m_model.window;
            m_model.sceneTextureStale = false;
        }
    }
    m_caster->SetInputData(&(fromMap ? m_mapTexture : m_sceneTexture).image());
    updateTransfer();
    updateClip(camera);
    m_volume->SetVisibility(1);
}

void VolumeCast::updateMapTexture() {
    if (!m_mapTexture.exists()) {
        shapeMapTexture();
    }
    if (m_model.mapTextureStale) {
        m_mapTexture.erase();
        m_model.freshMapRegions = m_model.map.finished()
                                      ? std::vector<base::Box>{{{0, 0, 0}, m_model.map.extents()}}
                                      : m_model.map.regions();
        m_model.mapTextureStale = false;
    }
    // A large map fills in over several frames, so that no frame takes long.
    for (std::int64_t left = kMapVoxelsAtOnce; left > 0 && !m_model.freshMapRegions.empty();) {
        base::Box& fresh = m_model.freshMapRegions.back();
        const std::int64_t slice = fresh.extents.x * fresh.extents.y;
        base::Box part = fresh;
        part.extents.z = std::clamp<std::int64_t>(left / slice, 1, fresh.extents.z);
        m_mapTexture.addRegion(m_model.map.map(), part, m_model.scale);
        left -= slice * part.extents.z;
        fresh.corner.z += part.extents.z;
        fresh.extents.z -= part.extents.z;
        if (fresh.extents.z == 0) {
            m_model.freshMapRegions.pop_back();
        }
    }
}

/// A finished map is looked through for what is no plain score.
void VolumeCast::shapeMapTexture() {
    base::Point first{};
    for (std::size_t axis = 0; axis < 3; ++axis) {
        first[axis] = m_model.map.offset()[axis] * m_model.aspect[axis];
    }
    bool marked = false;
    m_mapHasHoles = !m_model.map.finished();
    if (m_model.map.finished()) {
        const base::Image<base::Status>& status = m_model.map.map().status;
        const base::Status* const end = status.data() + status.count();
        marked = std::find(status.data(), end, base::Status::LowConf) != end;
        m_mapHasHoles = std::any_of(status.data(), end,
                                    [](base::Status each) { return !base::hasValue(each); });
    }
    m_mapTexture.setShape(m_model.map.extents(), first, m_model.aspect, marked);
}

void VolumeCast::updateTransfer() {
    m_property->SetInterpolationTypeToLinear();
    m_property->ShadeOff();
    m_caster->SetBlendModeToComposite();
    m_markedColours->RemoveAllPoints();
    m_colourFunction->RemoveAllPoints();
    m_opacityFunction->RemoveAllPoints();
    m_outsideOpacity->RemoveAllPoints();
    m_property->SetScalarOpacity(1, m_model.mapCast() ? m_opacityFunction : m_outsideOpacity);
    if (m_model.mapCast()) {
        setMapTransfer();
    } else {
        setSceneTransfer();
    }
}

void VolumeCast::setMapTransfer() {
    const base::Point low = m_model.corner(false);
    const base::Point high = m_model.corner(true);
    const double smallest = std::min({high[0] - low[0], high[1] - low[1], high[2] - low[2]});
    for (std::size_t i = 0; i < 256; i += 15) {
        const match::Colour& c = m_model.colours[i];
        m_colourFunction->AddRGBPoint(static_cast<double>(i), c[0] / 255.0, c[1] / 255.0,
                                      c[2] / 255.0);
        const match::Colour pink = match::lowConfColour(c);
        m_markedColours->AddRGBPoint(static_cast<double>(i), pink[0] / 255.0, pink[1] / 255.0,
                                     pink[2] / 255.0);
    }
    if (m_mapHasHoles || m_mapTexture.marked()) {
        // Between a score and the 0 of a hole lie colours of scores that nothing has.
        m_property->SetInterpolationTypeToNearest();
    }
    // Clear where nothing is found, dense where the score is high, on both ends of a map that
    // counts negative scores.
    const auto add = [&](double place, double opacity) {
        m_opacityFunction->AddPoint(m_model.scale.reversed ? 255 - place : place, opacity);
    };
    add(0, 0);
    if (m_model.scale.map == match::ColourMap::Diverging) {
        m_opacityFunction->AddPoint(1, 0.9);
        m_opacityFunction->AddPoint(52, 0.5);
        m_opacityFunction->AddPoint(90, 0);
        m_opacityFunction->AddPoint(166, 0);
        m_opacityFunction->AddPoint(204, 0.5);
    } else if (m_model.scoreThreshold && !m_model.scale.reversed &&
               m_model.scale.high > m_model.scale.low) {
        const double dense = std::clamp((*m_model.scoreThreshold - m_model.scale.low) /
                                            (m_model.scale.high - m_model.scale.low),
                                        0.1, 0.98) *
                             255;
        m_opacityFunction->AddPoint(0.6 * dense, 0);
        m_opacityFunction->AddPoint(0.85 * dense, 0.08);
        m_opacityFunction->AddPoint(dense, 0.5);
    } else {
        add(70, 0);
        add(110, 0.12);
        add(150, 0.5);
    }
    add(255, 0.95);
    m_property->SetScalarOpacityUnitDistance(std::max(1.5, smallest / 100));
}

void VolumeCast::setSceneTransfer() {
    const base::Point low = m_model.corner(false);
    const base::Point high = m_model.corner(true);
    const double smallest = std::min({high[0] - low[0], high[1] - low[1], high[2] - low[2]});
    // Halves, whose differences cannot overflow.
    const double range = m_textureWindow.high / 2 - m_textureWindow.low / 2;
    const double share = (m_model.window.high / 2 - m_model.window.low / 2) / range;
    const double start = (m_model.window.low / 2 - m_textureWindow.low / 2) / range * 255;
    const auto byteOf = [&](double grey) { return start + grey * 255 * share; };
    const LookStyle style = styleOf(m_model.transfer.look);
    for (const auto& [grey, opacity, colour] : curveOf(m_model.transfer)) {
        const match::Colour outside = mixed(colour, kOutside, kOutsideOpacity);
        m_colourFunction->AddRGBPoint(byteOf(grey), colour[0] / 255.0, colour[1] / 255.0,
                                      colour[2] / 255.0);
        m_markedColours->AddRGBPoint(byteOf(grey), outside[0] / 255.0, outside[1] / 255.0,
                                     outside[2] / 255.0);
        m_opacityFunction->AddPoint(byteOf(grey), opacity * m_model.transfer.opacity);
        m_outsideOpacity->AddPoint(byteOf(grey),
                                   opacity * m_model.transfer.opacity * kOutsideShare);
    }
    m_property->SetScalarOpacityUnitDistance(std::max(2.0, smallest / 40));
    if (style.maximum) {
        m_caster->SetBlendModeToMaximumIntensity();
    }
    if (style.shaded && !m_sceneTexture.marked()) {
        m_property->ShadeOn();
        m_property->SetAmbient(0.25);
        m_property->SetDiffuse(0.8);
        m_property->SetSpecular(0.15);
    }
}

void VolumeCast::updateClip(const VolumeCamera& camera) {
    constexpr int kInside = 1 << 13; // the middle one of 27 parts
    constexpr int kAll = (1 << 27) - 1;
    const auto now = cutOf(m_model, camera);
    if (!now) {
        m_caster->CroppingOff();
        return;
    }
    m_caster->SetCroppingRegionPlanes(now->low[0], now->high[0], now->low[1], now->high[1],
                                      now->low[2], now->high[2]);
    m_caster->SetCroppingRegionFlags(now->inside ? kInside : kAll & ~kInside);
    m_caster->CroppingOn();
}

void VolumeCast::updateIsosurface(const VolumeCamera& camera, bool shown) {
    m_scoreSurface.hide();
    if (!shown || !m_model.isosurface || !m_model.image || !m_model.map.exists() ||
        !m_model.map.finished() || !m_model.scoreThreshold ||
        !(m_model.scale.high > m_model.scale.low)) {
        return;
    }
    updateMapTexture();
    const double level =
        (*m_model.scoreThreshold - m_model.scale.low) / (m_model.scale.high - m_model.scale.low);
    if (level > 0 && level < 1) {
        m_scoreSurface.show(m_mapTexture.image(), level * 255,
                            m_model.colourOf(*m_model.scoreThreshold));
        m_scoreSurface.cut(cutOf(m_model, camera));
    }
}

} // namespace flcc::viz::detail
