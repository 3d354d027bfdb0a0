#pragma once

#include <vtkNew.h>
#include <vtkRenderer.h>
#include <vtkSmartPointer.h>

#include "viz/labels/mark_batch.h"
#include "viz/labels/text_pool.h"
#include "viz/volume/frame_quality.h"
#include "viz/volume/part_camera.h"
#include "viz/volume/volume_camera.h"
#include "viz/volume/volume_cast.h"
#include "viz/volume/volume_labels.h"
#include "viz/volume/volume_lines.h"
#include "viz/volume/volume_model.h"
#include "viz/volume/volume_slices.h"
#include "viz/volume/volume_surfaces.h"
#include "viz/volume_scene.h"

namespace flcc::viz {

/// The state of a VolumeScene and the VTK objects it draws with.
struct VolumeScene::State {
    State() {
        renderer->SetActiveCamera(partCamera);
        renderer->AddActor2D(&marks.actor());
    }

    detail::VolumeModel model;
    detail::FrameQuality quality;
    bool volumeDeferred = false; ///< to the frame after the next one

    vtkNew<vtkRenderer> renderer;
    vtkSmartPointer<detail::PartCamera> partCamera =
        vtkSmartPointer<detail::PartCamera>::Take(detail::PartCamera::New());
    detail::VolumeCamera camera{*partCamera, model};
    detail::VolumeCast cast{*renderer, model};
    detail::VolumeSlices slices{*renderer, model};
    detail::VolumeLines lines{*renderer, model};
    detail::VolumeSurfaces surfaces{*renderer, model};
    detail::VolumeLabels labels;
    detail::MarkBatch marks;
    detail::TextPool texts{*renderer};
};

} // namespace flcc::viz
