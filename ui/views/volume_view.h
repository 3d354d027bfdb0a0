#pragma once

#include <QString>

#include <optional>

#include "engine/base/pixels.h"
#include "viz/volume_scene.h"

namespace flcc::ui {

/// What the 3D view shows of one scene, and the slab of its slices.
struct VolumeView {
    viz::VolumeContent content = viz::VolumeContent::Scene;
    viz::SliceStyle slices = viz::SliceStyle::Transparent;
    viz::VolumeClip clip = viz::VolumeClip::None;
    viz::VolumeTransfer transfer;
    int slab = 1;
    bool isosurface = false;
    bool surfaces = false;
    bool chosen = false; ///< by a person: nothing changes it but a person
    friend bool operator==(const VolumeView&, const VolumeView&) = default;
};

/// What suits a volume: its threshold between the two classes of its greys; no ray-cast volume
/// where that would be a solid block, or where the volume is noise. **Cost**: milliseconds.
[[nodiscard]] VolumeView suitableView(const base::AnyView& pixels, const viz::GreyWindow& window);

/// The view that a person chose for a scene, kept in the settings for the last scenes; `scene` is
/// its source and extents.
[[nodiscard]] std::optional<VolumeView> rememberedView(const QString& scene);
void rememberView(const QString& scene, const VolumeView& view);

} // namespace flcc::ui
