#pragma once

#include <optional>
#include <vector>

#include "viz/labels/scalar_bar.h"
#include "viz/surface/score_surface.h"
#include "viz/volume/volume_camera.h"
#include "viz/volume/volume_model.h"

// What Clip keeps or cuts away, and the handles on its faces.

namespace flcc::viz::detail {

/// What is drawn of the volume: inside a box, or outside of one that reaches from the crosshair to
/// the corner before the eye.
[[nodiscard]] std::optional<ScoreSurface::Cut> cutOf(const VolumeModel& model,
                                                     const VolumeCamera& camera);

// As in VolumeScene.
[[nodiscard]] std::optional<base::Box> clipBox(const VolumeModel& model);
[[nodiscard]] std::vector<ClipHandle> clipHandles(const VolumeModel& model,
                                                  const VolumeCamera& camera);
/// `tolerance`: device pixels around a handle, whose size is in `ratio` device pixels.
[[nodiscard]] std::optional<ClipHandle> clipHandleAt(const VolumeModel& model,
                                                     const VolumeCamera& camera,
                                                     DisplayPoint display, double tolerance,
                                                     double ratio);
[[nodiscard]] double shiftAlong(const VolumeModel& model, const VolumeCamera& camera,
                                const ClipHandle& handle, DisplayPoint from, DisplayPoint to);
[[nodiscard]] base::Box resizedClip(const VolumeModel& model, const base::Box& start,
                                    const ClipHandle& handle, double shift);
void drawClipHandles(const Canvas& canvas, const VolumeModel& model, const VolumeCamera& camera);

} // namespace flcc::viz::detail
